// SPDX-License-Identifier: MIT
// Proves: a scene's `joint_types` make of a joint of a file the chain of axes that the type describes, and what cannot
// be one is refused where it stands. Oracles: places of links worked out by hand, and words of messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/kinematics.h"
#include "scenes/joint_kinds.h"
#include "scenes/model_file.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using Eigen::Vector3d;
using ::testing::HasSubstr;

constexpr double kAngle = 0.7, kShift = 0.3;  // [rad], [m]

/// A bob on joint `j` at (0, 0, 1), whose axis is x, and a second one that hangs on the first.
dynamics::Robot bobs(const std::string& types, const std::string& type = "continuous", const std::string& more = "") {
  const Folder folder;
  const auto joint = [](const std::string& name, const std::string& kind, const char* parent, const char* child,
                        const std::string& inside) {
    return "<joint name=\"" + name + "\" type=\"" + kind + "\"><parent link=\"" + parent + "\"/><child link=\"" +
           child + "\"/><origin xyz=\"0 0 1\"/><axis xyz=\"2 0 0\"/>" + inside + "</joint>\n";
  };
  folder.write("b.urdf",
               robotText(linkText("world", "") + linkText("bob", kInertial) + linkText("next", kInertial) +
                         joint("j", type, "world", "bob", more) + joint("k", "continuous", "bob", "next", "")));
  std::vector<std::string> warnings;
  const Value map = Value::parse("name: r\nurdf: b.urdf\njoint_types: " + types, "s.yaml");
  return readRobot(map, {folder.path(), 0.3, 0, {0, 0, -9.81}, &warnings});
}

/// Pose of a link where joints have these coordinates, the others 0.
geom::Pose poseOf(const dynamics::Robot& robot, const char* link, const std::map<std::string, double>& coordinates) {
  const dynamics::ArticulatedModel& model = *robot.model;
  Eigen::VectorXd q = model.neutral();
  for (const auto& [name, value] : coordinates) q[model.joint(model.findJoint(name)).q] = value;
  dynamics::ArticulatedWorkspace workspace(model);
  dynamics::calcPositions(model, q, workspace);
  return dynamics::linkPose(model, workspace, model.findLink(link));
}

void expectPlace(const geom::Pose& pose, const Vector3d& place) { EXPECT_LE((pose.p - place).norm(), 1e-15); }

TEST(JointKinds, ACylindricalJointTurnsAndShifts) {
  const dynamics::Robot robot = bobs("{j: {cylindrical: {}}}");
  EXPECT_EQ(robot.model->numVelocities(), 3);
  const geom::Pose bob = poseOf(robot, "bob", {{"j", kAngle}, {"j.shift", kShift}});
  expectPlace(bob, {kShift, 0, 1});
  const Vector3d down = bob.rotation() * Vector3d(0, 0, -1);
  EXPECT_LE((down - Vector3d(0, std::sin(kAngle), -std::cos(kAngle))).norm(), 1e-15);
  // What hangs on it goes along, and never meets what it is joined to through the link between.
  EXPECT_LE((poseOf(robot, "next", {{"j", kAngle}, {"j.shift", kShift}}).p - (bob.p - down)).norm(), 1e-15);
  EXPECT_EQ(robot.ignored.size(), 1u);
}

TEST(JointKinds, AScrewShiftsByItsPitchEachTurn) {
  const dynamics::Robot turned = bobs("{j: {screw: {pitch: 0.02}}}");
  EXPECT_EQ(turned.model->numVelocities(), 2);
  expectPlace(poseOf(turned, "bob", {{"j", 2 * M_PI}}), {0.02, 0, 1});
  // A file's prismatic joint is the shift, which follows the turn: its limits bound that.
  const dynamics::Robot shifted = bobs("{j: {screw: {pitch: -0.02}}}", "prismatic",
                                       "<limit lower=\"-0.01\" upper=\"0.01\" effort=\"0\" velocity=\"0\"/>");
  const auto& turn = shifted.model->joint(shifted.model->findJoint("j.turn"));
  EXPECT_NEAR(turn.upper, M_PI, 1e-14);
  EXPECT_NEAR(turn.lower, -M_PI, 1e-14);
}

