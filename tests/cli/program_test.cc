// SPDX-License-Identifier: MIT
// Proves: the program keeps its interface: exit codes, what goes to stdout and what to stderr, the fields of --json,
// where records go, and that an interrupted or killed run leaves a record that verifies. Oracle: the documented
// interface, written out here; a body in free fall, whose motion has a closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>


#include "program.h"
#include "tests/json_text.h"

namespace rigor::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* kFalling =
    "name: falling\nuntil: 0.5\nbodies:\n  - {name: stone, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, position: "
    "[0, 0, 10]}\n"
    "  - {name: ground, fixed: true, shape: {halfspace: {}}}\n";
// Spins for ever in free space: as many steps as one likes.
const char* kEndless =
    "name: endless\nuntil: 1e9\ngravity: [0, 0, 0]\nsolver: {max_step: 0.01}\nbodies:\n"
    "  - {name: top, shape: {box: {size: [0.1, 0.2, 0.3]}}, mass: 1, angular_velocity: [1, 2, 3]}\n";

class Program : public ::testing::Test {
 protected:
  ProgramFolder folder_;
};

TEST_F(Program, RunPrintsExactlyOneJsonObjectWithTheDocumentedFields) {
  folder_.write("s.yaml", kFalling);
  const ProgramResult result = folder_.run({"run", "s.yaml", "-o", "a.rigor", "--json", "--seed", "7"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  const json summary = parsedJson(result.out);
  for (const char* field : {"scene", "status", "time", "steps", "manifold_changes", "impacts", "contacts_made",
                            "contacts_broken", "min_gap", "mean_step", "min_step", "max_step", "energy_initial",
                            "energy_final", "max_energy_increase", "wall_seconds", "seed", "record"}) {
    EXPECT_TRUE(summary.contains(field)) << field;
  }
  EXPECT_EQ(summary["scene"], "falling");
  EXPECT_EQ(summary["status"], "done");
  EXPECT_EQ(summary["time"], 0.5);
  EXPECT_EQ(summary["seed"], 7);
  EXPECT_EQ(summary["record"], "a.rigor");
  EXPECT_EQ(summary["impacts"], 0);
  EXPECT_NEAR(summary["energy_initial"], 2 * 9.81 * 10, 1e-10);
  EXPECT_NEAR(summary["energy_final"], 2 * 9.81 * 10, 1e-10);
  // Lowest at the end: 10 - g t^2/2 - 0.05; a bound is no larger, and no looser than half.
  const double gap = 10 - 9.81 * 0.125 - 0.05;
  EXPECT_LE(summary["min_gap"], gap + 1e-12);
  EXPECT_GE(summary["min_gap"], gap / 2);
}

TEST_F(Program, RunWritesNumberedRecordsAndTellsSo) {
  folder_.write("s.yaml", kFalling);
  const ProgramResult first = folder_.run({"run", "s.yaml"});
  EXPECT_EQ(first.code, 0);
  EXPECT_THAT(first.out, HasSubstr("runs/falling-0001.rigor"));
  EXPECT_EQ(folder_.run({"run", "s.yaml", "--quiet"}).out, "");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/falling-0001.rigor"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/falling-0002.rigor"));
}

TEST_F(Program, WithoutAFolderForRecordsItIsWrongUsage) {
  folder_.write("s.yaml", kFalling);
  folder_.write("runs", "no folder");
  for (const char* command : {"run", "explore"}) {
    const ProgramResult result = folder_.run({command, "s.yaml", "--json"});
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("rigor: the folder runs cannot be created: Not a directory"));
  }
}

TEST_F(Program, AFolderThatCannotBeMadeIsSaidBeforeTheWork) {
  folder_.write("s.yaml", kFalling);
  folder_.write("file", "no folder");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"compare", "s.yaml", "-o", "file/x"},
        std::vector<std::string>{"atlas", "walker", "--cells", "100", "-o", "file/x"}}) {
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "rigor: the folder file/x cannot be created: Not a directory\n");
  }
}

TEST_F(Program, OutputThatIsLostIsExitFour) {
  folder_.write("s.yaml", kFalling);
  folder_.write("p.jsonl", R"({"id": 1, "a": {"vertices": [[0, 0, 0]], "pose": [1, 0, 0, 0, 0, 0, 0]}, )"
                           R"("b": {"vertices": [[0, 0, 1]], "pose": [1, 0, 0, 0, 0, 0, 0]}})");
  for (const char* arguments : {"scenes", "--help", "distance p.jsonl --json", "run s.yaml --json -o a.rigor",
                                "info a.rigor", "verify a.rigor --json", "impact rocking-block --json"}) {
    const std::string command =
        "cd " + (folder_ / "").string() + " && " RIGOR_PROGRAM " " + arguments + " > /dev/full 2> errors";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 4) << arguments;
    EXPECT_THAT(readAll(folder_ / "errors"), HasSubstr("standard output cannot be written")) << arguments;
  }
}

