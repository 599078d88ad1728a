// SPDX-License-Identifier: MIT
// Proved: restitution by energy returns e^2 of the work of compression at any rates: without friction e = 1 conserves
// the kinetic energy in every sample, one contact has Newton's coefficient, two in turn have the closed form; e -> 0 is
// e = 0; with friction energy never grows. Oracles: closed forms of balls in a row, conservation laws, the inelastic
// samples themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "impact/models/routh.h"
#include "impact/problem/separable.h"
#include "impact/samples/outcome_set.h"
#include "impact/samples/sampler.h"
#include "impact/sets/exact_set.h"
#include "impact/sets/polytope_union.h"
#include "published_problems.h"
#include "random_planar.h"
#include "tests/impact/outcome_checks.h"

namespace rigor::impact {
namespace {

using test::energyOf;

SampleSet drawEnergy(const ImpactProblem& problem, long samples, const ImpactOptions& options = {}) {
  SamplerOptions sampler;
  sampler.samples = samples;
  sampler.mixed_rates = true;
  SampleSet set = drawSamples("routh", problem, options, sampler);
  EXPECT_EQ(set.failed, 0);
  EXPECT_EQ(set.unfinished, 0);
  return set;
}

/// Balls in a row that touch, the first of which is hit; masses as given.
ImpactProblem row(const std::vector<double>& masses, double e) {
  const auto n = static_cast<Eigen::Index>(masses.size());
  ImpactProblem problem;
  problem.mass_matrix = Eigen::VectorXd::Map(masses.data(), n).asDiagonal();
  problem.normal = Eigen::MatrixXd::Zero(n - 1, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) problem.normal(i, i) = -1, problem.normal(i, i + 1) = 1;
  problem.tangent.assign(masses.size() - 1, Eigen::MatrixXd(0, n));
  problem.friction.assign(masses.size() - 1, 0.0);
  problem.restitution.assign(masses.size() - 1, e);
  problem.velocity = Eigen::VectorXd::Unit(n, 0);
  return problem;
}

TEST(EnergyRestitution, ElasticImpactsConserveEnergyAndMomentum) {
  for (const std::vector<double>& masses :
       {std::vector<double>{1, 1, 1}, {1, 1, 1, 1, 1}, {1, 3, 0.2, 5}, {1, 1e4, 1}}) {
    const ImpactProblem problem = row(masses, 1);
    const double before = energyOf(problem, problem.velocity),
                 momentum = (problem.mass_matrix * problem.velocity).sum();
    const SampleSet set = drawEnergy(problem, 2000);
    double spread = 0;
    for (const auto v : set.velocity.colwise()) {
      EXPECT_NEAR(energyOf(problem, v), before, 1e-9 * before);
      EXPECT_NEAR((problem.mass_matrix * v).sum(), momentum, 1e-9 * momentum);
      spread = std::max(spread, kineticDistance(problem, v, set.velocity.col(0)));
    }
    if (masses.size() > 3) {
      EXPECT_GT(spread, 0.1);  // Which of them remains open.
    }
  }
}

TEST(EnergyRestitution, ElasticFrictionlessBodiesConserveEnergy) {
  for (ImpactProblem problem : {test::rockingBlock(), test::compassGait(), test::diskStack()}) {
    problem.friction.assign(problem.friction.size(), 0.0);
    problem.restitution.assign(problem.friction.size(), 1.0);
    const double before = energyOf(problem, problem.velocity);
    const SampleSet set = drawEnergy(problem, 500);
    for (const auto v : set.velocity.colwise()) EXPECT_NEAR(energyOf(problem, v), before, 1e-9 * before);
  }
}

// Three contacts drawn at random, heavy balls that press light ones against others, and against a wall: hundreds of
// rebounds. Up to all of the energy was lost where they took more steps than samples have.
TEST(EnergyRestitution, ManyReboundsConserveEnergyToo) {
  std::vector<ImpactProblem> problems = {row({480, 0.11, 1e4}, 1), row({1e4, 1e-2, 1, 1e4}, 1),
                                         row({0.16, 3.8, 3.1e-3, 46}, 1)};
  problems.push_back(row({480, 0.11}, 1));
  problems.back().normal.conservativeResize(2, Eigen::NoChange);
  problems.back().normal.row(1) << 0, -1;
  problems.back().tangent.emplace_back(0, 2);
  problems.back().friction.push_back(0);
  problems.back().restitution.push_back(1);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    problems.push_back(test::randomThreeContacts(seed, 3));
    problems.back().friction.assign(3, 0.0);
    problems.back().restitution.assign(3, 1.0);
  }
  for (const ImpactProblem& problem : problems) {
    const double before = energyOf(problem, problem.velocity);
    const SampleSet set = drawEnergy(problem, 200);
    EXPECT_EQ(set.restitution_cut, 0) << &problem - problems.data();
    for (const auto v : set.velocity.colwise()) ASSERT_NEAR(energyOf(problem, v), before, 1e-9 * before);
  }
}

TEST(EnergyRestitution, TheExactExchangeIsAmongTheSamples) {
  const ImpactProblem problem = row({1, 1, 1}, 1);
  const SampleSet set = drawEnergy(problem, 2000);
  double nearest = HUGE_VAL;
  for (const auto v : set.velocity.colwise()) nearest = std::min(nearest, (v - Eigen::Vector3d(0, 0, 1)).norm());
  EXPECT_LT(nearest, 1e-6);
}

/// Largest violation of the exact inelastic set by a sample, relative to the largest contact speed before.
double farthestFromInelastic(const ImpactProblem& problem, const SampleSet& samples) {
  ImpactProblem inelastic = problem;
  inelastic.restitution.assign(problem.friction.size(), 0.0);
  const ExactSet set(inelastic);
  const PolytopeUnion outcomes(set);
  const std::vector<int>& coordinates = set.problem().coordinates();
  Eigen::MatrixXd J(static_cast<Eigen::Index>(coordinates.size()), problem.numVelocities());
  for (size_t k = 0; k < coordinates.size(); ++k) {
    const ExactProblem::Row& row = set.problem().rows()[static_cast<size_t>(coordinates[k])];
    J.row(static_cast<Eigen::Index>(k)) =
        row.normal ? problem.normal.row(row.contact) : problem.tangent[static_cast<size_t>(row.contact)].row(0);
  }
  double worst = 0;
  for (const auto v : samples.velocity.colwise()) worst = std::max(worst, outcomes.violation(J * v));
  return worst / set.problem().speed();
}

TEST(EnergyRestitution, TheSetGoesToTheInelasticOne) {
  for (ImpactProblem problem : {test::rockingBlock(), test::boxAndWall(), test::compassGait()}) {
    const SampleSet none = drawEnergy(problem, 1000);
    for (const double e : {1e-12, 1e-6, 1e-3}) {
      problem.restitution.assign(problem.friction.size(), e);
      const SampleSet little = drawEnergy(problem, 1000);
      // e^2 of the energy is e of the speed; contacts that press each other together multiply it.
      EXPECT_LT(farthestFromInelastic(problem, little), 10 * e + 1e-9) << e;
      if (e > 1e-12) continue;
      EXPECT_LT((none.velocity - little.velocity).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
}

// Corners of the set without restitution are samples with so little, too: independent rates miss extremes.
TEST(SlowEnergyRestitution, ExtremesGoToTheInelasticOnes) {
  SamplerOptions sampler;
  sampler.samples = 500;
  sampler.mixed_rates = sampler.corners = true;
  for (ImpactProblem problem : {test::rockingBlock(), test::compassGait(), test::randomThreeContacts(3, 4)}) {
    const Eigen::MatrixXd none = drawSamples("routh", problem, {}, sampler).velocity;
    problem.restitution.assign(problem.friction.size(), 1e-12);
    const Eigen::MatrixXd little = drawSamples("routh", problem, {}, sampler).velocity;
    EXPECT_LT((none.rowwise().maxCoeff() - little.rowwise().maxCoeff()).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((none.rowwise().minCoeff() - little.rowwise().minCoeff()).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(EnergyRestitution, FrictionOnlyTakesEnergy) {
  for (int k = 0; k < 40; ++k) {
    ImpactProblem problem = test::randomPlanar(static_cast<std::uint64_t>(k));
    problem.restitution.assign(problem.friction.size(), k % 2 ? 1.0 : 0.6);
    const double before = energyOf(problem, problem.velocity);
    SamplerOptions sampler;
    sampler.samples = 50;
    const SampleSet set = drawSamples("routh", problem, {}, sampler);
    EXPECT_EQ(set.failed, 0) << k;
    for (const auto v : set.velocity.colwise()) {
      EXPECT_LE(energyOf(problem, v), before * (1 + 1e-11));
      EXPECT_GE((problem.normal * v).minCoeff(), -1e-9);
    }
  }
}

/// Planar or spatial contacts drawn at random that a motion separates whatever their friction does: nothing is wedged.
ImpactProblem randomRebounds(std::uint64_t seed, int tangents) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> pick(0, 5);
  const double mu[] = {0, 0.1, 0.3, 0.7, 1, 2}, e[] = {0, 1, 1e-12, 0.3, 0.7, 0.9};
  while (true) {
    const int n = 2 + tangents + pick(random) % 4, m = 2 + pick(random) % 2;
    const auto draw = [&](int rows) {
      return Eigen::MatrixXd::NullaryExpr(rows, n, [&] { return normal(random); }).eval();
    };
    const Eigen::MatrixXd A = draw(n);
    ImpactProblem problem;
    problem.mass_matrix = A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(n, n);
    problem.normal = draw(m);
    problem.velocity = draw(1).row(0);
    ImpactProblem cones = problem;  // A contact for each edge of a friction cone.
    cones.normal.resize(8 * m, n);
    cones.tangent.assign(8 * static_cast<size_t>(m), Eigen::MatrixXd(0, n));
    cones.friction.assign(8 * static_cast<size_t>(m), 0.0);
    for (int i = 0; i < m; ++i) {
      problem.friction.push_back(mu[pick(random)]), problem.restitution.push_back(e[pick(random)]);
      const Eigen::MatrixXd& T = problem.tangent.emplace_back(draw(tangents));
      for (int k = 0; k < 8; ++k) {
        const Eigen::Vector2d along(std::cos(k * M_PI / 4), std::sin(k * M_PI / 4));
        cones.normal.row(8 * i + k) =
            problem.normal.row(i) + problem.friction.back() * along.head(tangents).transpose() * T;
      }
    }
    if ((problem.normal * problem.velocity).minCoeff() < -0.05 && findSeparability(cones).separable) return problem;
  }
}

/// Work of every contact along the straight steps of a sample: what it took while it approached, and what it gave.
struct Works {
  std::vector<double> in, out;
  Works(const ImpactProblem& problem, const std::vector<ImpactOutcome>& steps)
      : in(problem.friction.size()), out(problem.friction.size()) {
    for (Eigen::Index i = 0; i < problem.normal.rows(); ++i) {
      double from = problem.normal.row(i).dot(problem.velocity), had = 0;
      for (const ImpactOutcome& step : steps) {
        const double to = problem.normal.row(i).dot(step.velocity);
        const double impulse = step.impulses[static_cast<size_t>(i)][0] - had;
        const double crossing = from * to < 0 ? from / (from - to) : 1;  // Part of the step up to the sign's change.
        for (const double work : {impulse * crossing * (from + (crossing < 1 ? 0 : to)) / 2,
                                  impulse * (1 - crossing) * to / 2})
          (work < 0 ? in : out)[static_cast<size_t>(i)] += std::abs(work);
        from = to, had += impulse;
      }
    }
  }
};

// A contact that had nearly returned what it owed pushed as little as those that wait: their friction was taken for
// that of slips that turn, steps were cut until nothing moved, and 1 in 20 samples kept a part of what they owed.
TEST(SlowEnergyRestitution, EveryContactReturnsItsShareWithFriction) {
  int samples = 0, cut = 0;
  for (const int tangents : {1, 2}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const ImpactProblem problem = randomRebounds(seed, tangents);
      const double before = energyOf(problem, problem.velocity);
      Routh routh;
      routh.mixRates(true);
      std::vector<ImpactOutcome> steps;
      routh.traceTo(&steps);
      for (std::uint64_t k = 0; k < 40; ++k) {
        steps.clear();
        ImpactOutcome outcome;
        ASSERT_EQ(routh.resolve(problem, {}, {seed, k}, outcome), ImpactStatus::kResolved) << seed << ' ' << k;
        ++samples;
        if (!outcome.note.empty()) {
          ++cut;
          continue;
        }
        const Works works(problem, steps);
        for (size_t i = 0; i < works.in.size(); ++i) {
          // Contacts that separate slower than 1e-6 of the speed may push: StepJumps.
          const double e = problem.restitution[i];
          ASSERT_NEAR(works.out[i], e * e * works.in[i], (e > 1e-6 ? 1e-9 : 1e-5) * before) << seed << ' ' << k;
        }
      }
    }
  }
  EXPECT_LT(cut, samples / 200);
}

TEST(EnergyRestitution, OneContactReturnsWhatItTook) {
  // A rod that lands on its end without friction, and two balls in turn: the closed forms of Newton's coefficient.
  for (const double e : {0.25, 0.5, 0.9}) {
    const ImpactProblem pair = row({1, 2}, e);
    const SampleSet set = drawEnergy(pair, 50);
    for (const auto v : set.velocity.colwise()) EXPECT_NEAR((pair.normal * v)[0], e, 1e-9);
    // The last of three balls, hit in turn: ((1 + e) / 2)^2.
    const ImpactProblem three = row({1, 1, 1}, e);
    double nearest = HUGE_VAL;
    const SampleSet in_turn = drawEnergy(three, 2000);
    for (const auto v : in_turn.velocity.colwise()) nearest = std::min(nearest, std::abs(v[2] - (1 + e) * (1 + e) / 4));
    EXPECT_LT(nearest, 1e-6);
  }
}

}  // namespace
}  // namespace rigor::impact
