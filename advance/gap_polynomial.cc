// SPDX-License-Identifier: MIT
#include "advance/gap_polynomial.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "advance/scaled_bernstein.h"
#include "elementary/require.h"

// Error bounds. u = 2^-53; every bound is for the unscaled coefficients, first order, times kBoundInflation. R_X bounds
// |M|, |Q| of body X, K = kA + kB the sum of their relative errors (PiecePolynomials::q_error), a1 = |axis|_1, y1 = |y
// - c|_1, D1 = sum of the bounds of |p_t - p_o|, E1 = sum of its errors. A sum of T products: T u; each step is named
// in line.

namespace rigor::advance {
namespace {

using scaled::kBinomial;
using scaled::kBinomials;
using scaled::kUnitRoundoff;

constexpr double kSmallestNorm = 1e-100;  // Below, squares of components may underflow.
constexpr double kSmallestSine = 1e-8;    // Below, the sine of an angle with a known cosine has no digit.

struct Difference {
  double d[3][4];
  double size = 0, error = 0;  // D1, E1
};

Difference difference(const PiecePolynomials& to, const PiecePolynomials& from) {
  Difference r;
  for (int k = 0; k < 3; ++k) {
    double largest = 0;
    for (int i = 0; i < 4; ++i) {
      r.d[k][i] = to.p[k][i] - from.p[k][i];
      largest = std::max(largest, std::abs(r.d[k][i]) / kBinomial.c[3][i]);
    }
    // The subtraction rounds relative to its result.
    const double error = to.p_error[k] + from.p_error[k] + kUnitRoundoff * largest;
    r.error += error;
    r.size += largest + error;
  }
  r.error *= scaled::kBoundInflation;
  r.size *= scaled::kBoundInflation;
  return r;
}

template <int O, int T>
void facePolynomials(const PiecePolynomials& owner, const PiecePolynomials& tested, const Difference& d,
                     const Eigen::Vector3d& axis, double support, FaceGap& gap) {
  constexpr int kSide = O + T;
  double m[3][O + 1];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k <= O; ++k)
      m[i][k] = owner.M[i][0][k] * axis[0] + owner.M[i][1][k] * axis[1] + owner.M[i][2][k] * axis[2];
  double md[O + 4] = {};
  for (int i = 0; i < 3; ++i) scaled::multiplyAdd<O, 3>(m[i], d.d[i], md);
  scaled::multiply<O + 3, T>(md, tested.Q, gap.base);
  double S[kSide + 1];
  scaled::multiply<O, T>(owner.Q, tested.Q, S);
  scaled::elevate3<kSide>(S, gap.scale);
  for (int j = 0; j < 3; ++j) {
    double r[kSide + 1] = {};
    for (int i = 0; i < 3; ++i) scaled::multiplyAdd<O, T>(m[i], tested.M[i][j], r);
    scaled::elevate3<kSide>(r, gap.row[j]);
    if (gap.cylinder_radius > 0)
      for (int k = 0; k <= kSide; ++k) gap.along.c[k] += gap.tested->round()->axis[j] * r[k] / kBinomials<kSide>.c[k];
  }
  if (gap.cylinder_radius > 0) {
    gap.norms.degree = gap.along.degree = kSide;
    for (int k = 0; k <= kSide; ++k) gap.norms.c[k] = S[k] / kBinomials<kSide>.c[k];
    gap.turning_cylinder = O == 0 && T > 0;
  }
  for (int k = 0; k <= kSide + 3; ++k) gap.base[k] -= support * gap.scale[k];
  gap.degree = kSide + 3;
}

double normAbove(const Eigen::Vector3d& v) { return v.norm() * (1 + 0x1p-49); }

/// From above, how far a cylinder reaches from its core along an axis, where neither turns.
double cylinderExtent(const PiecePolynomials& owner, const PiecePolynomials& tested, const Eigen::Vector3d& axis,
                      const geom::Round& round) {
  constexpr double kRounding = 0x1p-46;  // Relative to |axis|, of three products each.
  Eigen::Vector3d n, a;
  for (int i = 0; i < 3; ++i) {
    n[i] = owner.M[i][0][0] * axis[0] + owner.M[i][1][0] * axis[1] + owner.M[i][2][0] * axis[2];
    a[i] = tested.M[i][0][0] * round.axis[0] + tested.M[i][1][0] * round.axis[1] + tested.M[i][2][0] * round.axis[2];
  }
  return round.radius * (n.cross(a).norm() / (owner.Q[0] * tested.Q[0]) + kRounding * normAbove(axis));
}

double evaluateScaled(const double* a, int n, double s) {
  // Horner in the smaller of s/(1-s) and (1-s)/s.
  const bool left = s <= 0.5;
  const double y = left ? 1 - s : s, ratio = (left ? s : 1 - s) / y;
  double sum = 0, power = 1;
  for (int k = n; k >= 0; --k) {
    sum = sum * ratio + a[left ? k : n - k];
    if (k < n) power *= y;
  }
  return sum * power;
}

}  // namespace

