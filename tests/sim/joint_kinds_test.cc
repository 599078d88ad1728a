// SPDX-License-Identifier: MIT
// Proves: a joint type that is a chain of axes moves as its closed form says, and its records are proved. Oracle: a nut
// on a screw falls with m g p^2 / (I + m p^2), p its shift for each radian.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

constexpr double kNutMass = 0.5, kNutInertia = 2e-4, kPitch = 0.1, kNutTime = 0.8;  // [kg], [kg m^2], [m], [s]

TEST(JointKinds, ANutFallsAlongItsScrew) {
  const TemporaryFolder folder;
  std::ofstream(folder / "n.urdf")
      << "<robot name=\"n\"><link name=\"world\"/><link name=\"nut\"><inertial><mass value=\"" << kNutMass
      << "\"/><inertia ixx=\"2e-4\" iyy=\"2e-4\" izz=\"" << kNutInertia
      << "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><box size=\"0.05 0.05 0.05\"/></geometry>"
         "</collision></link><joint name=\"thread\" type=\"continuous\"><parent link=\"world\"/><child link=\"nut\"/>"
         "<axis xyz=\"0 0 1\"/></joint></robot>";
  const Scene scene = scenes::parseScene(
      "until: 0.8\nrobots: [{name: r, urdf: n.urdf, joint_types: {thread: {screw: {pitch: 0.1}}}}]\n",
      (folder / "s.yaml").string());
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  const double p = kPitch / (2 * M_PI), heavy = kNutMass * p * p;
  const double fallen = 0.5 * 9.81 * heavy / (kNutInertia + heavy) * kNutTime * kNutTime;
  const int nut = bodyNamed(scene, "r/nut");
  EXPECT_NEAR(run.endPosition(nut)[2], -fallen, 1e-9);
  const Eigen::Matrix3d R = run.endRotation(nut);
  EXPECT_NEAR(std::remainder(std::atan2(R(1, 0), R(0, 0)) + fallen / p, 2 * M_PI), 0, 1e-7);
}

}  // namespace
}  // namespace rigor::sim::test
