// SPDX-License-Identifier: MIT
// Proved: shortestTurn() turns its first direction to its second, by the angle between them, about an axis across both,
// also where they are opposite but for rounding. Oracle: the rotation matrix of the quaternion.
#include "geom/shortest_turn.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "geom/pose.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// What a cosine of -1 + 1e-2 loses of the angle, and room.
constexpr double kTurnRounding = 4e-14;

void expectShortest(const Vector3d& a, const Vector3d& b) {
  const Eigen::Vector4d q = shortestTurn(a, b);
  const Vector3d from = a.normalized(), to = b.normalized();
  EXPECT_NEAR(q.norm(), 1, kTurnRounding);
  EXPECT_LE((quaternionMatrix(q) * from - to).norm(), kTurnRounding) << a.transpose() << " to " << b.transpose();
  EXPECT_NEAR(q.tail<3>().dot(from), 0, kTurnRounding);
  EXPECT_NEAR(q.tail<3>().dot(to), 0, kTurnRounding);
  EXPECT_NEAR(q[0], (from + to).norm() / 2, kTurnRounding);  // The cosine of half the angle.
}

TEST(ShortestTurn, TakesOneDirectionToAnother) {
  std::mt19937 random(7);
  std::normal_distribution<> gauss;
  const auto vector = [&] { return Vector3d(gauss(random), gauss(random), gauss(random)); };
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3d a = 1e-3 * vector();
    expectShortest(a, 1e3 * vector());
    expectShortest(a, a);
    expectShortest(a, -2 * a);
    expectShortest(a, -a + std::pow(10, -trial % 20) * a.norm() * vector());
  }
}

TEST(ShortestTurn, OppositeOfAnAxisIsAHalfTurnAboutAnother) {
  EXPECT_EQ(shortestTurn(Vector3d::UnitZ(), -Vector3d::UnitZ()), Eigen::Vector4d(0, -1, 0, 0));
  EXPECT_EQ(shortestTurn(Vector3d::UnitY(), -Vector3d::UnitY()).cwiseAbs().sum(), 1);
  EXPECT_EQ(shortestTurn(Vector3d::UnitX(), Vector3d::UnitX()), Eigen::Vector4d(1, 0, 0, 0));
}

}  // namespace
}  // namespace rigor::geom