FaceGap::FaceGap(const MovingPart& A, const MovingPart& B, const SeparatingAxis& separating) {
  RIGOR_REQUIRE(separating.kind != AxisKind::kEdges);
  const bool reversed = separating.kind == AxisKind::kFixedInB;
  const MovingPart& owner = reversed ? B : A;
  const MovingPart& other = reversed ? A : B;
  tested = std::get_if<geom::Polytope>(other.shape);
  tested_centre = other.centre;
  const PiecePolynomials &o = *owner.motion, &t = *other.motion;
  ta = o.ta;
  tb = o.tb;

  Eigen::Vector3d axis = separating.axis;
  double support, support_error, support_size;
  if (const geom::Round* round = tested->round(); round && round->isCylinder()) cylinder_radius = round->radius;
  if (const auto* half_space = std::get_if<geom::HalfSpace>(owner.shape)) {
    axis = half_space->normal;
    support = half_space->offset - axis.dot(owner.centre);
    support_size = std::abs(half_space->offset) + axis.cwiseAbs().dot(owner.centre.cwiseAbs());
  } else {
    if (reversed) axis = -axis;
    const auto& part = std::get<geom::Polytope>(*owner.shape);
    double x_size = 0;
    support = -std::numeric_limits<double>::infinity();
    for (int i = part.round() ? part.numVertices() : 0; i < part.numCorners(); ++i) {
      const Eigen::Vector3d x = part.corner(i) - owner.centre;
      const double h = axis.dot(x);
      support = std::max(support, h);
      x_size = std::max(x_size, x.cwiseAbs().maxCoeff());
    }
    support_size = axis.cwiseAbs().sum() * x_size;
  }
  axis_norm = normAbove(axis);
  const auto radiusAlong = [&](const geom::Shape* shape, const geom::Round& round) {
    return shape == other.shape && cylinder_radius > 0 && !o.turns && !t.turns ? cylinderExtent(o, t, axis, round)
                                                                               : axis_norm * round.radius;
  };
  for (const geom::Shape* shape : {owner.shape, other.shape})
    if (const auto* part = std::get_if<geom::Polytope>(shape); part && part->round()) {
      support += radiusAlong(shape, *part->round());
      support_size += axis_norm * part->round()->radius;
    }
  // Products 1, the sum of at most 6 terms 4, x rounded 1.
  support_error = 6 * kUnitRoundoff * support_size;

  const Difference d = difference(t, o);
  if (o.turns)
    t.turns ? facePolynomials<6, 6>(o, t, d, axis, support, *this)
            : facePolynomials<6, 0>(o, t, d, axis, support, *this);
  else
    t.turns ? facePolynomials<0, 6>(o, t, d, axis, support, *this)
            : facePolynomials<0, 0>(o, t, d, axis, support, *this);

  const double RR = o.q_magnitude * t.q_magnitude, K = o.q_error + t.q_error;
  const double a1 = axis.cwiseAbs().sum();
  const double y1 = 1.75 * tested->radius() + tested_centre.cwiseAbs().sum();  // 1.75 > sqrt(3)
  // m: K + 3 (3 products and their sum); m.d: + 6 (4 terms a convolution, 3 of them); times Q: + 8 (7 terms): K + 17.
  // M^T m: + 10 (7 terms, 3 of them); elevated + 4; times y - c: + 5: K + 22, with magnitude 3 a1 y1.
  // S: K + 7, elevated + 4; times h + 1: K + 12. The sums of the three: 4 of each, without elevation of the first.
  numerator_error = scaled::kBoundInflation * RR *
                        (a1 * d.error + support_error +
                         kUnitRoundoff * ((K + 21) * a1 * d.size + (K + 16) * support_size + 3 * (K + 26) * a1 * y1)) +
                    scaled::kUnderflow;
  scale_error = scaled::kBoundInflation * RR * (K + 11) * kUnitRoundoff + scaled::kUnderflow;
  row_error = 3 * scaled::kBoundInflation * RR * (K + 17) * kUnitRoundoff * a1 + scaled::kUnderflow;
  valid = o.valid && t.valid && a1 + y1 + support_size + d.size + owner.centre.cwiseAbs().sum() < scaled::kHuge &&
          axis_norm > kSmallestNorm;
}

