// SPDX-License-Identifier: MIT
// Proves: loops that MJCF, SDF, URDF and scene files state are read as constraints that close where the file says, and
// starts are closed or refused. Oracle: places of links worked out by hand, equations counted by type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/kinematics.h"
#include "dynamics/loop_constraints.h"
#include "scenes/mjcf.h"
#include "scenes/robot_reader.h"
#include "scenes/sdf.h"
#include "scenes/urdf.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct LoopedRobot {
  RobotModel robot;
  std::vector<std::string> warnings;
  double gapAtZero() const {
    dynamics::ArticulatedWorkspace workspace(*robot.model);
    dynamics::calcPositions(*robot.model, robot.model->neutral(), workspace);
    return dynamics::largestLoopGap(*robot.model, workspace);
  }
};

LoopedRobot loopsOfMjcf(const Folder& folder, const std::string& equality, const geom::Pose& pose = {}) {
  const std::string body = "<joint axis=\"0 1 0\"/><geom size=\"0.1\" mass=\"1\" pos=\"0 0 -0.5\"/>";
  LoopedRobot loaded;
  FileModel file =
      readMjcf(folder.write("m.xml", "<mujoco><worldbody><body name=\"a\" pos=\"0 0 1\">" + body +
                                         "<body name=\"c\" pos=\"0 0 -1\" euler=\"0 90 0\">" + body +
                                         "</body></body><body name=\"b\" pos=\"1 0 1\">" + body +
                                         "</body></worldbody>\n<equality>" + equality + "</equality></mujoco>"),
               loaded.warnings);
  loaded.robot = makeRobotModel(std::move(file), RobotBase::kAuto, pose);
  return loaded;
}

TEST(RobotLoops, ConnectAndWeldHoldWhatIsThereAtZero) {
  const Folder folder;
  const LoopedRobot point = loopsOfMjcf(folder, "<connect body1=\"c\" body2=\"b\" anchor=\"0 0 1\"/>");
  ASSERT_EQ(point.robot.model->loops().size(), 1u);
  EXPECT_EQ(point.robot.model->numLoopRows(), 3);
  EXPECT_LE(point.gapAtZero(), 1e-14);
  // c's z axis points along x: its anchor is at (1, 0, 0), which is 1 m below b.
  EXPECT_LE((point.robot.model->loops()[0].frame_b.p - Eigen::Vector3d(0, 0, -1)).norm(), 1e-15);
  EXPECT_EQ(point.robot.ignored.size(), 1u);
  const LoopedRobot weld = loopsOfMjcf(folder, "<weld body1=\"c\" body2=\"b\"/>");
  EXPECT_EQ(weld.robot.model->numLoopRows(), 6);
  EXPECT_LE(weld.gapAtZero(), 1e-14);
  const LoopedRobot given = loopsOfMjcf(folder, "<weld body1=\"a\" relpose=\"0 0 0.25 1 0 0 0\"/>");  // To the world.
  EXPECT_NEAR(given.gapAtZero(), 1.25, 1e-14);
  EXPECT_THROW(loopsOfMjcf(folder, "<connect body1=\"c\" body2=\"no\" anchor=\"0 0 0\"/>"), LoadError);
  EXPECT_THROW(loopsOfMjcf(folder, "<connect body1=\"c\" body2=\"b\"/>"), LoadError);
  EXPECT_THROW(loopsOfMjcf(folder, "<connect body1=\"c\" body2=\"c\" anchor=\"0 0 0\"/>"), LoadError);
  EXPECT_THROW(loopsOfMjcf(folder, "<connect site1=\"s\" site2=\"t\"/>"), LoadError);
}

TEST(RobotLoops, LoopsToTheWorldMoveWithTheFilesWorld) {
  const Folder folder;
  const geom::Pose moved{{0.8, 0, 0.6, 0}, {3, -2, 5}};
  const LoopedRobot point = loopsOfMjcf(folder, "<connect body1=\"c\" anchor=\"0 0 1\"/>", moved);
  EXPECT_LE(point.gapAtZero(), 1e-14);
  const LoopedRobot weld = loopsOfMjcf(folder, "<weld body1=\"world\" body2=\"c\"/>", moved);
  EXPECT_LE(weld.gapAtZero(), 1e-14);
}

