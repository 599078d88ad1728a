// SPDX-License-Identifier: MIT
// Proves that impacts of many contacts, taken all at once, obey Moreau's law with Coulomb's cone and gain no energy.
// Oracles: closed forms, the law itself on the outcome's velocities and impulses, momentum, energy, the same problem in
// another order of contacts.
#include "sim/step/joint_impact.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace rigor::sim {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-10;  // Asked of the solver [m/s].
constexpr double kLawError = 1e-8;    // What is seen of that in a law's products and differences.
constexpr double kCapture = 1e-3;     // [m/s]

/// Point contacts of `bodies` free bodies with random masses, on each other and on the fixed world.
impact::ImpactProblem randomProblem(std::mt19937& random, int bodies, int contacts) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::uniform_int_distribution<int> body(0, bodies - 1);
  impact::ImpactProblem p;
  const int n = 6 * bodies;
  p.mass_matrix = MatrixXd::Zero(n, n);
  p.velocity.resize(n);
  for (int i = 0; i < bodies; ++i) {
    const double mass = std::exp(3 * unit(random));
    p.mass_matrix.block(6 * i, 6 * i, 6, 6).diagonal() << mass, mass, mass, 0.1 * mass, 0.15 * mass, 0.2 * mass;
    for (int k = 0; k < 6; ++k) p.velocity[6 * i + k] = unit(random) - (k == 2);
  }
  p.normal = MatrixXd::Zero(contacts, n);
  for (int c = 0; c < contacts; ++c) {
    const int a = body(random);
    int b = body(random);
    if (b == a || c % 2 == 0) b = -1;
    Vector3d normal(unit(random), unit(random), 2 + unit(random));
    normal.normalize();
    const Vector3d t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    MatrixXd rows = MatrixXd::Zero(3, n);
    const auto put = [&](int i, double sign) {
      const Vector3d arm(unit(random), unit(random), unit(random));
      int k = 0;
      for (const Vector3d& d : {normal, t1, t2})
        rows.block(k++, 6 * i, 1, 6) << sign * d.transpose(), sign * arm.cross(d).transpose();
    };
    put(a, 1);
    if (b >= 0) put(b, -1);
    p.normal.row(c) = rows.row(0);
    p.tangent.push_back(rows.bottomRows(2));
    p.friction.push_back(0.3 + 0.3 * unit(random));
    p.restitution.push_back(c % 3 == 0 ? 0 : 0.5 + 0.4 * unit(random));
  }
  return p;
}

std::vector<ImpactBlock> freeBodies(const impact::ImpactProblem& p) {
  std::vector<ImpactBlock> blocks;
  for (int i = 0; i < p.numVelocities(); i += 6) blocks.push_back({i, 6});
  return blocks;
}

double energy(const impact::ImpactProblem& p, const VectorXd& v) { return 0.5 * v.dot(p.mass_matrix * v); }

/// Moreau's law with the share of the restitution that is left at each contact, and that momentum is what the impulses
/// say.
void expectLaw(const impact::ImpactProblem& p, const impact::ImpactOutcome& outcome, const std::vector<double>& share) {
  VectorXd momentum = p.mass_matrix * (outcome.velocity - p.velocity);
  for (int c = 0; c < p.numContacts(); ++c) {
    const VectorXd& f = outcome.impulses[c];
    momentum -= p.normal.row(c).transpose() * f[0] + p.tangent[c].transpose() * f.tail(2);
    const double before = p.normal.row(c).dot(p.velocity), after = p.normal.row(c).dot(outcome.velocity);
    const double least = before < -kCapture ? -share[c] * p.restitution[c] * before : 0;
    const Eigen::Vector2d slip = p.tangent[c] * outcome.velocity;
    EXPECT_GE(f[0], 0) << c;
    EXPECT_GE(after, least - kLawError) << c;
    EXPECT_NEAR(f[0] * (after - least), 0, kLawError) << c;
    EXPECT_LE(f.tail(2).norm(), p.friction[c] * f[0] + kLawError) << c;
    // Where it slips, friction is as large as it may be, and against the slip.
    EXPECT_NEAR((slip.norm() * f.tail(2) + p.friction[c] * f[0] * slip).norm(), 0, 1e-6) << c;
  }
  EXPECT_LT(momentum.norm(), kLawError);
}

