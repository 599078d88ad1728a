// SPDX-License-Identifier: MIT
// What scenes may say of methods: accepted where somebody runs them, refused at its place where nobody does.
#include <gtest/gtest.h>

#include <fstream>

#include "scenes/loader.h"
#include "tests/temporary_folder.h"

namespace rigor {
namespace {

std::string scene(const std::string& solver) {
  return "solver: {" + solver + "}\nbodies:\n  - {name: a, shape: {box: {size: [1, 1, 1]}}, mass: 1}\n";
}

methods::Choice load(const std::string& solver) {
  const TemporaryFolder folder;
  const std::string path = (folder / "scene.yaml").string();
  std::ofstream(path) << scene(solver);
  scenes::SceneSource source;
  methods::Choice choice;
  scenes::loadScene(path, source, choice);
  return choice;
}

TEST(MethodOfAScene, IsRead) {
  const methods::Choice choice = load("advance: published, distance: libccd, step: 0.002");
  EXPECT_EQ(choice.advance, "published");
  EXPECT_EQ(choice.distance, "libccd");
  EXPECT_EQ(choice.step, 0.002);
  EXPECT_EQ(load("advance: certified").advance, "");
  EXPECT_EQ(load("max_step: 0.01").advance, "");
}

TEST(MethodOfAScene, IsRefusedWhereItIsNoneOrNobodyRunsIt) {
  for (const char* bad : {"advance: euler", "step: 0.01", "distance: libccd",
                          "advance: stewart-trinkle, distance: libccd", "advance: published, distance: fcl",
                          "advance: stewart-trinkle, step: 0", "advance: stewart-trinkle, step: .nan"})
    EXPECT_THROW((void)load(bad), scenes::LoadError) << bad;
  EXPECT_THROW((void)scenes::parseScene(scene("advance: published"), "s.yaml"), scenes::LoadError);
  try {
    (void)scenes::parseScene(scene("advance: published"), "s.yaml");
  } catch (const scenes::LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("s.yaml:1:19"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rigor
