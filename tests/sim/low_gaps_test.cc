// SPDX-License-Identifier: MIT
// Proves: held contacts do not come down step by step by what the ends of steps may be off, where putting them back
// moves bodies by many times as much. Oracle: the independent verifier's least gap over the run.
#include <gtest/gtest.h>

#include <string>

#include "scenes/loader.h"
#include "sim/scales.h"
#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

TEST(LowGaps, AStrutThatAllButJamsStaysOnDelta) {
  const ProvedRun run = simulate(scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/tests/sim/refuted/strut.yaml"));
  ASSERT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  ASSERT_TRUE(run.report.verified && run.report.physics_known);
  EXPECT_GT(run.report.min_gap, 0.99 * Scales::fromScene(run.scene).gap);
  EXPECT_LT(run.summary.steps, 300);  // 389 where each end that had to be moved farther was refused.
}

}  // namespace
}  // namespace rigor::sim::test