TEST(RobotLoops, AFurtherJointOfAnSdfLinkClosesALoop) {
  const Folder folder;
  const auto linkage = [&](const std::string& type) {
    const auto link = [](const char* name, const char* place) {
      return std::string("<link name=\"") + name + "\"><pose>" + place +
             "</pose><inertial><mass>1</mass></inertial></link>";
    };
    const auto joint = [](const char* name, const std::string& kind, const char* parent, const char* child,
                          const char* place) {
      return std::string("<joint name=\"") + name + "\" type=\"" + kind + "\"><pose relative_to=\"" + child + "\">" +
             place + "</pose><parent>" + parent + "</parent><child>" + child +
             "</child><axis><xyz>0 1 0</xyz></axis></joint>\n";
    };
    LoopedRobot loaded;
    FileModel file =
        readSdf(folder.write("m.sdf", "<sdf version=\"1.7\"><model name=\"m\">" + link("a", "0 0 1 0 0 0") +
                                          link("b", "1 0 1 0 0 0") + link("c", "0.5 0 0 0 0.3 0") +
                                          joint("ja", "revolute", "world", "a", "0 0 0 0 0 0") +
                                          joint("jb", "revolute", "world", "b", "0 0 0 0 0 0") +
                                          joint("jc", "revolute", "a", "c", "-0.5 0 0 0 0 0") +
                                          joint("jd", type, "b", "c", "0.5 0 0.1 0 0.2 0") + "</model></sdf>"),
                loaded.warnings);
    loaded.robot = makeRobotModel(std::move(file), RobotBase::kAuto, {});
    return loaded;
  };
  for (const auto& [type, rows] : {std::pair{"revolute", 5}, {"ball", 3}, {"fixed", 6}}) {
    const LoopedRobot loaded = linkage(type);
    EXPECT_EQ(loaded.robot.model->numVelocities(), 3) << type;
    EXPECT_EQ(loaded.robot.model->numLoopRows(), rows) << type;
    EXPECT_LE(loaded.gapAtZero(), 1e-14) << type;
  }
  EXPECT_THROW(linkage("prismatic"), LoadError);
}

/// Cranks a and b from a base, a coupler c on a.
std::string cranks() {
  const std::string inertial =
      "<inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
      "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
  const auto joint = [](const char* name, const char* parent, const char* child, const char* place) {
    return std::string("<joint name=\"") + name + "\" type=\"continuous\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/><origin xyz=\"" + place + "\"/><axis xyz=\"0 1 0\"/></joint>\n";
  };
  return linkText("world", "") + linkText("a", inertial) + linkText("b", inertial) + linkText("c", inertial) +
         joint("ja", "world", "a", "0 0 0") + joint("jb", "world", "b", "1 0 0") + joint("jc", "a", "c", "0 0 -1");
}

