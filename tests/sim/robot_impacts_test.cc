// SPDX-License-Identifier: MIT
// Proved: every impact model carries a run with robots through its impacts, to its end and in few steps: four feet at
// once on the ground and on a free body, a heel strike, fingers that close on a box, an arm that folds onto itself.
// Oracles: the exchange of momentum in every recorded impact, by the links' masses and the contacts' impulses alone;
// energy; the verifier.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

const std::string kFolder = RIGOR_SOURCE_DIR "/scenes/";
const char* const kModels[] = {"routh", "anitescu-potra", "sequential", "propagative", "plus"};

/// Largest part of an impact's change of momentum that contacts do not account for [N s]. Robots must float; `bodies`
/// are all that move.
double largestMomentumMissing(const ProvedRun& run) {
  double worst = 0;
  for (const ImpactRecord& impact : run.impacts) {
    Eigen::Vector3d missing = Eigen::Vector3d::Zero();
    for (size_t i = 0; i < impact.bodies.size(); ++i)
      missing += run.scene.bodies[impact.bodies[i]].mass * (impact.after[i] - impact.before[i]).head<3>();
    for (const ImpactContactRecord& c : impact.contacts) {
      if (!c.limit.empty()) continue;  // Within one robot.
      const Eigen::Vector3d impulse =
          c.normal * c.impulse[0] + c.tangent * c.impulse[1] + c.normal.cross(c.tangent) * c.impulse[2];
      if (!run.scene.bodies[c.pair.body_b].fixed) missing -= impulse;
      if (!run.scene.bodies[c.pair.body_a].fixed) missing += impulse;
    }
    worst = std::max(worst, missing.norm());
  }
  return worst;
}

/// Largest rise of the kinetic energy in an impact [J].
double largestImpactGain(const ProvedRun& run) {
  double worst = 0;
  for (const ImpactRecord& impact : run.impacts) {
    double gain = 0;
    for (size_t i = 0; i < impact.bodies.size(); ++i) {
      const Body& body = run.scene.bodies[impact.bodies[i]];
      const Eigen::Matrix3d R = run.orientationAt(impact.bodies[i], impact.time);
      const auto energy = [&](const Eigen::Matrix<double, 6, 1>& u) {
        const Eigen::Vector3d w = R.transpose() * u.tail<3>();
        return 0.5 * (body.mass * u.head<3>().squaredNorm() + w.dot(body.inertia * w));
      };
      gain += energy(impact.after[i]) - energy(impact.before[i]);
    }
    worst = std::max(worst, gain);
  }
  return worst;
}

