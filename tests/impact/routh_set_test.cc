// SPDX-License-Identifier: MIT
// Proved: the Routh sampler's sets are those of the model. All solutions of a step are found and chosen without bias,
// so that the published sets appear whole; distributions do not depend on the contacts' order, the tangents' signs, the
// frame or the units; restitution has its limits (none, Newton's, the exact exchange) and never adds energy. Oracles:
// enumeration of complementary bases, closed forms, published values, two-sample tests with fixed seeds.
#include "impact/models/routh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>

#include "impact/lcp/lcp.h"
#include "impact/models/step_modes.h"
#include "impact/samples/outcome_set.h"
#include "impact/samples/sampler.h"
#include "published_problems.h"
#include "tests/allocation_counter.h"
#include "tests/dense_algebra.h"

namespace rigor::impact {
namespace {

SampleSet draw(const ImpactProblem& problem, double step, int samples, std::uint64_t seed = 1,
               ImpactOptions options = {}) {
  options.step = step;
  options.step_is_impulse = true;
  SamplerOptions sampler;
  sampler.samples = samples;
  sampler.seed = seed;
  SampleSet set = drawSamples("routh", problem, options, sampler);
  EXPECT_EQ(set.failed, 0);
  EXPECT_LT(set.worst_residual, 1e-10);
  EXPECT_LE(set.worst_energy_increase, 1e-11);
  return set;
}

double nearest(const ImpactProblem& problem, const SampleSet& set, const Eigen::VectorXd& v) {
  double least = HUGE_VAL;
  for (long k = 0; k < set.velocity.cols(); ++k) {
    least = std::min(least, kineticDistance(problem, set.velocity.col(k), v));
  }
  return least;
}

// The planar step's LCP, built from its definition.
struct StepLcp {
  Eigen::MatrixXd J, minv_Jt, W;
  int m;
  explicit StepLcp(const ImpactProblem& p) : m(p.numContacts()) {
    J.resize(3 * m, p.numVelocities());
    J.topRows(m) = p.normal;
    for (int i = 0; i < m; ++i) J.row(m + 2 * i) = p.tangent[i], J.row(m + 2 * i + 1) = -p.tangent[i];
    minv_Jt = algebra::product(algebra::inverse(p.mass_matrix), J.transpose());
    W.setZero(5 * m, 5 * m);
    W.block(m, m, 3 * m, 3 * m) = algebra::product(J, minv_Jt);
    for (int i = 0; i < m; ++i) {
      W(m + i, i) = 1;
      W(i, m + i) = -1;
      W.block(2 * m + 2 * i, 4 * m + i, 2, 1).setOnes();
      W.block(4 * m + i, 2 * m + 2 * i, 1, 2).setConstant(-1);
      W(4 * m + i, m + i) = p.friction[i];
    }
  }
  /// @param given  Normal impulses that act anyway, with friction; those of the step come on top.
  std::vector<Eigen::VectorXd> solutions(const Eigen::VectorXd& v, const Eigen::VectorXd& limit,
                                         const Eigen::VectorXd& given) const {
    Eigen::VectorXd q = Eigen::VectorXd::Zero(5 * m);
    q.head(m) = limit;
    q.segment(m, 3 * m) = J * v;
    q.tail(4 * m) += W.block(m, m, 4 * m, m) * given;
    std::vector<Eigen::VectorXd> found;
    enumerateLcp(W, q, 1e-10, [&](const Eigen::VectorXd& z) {
      const Eigen::VectorXd after = v + minv_Jt * z.segment(m, 3 * m) + minv_Jt.leftCols(m) * given;
      for (const Eigen::VectorXd& other : found) {
        if ((after - other).norm() < 1e-7) return true;
      }
      found.push_back(after);
      return true;
    });
    return found;
  }
  std::vector<Eigen::VectorXd> solutions(const Eigen::VectorXd& v, const Eigen::VectorXd& limit) const {
    return solutions(v, limit, Eigen::VectorXd::Zero(m));
  }
};

TEST(StepModes, FindAllSolutionsThatEnumerationFinds) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  int several = 0, several_given = 0;
  for (ImpactProblem problem : {test::rockingBlock(), test::boxAndWall(), test::compassGait()}) {
    const StepLcp lcp(problem);
    StepModes modes, returning;
    ASSERT_TRUE(modes.prepare(problem, problem.friction, 8, 49));
    ASSERT_TRUE(returning.prepare(problem, problem.friction, 8, 81, true));
    const double a = modes.rows().inverse_mass_scale;
    const Eigen::MatrixXd inverse = algebra::inverse(problem.mass_matrix);
    for (int k = 0; k < 60; ++k) {
      const int n = problem.numVelocities();
      Eigen::VectorXd v = problem.velocity;
      if (k > 0) {
        for (int i = 0; i < n; ++i) v[i] = 0.3 * normal(random);
      }
      Eigen::Vector2d limit(0.5 * unit(random), 0.5 * unit(random));
      const Eigen::VectorXd b = modes.rows().J * v;
      const Eigen::Vector2d scaled = limit * a;
      // As it is, and with impulses given back: by both contacts, by one, by none.
      for (int back = -1; back < 3; ++back) {
        Eigen::Vector2d given(back > 0 ? 0.5 * unit(random) : 0, back > 1 ? 0.5 * unit(random) : 0);
        if (k % 2) std::swap(given[0], given[1]);
        const Eigen::Vector2d scaled_given = given * a;
        StepModes& all = back < 0 ? modes : returning;
        const int found = all.solve(b.data(), scaled.data(), back < 0 ? nullptr : scaled_given.data());
        const auto expected = lcp.solutions(v, limit, given);
        ASSERT_EQ(found, static_cast<int>(expected.size())) << "case " << k << ", given " << given.transpose();
        (back > 0 ? several_given : several) += found > 1;
        for (int s = 0; s < found; ++s) {
          const Eigen::Map<const Eigen::VectorXd> impulse(all.impulse(s), all.rows().numRows());
          const Eigen::VectorXd after = v + inverse * (all.rows().J.transpose() * impulse) / a;
          EXPECT_TRUE(std::any_of(expected.begin(), expected.end(),
                                  [&](const Eigen::VectorXd& e) { return (after - e).norm() < 1e-7; }));
        }
      }
    }
  }
  EXPECT_GT(several_given, 10);
  EXPECT_GT(several, 10);
}

TEST(StepModes, SpatialContactHasOneSolutionPerDirectionOfThePlanarOne) {
  // A contact whose tangents see a planar problem only: the spatial polygon with an edge along the tangent gives the
  // same.
  ImpactProblem planar;
  planar.mass_matrix = Eigen::Vector3d(1, 1, 0.05).asDiagonal();
  // A rod at 45 degrees: A_nt = - 0.5 * .5 / .05; with mu = 3 several solutions.
  planar.normal = Eigen::RowVector3d(0, 1, -0.5);
  planar.tangent = {Eigen::RowVector3d(1, 0, 0.5)};
  planar.friction = {3.0};
  planar.velocity = Eigen::Vector3d(1.5, -1, 0.3);
  ImpactProblem spatial = planar;
  spatial.mass_matrix = Eigen::Vector4d(1, 1, 0.05, 1).asDiagonal();
  spatial.normal = Eigen::RowVector4d(0, 1, -0.5, 0);
  spatial.tangent = {(Eigen::MatrixXd(2, 4) << 1, 0, 0.5, 0, 0, 0, 0, 1).finished()};
  spatial.velocity = Eigen::Vector4d(1.5, -1, 0.3, 0);
  StepModes in_plane, in_space;
  ASSERT_TRUE(in_plane.prepare(planar, planar.friction, 8, 400));
  ASSERT_TRUE(in_space.prepare(spatial, spatial.friction, 8, 400));
  EXPECT_EQ(numStepModes(2, 8), 35);
  for (double limit : {0.01, 0.1, 1.0, 10.0}) {
    for (double speed : {-2.0, -0.5, 0.0, 0.7, 2.5}) {
      planar.velocity[0] = spatial.velocity[0] = speed;
      const Eigen::VectorXd b2 = in_plane.rows().J * planar.velocity, b3 = in_space.rows().J * spatial.velocity;
      const int two = in_plane.solve(b2.data(), &limit), three = in_space.solve(b3.data(), &limit);
      EXPECT_GE(two, 1);
      // Every planar solution is one in space.
      for (int s = 0; s < two; ++s) {
        bool met = false;
        for (int t = 0; t < three; ++t) {
          met = met || (std::abs(in_plane.impulse(s)[0] - in_space.impulse(t)[0]) < 1e-9 &&
                        std::abs(in_plane.impulse(s)[1] - in_space.impulse(t)[1]) < 1e-9 &&
                        std::abs(in_space.impulse(t)[2]) < 1e-9);
        }
        EXPECT_TRUE(met);
      }
    }
  }
}

TEST(StepModes, UniqueOnesAreLeftToPivoting) {
  ImpactProblem problem = test::rockingBlock();
  StepModes modes;
  EXPECT_FALSE(modes.prepare(problem, {0.0, 0.0}, 8, 400));
  EXPECT_FALSE(modes.prepare(problem, problem.friction, 8, 48));
}

// A pivoting rule of its own collapses these sets.
TEST(RouthSet, RamOneIsATriangle) {
  const ImpactProblem problem = test::ramOne();
  const SampleSet set = draw(problem, 1, 4000);
  EXPECT_EQ(set.unfinished, 0);
  // Trailing foot: (v_t, v_n) of the three outcomes stick, slide, lift; the leading foot sticks.
  const Eigen::Vector2d stick(0, 0), slide(-.0195163, 0), lift(-.0273501, .000330823);
  Eigen::Matrix3d corners;
  corners << stick, slide, lift, 1, 1, 1;
  const Eigen::Matrix3d barycentric = corners.inverse();
  std::array<int, 3> at_corner{};
  int inside = 0;
  for (long k = 0; k < set.velocity.cols(); ++k) {
    const Eigen::VectorXd v = set.velocity.col(k);
    EXPECT_LT(std::abs(problem.normal.row(0).dot(v)), 1e-8);
    EXPECT_LT(std::abs(problem.tangent[0].row(0).dot(v)), 1e-8);
    const Eigen::Vector3d share =
        barycentric * Eigen::Vector3d(problem.tangent[1].row(0).dot(v), problem.normal.row(1).dot(v), 1);
    EXPECT_GT(share.minCoeff(), -1e-4);
    for (int c = 0; c < 3; ++c) at_corner[c] += share[c] > 1 - 1e-4;
    inside += share.minCoeff() > 0.02;
  }
  for (int c = 0; c < 3; ++c) EXPECT_GT(at_corner[c], 150) << "corner " << c;
  EXPECT_GT(inside, 80);
  EXPECT_NEAR(std::accumulate(set.lcps.begin(), set.lcps.end(), 0.0) / set.velocity.cols(), 3.0,
              0.2);  // published 3.20
}

TEST(RouthSet, GaitsContainAllThreeSimultaneousOutcomes) {
  for (const auto& [problem, h] : {std::pair{test::compassGait(), 0.25}, std::pair{test::ramOne(), 1.0}}) {
    // Anitescu and Potra's outcomes: the step's LCP with limits that do not bind.
    const auto solutions = StepLcp(problem).solutions(problem.velocity, Eigen::Vector2d(1e3, 1e3));
    EXPECT_EQ(solutions.size(), 3u);
    const SampleSet set = draw(problem, h, 4000);
    for (const Eigen::VectorXd& v : solutions) EXPECT_LT(nearest(problem, set, v), 1e-9);
  }
  const SampleSet set = draw(test::compassGait(), 0.25, 4000);
  EXPECT_NEAR(std::accumulate(set.lcps.begin(), set.lcps.end(), 0.0) / set.velocity.cols(), 2.27, 0.1);  // published
}

TEST(RouthSet, EqualSolutionsOfAStepAreEquallyLikely) {
  // One step with limits that do not bind: three solutions, each in a third of the samples. Chi-square with 2 degrees
  // of freedom: above 13.8 in 0.1 % of seeds.
  const ImpactProblem problem = test::compassGait();
  ImpactOptions options;
  const SampleSet set = draw(problem, 1e6, 6000, 3, options);
  const auto solutions = StepLcp(problem).solutions(problem.velocity, Eigen::Vector2d(1e3, 1e3));
  std::array<int, 3> count{};
  for (long k = 0; k < set.velocity.cols(); ++k) {
    for (int s = 0; s < 3; ++s) count[s] += kineticDistance(problem, set.velocity.col(k), solutions[s]) < 1e-6;
  }
  double chi_sq = 0;
  for (int s = 0; s < 3; ++s) chi_sq += (count[s] - 2000.0) * (count[s] - 2000.0) / 2000;
  EXPECT_LT(chi_sq, 13.8) << count[0] << " " << count[1] << " " << count[2];
}

// Two-sample Kolmogorov-Smirnov distance; above 1.95 sqrt((a + b) / (a b)) in 0.1 % of seeds.
double kolmogorov(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double worst = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double x = std::min(a[i], b[j]) + 1e-9;  // equal outcomes differ by rounding
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    worst = std::max(worst, std::abs(static_cast<double>(i) / a.size() - static_cast<double>(j) / b.size()));
  }
  return worst;
}

