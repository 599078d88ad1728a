// SPDX-License-Identifier: MIT
#include "advance/certificate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "advance/bernstein.h"
#include "advance/candidate_axes.h"
#include "advance/cylinder_gap.h"
#include "advance/gap_polynomial.h"
#include "advance/scaled_bernstein.h"

namespace rigor::advance {
namespace {

using scaled::kBinomial;
using scaled::kUnitRoundoff;

/// Rounds a quotient (a - b)/(c + d) of positive numbers down: four roundings of at most u each.
constexpr double kDown = 1 - 0x1p-50;
/// Relative room that every claim leaves to a checker that rounds |n| up.
constexpr double kNormSlack = 0x1p-49;
constexpr int kFewVertices = 24;  // Looked at one by one without a first pass.
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The smaller of two numbers; NaN if one of them is.
double lower(double a, double b) { return b >= a || a != a ? a : b; }

struct Verdict {
  bool proved = false;
  bool refuted_start = false, refuted_end = false;  ///< The claim fails at ta, tb: no split helps there.
  bool refuted_inside = false;                      ///< It fails somewhere in between: exact arithmetic cannot help.

  void merge(const Verdict& other) {
    proved = proved && other.proved;
    refuted_start = refuted_start || other.refuted_start;
    refuted_end = refuted_end || other.refuted_end;
    refuted_inside = refuted_inside || other.refuted_inside;
  }
  bool undecided() const { return !proved && !refuted_start && !refuted_end && !refuted_inside; }
};

/// N/D with D > 0 and error bounds of their coefficients.
struct Ratio {
  BernsteinPolynomial n, d;
  double n_error, d_error;

