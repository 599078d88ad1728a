// SPDX-License-Identifier: MIT
// Proves that nothing passes a thin wall, however fast and with however long steps. Oracle: the side of the wall on
// which the centre is at every recorded instant, and the verifier for those between.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

void throwAtPlate(double max_step, int first, int phases) {
  for (int i = first; i < first + phases; ++i) {
    SCOPED_TRACE(fmt::format("max_step {} phase {}", max_step, i));
    SceneText text;
    text.until = 0.02;
    text.solver = fmt::format("max_step: {:.17g}", max_step);
    BodyText plate{"plate", box({4, 4, 0.001}), 0}, cube{"cube", box({0.1, 0.1, 0.1})};
    const double phase = (i + 0.5) / 40;
    cube.position = {0, 0, 1 + 0.2 * phase};  // One step of 1 ms at 200 m/s.
    cube.orientation = Vector4d(std::cos(3 * phase), 0.3, 0.5 * std::sin(5 * phase), 0.2).normalized();
    cube.velocity = {0, 0, -200};
    cube.angular_velocity = {60, -64, 48};
    text.bodies = {plate, cube};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    EXPECT_GT(run.summary.impacts, 0);
    for (const PieceRecord& r : run.pieces)
      for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
        ASSERT_GT(r.piece.at(r.piece.t0 + share * (r.piece.t1 - r.piece.t0)).p.z(), 0.05) << r.piece.t0;
  }
}

TEST(Tunnel, FastCubeNeverPassesThePlate) {
  throwAtPlate(1, 0, 4);
  throwAtPlate(0.1, 4, 4);
  throwAtPlate(0.01, 8, 4);
  throwAtPlate(0.001, 12, 4);
}

TEST(SlowTunnel, FastCubeNeverPassesThePlateAtAnyPhase) {
  for (const double max_step : {1.0, 0.1, 0.01, 0.001}) throwAtPlate(max_step, 0, 40);
}

void staysInCup(double until, double max_step) {
  SCOPED_TRACE(max_step);
  Scene scene = bundledScene("ball-in-cup");
  scene.solver.max_step = max_step;
  scene.text.clear(), scene.files.clear();  // No longer what they say.
  const ProvedRun run = simulate(scene, {.until = until});
  ASSERT_EQ(wrong(run), "");
  EXPECT_GT(run.summary.impacts, 0);
  for (const PieceRecord& r : run.pieces) {
    const Vector3d p = r.piece.end().p;
    ASSERT_GT(p.z(), 0) << r.piece.t1;
    if (p.z() < 0.19) {
      ASSERT_LT(p.head<2>().norm(), 0.056) << r.piece.t1;  // Corner of the octagon.
    }
  }
}

TEST(Tunnel, BallStaysInTheCup) { staysInCup(0.02, 0.1); }
TEST(SlowTunnel, BallStaysInTheCupForLong) {
  for (const double max_step : {1.0, 0.01}) staysInCup(0.3, max_step);
}

}  // namespace
}  // namespace rigor::sim::test
