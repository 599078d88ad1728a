// SPDX-License-Identifier: MIT
// Proved: AnitescuPotra::resolveAll() finds every solution of the LCP with another velocity: the published ones, all of
// those that trying each complementary basis finds, on planar and spatial problems; the set does not depend on the
// order of the contacts, the signs of tangents, units or coordinates; where it cannot promise that it says so. Oracles:
// enumerateLcp() on the unscaled LCP, assembled here; published values (Halm and Posa); invariances.
#include "impact/lcp/contact_modes.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>
#include <random>

#include "friction/coulomb.h"
#include "impact/lcp/lcp.h"
#include "impact/models/anitescu_potra.h"
#include "impact/samples/outcome_set.h"
#include "published_problems.h"
#include "tests/dense_algebra.h"
#include "tests/impact/contact_sets.h"

namespace rigor::impact {
namespace {

using test::kNineDigits;

std::vector<ImpactOutcome> allOf(const ImpactProblem& problem, int cone_edges = 8) {
  ImpactOptions options;
  options.cone_edges = cone_edges;
  std::vector<ImpactOutcome> outcomes;
  EXPECT_EQ(AnitescuPotra().resolveAll(problem, options, outcomes), ImpactStatus::kResolved);
  return outcomes;
}

/// The distinct velocities of all basic solutions of W z + w, z >= 0, W as in docs/equations.md.
std::vector<Eigen::VectorXd> enumerated(const ImpactProblem& problem, int cone_edges) {
  const int m = problem.numContacts(), n = problem.numVelocities();
  std::vector<Eigen::VectorXd> rows;
  std::vector<int> owner;
  for (int i = 0; i < m; ++i) rows.push_back(problem.normal.row(i).transpose());
  for (int i = 0; i < m; ++i) {
    const Eigen::MatrixXd& T = problem.tangent[i];
    const int count = T.rows() == 1 ? 2 : cone_edges;
    for (int k = 0; k < count; ++k) {
      const double angle = 2 * std::numbers::pi * k / count;
      Eigen::VectorXd row = std::cos(angle) * T.row(0).transpose();
      if (T.rows() == 2) row += std::sin(angle) * T.row(1).transpose();
      rows.push_back(row);
      owner.push_back(i);
    }
  }
  const int r = static_cast<int>(rows.size()), size = r + m;
  Eigen::MatrixXd J(r, n);
  for (int k = 0; k < r; ++k) J.row(k) = rows[k].transpose();
  const Eigen::MatrixXd inverse = algebra::inverse(problem.mass_matrix);
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(size, size);
  W.topLeftCorner(r, r) = algebra::congruence(J, inverse);
  for (int k = m; k < r; ++k) {
    W(k, r + owner[k - m]) = 1;
    W(r + owner[k - m], k) = -1;
  }
  for (int i = 0; i < m; ++i) W(r + i, i) = problem.friction[i];
  Eigen::VectorXd w = Eigen::VectorXd::Zero(size);
  w.head(r) = J * problem.velocity;
  std::vector<Eigen::VectorXd> distinct;
  enumerateLcp(W, w, 1e-11, [&](const Eigen::VectorXd& z) {
    const Eigen::VectorXd v = problem.velocity + inverse * (J.transpose() * z.head(r));
    for (const Eigen::VectorXd& known : distinct) {
      if (kineticDistance(problem, known, v) < 1e-8) return true;
    }
    distinct.push_back(v);
    return true;
  });
  return distinct;
}

bool contains(const ImpactProblem& problem, const std::vector<ImpactOutcome>& all, const Eigen::VectorXd& v,
              double tolerance = 1e-7) {
  for (const ImpactOutcome& outcome : all) {
    if (kineticDistance(problem, outcome.velocity, v) < tolerance) return true;
  }
  return false;
}

TEST(AllSolutions, RockingBlockHasOne) {
  const std::vector<ImpactOutcome> all = allOf(test::rockingBlock());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_LT(all[0].velocity.cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(all[0].note, "");
}

TEST(AllSolutions, DiskStackAndBoxHaveOne) {
  for (const ImpactProblem& problem : {test::diskStack(), test::boxAndWall()}) {
    const std::vector<ImpactOutcome> all = allOf(problem);
    EXPECT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].note, "");
  }
}

TEST(AllSolutions, CompassGaitAndRamOneHaveThree) {
  for (const ImpactProblem& problem : {test::compassGait(), test::ramOne()}) {
    const std::vector<ImpactOutcome> all = allOf(problem);
    ASSERT_EQ(all.size(), 3u);
    int lifts = 0, sticks = 0, slides = 0;
    for (const ImpactOutcome& outcome : all) {
      const Eigen::VectorXd normal = problem.normal * outcome.velocity;
      EXPECT_NEAR(normal[0], 0, kNineDigits);  // The leading foot sticks.
      EXPECT_NEAR((problem.tangent[0] * outcome.velocity)[0], 0, kNineDigits);
      const double slip = std::abs((problem.tangent[1] * outcome.velocity)[0]);
      if (normal[1] > 1e-6) ++lifts;
      else if (slip > 1e-6) ++slides;
      else ++sticks;
      EXPECT_LT(outcome.residual, 1e-12);
    }
    EXPECT_EQ(lifts, 1);
    EXPECT_EQ(sticks, 1);
    EXPECT_EQ(slides, 1);
  }
}

TEST(AllSolutions, AgreesWithEveryBasisOnPublishedProblems) {
  for (const ImpactProblem& problem : {test::rockingBlock(), test::boxAndWall(), test::compassGait()}) {
    const std::vector<Eigen::VectorXd> expected = enumerated(problem, 8);
    const std::vector<ImpactOutcome> all = allOf(problem);
    EXPECT_EQ(all.size(), expected.size());
    for (const Eigen::VectorXd& v : expected) EXPECT_TRUE(contains(problem, all, v));
  }
}

ImpactProblem randomProblem(std::mt19937_64& random, int contacts, int tangents) {
  std::normal_distribution<double> gauss;
  std::uniform_real_distribution<double> unit(0, 1);
  const int n = 2 + static_cast<int>(random() % 4);
  const auto draw = [&](int rows) {
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(rows, n, [&] { return gauss(random); }));
  };
  ImpactProblem problem;
  const Eigen::MatrixXd root = draw(n);
  problem.mass_matrix = root * root.transpose() + 0.2 * Eigen::MatrixXd::Identity(n, n);
  problem.normal = draw(contacts);
  for (int i = 0; i < contacts; ++i) {
    problem.tangent.push_back(draw(tangents));
    problem.friction.push_back(3 * unit(random));
    problem.restitution.push_back(0);
  }
  problem.velocity = draw(1).transpose();
  return problem;
}

