// SPDX-License-Identifier: MIT
// Proves: scenes of which a record once was refuted, or that once ended early, are proved to their end, laws of motion
// included; each says what went wrong in it. Oracle: the independent verifier.
#include <gtest/gtest.h>

#include <string>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

class RefutedScenes : public testing::TestWithParam<const char*> {};

TEST_P(RefutedScenes, AreProved) {
  const std::string path = std::string(RIGOR_SOURCE_DIR) + "/tests/sim/refuted/" + GetParam() + ".yaml";
  const ProvedRun run = simulate(scenes::loadScene(path));
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified && run.report.physics_known);
}

INSTANTIATE_TEST_SUITE_P(All, RefutedScenes, testing::Values("bricks", "locked", "loop", "needles", "slide", "spider", "wedged"));

}  // namespace
}  // namespace rigor::sim::test
