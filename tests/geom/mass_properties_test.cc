// SPDX-License-Identifier: MIT
//
// Proves: mass properties are right to rounding, for any size and place; compose and transform as bodies do; and
// impossibleBecause() accepts every body and refuses what no body can be.
// Oracles: closed forms (box, tetrahedron, regular prism); invariance under rigid motion, scaling and splitting.
#include "geom/mass_properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "tests/geom/random_solids.h"

namespace rigor::geom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using testing::HasSubstr;
using testing_solids::placed;
using testing_solids::Source;

/// A few dozen roundings, relative to the largest entry.
constexpr double kRounding = 1e-13;

void expectNear(const Matrix3d& a, const Matrix3d& b) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), kRounding * b.cwiseAbs().maxCoeff()) << a << "\nexpected\n" << b;
}

Matrix3d boxInertia(const Vector3d& s) {
  const Vector3d q = s.cwiseProduct(s);
  return s.prod() / 12 * Vector3d(q[1] + q[2], q[0] + q[2], q[0] + q[1]).asDiagonal().toDenseMatrix();
}

TEST(MassProperties, Box) {
  for (const Vector3d& size :
       {Vector3d(1, 2, 3), Vector3d(1e-4, 1, 1), Vector3d(1e3, .1, .1), Vector3d(1e-9, 2e-9, 1e-9)}) {
    const MassProperties body = massProperties(Polytope::box(size), 2);
    EXPECT_NEAR(body.mass, 2 * size.prod(), kRounding * size.prod());
    EXPECT_LE(body.centre.norm(), kRounding * size.norm());
    expectNear(body.inertia, 2 * boxInertia(size));
  }
}

TEST(MassProperties, Tetrahedron) {
  // Corner tetrahedron with legs 1: V = 1/6, centre (1, 1, 1)/4, I = 1/80 on the diagonal, 1/480 off it.
  const std::vector<Vector3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const MassProperties body = massProperties(Polytope::fromPoints(points));
  EXPECT_NEAR(body.mass, 1.0 / 6, kRounding);
  EXPECT_LE((body.centre - Vector3d::Constant(0.25)).norm(), kRounding);
  expectNear(body.inertia, Matrix3d::Constant(1.0 / 480) + (1.0 / 80 - 1.0 / 480) * Matrix3d::Identity());
}

TEST(MassProperties, RegularPrism) {
  // n sides, circumradius r, height h: A = n r^2 sin(2 pi/n)/2, polar moment A r^2 (2 + cos(2 pi/n))/6.
  const int n = 17;
  const double r = 0.7, h = 1.9, turn = 2 * M_PI / n;
  std::vector<Vector3d> points;
  for (int i = 0; i < n; ++i) {
    for (double z : {0.0, h}) points.emplace_back(r * std::cos(i * turn), r * std::sin(i * turn), z);
  }
  const MassProperties body = massProperties(Polytope::fromPoints(points));
  const double area = n * r * r * std::sin(turn) / 2, polar = area * r * r * (2 + std::cos(turn)) / 6;
  EXPECT_NEAR(body.mass, area * h, kRounding);
  EXPECT_LE((body.centre - Vector3d(0, 0, h / 2)).norm(), kRounding);
  const double across = polar * h / 2 + area * h * h * h / 12;
  expectNear(body.inertia, Vector3d(across, across, polar * h).asDiagonal());
}

TEST(MassProperties, MovesWithTheBody) {
  Source source(1);
  for (int trial = 0; trial < 100; ++trial) {
    const auto points = testing_solids::points(trial % testing_solids::kKinds, source);
    const Pose X = source.pose();
    const MassProperties direct = massProperties(Polytope::fromPoints(placed(points, X, 1)));
    const MassProperties moved = transformed(massProperties(Polytope::fromPoints(points)), X);
    const double thin = trial % testing_solids::kKinds >= 2 && trial % testing_solids::kKinds <= 4 ? 1e4 : 1;
    EXPECT_NEAR(direct.mass, moved.mass, thin * kRounding * moved.mass);
    EXPECT_LE((direct.centre - moved.centre).norm(), thin * kRounding * 10);
    EXPECT_LE((direct.inertia - moved.inertia).cwiseAbs().maxCoeff(),
              10 * thin * kRounding * moved.inertia.cwiseAbs().maxCoeff());
  }
}

