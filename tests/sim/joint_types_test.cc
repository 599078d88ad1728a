// SPDX-License-Identifier: MIT
// Proved: spherical, universal, planar and floating joints of a URDF file move in the event loop as mechanics says,
// closed, and verify. Oracles: closed forms of the conical pendulum, of free fall, and of turning about a principal
// axis between two limits.
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

/// Of the rod below: about its centre, across and along.
constexpr double kMass = 2, kLength = 0.8, kAcross = 0.11, kAlong = 0.004;

/// A rod that hangs from `joint`, its centre at half its length below.
Scene rod(const std::string& joint, const std::string& fields, const std::string& scene_fields = "") {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.urdf")
      << "<robot name=\"r\">\n<link name=\"world\"/>\n<link name=\"rod\"><inertial><origin xyz=\"0 0 -0.4\"/><mass "
         "value=\"2\"/><inertia ixx=\"0.11\" ixy=\"0\" "
         "ixz=\"0\" iyy=\"0.11\" iyz=\"0\" izz=\"0.004\"/></inertial><collision><origin xyz=\"0 0 "
         "-0.4\"/><geometry><box size=\"0.05 0.05 0.7\"/></geometry>"
         "</collision></link>\n<joint name=\"hold\" "
      << joint << "</joint>\n</robot>\n";
  return scenes::parseScene(
      scene_fields + "until: 1\nrobots:\n  - name: r\n    urdf: r.urdf\n    position: [0, 0, 3]\n" + fields,
      (folder / "s.yaml").string());
}

const std::string kLinks = "<parent link=\"world\"/><child link=\"rod\"/>";

TEST(JointTypes, ASphericalPendulumTurnsAboutTheVertical) {
  // The rod turns as one with its centre: (I - J) w^2 cos(theta) = m g l.
  const double theta = 0.7, l = kLength / 2, across = kAcross + kMass * l * l;
  const double w = std::sqrt(kMass * 9.81 * l / ((across - kAlong) * std::cos(theta)));
  char fields[200];
  std::snprintf(fields, sizeof fields,
                "    joints: {hold: [%.17g, 0, %.17g, 0]}\n    joint_velocities: {hold: [0, 0, %.17g]}\n",
                3 * std::cos(theta / 2), 3 * std::sin(theta / 2), w);  // Quaternions need no unit length.
  Scene scene = rod("type=\"spherical\">" + kLinks, fields);
  scene.solver.velocity_tolerance = 1e-5;
  scene.text.clear(), scene.files.clear();  // No longer what they say.
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  const int body = bodyNamed(run.scene, "r/rod");
  for (const double t : {0.2, 0.5, 0.9, 1.0}) {
    const Vector3d down = run.orientationAt(body, t) * -Vector3d::UnitZ();
    const double turned = std::numbers::pi + w * t;  // The rod starts tilted towards -x.
    EXPECT_LT(
        (down - Vector3d(std::sin(theta) * std::cos(turned), std::sin(theta) * std::sin(turned), -std::cos(theta)))
            .norm(),
        1e-5)
        << t;
    EXPECT_LT((run.positionAt(body, t) - Vector3d(0, 0, 3)).norm(), 0.2 * run.gap) << t;
  }
}

TEST(JointTypes, AUniversalJointStopsAtTheLimitsOfBothAngles) {
  // Without gravity and about one axis at a time the rod turns evenly, to the limit and back.
  for (const int axis : {0, 1}) {
    SCOPED_TRACE(axis);
    const ProvedRun run = simulate(
        rod("type=\"universal\">" + kLinks +
                "<axis xyz=\"1 0 0\"/><axis2 xyz=\"0 1 0\"/><limit lower=\"-0.5\" upper=\"0.6\" effort=\"0\" "
                "velocity=\"0\"/>",
            std::string("    limit_restitution: 1\n    joints: {hold: ") + (axis == 0 ? "[0.1, 0]" : "[0, 0.1]") +
                "}\n    joint_velocities: {hold: " + (axis == 0 ? "[2, 0]" : "[0, 2]") + "}\n",
            "gravity: [0, 0, 0]\n"));
    EXPECT_EQ(wrong(run), "");
    const int body = bodyNamed(run.scene, "r/rod");
    for (const double t : {0.1, 0.249, 0.3, 0.79, 0.9}) {
      const double angle = t < 0.25 ? 0.1 + 2 * t : t < 0.8 ? 0.6 - 2 * (t - 0.25) : -0.5 + 2 * (t - 0.8);
      const Eigen::Matrix3d R = Eigen::AngleAxisd(angle, Vector3d::Unit(axis)).toRotationMatrix();
      EXPECT_LT((run.orientationAt(body, t) - R).norm(), 1e-5) << t;
    }
    ASSERT_EQ(run.impacts.size(), 2u);
    EXPECT_NEAR(run.impacts[0].time, 0.25, 1e-6);
    EXPECT_NEAR(run.impacts[1].time, 0.8, 1e-6);
  }
}

TEST(JointTypes, APlanarJointFallsInItsPlane) {
  // About y: shifts along two axes of the plane, then the angle. The centre falls freely in the plane, whatever the rod
  // turns.
  const ProvedRun run =
      simulate(rod("type=\"planar\">" + kLinks + "<axis xyz=\"0 1 0\"/>", "    joint_velocities: {hold: [0, 0, 3]}\n"));
  EXPECT_EQ(wrong(run), "");
  const int body = bodyNamed(run.scene, "r/rod");
  // The joint's origin stands still at first: the centre moves with w x r, to the left for a turn about y.
  const Vector3d start(0, 0, 3 - kLength / 2), velocity(-3 * kLength / 2, 0, 0);
  for (const double t : {0.2, 0.5, 1.0}) {
    const Eigen::Matrix3d R = Eigen::AngleAxisd(3 * t, Vector3d::UnitY()).toRotationMatrix();
    EXPECT_LT((run.orientationAt(body, t) - R).norm(), 1e-6) << t;
    const Vector3d centre = run.positionAt(body, t) + run.orientationAt(body, t) * Vector3d(0, 0, -kLength / 2);
    EXPECT_LT((centre - start - velocity * t + Vector3d(0, 0, 9.81 / 2 * t * t)).norm(), 1e-6) << t;
  }
}

TEST(JointTypes, AFloatingJointFallsFreely) {
  const ProvedRun run = simulate(rod("type=\"floating\">" + kLinks, ""));
  EXPECT_EQ(wrong(run), "");
  EXPECT_LT((run.endPosition(bodyNamed(run.scene, "r/rod")) - Vector3d(0, 0, 3 - 9.81 / 2)).norm(), 1e-9);
}

}  // namespace
}  // namespace rigor::sim::test