struct Transformed {
  ImpactProblem problem;
  Eigen::MatrixXd back;  // velocities of the transformed problem to those of the original
};

enum Change { kOrder, kSign, kFrame, kUnits, kBasis };

// Contacts reversed; every other tangent's sign turned; frame rotated (an orthogonal change of velocities); units of
// mass and speed changed; the basis of every tangent plane turned by an angle of its own.
Transformed transform(const ImpactProblem& problem, Change change) {
  const int m = problem.numContacts(), n = problem.numVelocities();
  Transformed t{problem, Eigen::MatrixXd::Identity(n, n)};
  for (int i = 0; change == kOrder && i < m; ++i) {
    t.problem.normal.row(i) = problem.normal.row(m - 1 - i);
    t.problem.tangent[i] = problem.tangent[m - 1 - i];
  }
  for (int i = 0; change == kSign && i < m; i += 2) t.problem.tangent[i] *= -1;
  for (int i = 0; change == kBasis && i < m; ++i)
    t.problem.tangent[i] = Eigen::Rotation2Dd(0.3 + i).toRotationMatrix() * problem.tangent[i];
  if (change == kFrame) {
    std::mt19937_64 random(8);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd random_matrix(n, n);
    for (double& x : random_matrix.reshaped()) x = normal(random);
    const Eigen::MatrixXd Q = algebra::orthogonalFactor(random_matrix);
    t.back = Q;  // v = Q v'
    t.problem.mass_matrix = algebra::congruence(Q.transpose(), problem.mass_matrix);
    t.problem.normal = algebra::product(t.problem.normal, Q);
    for (Eigen::MatrixXd& T : t.problem.tangent) T = algebra::product(T, Q);
    t.problem.velocity = Q.transpose() * problem.velocity;
  }
  if (change == kUnits) {
    t.problem.mass_matrix *= 1e3;
    t.problem.velocity *= 1e-2;
    t.back *= 1e2;
  }
  return t;
}