BernsteinPolynomial FaceGap::condition(int vertex, double level) const {
  BernsteinPolynomial f;
  f.degree = degree;
  const Eigen::Vector3d y = tested->corner(vertex) - tested_centre;
  const double weight = level * axis_norm;
  for (int k = 0; k <= degree; ++k)
    f.c[k] =
        (base[k] + row[0][k] * y[0] + row[1][k] * y[1] + row[2][k] * y[2] - weight * scale[k]) / kBinomial.c[degree][k];
  return f;
}

bool FaceGap::staysAbove(const Eigen::Vector3d& point, double level) const {
  const Eigen::Vector3d y = point - tested_centre;
  const double weight = level * axis_norm;
  double f[16];  // Above `degree` nobody reads it; a fixed length vectorises.
  for (int k = 0; k < 16; ++k)
    f[k] = base[k] + row[0][k] * y[0] + row[1][k] * y[1] + row[2][k] * y[2] - weight * scale[k];
  bool above = true;
  for (int k = 0; k <= degree; ++k) above &= f[k] >= 0;  // NaN: false.
  return above;
}

FaceGap::Bound FaceGap::bound() const {
  Bound bound;
  const auto range = [&](const double* coefficients, double& low, double& high) {
    low = high = coefficients[0];  // kBinomial.c[degree][0] is 1.
    for (int k = 1; k <= degree; ++k) {
      const double value = coefficients[k] / kBinomial.c[degree][k];
      low = std::min(low, value);
      high = std::max(high, value);
    }
  };
  double spread = 0, size = 0, low, high;
  for (int i = 0; i < 3; ++i) {
    range(row[i], low, high);
    bound.direction[i] = 0.5 * (low + high);
    spread += 0.5 * (high - low);
    size += std::abs(low) + std::abs(high);
  }
  range(scale, low, bound.largest_scale);
  range(base, bound.least_base, high);
  // The last terms: roundings of the coefficients, of the heights and of their sums.
  bound.spread = (spread + 64 * kUnitRoundoff * size) * (tested->radius() + tested_centre.norm()) +
                 64 * kUnitRoundoff * (std::abs(bound.least_base) + std::abs(high));
  return bound;
}

double FaceGap::sineAt(double s) const {
  const double cosine = along(s) / (norms(s) * axis_norm);
  return std::sqrt(std::max(0.0, (1 - cosine) * (1 + cosine)));
}

double FaceGap::startGap(const Eigen::Vector3d& point) const {
  const Eigen::Vector3d y = point - tested_centre;
  const double gap = (base[0] + row[0][0] * y[0] + row[1][0] * y[1] + row[2][0] * y[2]) / (scale[0] * axis_norm);
  return turning_cylinder ? gap + cylinder_radius * (1 - sineAt(0)) : gap;
}

BernsteinPolynomial FaceGap::cylinderCondition(int vertex, double level, double at) const {
  constexpr double kLeastSine = 1e-7;  // Below, the sine is known to no digit.
  const double S = std::max(sineAt(at), kLeastSine);
  return condition(vertex, level) * norms + (cylinder_radius * axis_norm * (1 - 0.5 * (S + 1 / S))) * (norms * norms) +
         (0.5 * cylinder_radius / (S * axis_norm)) * (along * along);
}

double FaceGap::gapAt(int vertex, double s) const {
  const Eigen::Vector3d y = tested->corner(vertex) - tested_centre;
  double n[16];
  for (int k = 0; k <= degree; ++k) n[k] = base[k] + row[0][k] * y[0] + row[1][k] * y[1] + row[2][k] * y[2];
  const double gap = evaluateScaled(n, degree, s) / (evaluateScaled(scale, degree, s) * axis_norm);
  return turning_cylinder ? gap + cylinder_radius * (1 - sineAt(s)) : gap;
}

