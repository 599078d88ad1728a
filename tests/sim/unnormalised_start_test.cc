// SPDX-License-Identifier: MIT
// Proves that a body whose start is given by a quaternion of any length turns on its published curve as it does in
// truth, at every instant, not only at the ends of steps. Oracle: a cube in flight keeps its angular velocity.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

// What a cubic in quaternions makes of a turn by one radian, the most of a step: its rate, relative.
constexpr double kCurve = 0.01;

TEST(UnnormalisedStart, TurnsSteadily) {
  for (const double length : {1.0, 0.02, 0.5, 2.0, 300.0}) {
    BodyText cube{"cube", kCube};
    const Vector3d spin(2.7, -7.6, 0.1);
    cube.orientation = length * Vector4d(0.5, -0.5, 0.1, 0.7).normalized();
    cube.angular_velocity = spin;
    SceneText text;
    text.bodies = {cube}, text.gravity = {0, 0, 0}, text.until = 1;
    const ProvedRun run = simulate(text.parse());
    EXPECT_EQ(wrong(run), "") << length;
    EXPECT_EQ(run.pieces[0].piece.q[0].norm(), cube.orientation.norm());
    for (const PieceRecord& record : run.pieces)
      for (const double u : {0.2, 0.5, 0.7}) {
        Vector3d v, w;
        record.piece.velocityAt(record.piece.t0 + u * (record.piece.t1 - record.piece.t0), v, w);
        EXPECT_LE((w - spin).norm(), kCurve * spin.norm()) << length << ", at " << record.piece.t0;
      }
  }
}

}  // namespace
}  // namespace rigor::sim::test
