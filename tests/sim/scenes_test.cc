// SPDX-License-Identifier: MIT
// Proves that every bundled scene that no other test runs to its end does so, without gaining energy, and verifies.
// Oracle: the verifier. The scenes are looked for in the folder: none is forgotten.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

std::vector<std::string> sceneNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(RIGOR_SOURCE_DIR) + "/scenes"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

/// Scenes whose own tests run them to their end (robots_test.cc, manipulation_test.cc), and the pile, which takes
/// minutes and is left to the benchmark.
bool isElsewhere(const std::string& name) {
  for (const char* other : {"pile-100", "chain-100", "compass-gait", "quadruped-trot", "quadruped-trot-fast",
                            "quadruped-stairs", "pick-cube", "pick-mug", "peg-in-hole"})
    if (name == other) return true;
  return false;
}

/// Scenes that take more than a second of computing.
bool isSlow(const std::string& name) {
  for (const char* slow : {"arch", "ball-in-cup", "quadruped-drop"})
    if (name == slow) return true;
  return false;
}

std::vector<std::string> select(bool slow) {
  std::vector<std::string> names = sceneNames();
  std::erase_if(names, [&](const std::string& name) { return isElsewhere(name) || isSlow(name) != slow; });
  return names;
}

std::string testName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

void runsToItsEnd(const std::string& name) {
  const Scene scene = bundledScene(name);
  const ProvedRun run = simulate(scene);
  // Actuators do work.
  const bool driven = std::any_of(scene.robots.begin(), scene.robots.end(),
                                  [](const SceneRobot& robot) { return robot.robot.controller != nullptr; });
  EXPECT_EQ(wrong(run, RunStatus::kDone, driven ? HUGE_VAL : 1e-12), "");
  EXPECT_EQ(run.summary.time, scene.until);
  ::testing::Test::RecordProperty("steps", static_cast<int>(run.summary.steps));
  ::testing::Test::RecordProperty("manifold_changes", static_cast<int>(run.summary.manifold_changes));
}

class Scenes : public ::testing::TestWithParam<std::string> {};
TEST_P(Scenes, RunToTheirEndAndVerify) { runsToItsEnd(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Bundled, Scenes, ::testing::ValuesIn(select(false)), testName);

class SlowScenes : public ::testing::TestWithParam<std::string> {};
TEST_P(SlowScenes, RunToTheirEndAndVerify) { runsToItsEnd(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Bundled, SlowScenes, ::testing::ValuesIn(select(true)), testName);

}  // namespace
}  // namespace rigor::sim::test