void compareWithBases(std::uint64_t seed, int contacts, int tangents, int count, int least_multiple) {
  std::mt19937_64 random(seed);
  int multiple = 0, compared = 0;
  for (int k = 0; k < count; ++k) {
    ImpactProblem problem = randomProblem(random, contacts, tangents);
    const std::vector<Eigen::VectorXd> expected = enumerated(problem, 4);
    if ((problem.normal * problem.velocity).minCoeff() >= 0 || expected.empty()) continue;
    ImpactOptions options;
    options.cone_edges = 4;
    std::vector<ImpactOutcome> all;
    if (AnitescuPotra().resolveAll(problem, options, all) != ImpactStatus::kResolved) continue;  // Jammed, no answer.
    ++compared;
    multiple += expected.size() > 1;
    for (const Eigen::VectorXd& v : expected) EXPECT_TRUE(contains(problem, all, v)) << k;
    if (all[0].note.empty()) {
      EXPECT_EQ(all.size(), expected.size()) << k;
    }
  }
  EXPECT_GT(compared, count / 3);
  EXPECT_GE(multiple, least_multiple);
}

TEST(AllSolutions, AgreesWithEveryBasisOnePlanarContact) { compareWithBases(1, 1, 1, 400, 0); }
TEST(AllSolutions, AgreesWithEveryBasisTwoPlanarContacts) { compareWithBases(2, 2, 1, 400, 10); }
TEST(AllSolutions, AgreesWithEveryBasisThreePlanarContacts) { compareWithBases(3, 3, 1, 12, 1); }
TEST(AllSolutions, AgreesWithEveryBasisOneSpatialContact) { compareWithBases(4, 1, 2, 400, 1); }
TEST(AllSolutions, AgreesWithEveryBasisTwoSpatialContacts) { compareWithBases(5, 2, 2, 12, 0); }

