// SPDX-License-Identifier: MIT
// Proves: scenes of which a record once was refuted, that once ended early or took steps of no length, are proved to
// their end, laws of motion included; each says what went wrong in it. Oracle: the independent verifier.
#include <gtest/gtest.h>

#include <string>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

constexpr long kMostSteps = 20000;  // Of two seconds or less of a few bodies: one in a tenth of a millisecond.

class RefutedScenes : public testing::TestWithParam<const char*> {};

TEST_P(RefutedScenes, AreProved) {
  const std::string path = std::string(RIGOR_SOURCE_DIR) + "/tests/sim/refuted/" + GetParam() + ".yaml";
  const ProvedRun run = simulate(scenes::loadScene(path));
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified && run.report.physics_known);
  EXPECT_LT(run.summary.steps, kMostSteps);
}

INSTANTIATE_TEST_SUITE_P(All, RefutedScenes, testing::Values("bricks", "cart", "locked", "loop", "needles", "pyramid",
                                                             "rings", "slide", "spider", "thin", "wedged"));

}  // namespace
}  // namespace rigor::sim::test
