// SPDX-License-Identifier: MIT
// Proved: LemkeSolver solves random copositive problems of the two contact forms (rank-deficient J, degenerate right-
// hand
// sides) with a scaled residual below 1e-10 against the original matrix, and what it calls solved is a solution.
// Oracles:
// the residual, recomputed here in long double; enumeration of complementary bases for small problems; textbook cases.
#include "impact/lcp/lcp.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdio>
#include <random>

#include "impact/lcp/lemke.h"
#include "tests/allocation_counter.h"

namespace rigor::impact {
namespace {

constexpr double kResidual = 1e-10;

// max |min(z, w)| in extended precision, relative to the largest term of any w.
double independentResidual(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z) {
  long double worst = 0, scale = 0;
  for (int i = 0; i < q.size(); ++i) {
    long double w = q[i];
    scale = std::max(scale, std::abs(w));
    for (int j = 0; j < q.size(); ++j) {
      const long double term = static_cast<long double>(M(i, j)) * z[j];
      w += term;
      scale = std::max(scale, std::abs(term));
    }
    worst = std::max(worst, std::abs(std::min<long double>(z[i], w)));
  }
  return scale > 0 ? static_cast<double>(worst / scale) : 0;
}

struct Lcp {
  Eigen::MatrixXd M;
  Eigen::VectorXd q;
};

// The contact LCP (W, w), or the sampler's step (W_R, w_R), of a random planar mechanism with m contacts and n
// velocities; n < 2 m
// makes J rank-deficient.
Lcp contactLcp(std::mt19937_64& random, int m, int n, bool routh) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  Eigen::MatrixXd G(n, n);
  for (double& x : G.reshaped()) x = normal(random);
  const Eigen::MatrixXd inverse_mass = G * G.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd J(3 * m, n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      J(i, j) = random() % 3 == 0 ? std::round(normal(random)) : normal(random);
      J(m + 2 * i, j) = random() % 3 == 0 ? 0 : normal(random);
    }
    // Redundant contacts: some repeat the tangent or the normal of the one before.
    if (i > 0 && random() % 2) J.row(m + 2 * i) = J.row(m + 2 * i - 2);
    if (i > 0 && random() % 4 == 0) J.row(i) = J.row(i - 1);
    J.row(m + 2 * i + 1) = -J.row(m + 2 * i);
  }
  Eigen::VectorXd v(n);
  for (double& x : v) x = random() % 4 == 0 ? 0 : normal(random);
  const int offset = routh ? m : 0, size = offset + 4 * m;
  Lcp lcp{Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size)};
  lcp.M.block(offset, offset, 3 * m, 3 * m) = J * inverse_mass * J.transpose();
  lcp.q.segment(offset, 3 * m) = J * v;
  for (int i = 0; i < m; ++i) {
    const int g = offset + 3 * m + i;
    const double mu = random() % 5 == 0 ? 0 : 2 * unit(random);
    for (int k = 0; k < 2; ++k) {
      lcp.M(offset + m + 2 * i + k, g) = 1;
      lcp.M(g, offset + m + 2 * i + k) = -1;
    }
    lcp.M(g, offset + i) = mu;
    if (!routh) continue;
    lcp.M(offset + i, i) = 1;
    lcp.M(i, offset + i) = -1;
    lcp.q[i] = unit(random);
  }
  return lcp;
}

TEST(Lcp, ResidualIsZeroAtSolutionsOnly) {
  const Eigen::MatrixXd M = (Eigen::MatrixXd(2, 2) << 2, 1, 1, 2).finished();
  const Eigen::Vector2d q(-5, -6), z(4.0 / 3, 7.0 / 3);
  EXPECT_LT(lcpResidual(M, q, z), 1e-15);
  EXPECT_GT(lcpResidual(M, q, Eigen::Vector2d(4.0 / 3, 7.0 / 3 + 1e-6)), 1e-8);
  EXPECT_GT(lcpResidual(M, q, Eigen::Vector2d(0, 0)), 0.9);
  EXPECT_EQ(lcpResidual(M, q, Eigen::Vector2d(std::nan(""), 0)), HUGE_VAL);
}

TEST(Lcp, EnumerationFindsEverySolution) {
  // [CPS] with M = [1 2; 2 1], q = (-1, -1): z = (1/3, 1/3), (1, 0) and (0, 1).
  const Eigen::MatrixXd M = (Eigen::MatrixXd(2, 2) << 1, 2, 2, 1).finished();
  std::vector<Eigen::VectorXd> found;
  EXPECT_EQ(enumerateLcp(M, Eigen::Vector2d(-1, -1), kResidual, [&](const Eigen::VectorXd& z) {
              found.push_back(z);
              return true;
            }), 3);
  for (const auto& expected : {Eigen::Vector2d(1.0 / 3, 1.0 / 3), Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 1)}) {
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const auto& z) { return (z - expected).norm() < 1e-12; }));
  }
}

