// SPDX-License-Identifier: MIT
// Proves that what rests stays: without drift, energy gain or many steps. Oracle: the start itself, and the verifier.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

/// Resting bodies start a little above the nominal gap: they may sink to it.
constexpr double kSettling = 5e-8;
constexpr double kDrift = 1e-9;  // [m]

/// Largest distance that a moving body's origin has moved from its start.
double largestMove(const ProvedRun& run, bool horizontally = false) {
  double largest = 0;
  for (size_t i = 0; i < run.scene.bodies.size(); ++i) {
    if (run.scene.bodies[i].fixed) continue;
    Vector3d move = run.endPosition(static_cast<int>(i)) - run.scene.bodies[i].pose.p;
    if (horizontally) move.z() = 0;
    largest = std::max(largest, move.norm());
  }
  return largest;
}

TEST(Rest, AHundredSecondsInFewStepsWithoutDrift) {
  for (const std::string friction : {"0", "0.3", "no-slip"}) {
    SCOPED_TRACE(friction);
    SceneText text;
    text.friction = friction;
    text.until = 100;
    BodyText b{"die", box({0.1, 0.1, 0.1})};
    b.position = {0.3, -0.2, 0.0500000125};
    b.orientation = {0.9, 0, 0, 0.3};
    text.bodies = {ground(), b};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    EXPECT_LE(run.summary.steps, 200);
    EXPECT_LT(largestMove(run, true), kDrift);
    EXPECT_LT(largestMove(run), kSettling);
    EXPECT_LE(run.summary.energy_final, run.summary.energy_initial);
    EXPECT_LT(endSpeed(run, 1), 1e-9);
  }
}

TEST(Rest, AThrownDieStaysWhereItCameToRest) {
  Scene scene = bundledScene("die");
  const ProvedRun run = simulate(scene, {.until = 100});
  ASSERT_EQ(wrong(run), "");
  EXPECT_LT((run.positionAt(1, 100) - run.positionAt(1, 10)).norm(), kDrift);
  EXPECT_LE(run.last(1).piece.t0, 10);
}

TEST(Rest, TwoCubesOneOnTheOther) {
  SceneText text;
  text.until = 100;
  BodyText lower{"lower", box({0.1, 0.1, 0.1})}, upper{"upper", box({0.1, 0.1, 0.1})};
  lower.position = {0, 0, 0.0500000125};
  upper.position = {0.02, 0.03, 0.150000025};
  upper.orientation = {0.95, 0, 0, 0.2};
  text.bodies = {ground(), lower, upper};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_LE(run.summary.steps, 200);
  EXPECT_LT(largestMove(run, true), kDrift);
  EXPECT_LT(largestMove(run), 2 * kSettling);
}

void stands(const std::string& name, double until, double drift) {
  const ProvedRun run = simulate(bundledScene(name), {.until = until});
  ASSERT_EQ(wrong(run), "");
  EXPECT_EQ(run.summary.time, until);
  EXPECT_LT(largestMove(run), drift);
  ::testing::Test::RecordProperty("steps", static_cast<int>(run.summary.steps));
}

TEST(Rest, StackOfTenStands) { stands("stack-10", 10, 1e-6); }
TEST(Rest, CardHouseStands) { stands("card-house", 5, 1e-6); }
TEST(SlowRest, ArchStands) { stands("arch", 1, 1e-6); }

}  // namespace
}  // namespace rigor::sim::test
