// SPDX-License-Identifier: MIT
// Proves: scenes of which a record once was refuted, that once ended early or took steps of no length, are proved to
// their end, laws of motion included, and none stalls; each says what went wrong in it. Oracles: the independent
// verifier, the record's own times.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenes/loader.h"
#include "sim/scales.h"
#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

constexpr long kMostSteps = 20000;  // Of two seconds or less of a few bodies: one in a tenth of a millisecond.

// A body stalls of which so many pieces begin within so little of sqrt(L/g), as in scene_judge.py.
constexpr size_t kStall = 200;
constexpr double kStallTime = 1e-3;

/// The most pieces of one body that begin within `window` [s].
size_t mostWithin(const ProvedRun& run, double window) {
  std::vector<std::vector<double>> starts(run.scene.bodies.size());
  size_t most = 0;
  for (const PieceRecord& piece : run.pieces) {
    std::vector<double>& own = starts[piece.body];
    own.push_back(piece.piece.t0);
    const auto first = std::lower_bound(own.begin(), own.end(), own.back() - window);
    most = std::max(most, static_cast<size_t>(own.end() - first));
  }
  return most;
}

void proveRefuted(const std::string& name) {
  const std::string path = std::string(RIGOR_SOURCE_DIR) + "/tests/sim/refuted/" + name + ".yaml";
  const ProvedRun run = simulate(scenes::loadScene(path));
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified && run.report.physics_known);
  EXPECT_LT(run.summary.steps, kMostSteps);
  EXPECT_LE(mostWithin(run, kStallTime * Scales::fromScene(run.scene).time), kStall);
}

class RefutedScenes : public testing::TestWithParam<const char*> {};
TEST_P(RefutedScenes, AreProved) { proveRefuted(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RefutedScenes, testing::Values("arc", "brake", "bridge", "cart", "chatter", "corners",
                                                             "ditch", "gears", "halves", "jaws", "leaning", "ledge",
                                                             "locked", "loop", "needles", "pit", "plate", "pyramid",
                                                             "rim", "rim_link", "rings", "roll", "seed", "sides",
                                                             "slide", "spider", "spinning", "steps", "tent", "thin",
                                                             "treads", "wedged", "wheel"));

/// Those that take seconds.
class SlowRefutedScenes : public testing::TestWithParam<const char*> {};
TEST_P(SlowRefutedScenes, AreProved) { proveRefuted(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, SlowRefutedScenes,
                         testing::Values("bricks", "heap", "ridge", "squeeze", "stairs", "toggle", "wall"));

}  // namespace
}  // namespace rigor::sim::test
