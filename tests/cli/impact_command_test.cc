// SPDX-License-Identifier: MIT
// Proves: `rigor impact` keeps its documented interface: JSON fields, CSV header and rows, exit codes, messages, the
// same bytes for any number of threads, bundled problems by name, stdin, orders, the comparison of all models. Oracle:
// the documented interface, written out here; closed forms and published outcomes of the bundled problems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "program.h"
#include "tests/json_text.h"

namespace rigor::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* kDrop = "mass_matrix: [[2, 0], [0, 2]]\nnormal: [[0, 1]]\ntangent: [[[1, 0]]]\nfriction: [0.2]\n"
                    "restitution: [0.5]\nvelocity: [3, -1]\n";

class Impact : public ::testing::Test {
 protected:
  json jsonOf(std::vector<std::string> arguments, int code = 0) {
    arguments.insert(arguments.begin(), "impact");
    arguments.push_back("--json");
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
    return json::parse(result.out, nullptr, false);
  }
  static std::vector<std::vector<std::string>> table(const std::string& csv) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream text(csv);
    for (std::string line; std::getline(text, line);) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
  }
  ProgramFolder folder_;
};

TEST_F(Impact, DeterministicModelsGiveTheDocumentedObject) {
  const json answer = jsonOf({"compass-gait", "--model", "anitescu-potra"});
  for (const char* field : {"model", "samples", "unfinished", "mean_lcps_per_sample", "worst_residual",
                            "worst_energy_increase", "min_normal_velocity", "outcomes"}) {
    EXPECT_TRUE(answer.contains(field)) << field;
  }
  EXPECT_EQ(answer["model"], "anitescu-potra");
  EXPECT_EQ(answer["unfinished"], 0);
  ASSERT_EQ(answer["outcomes"].size(), 3u);
  double weight = 0;
  for (const json& outcome : answer["outcomes"]) {
    EXPECT_EQ(outcome["velocity"].size(), 4u);
    EXPECT_EQ(outcome["contact_normal_velocity"].size(), 2u);
    EXPECT_EQ(outcome["contact_tangent_velocity"].size(), 2u);
    EXPECT_EQ(outcome["contact_tangent_velocity"][0].size(), 1u);
    ASSERT_EQ(outcome["impulses"].size(), 2u);
    EXPECT_EQ(outcome["impulses"][0].size(), 2u);
    EXPECT_GE(outcome["impulses"][0][0], 0);
    weight += outcome["weight"].get<double>();
  }
  EXPECT_NEAR(weight, 1, 1e-12);
  EXPECT_LT(answer["worst_residual"], 1e-10);
  EXPECT_LE(answer["worst_energy_increase"], 1e-11);
  EXPECT_GE(answer["min_normal_velocity"], -1e-10);
}

TEST_F(Impact, TheDefaultIsTheSampledSet) {
  const json answer = jsonOf({"rocking-block", "--samples", "300"});
  EXPECT_EQ(answer["model"], "routh");
  EXPECT_EQ(answer["samples"], 300);
  EXPECT_EQ(answer["finished"].get<long>() + answer["unfinished"].get<long>(), 300);
  EXPECT_GT(answer["mean_lcps_per_sample"], 1);
  long counted = 0;
  for (const json& mode : answer["modes"]) counted += mode["count"].get<long>();
  EXPECT_EQ(counted, answer["finished"]);
  double weight = 0;
  for (const json& outcome : answer["outcomes"]) weight += outcome["weight"].get<double>();
  EXPECT_NEAR(weight, 1, 1e-9);
  // Never both corners; never beyond the sequential outcome.
  for (const json& bounds : answer["bounds"]["contact_normal_velocity"]) {
    EXPECT_GE(bounds[0], -1e-10);
    EXPECT_LE(bounds[1], .0930183852795 + 1e-9);
  }
}

