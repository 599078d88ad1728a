// SPDX-License-Identifier: MIT
// Proved: every solution that the path meets solves the step, for planar and spatial contacts, with redundant contacts
// too; it meets an odd number of them; several paths meet all there are, and choose among them evenly where the contact
// modes are too many to be enumerated. Oracles: the step's conditions, written out here; enumeration of contact modes
// (step_modes.h, tested against that of complementary bases); pivoting on the LCP.
#include "impact/models/step_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/allocation_counter.h"
#include "impact/models/routh.h"
#include "impact/models/step_modes.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

using Eigen::VectorXd;

/// By how much impulses f miss the conditions of a step (step_modes.h), relative to its speeds.
double residualOf(const ContactRows& rows, const std::vector<double>& mu, int edges, const VectorXd& b,
                  const std::vector<double>& limit, const std::vector<double>& given, const VectorXd& f) {
  const VectorXd y = b + rows.A * f;
  double worst = 0;
  for (std::size_t i = 0; i < mu.size(); ++i) {
    const int r = rows.row[i];
    worst = std::max(worst, std::abs(f[r] - std::clamp(f[r] - y[r], given[i], given[i] + limit[i])));
    if (rows.tangents[i] == 0) continue;
    // In the cone, and against the slip as much as any of the cone's directions.
    double power = 0, outside = -HUGE_VAL;
    const int directions = rows.tangents[i] == 1 ? 2 : edges;
    Eigen::Vector2d t(f[r + 1], 0), v(y[r + 1], 0);
    if (rows.tangents[i] == 2) t[1] = f[r + 2], v[1] = y[r + 2];
    for (int k = 0; k < directions; ++k) {
      const double angle = 2 * std::numbers::pi / directions, reach = directions == 2 ? 1 : std::cos(angle / 2);
      const double middle = directions == 2 ? angle * k : angle * (k + 0.5);
      power = std::min(
          power, mu[i] * f[r] * Eigen::Vector2d(std::cos(angle * k), directions == 2 ? 0 : std::sin(angle * k)).dot(v));
      outside = std::max(outside, t.dot(Eigen::Vector2d(std::cos(middle), directions == 2 ? 0 : std::sin(middle))) -
                                      reach * mu[i] * f[r]);
    }
    const double scale = 1 / std::max(1.0, mu[i]);
    worst = std::max({worst, scale * outside, scale * (t.dot(v) - power)});
  }
  return worst / std::max({b.cwiseAbs().maxCoeff(), (rows.A * f).cwiseAbs().maxCoeff(), 1e-3});
}

/// A box that hits a plane with its lower corners: beyond two contacts redundant.
ImpactProblem boxOnPlane(int contacts, double mu) {
  ImpactProblem problem;
  problem.mass_matrix = (VectorXd(6) << 1, 1, 1, .2, .2, .2).finished().asDiagonal();
  problem.normal.resize(contacts, 6);
  for (int c = 0; c < contacts; ++c) {
    const Eigen::Vector3d r(c & 1 ? .5 : -.5, c & 2 ? .5 : -.5, -.5);
    Eigen::MatrixXd J(3, 6);
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d d = Eigen::Vector3d::Unit((k + 2) % 3);
      J.row(k) << d.transpose(), r.cross(d).transpose();
    }
    problem.normal.row(c) = J.row(0);
    problem.tangent.push_back(J.bottomRows(2));
  }
  problem.friction.assign(contacts, mu);
  problem.restitution.assign(contacts, 0.0);
  problem.velocity = -VectorXd::Unit(6, 2);
  return problem;
}

/// Random steps of a problem, and directions for them.
class Steps {
 public:
  Steps(const ImpactProblem& problem, const ContactRows& rows) : problem_(problem), rows_(rows) {}
  void next() {
    VectorXd v = problem_.velocity;
    if (count_++ > 0)
      for (double& x : v) x += 0.35 * problem_.velocity.norm() * normal_(random_);
    b = rows_.J * v;
    b /= b.cwiseAbs().maxCoeff();
    limit.resize(rows_.row.size());
    for (double& x : limit) x = 2 * unit_(random_);
    given.assign(limit.size(), 0.0);
    // Every other step gives impulses back, at two of three contacts.
    for (double& x : given)
      if (count_ % 2 == 0 && unit_(random_) < 0.67) x = unit_(random_);
  }
  void turn() {
    direction.resize(rows_.numRows());
    for (std::size_t i = 0; i < rows_.row.size(); ++i) {
      double* const d = direction.data() + rows_.row[i];
      d[0] = std::exp2(-5 * unit_(random_));
      for (int k = 1; k <= rows_.tangents[i]; ++k) d[k] = 2 * d[0] * (2 * unit_(random_) - 1);
    }
  }
  VectorXd b;
  std::vector<double> limit, given, direction;

 private:
  const ImpactProblem& problem_;
  const ContactRows& rows_;
  std::mt19937_64 random_{5};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> unit_;
  int count_ = 0;
};