  Ratio(const double* num, const double* den, int degree, double num_error, double den_error) {
    n.degree = d.degree = degree;
    for (int k = 0; k <= degree; ++k) {
      n.c[k] = num[k] / kBinomial.c[degree][k];
      d.c[k] = den[k] / kBinomial.c[degree][k];
    }
    n_error = num_error + kUnitRoundoff * n.maxAbsCoefficient();
    d_error = den_error + kUnitRoundoff * d.maxAbsCoefficient();
  }
};

/// Proves N/D >= floor on [0, 1] and lowers `lowest` to the bound found.
Verdict proveRatio(const Ratio& r, double floor, int depth, double& lowest, long& subdivisions) {
  const int n = r.n.degree;
  Verdict verdict;
  double bound = kInfinity;
  for (int k = 0; k <= n; ++k) {
    const double quotient = (r.n.c[k] - r.n_error) / (r.d.c[k] + r.d_error);
    bound = lower(bound, quotient);
  }
  bound *= kDown;
  if (bound >= floor) {
    lowest = std::min(lowest, bound);
    verdict.proved = true;
    return verdict;
  }
  verdict.refuted_start = r.n.c[0] + r.n_error < floor * (r.d.c[0] - r.d_error) * kDown;
  verdict.refuted_end = r.n.c[n] + r.n_error < floor * (r.d.c[n] - r.d_error) * kDown;
  if (verdict.refuted_start || verdict.refuted_end || depth == 0 || !std::isfinite(bound)) return verdict;

  ++subdivisions;
  Ratio left = r, right = r;
  r.n.halves(left.n, right.n);
  r.d.halves(left.d, right.d);
  // n averagings, each rounding relative to the largest coefficient.
  left.n_error = right.n_error = r.n_error + (n + 1) * kUnitRoundoff * r.n.maxAbsCoefficient();
  left.d_error = right.d_error = r.d_error + (n + 1) * kUnitRoundoff * r.d.maxAbsCoefficient();
  const Verdict first = proveRatio(left, floor, depth - 1, lowest, subdivisions);
  verdict.refuted_start = first.refuted_start;
  verdict.refuted_inside = first.refuted_inside || first.refuted_end;
  if (!first.proved) return verdict;
  const Verdict second = proveRatio(right, floor, depth - 1, lowest, subdivisions);
  verdict.refuted_end = second.refuted_end;
  verdict.refuted_inside = second.refuted_inside || second.refuted_start;
  verdict.proved = second.proved;
  return verdict;
}

/// Calls include(j) for all vertices but those that cannot lower any coefficient: most vertices of a round body are
/// higher than the spread can make up for.
template <typename Include>
void includeLow(const FaceGap& gap, const double* smallest, Include include) {
  const Eigen::Matrix3Xd& v = gap.tested->vertices();
  const int n = gap.degree;
  const FaceGap::Bound bound = gap.bound();
  const auto heightOf = [&](Eigen::Index j) { return bound.height(v.col(j) - gap.tested_centre); };

  Eigen::Index lowest = 0;
  double height = kInfinity;
  for (Eigen::Index j = 0; j < v.cols(); ++j) {
    const double h = heightOf(j);
    if (h < height) {
      height = h;
      lowest = j;
    }
  }
  include(lowest);
  double highest = -kInfinity;  // Of the coefficients so far: they only fall from here.
  for (int k = 0; k <= n; ++k) highest = std::max(highest, smallest[k] / kBinomial.c[n][k]);
  for (Eigen::Index j = 0; j < v.cols(); ++j)
    if (!(heightOf(j) - bound.spread > highest)) include(j);
}

/// provedGap(), where the bounds hold, of all points of the tested part or of others.
double lowestGap(const FaceGap& gap, const Eigen::Matrix3Xd& v) {
  const int n = gap.degree;
  const Eigen::Index count = v.cols();

  double smallest[16];
  std::fill_n(smallest, 16, kInfinity);
  const auto include = [&](Eigen::Index j) {
    const double y0 = v(0, j) - gap.tested_centre[0], y1 = v(1, j) - gap.tested_centre[1],
                 y2 = v(2, j) - gap.tested_centre[2];
    for (int k = 0; k < 16; ++k) {  // All 16: entries past the degree are never read.
      const double value = gap.row[0][k] * y0 + gap.row[1][k] * y1 + gap.row[2][k] * y2;
      smallest[k] = value < smallest[k] ? value : smallest[k];
    }
  };
  if (count <= kFewVertices || &v != &gap.points()) {
    for (Eigen::Index j = 0; j < count; ++j) include(j);
  } else {
    includeLow(gap, smallest, include);
  }
  double lowest = kInfinity;
  for (int k = 0; k <= n; ++k) {
    const double binomial = kBinomial.c[n][k];
    const double quotient =
        (gap.base[k] + smallest[k] - binomial * gap.numerator_error) / (gap.scale[k] + binomial * gap.scale_error);
    lowest = lower(lowest, quotient);
  }
  return lowest * kDown / gap.axis_norm * kDown;
}

Verdict proveFace(const MovingPart& A, const MovingPart& B, double floor, const CertifyOptions& options,
                  Witness& witness, CertifyStats& stats) {
  const FaceGap gap(A, B, witness.axis);
  Verdict verdict;
  if (!gap.valid) return verdict;
  const int n = gap.degree;
  const Eigen::Matrix3Xd& v = gap.points();
  const Eigen::Index count = v.cols();
  double lowest = lowestGap(gap, v);
  if (lowest >= floor) {
    witness.gap = lowest;
    verdict.proved = true;
    return verdict;
  }
  // So far as round in all directions, in which it lies; its own gap is no polynomial, but that of squares is.
  if (gap.hasCylinder()) {
    const CylinderGap proof = proveCylinderGap(gap, floor * (1 + kNormSlack));
    verdict.proved = proof == CylinderGap::kProved;
    verdict.refuted_start = proof == CylinderGap::kRefutedAtStart;
    verdict.refuted_end = proof == CylinderGap::kRefutedAtEnd;
    witness.gap = floor;
    return verdict;
  }

  // Vertex by vertex. The ratio is N/S, so the floor is weighted with |axis|, rounded up.
  const double weighted_floor = floor * gap.axis_norm * (1 + 0x1p-50);  // axis_norm leaves kNormSlack.
  verdict.proved = true;
  lowest = kInfinity;
  for (Eigen::Index j = 0; j < count; ++j) {
    const Eigen::Vector3d y = v.col(j) - gap.tested_centre;
    double numerator[16];
    for (int k = 0; k <= n; ++k)
      numerator[k] = gap.base[k] + (gap.row[0][k] * y[0] + gap.row[1][k] * y[1] + gap.row[2][k] * y[2]);
    verdict.merge(proveRatio(Ratio(numerator, gap.scale, n, gap.numerator_error, gap.scale_error), weighted_floor,
                             options.max_subdivisions, lowest, stats.subdivisions));
    if (!verdict.proved) return verdict;
  }
  witness.gap = std::max(floor, lowest * kDown / gap.axis_norm * kDown);
  return verdict;
}

/// L and s of an edge witness: s <= |a.b turned|, L^2 + s^2 >= |a|^2 |b|^2, both with the roundings on the safe side.
void boundCross(const EdgeGap& gap, Witness& witness) {
  constexpr int n = EdgeGap::kSideDegree;
  double smallest[2] = {kInfinity, kInfinity};  // Of a.b and -a.b.
  for (int k = 0; k <= n; ++k) {
    const double binomial = kBinomial.c[n][k], scale = gap.side_scale[k] + binomial * gap.scale_error;
    for (int side = 0; side < 2; ++side) {
      const double quotient = ((side ? -gap.cosine[k] : gap.cosine[k]) - binomial * gap.cosine_error) / scale;
      smallest[side] = lower(smallest[side], quotient);
    }
  }
  const double s = std::max(smallest[0], smallest[1]) * kDown;
  witness.cosine = gap.valid && s > 0 ? s : 0;
  // |a|^2 |b|^2 of the rounded edge vectors: at most 13 roundings.
  const double square =
      gap.a.squaredNorm() * gap.b.squaredNorm() * (1 + 0x1p-48) - witness.cosine * witness.cosine * (1 - 0x1p-50);
  witness.cross = std::sqrt(std::max(square, 0.0)) * (1 + 0x1p-50) + std::numeric_limits<double>::min();
}

/// L and s of round solids: |n| is taken by its tangent at the middle (Witness), where a.b keeps its sign; else by its
/// largest value. The radii times that are taken off the numerator, with their errors. @returns no less than what the
/// witness takes |n| to be, anywhere.
double takeRadius(EdgeGap& gap, Witness& witness) {
  constexpr int n = EdgeGap::kSideDegree;
  constexpr double kRounded = 0x1p-48;
  const double square = gap.a.squaredNorm() * gap.b.squaredNorm() * (1 + kRounded), length = std::sqrt(square);
  const double sign = gap.cosine[0] < 0 ? -1 : 1;
  bool keeps_sign = true;
  for (int k = 0; k <= n; ++k) keeps_sign &= sign * gap.cosine[k] > kBinomial.c[n][k] * gap.cosine_error;
  const double s = keeps_sign ? std::abs(gap.cosineAt(0.5)) * length : 0;
  witness.cosine = s < length ? s : 0;
  witness.cross = std::sqrt(square - witness.cosine * witness.cosine * (1 - kRounded)) * (1 + kRounded);
  const double both = (witness.cross * witness.cross + witness.cosine * witness.cosine) * (1 + kRounded),
               share = witness.cosine / witness.cross, whole = both / witness.cross;
  double cosine[EdgeGap::kDegree + 1];
  scaled::elevate3<n>(gap.cosine, cosine);
  double longest = 0, largest = 0;
  for (int k = 0; k <= EdgeGap::kDegree; ++k) {
    const double binomial = kBinomial.c[EdgeGap::kDegree][k], taken = whole * gap.scale[k] - share * sign * cosine[k];
    longest = std::max(longest, (taken + binomial * (whole * gap.scale_error + share * gap.cosine_error)) /
                                    (gap.scale[k] - binomial * gap.scale_error));
    largest = std::max(largest, whole * gap.scale[k] / binomial);
    gap.numerator[k] -= gap.radius * taken;
  }
  gap.numerator_error += gap.radius * (1 + kRounded) *
                         (whole * gap.scale_error + 2 * share * gap.cosine_error + 4 * kRounded * largest) +
                         kUnitRoundoff * gap.radius * largest;
  return longest * (1 + kRounded);
}

/// How far vertex j of one of the two lies behind its edge along n (EdgeGap), written with the degree of N, with its
/// error. False: nowhere before it, so that it adds nothing to N that counts.
bool mayLieBefore(const EdgeGap& gap, const SeparatingAxis& axis, int side, Eigen::Index j,
                  double (&behind)[EdgeGap::kDegree + 1], double& error) {
  constexpr int n = EdgeGap::kSideDegree;
  const int from = side == 0 ? axis.a0 : axis.b0, to = side == 0 ? axis.a1 : axis.b1;
  if (j == from || j == to) return false;  // Exactly zero: on the edge's line.
  const Eigen::Matrix3Xd& v = (side == 0 ? gap.A : gap.B)->vertices();
  const Eigen::Vector3d d = v.col(j) - v.col(from), w = (side == 0 ? gap.a : gap.b).cross(d);
  const auto& F = side == 0 ? gap.side_a : gap.side_b;
  error = gap.side_error * d.cwiseAbs().sum() + scaled::kUnderflow;
  double f[n + 1];
  bool stays_behind = true;
  for (int k = 0; k <= n; ++k) {
    f[k] = w[0] * F[0][k] + w[1] * F[1][k] + w[2] * F[2][k];
    stays_behind = stays_behind && f[k] >= error * kBinomial.c[n][k];
  }
  if (!stays_behind) scaled::elevate3<n>(f, behind);
  return !stays_behind;
}

/// The claim itself: n.(y - x) is N plus how far x and y lie behind their edges. Edges need not support n to the last
/// digit: where an edge comes down flat on a face, n turns into the face's normal, and a vertex lies before its edge by
/// rounding.
Verdict proveEdges(const MovingPart& A, const MovingPart& B, double floor, const CertifyOptions& options,
                   Witness& witness, CertifyStats& stats) {
  constexpr int n = EdgeGap::kDegree;
  Verdict verdict;
  EdgeGap gap(A, B, witness.axis);
  if (!gap.valid) return verdict;
  double longest = 0;
  if (gap.radius > 0) longest = takeRadius(gap, witness);
  else boundCross(gap, witness), longest = witness.cross;
  if (!std::isfinite(longest)) return verdict;

  const double weighted_floor = floor * longest * (1 + 0x1p-50);
  double lowest = kInfinity;
  const auto prove = [&](const double* first, const double* second, double error, int depth) {
    double f[n + 1];
    for (int k = 0; k <= n; ++k) f[k] = gap.numerator[k] + first[k] + second[k];
    return proveRatio(Ratio(f, gap.scale, n, gap.numerator_error + error, gap.scale_error), weighted_floor, depth,
                      lowest, stats.subdivisions);
  };
  const auto verticesBehind = [&](int side) {  // A core is its edge alone.
    const geom::Polytope& part = side == 0 ? *gap.A : *gap.B;
    return part.round() ? 0 : part.numVertices();
  };
  // All vertices at once, by the smallest coefficients of those that may lie before their edges.
  double low[2][n + 1] = {}, low_error[2] = {}, behind[n + 1], error = 0;
  for (int side = 0; side < 2; ++side) {
    const Eigen::Index count = verticesBehind(side);
    for (Eigen::Index j = 0; j < count; ++j) {
      if (!mayLieBefore(gap, witness.axis, side, j, behind, error)) continue;
      low_error[side] = std::max(low_error[side], error);
      for (int k = 0; k <= n; ++k) low[side][k] = lower(low[side][k], behind[k]);
    }
  }
  const double errors = low_error[0] + low_error[1];
  verdict.proved = prove(low[0], low[1], errors, 0).proved;
  if (!verdict.proved) {
    // |n| < L at the ends: only what is negative refutes there, and of round solids nothing.
    const auto negative = [&](int k) {
      return gap.radius == 0 && gap.numerator[k] + low[0][k] + low[1][k] + gap.numerator_error + errors < 0;
    };
    verdict.refuted_start = negative(0);
    verdict.refuted_end = negative(n);
    if (verdict.refuted_start || verdict.refuted_end) return verdict;

    // Vertex by vertex: B's with the edge of A, A's with the lowest of B's.
    const double zero[n + 1] = {};
    lowest = kInfinity;
    verdict = prove(zero, zero, 0, options.max_subdivisions);
    for (int side = 1; side >= 0; --side) {
      const Eigen::Index count = verticesBehind(side);
      for (Eigen::Index j = 0; j < count && verdict.proved; ++j)
        if (mayLieBefore(gap, witness.axis, side, j, behind, error))
          verdict.merge(side == 1 ? prove(zero, behind, error, options.max_subdivisions)
                                  : prove(behind, low[1], error + low_error[1], options.max_subdivisions));
    }
    if (!verdict.proved) {  // With this L, which a split may lower.
      verdict.refuted_inside = !verdict.undecided();
      verdict.refuted_start = verdict.refuted_end = false;
      return verdict;
    }
  }
  witness.gap = std::max(floor, lowest * kDown / longest * kDown);
  return verdict;
}

struct Call {
  std::span<const SeparatingAxis> axes;
  double floor;
  const CertifyOptions& options;
  std::vector<Witness>& out;
  size_t first;  // Of this call in `out`.
  CertifyStats& stats;
  int exact_left, intervals_left;
};

bool sameFixedAxis(const SeparatingAxis& a, const SeparatingAxis& b) {
  return a.kind == b.kind && a.kind != AxisKind::kEdges && a.axis == b.axis;
}

void emit(Call& call, Witness witness) {
  if (call.out.size() > call.first) {
    Witness& last = call.out.back();
    if (sameFixedAxis(last.axis, witness.axis)) {  // One claim for both: its proof may bisect.
      last.t1 = witness.t1;
      last.gap = std::min(last.gap, witness.gap);
      return;
    }
  }
  call.out.push_back(witness);
}

enum class Attempt { kProved, kOpen, kHopeless };

/// Tries each axis on the whole interval. kHopeless: each of them fails at the same end.
Attempt tryAxes(const MovingPart& A, const MovingPart& B, std::span<const SeparatingAxis> axes, Call& call) {
  const auto* half_space = std::get_if<geom::HalfSpace>(A.shape);
  bool start_open = false, end_open = false;  // Some axis may hold there.
  for (const SeparatingAxis& axis : axes) {
    if (half_space != nullptr && axis.kind != AxisKind::kFixedInA) continue;
    Witness witness;
    witness.t0 = A.motion->ta;
    witness.t1 = A.motion->tb;
    witness.axis = axis;
    if (half_space != nullptr) witness.axis.axis = half_space->normal;  // The claim wants it bit for bit.
    ++call.stats.axes;
    const Verdict verdict = axis.kind == AxisKind::kEdges
                                ? proveEdges(A, B, call.floor, call.options, witness, call.stats)
                                : proveFace(A, B, call.floor, call.options, witness, call.stats);
    if (verdict.proved) {
      emit(call, witness);
      return Attempt::kProved;
    }
    if (verdict.undecided() && call.exact_left > 0) {
      --call.exact_left;
      ++call.stats.exact;
      witness.gap = call.floor * (1 + kNormSlack);
      if (proveExactly(A, B, witness)) {
        witness.gap = call.floor;
        emit(call, witness);
        return Attempt::kProved;
      }
    }
    start_open = start_open || !verdict.refuted_start;
    end_open = end_open || !verdict.refuted_end;
  }
  return start_open && end_open ? Attempt::kOpen : Attempt::kHopeless;
}

/// Pose of the body frame; the piece gives that of the centre.
geom::Pose poseAt(const MovingPart& part, double t) {
  geom::Pose pose = part.motion->piece->at(t);
  pose.p -= pose.rotation() * part.centre;
  return pose;
}

bool certifyInterval(const MovingPart& A, const MovingPart& B, int splits, Call& call) {
  if (--call.intervals_left < 0) return false;
  const double ta = A.motion->ta, tb = A.motion->tb, middle = ta + 0.5 * (tb - ta);
  const bool half_space = std::holds_alternative<geom::HalfSpace>(*A.shape);
  const bool propose = call.options.propose && !half_space && A.motion->valid && B.motion->valid;
  const Attempt attempt = tryAxes(A, B, call.axes, call);
  if (attempt == Attempt::kProved) return true;
  if (!propose && attempt == Attempt::kHopeless) return false;
  if (propose) {
    const bool whole = splits == call.options.max_splits;
    for (const double t : {middle, ta, tb}) {
      if (t != middle && !whole) break;  // The ends of parts were looked at before.
      ++call.stats.proposals;
      const geom::Pose X_WA = poseAt(A, t), X_WB = poseAt(B, t);
      geom::SeparationCache cache;
      const geom::Separation s =
          geom::separation(std::get<geom::Polytope>(*A.shape), X_WA, std::get<geom::Polytope>(*B.shape), X_WB, cache);
      if (!(s.distance >= call.floor)) return false;
      if (t != middle) continue;
      if (tryAxes(A, B, candidateAxes(*A.shape, X_WA, *B.shape, X_WB, s).span(), call) == Attempt::kProved) return true;
    }
  }
  if (half_space) return false;  // One axis: its polynomials were subdivided already.
  if (splits == 0 || !(ta < middle && middle < tb)) return false;
  ++call.stats.splits;
  for (int half = 0; half < 2; ++half) {
    const double t0 = half == 0 ? ta : middle, t1 = half == 0 ? middle : tb;
    const PiecePolynomials motion_a(*A.motion->piece, t0, t1), motion_b(*B.motion->piece, t0, t1);
    if (!certifyInterval({A.shape, A.centre, &motion_a}, {B.shape, B.centre, &motion_b}, splits - 1, call))
      return false;
  }
  return true;
}

}  // namespace

double provedGap(const FaceGap& gap) { return gap.valid ? lowestGap(gap, gap.points()) : -kInfinity; }
double provedGap(const FaceGap& gap, const Eigen::Matrix3Xd& points) {
  return gap.valid ? lowestGap(gap, points) : -kInfinity;
}

CertifyStatus certify(const MovingPart& A, const MovingPart& B, std::span<const SeparatingAxis> axes, double floor,
                      std::vector<Witness>& out, const CertifyOptions& options, CertifyStats* stats) {
  CertifyStats unused;
  CertifyStats& counters = stats != nullptr ? *stats : unused;
  ++counters.calls;
  Call call{axes, floor, options, out, out.size(), counters, options.max_exact, options.max_intervals};
  if (floor > 0 && A.motion->ta == B.motion->ta && A.motion->tb == B.motion->tb &&
      certifyInterval(A, B, options.max_splits, call))
    return CertifyStatus::kCertified;
  out.resize(call.first);
  ++counters.failed;
  return CertifyStatus::kNotCertified;
}

}  // namespace rigor::advance