std::string text(const std::string& file) {
  std::ifstream in(kFolder + file);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

ProvedRun runWith(const std::string& model, const std::string& scene_text, double until,
                  const std::string& folder = kFolder) {
  Scene scene = scenes::parseScene(scene_text, folder + "s.yaml");
  scene.impact_model = model;
  RunOptions options;
  options.until = until;
  return simulate(scene, options);
}

/// Done and proved, with impacts of which none gains energy, in fewer than `steps`: one a sample of a controller, 1 ms,
/// and the contacts' own. `energy_share`: see wrong(); actuators do work.
void expectImpacts(const ProvedRun& run, long steps, double energy_share = HUGE_VAL) {
  EXPECT_EQ(wrong(run, RunStatus::kDone, energy_share), "");
  EXPECT_GE(run.impacts.size(), 1u);
  EXPECT_LT(largestImpactGain(run), 1e-9);
  EXPECT_LT(run.summary.steps, steps);
}

TEST(RobotImpacts, AQuadrupedLandsOnFourFeetByEveryModel) {
  for (const char* model : kModels) {
    SCOPED_TRACE(model);
    const ProvedRun run = runWith(model, text("quadruped-drop.yaml"), 0.135);
    expectImpacts(run, 300);
    EXPECT_LT(largestMomentumMissing(run), 1e-9);
  }
}

TEST(RobotImpacts, AQuadrupedLandsOnAFreeBodyByEveryModel) {
  std::string scene = text("quadruped-drop.yaml");
  scene.replace(scene.find("0.25]"), 5, "0.27]");
  scene +=
      // Below one foot.
      "  - {name: block, mass: 0.2, position: [0.1, 0.0625, 0.01000001], shape: {box: {size: [0.06, 0.06, 0.02]}}}\n";
  for (const char* model : kModels) {
    SCOPED_TRACE(model);
    const ProvedRun run = runWith(model, scene, 0.12);
    expectImpacts(run, 300);
    EXPECT_LT(largestMomentumMissing(run), 1e-9);
    const int block = bodyNamed(run.scene, "block");
    EXPECT_TRUE(std::any_of(run.impacts.begin(), run.impacts.end(), [&](const ImpactRecord& hit) {
      return std::find(hit.bodies.begin(), hit.bodies.end(), block) != hit.bodies.end();
    }));
  }
}

TEST(RobotImpacts, AWalkerStrikesItsHeelByEveryModel) {
  for (const char* model : kModels) {
    SCOPED_TRACE(model);
    const ProvedRun run = runWith(model, text("compass-gait.yaml"), 0.9);
    expectImpacts(run, 400, 1e-12);
  }
}

TEST(RobotImpacts, FingersCloseOnABoxByEveryModel) {
  std::string scene = text("gripper.yaml");
  const std::string start = "joints: {left_finger: 0.019999992, right_finger: 0.019999992}";
  scene.replace(scene.find(start), start.size(), "joints: {left_finger: 0.01, right_finger: 0.01}");
  const std::string place = "position: [0, 0, 0.32]";
  scene.replace(scene.find(place), place.size(), "position: [0, 0, 0.34]");
  for (const char* model : kModels) {
    SCOPED_TRACE(model);
    const ProvedRun run = runWith(model, scene, 0.15);
    expectImpacts(run, 300);
  }
}

TEST(RobotImpacts, AnArmFoldsOntoItselfByEveryModel) {
  const TemporaryFolder folder;
  {
    std::ofstream urdf(folder / "arm.urdf");
    urdf << "<robot name=\"arm\">\n";
    for (const char* link : {"upper", "fore", "hand"})
      urdf << "<link name=\"" << link
           << "\"><inertial><origin xyz=\"0.2 0 0\"/><mass value=\"1\"/><inertia ixx=\"0.001\" ixy=\"0\" ixz=\"0\" "
              "iyy=\"0.0135\" "
           << "iyz=\"0\" izz=\"0.0135\"/></inertial><collision><origin xyz=\"0.2 0 0\"/><geometry><box size=\"0.3 0.05 "
              "0.05\"/></geometry></collision></link>\n";
    urdf << "<joint name=\"elbow\" type=\"continuous\"><parent link=\"upper\"/><child link=\"fore\"/><origin xyz=\"0.4 "
            "0 0\"/><axis xyz=\"0 1 0\"/></joint>\n"
         << "<joint name=\"wrist\" type=\"continuous\"><parent link=\"fore\"/><child link=\"hand\"/><origin xyz=\"0.4 "
            "0 0\"/><axis xyz=\"0 1 0\"/></joint>\n</robot>\n";
  }
  // Both joints turn the same way until the hand meets the upper arm.
  const std::string scene =
      "gravity: [0, 0, 0]\nuntil: 1\nrobots:\n  - {name: arm, urdf: arm.urdf, self_collision: true, joints: {elbow: "
      "1.9, wrist: 1.9}, joint_velocities: {elbow: 3, wrist: 3}}\n";
  for (const char* model : kModels) {
    SCOPED_TRACE(model);
    const ProvedRun run = runWith(model, scene, 0.5, folder.path().string() + "/");
    EXPECT_EQ(wrong(run), "");
    EXPECT_GE(run.impacts.size(), 1u);
    EXPECT_LT(largestMomentumMissing(run), 1e-9);
    EXPECT_LT(run.summary.steps, 300);
  }
}

/// Two wheels of an axle that stick hold each other along it, however hard: what acts on them must be what presses them
/// onto the floor can give. They would stop this cart with 2.4 m V.
TEST(RobotImpacts, WheelsOfAnAxleDoNotPushEachOther) {
  const TemporaryFolder folder;
  {
    std::ofstream urdf(folder / "cart.urdf");
    const std::string body = "<inertia ixx=\"0.01\" iyy=\"0.03\" izz=\"0.03\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>",
                      wheel = "<inertia ixx=\"0.0003\" iyy=\"0.0005\" izz=\"0.0003\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";
    urdf << "<robot name=\"cart\"><link name=\"body\"><inertial><mass value=\"2\"/>" << body
         << "</inertial><collision><geometry><box size=\"0.35 0.12 0.06\"/></geometry></collision></link>\n";
    for (const char* place : {"0.15 0.1", "0.15 -0.1", "-0.15 0.1", "-0.15 -0.1"})
      urdf << "<link name=\"" << place << "\"><inertial><mass value=\"0.3\"/>" << wheel
           << "</inertial><collision><origin rpy=\"1.5707963267948966 0 0\"/><geometry><cylinder radius=\"0.06\" "
              "length=\"0.03\"/></geometry></collision></link>\n<joint name=\"axle "
           << place << "\" type=\"continuous\"><parent link=\"body\"/><child link=\"" << place
           << "\"/><origin xyz=\"" << place << " -0.02\"/><axis xyz=\"0 1 0\"/></joint>\n";
    urdf << "</robot>\n";
  }
  const std::string scene =
      "contact: {friction: 1}\nuntil: 1\nrobots:\n  - {name: r, urdf: cart.urdf, position: [0, 0, 0.12], "
      "orientation: [1, -0.03523344703336753, -0.06983016521509962, 0.3018689460797075], velocity: "
      "[-0.25653822799947434, 0.02152920258401353, 0], angular_velocity: [-0.13431108308741446, -0.4420010752252932, "
      "0.007435733189420257]}\nbodies:\n  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: "
      "0}}}\n";
  const ProvedRun run = runWith("routh", scene, 0.8, folder.path().string() + "/");
  EXPECT_EQ(wrong(run), "");
  const auto cone = std::find_if(run.report.physics.begin(), run.report.physics.end(),
                                 [](const verify::LawReport& law) { return law.name == "cone"; });
  ASSERT_NE(cone, run.report.physics.end());
  EXPECT_LT(cone->worst, 0.02);
}

}  // namespace
}  // namespace rigor::sim::test