TEST_F(Impact, CsvHasTheDocumentedHeaderAndARowForEachFinishedSample) {
  const json answer = jsonOf({"brick-four-corners", "--samples", "50", "-o", "set.csv"});
  const auto rows = table(readAll(folder_ / "set.csv"));
  ASSERT_EQ(rows.size(), 1 + answer["finished"].get<size_t>());
  EXPECT_THAT(rows[0], ElementsAre("v0", "v1", "v2", "v3", "v4", "v5", "vn0", "vn1", "vn2", "vn3", "vt0_0", "vt0_1",
                                   "vt1_0", "vt1_1", "vt2_0", "vt2_1", "vt3_0", "vt3_1", "lcps"));
  for (size_t k = 1; k < rows.size(); ++k) {
    ASSERT_EQ(rows[k].size(), rows[0].size());
    std::vector<double> x;
    for (const std::string& cell : rows[k]) x.push_back(std::strtod(cell.c_str(), nullptr));
    // The corner (-, -): normal [0, 0, 1, -0.06, 0.125, 0], first tangent [1, 0, 0, 0, -0.0325, 0.06].
    EXPECT_NEAR(x[6], x[2] - 0.06 * x[3] + 0.125 * x[4], 1e-15);
    EXPECT_NEAR(x[10], x[0] - 0.0325 * x[4] + 0.06 * x[5], 1e-15);
    EXPECT_GE(x[18], 1);
  }
}

TEST_F(Impact, CsvOfContactsWithoutTangents) {
  ASSERT_EQ(folder_.run({"impact", "newtons-cradle-3", "--model", "sequential", "-o", "out.csv"}).code, 0);
  EXPECT_EQ(readAll(folder_ / "out.csv"), "v0,v1,v2,vn0,vn1,lcps\n0,0,1,0,1,4\n");
}

