// SPDX-License-Identifier: MIT
// Proved: links that fixed joints hold together are one body to the scales of a scene and to its motion, and chips on
// joints count as a share of their robot; robots that hang on joints are moved off what they touch by these; a step of
// a controlled robot goes on over samples that ask for no decision, and comes to the same motion as one that decides at
// each of them. Oracles: rigid motion in closed form; the run with a decision at every sample.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "sim/scales.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

std::string linkText(const std::string& name, double mass, const std::string& size) {
  const std::string inertia = std::to_string(0.01 * mass);
  return "<link name=\"" + name + "\"><inertial><mass value=\"" + std::to_string(mass) + "\"/><inertia ixx=\"" +
         inertia + "\" iyy=\"" + inertia + "\" izz=\"" + inertia +
         "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><box size=\"" + size +
         "\"/></geometry></collision></link>\n";
}

std::string jointText(const std::string& type, const std::string& parent, const std::string& child,
                      const std::string& more) {
  return "<joint name=\"to_" + child + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" +
         child + "\"/>" + more + "</joint>\n";
}

/// A scene with one robot "r" of these links and joints; `fields` are more of its fields.
Scene sceneWith(const std::string& urdf, const std::string& fields, const std::string& more = "") {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.urdf") << "<robot name=\"r\">\n" << urdf << "</robot>\n";
  return scenes::parseScene(more + "robots:\n  - name: r\n    urdf: r.urdf\n" + fields, (folder / "s.yaml").string());
}

const std::string kGround = "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n";
const std::string kCamera =
    linkText("trunk", 2, "0.3 0.2 0.1") + linkText("camera", 0.1, "0.001 0.001 0.001") +
    jointText("fixed", "trunk", "camera", "<origin xyz=\"0.1 0.02 0.06\" rpy=\"0.3 -0.4 1.2\"/>");

TEST(FixedLinks, ASensorOnATrunkSaysNothingOfLengths) {
  const Scales with = Scales::fromScene(sceneWith(kCamera, "    position: [0, 0, 1]\n"));
  const Scales without = Scales::fromScene(sceneWith(linkText("trunk", 2, "0.3 0.2 0.1"), "    position: [0, 0, 1]\n"));
  EXPECT_EQ(with.length, without.length);
  EXPECT_EQ(with.gap, without.gap);
}

TEST(FixedLinks, AChipOnAHingeCountsAsAHundredthOfItsTrunk) {
  const auto scalesWith = [](const std::string& size) {
    return Scales::fromScene(sceneWith(linkText("trunk", 2, "0.3 0.2 0.1") + linkText("chip", 0.1, size) +
                                           jointText("continuous", "trunk", "chip",
                                                     "<origin xyz=\"0.1 0.02 0.06\"/><axis xyz=\"0 0 1\"/>"),
                                       "    position: [0, 0, 1]\n"));
  };
  constexpr double kRounding = 1e-15;
  EXPECT_NEAR(scalesWith("0.001 0.001 0.001").length, 0.003, kRounding);
  EXPECT_NEAR(scalesWith("0.001 0.001 0.001").gap, 0.003 * 1e-7, kRounding * 1e-7);
  EXPECT_NEAR(scalesWith("0.004 0.004 0.004").length, 0.004, kRounding);
}

TEST(FixedLinks, TheirMotionIsThatOfOneBody) {
  const ProvedRun run = simulate(
      sceneWith(kCamera, "    position: [0, 0, 0.6]\n    velocity: [1, 0.5, 0]\n    angular_velocity: [3, -7, 5]\n",
                kGround + "until: 1\n"));
  EXPECT_EQ(wrong(run), "");
  const int trunk = bodyNamed(run.scene, "r/trunk"), camera = bodyNamed(run.scene, "r/camera");
  const Vector3d mount(0.1, 0.02, 0.06);
  const Eigen::Matrix3d turn = (Eigen::AngleAxisd(1.2, Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.4, Vector3d::UnitY()) *
                                Eigen::AngleAxisd(0.3, Vector3d::UnitX()))
                                   .toRotationMatrix();
  long compared = 0;
  for (const PieceRecord& a : run.pieces)
    for (const PieceRecord& b : run.pieces) {
      if (a.body != trunk || b.body != camera || a.piece.t1 != b.piece.t1 || a.piece.t0 != b.piece.t0) continue;
      const geom::Pose A = a.piece.end(), B = b.piece.end();
      constexpr double kRounding = 1e-14;  // Of some dozens of operations on numbers of size 1.
      EXPECT_LT((A.p + A.rotation() * mount - B.p).norm(), kRounding);
      EXPECT_LT((A.rotation() * turn - B.rotation()).norm(), kRounding);
      EXPECT_EQ(a.w_end, b.w_end);
      ++compared;
    }
  EXPECT_GT(compared, 20);
}

TEST(FixedLinks, ARobotOnASliderIsLiftedByIt) {
  const std::string urdf =
      "<link name=\"world\"/>\n" + linkText("foot", 1, "0.1 0.1 0.1") +
      jointText("prismatic", "world", "foot",
                "<axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"0\" velocity=\"0\"/>");
  const ProvedRun run = simulate(sceneWith(urdf, "    joints: {to_foot: 0.05}\n", kGround + "until: 0.2\n"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_EQ(run.warnings.size(), 1u);  // It was moved.
  const int foot = bodyNamed(run.scene, "r/foot");
  EXPECT_GE(run.positionAt(foot, 0)[2] - 0.05, run.gap);
  EXPECT_LE(run.positionAt(foot, 0)[2] - 0.05, 1e-7);
}

TEST(FixedLinks, AStepGoesOnOverSamplesThatAskForNoDecision) {
  // An arm swings up on a plate that stands on the ground.
  const std::string urdf =
      linkText("plate", 5, "0.6 0.6 0.1") + linkText("arm", 0.5, "0.1 0.1 0.1") +
      jointText("continuous", "plate", "arm",
                "<origin xyz=\"0 0 0.3\"/><axis xyz=\"0 1 0\"/><dynamics damping=\"0\" armature=\"0.1\"/>");
  const std::string fields =
      "    position: [0, 0, 0.05]\n    controller: {type: pd, kp: 10, kd: 2, rate: 1000, target: {to_arm: 0.5}}\n";
  const ProvedRun run = simulate(sceneWith(urdf, fields, kGround + "until: 1\n"));
  const ProvedRun decided = simulate(sceneWith(urdf, fields, kGround + "until: 1\nsolver: {max_step: 0.001}\n"));
  for (const ProvedRun* r : {&run, &decided}) {
    EXPECT_EQ(r->summary.status, RunStatus::kDone) << r->summary.message;
    EXPECT_TRUE(r->report.verified);
  }
  EXPECT_LT(run.summary.steps, 40);
  EXPECT_GE(decided.summary.steps, 1000);
  EXPECT_LE(run.summary.max_step, 0.1 + 1e-12);  // solver.max_step
  const int arm = bodyNamed(run.scene, "r/arm");
  EXPECT_GT(run.endRotation(arm)(0, 2), 0.3);  // It has turned,
  EXPECT_LT((run.endRotation(arm) - decided.endRotation(arm)).norm(), 1e-7);
  EXPECT_LT((run.endPosition(arm) - decided.endPosition(arm)).norm(),
            1e-7);  // and nothing has moved otherwise: ten gaps.
}

}  // namespace
}  // namespace rigor::sim::test
