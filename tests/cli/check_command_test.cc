// SPDX-License-Identifier: MIT
//
// Proves: `rigor check` finds the program's own runs apart and a lowered one deep by what it was lowered, and writes
// its reports. Oracle: the run's certificate; the amount by which its table was raised.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace rigor::cli {
namespace {

using nlohmann::json;

struct CheckCommand : testing::Test {
  ProgramFolder folder;
  void SetUp() override {
    ASSERT_EQ(folder.run({"run", RIGOR_SOURCE_DIR "/scenes/die.yaml", "-o", "die.rigor", "--quiet"}).code, 0);
    ASSERT_EQ(folder.run({"export", "die.rigor", "--format", "csv", "-o", "csv"}).code, 0);
    ASSERT_EQ(folder.run({"export", "die.rigor", "--format", "hdf5", "-o", "die.h5"}).code, 0);
  }
};

TEST_F(CheckCommand, OwnRunsAreApart) {
  for (const char* file : {"csv/states.csv", "die.h5"}) {
    const ProgramResult result = folder.run({"check", RIGOR_SOURCE_DIR "/scenes/die.yaml", file, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    const json report = json::parse(result.out);
    EXPECT_EQ(report["status"], "apart");
    EXPECT_EQ(report["interpolation"], "hermite");
    EXPECT_EQ(report["intervals"], report["apart"]);
    EXPECT_TRUE(report["deepest"].is_null());
  }
}

TEST_F(CheckCommand, ARaisedTableIsFoundWithItsDepth) {
  std::string scene = readAll(RIGOR_SOURCE_DIR "/scenes/die.yaml");
  const std::string table = "halfspace: {normal: [0, 0, 1], offset: 0}";
  ASSERT_NE(scene.find(table), std::string::npos);
  scene.replace(scene.find(table), table.size(), "halfspace: {normal: [0, 0, 1], offset: 0.001}");
  folder.write("raised.yaml", scene);
  const ProgramResult result =
      folder.run({"check", "raised.yaml", "csv/states.csv", "--json", "--junit", "check.xml", "--plot", "depth.svg"});
  EXPECT_EQ(result.code, 1) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["status"], "penetrates");
  EXPECT_NEAR(report["deepest"]["depth"], 1e-3, 1e-7);  // The run's contacts are 1e-8 m above its table.
  EXPECT_NE(readAll(folder / "check.xml").find("failures=\"1\""), std::string::npos);
  EXPECT_NE(readAll(folder / "depth.svg").find("</svg>"), std::string::npos);
  EXPECT_EQ(folder.run({"check", "raised.yaml", "csv/states.csv", "--allow", "0.0011"}).code, 0);
}

TEST_F(CheckCommand, BadUseHasItsExitCode) {
  EXPECT_EQ(folder.run({"check", RIGOR_SOURCE_DIR "/scenes/die.yaml", "nothing.csv"}).code, 3);
  EXPECT_EQ(folder.run({"check", RIGOR_SOURCE_DIR "/scenes/die.yaml", "csv/states.csv", "--allow", "-1"}).code, 2);
  EXPECT_EQ(folder.run({"check", RIGOR_SOURCE_DIR "/scenes/die.yaml", "csv/states.csv", "--interpolate", "cubic"}).code,
            2);
  EXPECT_EQ(folder.run({"check", RIGOR_SOURCE_DIR "/scenes/stack-10.yaml", "csv/states.csv"}).code, 3);
}

}  // namespace
}  // namespace rigor::cli
