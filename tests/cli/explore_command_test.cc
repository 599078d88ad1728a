// SPDX-License-Identifier: MIT
// Proves: `rigor explore` keeps its interface: one JSON object with the documented fields, exit codes of budgets,
// records that are refused, replaced or gone on with, and the picture of the tree. Oracle: the documented interface;
// the rows that `rigor info` and `rigor verify` find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>


#include "program.h"
#include "tests/json_text.h"

namespace rigor::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Lands flat: four contacts at once.
const char* kFlat =
    "name: flat\nuntil: 0.3\nbodies:\n  - {name: die, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, "
    "0.15], velocity: [1, 0, 0]}\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n";

class Explore : public ::testing::Test {
 protected:
  Explore() { folder_.write("s.yaml", kFlat); }
  ProgramResult explore(std::vector<std::string> more, const std::string& record = "a.rigor") {
    std::vector<std::string> arguments{"explore", "s.yaml", "-o", record, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return folder_.run(arguments);
  }
  ProgramFolder folder_;
};

TEST_F(Explore, PrintsTheDocumentedFieldsAndStopsAtTheBudget) {
  const ProgramResult result = explore({"--max-branches", "3", "--samples", "40", "--seed", "5"});
  ASSERT_EQ(result.code, 5) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  const json tree = parsedJson(result.out);
  for (const char* field : {"scene", "status", "branches", "leaves", "forks", "merged", "time", "min_gap",
                            "wall_seconds", "seed", "record"})
    EXPECT_TRUE(tree.contains(field)) << field;
  EXPECT_EQ(tree["status"], "budget");
  EXPECT_EQ(tree["branches"], 3);
  EXPECT_EQ(tree["forks"].get<int>() + tree["leaves"].get<int>(), 3);
  EXPECT_EQ(tree["seed"], 5);
  EXPECT_GT(tree["open"], 0);
  EXPECT_GT(tree["min_gap"], 0);
  const json info = parsedJson(folder_.run({"info", "a.rigor", "--json"}).out);
  EXPECT_EQ(info["branches"], 3);
  EXPECT_EQ(info["status"], "budget");
  EXPECT_EQ(folder_.run({"verify", "a.rigor"}).code, 0);
  EXPECT_EQ(folder_.run({"export", "a.rigor", "--format", "csv", "--branch", "0/1", "-o", "csv"}).code, 0);
  EXPECT_THAT(readAll(folder_ / "csv/states.csv"), HasSubstr("\n0/1,"));
}

TEST_F(Explore, GoesOnWithARecordAndKeepsItsOptions) {
  ASSERT_EQ(explore({"--max-branches", "2", "--samples", "40"}).code, 5);
  const ProgramResult refused = explore({});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--resume"));
  EXPECT_EQ(explore({"--resume", "--seed", "1"}).code, 2);
  EXPECT_EQ(explore({"--resume", "--samples", "41"}).code, 2);
  EXPECT_EQ(explore({"--resume", "--until", "0.2"}).code, 2);
  const ProgramResult more = explore({"--resume", "--max-branches", "4", "--plot", "tree.svg"});
  EXPECT_TRUE(more.code == 5 || more.code == 0) << more.err;
  EXPECT_EQ(parsedJson(more.out)["branches"], 4);
  EXPECT_EQ(folder_.run({"verify", "a.rigor"}).code, 0);
  EXPECT_THAT(readAll(folder_ / "tree.svg"), HasSubstr("flat: 4 branches"));
  // The same tree as at one go.
  json once = parsedJson(explore({"--max-branches", "4", "--samples", "40", "--threads", "1"}, "b.rigor").out);
  json resumed = parsedJson(more.out);
  for (json* tree : {&once, &resumed}) tree->erase("wall_seconds"), tree->erase("record");
  EXPECT_EQ(once, resumed);
  folder_.write("s.yaml", std::string(kFlat) + "# changed\n");
  EXPECT_EQ(explore({"--resume"}).code, 2);
  EXPECT_EQ(explore({"--force", "--max-branches", "1"}).code, 5);
}

TEST_F(Explore, ARecordOfARunIsNotGoneOnWith) {
  ASSERT_EQ(folder_.run({"run", "s.yaml", "-o", "a.rigor"}).code, 0);
  const ProgramResult result = explore({"--resume"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no exploration"));
  folder_.write("a.rigor", "rubbish");
  EXPECT_EQ(explore({"--resume"}).code, 3);
}

TEST_F(Explore, CtrlCIsExit130AndTheRecordGoesOn) {
  folder_.write("s.yaml",
                "name: endless\nuntil: 1e9\ngravity: [0, 0, 0]\nsolver: {max_step: 0.01}\nbodies:\n"
                "  - {name: top, shape: {box: {size: [0.1, 0.2, 0.3]}}, mass: 1, angular_velocity: [1, 2, 3]}\n");
  const ProgramResult result = folder_.run({"explore", "s.yaml", "-o", "a.rigor", "--json"}, 1.0);
  ASSERT_EQ(result.code, 130) << result.err;
  const json tree = parsedJson(result.out);
  EXPECT_EQ(tree["status"], "interrupted");
  EXPECT_EQ(tree["branches"], 1);
  EXPECT_GT(tree["time"], 0);
  EXPECT_EQ(folder_.run({"verify", "a.rigor"}).code, 0);
  EXPECT_EQ(folder_.run({"explore", "s.yaml", "-o", "a.rigor", "--resume"}, 0.5).code, 130);
}

}  // namespace
}  // namespace rigor::cli
