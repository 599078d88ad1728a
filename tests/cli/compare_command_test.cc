// SPDX-License-Identifier: MIT
// `rigor compare` and `rigor run` of a published method, as programs: what they print, write and return. Oracle: `rigor
// verify` and `rigor check` of what they wrote.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace rigor::cli {
namespace {

std::string dropScene(const std::string& solver) {
  return "name: drop\nuntil: 0.3\ncontact: {friction: 0.3}\nsolver: {" + solver +
         "}\nbodies:\n"
         "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
         "  - {name: cube, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.25]}\n";
}

TEST(CompareCommand, EveryMethodIsThere) {
  const ProgramFolder folder;
  folder.write("drop.yaml", dropScene("max_step: 0.1"));
  const ProgramResult result = folder.run({"compare", "drop.yaml", "-o", "out", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto table = nlohmann::json::parse(result.out);
  ASSERT_GE(table["entries"].size(), 7u);
  for (const auto& entry : table["entries"]) {
    SCOPED_TRACE(entry["name"].get<std::string>());
    EXPECT_EQ(entry["status"], "done");
    EXPECT_TRUE(entry["verdict"] == "apart" || entry["verdict"] == "penetrates");
    // All of them come to rest on the floor, within what they overlap by.
    EXPECT_LT(entry["from_certified"].get<double>(), 2e-2);
    EXPECT_NEAR(entry["energy_final"].get<double>(), 9.81 * 0.05, 0.15);
  }
  EXPECT_EQ(table["entries"][0]["name"], "certified");
  EXPECT_NE(readAll(folder / "out/index.html").find("<svg"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(readAll(folder / "out/compare.json")), table);
  EXPECT_EQ(folder.run({"verify", "out/certified.rigor"}).code, 0);
  EXPECT_EQ(folder.run({"verify", "out/published.rigor"}).code, 0);
  EXPECT_EQ(folder.run({"verify", "out/anitescu-potra.rigor"}).code, 1);
}

// Conservative advancement may take millions of steps: it ends at a budget, which the table says.
TEST(CompareCommand, StepsOfMethodsHaveABudget) {
  const ProgramFolder folder;
  folder.write("drop.yaml", dropScene("max_step: 0.1"));
  const ProgramResult result =
      folder.run({"compare", "drop.yaml", "--only", "certified,stewart-trinkle", "--max-steps", "5", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto table = nlohmann::json::parse(result.out);
  EXPECT_EQ(table["entries"][0]["status"], "done");
  EXPECT_EQ(table["entries"][1]["status"], "budget");
  EXPECT_EQ(table["entries"][1]["steps"], 5);
  EXPECT_TRUE(table["entries"][1]["from_certified"].is_null());
}

// What MuJoCo says of a scene with many contacts is not taken for its figures.
TEST(SlowCompareCommand, EnginesHaveRoomForManyContacts) {
  const ProgramFolder folder;
  const std::string pile = std::string(RIGOR_SOURCE_DIR) + "/scenes/pile-100.yaml";
  const ProgramResult result = folder.run({"compare", pile, "--only", "mujoco", "--step", "0.02", "--until", "0.3"});
  if (result.code == 2) GTEST_SKIP() << "MuJoCo is not installed";
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err.find("full"), std::string::npos) << result.err;
}

TEST(CompareCommand, RunByAMethod) {
  const ProgramFolder folder;
  folder.write("drop.yaml", dropScene("advance: anitescu-potra, step: 0.02"));
  const ProgramResult result = folder.run({"run", "drop.yaml", "-o", "run.rigor", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto table = nlohmann::json::parse(result.out);
  EXPECT_LT(table["min_gap"].get<double>(), 0);
  EXPECT_EQ(table["steps"], 15);
  EXPECT_NE(result.err.find("overlap"), std::string::npos);
  EXPECT_EQ(folder.run({"verify", "run.rigor"}).code, 1);
  EXPECT_EQ(folder.run({"info", "run.rigor"}).code, 0);
  // The same overlap, found from what was exported.
  EXPECT_EQ(folder.run({"export", "run.rigor", "--format", "csv", "-o", "csv"}).code, 0);
  const ProgramResult check = folder.run({"check", "drop.yaml", "csv/states.csv", "--interpolate", "linear", "--json"});
  EXPECT_EQ(check.code, 1);
  EXPECT_NEAR(nlohmann::json::parse(check.out)["deepest"]["depth"].get<double>(), -table["min_gap"].get<double>(),
              1e-12);
}

TEST(CompareCommand, WrongUsageIsSaid) {
  const ProgramFolder folder;
  folder.write("drop.yaml", dropScene("advance: stewart-trinkle"));
  EXPECT_EQ(folder.run({"compare", "drop.yaml", "--only", "newton"}).code, 2);
  EXPECT_EQ(folder.run({"explore", "drop.yaml", "-o", "tree.rigor"}).code, 3);
  EXPECT_EQ(folder.run({"run", "drop.yaml", "-o", "r.rigor", "--trace", "t.json"}).code, 2);
}

}  // namespace
}  // namespace rigor::cli
