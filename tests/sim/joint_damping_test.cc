// SPDX-License-Identifier: MIT
// Proved: stiff viscous damping of joints moves robots as it must, and takes no more steps than weak damping, of robots
// that touch something and in flight. Oracles: one damped joint and a vibration in closed form; momentum of a chain of
// joints; the same robots with a fraction of the damping.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "sim/scales.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

constexpr double kPullDown = 9.81;

struct Chain {
  int links;
  double mass;        ///< Of each link [kg].
  std::string joint;  ///< Type and axis.
  std::string place;  ///< Of each joint beyond the first on the link before it.
  double damping, friction;
  std::string collision;
};

/// A block on a floor or above it, and a chain of links on it.
Scene onBlock(const Chain& chain, double height, const std::string& fields) {
  const TemporaryFolder folder;
  std::ofstream urdf(folder / "r.urdf");
  urdf << "<robot name=\"r\">\n<link name=\"l0\"><inertial><mass value=\"0.4\"/><inertia ixx=\"1e-3\" ixy=\"0\" "
          "ixz=\"0\" iyy=\"1e-3\" iyz=\"0\" izz=\"1e-3\"/></inertial>"
          "<collision><geometry><box size=\"0.1 0.1 0.06\"/></geometry></collision></link>\n";
  for (int k = 1; k <= chain.links; ++k)
    urdf << "<link name=\"l" << k << "\"><inertial><origin xyz=\"0 0 0.015\"/><mass value=\"" << chain.mass
         << "\"/><inertia ixx=\"5e-6\" ixy=\"0\" ixz=\"0\" iyy=\"5e-6\" iyz=\"0\" izz=\"5e-6\"/></inertial>"
         << chain.collision << "</link>\n<joint name=\"j" << k << "\" " << chain.joint << "<origin xyz=\""
         << chain.place << "\"/><parent link=\"l" << k - 1 << "\"/><child link=\"l" << k << "\"/><dynamics damping=\""
         << chain.damping << "\" friction=\"" << chain.friction << "\"/></joint>\n";
  urdf << "</robot>\n";
  urdf.close();
  return scenes::parseScene(
      "until: 0.5\ncontact: {friction: 0.6, restitution: 0}\nbodies:\n  - {name: floor, fixed: "
      "true, shape: {halfspace: {}}}\nrobots:\n  - name: r\n    urdf: r.urdf\n    self_collision: "
      "false\n    position: [0, 0, " +
          std::to_string(height) + "]\n" + fields,
      (folder / "s.yaml").string());
}

const std::string kSlider =
    "type=\"prismatic\"><axis xyz=\"0 0 1\"/><limit lower=\"-50\" upper=\"50\" effort=\"0\" velocity=\"0\"/>";
const double kResting = 0.03 + 1e-8;

/// How far link k has moved against the one below it.
double slid(const ProvedRun& run, int k, double t) {
  const auto height = [&](int link, double at) {
    return run.positionAt(bodyNamed(run.scene, "r/l" + std::to_string(link)), at)[2];
  };
  return height(k, t) - height(k, 0) - height(k - 1, t) + height(k - 1, 0);
}

TEST(JointDamping, TakesAWeightsSpeedAwayInClosedForm) {
  const double mass = 0.1, start = -0.5;
  for (const double damping : {20.0, 200.0, 2000.0, 20000.0}) {
    SCOPED_TRACE(damping);
    const ProvedRun run =
        simulate(onBlock({1, mass, kSlider, "0 0 0", damping, 0, ""}, kResting, "    joint_velocities: {j1: -0.5}\n"));
    EXPECT_EQ(wrong(run), "");
    const double rate = damping / mass, creep = -mass * kPullDown / damping;
    const double tolerance = Scales::fromScene(run.scene).velocity_tolerance;
    for (const double t : {0.05, 0.1, 0.3, 0.5}) {
      const double expected = creep * t + (start - creep) / rate * (1 - std::exp(-rate * t));
      EXPECT_NEAR(slid(run, 1, t), expected, tolerance * 0.5) << t << ": steps are on average as fast as they must";
    }
  }
}

TEST(JointDamping, AChainCreepsByItsMomentumInAsFewSteps) {
  const double mass = 0.05, friction = 0.01, t = 0.2;
  const auto chain = [&](double damping) {
    return simulate(
        onBlock({3, mass, kSlider, "0 0 0", damping, friction, ""}, kResting, "    joint_velocities: {j2: -0.3}\n"),
        {.until = t});
  };
  const double damping = 300;
  const ProvedRun run = chain(damping);
  EXPECT_EQ(wrong(run), "");
  const double tolerance = Scales::fromScene(run.scene).velocity_tolerance;
  for (int k = 1; k <= 3; ++k) {
    // What joint k carries: its weight, less the friction, over all the time, and the momentum that it had at the start
    // and has no longer.
    const double carried = (4 - k) * mass, moved = k == 1 ? 2 * mass : carried;
    const double creep = -(carried * kPullDown - friction) / damping;
    EXPECT_NEAR(slid(run, k, t), creep * t - 0.3 * moved / damping, tolerance * t) << k;
  }
  // In explicit steps, which are stable up to .1 ms, it would be 2,000.
  EXPECT_LE(run.summary.steps, 2 * chain(3).summary.steps);
}

