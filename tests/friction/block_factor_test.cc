// SPDX-License-Identifier: MIT
// Proved: BlockFactor solves random systems on random graphs, blocks of 6 and of other sizes mixed, unsymmetric, to
// rounding: the residual of the system written down densely is the oracle.
#include "friction/block_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

namespace rigor::friction {
namespace {

double uniform(std::mt19937_64& random) { return 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1; }

TEST(BlockFactor, SolvesRandomSystems) {
  std::mt19937_64 random(5);
  BlockFactor factor;
  for (int k = 0; k < 200; ++k) {
    const int n = 1 + static_cast<int>(random() % 20);
    std::vector<int> sizes, first{0};
    for (int i = 0; i < n; ++i)
      sizes.push_back(k % 3 == 0 ? 1 + static_cast<int>(random() % 9) : 6),
          first.push_back(first.back() + sizes.back());
    std::vector<std::pair<int, int>> edges;
    for (int e = 0; e < 2 * n && n > 1; ++e) {
      const int i = static_cast<int>(random() % n), j = static_cast<int>(random() % n);
      if (i != j) edges.emplace_back(i, j);
    }
    factor.setGraph(sizes, edges);
    factor.setZero();
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(first[n], first[n]);
    const auto put = [&](double* block, int i, int j, double diagonal) {
      for (int c = 0; c < sizes[j]; ++c)
        for (int r = 0; r < sizes[i]; ++r) {
          const double x = uniform(random) + (r == c ? diagonal : 0);
          block[r + c * sizes[i]] += x, dense(first[i] + r, first[j] + c) += x;
        }
    };
    for (int i = 0; i < n; ++i) put(factor.diagonal(i), i, i, 30);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      put(factor.edge(static_cast<int>(e), true), edges[e].first, edges[e].second, 0);
      put(factor.edge(static_cast<int>(e), false), edges[e].second, edges[e].first, 0);
    }
    Eigen::VectorXd b(first[n]);
    for (double& x : b) x = uniform(random);
    Eigen::VectorXd x = b;
    ASSERT_TRUE(factor.factor());
    factor.solve(x.data());
    EXPECT_LE((dense * x - b).cwiseAbs().maxCoeff(), 1e-13) << "case " << k;
  }
}

TEST(BlockFactor, SaysWhereAMatrixIsSingular) {
  BlockFactor factor;
  const std::vector<int> sizes{6, 6};
  const std::vector<std::pair<int, int>> edges{{0, 1}};
  factor.setGraph(sizes, edges);
  factor.setZero();
  EXPECT_FALSE(factor.factor());
  for (int i = 0; i < 6; ++i) factor.diagonal(0)[7 * i] = factor.diagonal(1)[7 * i] = 1;
  factor.diagonal(1)[0] = std::nan("");
  EXPECT_FALSE(factor.factor());
}

}  // namespace
}  // namespace rigor::friction
