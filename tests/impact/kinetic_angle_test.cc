// SPDX-License-Identifier: MIT
// Proved: kinetic angles, uniqueness and indeterminacy of two contacts are those of the closed forms, and what is
// called unique has one outcome by enumeration. Oracles: closed forms of the billiard break, the propagative
// enumeration.
#include "impact/models/kinetic_angle.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <random>

namespace rigor::impact {
namespace {

/// Two contacts in the plane with M = 1 and <u, v> = cosine.
ImpactProblem wedge(double cosine, const Eigen::Vector2d& v) {
  ImpactProblem p;
  p.mass_matrix = Eigen::Matrix2d::Identity();
  p.normal.resize(2, 2);
  p.normal << 3, 0, 2 * cosine, 2 * std::sqrt(1 - cosine * cosine);  // lengths do not matter
  p.friction = {0, 0};
  p.restitution = {1, 1};
  p.velocity = v;
  return p;
}

/// Seghete & Murphey's billiard break: c (mass k) hits a and b (mass 1), theta between them, along the bisector.
ImpactProblem billiards(double theta, double k) {
  ImpactProblem p;
  Eigen::VectorXd m(6), v(6);
  m << 1, 1, 1, 1, k, k;
  v << 0, 0, 0, 0, 1, 0;
  const Eigen::RowVector2d a(std::cos(theta / 2), std::sin(theta / 2)), b(a[0], -a[1]);
  p.mass_matrix = m.asDiagonal();
  p.normal.setZero(2, 6);
  p.normal.block<1, 2>(0, 0) = a, p.normal.block<1, 2>(0, 4) = -a;
  p.normal.block<1, 2>(1, 2) = b, p.normal.block<1, 2>(1, 4) = -b;
  p.friction = {0, 0};
  p.restitution = {1, 1};
  p.velocity = v;
  return p;
}

TEST(KineticAngle, BilliardBreakHasItsClosedForm) {
  for (const double k : {1.0, 10.648, 0.3}) {
    for (const double theta : {0.7, 1.2, std::numbers::pi / 2, 2.0, 3.0}) {
      const KineticDiagnosis d = diagnoseKineticAngles(billiards(theta, k));
      ASSERT_EQ(d.pairs.size(), 1u);
      const ContactPair& pair = d.pairs[0];
      // Eq. (31), unit normals: |D phi|^2 = 1 + 1/k.
      const double c = std::cos(theta) / k / (1 + 1 / k);
      EXPECT_NEAR(pair.cosine, c, 1e-14);
      EXPECT_NEAR(-std::cos(2 * pair.gamma), c, 1e-14);
      // Two reflections each way: p_ab - p_ba = 4 <p, u> c (v - u), where c < 0 a third may follow.
      const double s = -std::cos(theta / 2) / std::sqrt(1 + k);  // <p, u> / |p|
      // From c = 1/2 on the first reflection separates the other contact too.
      if (c >= 0) {
        EXPECT_NEAR(pair.indeterminacy, std::abs(2 * s * std::min(2 * c, 1.0)) * std::sqrt(2 - 2 * c), 1e-13);
      }
      EXPECT_EQ(d.unique, theta == std::numbers::pi / 2);
    }
  }
}

TEST(KineticAngle, UniqueMeansOneOutcomeWhateverTheVelocity) {
  std::mt19937_64 random(41);
  std::normal_distribution<double> gauss;
  const auto resolver = makeResolver("propagative");
  for (int k = 2; k <= 9; ++k) {
    for (int trial = 0; trial < 200; ++trial) {
      const ImpactProblem p = wedge(-std::cos(std::numbers::pi / k), Eigen::Vector2d(gauss(random), gauss(random)));
      const KineticDiagnosis d = diagnoseKineticAngles(p);
      ASSERT_EQ(d.pairs[0].uniqueness, k == 2   ? PairUniqueness::kOrthogonal
                                       : k == 3 ? PairUniqueness::kThreeStage
                                                : PairUniqueness::kDihedral);
      EXPECT_TRUE(d.unique);
      EXPECT_LT(d.indeterminacy, 1e-9);
      EXPECT_EQ(d.pairs[0].bound, 2 * k);  // gamma = pi / 2k: twice what is needed.
      std::vector<ImpactOutcome> outcomes;
      ASSERT_EQ(resolver->resolveAll(p, {}, outcomes), ImpactStatus::kResolved);
      EXPECT_EQ(outcomes.size(), 1u);
      EXPECT_LE(outcomes[0].lcps, k);
    }
  }
}

TEST(KineticAngle, OtherAnglesHaveTwoOutcomesForSomeVelocity) {
  for (const double cosine : {0.5, 0.9, -0.3, -0.6, -0.9, -0.4999, 0.001}) {
    // Along the bisector both orders are equally long and mirror images.
    const double half = 0.5 * std::acos(cosine);
    const ImpactProblem p = wedge(cosine, -Eigen::Vector2d(std::cos(half), std::sin(half)));
    const KineticDiagnosis d = diagnoseKineticAngles(p);
    EXPECT_EQ(d.pairs[0].uniqueness, PairUniqueness::kNone);
    EXPECT_FALSE(d.unique);
    std::vector<ImpactOutcome> outcomes;
    ASSERT_EQ(makeResolver("propagative")->resolveAll(p, {}, outcomes), ImpactStatus::kResolved);
    ASSERT_EQ(outcomes.size(), 2u);
    // |v| = 1 and M = 1: xi is the distance of the two outcomes.
    EXPECT_NEAR(d.indeterminacy, (outcomes[0].velocity - outcomes[1].velocity).norm(), 1e-12);
    EXPECT_GT(d.indeterminacy, 1e-4);
  }
}

TEST(KineticAngle, ThreeOrthogonalContactsAreUniqueThreeInARowAreNotPromised) {
  ImpactProblem p;
  p.mass_matrix = Eigen::Vector3d(1, 2, 3).asDiagonal();
  p.normal = Eigen::Matrix3d::Identity();
  p.friction = {0, 0, 0};
  p.velocity = Eigen::Vector3d(-1, -2, -3);
  EXPECT_TRUE(diagnoseKineticAngles(p).unique);
  p.normal << 1, -1, 0, 0, 1, -1, 1, 1, 1;
  EXPECT_FALSE(diagnoseKineticAngles(p).unique);
  EXPECT_EQ(diagnoseKineticAngles(p).pairs.size(), 3u);
}

TEST(KineticAngle, OppositeNormalsHaveNoBound) {
  ImpactProblem p = wedge(0, Eigen::Vector2d(-1, 0));
  p.normal << 1, 0, -1, 0;
  const KineticDiagnosis d = diagnoseKineticAngles(p);
  EXPECT_EQ(d.pairs[0].gamma, 0);
  EXPECT_TRUE(std::isinf(d.pairs[0].bound));
  EXPECT_EQ(d.pairs[0].uniqueness, PairUniqueness::kNone);
  p.mass_matrix(0, 0) = -1;
  EXPECT_THROW((void)diagnoseKineticAngles(p), std::invalid_argument);
}

}  // namespace
}  // namespace rigor::impact
