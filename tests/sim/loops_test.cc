// SPDX-License-Identifier: MIT
// Proves: closed loops of robots stay closed to 1e-9 m in flight, in contact and through impacts, and move as the
// mechanism does; records verify, laws of motion included. Oracles: a parallelogram linkage, which is a pendulum in
// closed form, integrated independently; a body of two that are welded against one that a fixed joint holds together; a
// link that floats and hangs from the world by loops against one that joints hang there.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kClosure = 1e-9;  // What loops are held to [m].

std::string loopLink(const std::string& name, double mass, const std::string& centre, const std::string& shape) {
  return fmt::format(
      "<link name=\"{}\"><inertial><origin xyz=\"{}\"/><mass value=\"{}\"/><inertia ixx=\"{}\" ixy=\"0\" ixz=\"0\" "
      "iyy=\"{}\" iyz=\"0\" izz=\"{}\"/></inertial><collision><origin xyz=\"{}\"/><geometry><box "
      "size=\"{}\"/></geometry>"
      "</collision></link>\n",
      name, centre, mass, 0.01 * mass, 0.012 * mass, 0.008 * mass, centre, shape);
}

std::string loopJoint(const std::string& name, const std::string& type, const std::string& parent,
                      const std::string& child, const std::string& origin) {
  return fmt::format(
      "<joint name=\"{}\" type=\"{}\"><parent link=\"{}\"/><child link=\"{}\"/><origin xyz=\"{}\"/><axis "
      "xyz=\"0 1 0\"/></joint>\n",
      name, type, parent, child, origin);
}

Scene loopScene(const std::string& robot, const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder / "l.urdf") << "<robot name=\"l\">\n" << robot << "</robot>\n";
  return scenes::parseScene(text, (folder / "s.yaml").string());
}

constexpr double kCrank = 0.4, kBase = 0.5;  // Of the parallelogram [m].

/// Two cranks that hang at x = 0 and kBase, with a coupler between their ends.
std::string linkage(const std::string& root) {
  const std::string tip = fmt::format("0 0 -{}", kCrank);
  return loopLink("a", 1, "0 0 -0.2", "0.03 0.03 0.36") + loopLink("b", 0.5, "0 0 -0.2", "0.03 0.03 0.36") +
         loopLink("c", 2, "0.25 0 0", "0.44 0.03 0.03") + loopJoint("ja", "continuous", root, "a", "0 0 0") +
         loopJoint("jb", "continuous", root, "b", fmt::format("{} 0 0", kBase)) +
         loopJoint("jc", "continuous", "a", "c", tip);
}

const std::string kPin = fmt::format(
    "    loops: [{{type: point, a: {{link: c, position: [{}, 0, 0]}}, b: {{link: b, position: [0, 0, -{}]}}}}]\n",
    kBase, kCrank);

/// How far apart the pin's two sides are at the ends of all pieces, the largest [m].
double largestGap(const ProvedRun& run) {
  const int b = bodyNamed(run.scene, "l/b"), c = bodyNamed(run.scene, "l/c");
  double largest = 0;
  for (const PieceRecord& piece : run.pieces) {
    if (piece.body != c) continue;
    const double t = piece.piece.t1;
    const Vector3d on_c = run.positionAt(c, t) + run.orientationAt(c, t) * Vector3d(kBase, 0, 0),
                   on_b = run.positionAt(b, t) + run.orientationAt(b, t) * Vector3d(0, 0, -kCrank);
    largest = std::max(largest, (on_c - on_b).norm());
  }
  return largest;
}