// Some 100 tests of level 0.1 % a call (problems x changes x contact velocities); with Bonferroni's bound a call fails
// by chance for at most a tenth of seeds; these seeds are fixed.
void expectStatisticsOfTheProblemAlone(const ImpactProblem& problem, const ImpactOptions& options, int samples,
                                       std::initializer_list<Change> changes) {
  const double level = 1.95 * std::sqrt(2.0 / samples);
  SamplerOptions sampler;
  sampler.samples = samples;
  sampler.seed = 100;
  sampler.threads = 1;
  const SampleSet original = drawSamples("routh", problem, options, sampler);
  ASSERT_EQ(original.velocity.cols(), samples);
  // Threads: the same bits.
  sampler.threads = 3;
  EXPECT_TRUE((drawSamples("routh", problem, options, sampler).velocity.array() == original.velocity.array()).all());
  for (const Change change : changes) {
    const Transformed t = transform(problem, change);
    sampler.seed = 200 + change;
    const SampleSet other = drawSamples("routh", t.problem, options, sampler);
    ASSERT_EQ(other.velocity.cols(), samples);
    const Eigen::MatrixXd back = t.back * other.velocity;
    const double scale = problem.velocity.norm();
    for (int i = 0; i < problem.numContacts(); ++i) {
      Eigen::MatrixXd rows(1 + problem.tangent[i].rows(), problem.numVelocities());
      rows << problem.normal.row(i), problem.tangent[i];
      const Eigen::MatrixXd a = rows * original.velocity / scale, b = rows * back / scale;
      for (long r = 0; r < rows.rows(); ++r) {
        const Eigen::RowVectorXd x = a.row(r), y = b.row(r);
        EXPECT_LT(kolmogorov({x.begin(), x.end()}, {y.begin(), y.end()}), level)
            << problem.numContacts() << " contacts, change " << change << ", contact " << i << ", row " << r;
      }
    }
  }
}