TEST(RobotLoops, LoopJointsAndBallConstraintsOfUrdfFiles) {
  const Folder folder;
  const auto load = [&](const std::string& loop) {
    LoopedRobot loaded;
    FileModel file = readUrdf(folder.write("l.urdf", robotText(cranks() + loop)), loaded.warnings);
    loaded.robot = makeRobotModel(std::move(file), RobotBase::kAuto, {});
    return loaded;
  };
  const std::string links = "<link1 link=\"c\" xyz=\"1 0 0\" rpy=\"0 0.4 0\"/><link2 link=\"b\" xyz=\"0 0 -1\"/>";
  const LoopedRobot hinge =
      load("<loop_joint name=\"l\" type=\"continuous\">" + links + "<axis xyz=\"0 1 0\"/></loop_joint>");
  EXPECT_EQ(hinge.robot.model->numLoopRows(), 5);
  EXPECT_LE(hinge.gapAtZero(), 1e-14);
  const LoopedRobot ball = load(
      "<drake:ball_constraint><drake:ball_constraint_body_A name=\"c\"/>"
      "<drake:ball_constraint_body_B name=\"b\"/><drake:ball_constraint_p_AP value=\"1 0 0\"/>"
      "<drake:ball_constraint_p_BQ value=\"0 0 -1\"/></drake:ball_constraint>");
  EXPECT_EQ(ball.robot.model->numLoopRows(), 3);
  EXPECT_LE(ball.gapAtZero(), 1e-14);
  EXPECT_THROW(load("<loop_joint name=\"l\" type=\"screw\">" + links + "</loop_joint>"), LoadError);
  EXPECT_THROW(load("<loop_joint name=\"l\" type=\"fixed\"><link1 link=\"no\"/><link2 link=\"b\"/></loop_joint>"),
               LoadError);
}

TEST(RobotLoops, StartsAreClosedOrRefused) {
  const Folder folder;
  folder.write("l.urdf", robotText(cranks()));
  std::vector<std::string> warnings;
  const auto read = [&](const std::string& reach, const std::string& fields) {
    return readRobot(Value::parse("name: r\nurdf: l.urdf\nloops: [{a: {link: c, position: [" + reach +
                                      ", 0, 0]}, b: {link: b, position: [0, 0, -1]}}]\n" + fields,
                                  "s.yaml"),
                     {folder.path(), 0.4, 0.1, {0, 0, -9.81}, &warnings});
  };
  const dynamics::Robot closed = read("1", "joints: {ja: 0.5, jb: 0.5, jc: -0.5}");
  EXPECT_THAT(warnings, Not(Contains(HasSubstr("loops were open"))));
  EXPECT_NEAR(closed.start.q[0], 0.5, 1e-14);
  const dynamics::Robot moved = read("1", "joints: {ja: 0.5, jb: 0.5, jc: -0.4}");
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("s.yaml:4:"), HasSubstr("its loops were open by up to 0."))));
  dynamics::ArticulatedWorkspace workspace(*moved.model);
  dynamics::calcPositions(*moved.model, moved.start.q, workspace);
  EXPECT_LE(dynamics::largestLoopGap(*moved.model, workspace), 1e-14);
  try {
    (void)read("5", "");
    FAIL() << "accepted";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("its loops cannot be closed"));
  }
}

TEST(RobotLoops, StartsThatClosingMovesOutOfLimitsSaySo) {
  const Folder folder;
  // Two arms of 1 m at (0, 0, 1) and (1, 0, 1) whose ends meet half a metre to the side and .87 m down: 30 degrees.
  const std::string arm =
      "<joint name=\"%\" axis=\"0 1 0\" range=\"-5 5\"/><geom size=\"0.1\" pos=\"0 0 -0.5\"/></body>";
  const auto named = [&](const std::string& name) { return std::string(arm).replace(arm.find('%'), 1, name); };
  folder.write("m.xml", "<mujoco><worldbody><body name=\"a\" pos=\"0 0 1\">" + named("j") +
                            "<body name=\"b\" pos=\"1 0 1\">" + named("k") +
                            "<site name=\"unused\"/></worldbody></mujoco>");
  std::vector<std::string> warnings;
  try {
    (void)readRobot(Value::parse("name: r\nmjcf: m.xml\nmove_inside_limits: true\nloops:\n"
                                 "- {a: {link: a, position: [0, 0, -1]}, b: {link: b, position: [0, 0, -1]}}",
                                 "s.yaml"),
                    {folder.path(), 0.4, 0.1, {0, 0, -9.81}, &warnings});
    FAIL() << "accepted";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("robot r: closing its loops moves joints j to -0.52"),
                                    HasSubstr("k to 0.52"), HasSubstr("`keyframe`"), Not(HasSubstr("move_inside"))));
  }
}

}  // namespace
}  // namespace rigor::scenes
