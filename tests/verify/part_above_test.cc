// SPDX-License-Identifier: MIT
// Proves: a turning body that the filter finds above a half-space is above it. Oracle: the lowest corner at sampled
// instants, and the kernel, which decides in exact arithmetic.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "hand_made_run.h"
#include "verify/filter/branch_filter.h"

namespace rigor::verify {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using kernel::made::kSize;

kernel::Piece turning(std::mt19937_64& random, double height) {
  std::uniform_real_distribution<double> share(-1, 1);
  kernel::Piece piece{};
  piece.body = 1, piece.t1 = 1, piece.p_degree = piece.q_degree = 3;
  const double turn = std::pow(10.0, -3 * std::abs(share(random)));
  double start[4];
  for (double& x : start) x = share(random);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) piece.q[i][k] = start[k] + (i == 0 ? 0 : turn * share(random));
    for (int k = 0; k < 3; ++k) piece.p[i][k] = (k == 2 ? height : 0) + 0.01 * share(random);
  }
  return piece;
}

double lowest(const kernel::Piece& piece, const kernel::Part& part) {
  double least = HUGE_VAL;
  for (int step = 0; step <= 200; ++step) {
    const double u = step / 200.0, s = 1 - u, weight[] = {s * s * s, 3 * s * s * u, 3 * s * u * u, u * u * u};
    Eigen::Vector4d q = Eigen::Vector4d::Zero();
    Vector3d p = Vector3d::Zero();
    for (int i = 0; i < 4; ++i)
      q += weight[i] * Eigen::Map<const Eigen::Vector4d>(piece.q[i]), p += weight[i] * Vector3d(piece.p[i]);
    const Eigen::Matrix3d R = Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
    for (const kernel::Vector3& v : part.vertices) least = std::min(least, (p + R * Vector3d(v.data())).z());
  }
  return least;
}

TEST(PartAbove, IsAbove) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> height(0, 1.2 * kSize);
  int within_ball = 0;
  for (int k = 0; k < 2000; ++k) {
    kernel::made::Made made = kernel::made::rest();
    made.rows[0].pieces = {turning(random, height(random))};
    const kernel::BranchProof proof(made.run, made.run.branches[0], made.rows[0], kernel::Origin());
    if (!proof.malformed().empty()) continue;
    const std::vector<filter::Solid> solids(made.run.model.bodies.begin(), made.run.model.bodies.end());
    filter::ClaimFilter workspace;
    for (const kernel::Obligation& obligation : proof.obligations()) {
      if (obligation.kind != kernel::Obligation::Kind::kClaim) continue;
      if (!filter::BranchFilter(proof, solids).proves(obligation, workspace)) continue;
      EXPECT_FALSE(proof.discharge(obligation)) << k;
      const double least = lowest(proof.rows().pieces[0], made.run.model.bodies[1].parts[0]);
      EXPECT_GE(least, kernel::made::kGap * 0.94) << k;
      within_ball += proof.rows().pieces[0].p[0][2] < 0.8 * kSize;  // Its corners reach farther.
    }
  }
  EXPECT_GT(within_ball, 50);
}

}  // namespace
}  // namespace rigor::verify