std::array<ImpactProblem, 5> fiveExamples() {
  return {test::rockingBlock(), test::boxAndWall(), test::compassGait(), test::ramOne(), test::diskStack()};
}

TEST(RouthSet, StatisticsDependOnTheProblemAlone) {
  for (const ImpactProblem& problem : fiveExamples())
    expectStatisticsOfTheProblemAlone(problem, {}, 3000, {kOrder, kSign, kFrame, kUnits});
}

TEST(SlowRouthSet, StatisticsWithRestitutionDependOnTheProblemAlone) {
  for (ImpactProblem problem : fiveExamples()) {
    problem.restitution.assign(problem.numContacts(), 0.5);
    expectStatisticsOfTheProblemAlone(problem, {}, 3000, {kOrder, kSign, kFrame, kUnits});
  }
}

TEST(SlowRouthSet, StatisticsOfRoundConesDependOnTheProblemAlone) {
  ImpactOptions options;
  options.smooth_cone = true;
  double e = 0;  // In turn: what restitution adds is told by the test above, for each example.
  for (const ImpactProblem& planar : fiveExamples()) {
    ImpactProblem problem = test::inSpace(planar);
    problem.restitution.assign(problem.numContacts(), e);
    expectStatisticsOfTheProblemAlone(problem, options, 8000, {kOrder, kSign, kFrame, kUnits, kBasis});
    e = 0.5 - e;
  }
}

