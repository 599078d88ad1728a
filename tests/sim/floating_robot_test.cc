// SPDX-License-Identifier: MIT
// Proved: a robot that floats keeps its momentum and angular momentum while stiff springs drive its joints, with and
// without damping. Oracle: conservation; the bodies of the record summed here. A wheel that turns slowly in a trunk
// that spins fast goes on to do so: its energy is a few roundings of the whole. Oracle: both turn freely.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// What a step may be off by is 2e-3 m/s; in flight it is far less.
constexpr double kKept = 5e-6;

/// A trunk of 1 kg with two light arms on springs that start far from rest.
Scene springs(double damping, const std::string& fields = "") {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.xml")
      << "<mujoco model='r'><compiler angle='radian'/><worldbody><body name='trunk'>"
         "<freejoint/><inertial mass='1' pos='0 0 0' diaginertia='.01 .02 .03'/>"
         "<body name='a' pos='.1 0 0'><joint name='ja' axis='0 1 0' stiffness='40' damping='"
      << damping
      << "'/><inertial mass='.05' pos='.1 0 0' diaginertia='1e-4 1e-4 1e-4'/></body>"
         "<body name='b' pos='-.1 0 0'><joint name='jb' axis='1 0 1' stiffness='90'/>"
         "<inertial mass='.08' pos='0 .1 0' diaginertia='2e-4 1e-4 1e-4'/></body>"
         "</body></worldbody></mujoco>\n";
  return scenes::parseScene(
      "until: 1\ngravity: [0, 0, 0]\nrobots:\n  - name: r\n    mjcf: r.xml\n"
      "    velocity: [1, 2, 0.5]\n    angular_velocity: [0.5, -1, 2]\n"
      "    joints: {ja: 0.8, jb: -0.6}\n" +
          fields,
      (folder / "s.yaml").string());
}

TEST(FloatingRobot, KeepsItsMomentumWhileSpringsDriveIt) {
  for (const double damping : {0.0, 0.002}) {
    SCOPED_TRACE(damping);
    const ProvedRun run = simulate(springs(damping));
    EXPECT_EQ(wrong(run), "");
    EXPECT_GT(run.summary.steps, 50);
    std::vector<int> links;
    for (const char* name : {"r/trunk", "r/a", "r/b"}) links.push_back(bodyNamed(run.scene, name));
    const Momenta before = momentumAt(run, links, false), after = momentumAt(run, links, true);
    EXPECT_LT((after.linear - before.linear).norm(), kKept);
    EXPECT_LT((after.angular - before.angular).norm(), kKept);
  }
}

TEST(FloatingRobot, SlowWheelsInFastTrunksGoOn) {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.xml")
      << "<mujoco model='r'><worldbody><body name='trunk'><freejoint/>"
         "<inertial mass='1' pos='0 0 0' diaginertia='1e-3 1e-3 1e-3'/>"
         "<body name='wheel'><joint name='j' axis='0 0 1'/>"
         "<inertial mass='.05' pos='0 0 0' diaginertia='1e-5 1e-5 1e-5'/></body></body></worldbody></mujoco>\n";
  for (const double rate : {0.0, 2e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2}) {
    SCOPED_TRACE(rate);
    const ProvedRun run = simulate(
        scenes::parseScene("until: 2\nrobots:\n  - {name: r, mjcf: r.xml, velocity: [10, 0, 0], "
                           "angular_velocity: [0, 0, 50], joint_velocities: {j: " + std::to_string(rate) + "}}\n",
                           (folder / "s.yaml").string()));
    EXPECT_EQ(wrong(run), "");
    EXPECT_LT(run.summary.steps, 150);
    const Matrix3d turned = run.endRotation(bodyNamed(run.scene, "r/trunk")).transpose() *
                            run.endRotation(bodyNamed(run.scene, "r/wheel"));
    EXPECT_NEAR(turned(1, 0), std::sin(2 * rate), std::max(1e-8, 1e-3 * 2 * rate));
  }
}

}  // namespace
}  // namespace rigor::sim::test