TEST_F(Program, AnExistingRecordIsKeptUnlessForced) {
  folder_.write("s.yaml", kFalling);
  folder_.write("a.rigor", "precious");
  const ProgramResult refused = folder_.run({"run", "s.yaml", "-o", "a.rigor"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("a.rigor exists"));
  EXPECT_EQ(readAll(folder_ / "a.rigor"), "precious");
  EXPECT_EQ(folder_.run({"run", "s.yaml", "-o", "a.rigor", "--force"}).code, 0);
  EXPECT_EQ(folder_.run({"run", "s.yaml", "-o", "no/such/a.rigor"}).code, 2);
}

TEST_F(Program, WrongUsageIsExitTwoWithNothingOnStdout) {
  folder_.write("s.yaml", kFalling);
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"rnu"},
                                                    {"run"},
                                                    {"run", "s.yaml", "extra"},
                                                    {"run", "s.yaml", "--no-such-option"},
                                                    {"run", "s.yaml", "--until", "-1"},
                                                    {"run", "s.yaml", "--until", "nan"},
                                                    {"run", "s.yaml", "--until", "inf"},
                                                    {"run", "s.yaml", "--until", "soon"},
                                                    {"run", "s.yaml", "--seed", "-1"},
                                                    {"run", "s.yaml", "--seed", "1.5"},
                                                    {"run", "s.yaml", "--seed", "18446744073709551616"},
                                                    {"run", "s.yaml", "--impact", "newton"},
                                                    {"run", "s.yaml", "--max-steps", "0"},
                                                    {"distance"},
                                                    {"export", "a.rigor", "--format", "xml", "-o", "x"},
                                                    {"export", "a.rigor", "--format", "csv"},
                                                    {"explore", "s.yaml", "--samples", "0"},
                                                    {"explore", "s.yaml", "--max-branches", "0"},
                                                    {"explore", "s.yaml", "--tolerance", "nan"},
                                                    {"explore", "s.yaml", "--impact", "newton"},
                                                    {"explore", "s.yaml", "--resume"},
                                                    {"explore", "s.yaml", "-o", "a.rigor", "--resume", "--force"},
                                                    {"info", "robot.urdf", "--reach", "reach.csv"},
                                                    {"compare", "s.yaml", "--max-steps", "0"},
                                                    {"impact", "rocking-block", "--bounds", "--work", "0.5"},
                                                    {"view", "s.yaml", "--size", "640"}};
  for (const auto& arguments : wrong) {
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, 2) << ::testing::PrintToString(arguments) << result.err;
    EXPECT_EQ(result.out, "") << ::testing::PrintToString(arguments);
    EXPECT_NE(result.err, "") << ::testing::PrintToString(arguments);
    if (!arguments.empty()) EXPECT_LT(result.err.size(), 300u) << "more than says what is allowed: " << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs"));
}

TEST_F(Program, HelpTeachesAndGoesToStdout) {
  EXPECT_THAT(folder_.run({"--help"}).out, HasSubstr("rigor run die"));
  for (const char* command : {"run", "verify", "distance", "export", "info", "scenes", "explore", "impact", "view"}) {
    const ProgramResult result = folder_.run({command, "--help"});
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr(command)) << command;
    EXPECT_EQ(result.err, "") << command;
  }
  EXPECT_THAT(folder_.run({"--version"}).out, StartsWith("rigor 0."));
}