TEST(MassProperties, FarFromTheOriginNothingIsLost) {
  const Polytope box = Polytope::box({1, 2, 3});
  std::vector<Vector3d> points;
  for (int v = 0; v < 8; ++v) points.push_back(box.vertex(v) + Vector3d(1e6, -1e6, 1e6));
  const MassProperties far = massProperties(Polytope::fromPoints(points));
  EXPECT_NEAR(far.mass, 6, kRounding);
  expectNear(far.inertia, boxInertia({1, 2, 3}));
}

TEST(MassProperties, ComposesToTheWhole) {
  // A box cut in eight, the parts in poses of their own.
  Source source(2);
  std::vector<MassProperties> parts;
  for (int i = 0; i < 8; ++i) {
    const Vector3d side(i & 1 ? 0.3 : 0.7, i & 2 ? 0.9 : 1.1, i & 4 ? 1 : 2);
    const Vector3d corner((i & 1) * 0.7, (i >> 1 & 1) * 1.1, (i >> 2) * 2.0);
    Pose X = source.pose();
    const MassProperties local = transformed(massProperties(Polytope::box(side)), X);
    // Back by the inverse: q* and -R^T p, then to its place.
    Pose back{{X.q[0], -X.q[1], -X.q[2], -X.q[3]}, Vector3d::Zero()};
    back.p = corner + side / 2 - back.rotation() * X.p;
    parts.push_back(transformed(local, back));
  }
  const MassProperties whole = composed(parts);
  EXPECT_NEAR(whole.mass, 6, kRounding * 6);
  EXPECT_LE((whole.centre - Vector3d(.5, 1, 1.5)).norm(), kRounding);
  expectNear(whole.inertia, boxInertia({1, 2, 3}));
  EXPECT_EQ(composed({}).mass, 0);
}

TEST(MassProperties, ParallelAxes) {
  // A rod about its end: m l^2 / 3.
  const MassProperties rod = massProperties(Polytope::box({1e-4, 1e-4, 2}), 1e8 / 2);
  const Matrix3d about_end = inertiaAbout(rod, {0, 0, 1});
  EXPECT_NEAR(about_end(0, 0), rod.mass * (4.0 / 3 + 1e-8 / 12), kRounding * rod.mass);
  EXPECT_NEAR(about_end(2, 2), rod.inertia(2, 2), kRounding);
}

TEST(ImpossibleBecause, AcceptsEveryBody) {
  Source source(3);
  for (int trial = 0; trial < 200; ++trial) {
    const double scale = std::pow(10, source.below(7) - 3);
    const auto points = placed(testing_solids::points(trial % testing_solids::kKinds, source), source.pose(), scale);
    const MassProperties body = massProperties(Polytope::fromPoints(points), 1000);
    EXPECT_EQ(impossibleBecause(body), "") << trial;
  }
  // A lamina meets the triangle inequality with equality.
  EXPECT_EQ(impossibleBecause({1, Vector3d::Zero(), Vector3d(1, 2, 3).asDiagonal()}), "");
}

TEST(ImpossibleBecause, RefusesWhatNoBodyIs) {
  const Vector3d zero = Vector3d::Zero();
  const Matrix3d ball = Matrix3d::Identity();
  EXPECT_THAT(impossibleBecause({0, zero, ball}), HasSubstr("mass"));
  EXPECT_THAT(impossibleBecause({-1, zero, ball}), HasSubstr("mass"));
  EXPECT_THAT(impossibleBecause({std::nan(""), zero, ball}), HasSubstr("finite"));
  EXPECT_THAT(impossibleBecause({1, zero, Matrix3d::Constant(std::numeric_limits<double>::infinity())}),
              HasSubstr("finite"));
  EXPECT_THAT(impossibleBecause({1, zero, Matrix3d::Zero()}), HasSubstr("zero"));
  Matrix3d skew = ball;
  skew(0, 1) = 0.1;
  EXPECT_THAT(impossibleBecause({1, zero, skew}), HasSubstr("symmetric"));
  EXPECT_THAT(impossibleBecause({1, zero, Vector3d(1, 1, -1e-3).asDiagonal()}), HasSubstr("positive definite"));
  EXPECT_THAT(impossibleBecause({1, zero, Vector3d(1, 1, 2.001).asDiagonal()}), HasSubstr("triangle"));
  // The same seen from turned axes.
  const Matrix3d R = Pose{{1, 2, 3, 4}, zero}.rotation();
  EXPECT_THAT(impossibleBecause({1, zero, R * Vector3d(1, 1, 2.001).asDiagonal() * R.transpose()}),
              HasSubstr("triangle"));
}

}  // namespace
}  // namespace rigor::geom
