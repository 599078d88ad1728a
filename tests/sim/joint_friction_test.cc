// SPDX-License-Identifier: MIT
// Proved: Coulomb friction of joints holds exactly what it can hold, gives way where it cannot, brakes what moves and
// stops it; the records of such runs obey the laws of motion. Oracles: closed forms of one joint, of a pendulum's
// swings and of an actuator that breaks loose; statics.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <numbers>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

/// One link of 2 kg with its centre `arm` m out along x, on a joint in the world. `rpy`: of the joint.
Scene oneJoint(const std::string& type, const std::string& joint, double arm, const std::string& fields,
               const std::string& table = "", const std::string& rpy = "0 0 0", const std::string& scene = "") {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.urdf")
      << "<robot name=\"r\">\n<link name=\"world\"/>\n<link name=\"body\"><inertial><origin xyz=\"" << arm
      << " 0 0\"/><mass value=\"2\"/><inertia ixx=\"0.2\" ixy=\"0\" ixz=\"0\" iyy=\"0.2\" iyz=\"0\" "
         "izz=\"0.2\"/></inertial></link>\n"
      << "<joint name=\"j\" type=\"" << type << "\"><origin rpy=\"" << rpy
      << "\"/><parent link=\"world\"/><child link=\"body\"/><axis xyz=\"0 1 0\"/>" << joint << "</joint>\n</robot>\n";
  std::ofstream(folder / "c.csv") << table;
  return scenes::parseScene(scene + "until: 2\nrobots:\n  - name: r\n    urdf: r.urdf\n" + fields,
                            (folder / "s.yaml").string());
}

int bodyOf(const ProvedRun& run) { return bodyNamed(run.scene, "r/body"); }
double angleAt(const ProvedRun& run, double t) {
  const Eigen::Matrix3d R = run.orientationAt(bodyOf(run), t);
  return std::atan2(R(0, 2), R(0, 0));
}
double endSpin(const ProvedRun& run) { return run.last(bodyOf(run)).w_end[1]; }

const std::string kNoGravity = "gravity: [0, 0, 0]\n";
std::string rail(double friction) {
  return "<limit lower=\"-100\" upper=\"100\" effort=\"0\" velocity=\"0\"/><dynamics friction=\"" +
         std::to_string(friction) + "\"/>";
}

TEST(JointFriction, SliderOnASlope) {
  // The rail points down by .3 rad: 2 g sin(.3) = 5.798 N pull along it.
  const double pull = 2 * 9.81 * std::sin(0.3);
  const std::string slope = "-0.3 0 0";
  const ProvedRun held = simulate(oneJoint("prismatic", rail(5.9), 0, "", "", slope));
  EXPECT_EQ(wrong(held), "");
  EXPECT_EQ(held.positionAt(bodyOf(held), 0), held.positionAt(bodyOf(held), 2));
  EXPECT_TRUE(held.last(bodyOf(held)).v_end.isZero(0));
  EXPECT_LE(held.summary.steps, 2);
  const ProvedRun slides = simulate(oneJoint("prismatic", rail(5), 0, "", "", slope));
  EXPECT_EQ(wrong(slides), "");
  for (const double t : {0.5, 2.0})
    EXPECT_NEAR(slides.positionAt(bodyOf(slides), t).norm(), 0.5 * (pull - 5) / 2 * t * t, 1e-9) << t;
  // Pushed uphill it stops after v^2 / (2 a), a = (pull + friction) / m, and stays there.
  const ProvedRun up = simulate(oneJoint("prismatic", rail(5.9), 0, "    joint_velocities: {j: -3}\n", "", slope));
  EXPECT_EQ(wrong(up), "");
  const double a = (pull + 5.9) / 2, stop = 3 / a;
  EXPECT_NEAR(up.positionAt(bodyOf(up), 0.4 * stop).norm(), 3 * 0.4 * stop - 0.5 * a * 0.16 * stop * stop, 1e-9);
  EXPECT_NEAR(up.endPosition(bodyOf(up)).norm(), 9 / (2 * a), 1e-9);
  EXPECT_EQ(up.positionAt(bodyOf(up), stop + 1e-3), up.endPosition(bodyOf(up)));
  EXPECT_TRUE(up.last(bodyOf(up)).v_end.isZero(0));
}

TEST(JointFriction, RotorStopsWhereItsEnergyIsSpent) {
  const Scene scene = oneJoint("continuous", "<dynamics friction=\"0.5\" armature=\"0.05\"/>", 0,
                               "    joint_velocities: {j: 2}\n", "", "0 0 0", kNoGravity);
  const ProvedRun run = simulate(scene);
  EXPECT_TRUE(run.report.verified);
  EXPECT_NEAR(angleAt(run, 0.5), 2 * 0.5 - 0.5 * (0.5 / 0.25) * 0.25, 1e-9);
  EXPECT_NEAR(angleAt(run, 2), 1, 1e-9);  // v0^2 I / (2 F)
  EXPECT_EQ(endSpin(run), 0);
}

TEST(JointFriction, PendulumSwingsLessEachTimeAndHolds) {
  // Hangs along -z at the angle pi/2. Between stops at angles a and b from there, m g l (cos b - cos a) = F |a - b|;
  // it stays where m g l |sin a| <= F.
  const double mgl = 2 * 9.81 * 0.3, F = 0.6;
  double angle = -1.2;  // Of the start, 0.3708 rad below the horizontal.
  int swings = 0;
  while (mgl * std::abs(std::sin(angle)) > F) {
    const double sign = angle < 0 ? 1 : -1;
    double low = 0, high = std::abs(angle);
    for (int k = 0; k < 200; ++k) {
      const double b = 0.5 * (low + high);
      (mgl * (std::cos(b) - std::cos(angle)) > F * (b + std::abs(angle)) ? low : high) = b;
    }
    angle = sign * low;
    ++swings;
  }
  ASSERT_GE(swings, 3);
  Scene scene = oneJoint("continuous", "<dynamics friction=\"0.6\"/>", 0.3,
                         "    joints: {j: " + std::to_string(std::numbers::pi / 2 - 1.2) + "}\n");
  scene.solver.velocity_tolerance = 1e-6;
  scene.text.clear(), scene.files.clear();  // No longer what they say.
  const ProvedRun run = simulate(scene, {.until = 12});
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(angleAt(run, 12) - std::numbers::pi / 2, angle, 2e-6);
  EXPECT_EQ(angleAt(run, 12), angleAt(run, 11));
  EXPECT_EQ(endSpin(run), 0);
}

TEST(JointFriction, ActuatorBreaksLooseAtTheFriction) {
  // 1 N m a second against .5 N m: moves from t = .5 on, v = (t - .5)^2 / (2 I).
  const Scene scene = oneJoint("continuous", "<dynamics friction=\"0.5\" armature=\"0.05\"/>", 0,
                               "    controller: {type: script, file: c.csv, rate: 1000}\n", "time,j\n0,0\n10,10\n",
                               "0 0 0", kNoGravity);
  const ProvedRun run = simulate(scene, {.until = 1});
  EXPECT_TRUE(run.report.verified);
  EXPECT_EQ(angleAt(run, 0.49), 0);
  // Forces are held for 1 ms: late by half of that.
  const double t = 1 - 0.5 - 5e-4;
  EXPECT_NEAR(endSpin(run), t * t / (2 * 0.25), 1e-5);
  EXPECT_NEAR(angleAt(run, 1), t * t * t / (6 * 0.25), 1e-5);
}

}  // namespace
}  // namespace rigor::sim::test
