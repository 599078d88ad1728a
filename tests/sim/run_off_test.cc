// SPDX-License-Identifier: MIT
// Proves that contacts end where a vertex slides off its face, or a crossing of edges over their ends: what acts on
// bodies that slide off a table acts where both are, to a thousandth of their size. Oracle: the law `support` of the
// verifier, which works in exact arithmetic on the record alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

constexpr double kReach = 1e-3;  // Of the die's edge: within a step contacts still rise by some 1e-4 of it.

void expectSupported(const ProvedRun& run, const std::string& which) {
  EXPECT_EQ(wrong(run, RunStatus::kDone, 1e-11), "") << which;
  ASSERT_TRUE(run.report.physics_known);
  for (const verify::LawReport& law : run.report.physics) {
    if (law.name != "support") continue;
    EXPECT_LE(law.worst * run.gap, kReach * 0.1) << which << ", at " << law.time << " s";
  }
}

TEST(RunOff, DiceThatSlideOffATable) {
  for (int k = 0; k < 12; ++k) {
    const double turn = 0.13 * k;
    BodyText table{"table", box({0.4, 0.4, 0.1}), 0};
    table.position = {0, 0, -0.05};
    BodyText die{"die", kCube};
    die.position = {0.1, 0.01 * k - 0.05, 0.0501};
    die.orientation = {std::cos(turn / 2), 0, 0, std::sin(turn / 2)};
    die.velocity = {1.2, 0.05 * k, 0}, die.angular_velocity = {0, 0, 0.5 * (k % 5)};
    SceneText text;
    text.bodies = {table, die}, text.friction = k % 3 == 0 ? "0" : "0.15", text.until = 0.4;
    const ProvedRun run = simulate(text.parse());
    expectSupported(run, fmt::format("turned by {}", turn));
    EXPECT_LT(run.endPosition(1).z(), -0.05);  // It has fallen.
  }
}

TEST(RunOff, EdgesThatSlideOverTheirEnds) {
  for (int k = 0; k < 12; ++k) {
    BodyText beam{"beam", box({0.3, 0.05, 0.05}), 0};
    beam.orientation = {std::cos(M_PI / 8), std::sin(M_PI / 8), 0, 0};  // An edge on top.
    BodyText die{"die", kCube};
    die.position = {0.1, 0.01, 0.12};
    die.orientation = {std::cos(M_PI / 8), 0, std::sin(M_PI / 8), 0};
    die.velocity = {0.6 + 0.1 * k, 0.1, -0.5}, die.angular_velocity = {0.3 * k, 1, 0.2};
    SceneText text;
    text.bodies = {beam, die}, text.friction = "0.1", text.until = 0.4;
    expectSupported(simulate(text.parse()), fmt::format("case {}", k));
  }
}

/// A block that slides over the seam of two tables hits the second one's rim at a corner: along the direction between
/// the two, which no face carries. What acts so ends where the corner has left the rim.
TEST(RunOff, BlocksThatSlideOverASeam) {
  for (int k = 0; k < 12; ++k) {
    SceneText text;
    for (const double x : {0.0, 1.0}) {
      BodyText table{x > 0 ? "second" : "first", box({1, 2, 0.2}), 0};
      table.position = {x, 0, -0.1};
      text.bodies.push_back(table);
    }
    BodyText block{"block", kCube};
    const double turn = M_PI / 4 + 0.1 * (k % 4 - 2);
    block.position = {0.2, 0, 0.05 + 1e-9 * (8 + k)};  // In the band.
    block.orientation = {std::cos(turn / 2), 0, 0, std::sin(turn / 2)};
    block.velocity = {2 + 0.2 * k, 0, 0};
    text.bodies.push_back(block), text.friction = "0", text.until = 0.5;
    expectSupported(simulate(text.parse()), fmt::format("case {}", k));
  }
}

/// A ball that is pressed against a wall as high as its centre hops by less than a micrometre, and lands: in between it
/// is beside the wall's rim, and not its face. So high, the slips of both contacts may stop at once.
TEST(RunOff, ABallThatHopsBesideTheRimOfAWall) {
  for (const double along : {0.0, 0.1}) {
    for (const double up : {8e-4, 1.5e-3, 3e-3}) {
      BodyText wall{"wall", box({0.05, 0.4, 0.05}), 0};
      wall.position = {0.075, 0, 0.025};
      BodyText ball{"ball", "{sphere: {radius: 0.05, round: true}}"};
      ball.mass = 0.52;
      ball.position = {-1e-8, 0, 0.05 + 1e-8};
      ball.velocity = {0, along, up};
      SceneText text;
      text.bodies = {ground(), wall, ball}, text.gravity = {3, 0, -9.81}, text.until = 0.2;
      EXPECT_EQ(wrong(simulate(text.parse()), RunStatus::kDone, 1e-11), "") << along << ", " << up;
    }
  }
}

}  // namespace
}  // namespace rigor::sim::test
