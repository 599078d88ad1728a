// SPDX-License-Identifier: MIT
// Proved: a piece whose quaternion vanishes is refuted, one whose quaternion does not is proved, whether doubles decide
// (all control points on one side of the origin) or exact arithmetic has to. Oracle: quaternions that vanish, or turn
// by a known angle without, by construction.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "verify/kernel/prove.h"
#include "verify/filter/branch_filter.h"

namespace rigor::verify {
namespace {

using kernel::Answer;

Answer orientationOf(const std::vector<std::array<double, 4>>& control, bool filter = false) {
  kernel::Run run;
  run.gap_floor = 1;
  run.model.bodies.resize(1);
  kernel::Branch branch;
  branch.id = "0";
  branch.end_time = branch.min_gap = 1;
  kernel::Piece piece{};
  piece.body = 0;
  piece.t1 = 1;
  piece.q_degree = static_cast<int>(control.size()) - 1;
  for (std::size_t i = 0; i < control.size(); ++i) std::memcpy(piece.q[i], control[i].data(), sizeof piece.q[i]);
  const kernel::BranchProof proof(run, branch, {{piece}, {}, {}, {}}, kernel::Origin());
  EXPECT_TRUE(proof.malformed().empty());
  for (const kernel::Obligation& obligation : proof.obligations()) {
    if (obligation.kind != kernel::Obligation::Kind::kOrientation) continue;
    const auto finding = proof.discharge(obligation);
    const std::vector<filter::Solid> solids(run.model.bodies.begin(), run.model.bodies.end());
    filter::ClaimFilter workspace;
    const bool proved = filter::BranchFilter(proof, solids).proves(obligation, workspace);
    EXPECT_FALSE(proved && finding);
    if (filter) return proved ? Answer::kYes : Answer::kUndecided;
    return !finding ? Answer::kYes : finding->refuted ? Answer::kNo : Answer::kUndecided;
  }
  ADD_FAILURE() << "no obligation";
  return Answer::kUndecided;
}

TEST(Orientation, SmallTurnsAreProved) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    std::array<double, 4> q{};
    for (double& x : q) x = normal(random);
    std::vector<std::array<double, 4>> control(1 + k % 4, q);
    for (auto& point : control)
      for (double& x : point) x += 0.1 * normal(random) * std::abs(q[0]);
    EXPECT_EQ(orientationOf(control), Answer::kYes) << k;
    EXPECT_EQ(orientationOf(control, true), Answer::kYes) << k;
  }
}

TEST(Orientation, LargeTurnsNeedTheExactLook) {
  // The last control point lies on the other side of the first: half a turn of q, and more.
  EXPECT_EQ(orientationOf({{1, 0, 0, 0}, {0, 1, 0, 0}, {-1, 0, 0, 0}}), Answer::kYes);
  EXPECT_EQ(orientationOf({{1, 0, 0, 0}, {1, 2, 0, 0}, {-1, 2, 0, 0}, {-1, -1e-3, 0, 0}}), Answer::kYes);
  // At a right angle, where doubles cannot tell the side.
  EXPECT_EQ(orientationOf({{0.1, 0.3, 0, 0}, {-0.3, 0.1, 0, 0}}), Answer::kYes);
}

TEST(Orientation, VanishingIsRefuted) {
  EXPECT_EQ(orientationOf({{0, 0, 0, 0}}), Answer::kNo);
  EXPECT_EQ(orientationOf({{0.1, 0.7, -0.3, 0.2}, {-0.1, -0.7, 0.3, -0.2}}), Answer::kNo);
  // Cubic, at 1/2: b0 + 3 b1 + 3 b2 + b3 = 0.
  EXPECT_NE(orientationOf({{1, 2, 0, 0}, {0.5, -1, 0, 0}, {-0.5, 1, 0, 0}, {-1, -2, 0, 0}}), Answer::kYes);
  // At the end alone.
  EXPECT_EQ(orientationOf({{1, 2, 3, 4}, {0, 0, 0, 0}}), Answer::kNo);
  // Squares that underflow.
  EXPECT_EQ(orientationOf({{1e-200, 0, 0, 0}, {-1e-200, 0, 0, 0}}), Answer::kNo);
  EXPECT_EQ(orientationOf({{1e-200, 0, 0, 0}, {1e-200, 0, 0, 0}}), Answer::kYes);
}

}  // namespace
}  // namespace rigor::verify