TEST(ClosedLoops, AParallelogramSwingsAsThePendulumThatItIs) {
  Scene scene = loopScene("<link name=\"world\"/>\n" + linkage("world"),
                          "until: 2\nrobots:\n  - name: l\n    urdf: l.urdf\n    position: [0, 0, 2]\n" + kPin +
                              "    joints: {ja: 1.1, jb: 1.1, jc: -1.1}\n");
  scene.solver.velocity_tolerance = 1e-8;
  scene.text.clear(), scene.files.clear();  // No longer what they say.
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  EXPECT_LE(largestGap(run), kClosure);
  // (I_a + I_b + m_c L^2) q'' = -g (m_a l + m_b l + m_c L) sin q
  const double l = 0.2, inertia = 0.012 * 1.5 + 1.5 * l * l + 2 * kCrank * kCrank,
               rate = 9.81 * (1.5 * l + 2 * kCrank) / inertia;
  double q = 1.1, v = 0;
  const int steps = 20000;
  const double h = 2.0 / steps;
  for (int k = 0; k < steps; ++k) {
    const double k1 = -rate * std::sin(q), k2 = -rate * std::sin(q + h / 2 * v),
                 k3 = -rate * std::sin(q + h / 2 * v + h * h / 4 * k1),
                 k4 = -rate * std::sin(q + h * v + h * h / 2 * k2);
    q += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const Vector3d down = run.endRotation(bodyNamed(run.scene, "l/a")) * -Vector3d::UnitZ();
  EXPECT_NEAR(std::atan2(-down[0], -down[2]), q, 1e-8);
  EXPECT_LE((run.endRotation(bodyNamed(run.scene, "l/c")) - Eigen::Matrix3d::Identity()).norm(), 1e-8);
}

/// In flight, published in parts along a curve between two closed states, which is not closed itself.
TEST(ClosedLoops, PartsOfAFlightAreClosed) {
  Scene scene = loopScene(loopLink("base", 1, "0.25 0 0", "0.44 0.1 0.05") + linkage("base"),
                          "until: 0.5\nrobots:\n  - name: l\n    urdf: l.urdf\n    position: [0, 0, 5]\n"
                          "    angular_velocity: [2, 1, 3]\n" +
                              kPin +
                              "    joints: {ja: 0.3, jb: 0.3, jc: -0.3}\n"
                              "    joint_velocities: {ja: 15, jb: 15, jc: -15}\n");
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  EXPECT_LE(largestGap(run), kClosure);
  EXPECT_LE(run.report.open_joints, 1e-9);
}

TEST(ClosedLoops, ALinkageThatFallsStaysClosed) {
  const ProvedRun run = simulate(loopScene(loopLink("base", 1, "0.25 0 0", "0.44 0.1 0.05") + linkage("base"),
                                           "until: 0.8\ncontact: {friction: 0.5, restitution: 0.2}\nrobots:\n  - name: "
                                           "l\n    urdf: l.urdf\n    position: [0, "
                                           "0, 0.7]\n    rpy: [0.3, 0.2, 0]\n" +
                                               kPin +
                                               "    joints: {ja: 0.3, jb: 0.3, jc: -0.3}\n"
                                               "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n"));
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified);
  EXPECT_GT(run.impacts.size(), 0u);
  EXPECT_LE(largestGap(run), kClosure);
  EXPECT_LE(run.report.open_joints, 1e-9) << "at every instant";
  EXPECT_LE(largestEnergyRise(run), 1e-9 * run.energy_scale);
}

/// Two pins are a hinge: its momentum is not that of a body that floats.
TEST(ClosedLoops, AFloatingLinkHangsFromTheWorldAsOnAHinge) {
  const std::string rod = loopLink("a", 1, "0 0 -0.2", "0.1 0.1 0.3"), swings = "<link name=\"world\"/>\n" + rod;
  const std::string fields =
      "until: 1.5\nsolver: {velocity_tolerance: 1.0e-8}\nrobots:\n  - name: l\n    urdf: l.urdf\n"
      "    position: [0, 0, 2]\n";
  const auto pin = [](double y) {
    return fmt::format("{{type: point, a: {{link: a, position: [0, {}, 0]}}, b: {{position: [0, {}, 2]}}}}", y, y);
  };
  const ProvedRun one = simulate(loopScene(swings + loopJoint("j", "continuous", "world", "a", "0 0 0"),
                                           fields + "    joints: {j: 0.7}\n"));
  const ProvedRun two = simulate(
      loopScene(rod, fields + "    rpy: [0, 0.7, 0]\n    loops: [" + pin(-0.1) + ", " + pin(0.1) + "]\n"));
  for (const ProvedRun* run : {&one, &two}) {
    EXPECT_EQ(run->summary.status, RunStatus::kDone) << run->summary.message;
    EXPECT_TRUE(run->report.verified && run->report.physics_known);
  }
  EXPECT_LE((one.endRotation(bodyNamed(one.scene, "l/a")) - two.endRotation(bodyNamed(two.scene, "l/a"))).norm(),
            1e-7);
}

/// A point on the axis of a hinge asks for nothing that the hinge does not, and a triangle on hinges does not move:
/// what would rub and stop there does not.
TEST(ClosedLoops, LoopsThatHoldNothingOrAllDoNoHarm) {
  const std::string ground = "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n";
  const std::string tail = "<dynamics friction=\"0.1\"/><limit lower=\"-1\" upper=\"1\" effort=\"9\" velocity=\"9\"/>";
  std::string hinge = loopJoint("j", "revolute", "a", "b", "0 0 -0.4");
  hinge.insert(hinge.find("</joint>"), tail);
  const std::string links =
      loopLink("a", 1, "0 0 -0.2", "0.03 0.03 0.36") + loopLink("b", 1, "0.2 0 0", "0.36 0.03 0.03") + hinge;
  for (const char* loop : {"a: {link: a, position: [0, 0.1, -0.4]}, b: {link: b, position: [0, 0.1, 0]}",
                           "a: {link: a, position: [0.2, 0, -0.4]}, b: {link: b, position: [0.2, 0, 0]}"}) {
    const ProvedRun run = simulate(loopScene(
        links, "until: 0.8\ncontact: {friction: 0.5, restitution: 0}\nrobots:\n  - name: l\n    urdf: l.urdf\n"
               "    position: [0, 0, 0.9]\n    rpy: [0.4, 0.3, 0]\n    loops: [{type: point, " +
                   std::string(loop) + "}]\n" + ground));
    EXPECT_EQ(run.summary.status, RunStatus::kDone) << loop << run.summary.message;
    EXPECT_TRUE(run.report.verified && run.report.physics_known) << loop;
    EXPECT_GT(run.impacts.size(), 0u);
  }
}