/// A light direction between heavy ones: a contact that stops alone with some 1e-3 N s needs 3,000 N s where both act.
ImpactProblem massRatioOf1e8() {
  ImpactProblem problem;
  problem.mass_matrix =
      (Eigen::MatrixXd(3, 3) << 1534.2082170024153, 761.8490893701601, -3511.80202772513, 761.8490893701601,
       1561.7366176497408, -1739.2362523259685, -3511.80202772513, -1739.2362523259685, 8038.532297925665)
          .finished();
  problem.normal = (Eigen::MatrixXd(2, 3) << 0.5388939662582121, 0.5958246544998067, -0.24195295361864605,
                    0.5908298540480339, -0.3766929935135106, -0.2873613963608698)
                       .finished();
  problem.tangent = {
      (Eigen::MatrixXd(1, 3) << 1.0032734191712374, 0.5724920854529665, -0.9818309935763971).finished(),
      (Eigen::MatrixXd(1, 3) << -0.9056045775064779, -0.3161937157778849, 0.6602573074308948).finished()};
  problem.friction = {0, 1}, problem.restitution = {0, 0};
  problem.velocity = Eigen::Vector3d(-0.4204054595827304, 1.585501483374166, 0.4262885905215657);
  return problem;
}

TEST(RouthSet, MassRatiosOf1e8EndWithinTheUsualSteps) {
  const ImpactProblem problem = massRatioOf1e8();
  const double before = problem.velocity.dot(problem.mass_matrix * problem.velocity);
  for (const bool mixed : {false, true}) {
    Routh routh;
    routh.mixRates(mixed);
    for (std::uint64_t k = 0; k < 200; ++k) {
      ImpactOutcome outcome;
      ASSERT_EQ(routh.resolve(problem, {}, {5, k}, outcome), ImpactStatus::kResolved) << k;
      EXPECT_GE((problem.normal * outcome.velocity).minCoeff(), -1e-9) << k;
      EXPECT_LE(outcome.velocity.dot(problem.mass_matrix * outcome.velocity), before) << k;
    }
  }
}

