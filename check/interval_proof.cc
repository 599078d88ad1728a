// SPDX-License-Identifier: MIT
#include "check/interval_proof.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "advance/bernstein.h"
#include "advance/candidate_axes.h"
#include "advance/certificate.h"
#include "advance/gap_polynomial.h"
#include "advance/heights.h"
#include "advance/scaled_bernstein.h"

namespace rigor::check {
namespace {

using advance::AxisKind;
using advance::BernsteinPolynomial;
using advance::FaceGap;
using advance::MovingPart;
using advance::PiecePolynomials;
using advance::SeparatingAxis;
using advance::scaled::kBinomial;
using advance::scaled::kUnitRoundoff;

constexpr int kMaxSplits = 40;        ///< Halvings of an interval in time,
constexpr int kMaxIntervals = 400;    ///< and sub-intervals looked at: the work that one call may take.
constexpr int kMaxSubdivisions = 10;  ///< Halvings of a polynomial with one axis.
constexpr int kMaxExact = 4;          ///< Exact proofs a call, some 0.1 ms each.
/// Of |axis| rounded up, and of the products that weight a level with it, rounded down.
constexpr double kDown = 1 - 0x1p-47;
/// Relative error of a distance, of the sizes and the distance of the origins (geom/separation.h says 1e-14; poses are
/// evaluated first).
constexpr double kDistanceEpsilon = 4e-14;
/// Smallest gap that a moving edge pair is asked to prove, relative to the sizes.
constexpr double kEdgeFloor = 1e-14;

const geom::HalfSpace* halfSpace(const MovingPart& part) { return std::get_if<geom::HalfSpace>(part.shape); }

geom::Pose originPose(const MovingPart& part, double t) {
  geom::Pose pose = part.motion->piece->at(t);
  if (!part.centre.isZero(0)) pose.p -= pose.rotation() * part.centre;
  return pose;
}

/// f >= 0 on [0, 1] for every polynomial within `error` of f's coefficients.
bool staysPositive(const BernsteinPolynomial& f, double error, int depth) {
  bool positive = true;
  for (int k = 0; k <= f.degree; ++k) positive = positive && f.c[k] >= error;  // NaN: false.
  if (positive) return true;
  if (depth == 0 || !(f.c[0] >= error) || !(f.c[f.degree] >= error)) return false;
  BernsteinPolynomial left = f, right = f;
  f.halves(left, right);
  const double rounded = error + (f.degree + 1) * kUnitRoundoff * f.maxAbsCoefficient();
  return staysPositive(left, rounded, depth - 1) && staysPositive(right, rounded, depth - 1);
}

/// Proves n.(y - x) >= -allow |n| along a fixed axis: N_y + allow |axis| S >= 0 for every tested vertex y.
bool proveFace(const MovingPart& A, const MovingPart& B, const SeparatingAxis& axis, double allow) {
  const FaceGap gap(A, B, axis);
  if (!gap.valid || !(gap.axis_norm > 0)) return false;
  const int n = gap.degree;
  const double weight = allow * gap.axis_norm * kDown;
  double common[16];  // base + allow |axis| S, rounded down but for what `error` covers.
  double error = gap.numerator_error, largest = 0;
  for (int k = 0; k <= n; ++k) {
    const double scale = std::max(0.0, gap.scale[k] / kBinomial.c[n][k] * kDown - gap.scale_error);
    common[k] = gap.base[k] / kBinomial.c[n][k] + weight * scale;
    largest = std::max({largest, std::abs(gap.base[k] / kBinomial.c[n][k]), weight * scale});
  }
  const Eigen::Matrix3Xd& vertices = gap.points();
  for (Eigen::Index j = 0; j < vertices.cols(); ++j) {
    const Eigen::Vector3d y = vertices.col(j) - gap.tested_centre;
    BernsteinPolynomial f;
    f.degree = n;
    double magnitude = largest;
    for (int k = 0; k <= n; ++k) {
      const double turned = (gap.row[0][k] * y[0] + gap.row[1][k] * y[1] + gap.row[2][k] * y[2]) / kBinomial.c[n][k];
      f.c[k] = common[k] + turned;
      magnitude = std::max(magnitude, std::abs(turned));
    }
    // Quotients, weights and the sums above: at most 8 roundings of the largest term.
    if (!staysPositive(f, error + 8 * kUnitRoundoff * magnitude, kMaxSubdivisions)) return false;
  }
  return true;
}

/// The edge pair's own normal needs a positive gap: advance::certify() proves it.
bool proveEdges(const MovingPart& A, const MovingPart& B, const SeparatingAxis& axis,
                std::vector<advance::Witness>& scratch) {
  const double size = std::get<geom::Polytope>(*A.shape).vertices().cwiseAbs().maxCoeff() +
                      std::get<geom::Polytope>(*B.shape).vertices().cwiseAbs().maxCoeff();
  advance::CertifyOptions options;
  options.max_splits = 0, options.propose = false, options.max_exact = 0;
  scratch.clear();
  return advance::certify(A, B, {&axis, 1}, kEdgeFloor * size, scratch, options) == advance::CertifyStatus::kCertified;
}

bool proveExact(const MovingPart& A, const MovingPart& B, const SeparatingAxis& axis, double allow) {
  if (axis.kind == AxisKind::kEdges) return false;
  advance::Witness witness;
  witness.t0 = A.motion->ta, witness.t1 = A.motion->tb;
  witness.axis = axis;
  if (const auto* plane = halfSpace(A)) witness.axis.axis = plane->normal;
  witness.gap = -allow * kDown;  // proveExactly() rounds |axis| up, which would ask for too little of a negative gap.
  return advance::proveExactly(A, B, witness);
}

/// Axes that may separate around time t, and the distance there.
void proposeAxes(const MovingPart& A, const MovingPart& B, double t, PairMemory& memory, double& distance,
                 advance::CandidateAxes& axes) {
  geom::Separation found{};
  distance = distanceAt(A, B, t, memory, &found);
  axes.count = 0;
  if (halfSpace(A)) {
    axes.axis[axes.count++] = {AxisKind::kFixedInA, halfSpace(A)->normal};
    return;
  }
  const geom::Pose a = originPose(A, t), b = originPose(B, t);
  if (distance > 0) axes = advance::candidateAxes(*A.shape, a, *B.shape, b, found);
  // Touching or overlapping: the direction of the shortest translation, frozen in either body. `normal` points from B
  // to A.
  if (found.normal.allFinite() && axes.count + 2 <= advance::CandidateAxes::kCapacity) {
    axes.axis[axes.count++] = {AxisKind::kFixedInA, -(a.rotation().transpose() * found.normal)};
    axes.axis[axes.count++] = {AxisKind::kFixedInB, -(b.rotation().transpose() * found.normal)};
  }
}

/// One call: sub-intervals of the pair's interval, in order of time.
class Decision {
 public:
  Decision(const MovingPart& A, const MovingPart& B, double allow, PairMemory& memory)
      : A_(A), B_(B), allow_(allow), beyond_(allow + distanceError(A, B)), memory_(memory) {}