namespace {

template <int N, int M>
void crossProducts(const double (&x)[3][7], const double (&y)[3][7], double (&c)[3][13]) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    double p[N + M + 1], q[N + M + 1];
    scaled::multiply<N, M>(x[j], y[k], p);
    scaled::multiply<N, M>(x[k], y[j], q);
    for (int l = 0; l <= N + M; ++l) c[i][l] = p[l] - q[l];
  }
}

void elevateTo(const double* from, int n, double* to, int target) {
  double t[16] = {};
  std::copy_n(from, n + 1, t);
  for (; n < target; ++n)
    for (int k = n + 1; k >= 1; --k) t[k] += t[k - 1];
  std::copy_n(t, target + 1, to);
}

template <int DA, int DB>
void edgePolynomials(const PiecePolynomials& A, const PiecePolynomials& B, const Difference& d,
                     const Eigen::Vector3d& x, const Eigen::Vector3d& y, EdgeGap& gap) {
  constexpr int kSide = DA + DB;
  const Eigen::Vector3d &a = gap.a, &b = gap.b;
  double alpha[3][7], beta[3][7];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k <= DA; ++k) alpha[i][k] = A.M[i][0][k] * a[0] + A.M[i][1][k] * a[1] + A.M[i][2][k] * a[2];
    for (int k = 0; k <= DB; ++k) beta[i][k] = B.M[i][0][k] * b[0] + B.M[i][1][k] * b[1] + B.M[i][2][k] * b[2];
  }
  double c[3][13], n[kSide + 4] = {}, S[kSide + 1];
  crossProducts<DA, DB>(alpha, beta, c);
  for (int i = 0; i < 3; ++i) scaled::multiplyAdd<kSide, 3>(c[i], d.d[i], n);
  scaled::multiply<DA, DB>(A.Q, B.Q, S);
  double fa[3][kSide + 1] = {}, fb[3][kSide + 1] = {};
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      scaled::multiplyAdd<DA, DB>(A.M[i][j], beta[i], fa[j]);
      scaled::multiplyAdd<DA, DB>(alpha[i], B.M[i][j], fb[j]);
    }
  const Eigen::Vector3d wa = x.cross(a), wb = b.cross(y);
  double turned[kSide + 1], sum[kSide + 1], elevated[kSide + 4];
  for (int k = 0; k <= kSide; ++k) {
    turned[k] = a[0] * fa[0][k] + a[1] * fa[1][k] + a[2] * fa[2][k];
    sum[k] = (wb[0] * fb[0][k] + wb[1] * fb[1][k] + wb[2] * fb[2][k]) -
             (wa[0] * fa[0][k] + wa[1] * fa[1][k] + wa[2] * fa[2][k]);
  }
  scaled::elevate3<kSide>(sum, elevated);
  for (int k = 0; k <= kSide + 3; ++k) n[k] += elevated[k];
  // Everything at the full degree, so that its users have one case.
  elevateTo(n, kSide + 3, gap.numerator, EdgeGap::kDegree);
  elevateTo(S, kSide, gap.side_scale, EdgeGap::kSideDegree);
  elevateTo(S, kSide, gap.scale, EdgeGap::kDegree);
  elevateTo(turned, kSide, gap.cosine, EdgeGap::kSideDegree);
  for (int j = 0; j < 3; ++j) {
    elevateTo(fa[j], kSide, gap.side_a[j], EdgeGap::kSideDegree);
    elevateTo(fb[j], kSide, gap.side_b[j], EdgeGap::kSideDegree);
  }
}

}  // namespace

