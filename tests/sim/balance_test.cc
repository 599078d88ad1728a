// SPDX-License-Identifier: MIT
// Proved: the impulses that a run hands over are what moved its bodies. Momentum and angular momentum, of every piece
// and at every border of two, are those that the impulses give, acting at one point of both bodies in their cones.
// Oracle: the laws in doubles (balance_checker.h), which know nothing of the simulator. Stops of slip: v / (mu g), and
// its like on a slope.
#include <gtest/gtest.h>

#include <cmath>

#include "balance_checker.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kBound = 1.3;       // Of the velocity tolerance: what acts through nothing, where energy is limited.

constexpr double kStill = 1e-7;  // Rest begins below 1e-8 V.

/// @param jump  What velocities may jump by without an impulse.
void expectLaws(const LawResiduals& laws, double tolerance, const std::string& what, double jump = kStill) {
  SCOPED_TRACE(what);
  EXPECT_GT(laws.contacts, 0);
  EXPECT_LT(laws.momentum.value, kBound * tolerance) << "at " << laws.momentum.time;
  EXPECT_LT(laws.angular.value, kBound * tolerance) << "at " << laws.angular.time;
  EXPECT_LT(laws.jump_momentum.value, jump) << "at " << laws.jump_momentum.time;
  EXPECT_LT(laws.jump_angular.value, jump) << "at " << laws.jump_angular.time;
}

SceneText thrownDie(int number) {
  SceneText text;
  text.bodies = {ground(), {"die", kCube, 1, {0, 0, 0.3}}};
  BodyText& die = text.bodies[1];
  const double a = 0.7 * number;
  die.velocity = {std::cos(a), 0.5 * std::sin(3 * a), -1};
  die.angular_velocity = {9 * std::sin(a), 7 * std::cos(2 * a), 3 - a};
  die.orientation = {1, 0.3 * std::cos(a), 0.2, 0.4 * std::sin(a)};
  die.orientation.normalize();
  text.until = 1.5;
  return text;
}

TEST(Balance, ThrownDiceMoveByWhatActsOnThem) {
  for (int k = 0; k < 8; ++k) expectLaws(balanceOf(thrownDie(k).parse(), 1e-4), 2e-3, "die " + std::to_string(k));
}

TEST(Balance, TwoCubesMoveByWhatActsBetweenThem) {
  for (int k = 0; k < 6; ++k) {
    SceneText text = thrownDie(k);
    text.bodies.push_back({"other", kCube, 2, {0.02, 0.01, 0.0501}});
    expectLaws(balanceOf(text.parse(), 1e-4), 2e-3, "cubes " + std::to_string(k),
               kBound * 2e-3);  // Energy is scaled away at cuts.
  }
}

TEST(Balance, FallsWithTheTolerance) {
  for (int k = 0; k < 3; ++k) {
    SceneText text = thrownDie(k);
    text.solver = "velocity_tolerance: 1e-6";
    expectLaws(balanceOf(text.parse(), 1e-4), 1e-6, "die " + std::to_string(k));
  }
}

TEST(Balance, RestIsCarriedToRounding) {
  SceneText text;
  text.bodies = {ground(), {"low", kCube, 1, {0, 0, 0.05}}, {"high", kCube, 3, {0.01, 0, 0.15}}};
  text.until = 20;
  const LawResiduals laws = balanceOf(text.parse(), 1e-4);
  EXPECT_GT(laws.contacts, 0);
  EXPECT_LT(laws.momentum.value, 1e-9);  // 20 s of weight are 200 m V.
  EXPECT_LT(laws.angular.value, 1e-9);
  EXPECT_LT(laws.cone.value, 1e-9);
  EXPECT_LT(laws.support.value, 3);
}

/// Times of the events of a kind, of a block that slides on a plane tilted by `angle` with `speed` upwards.
std::vector<double> eventsOf(const std::string& kind, double angle, double friction, double speed) {
  SceneText text;
  const Vector3d normal(-std::sin(angle), 0, std::cos(angle)), up(std::cos(angle), 0, std::sin(angle));
  BodyText block{"block", "{box: {size: [0.2, 0.2, 0.02]}}", 1, 0.01 * normal};
  block.orientation = {std::cos(0.5 * angle), 0, -std::sin(0.5 * angle), 0};
  block.velocity = speed * up;
  text.bodies = {ground(normal), block};
  text.friction = std::to_string(friction);
  text.until = 1;
  std::vector<double> times;
  for (const Event& event : simulate(text.parse()).events)
    if (event.kind == kind) times.push_back(event.time);
  return times;
}

TEST(Slip, StopsWhereFrictionHasTakenTheSpeed) {
  for (const double speed : {0.3, 1.0})
    for (const double friction : {0.2, 0.5}) {
      const std::vector<double> stops = eventsOf("slip-stop", 0, friction, speed);
      ASSERT_FALSE(stops.empty());
      for (const double t : stops) EXPECT_NEAR(t, speed / (friction * 9.81), 1e-6);
    }
}

TEST(Slip, StopsOnASlopeAndStaysOrSlidesBack) {
  const double angle = 0.3, speed = 0.8;
  for (const double friction : {0.2, 0.6}) {  // tan(angle) is between.
    const double stop = speed / (9.81 * (std::sin(angle) + friction * std::cos(angle)));
    const std::vector<double> stops = eventsOf("slip-stop", angle, friction, speed),
                              starts = eventsOf("slip-start", angle, friction, speed);
    ASSERT_FALSE(stops.empty());
    EXPECT_NEAR(stops[0], stop, 1e-6);
    EXPECT_EQ(starts.empty(), friction > std::tan(angle));
    for (const double t : starts) EXPECT_GE(t, stops[0]);
  }
}

}  // namespace
}  // namespace rigor::sim::test