/// A link on a hinge whose other end is pinned: what falls on it falls on a fixed box.
TEST(ClosedLoops, WhatItsLoopsLockIsHitAsAFixedBody) {
  const std::string scene =
      "until: 0.6\ncontact: {friction: 0.4, restitution: 0.3}\nbodies:\n"
      "  - {name: cube, mass: 1, position: [0.3, 0, 0.5], orientation: [0.98, 0.15, 0.1, 0],\n"
      "     shape: {box: {size: [0.1, 0.1, 0.1]}}}\n";
  const ProvedRun robot = simulate(
      loopScene("<link name=\"world\"/>\n" + loopLink("a", 0.1, "0.25 0 0", "0.44 0.3 0.05") +
                    loopJoint("j", "continuous", "world", "a", "0 0 0"),
                scene + "robots:\n  - name: l\n    urdf: l.urdf\n    position: [0, 0, 0.3]\n"
                        "    loops: [{type: point, a: {link: a, position: [0.5, 0, 0]},\n"
                        "             b: {position: [0.5, 0, 0.3]}}]\n"));
  const ProvedRun fixed = simulate(loopScene(
      "", scene + "  - {name: a, fixed: true, position: [0.25, 0, 0.3], shape: {box: {size: [0.44, 0.3, 0.05]}}}\n"));
  for (const ProvedRun* run : {&robot, &fixed}) {
    EXPECT_EQ(run->summary.status, RunStatus::kDone) << run->summary.message;
    EXPECT_TRUE(run->report.verified && run->report.physics_known);
    EXPECT_GT(run->impacts.size(), 1u);
  }
  const double t = fixed.impacts.front().time + 0.03;
  const auto cube = [&](const ProvedRun& run) { return run.positionAt(bodyNamed(run.scene, "cube"), t); };
  EXPECT_LE((cube(robot) - cube(fixed)).norm(), 1e-6);
  EXPECT_LE(robot.endRotation(bodyNamed(robot.scene, "l/a")).col(0).cross(Vector3d::UnitX()).norm(), kClosure);
}

TEST(ClosedLoops, WeldedBodiesFallAndHitAsOne) {
  const std::string links = loopLink("a", 1, "0 0 0", "0.2 0.2 0.2") + loopLink("b", 3, "0 0 0", "0.3 0.1 0.1");
  const std::string fields =
      "until: 0.6\ncontact: {friction: 0.4, restitution: 0}\nimpact: {model: anitescu-potra}\n"
      "solver: {velocity_tolerance: 1.0e-6}\nrobots:\n  - name: l\n    urdf: l.urdf\n    position: [0, 0, 0.6]\n"
      "    rpy: [0.4, 0.3, 0]\n";
  const std::string ground = "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n";
  const ProvedRun one = simulate(loopScene(links + loopJoint("j", "fixed", "a", "b", "0.3 0 0.1"), fields + ground));
  const ProvedRun two = simulate(
      loopScene(links + loopJoint("j", "floating", "a", "b", "0.3 0 0.1"),
                fields + "    loops: [{type: weld, a: {link: a, position: [0.3, 0, 0.1]}, b: {link: b}}]\n" + ground));
  for (const ProvedRun* run : {&one, &two}) {
    EXPECT_EQ(run->summary.status, RunStatus::kDone) << run->summary.message;
    EXPECT_TRUE(run->report.verified);
  }
  ASSERT_GT(one.impacts.size(), 0u);
  const int a = bodyNamed(one.scene, "l/a"), b = bodyNamed(one.scene, "l/b");
  // The same motion until after the first impacts, of which later ones magnify every difference.
  const double t = one.impacts.front().time + 0.02;
  EXPECT_LE((one.positionAt(a, t) - two.positionAt(a, t)).norm(), 1e-5);
  EXPECT_LE((one.orientationAt(a, t) - two.orientationAt(a, t)).norm(), 1e-4);
  const Vector3d held = two.positionAt(a, 0.6) + two.orientationAt(a, 0.6) * Vector3d(0.3, 0, 0.1);
  EXPECT_LE((held - two.positionAt(b, 0.6)).norm(), kClosure);
}

}  // namespace
}  // namespace rigor::sim::test
