// SPDX-License-Identifier: MIT
// Proved: steps with round cones obey limits, complementarity and Coulomb's law; sets with round cones do not know the
// frame of the tangents, agree with polygons of many edges, and end with every invariant of an impact. Oracles: the law
// evaluated here, contact by contact; closed forms of a sliding puck; two-sample tests with fixed seeds.
#include "impact/models/smooth_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "impact/samples/sampler.h"
#include "particle.h"
#include "tests/dense_algebra.h"
#include "tests/impact/contact_sets.h"

namespace rigor::impact {
namespace {

ImpactProblem spatial(std::mt19937_64& random, int kind, double mu_max) {
  const test::ContactSet set = test::randomSet(random, kind, mu_max);
  ImpactProblem problem;
  problem.mass_matrix = algebra::inverse(set.inverse_mass);
  problem.normal.resize(set.contacts(), set.J.cols());
  for (int i = 0; i < set.contacts(); ++i) {
    problem.normal.row(i) = set.J.row(3 * i);
    problem.tangent.push_back(set.J.middleRows(3 * i + 1, 2));
    problem.friction.push_back(set.mu[i]);
    problem.restitution.push_back(0);
  }
  problem.velocity = test::randomVector(random, static_cast<int>(set.J.cols()));
  return problem;
}

TEST(SmoothStep, ObeysTheLaw) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> unit(0, 1);
  RandomStream stream({5, 6});
  int failed = 0;
  constexpr int kCases = 600;
  for (int k = 0; k < kCases; ++k) {
    const ImpactProblem problem = spatial(random, std::array{0, 1, 2, 3}[k % 4], k % 3 == 0 ? 5 : 1);
    const int m = problem.numContacts();
    SmoothStep step;
    ContactLcp lcp;
    lcp.prepare(problem, ContactLcp::kRoundCones);
    step.prepare(lcp);
    const ContactRows& rows = step.rows();
    Eigen::VectorXd b = rows.J * problem.velocity;
    b /= b.cwiseAbs().maxCoeff();
    std::vector<double> limit(m), given(m, 0.0);
    for (int i = 0; i < m; ++i) {
      limit[i] = 2 * unit(random);
      if (k % 5 == 0) given[i] = unit(random);
    }
    if (step.solve(b.data(), limit.data(), given.data(), 1e-11, nullptr, stream) != LcpStatus::kSolved) {
      ++failed;
      continue;
    }
    const Eigen::Map<const Eigen::VectorXd> f(step.impulse(), rows.numRows());
    const Eigen::VectorXd after = rows.A * f + b;
    const double size = 1 + f.cwiseAbs().maxCoeff(), tol = 1e-9 * size;
    for (int i = 0; i < m; ++i) {
      const int r = rows.row[i];
      const double n = f[r] - given[i];
      EXPECT_GE(n, -tol);
      EXPECT_LE(n, limit[i] + tol);
      if (n < limit[i] - tol) {
        EXPECT_GE(after[r], -tol);
      }
      if (n > tol) {
        EXPECT_LE(after[r], tol);
      }
      if (rows.tangents[i] == 0) continue;
      const Eigen::Vector2d t = f.segment<2>(r + 1), v = after.segment<2>(r + 1);
      const double radius = problem.friction[i] * f[r];
      EXPECT_LE(t.norm(), radius + tol);
      // Most dissipation: t.v = -radius |v|.
      EXPECT_NEAR(t.dot(v), -radius * v.norm(), 1e-8 * size);
    }
  }
  std::printf("smooth steps: %d of %d failed\n", failed, kCases);
  EXPECT_EQ(failed, 0);
}

// A puck that cannot turn: m = 1, slides with speed u in direction phi, falls at 1.
ImpactProblem puck(double phi, double speed, double mu) {
  return test::particle(mu, {speed * std::cos(phi), speed * std::sin(phi), -1});
}

TEST(SmoothCone, PuckKeepsItsDirection) {
  ImpactOptions options;
  options.smooth_cone = true;
  const auto resolver = makeResolver("routh");
  for (double phi = 0.1; phi < 6.28; phi += 0.37) {
    for (double mu : {0.2, 0.9, 5.0}) {
      for (double e : {0.0, 0.6}) {
        ImpactProblem problem = puck(phi, 2, mu);
        problem.restitution = {e};
        ImpactOutcome outcome;
        ASSERT_EQ(resolver->resolve(problem, options, {1, 2}, outcome), ImpactStatus::kResolved);
        const double speed = std::max(0.0, 2 - mu * (1 + e));
        EXPECT_NEAR(outcome.velocity[0], speed * std::cos(phi), 1e-9);
        EXPECT_NEAR(outcome.velocity[1], speed * std::sin(phi), 1e-9);
        EXPECT_NEAR(outcome.velocity[2], e, 1e-9);
      }
    }
  }
  // A polygon of four edges does not.
  options.smooth_cone = false;
  options.cone_edges = 4;
  ImpactOutcome outcome;
  ASSERT_EQ(resolver->resolve(puck(0.3, 2, 0.5), options, {1, 2}, outcome), ImpactStatus::kResolved);
  EXPECT_GT(std::abs(std::atan2(outcome.velocity[1], outcome.velocity[0]) - 0.3), 0.01);
}

double kolmogorov(const Eigen::RowVectorXd& x, const Eigen::RowVectorXd& y) {
  std::vector<double> a(x.begin(), x.end()), b(y.begin(), y.end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double worst = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double at = std::min(a[i], b[j]) + 1e-8;
    while (i < a.size() && a[i] <= at) ++i;
    while (j < b.size() && b[j] <= at) ++j;
    worst = std::max(worst, std::abs(static_cast<double>(i) / a.size() - static_cast<double>(j) / b.size()));
  }
  return worst;
}

TEST(SmoothCone, SetsDoNotKnowTheTangentFrameAndInvariantsHold) {
  std::mt19937_64 random(31);
  constexpr int kSamples = 1000;
  const double level = 1.95 * std::sqrt(2.0 / kSamples);  // 0.1 % each
  int worse = 0, tests = 0;
  for (int k = 0; k < 6; ++k) {
    ImpactProblem problem = spatial(random, 1 + k % 3, 0.8);
    if (problem.numContacts() > 4) continue;
    ImpactOptions options;
    options.smooth_cone = true;
    SamplerOptions sampler;
    sampler.samples = kSamples;
    const SampleSet set = drawSamples("routh", problem, options, sampler);
    EXPECT_EQ(set.failed + set.unfinished, 0);
    EXPECT_LE(set.worst_energy_increase, 1e-10);
    EXPECT_LE(set.worst_residual, 1e-10);
    ImpactProblem turned = problem;
    for (int i = 0; i < problem.numContacts(); ++i) {
      const double angle = 0.4 + i;
      turned.tangent[i] = Eigen::Rotation2Dd(angle).toRotationMatrix() * problem.tangent[i];
    }
    sampler.seed = 9;
    const SampleSet other = drawSamples("routh", turned, options, sampler);
    for (int i = 0; i < problem.numContacts(); ++i) {
      for (const Eigen::RowVectorXd& row : {Eigen::RowVectorXd(problem.normal.row(i)),
                                            Eigen::RowVectorXd(problem.tangent[i].row(0)),
                                            Eigen::RowVectorXd(problem.tangent[i].row(1))}) {
        ++tests;
        worse += kolmogorov(row * set.velocity, row * other.velocity) > level;
      }
    }
  }
  EXPECT_GT(tests, 20);
  EXPECT_EQ(worse, 0);
}

TEST(SmoothCone, PlanarProblemsIgnoreIt) {
  std::mt19937_64 random(1);
  ImpactProblem problem = puck(0, 1, 0.4);
  problem.tangent = {Eigen::MatrixXd(problem.tangent[0].row(0))};
  ImpactOptions options;
  ImpactOutcome a, b;
  const auto resolver = makeResolver("routh");
  ASSERT_EQ(resolver->resolve(problem, options, {1, 2}, a), ImpactStatus::kResolved);
  options.smooth_cone = true;
  ASSERT_EQ(resolver->resolve(problem, options, {1, 2}, b), ImpactStatus::kResolved);
  EXPECT_EQ(a.velocity, b.velocity);
}

}  // namespace
}  // namespace rigor::impact
