// SPDX-License-Identifier: MIT
// Proved: trees of one robot file that nothing joins move as robots and bodies of their own do, and keep their names.
// Oracles: the same file stepped as one robot, the same boxes as bodies of a scene, free fall.
#include "sim/separate_trees.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "record/tree_writer.h"
#include "scenes/loader.h"
#include "sim/explorer.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using ::testing::ElementsAre;

const std::string kFloor = "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n";

Scene sceneOf(const std::string& file, const std::string& fields = "", const std::string& bodies = kFloor,
              double until = 0.4) {
  const TemporaryFolder folder;
  std::ofstream(folder / "m.xml") << "<mujoco>" + file + "</mujoco>";
  return scenes::parseScene(
      fmt::format("until: {}\nbodies:\n{}robots:\n  - {{name: r, mjcf: m.xml{}}}\n", until, bodies, fields),
      (folder / "s.yaml").string());
}

std::string world(const std::string& inside) { return "<worldbody>" + inside + "</worldbody>"; }

const std::string kTilted = "euler=\"20 35 10\"";  // Lands on one corner: one way to go on.

std::string freeBox(const std::string& name, double x, double z, const std::string& geom = "",
                    const std::string& turn = "") {
  return fmt::format("<body name=\"{}\" pos=\"{} 0 {}\" {}><freejoint/>"
                     "<geom type=\"box\" size=\".05 .04 .06\" {}/></body>",
                     name, x, z, turn, geom);
}

/// Two links that hang from a height of 2 m and start at an angle.
std::string pendulum(const std::string& name, double x) {
  return fmt::format("<body name=\"{0}\" pos=\"{1} 0 2\"><joint name=\"{0}_a\" axis=\"0 1 0\" range=\"-20 60\" "
                     "limited=\"true\"/><geom type=\"capsule\" size=\".03\" fromto=\"0 0 0 .3 0 -.4\" mass=\"1\"/>"
                     "<body name=\"{0}_low\" pos=\".3 0 -.4\"><joint name=\"{0}_b\" axis=\"0 1 0\"/><geom "
                     "type=\"capsule\" size=\".03\" fromto=\"0 0 0 0 .2 -.4\" mass=\"1\"/></body></body>",
                     name, x);
}

const std::string kMixed = world(freeBox("b0", -1, 1.5) + pendulum("p0", 0) + freeBox("b1", 1, 0.06) +
                                 freeBox("b2", 2, 0.3, "", kTilted) + pendulum("p1", 3));

/// What steps apart: robots by their links' numbers, `free` bodies by their own.
std::vector<std::string> unitsOf(const Scene& scene) {
  std::vector<std::string> units;
  for (const Body& body : withSeparateTrees(scene).bodies) {
    const std::string name = body.name.substr(body.name.find('/') + 1);
    if (body.name == name) continue;
    if (body.robot < 0 || body.link == 0) units.push_back(body.robot < 0 ? "free " + name : name);
    else units.back() += ' ' + name;
  }
  return units;
}

TEST(SeparateTrees, KeepBodiesAndNamesOfTheFile) {
  const Scene whole = sceneOf(kMixed), apart = withSeparateTrees(whole), again = withSeparateTrees(apart);
  EXPECT_THAT(unitsOf(whole), ElementsAre("free b0", "p0 p0_low", "free b1", "free b2", "p1 p1_low"));
  ASSERT_EQ(apart.robots.size(), 2u);
  EXPECT_EQ(again.robots.size(), 2u);
  EXPECT_EQ(again.robots[1].robot.model, apart.robots[1].robot.model);
  ASSERT_EQ(apart.bodies.size(), whole.bodies.size());
  for (std::size_t b = 0; b < whole.bodies.size(); ++b) {
    EXPECT_EQ(apart.bodies[b].name, whole.bodies[b].name);
    EXPECT_EQ(apart.bodies[b].pose.p, whole.bodies[b].pose.p);
  }
  EXPECT_EQ(apart.robots[1].robot.name, "r");
  EXPECT_EQ(apart.bodies[static_cast<std::size_t>(apart.robots[1].first_body)].name, "r/p1");
  EXPECT_EQ(apart.robots[1].robot.model->joint(1).name, "p1_b");
}

TEST(SeparateTrees, MoveAsTheyDoTogether) {
  Scene scene = sceneOf(kMixed, ", limit_restitution: 0.5");
  scene.solver.velocity_tolerance = 2e-5;  // What is left between the two goes with it.
  scene.text.clear(), scene.files.clear();  // No longer what they say.
  Scene together = scene;
  together.robots[0].robot.steps_as_one = true;
  const ProvedRun apart = simulate(scene), whole = simulate(together);
  EXPECT_EQ(wrong(apart), "");
  EXPECT_EQ(wrong(whole), "");
  EXPECT_EQ(whole.scene.robots.size(), 1u);
  for (const double time : {0.1, 0.2, 0.26})
    for (int b = 1; b < static_cast<int>(scene.bodies.size()); ++b) {
      EXPECT_LE((apart.positionAt(b, time) - whole.positionAt(b, time)).norm(), 2e-6) << scene.bodies[b].name;
      EXPECT_LE((apart.orientationAt(b, time) - whole.orientationAt(b, time)).norm(), 1e-5) << scene.bodies[b].name;
    }
  EXPECT_NEAR(apart.positionAt(bodyNamed(apart.scene, "r/b0"), 0.25)[2], 1.5 - 0.5 * 9.81 * 0.0625, 1e-9);
  EXPECT_NEAR(apart.endPosition(bodyNamed(apart.scene, "r/b1"))[2], 0.06, 1e-6);
}