  IntervalResult run() {
    if (decide(A_, B_, kMaxSplits)) result_.verdict = IntervalVerdict::kApart;
    return result_;
  }

 private:
  /// Proved apart over the interval of the motions of a and b. False: result_ says what is known.
  bool decide(const MovingPart& a, const MovingPart& b, int splits) {
    if (--intervals_ < 0) return false;
    if (memory_.has_axis && prove(a, b, memory_.axis)) return true;
    const double ta = a.motion->ta, tb = a.motion->tb, middle = ta + 0.5 * (tb - ta);
    const double first = distanceAt(A_, B_, ta, memory_), last = distanceAt(A_, B_, tb, memory_);
    if (noteOverlap(ta, first) || noteOverlap(tb, last)) return false;
    double distance;
    advance::CandidateAxes axes;
    proposeAxes(a, b, middle, memory_, distance, axes);
    if (noteOverlap(middle, distance)) return false;
    for (const SeparatingAxis& axis : axes.span())
      if (prove(a, b, axis)) return remember(axis);
    // Where they touch as deep as is allowed, to the last digit, only exact arithmetic can tell.
    const bool close = std::min({first, last, distance}) + allow_ <= beyond_ - allow_;
    for (const SeparatingAxis& axis : axes.span()) {
      if (!close || axis.kind == AxisKind::kEdges || exact_ <= 0) continue;
      --exact_;
      if (proveExact(a, b, axis, allow_)) return remember(axis);
    }
    if (splits == 0 || !(ta < middle && middle < tb)) return false;
    return half(a, b, ta, middle, splits - 1) && half(a, b, middle, tb, splits - 1);
  }