TEST(JointImpact, OneBodyLeavesWithItsShareOfTheSpeed) {
  for (const double speed : {2.0, 0.5 * kCapture}) {
    std::mt19937 random(1);
    impact::ImpactProblem p = randomProblem(random, 1, 1);
    p.velocity << 0, 0, -speed, 0, 0, 0;
    p.normal << 0, 0, 1, 0, 0, 0;
    p.restitution = {0.8};
    p.friction = {0};
    p.tangent[0].setZero();
    JointImpact joint;
    impact::ImpactOutcome outcome;
    ASSERT_TRUE(joint.resolve(p, freeBodies(p), kCapture, kTolerance, outcome));
    EXPECT_NEAR(outcome.velocity[2], speed > kCapture ? 0.8 * speed : 0, kTolerance);
    EXPECT_NEAR(outcome.impulses[0][0], p.mass_matrix(2, 2) * (outcome.velocity[2] + speed), 1e-8);
  }
}

TEST(JointImpact, ObeysTheLawAndGainsNoEnergy) {
  std::mt19937 random(7);
  JointImpact joint;
  impact::ImpactOutcome outcome;
  int whole = 0;
  for (int k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    const impact::ImpactProblem p = randomProblem(random, 2 + k % 5, 4 + k % 17);
    ASSERT_TRUE(joint.resolve(p, freeBodies(p), kCapture, kTolerance, outcome));
    const double before = energy(p, p.velocity), after = energy(p, outcome.velocity);
    EXPECT_LE(after, before * (1 + 1e-12));
    // Which share of the restitution was left: a contact that pushed and hit says it. Bodies that do not act on each
    // other keep shares of their own; of contacts that do not push the lowest is all that is known.
    std::vector<double> share(p.numContacts(), NAN);
    double lowest = 1;
    for (int c = 0; c < p.numContacts(); ++c) {
      const double hit = -p.normal.row(c).dot(p.velocity), least = p.restitution[c] * hit;
      if (!(hit > kCapture && least > 1e-2 && outcome.impulses[c][0] > 1e-3)) continue;
      const double left = p.normal.row(c).dot(outcome.velocity) / least;
      share[c] = std::round(4 * left) / 4;
      EXPECT_NEAR(left, share[c], 1e-5);
      EXPECT_TRUE(share[c] == 0 || share[c] == 0.25 || share[c] == 0.5 || share[c] == 1) << share[c];
      lowest = std::min(lowest, share[c]);
    }
    for (double& left : share) left = std::isnan(left) ? lowest : left;
    whole += lowest == 1;
    expectLaw(p, outcome, share);
  }
  EXPECT_GT(whole, 250) << "restitution is rarely left away";
}

TEST(JointImpact, OrderOfContactsChangesNoVelocity) {
  std::mt19937 random(11);
  JointImpact joint;
  impact::ImpactOutcome outcome, other;
  for (int k = 0; k < 50; ++k) {
    const impact::ImpactProblem p = randomProblem(random, 4, 14);
    std::vector<int> order(p.numContacts());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    impact::ImpactProblem q = p;
    for (int c = 0; c < p.numContacts(); ++c) {
      q.normal.row(c) = p.normal.row(order[c]), q.tangent[c] = p.tangent[order[c]];
      q.friction[c] = p.friction[order[c]], q.restitution[c] = p.restitution[order[c]];
    }
    ASSERT_TRUE(joint.resolve(p, freeBodies(p), kCapture, kTolerance, outcome));
    ASSERT_TRUE(joint.resolve(q, freeBodies(q), kCapture, kTolerance, other));
    EXPECT_LT((outcome.velocity - other.velocity).norm(), 1e-7) << k;
  }
}

}  // namespace
}  // namespace rigor::sim