TEST_F(Program, BadScenesAreExitThreeWithThePlace) {
  folder_.write("bad.yaml", "until: 1\nbodies:\n  - {name: a, mass: -1, shape: {box: {size: [1, 1, 1]}}}\n");
  const ProgramResult bad = folder_.run({"run", "bad.yaml"});
  EXPECT_EQ(bad.code, 3);
  EXPECT_THAT(bad.err, StartsWith("bad.yaml:3:21: bodies[0].mass is -1; "));
  EXPECT_EQ(folder_.run({"run", "none.yaml"}).code, 3);
  EXPECT_EQ(folder_.run({"run", "."}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs"));
}

TEST_F(Program, OverlappingStartsNameThePairTheDepthAndThePlace) {
  folder_.write("s.yaml",
                "bodies:\n  - {name: left, mass: 1, shape: {box: {size: [1, 1, 1]}}}\n"
                "  - {name: right, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [0.875, 0, 0]}\n");
  const ProgramResult result = folder_.run({"run", "s.yaml"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, ::testing::MatchesRegex("s.yaml:[23]:5: .*\n"));
  EXPECT_THAT(result.err, HasSubstr("left"));
  EXPECT_THAT(result.err, HasSubstr("right"));
  EXPECT_THAT(result.err, HasSubstr("0.125"));
}

TEST_F(Program, ABudgetIsExitFive) {
  folder_.write("s.yaml", kEndless);
  const ProgramResult result = folder_.run({"run", "s.yaml", "-o", "a.rigor", "--json", "--max-steps", "20"});
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_EQ(parsedJson(result.out)["status"], "budget");
  EXPECT_EQ(folder_.run({"verify", "a.rigor"}).code, 0);
}

TEST_F(Program, CtrlCIsExit130AndTheRecordVerifies) {
  folder_.write("s.yaml", kEndless);
  const ProgramResult result = folder_.run({"run", "s.yaml", "-o", "a.rigor", "--json"}, 0.5);
  EXPECT_EQ(result.code, 130) << result.err;
  const json summary = parsedJson(result.out);
  EXPECT_EQ(summary["status"], "interrupted");
  EXPECT_GT(summary["time"], 0);
  EXPECT_EQ(folder_.run({"verify", "a.rigor"}).code, 0);
}

TEST_F(Program, AKilledRunLeavesARecordThatVerifies) {
  folder_.write("s.yaml", kEndless);
  EXPECT_EQ(folder_.run({"run", "s.yaml", "-o", "a.rigor"}, 1.2, SIGKILL).code, -SIGKILL);
  const ProgramResult verified = folder_.run({"verify", "a.rigor"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
}

TEST_F(Program, ScenesListsNamesThatRunTakes) {
  const ProgramResult result = folder_.run({"scenes"});
  EXPECT_EQ(result.code, 0);
  std::istringstream lines(result.out);
  std::string line, names;
  while (std::getline(lines, line)) {
    names += line.substr(0, line.find(' ')) + ' ';
    EXPECT_GT(line.size(), line.find(' ') + 10) << line;
  }
  for (const char* name :
       {"die ", "die-drumwright ", "cube-on-cube ", "edge-edge ", "needle-and-plate ", "stack-10 ", "card-house ",
        "arch ", "thin-plate ", "rocking-block ", "flat-drop ", "ball-in-cup ", "pile-100 "}) {
    EXPECT_THAT(names, HasSubstr(name));
  }
  std::filesystem::create_directory(folder_ / "die");  // A folder of its results is not the scene.
  const ProgramResult run = folder_.run({"run", "die", "--until", "0.01", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(parsedJson(run.out)["record"], "runs/die-0001.rigor");
}

// The main job: a thrown die comes to rest, and the record of it is proved.
TEST_F(Program, ThrownDieRestsAndIsProved) {
  const ProgramResult run = folder_.run({"run", "die", "-o", "die.rigor", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = parsedJson(run.out);
  EXPECT_EQ(summary["time"], 3.0);
  EXPECT_GT(summary["min_gap"], 0);
  EXPECT_NEAR(summary["energy_final"], 9.81 * 0.05, 1e-6);  // m g h of a die of 1 kg on a face.
  const ProgramResult verified = folder_.run({"verify", "die.rigor", "--json"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_NO_THROW(EXPECT_TRUE(parsedJson(verified.out).is_object()));
}

TEST_F(Program, TheSameSeedGivesTheSameRun) {
  const auto states = [&](const std::string& name, const std::string& seed) {
    EXPECT_EQ(folder_.run({"run", "die", "-o", name + ".rigor", "--seed", seed, "--quiet"}).code, 0);
    EXPECT_EQ(folder_.run({"export", name + ".rigor", "--format", "csv", "-o", name}).code, 0);
    return readAll(folder_ / (name + "/states.csv"));
  };
  const std::string first = states("a", "3");
  EXPECT_GT(first.size(), 1000u);
  EXPECT_EQ(first, states("b", "3"));
}

TEST_F(Program, CommandsWithoutAFileTakeTheNewestRecord) {
  const ProgramResult none = folder_.run({"verify"});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("runs/ has none"));
  folder_.write("s.yaml", kFalling);
  folder_.run({"run", "s.yaml"});
  folder_.run({"run", "s.yaml"});
  const ProgramResult info = folder_.run({"info"});
  EXPECT_EQ(info.code, 0);
  EXPECT_THAT(info.err, HasSubstr("falling-0002"));
}

TEST_F(Program, FilesThatAreNoRecordsAreExitThree) {
  folder_.write("a.rigor", "this is no database");
  folder_.write("empty.rigor", "");
  for (const char* file : {"a.rigor", "empty.rigor", "none.rigor"}) {
    for (const char* command : {"verify", "info"}) {
      const ProgramResult result = folder_.run({command, file});
      EXPECT_EQ(result.code, 3) << command << ' ' << file << ": " << result.err;
      EXPECT_THAT(result.err, HasSubstr(file));
    }
  }
}

}  // namespace
}  // namespace rigor::cli