  bool half(const MovingPart& a, const MovingPart& b, double from, double to, int splits) {
    const PiecePolynomials motion_a(*a.motion->piece, from, to), motion_b(*b.motion->piece, from, to);
    return decide({a.shape, a.centre, &motion_a}, {b.shape, b.centre, &motion_b}, splits);
  }

  bool prove(const MovingPart& a, const MovingPart& b, const SeparatingAxis& axis) {
    return axis.kind == AxisKind::kEdges ? proveEdges(a, b, axis, scratch_) : proveFace(a, b, axis, allow_);
  }
  bool remember(const SeparatingAxis& axis) {
    memory_.axis = axis;
    return memory_.has_axis = true;
  }
  bool noteOverlap(double t, double distance) {
    if (!(distance < -beyond_)) return false;
    result_ = {IntervalVerdict::kOverlaps, t, -distance};
    return true;
  }

  const MovingPart &A_, &B_;
  const double allow_, beyond_;
  PairMemory& memory_;
  int intervals_ = kMaxIntervals, exact_ = kMaxExact;
  IntervalResult result_;
  std::vector<advance::Witness> scratch_;
};

}  // namespace

double distanceAt(const MovingPart& A, const MovingPart& B, double t, PairMemory& memory, geom::Separation* found) {
  const geom::Pose a = originPose(A, t), b = originPose(B, t);
  const auto& polytope = std::get<geom::Polytope>(*B.shape);
  if (const auto* plane = halfSpace(A)) {
    const Eigen::Vector3d n = a.rotation() * plane->normal;
    const Eigen::Vector3d local = b.rotation().transpose() * n;
    const double length = plane->normal.norm(), lowest = length * advance::lowestOf(polytope, local / length);
    return (lowest + n.dot(b.p - a.p) - plane->offset) / length;
  }
  const geom::Separation separation =
      geom::separation(std::get<geom::Polytope>(*A.shape), a, polytope, b, memory.cache);
  if (found) *found = separation;
  return separation.distance;
}

double distanceError(const MovingPart& A, const MovingPart& B) {
  double size = 0;
  for (const MovingPart* part : {&A, &B}) {
    const advance::MotionPiece& piece = *part->motion->piece;
    for (int i = 0; i <= piece.p_degree; ++i) size = std::max(size, piece.p[i].cwiseAbs().maxCoeff());
    if (const auto* plane = halfSpace(*part)) size = std::max(size, std::abs(plane->offset) / plane->normal.norm());
    else size = std::max(size, std::get<geom::Polytope>(*part->shape).vertices().cwiseAbs().maxCoeff());
  }
  return kDistanceEpsilon * 4 * size;
}

IntervalResult decideInterval(const MovingPart& A, const MovingPart& B, double allow, PairMemory& memory) {
  return Decision(A, B, allow, memory).run();
}

}  // namespace rigor::check