TEST(RouthSet, LastSmallStepKeepsTrajectories) {
  const ImpactProblem problem = test::diskStack();
  ImpactOptions options;
  options.max_steps = 10;
  const SampleSet set = draw(problem, 1, 1000, 5, options);
  EXPECT_GT(set.ended_small, 0);
  EXPECT_EQ(set.velocity.cols() + set.unfinished, 1000);
  // Where steps are as small as the ones that would end it, nothing is thrown away.
  ImpactOptions small;
  small.max_steps = 40;
  const SampleSet fine = draw(problem, 0.5, 1000, 6, small);
  EXPECT_EQ(fine.unfinished, 0);
  // Far from separation a sample stays unfinished.
  ImpactOptions none;
  none.max_steps = 1;
  const SampleSet far = draw(test::rockingBlock(), 1e-3, 100, 7, none);
  EXPECT_EQ(far.unfinished, 100);
  EXPECT_EQ(far.velocity.cols(), 0);
}

TEST(RouthSet, SamplesDoNotAllocate) {
  if (allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  ImpactProblem bouncing = test::diskStack();
  bouncing.restitution.assign(5, 0.5);
  for (const ImpactProblem& problem : {test::rockingBlock(), test::compassGait(), test::diskStack(), bouncing}) {
    const auto resolver = makeResolver("routh");
    ImpactOutcome outcome;
    for (std::uint64_t k = 0; k < 200; ++k) (void)resolver->resolve(problem, {}, {1, k}, outcome);
    const long before = allocations();
    for (std::uint64_t k = 200; k < 1200; ++k) (void)resolver->resolve(problem, {}, {1, k}, outcome);
    EXPECT_EQ(allocations(), before);
  }
}

TEST(RouthSet, AResolverForgetsTheProblemBefore) {
  // What is kept from sample to sample must not leak into another problem, however alike.
  ImpactProblem a = test::compassGait(), b = a;
  b.friction[1] = 4.5;
  ImpactOptions few;
  few.max_modes = 1;
  const auto used = makeResolver("routh");
  ImpactOutcome first, second;
  for (std::uint64_t k = 0; k < 50; ++k) {
    for (const auto& [problem, options] :
         {std::pair{&a, ImpactOptions{}}, std::pair{&b, ImpactOptions{}}, std::pair{&a, few}}) {
      ASSERT_EQ(used->resolve(*problem, options, {1, k}, first), ImpactStatus::kResolved);
      ASSERT_EQ(makeResolver("routh")->resolve(*problem, options, {1, k}, second), ImpactStatus::kResolved);
      EXPECT_EQ(first.velocity, second.velocity);
    }
  }
}

ImpactProblem cradle(int balls, double e) {
  ImpactProblem problem;
  problem.mass_matrix = 0.3 * Eigen::MatrixXd::Identity(balls, balls);
  problem.normal = Eigen::MatrixXd::Zero(balls - 1, balls);
  for (int i = 0; i + 1 < balls; ++i) problem.normal(i, i) = -1, problem.normal(i, i + 1) = 1;
  problem.friction.assign(balls - 1, 0.0);
  problem.restitution.assign(balls - 1, e);
  problem.velocity = Eigen::VectorXd::Zero(balls);
  problem.velocity[0] = 2;
  return problem;
}

TEST(RouthRestitution, CradleContainsTheExactExchange) {
  for (int balls : {3, 5}) {
    const ImpactProblem problem = cradle(balls, 1);
    SamplerOptions sampler;
    sampler.samples = 3000;
    const SampleSet set = drawSamples("routh", problem, {}, sampler);
    EXPECT_EQ(set.unfinished + set.failed, 0);
    EXPECT_LT(nearest(problem, set, 2 * Eigen::VectorXd::Unit(balls, balls - 1)), 1e-9);
    // Momentum stays; energy too where the contacts act one after the other, and never more; there are several
    // outcomes.
    double spread = 0;
    for (long k = 0; k < set.velocity.cols(); ++k) {
      EXPECT_LE(set.velocity.col(k).squaredNorm(), 4 * (1 + 1e-11));
      EXPECT_NEAR(set.velocity.col(k).sum(), 2, 1e-12);
      spread = std::max(spread, kineticDistance(problem, set.velocity.col(0), set.velocity.col(k)));
    }
    EXPECT_GT(spread, 0.1);
  }
}

// Steps with ample limits: the first compresses, the second returns all that is owed at once. The second has several
// solutions, of which each is to be equally likely where modes are enumerated (5 standard deviations). Paths from where
// feet stand still prefer one of two: a third of the choices or more goes to each.
TEST(RouthRestitution, EqualSolutionsOfAReturningStepAreEquallyLikely) {
  int tested = 0;
  for (const int max_modes : {400, 0}) {
    for (ImpactProblem problem : {test::compassGait(), test::ramOne()}) {
      if (max_modes == 0 && problem.numVelocities() > 4) continue;
      problem.restitution.assign(2, 0.02);
      const StepLcp lcp(problem);
      ImpactOptions options;
      options.step = 1e6;
      options.step_is_impulse = true;
      options.max_modes = max_modes;
      options.own["restitution_law"] = std::string("poisson");
      Routh routh;
      std::vector<ImpactOutcome> steps;
      routh.traceTo(&steps);
      // By the velocity after the first step: the solutions of the second, and how often each was taken.
      struct Second {
        Eigen::VectorXd from;
        std::vector<Eigen::VectorXd> solutions;
        std::vector<int> count;
        int other = 0;
      };
      std::vector<Second> seconds;
      ImpactOutcome outcome;
      for (std::uint64_t k = 0; k < 9000; ++k) {
        steps.clear();
        ASSERT_EQ(routh.resolve(problem, options, {5, k}, outcome), ImpactStatus::kResolved);
        if (steps.size() < 2) continue;
        const Eigen::Vector2d received(steps[0].impulses[0][0], steps[0].impulses[1][0]);
        if (received.minCoeff() <= 0) continue;  // Sequential, or one contact alone.
        auto at = std::find_if(seconds.begin(), seconds.end(),
                               [&](const Second& s) { return (s.from - steps[0].velocity).norm() < 1e-7; });
        if (at == seconds.end()) {
          at = seconds.insert(
              at,
              {steps[0].velocity, lcp.solutions(steps[0].velocity, Eigen::Vector2d(1e3, 1e3), 0.02 * received), {}, 0});
          at->count.resize(at->solutions.size());
        }
        bool met = false;
        for (std::size_t s = 0; s < at->solutions.size(); ++s) {
          if ((at->solutions[s] - steps[1].velocity).norm() < 1e-7) ++at->count[s], met = true;
        }
        at->other += !met;
      }
      for (const Second& second : seconds) {
        const double total = std::accumulate(second.count.begin(), second.count.end(), 0.0);
        if (total < 1000 || second.count.size() < 2) continue;
        ++tested;
        EXPECT_EQ(second.other, 0);
        const double even = total / second.count.size();
        for (const int c : second.count)
          EXPECT_NEAR(c, even, max_modes > 0 ? 5 * std::sqrt(even) : 0.2 * total)
              << "modes " << max_modes << ", n " << problem.numVelocities();
      }
    }
  }
  EXPECT_GE(tested, 3);
}

TEST(RouthRestitution, NoneGivesTheInelasticSetToTheBit) {
  for (ImpactProblem problem : {test::rockingBlock(), test::compassGait(), test::diskStack()}) {
    const SampleSet with_zeros = draw(problem, 0.4, 300);
    problem.restitution.clear();
    const SampleSet without = draw(problem, 0.4, 300);
    EXPECT_TRUE((with_zeros.velocity.array() == without.velocity.array()).all());
  }
}

TEST(RouthRestitution, SlowContactsAreCaptured) {
  ImpactProblem problem =
      test::rockingBlock();  // falls flat at 0.44 m/s: the corners receive what stops 0.44 m/s or less
  problem.restitution.assign(2, 0.9);
  ImpactOptions options;
  options.capture_speed = 3;
  const SampleSet set = draw(problem, 0.3, 300, 1, options);
  EXPECT_LT((problem.normal * set.velocity).maxCoeff(), .0930183852795 + 1e-9);  // the inelastic set's largest
  const SampleSet rebounds = draw(problem, 0.3, 300);
  EXPECT_GT((problem.normal * rebounds.velocity).minCoeff(), -1e-9);
  EXPECT_GT((problem.normal * rebounds.velocity).maxCoeff(), 0.3);
}

TEST(RouthRestitution, FrictionlessContactHasNewtonsCoefficient) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (double e : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    ImpactProblem problem;
    Eigen::Matrix3d L;
    for (double& x : L.reshaped()) x = normal(random);
    problem.mass_matrix = L * L.transpose() + 0.1 * Eigen::Matrix3d::Identity();
    problem.normal = Eigen::RowVector3d(normal(random), normal(random), normal(random));
    problem.friction = {0};
    problem.restitution = {e};
    problem.velocity = -problem.normal.transpose();
    const double before = (problem.normal * problem.velocity)[0];
    SamplerOptions sampler;
    sampler.samples = 50;
    const SampleSet set = drawSamples("routh", problem, {}, sampler);
    ASSERT_EQ(set.velocity.cols(), 50);
    for (long k = 0; k < set.velocity.cols(); ++k) {
      EXPECT_NEAR((problem.normal * set.velocity.col(k))[0], -e * before, 1e-9 * std::abs(before));
    }
  }
}

