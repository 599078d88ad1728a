// SPDX-License-Identifier: MIT
// Proved here: the coefficients of FaceGap and EdgeGap lie within their stated error bounds of those of the exact
// motion, for all combinations of turning and resting bodies, whole and cut pieces, near and far, small and large; and
// the gap they give is the gap of the evaluated motion.
// Oracle: exact rational polynomials in the power basis (exact_motion.h).
#include "advance/gap_polynomial.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "advance/certificate.h"
#include "exact_motion.h"

namespace rigor::advance {
namespace {

using geom::HalfSpace;
using geom::Polytope;
using geom::Shape;
using namespace oracle;  // For its operators: its types are standard ones.

double distance(const std::vector<Q>& exact, const double* scaled_coefficients, int n) {
  Q worst = 0;
  for (int k = 0; k <= n; ++k) {
    const Q error = abs(exact[k] - Q(scaled_coefficients[k]) / oracle::choose(n, k));
    if (error > worst) worst = error;
  }
  return worst.get_d();
}

struct MotionPair {
  MotionPiece a, b;
  double ta, tb;
};

MotionPair randomSetup(std::mt19937& rng, double size, double far) {
  std::uniform_real_distribution<double> uniform;
  const int q_degrees[] = {0, 1, 2, 3, 3, 3};
  const auto degree = [&] { return q_degrees[rng() % 6]; };
  const Eigen::Vector3d origin = far * Eigen::Vector3d(uniform(rng), uniform(rng), uniform(rng));
  MotionPair s;
  s.a = oracle::randomPiece(rng, origin, 0.3 * size, 0.4, 0.125, 0.7, degree(), degree());
  s.b = oracle::randomPiece(rng, origin + size * Eigen::Vector3d(0.2, -0.1, 1.7), 0.3 * size, 0.4, 0.1, 0.7, degree(),
                            degree());
  s.ta = rng() % 2 ? 0.125 : 0.125 + 0.1 * uniform(rng);
  s.tb = rng() % 2 ? 0.7 : 0.7 - 0.3 * uniform(rng);
  return s;
}

TEST(GapPolynomial, FaceCoefficientsAreWithinTheirBounds) {
  std::mt19937 rng(7);
  double tightest = 1;
  for (int trial = 0; trial < 48; ++trial) {
    const double size = std::pow(10.0, int(rng() % 7) - 3), far = trial % 3 ? 0 : 1e3;
    const MotionPair s = randomSetup(rng, size, far);
    const Shape box = Polytope::box(size * Eigen::Vector3d(1, 0.7, 1.3)),
                other = Polytope::box(size * Eigen::Vector3d(0.5, 1.1, 0.9));
    const Shape half = HalfSpace{Eigen::Vector3d(0.1, -0.2, 0.9), -0.3 * size};
    const Eigen::Vector3d ca = size * Eigen::Vector3d(0.1, 0.013, -0.2), cb = size * Eigen::Vector3d(-0.07, 0.2, 0.11);
    const PiecePolynomials pa(s.a, s.ta, s.tb), pb(s.b, s.ta, s.tb);
    const bool plane = trial % 4 == 0;
    const MovingPart A{plane ? &half : &box, ca, &pa}, B{&other, cb, &pb};
    SeparatingAxis axis;
    axis.kind = !plane && trial % 2 ? AxisKind::kFixedInB : AxisKind::kFixedInA;
    axis.axis = plane ? std::get<HalfSpace>(half).normal : Eigen::Vector3d(0.3, 0.41, -1.7);
    const FaceGap gap(A, B, axis);
    ASSERT_TRUE(gap.valid) << trial;

    const oracle::Motion ma(s.a, s.ta, s.tb), mb(s.b, s.ta, s.tb);
    const bool in_a = axis.kind == AxisKind::kFixedInA;
    const oracle::Motion &owner = in_a ? ma : mb, &tested = in_a ? mb : ma;
    const oracle::Vec n = oracle::vec(in_a ? axis.axis : Eigen::Vector3d(-axis.axis));
    Q support;
    if (plane) {
      support = Q(-0.3 * size) - oracle::dot(n, oracle::vec(ca));
    } else {
      bool first = true;
      for (const auto& x :
           oracle::vertices(in_a ? oracle::Part{&box, ca, nullptr} : oracle::Part{&other, cb, nullptr})) {
        const Q h = oracle::dot(n, x);
        if (first || h > support) support = h;
        first = false;
      }
    }
    const auto tested_vertices =
        oracle::vertices(in_a ? oracle::Part{&other, cb, nullptr} : oracle::Part{&box, ca, nullptr});
    const oracle::PowerVec m = owner.turn(n);
    const Power scale = owner.qq * tested.qq;
    EXPECT_LE(distance(oracle::bernstein(scale, gap.degree), gap.scale, gap.degree), gap.scale_error);
    for (int j = 0; j < gap.numVertices(); ++j) {
      Power N{{Q(0)}};
      const oracle::PowerVec turned = tested.turn(tested_vertices[j]);
      for (int k = 0; k < 3; ++k) N = N + m[k] * (tested.qq * (tested.p[k] - owner.p[k]) + turned[k]);
      N = N - support * scale;
      const Eigen::Vector3d y = gap.tested->vertex(j) - gap.tested_centre;
      double numerator[16];
      for (int k = 0; k <= gap.degree; ++k)
        numerator[k] = gap.base[k] + (gap.row[0][k] * y[0] + gap.row[1][k] * y[1] + gap.row[2][k] * y[2]);
      const double error = distance(oracle::bernstein(N, gap.degree), numerator, gap.degree);
      EXPECT_LE(error, gap.numerator_error) << "trial " << trial << " vertex " << j;
      tightest = std::min(tightest, gap.numerator_error / std::max(error, 1e-300));

      // The rounded gap, against the motion evaluated exactly at three times.
      for (double at : {0.0, 0.375, 1.0}) {
        const Q exact_gap = N(Q(at)) / scale(Q(at)) / Q(gap.axis_norm);
        EXPECT_NEAR(gap.gapAt(j, at), exact_gap.get_d(), 1e-13 * (size + far));
      }
      const double level = 0.01 * size;
      const BernsteinPolynomial f = gap.condition(j, level);
      const Q value = N(Q(0.25)) - Q(level) * Q(gap.axis_norm) * scale(Q(0.25));
      EXPECT_NEAR(f(0.25), value.get_d(), 20 * (size + far) * 1e-13);
    }
  }
  EXPECT_LT(tightest, 3000) << "the bound is far from the errors: not useful";
}

// A quaternion means a rotation whatever its length is: scaled by powers of two, so without any rounding, it leaves the
// proved gap as it is. A cube of 1 m whose centre is .8 m above a plane, at rest or turning about z, is .3 m above it.
TEST(GapPolynomial, LengthsOfQuaternionsDoNotCount) {
  const Shape plane = HalfSpace{Eigen::Vector3d(0, 0, 1), 0}, box = Polytope::box({1, 1, 1});
  const MotionPiece still = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 0}}, 0, 1);
  for (const int turns : {0, 1})
    for (const int power : {-330, -100, -30, 0, 30, 55, 100, 332}) {
      MotionPiece piece = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 0.8}}, 0, 1);
      piece.q_degree = turns;
      piece.q[1] = {0.5, 0, 0, 0.8};
      for (Eigen::Vector4d& q : piece.q) q *= std::ldexp(1.0, power);
      const PiecePolynomials a(still, 0, 1), b(piece, 0, 1);
      SeparatingAxis axis;
      axis.kind = AxisKind::kFixedInA, axis.axis = {0, 0, 1};
      const double gap = provedGap(FaceGap({&plane, {0, 0, 0}, &a}, {&box, {0, 0, 0}, &b}, axis));
      EXPECT_LE(gap, 0.3) << power;
      EXPECT_GT(gap, 0.3 * (1 - 1e-12)) << power;
    }
}

