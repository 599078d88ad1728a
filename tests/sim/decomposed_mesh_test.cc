// SPDX-License-Identifier: MIT
//
// Proves: a cube that falls into the notch of a decomposed L rests there; another slides over the seam between two
// parts without a catch; and their records are proved whether the parts that the loader kept are there, gone or
// damaged. Oracle: the rest height and the closed form of sliding friction.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

namespace fs = std::filesystem;

/// An L in x and z, 0.1 deep about y = 0.05: floor 0.3 long, 0.1 high; wall 0.1 wide, 0.3 high.
constexpr const char* kL =
    "v .1 0 .1\nv .1 0 .3\nv 0 0 .3\nv 0 0 0\nv .3 0 0\nv .3 0 .1\n"
    "v .1 .1 .1\nv .1 .1 .3\nv 0 .1 .3\nv 0 .1 0\nv .3 .1 0\nv .3 .1 .1\n"
    "f 1 2 3\nf 9 8 7\nf 1 3 4\nf 10 9 7\nf 1 4 5\nf 11 10 7\nf 1 5 6\nf 12 11 7\nf 8 2 1\nf 7 8 1\n"
    "f 9 3 2\nf 8 9 2\nf 10 4 3\nf 9 10 3\nf 11 5 4\nf 10 11 4\nf 12 6 5\nf 11 12 5\nf 7 1 6\nf 12 7 6\n";

constexpr const char* kScene = R"(name: notch
until: 1
contact: {friction: 0.3}
bodies:
  - {name: l, fixed: true, shape: {mesh: {file: L.obj, decompose: 1e-4}}}
  - {name: cube, mass: 1, shape: {box: {size: [0.08, 0.08, 0.08]}}, position: [0.2, 0.05, 0.2]}
  - {name: upside, fixed: true, shape: {mesh: {file: L.obj, scale: [1, 1, -1], decompose: 1e-4}}, position: [0, 1, 0]}
  - {name: slider, mass: 1, shape: {box: {size: [0.02, 0.02, 0.02]}}, position: [0.25, 1.05, 0.01],
     velocity: [-1.1, 0, 0]}
)";

TEST(DecomposedMesh, HoldsACubeInItsNotchAndIsProved) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "L.obj") << kL;
  std::ofstream(folder.path() / "scene.yaml") << kScene;
  const Scene scene = scenes::loadScene(folder / "scene.yaml");
  ASSERT_EQ(scene.bodies[0].parts.size(), 2u);
  const fs::path kept = folder.path() / "L.obj.rigor-parts";
  ASSERT_TRUE(fs::is_directory(kept));

  const ProvedRun run = simulate(scene);  // Its record is loaded again to be proved.
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.endPosition(bodyNamed(scene, "cube"))[2], 0.1 + 0.04, 1e-6);
  const double stops = 0.25 - 1.1 * 1.1 / (2 * 0.3 * 9.81);  // Beyond the seam at x = 0.1, if there is one.
  EXPECT_NEAR(run.endPosition(bodyNamed(scene, "slider"))[0], stops, 1e-3);
  for (const auto& entry : fs::directory_iterator(kept)) std::ofstream(entry.path()) << "rigor-parts";
  const ProvedRun damaged = simulate(scene);
  EXPECT_EQ(wrong(damaged), "");
  EXPECT_EQ(damaged.hash(), run.hash());
  fs::remove_all(kept);
  EXPECT_EQ(wrong(simulate(scene)), "");
  EXPECT_FALSE(fs::exists(kept)) << "the verifier keeps nothing";
}

}  // namespace
}  // namespace rigor::sim::test
