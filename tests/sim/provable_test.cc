// SPDX-License-Identifier: MIT
// Proves: runs that are longer, and bodies that are faster, than doubles can account for are refused in one sentence or
// end with it, and what is just allowed is proved, laws of motion included. Oracle: the independent verifier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using ::testing::HasSubstr;

SceneText cube(double edge, double gravity) {
  SceneText text;
  text.gravity = {0, 0, -gravity};
  text.bodies = {{"cube", box({edge, edge, edge}), 1, {0, 0, 3 * edge}}};
  return text;
}

std::string refusal(const SceneText& text) {
  try {
    const Simulation simulation(text.parse(), 0);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

void expectProved(const SceneText& text) {
  const ProvedRun run = simulate(text.parse());
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified && run.report.physics_known)
      << (run.report.failures.empty() ? "" : run.report.failures[0].reason);
}

TEST(Provable, LongRests) {
  for (const double edge : {1e-4, 0.1, 10.0}) {
    SceneText text = cube(edge, 9.81);
    text.bodies.push_back(ground());
    text.bodies[0].orientation = {1, 0.1, 0.2, 0.3};
    const double longest = 1e10 * std::sqrt(edge / 9.81);
    text.until = 0.999 * longest;
    expectProved(text);
    text.until = 1.001 * longest;
    EXPECT_THAT(refusal(text), HasSubstr("too long"));
  }
}

TEST(Provable, LaterEndsOfARunThatGoesOnAreRefusedToo) {
  Simulation simulation(cube(0.1, 9.81).parse(), 0);
  Sink sink;
  EXPECT_THROW(simulation.run(1e15, sink), SceneError);
  EXPECT_EQ(simulation.run(0.1, sink).time, 0.1);
}

/// Once round, or a length.
TEST(Provable, FastStarts) {
  for (const double edge : {1e-9, 1e-6, 0.1}) {
    const double gravity = 1e-4, V = std::sqrt(gravity * edge);
    SceneText text = cube(edge, gravity);
    text.until = 1e-2 * edge / V;
    text.bodies[0].velocity = {4.9e4 * V, 0, 0};
    text.bodies[0].angular_velocity = {0, 4.9e3 * V / edge, 0};
    expectProved(text);
    text.bodies[0].velocity = {5.1e4 * V, 0, 0};
    EXPECT_THAT(refusal(text), HasSubstr("'cube' moves at"));
    text.bodies[0].velocity = {0, 0, 0};
    text.bodies[0].angular_velocity = {0, 5.1e3 * V / edge, 0};
    EXPECT_THAT(refusal(text), HasSubstr("'cube' turns at"));
  }
}

TEST(Provable, AFallEndsWhereItIsTooFast) {
  SceneText text = cube(0.1, 9.81);
  const double V = std::sqrt(0.1 * 9.81);
  text.bodies[0].velocity = {0, 0, -4.99e4 * V};
  text.until = 100;
  const ProvedRun run = simulate(text.parse());
  EXPECT_EQ(run.summary.status, RunStatus::kFailed);
  EXPECT_THAT(run.summary.message, HasSubstr("'cube' moves at"));
  EXPECT_NEAR(run.summary.time, 100 * V / 9.81, 0.2);
  EXPECT_TRUE(run.report.verified);
}

}  // namespace
}  // namespace rigor::sim::test