EdgeGap::EdgeGap(const MovingPart& part_a, const MovingPart& part_b, const SeparatingAxis& axis)
    : A(std::get_if<geom::Polytope>(part_a.shape)), B(std::get_if<geom::Polytope>(part_b.shape)) {
  const PiecePolynomials &pa = *part_a.motion, &pb = *part_b.motion;
  ta = pa.ta;
  tb = pa.tb;
  a = A->corner(axis.a1) - A->corner(axis.a0);
  b = B->corner(axis.b1) - B->corner(axis.b0);
  for (const geom::Polytope* part : {A, B})
    if (part->round()) radius += part->round()->radius;
  const Eigen::Vector3d x = A->corner(axis.a0) - part_a.centre, y = B->corner(axis.b0) - part_b.centre;
  const Difference d = difference(pb, pa);
  if (pa.turns)
    pb.turns ? edgePolynomials<6, 6>(pa, pb, d, x, y, *this) : edgePolynomials<6, 0>(pa, pb, d, x, y, *this);
  else
    pb.turns ? edgePolynomials<0, 6>(pa, pb, d, x, y, *this) : edgePolynomials<0, 0>(pa, pb, d, x, y, *this);

  const double RR = pa.q_magnitude * pb.q_magnitude, K = pa.q_error + pb.q_error;
  const double a1 = a.cwiseAbs().sum(), b1 = b.cwiseAbs().sum(), xy1 = x.cwiseAbs().sum() + y.cwiseAbs().sum();
  // Run-time elevation adds at most 1 a degree: 12 + 3.
  constexpr double kElevation = 15;
  // alpha, beta: K + 4 each (edge rounded 1, products and sum 3). alpha x beta: K + 16, magnitude 2 a1 b1. Its product
  // with d:
  // + 6. F: K + 4 + 10, magnitude 3 a1 (3 b1). b x y: 2 b1 |y|_1, relative 4; F.(b x y): + 4; both together + 6 for the
  // sums. A sum of N and two sides: + 2.
  const double E = kElevation;
  numerator_error = scaled::kBoundInflation * RR * a1 * b1 *
                        (2 * d.error + kUnitRoundoff * (2 * (K + 30 + E) * d.size + 6 * (K + 34 + E) * xy1)) +
                    scaled::kUnderflow;
  scale_error = scaled::kBoundInflation * RR * (K + 7 + E) * kUnitRoundoff + scaled::kUnderflow;
  cosine_error = scaled::kBoundInflation * 3 * RR * a1 * b1 * (K + 20 + E) * kUnitRoundoff + scaled::kUnderflow;
  // d x a: 2 |d|_1 a1, relative 4; its product with F: + 4; elevated to N's degree: + 1 beyond kElevation; the sum:
  // + 2.
  side_error = scaled::kBoundInflation * 6 * RR * a1 * b1 * (K + 27 + E) * kUnitRoundoff;
  valid = pa.valid && pb.valid && a1 + b1 + xy1 + d.size < scaled::kHuge && a1 * b1 > kSmallestNorm;
}

double EdgeGap::cosineAt(double s) const {
  const double ab = std::sqrt(a.squaredNorm() * b.squaredNorm());
  return evaluateScaled(cosine, kSideDegree, s) / (evaluateScaled(side_scale, kSideDegree, s) * ab);
}

double EdgeGap::sinusAt(double s) const {
  const double cos = cosineAt(s);
  return std::sqrt(std::max(0.0, (1 - cos) * (1 + cos)));
}

double EdgeGap::gapAt(double s) const {
  const double ab = std::sqrt(a.squaredNorm() * b.squaredNorm()), sinus = sinusAt(s);
  if (!(sinus > 0)) return std::numeric_limits<double>::quiet_NaN();
  return evaluateScaled(numerator, kDegree, s) / (evaluateScaled(scale, kDegree, s) * ab * sinus) - radius;
}

BernsteinPolynomial EdgeGap::condition(double level, double at) const {
  const double ab = std::sqrt(a.squaredNorm() * b.squaredNorm());
  if (radius > 0) {
    const double cos = cosineAt(at), sinus = std::max(sinusAt(at), kSmallestSine), beyond = (level + radius) / sinus;
    double turned[16];
    elevateTo(cosine, kSideDegree, turned, kDegree);
    BernsteinPolynomial f;
    f.degree = kDegree;
    for (int k = 0; k <= kDegree; ++k)
      f.c[k] = (numerator[k] - beyond * (ab * scale[k] - cos * turned[k])) / kBinomial.c[kDegree][k];
    return f;
  }
  const double n0 = ab * sinusAt(0), n1 = ab * sinusAt(0.5), n2 = ab * sinusAt(1);
  // Scaled Bernstein form of the parabola through (0, n0), (1/2, n1), (1, n2).
  const double norm[3] = {n0, 4 * n1 - n0 - n2, n2};
  double product[15], weighted[16];
  scaled::multiply<12, 2>(side_scale, norm, product);
  elevateTo(product, 14, weighted, 15);
  BernsteinPolynomial f;
  f.degree = kDegree;
  for (int k = 0; k <= kDegree; ++k) f.c[k] = (numerator[k] - level * weighted[k]) / kBinomial.c[kDegree][k];
  return f;
}

}  // namespace rigor::advance
