// SPDX-License-Identifier: MIT
// What methods record, held by the independent verifier: conservative advancement is proved and its steps shrink
// towards a contact as the paper's series says; a method that looks ahead is proved where nothing turns, one that does
// not is refuted. Oracle: verify::verifyRecord, Eq. (5) of the paper.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compare/compare.h"
#include "methods/libccd_distance.h"
#include "methods/registry.h"
#include "tests/methods/method_runs.h"
#include "tests/temporary_folder.h"
#include "verify/verify.h"

namespace rigor {
namespace {

const std::string kFloor = "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n";

std::string thrownCube(const std::string& friction) {
  return "contact: {friction: " + friction + "}\nuntil: 0.19\nbodies:\n" + kFloor +
         "  - {name: cube, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.2], orientation: [0.9, "
         "0.2, 0.3, 0.1], velocity: [0.5, 0, 0], "
         "angular_velocity: [3, -2, 1]}\n";
}

std::string fallingCube() {
  return "contact: {friction: 0.3}\nuntil: 0.4\nbodies:\n" + kFloor +
         "  - {name: cube, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.25]}\n";
}

struct Recorded {
  compare::Entry entry;
  verify::Report report;
};

Recorded record(const std::string& name, const sim::Simulation& start, double step, const std::string& distance = "") {
  const TemporaryFolder folder;
  methods::Choice choice;
  choice.advance = name, choice.step = step, choice.distance = distance;
  Recorded result;
  const std::string path = (folder / "run.rigor").string();
  result.entry = compare::runPublished(*methods::findMethod(name), choice, start.scene(), start, path, false, {});
  result.report = verify::verifyRecord(path, {});
  return result;
}

Recorded record(const std::string& name, const std::string& text, double step, const std::string& distance = "") {
  return record(name, sim::Simulation(scenes::parseScene(text, "test.yaml"), 0), step, distance);
}

TEST(SlowPublished, ThrownCubeIsProved) {
  for (const char* friction : {"0.3", "no-slip"}) {
    const Recorded run = record("published", thrownCube(friction), 0.01);
    ASSERT_EQ(run.entry.summary.status, sim::RunStatus::kDone) << run.entry.summary.message;
    EXPECT_EQ(run.entry.verdict, "apart");
    EXPECT_TRUE(run.report.verified) << friction << (run.report.failures.empty() ? "" : run.report.failures[0].reason);
    EXPECT_TRUE(run.report.complete);
    EXPECT_GT(run.entry.summary.manifold_changes, 0);
  }
}

TEST(SlowPublished, LibccdsDistancesAreProvedAsWell) {
  const std::string two =
      "gravity: [0, 0, 0]\nuntil: 0.2\nbodies:\n"
      "  - {name: a, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0], velocity: [0.5, 0, 0], "
      "angular_velocity: [1, 2, 3]}\n"
      "  - {name: b, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0.3, 0.01, 0.02], velocity: [-0.5, 0, "
      "0]}\n";
  const Recorded ours = record("published", two, 0.01), libccd = record("published", two, 0.01, "libccd");
  for (const Recorded* run : {&ours, &libccd}) {
    ASSERT_EQ(run->entry.summary.status, sim::RunStatus::kDone) << run->entry.summary.message;
    EXPECT_TRUE(run->report.verified);
    EXPECT_GT(run->entry.summary.impacts, 0);
  }
  // Without a direction the bound is larger, and the steps to a contact shorter.
  EXPECT_GT(libccd.entry.summary.steps, ours.entry.summary.steps);
}

// A cube that does not turn: the bound is the speed itself, so that few steps lead to the floor; from there on full
// steps.
TEST(Published, StepsOfAFlatDrop) {
  const Recorded run = record("published", fallingCube(), 0.01);
  EXPECT_TRUE(run.report.verified);
  EXPECT_LT(run.entry.summary.steps, 100);
  EXPECT_NEAR(run.entry.summary.max_step, 0.01, 1e-15);
}

TEST(TimeSteppingRecord, IsProvedWhereItLooksAhead) {
  const Recorded run = record("stewart-trinkle", fallingCube(), 0.01);
  EXPECT_EQ(run.entry.verdict, "apart");
  EXPECT_GT(run.entry.summary.min_gap, 0);
  EXPECT_TRUE(run.report.verified) << (run.report.failures.empty() ? "" : run.report.failures[0].reason);
}

// Cubics from state to state would open joints: the checker holds them to a nominal gap over every piece.
TEST(RobotRecord, JointsStayClosedBetweenStates) {
  for (const auto& [scene, until] : {std::pair{"double-pendulum", 0.5}, std::pair{"compass-gait", 0.05}}) {
    sim::Scene given = scenes::loadScene(fmt::format("{}/scenes/{}.yaml", RIGOR_SOURCE_DIR, scene));
    given.until = until;
    for (const std::string name : {"published", "stewart-trinkle", "variational", "runge-kutta"}) {
      if (name == "published" && until < 0.1) continue;  // It takes a million steps in contact.
      const Recorded run = record(name, sim::Simulation(given, 0), 0.005);
      EXPECT_EQ(run.entry.verdict, "apart") << scene << ", " << name;
      EXPECT_TRUE(run.report.verified) << scene << ", " << name << ": "
                                       << (run.report.failures.empty() ? "" : run.report.failures[0].reason);
    }
  }
}

TEST(TimeSteppingRecord, IsRefutedWhereItSinks) {
  const Recorded run = record("anitescu-potra", fallingCube(), 0.01);
  EXPECT_EQ(run.entry.verdict, "penetrates");
  EXPECT_GT(run.entry.deepest, 1e-4);
  EXPECT_EQ(run.entry.summary.min_gap, -run.entry.deepest);
  EXPECT_TRUE(run.report.refuted);
  EXPECT_FALSE(run.report.verified);
}

TEST(LibccdDistance, IsFromBelowAndClose) {
  const geom::Polytope box = geom::Polytope::box({1, 1, 1});
  for (const double gap : {1e-6, 1e-3, 0.5}) {
    const double found = methods::libccdDistance(box, {}, box, {{1, 0, 0, 0}, {1 + gap, 0.2, 0.1}});
    EXPECT_LE(found, gap * (1 + 1e-9));
    EXPECT_GT(found, gap * 0.99);
  }
  EXPECT_EQ(methods::libccdDistance(box, {}, box, {{1, 0, 0, 0}, {0.5, 0, 0}}), 0);
}

/// The table of docs/published-methods.md: names, what they are, options.
std::string tableOfMethods() {
  std::string text = "| `advance` | what | source | options |\n|---|---|---|---|\n";
  for (const methods::MethodInfo& m : methods::methods()) {
    std::vector<std::string> options;
    for (const methods::MethodOption& o : m.options)
      options.push_back(fmt::format(
          "`{}`{}: {} ({})", o.name, o.unit.empty() ? "" : " [" + o.unit + "]",
          o.words.empty() ? o.meaning : fmt::format("{}, {}", o.meaning, fmt::join(o.words, " or ")), o.standard));
    text += fmt::format("| `{}` | {} | {} | {} |\n", m.name, m.what, m.source, fmt::join(options, "; "));
  }
  return text;
}

TEST(Registry, IsWhatTheManualSays) {
  std::ifstream file(std::string(RIGOR_SOURCE_DIR) + "/docs/published-methods.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(tableOfMethods()), std::string::npos) << tableOfMethods();
}

}  // namespace
}  // namespace rigor