TEST(RouthRestitution, StrongesLawLimitsPoissons) {
  // A rod that hits at an angle and sticks: Poisson's e = 1 would add energy. Stronge: the work given back is e^2 of
  // what went in, so for e = 1 and a contact that neither slips nor lifts sideways the energy is at most that before;
  // with friction it is lost in any case.
  for (double mu : {0.1, 0.5, 1.0, 3.0}) {
    for (double angle = 0.05; angle < 1.5; angle += 0.1) {
      for (double slip : {-3.0, -0.5, 0.0, 0.5, 3.0}) {
        ImpactProblem problem;
        problem.mass_matrix = Eigen::Vector3d(1, 1, 1.0 / 12).asDiagonal();
        const double x = 0.5 * std::cos(angle), y = -0.5 * std::sin(angle);
        problem.normal = Eigen::RowVector3d(0, 1, x);
        problem.tangent = {Eigen::RowVector3d(1, 0, -y)};
        problem.friction = {mu};
        problem.restitution = {1};
        problem.velocity = Eigen::Vector3d(slip, -1, 0);
        const SampleSet set = draw(problem, 0.02, 3);
        ASSERT_EQ(set.velocity.cols(), 3) << mu << " " << angle << " " << slip;
        EXPECT_LE(set.worst_energy_increase, 1e-11);
      }
    }
  }
}

TEST(RouthRestitution, EnergyNeverGrowsAndSamplesEnd) {
  for (ImpactProblem problem :
       {test::rockingBlock(), test::boxAndWall(), test::compassGait(), test::ramOne(), test::diskStack()}) {
    for (double e : {0.3, 0.8, 1.0}) {
      problem.restitution.assign(problem.numContacts(), e);
      SamplerOptions sampler;
      sampler.samples = 300;
      const SampleSet set = drawSamples("routh", problem, {}, sampler);
      EXPECT_EQ(set.failed, 0);
      EXPECT_EQ(set.unfinished, 0);
      EXPECT_LE(set.worst_energy_increase, 1e-11);
    }
  }
}

}  // namespace
}  // namespace rigor::impact