TEST_F(Impact, ThreadsDoNotChangeAByte) {
  std::string csv, out;
  for (const char* threads : {"1", "2", "7"}) {
    const ProgramResult result = folder_.run(
        {"impact", "ramone", "--samples", "700", "--seed", "5", "--threads", threads, "-o", "s.csv", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string written = readAll(folder_ / "s.csv");
    if (csv.empty()) csv = written, out = result.out;
    EXPECT_EQ(written, csv);
    EXPECT_EQ(result.out, out);
  }
  ASSERT_EQ(folder_.run({"impact", "ramone", "--samples", "700", "--seed", "6", "-o", "s.csv"}).code, 0);
  EXPECT_NE(readAll(folder_ / "s.csv"), csv);
}

TEST_F(Impact, CsvToStdout) {
  const ProgramResult result = folder_.run({"impact", "single-drop", "--model", "anitescu-potra", "-o", "-"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("v0,v1,v2,vn0,lcps\n0.3,0.5,2,0.5,"));
  EXPECT_NE(result.err, "");
}

TEST_F(Impact, SequentialTakesOrders) {
  const double rate = .0930183852795;
  EXPECT_NEAR(jsonOf({"rocking-block", "--model", "sequential"})["outcomes"][0]["velocity"][2], -rate, 1e-9);
  EXPECT_NEAR(jsonOf({"rocking-block", "--model", "sequential", "--order", "1,0"})["outcomes"][0]["velocity"][2], rate,
              1e-9);
  const json all = jsonOf({"rocking-block", "--model", "sequential", "--order", "all"});
  ASSERT_EQ(all["outcomes"].size(), 2u);
  EXPECT_THAT(all["outcomes"][1]["order"].get<std::vector<int>>(), ElementsAre(1, 0));
  EXPECT_EQ(all["outcomes"][1]["weight"], 0.5);
}

TEST_F(Impact, FilesAndStdin) {
  folder_.write("drop.yaml", kDrop);
  const json answer = jsonOf({"drop.yaml", "--model", "anitescu-potra"});
  EXPECT_NEAR(answer["outcomes"][0]["velocity"][1], 0.5, 1e-12);
  EXPECT_NEAR(answer["outcomes"][0]["velocity"][0], 3 - 0.2 * 1.5, 1e-12);
  EXPECT_EQ(answer["problem"], "drop");
  const std::string command = "cd '" + (folder_ / "").string() + "' && '" + RIGOR_PROGRAM +
                              "' impact - --model anitescu-potra --json < drop.yaml > answer.json";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(parsedJson(readAll(folder_ / "answer.json"))["outcomes"], answer["outcomes"]);
}

TEST_F(Impact, AllModelsSideBySide) {
  const ProgramResult result = folder_.run({"impact", "rocking-block", "--model", "all", "--samples", "200"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* word : {"routh", "anitescu-potra", "sequential", "lost", "LCPs", "assumes", "in the order given"}) {
    EXPECT_THAT(result.out, HasSubstr(word));
  }
  const json answer = jsonOf({"rocking-block", "--model", "all", "--samples", "200"});
  ASSERT_GE(answer["models"].size(), 3u);
  for (const json& model : answer["models"]) EXPECT_FALSE(model["assumption"].get<std::string>().empty());
}

TEST_F(Impact, UnfinishedSamplesAreCountedAndKeptApart) {
  folder_.write(
      "p.yaml",
      "mass_matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 0.4]]\nnormal: [[0, 1, -0.5], [0, 1, 0.5]]\n"
      "tangent: [[[1, 0, 1]], [[1, 0, 1]]]\nfriction: [1, 1]\nvelocity: [0, -0.44, 0]\nstep: 0.3\nmax_steps: 2\n");
  const ProgramResult result = folder_.run({"impact", "p.yaml", "--samples", "400", "--json", "-o", "s.csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json answer = parsedJson(result.out);
  EXPECT_GT(answer["unfinished"], 0);
  EXPECT_GT(answer["finished"], 0);
  EXPECT_EQ(answer["samples"], 400);
  EXPECT_EQ(table(readAll(folder_ / "s.csv")).size(), 1 + answer["finished"].get<size_t>());
  EXPECT_GE(answer["min_normal_velocity"], -1e-9);
  EXPECT_THAT(result.err, HasSubstr("did not end"));
}

TEST_F(Impact, ImpactsThatDoNotEndAreExitFour) {
  folder_.write("p.yaml", "mass_matrix: [[1e12, 0, 0], [0, 1, 0], [0, 0, 1e12]]\nnormal: [[-1, 1, 0], [0, -1, 1]]\n"
                          "friction: [0, 0]\nrestitution: [1, 1]\nvelocity: [1, 0, -1]\n");
  const json answer = jsonOf({"p.yaml", "--model", "sequential"}, 4);
  EXPECT_EQ(answer["unfinished"], 1);
  EXPECT_TRUE(answer["outcomes"].empty());
}

TEST_F(Impact, CoverageStopsAndSaysSo) {
  const json answer = jsonOf({"compass-gait", "--coverage", "0.1", "--confidence", "0.9"});
  EXPECT_EQ(answer["covered"], true);
  EXPECT_GE(answer["coverage_probability"], 0.9);
  EXPECT_LT(answer["samples"], 100'000);
  EXPECT_EQ(jsonOf({"compass-gait", "--coverage", "1e-9", "--samples", "20"}, 5)["covered"], false);
}

TEST_F(Impact, BadProblemsAreExitThreeWithThePlace) {
  folder_.write("p.yaml", "mass_matrix: [[2]]\nnormal: [[1]]\nfriction: [-0.5]\nvelocity: [-1]\n");
  const ProgramResult result = folder_.run({"impact", "p.yaml", "--json"});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("p.yaml:3:12: friction[0] is -0.5; "));
  EXPECT_EQ(folder_.run({"impact", "no-such-problem"}).code, 3);
}

TEST_F(Impact, JammedContactsAreResolvedWithAWarning) {
  folder_.write("jam.yaml", "mass_matrix: [[2]]\nnormal: [[1], [-1]]\nfriction: [0, 0]\nvelocity: [-1]\n");
  for (const char* model : {"routh", "anitescu-potra", "plus", "propagative", "sequential"}) {
    const ProgramResult result = folder_.run({"impact", "jam.yaml", "--model", model, "--json"});
    EXPECT_EQ(result.code, 0) << model;
    EXPECT_THAT(result.err, StartsWith("rigor: warning: jam.yaml:2:9: jammed: "));
  }
}

TEST_F(Impact, WrongUsageIsExitTwo) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"rocking-block", "--model", "newton"},
                                                    {"rocking-block", "--samples", "0"},
                                                    {"rocking-block", "--samples", "-5"},
                                                    {"rocking-block", "--samples", "many"},
                                                    {"rocking-block", "--seed", "-1"},
                                                    {"rocking-block", "--threads", "0"},
                                                    {"rocking-block", "--coverage", "0"},
                                                    {"rocking-block", "--coverage", "nan"},
                                                    {"rocking-block", "--coverage", "0.1", "--confidence", "1"},
                                                    {"rocking-block", "--confidence", "0.9"},
                                                    {"rocking-block", "--order", "1,0"},
                                                    {"rocking-block", "--model", "sequential", "--order", "1"},
                                                    {"rocking-block", "--model", "sequential", "--order", "1,1"},
                                                    {"rocking-block", "--model", "sequential", "--order", "1,0,"},
                                                    {"rocking-block", "--model", "sequential", "--order", "b,a"},
                                                    {"rocking-block", "--model", "all", "-o", "x.csv"},
                                                    {"rocking-block", "--json", "-o", "-"},
                                                    {"rocking-block", "extra"}};
  for (std::vector<std::string> arguments : wrong) {
    arguments.insert(arguments.begin(), "impact");
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, 2) << ::testing::PrintToString(arguments) << result.err;
    EXPECT_EQ(result.out, "") << ::testing::PrintToString(arguments);
    EXPECT_NE(result.err, "") << ::testing::PrintToString(arguments);
  }
}

TEST_F(Impact, OutputThatCannotBeWrittenIsExitFour) {
  EXPECT_EQ(folder_.run({"impact", "single-drop", "-o", "no/such/folder.csv"}).code, 4);
  EXPECT_EQ(folder_.run({"impact", "single-drop", "-o", "."}).code, 4);
  EXPECT_EQ(folder_.run({"impact", "single-drop", "-o", "/dev/full"}).code, 4);
}

TEST_F(Impact, CompliantIsForProblemsAlone) {
  folder_.write("s.yaml",
                "impact: {model: compliant}\nbodies: [{name: a, mass: 1, shape: {box: {size: [1, 1, 1]}}}]\n");
  EXPECT_EQ(folder_.run({"run", "s.yaml"}).code, 3);
  EXPECT_EQ(folder_.run({"run", "die", "--impact", "compliant"}).code, 2);
  EXPECT_NEAR(jsonOf({"single-drop", "--model", "compliant"})["outcomes"][0]["velocity"][1], 0.5, 1e-3);
}

TEST_F(Impact, AModelThatDoesNotApplyIsExitThreeWithThePlace) {
  folder_.write("p.yaml",
                "mass_matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nnormal: [[-1, 1, 0], [0, -1, 1]]\nfriction: [0, 0]\n"
                "restitution: [1, 0.5]\nvelocity: [1, 0, 0]\n");
  const ProgramResult result = folder_.run({"impact", "p.yaml", "--model", "propagative"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, StartsWith("p.yaml:4:14: "));
  EXPECT_EQ(folder_.run({"impact", "p.yaml", "--model", "all"}).code, 0);  // A row of the table.
}

TEST_F(Impact, HelpNamesTheBundledProblems) {
  const ProgramResult result = folder_.run({"impact", "--help"});
  for (const char* name : {"rocking-block", "ramone", "--coverage", "--order", "Exit codes"})
    EXPECT_THAT(result.out, HasSubstr(name));
}

}  // namespace
}  // namespace rigor::cli