TEST(AllSolutions, ContactOrderTangentSignsUnitsAndCoordinatesDoNotMatter) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> gauss;
  for (const ImpactProblem& problem : {test::boxAndWall(), test::compassGait(), test::ramOne()}) {
    const std::vector<ImpactOutcome> all = allOf(problem);
    ImpactProblem swapped = problem, flipped = problem, scaled = problem, turned = problem;
    swapped.normal = problem.normal.colwise().reverse();
    std::swap(swapped.tangent[0], swapped.tangent[1]);
    for (Eigen::MatrixXd& T : flipped.tangent) T = -T;
    scaled.mass_matrix *= 0x1p30;
    scaled.velocity *= 0x1p-12;
    const int n = problem.numVelocities();
    const Eigen::MatrixXd T = Eigen::MatrixXd::Identity(n, n) +
                              0.3 / n * Eigen::MatrixXd::NullaryExpr(n, n, [&] { return gauss(random); });
    turned.mass_matrix = T.transpose() * problem.mass_matrix * T;
    turned.mass_matrix = (0.5 * (turned.mass_matrix + turned.mass_matrix.transpose())).eval();
    turned.normal = problem.normal * T;
    for (Eigen::MatrixXd& t : turned.tangent) t = t * T;
    turned.velocity = algebra::inverse(T) * problem.velocity;
    const std::vector<ImpactOutcome> others[] = {allOf(swapped), allOf(flipped), allOf(scaled), allOf(turned)};
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd back[] = {identity, identity, 0x1p12 * identity, T};
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(others[k].size(), all.size()) << k;
      for (const ImpactOutcome& outcome : others[k])
        EXPECT_TRUE(contains(problem, all, back[k] * outcome.velocity)) << k;
    }
  }
}

TEST(AllSolutions, NoSlipNeverSlides) {
  ImpactProblem problem = test::compassGait();
  problem.friction.assign(2, kNoSlip);
  for (const ImpactOutcome& outcome : allOf(problem)) {
    const Eigen::VectorXd normal = problem.normal * outcome.velocity;
    for (int i = 0; i < 2; ++i) {
      if (normal[i] < 1e-9) {
        EXPECT_NEAR((problem.tangent[i] * outcome.velocity)[0], 0, kNineDigits);
      }
    }
  }
}

TEST(AllSolutions, RestitutionIsAppliedToEach) {
  ImpactProblem problem = test::compassGait();
  problem.restitution.assign(2, 0.5);
  const std::vector<ImpactOutcome> all = allOf(problem);
  EXPECT_GE(all.size(), 2u);
  const double before = problem.velocity.dot(problem.mass_matrix * problem.velocity);
  for (const ImpactOutcome& outcome : all) {
    EXPECT_GE((problem.normal * outcome.velocity).minCoeff(), -1e-10);
    EXPECT_LE(outcome.velocity.dot(problem.mass_matrix * outcome.velocity), before * (1 + 1e-10));
    EXPECT_GT((problem.normal * outcome.velocity)[0], 1e-3);  // The leading foot was hit, so it rebounds.
  }
}

TEST(AllSolutions, TooManyModesSaySo) {
  const test::ContactSet set = test::boxStack(3, {1, 0.7, 0.4}, 2, 0.6);  // Twelve spatial contacts.
  ImpactProblem problem;
  problem.mass_matrix = algebra::inverse(set.inverse_mass);
  problem.normal.resize(12, 18);
  for (int i = 0; i < 12; ++i) {
    problem.normal.row(i) = set.J.row(3 * i);
    problem.tangent.push_back(set.J.middleRows(3 * i + 1, 2));
    problem.friction.push_back(0.6);
    problem.restitution.push_back(0);
  }
  problem.velocity = Eigen::VectorXd::Zero(18);
  problem.velocity[2] = problem.velocity[8] = problem.velocity[14] = -1;
  const std::vector<ImpactOutcome> all = allOf(problem);
  ASSERT_EQ(all.size(), 1u);  // Rest.
  EXPECT_LT(all[0].velocity.norm(), 1e-10);
  EXPECT_NE(all[0].note, "");
}

}  // namespace
}  // namespace rigor::impact