TEST(SeparateTrees, OfFreeBoxesMoveAsBodiesOfTheScene) {
  std::string file, bodies = kFloor;
  for (int k = 0; k < 12; ++k) {
    const double x = 0.3 * k, z = 0.15 + 0.02 * k;
    file += freeBox(fmt::format("b{}", k), x, z, "", kTilted);
    const std::string shape = "{box: {size: [0.1, 0.08, 0.12]}}, density: 1000";
    bodies += fmt::format("  - {{name: b{}, shape: {}, position: [{}, 0, {}]}}\n", k, shape, x, z);
  }
  Scene of_bodies = scenes::parseScene("until: 0.25\nbodies:\n" + bodies, "b.yaml");
  const Scene of_file = sceneOf(world(pendulum("p", -2) + file), "", kFloor, 0.25);
  ASSERT_EQ(of_file.bodies[3].name, "r/b0");
  for (int b = 1; b <= 12; ++b) of_bodies.bodies[b].pose = of_file.bodies[b + 2].pose;
  of_bodies.text.clear(), of_bodies.files.clear();
  const ProvedRun one = simulate(of_file), other = simulate(of_bodies);
  EXPECT_EQ(wrong(one), "");
  const auto piecesOf = [](const ProvedRun& run, int body) {
    return std::ranges::count(run.pieces, body, &PieceRecord::body);
  };
  for (int b = 1; b <= 12; ++b) {
    EXPECT_LE((one.endPosition(b + 2) - other.endPosition(b)).norm(), 1e-6) << b;
    EXPECT_NEAR(piecesOf(one, b + 2), piecesOf(other, b), 2) << b;
  }
}

TEST(SeparateTrees, TouchEachOther) {
  // The first box falls onto the upper link of a pendulum that its limit holds.
  const ProvedRun run = simulate(sceneOf(world(freeBox("b", 0.15, 2) + pendulum("p", 0))));
  EXPECT_EQ(wrong(run), "");
  const int box = bodyNamed(run.scene, "r/b"), link = bodyNamed(run.scene, "r/p");
  EXPECT_TRUE(std::ranges::any_of(run.impacts, [&](const ImpactRecord& impact) {
    return std::ranges::any_of(impact.contacts, [&](const auto& contact) {
      return contact.pair.body_a + contact.pair.body_b == box + link && contact.pair.body_a != contact.pair.body_b;
    });
  }));
}

TEST(SeparateTrees, StayOneWhereSomethingJoinsThem) {
  const auto boxes = [](const std::string& of_a = "", const std::string& of_c = "") {
    return world(freeBox("a", 0, 1, of_a) + freeBox("b", 1, 1) + freeBox("c", 2, 1, of_c) + freeBox("d", 3, 1));
  };
  EXPECT_THAT(unitsOf(sceneOf(boxes())), ElementsAre("a", "free b", "free c", "free d"));
  // A box between two that are joined is of their robot: links of a robot are bodies one after the other.
  EXPECT_THAT(unitsOf(sceneOf(boxes(), ", ignore_collisions: [[c, a]]")), ElementsAre("a b c", "free d"));
  EXPECT_THAT(unitsOf(sceneOf(boxes(), ", loops: [{a: {link: a, position: [.5, 0, 0]}, b: {link: b, position: [-.5, 0, "
                                       "0]}}]")),
              ElementsAre("a b", "free c", "free d"));
  EXPECT_THAT(unitsOf(sceneOf(boxes("contype=\"2\" conaffinity=\"2\"", "contype=\"4\" conaffinity=\"3\""))),
              ElementsAre("a b c d"));
  EXPECT_THAT(unitsOf(sceneOf(boxes() + "<contact><exclude body1=\"b\" body2=\"c\"/></contact>")),
              ElementsAre("free a", "b c", "free d"));
  EXPECT_THAT(unitsOf(sceneOf(kMixed, ", controller: {type: pd}")).size(), 1u);
  EXPECT_THAT(unitsOf(sceneOf(kMixed + "<equality><joint joint1=\"p1_a\" joint2=\"p0_a\"/></equality>")),
              ElementsAre("free b0", "p0 p0_low b1 b2 p1 p1_low"));
}

TEST(SeparateTrees, ContinueFromSnapshotsBitForBit) {
  const Scene scene = sceneOf(kMixed);
  Simulation whole(scene, 1);
  Sink nowhere;
  whole.run(0.17, nowhere);
  Simulation restored(scene, 1);
  restored.restore(whole.snapshot());
  whole.run(0.4, nowhere), restored.run(0.4, nowhere);
  EXPECT_EQ(restored.snapshot(), whole.snapshot());
}

TEST(SeparateTrees, AreExploredAndProved) {
  // A box that slides as it hits the floor flat: four contacts at once.
  const Scene scene = sceneOf(world(pendulum("p", 2) + freeBox("b", 0, 0.1)), ", velocity: [1, 0, 0]", kFloor, 0.25);
  const TemporaryFolder folder;
  const std::string path = (folder / "tree.rigor").string();
  ExploreOptions options;
  options.until = scene.until, options.max_branches = 6, options.threads = 1, options.fork.samples = 20;
  {
    const Simulation simulation(scene, options.seed);
    record::RunInfo info;
    info.build = "test", info.until = scene.until;
    info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
    record::TreeWriter writer(path, simulation.scene(), info);
    const TreeSummary summary = explore(scene, options, writer, writer.takeFrontier());
    writer.finish(summary, "{}");
    EXPECT_GT(summary.branches, 1);
  }
  const verify::Report report = verify::verifyRecord(path, {});
  EXPECT_TRUE(report.verified) << report.failure_count << " failures";
}

}  // namespace
}  // namespace rigor::sim::test
