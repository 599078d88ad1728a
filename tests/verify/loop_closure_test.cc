// SPDX-License-Identifier: MIT
// Proves: what closes a loop of a robot is proved like a joint, at every instant, and a model that says of a loop what
// its links do not do is refuted. The laws of motion hold for such robots, and what their joints do along their axes is
// held to the model. So is what drives joints that follow others. Oracles: which loop was moved, by how much; whether
// an actuator is named as one.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <utility>

#include "filter_against_kernel.h"
#include "hand_made_run.h"
#include "recorded_scene.h"
#include "tests/scenes/robot_text.h"
#include "verify/recorded_run.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

std::string rod(const std::string& name) {
  return scenes::linkText(
      name,
      "<inertial><origin xyz=\"0.2 0 0\"/><mass value=\"1\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" "
      "iyz=\"0\" izz=\"0.01\"/></inertial><collision><origin xyz=\"0.2 0 0\"/><geometry><box size=\"0.36 0.02 "
      "0.02\"/></geometry></collision>");
}

std::string hinge(const std::string& name, const std::string& parent, const std::string& child, double x) {
  return scenes::jointText(name, "continuous", parent, child, fmt::format("<origin xyz=\"{} 0 0\"/>", x));
}

/// .3 s of a robot `r` that hangs on the world.
struct Hanging {
  Hanging(const std::string& urdf, const std::string& more) {
    const scenes::Folder folder;
    folder.write("r.urdf", scenes::robotText(scenes::linkText("world", "") + urdf));
    const std::string scene = folder.write(
        "r.yaml", "until: 0.3\nrobots:\n  - name: r\n    urdf: r.urdf\n    base: fixed\n    self_collision: false\n" +
                      more);
    const std::string path = folder.path() + "/r.rigor";
    recordScene(scenes::loadScene(scene), 0, path);
    report = verifyRecord(path, {});
    RecordedRun recorded(path);
    made = {recorded.run, {recorded.readBranch(0)}};
  }
  bool isProved() const { return kernel::made::proveAll(made).open.empty(); }
  kernel::made::Made made;
  Report report;
};

/// Three rods of .4 m that hang in a bow between two points, .8 m apart; the last is held by the loop alone.
struct Bow : Hanging {
  explicit Bow(const std::string& loop, const std::string& more = "")
      : Hanging(rod("a") + rod("b") + rod("c") + hinge("ja", "world", "a", 0) + hinge("jb", "a", "b", 0.4) +
                    hinge("jc", "b", "c", 0.4),
                "    joints: {ja: 1, jb: -1, jc: -1}\n    loops: [" + loop + "]\n" + more) {}
  kernel::Joint& loop() { return made.run.model.robots[0].joints.back(); }
};

/// Names all actuators joints. @returns how many there were.
int hideActuators(kernel::made::Made& made) {
  using enum kernel::Wrench::Source;
  int actuators = 0;
  for (kernel::Action& action : made.rows[0].actions)
    for (kernel::Wrench& wrench : action.wrenches)
      if (std::exchange(wrench.source, kJoint) == kActuator) ++actuators;
  return actuators;
}

TEST(LoopClosure, IsProvedAtEveryInstantAndRefutedWhereLinksAreApart) {
  for (const char* type : {"point", "hinge"}) {
    Bow bow(
        fmt::format("{{type: {}, a: {{link: c, position: [0.4, 0, 0], rpy: [1.5707963267948966, 0, 0]}}, b: "
                    "{{link: world, position: [0.8, 0, 0], rpy: [1.5707963267948966, 0, 0]}}}}",
                    type));
    EXPECT_TRUE(bow.report.verified) << type;
    EXPECT_GT(bow.report.open_joints, 0) << type;
    EXPECT_LE(bow.report.open_joints, 1e-9) << type;
    ASSERT_TRUE(bow.loop().loop);
    EXPECT_TRUE(bow.isProved()) << type;
    Bow moved = bow;
    moved.loop().child_point[2] += 1e-6;
    EXPECT_FALSE(moved.isProved()) << type;
    Bow turned = bow;
    turned.loop().child_frame = {1, 0.1, 0, 0};
    EXPECT_EQ(turned.isProved(), bow.loop().type == kernel::JointType::kSpherical) << type;
  }
}

TEST(LoopClosure, TheLawsOfMotionHoldWithLoops) {
  Bow bow("{type: point, a: {link: c, position: [0.4, 0, 0]}, b: {link: world, position: [0.8, 0, 0]}}");
  EXPECT_TRUE(bow.report.physics_known);
  EXPECT_TRUE(bow.isProved());
  for (kernel::Action& action : bow.made.rows[0].actions)
    for (kernel::Wrench& wrench : action.wrenches)
      for (double& x : wrench.impulses[0].P) x *= 0.5;
  EXPECT_FALSE(bow.isProved());
}

const char* const kPin = "{type: point, a: {link: c, position: [0.4, 0, 0]}, b: {link: world, position: [0.8, 0, 0]}}";

/// What drives a linkage is an actuator, and no joint of its own does it: a loop is no place to hide a motor in.
TEST(LoopClosure, JointsOfALinkageDoNotDriveIt) {
  Bow bow(kPin, "    controller: {type: pd, kp: 20, kd: 1}\n");
  ASSERT_TRUE(bow.report.verified && bow.report.physics_known);
  bow.made.run.bounds[kernel::Law::kJoints] = 1e-3;  // Its motors are weak.
  ASSERT_TRUE(bow.isProved());
  Bow hidden = bow, turning = bow;
  int loops = 0;
  const int number = static_cast<int>(bow.made.run.model.robots[0].joints.size()) - 1;
  for (kernel::Action& action : turning.made.rows[0].actions)
    for (kernel::Wrench& wrench : action.wrenches)
      if (wrench.joint == number) ++loops, wrench.impulses[0].moment[1] += 0.05;
  EXPECT_GT(hideActuators(hidden.made), 0);
  EXPECT_GT(loops, 0);
  EXPECT_FALSE(hidden.isProved());
  EXPECT_FALSE(turning.isProved());
  for (const Bow* one : {&bow, &hidden, &turning}) compareWithKernel(one->made, "linkage");
}

/// A gear hands on what drives it, and adds nothing: nor is it a place to hide a motor in. Two rods that a motor lifts.
TEST(LoopClosure, JointsThatFollowOthersDoNotDriveThem) {
  const std::string follows = "<origin xyz=\"0.4 0 0\"/><mimic joint=\"ja\" multiplier=\"-1.5\"/>";
  Hanging arm(rod("a") + rod("b") + hinge("ja", "world", "a", 0) +
                  scenes::jointText("jb", "continuous", "a", "b", follows),
              "    joints: {ja: 1.5}\n    controller: {type: pd, kp: 100, kd: 1, target: {ja: 0}}\n");
  ASSERT_TRUE(arm.report.verified && arm.report.physics_known);
  EXPECT_TRUE(arm.isProved());
  Hanging hidden = arm;
  EXPECT_GT(hideActuators(hidden.made), 0);
  EXPECT_FALSE(hidden.isProved());
  for (const Hanging* one : {&arm, &hidden}) compareWithKernel(one->made, "gear");
}

}  // namespace
}  // namespace rigor::verify