TEST(StepPath, MeetsSolutionsOnlyAndAnOddNumber) {
  std::vector<ImpactProblem> problems{test::rockingBlock(), test::boxAndWall(), test::compassGait(), test::diskStack(),
                                      test::inSpace(test::compassGait())};
  for (const int contacts : {1, 2, 3, 4}) problems.push_back(boxOnPlane(contacts, contacts % 2 ? 0.3 : 1.5));
  for (const int edges : {8, 4}) {
    for (std::size_t p = 0; p < problems.size(); ++p) {
      const ImpactProblem& problem = problems[p];
      StepPath path;
      path.prepare(problem, problem.friction, edges);
      Steps steps(problem, path.rows());
      int none = 0, even = 0;
      constexpr int kSteps = 1500;
      for (int k = 0; k < kSteps; ++k) {
        steps.next();
        steps.turn();
        path.clear();
        const int found = path.collect(steps.b.data(), steps.limit.data(), steps.direction.data(), steps.given.data());
        none += found == 0;
        even += found > 0 && found % 2 == 0;  // Two of three that are one by their velocities.
        for (int s = 0; s < found; ++s) {
          const Eigen::Map<const VectorXd> f(path.impulse(s), path.rows().numRows());
          EXPECT_LT(residualOf(path.rows(), problem.friction, edges, steps.b, steps.limit, steps.given, f), 1e-10)
              << "problem " << p;
        }
      }
      // Ties of redundant contacts may end a path; the sampler pivots on the LCP then.
      EXPECT_LE(none, kSteps / 200) << "problem " << p;
      EXPECT_LE(even, kSteps / 200) << "problem " << p;
      EXPECT_EQ(path.stats().unfinished, 0) << "problem " << p;
    }
  }
}

TEST(StepPath, SeveralPathsMeetAllSolutions) {
  int several = 0;
  for (const ImpactProblem& problem : {test::compassGait(), test::boxAndWall(), test::inSpace(test::compassGait())}) {
    StepModes modes;
    StepPath path;
    ASSERT_TRUE(modes.prepare(problem, problem.friction, 8, 3000, true));
    path.prepare(problem, problem.friction, 8);
    Steps steps(problem, path.rows());
    for (int k = 0; k < 200; ++k) {
      steps.next();
      const int expected = modes.solve(steps.b.data(), steps.limit.data(), steps.given.data());
      path.clear();
      int found = 0;
      for (int p = 0; p < 30; ++p) {
        steps.turn();
        found = path.collect(steps.b.data(), steps.limit.data(), steps.direction.data(), steps.given.data());
      }
      EXPECT_EQ(found, expected) << "step " << k;
      several += expected > 1;
      for (int s = 0; s < found; ++s) {
        const VectorXd after = path.rows().A * Eigen::Map<const VectorXd>(path.impulse(s), path.rows().numRows());
        double nearest = HUGE_VAL;
        for (int e = 0; e < expected; ++e) {
          const VectorXd other = path.rows().A * Eigen::Map<const VectorXd>(modes.impulse(e), path.rows().numRows());
          nearest = std::min(nearest, (after - other).cwiseAbs().maxCoeff());
        }
        EXPECT_LT(nearest, 1e-7);
      }
    }
  }
  EXPECT_GT(several, 30);
}

// One step of the gait with limits that do not bind has three solutions, one of which no pivoting of Lemke's reaches.
// Where modes are not enumerated, each is to be drawn in a third of the samples; 0.03 is five standard deviations.
TEST(StepPath, SolutionsAreEquallyLikelyWithoutEnumeration) {
  for (const ImpactProblem& problem : {test::compassGait(), test::inSpace(test::compassGait())}) {
    ImpactOptions options;
    options.step = 1e5;
    options.step_is_impulse = true;
    options.max_modes = 0;
    Routh routh;
    ImpactOutcome outcome;
    std::vector<VectorXd> solutions;
    std::vector<int> count;
    constexpr int kSamples = 6000;
    for (int k = 0; k < kSamples; ++k) {
      ASSERT_EQ(routh.resolve(problem, options, {7, static_cast<std::uint64_t>(k)}, outcome), ImpactStatus::kResolved);
      ASSERT_LT(outcome.residual, 1e-10);
      std::size_t s = 0;
      while (s < solutions.size() && (solutions[s] - outcome.velocity).norm() > 1e-6) ++s;
      if (s == solutions.size()) solutions.push_back(outcome.velocity), count.push_back(0);
      ++count[s];
    }
    ASSERT_EQ(solutions.size(), 3u);
    for (const int c : count) EXPECT_NEAR(static_cast<double>(c) / kSamples, 1.0 / 3, 0.03);
  }
}

TEST(StepPath, DoesNotAllocateOnceSized) {
  if (allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  const ImpactProblem problem = boxOnPlane(4, 0.5);
  StepPath path;
  path.prepare(problem, problem.friction, 8);
  Steps steps(problem, path.rows());
  steps.next();
  steps.turn();
  (void)path.collect(steps.b.data(), steps.limit.data(), steps.direction.data());
  const long before = allocations();
  for (int k = 0; k < 50; ++k) {
    path.clear();
    (void)path.collect(steps.b.data(), steps.limit.data(), steps.direction.data(), steps.given.data());
    (void)path.solve(steps.b.data(), steps.limit.data(), steps.direction.data());
  }
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace rigor::impact