TEST(Lemke, TextbookProblems) {
  LemkeSolver solver;
  Eigen::VectorXd z(3);
  // Cottle, Pang and Stone, example 4.4.7: M = [1 0 0; 2 1 0; 2 2 1], q = (-8, -12, -14): z = (8, 0, 0).
  const Eigen::MatrixXd M = (Eigen::MatrixXd(3, 3) << 1, 0, 0, 2, 1, 0, 2, 2, 1).finished();
  ASSERT_EQ(solver.solve(M, Eigen::Vector3d(-8, -12, -14), z), LcpStatus::kSolved);
  EXPECT_LT((z - Eigen::Vector3d(8, 0, 0)).norm(), 1e-13);
}

TEST(Lemke, UnsolvableIsNotSolved) {
  LemkeSolver solver;
  Eigen::VectorXd z(2);
  // w1 = -1 + 0 z: no solution.
  const Eigen::MatrixXd M = (Eigen::MatrixXd(2, 2) << 0, 0, 0, 1).finished();
  EXPECT_EQ(solver.solve(M, Eigen::Vector2d(-1, -1), z), LcpStatus::kFailed);
  const Eigen::MatrixXd bad = (Eigen::MatrixXd(2, 2) << std::nan(""), 0, 0, 1).finished();
  EXPECT_EQ(solver.solve(bad, Eigen::Vector2d(-1, -1), z), LcpStatus::kFailed);
}

TEST(Lemke, AgreesWithEnumerationOnWhetherASolutionExists) {
  // General matrices: Lemke may fail where a solution exists only before its last fallback, enumeration.
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  LemkeSolver solver;
  int solvable = 0;
  for (int k = 0; k < 3000; ++k) {
    const int n = 1 + static_cast<int>(random() % 6);
    Eigen::MatrixXd M(n, n);
    Eigen::VectorXd q(n), z(n);
    for (double& x : M.reshaped()) x = normal(random);
    for (double& x : q) x = normal(random);
    const bool exists = enumerateLcp(M, q, kResidual, [](const Eigen::VectorXd&) { return false; }) > 0;
    solvable += exists;
    const LcpStatus status = solver.solve(M, q, z);
    EXPECT_EQ(status == LcpStatus::kSolved, exists) << k;
    if (status == LcpStatus::kSolved) {
      EXPECT_LT(independentResidual(M, q, z), kResidual);
    }
  }
  EXPECT_GT(solvable, 1000);
  EXPECT_LT(solvable, 2900);
}

TEST(Lemke, DoesNotAllocateOnceSized) {
  std::mt19937_64 random(4);
  const Lcp lcp = contactLcp(random, 2, 3, true);
  LemkeSolver solver;
  Eigen::VectorXd z(lcp.q.size());
  ASSERT_EQ(solver.solve(lcp.M, lcp.q, z), LcpStatus::kSolved);
  if (allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  const long before = allocations();
  ASSERT_EQ(solver.solve(lcp.M, lcp.q, z), LcpStatus::kSolved);
  EXPECT_EQ(allocations(), before);
}

void runContactProblems(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LemkeSolver solver;
  double worst = 0;
  long failed = 0;
  for (int k = 0; k < count; ++k) {
    const int m = 1 + static_cast<int>(random() % 5), n = 1 + static_cast<int>(random() % 9);
    const Lcp lcp = contactLcp(random, m, n, k % 2);
    Eigen::VectorXd z(lcp.q.size());
    if (solver.solve(lcp.M, lcp.q, z) != LcpStatus::kSolved) {
      ++failed;
      continue;
    }
    const double residual = independentResidual(lcp.M, lcp.q, z);
    worst = std::max(worst, residual);
    EXPECT_LT(residual, kResidual) << k;
  }
  const auto& stats = solver.stats();
  std::printf(
      "worst residual %.2g, failed %ld of %d, pivots a solve %.1f, retries %ld, regularised %ld, enumerated %ld\n",
      worst, failed, count, static_cast<double>(stats.pivots) / count, stats.retries, stats.regularised,
      stats.enumerated);
  EXPECT_EQ(failed, 0);
}

TEST(LemkeRandom, ContactProblems) { runContactProblems(30000, 5); }
TEST(SlowLemkeRandom, MillionContactProblems) { runContactProblems(1000000, 6); }

}  // namespace
}  // namespace rigor::impact