TEST(GapPolynomial, EdgeCoefficientsAreWithinTheirBounds) {
  std::mt19937 rng(11);
  for (int trial = 0; trial < 24; ++trial) {
    const double size = std::pow(10.0, int(rng() % 7) - 3), far = trial % 3 ? 0 : 1e3;
    const MotionPair s = randomSetup(rng, size, far);
    const Shape A = Polytope::box(size * Eigen::Vector3d(1, 0.7, 1.3)),
                B = Polytope::box(size * Eigen::Vector3d(0.5, 1.1, 0.9));
    const Eigen::Vector3d ca = size * Eigen::Vector3d(0.1, 0.013, -0.2), cb = size * Eigen::Vector3d(-0.07, 0.2, 0.11);
    const PiecePolynomials pa(s.a, s.ta, s.tb), pb(s.b, s.ta, s.tb);
    const auto &PA = std::get<Polytope>(A), &PB = std::get<Polytope>(B);
    SeparatingAxis axis;
    axis.kind = AxisKind::kEdges;
    const auto &ea = PA.edge(int(rng() % PA.numEdges())), &eb = PB.edge(int(rng() % PB.numEdges()));
    axis.a0 = ea.tail, axis.a1 = ea.head, axis.b0 = eb.head, axis.b1 = eb.tail;
    const EdgeGap gap({&A, ca, &pa}, {&B, cb, &pb}, axis);
    ASSERT_TRUE(gap.valid);

    const oracle::Motion ma(s.a, s.ta, s.tb), mb(s.b, s.ta, s.tb);
    const auto va = oracle::vertices({&A, ca, nullptr}), vb = oracle::vertices({&B, cb, nullptr});
    const auto a = va[axis.a1] - va[axis.a0], b = vb[axis.b1] - vb[axis.b0];
    const oracle::PowerVec alpha = ma.turn(a), beta = mb.turn(b), n = oracle::cross(alpha, beta);
    const Power scale = ma.qq * mb.qq;
    EXPECT_LE(distance(oracle::bernstein(scale, 15), gap.scale, 15), gap.scale_error);
    EXPECT_LE(distance(oracle::bernstein(scale, 12), gap.side_scale, 12), gap.scale_error);
    EXPECT_LE(distance(oracle::bernstein(oracle::dot(alpha, beta), 12), gap.cosine, 12), gap.cosine_error);
    // The definition, of degree 27, equals N times the scale: compare values at 28 times, exactly on the oracle's side.
    const Power defined = oracle::dot(n, oracle::between(ma, va[axis.a0], mb, vb[axis.b0]));
    BernsteinPolynomial N;
    N.degree = 15;
    for (int k = 0; k <= 15; ++k) N.c[k] = gap.numerator[k] / oracle::choose(15, k).get_d();
    for (int i = 0; i <= 27; ++i) {
      const Q at = Q(i) / 32;
      const Q exact = defined(at) / scale(at);
      EXPECT_NEAR(N(at.get_d()), exact.get_d(), gap.numerator_error + 1e-14 * N.maxAbsCoefficient());
    }
    for (int j = 0; j < PA.numVertices(); ++j) {
      const Eigen::Vector3d d = PA.vertex(j) - PA.vertex(axis.a0), w = d.cross(gap.a);
      double f[13];
      for (int k = 0; k <= 12; ++k) f[k] = w[0] * gap.side_a[0][k] + w[1] * gap.side_a[1][k] + w[2] * gap.side_a[2][k];
      // n.M_A d = |qA|^2 (beta . M_A (d x a))
      const Power side = oracle::dot(beta, ma.turn(oracle::cross(va[j] - va[axis.a0], a)));
      EXPECT_LE(distance(oracle::bernstein(side, 12), f, 12), gap.side_error * d.cwiseAbs().sum());
      EXPECT_EQ((oracle::dot(n, ma.turn(va[j] - va[axis.a0])) - ma.qq * side)(Q(0.3)), 0);
    }
    for (int j = 0; j < PB.numVertices(); ++j) {
      const Eigen::Vector3d e = PB.vertex(j) - PB.vertex(axis.b0), w = gap.b.cross(e);
      double f[13];
      for (int k = 0; k <= 12; ++k) f[k] = w[0] * gap.side_b[0][k] + w[1] * gap.side_b[1][k] + w[2] * gap.side_b[2][k];
      const Power side = oracle::dot(alpha, mb.turn(oracle::cross(b, vb[j] - vb[axis.b0])));
      EXPECT_LE(distance(oracle::bernstein(side, 12), f, 12), gap.side_error * e.cwiseAbs().sum());
    }
  }
}