TEST(JointDamping, AFallingFingerTakesNoMoreStepsStiffThanLimp) {
  const auto finger = [](double damping) {
    const ProvedRun run =
        simulate(onBlock({3, 0.06, "type=\"continuous\"><axis xyz=\"0 1 0\"/>", "0 0 0.03", damping, 0.01,
                          "<collision><origin xyz=\"0 0 0.015\"/><geometry><box size=\"0.02 0.02 "
                          "0.026\"/></geometry></collision>"},
                         0.06,
                         "    orientation: [0.98, 0.1, 0.15, 0]\n    joints: {j1: 0.5, j2: 0.5, j3: "
                         "0.5}\n"));
    EXPECT_EQ(wrong(run), "");
    return run.summary.steps;
  };
  EXPECT_LE(finger(3), 2 * finger(0.03));
}

/// In flight, an arm on a spring swings about its base; a rotor on it, whose bearing stops it within 1e-4 s, only
/// follows.
TEST(JointDamping, AVibrationIsNoTransientOfARotorThatFollowsIt) {
  constexpr double kBase = 0.01, kArm = 1e-4, kRotor = 1e-7, kStiffness = 9, kAngle = 0.1;  // [kg m^2], [N m/rad]
  const auto swing = [&](double damping) {
    const TemporaryFolder folder;
    std::ofstream(folder / "r.xml") << fmt::format(
        "<mujoco model='r'><worldbody><body name='base'><freejoint/>"
        "<inertial mass='1' pos='0 0 0' diaginertia='{0} {0} {0}'/>"
        "<body name='arm'><joint name='spring' type='hinge' axis='0 1 0' stiffness='{1}'/>"
        "<inertial mass='.1' pos='0 0 0' diaginertia='{2} {2} {2}'/><geom type='box' size='.02 .02 .02'/>"
        "<body name='rotor'><joint name='spin' type='hinge' axis='0 1 0' damping='{3}'/>"
        "<inertial mass='.001' pos='0 0 0' diaginertia='{4} {4} {4}'/></body></body></body></worldbody></mujoco>\n",
        kBase, kStiffness, kArm, damping, kRotor);
    return simulate(scenes::parseScene(fmt::format("until: 0.1\ngravity: [0, 0, 0]\nrobots:\n"
                                                   "  - {{name: r, mjcf: r.xml, joints: {{spring: {}}}}}\n", kAngle),
                                       (folder / "s.yaml").string()));
  };
  const ProvedRun run = swing(1e-3);
  EXPECT_EQ(wrong(run), "");
  const double rate = std::sqrt(kStiffness * (1 / kBase + 1 / (kArm + kRotor)));
  const auto turned = [&](const char* link, double t) {
    const Eigen::Matrix3d R = run.orientationAt(bodyNamed(run.scene, link), t);
    return std::atan2(R(0, 2), R(0, 0));
  };
  for (const double t : {0.02, 0.05, 0.1})
    EXPECT_NEAR(turned("r/arm", t) - turned("r/base", t), kAngle * std::cos(rate * t), 1e-3 * kAngle) << t;
  EXPECT_LE(run.summary.steps, 2 * swing(1e-7).summary.steps);
}

/// A driven body that tumbles with a wheel whose stiff damper and friction hold it: nothing does any work, and steps of
/// first order may not make energy by themselves, step by step. Oracle: what the verifier sums up over a window.
TEST(JointDamping, WhatIsDrivenAndTumblesGainsNoEnergy) {
  const TemporaryFolder folder;
  const auto link = [](const char* name, double mass, const char* place, const char* inertia, const char* more) {
    return fmt::format("<link name=\"{}\"><inertial><origin xyz=\"{}\"/><mass value=\"{}\"/><inertia {} ixy=\"0\" "
                       "ixz=\"0\" iyz=\"0\"/></inertial>{}</link>\n", name, place, mass, inertia, more);
  };
  std::ofstream(folder / "r.urdf")
      << "<robot name=\"r\">"
      << link("body", 2, "0 0 0", "ixx=\"0.004\" iyy=\"0.01\" izz=\"0.012\"",
              "<collision><geometry><box size=\"0.3 0.1 0.1\"/></geometry></collision>")
      << link("wheel", 0.4, "0 0 -0.1", "ixx=\"0.0013\" iyy=\"0.0013\" izz=\"0.0002\"", "")
      << "<joint name=\"j\" type=\"continuous\"><parent link=\"body\"/><child link=\"wheel\"/><origin xyz=\"0.2 0 0\"/>"
         "<axis xyz=\"0 0 1\"/><dynamics damping=\"1\" friction=\"0.1\"/></joint></robot>\n";
  const ProvedRun run = simulate(scenes::parseScene(
      "until: 0.5\nrobots:\n  - {name: r, urdf: r.urdf, position: [0, 0, 5], angular_velocity: [30, 30, 30],\n"
      "     controller: {type: pd, kp: 0.1, kd: 0.002, rate: 1000}}\n",
      (folder / "s.yaml").string()));
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified && run.report.physics_known);
  const auto law = std::ranges::find(run.report.physics, "energy", &verify::LawReport::name);
  ASSERT_NE(law, run.report.physics.end());
  EXPECT_LE(law->worst, 0.2 * law->bound);
}

}  // namespace
}  // namespace rigor::sim::test