TEST(JointKinds, AxesAsideAndAxesThatAreMovedByOthers) {
  registerJointKind({"test-arm",
                     "",
                     {{.name = "reach", .meaning = "length", .unit = "m"}},
                     false,
                     [](const std::map<std::string, double>& values) {
                       const double a = values.at("reach");
                       return std::vector<JointAxis>{
                           {.name = "lift", .shifts = true},
                           {.name = "swing", .point = {a, 0, 0}},
                           {.name = "reach", .shifts = true, .direction = {1, 0, 0}, .point = {0, a, 0}}};
                     }});
  const dynamics::Robot robot = bobs("{j: {test-arm: {reach: 0.5}}}", "fixed");
  EXPECT_EQ(robot.model->numVelocities(), 4);
  expectPlace(poseOf(robot, "bob", {}), {0, 0, 1});
  // Lifted by .1, turned by a right angle about (.5, 0), then moved by .2 along what is the y axis now.
  expectPlace(poseOf(robot, "bob", {{"j.lift", 0.1}, {"j.swing", M_PI / 2}, {"j.reach", 0.2}}), {0.5, -0.3, 1.1});
}

std::string refusalOf(const std::string& types, const std::string& type = "continuous", const std::string& more = "") {
  return refusalBy([&] { (void)bobs(types, type, more); });
}

TEST(JointKinds, WhatCannotBeAJointIsRefusedWhereItStands) {
  EXPECT_THAT(refusalOf("{i: {screw: {pitch: 1}}}"), HasSubstr("s.yaml:3:15: joint_types: no joint is called i"));
  EXPECT_THAT(refusalOf("{j: {scew: {pitch: 1}}}"),
              HasSubstr("s.yaml:3:19: joint_types.j: unknown type scew; did you mean screw?"));
  EXPECT_THAT(refusalOf("{j: {screw: {}}}"), HasSubstr("pitch"));
  EXPECT_THAT(refusalOf("{j: {screw: {pitch: 1, lead: 1}}}"), HasSubstr("lead"));
  EXPECT_THAT(refusalOf("{j: {screw: {pitch: 1}}, j: {cylindrical: {}}}"), HasSubstr("duplicate field joint_types.j"));
  EXPECT_THAT(refusalOf("{j: {screw: {pitch: 1}, cylindrical: {}}}"), HasSubstr("has 2 types"));
  EXPECT_THAT(refusalOf("{j: {screw: {pitch: 1}}}", "spherical"), HasSubstr("revolute, continuous or prismatic"));
  EXPECT_THAT(refusalOf("{j: {screw: {pitch: 1}}}", "prismatic", "<mimic joint=\"k\"/>"), HasSubstr("follows joint k"));
  for (const auto& [name, axes, words] :
       {std::tuple{"test-none", std::vector<JointAxis>{}, "has no axis"},
        {"test-twice", {{.name = "a"}, {.name = "a"}}, "has an axis named 'a'"},
        {"test-flat", {{.name = "a", .direction = {0, 0, 0}}}, "without direction"},
        {"test-nan", {{.name = "a", .point = {0, NAN, 0}}}, "without direction, place"},
        {"test-ahead", {{.name = "a", .follows = "b"}, {.name = "b"}}, "follows b, which is not before it"},
        {"test-slide", {{.name = "a", .shifts = true}}, "turns as joint j does"}}) {
    registerJointKind({name, "", {}, true, [axes = axes](const std::map<std::string, double>&) { return axes; }});
    EXPECT_THAT(refusalOf(std::string("{j: {") + name + ": {}}}"), HasSubstr(words)) << name;
  }
}

TEST(JointKinds, NamesAreWordsOfTheirOwn) {
  const auto axes = [](const std::map<std::string, double>&) { return std::vector<JointAxis>{{.name = "a"}}; };
  EXPECT_THROW(registerJointKind({"screw", "", {}, true, axes}), std::invalid_argument);
  EXPECT_THROW(registerJointKind({"Two words", "", {}, true, axes}), std::invalid_argument);
  EXPECT_THROW(registerJointKind({"test-empty", "", {}, true, nullptr}), std::invalid_argument);
  EXPECT_THROW(registerJointKind({"test-fields", "", {{.name = "f"}, {.name = "f"}}, true, axes}),
               std::invalid_argument);
  EXPECT_EQ(findJointKind("test-fields"), nullptr);
}

}  // namespace
}  // namespace rigor::scenes