TEST(GapPolynomial, EdgeGapIsTheDistanceOfTheLines) {
  // Two unit-length edges crossing at right angles, one falling onto the other at 1 m/s: gap = 0.5 - t.
  const Shape A = Polytope::box({1, 0.2, 0.2}), B = Polytope::box({0.2, 1, 0.2});
  MotionPiece a = MotionPiece::constant({Eigen::Vector4d(std::cos(M_PI / 8), std::sin(M_PI / 8), 0, 0), {0, 0, 0}}, 0,
                                        1),
              b = a;
  b.q[0] = Eigen::Vector4d(std::cos(M_PI / 8), 0, std::sin(M_PI / 8), 0);
  const double half = std::sqrt(0.02);
  b.p_degree = 1;
  b.p[0] = {0, 0, 2 * half + 0.5};
  b.p[1] = {0, 0, 2 * half - 0.5};
  const PiecePolynomials pa(a, 0, 1), pb(b, 0, 1);
  const auto &PA = std::get<Polytope>(A), &PB = std::get<Polytope>(B);
  const auto find = [](const Polytope& P, Eigen::Vector3d v) {
    for (int i = 0; i < P.numVertices(); ++i)
      if ((P.vertex(i) - v).norm() < 1e-12) return i;
    return -1;
  };
  SeparatingAxis axis;
  axis.kind = AxisKind::kEdges;
  axis.a0 = find(PA, {-.5, .1, .1}), axis.a1 = find(PA, {.5, .1, .1});
  axis.b0 = find(PB, {.1, -.5, -.1}), axis.b1 = find(PB, {.1, .5, -.1});
  const EdgeGap gap({&A, {0, 0, 0}, &pa}, {&B, {0, 0, 0}, &pb}, axis);
  EXPECT_NEAR(gap.gapAt(0.25), 0.25, 1e-15);
  EXPECT_NEAR(gap.sinusAt(0.25), 1, 1e-15);
  const FirstRoot root = firstRoot(gap.condition(1e-3));
  EXPECT_EQ(root.status, FirstRoot::Status::kCrosses);
  EXPECT_NEAR(root.root, 0.499, 1e-14);
}

}  // namespace
}  // namespace rigor::advance
