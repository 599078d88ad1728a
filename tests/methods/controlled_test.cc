// SPDX-License-Identifier: MIT
// Proved: fixed steps end at the samples of controllers, whatever step was asked for; a quadruped walks by methods with
// fixed steps as fast as it was asked to; a method that grows unstable stops, and says why, before its numbers are
// absurd. Oracles: the same run with steps of the controller's own period, bit for bit; the velocity that the gait was
// asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "method_runs.h"

namespace rigor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFixed[] = {"stewart-trinkle", "anitescu-potra", "convex", "runge-kutta", "variational"};
constexpr double kDefaultStep = 0;

/// The bundled scene, its controller sampling at another rate [1/s].
sim::Scene trot(int rate) {
  std::ifstream file(RIGOR_SOURCE_DIR "/scenes/quadruped-trot.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  std::string scene = text.str();
  const std::string from = "rate: 1000";
  scene.replace(scene.find(from), from.size(), "rate: " + std::to_string(rate));
  return scenes::parseScene(scene, RIGOR_SOURCE_DIR "/scenes/trot.yaml");
}

test::MethodRun runTrot(const std::string& name, int rate, double step, double until) {
  return test::runMethod(name, trot(rate), step, until);
}

TEST(Controlled, StepsEndAtSamples) {
  for (const char* name : kFixed) {
    const test::MethodRun own = runTrot(name, 1000, 0.001, 0.02), longer = runTrot(name, 1000, kDefaultStep, 0.02);
    ASSERT_EQ(own.samples.size(), longer.samples.size()) << name;
    EXPECT_EQ(own.samples.back().q, longer.samples.back().q) << name;
    EXPECT_LE(longer.result.summary.max_step, 0.001 * (1 + 1e-9)) << name;
  }
}

// What is left up to a sample is cut into equal steps.
TEST(Controlled, StepsThatDoNotDividePeriodsBecomeEqual) {
  const test::MethodRun run = runTrot("stewart-trinkle", 1000, 0.0007, 0.01);
  EXPECT_EQ(run.result.summary.steps, 20);
  EXPECT_NEAR(run.result.summary.min_step, 0.0005, 1e-12);
  EXPECT_NEAR(run.result.summary.max_step, 0.0005, 1e-12);
}

TEST(SlowControlled, TheQuadrupedTrotsByAllOfThem) {
  for (const char* name : kFixed) {
    const test::MethodRun run = runTrot(name, 1000, kDefaultStep, 2);
    EXPECT_EQ(run.result.summary.status, sim::RunStatus::kDone) << name << ": " << run.result.summary.message;
    const Eigen::VectorXd &start = run.samples.front().q, &end = run.samples.back().q;
    // Within a fifth, as by the event loop; feet that sink and are put out again fall back.
    EXPECT_NEAR(end[0] - start[0], 0.2, std::string(name) == "anitescu-potra" ? 0.1 : 0.04) << name;
    EXPECT_NEAR(end[2], 0.17, 0.034) << name;
    EXPECT_LT(run.result.summary.max_energy_increase, 1) << name;
  }
}

TEST(Controlled, FreeBodiesMayTurnAsFastAsTheyLike) {
  const std::string spinning =
      "bodies: [{name: top, shape: {box: {size: [1, 1, 1]}}, mass: 1, angular_velocity: [0, 0, 1000]}]";
  for (const char* name : kFixed)
    EXPECT_EQ(test::runMethod(name, spinning, 0.01, 0.1).result.summary.status, sim::RunStatus::kDone) << name;
}

TEST(Controlled, WhatGrowsUnstableStopsAndSaysWhy) {
  for (const char* name : {"stewart-trinkle", "anitescu-potra", "convex", "runge-kutta"}) {
    const test::MethodRun run = runTrot(name, 100, kDefaultStep, 0.5);
    EXPECT_EQ(run.result.summary.status, sim::RunStatus::kFailed) << name;
    EXPECT_THAT(run.result.summary.message, HasSubstr("more than half a turn")) << name;
    EXPECT_THAT(run.result.summary.message,
                HasSubstr("lower gains (kp, kd) of the controller of quadruped, which holds forces for 0.01 s"));
    EXPECT_EQ(run.samples.back().time, run.result.summary.time);
    EXPECT_LT(run.result.summary.max_energy_increase, 1e3) << name;
  }
  const test::MethodRun run = runTrot("variational", 100, kDefaultStep, 0.5);
  EXPECT_EQ(run.result.summary.status, sim::RunStatus::kFailed);
  EXPECT_THAT(run.result.summary.message, HasSubstr("was not solved; a shorter step"));
}

}  // namespace
}  // namespace rigor
