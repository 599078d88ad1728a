// SPDX-License-Identifier: MIT
// Proves: SDF models are read to what they state. Oracle: a URDF file of the same mechanism; places worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "scenes/model_reader.h"
#include "scenes/sdf.h"
#include "scenes/urdf.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

RobotModel loadSdf(const Folder& folder, const std::string& text) {
  std::vector<std::string> warnings;
  return makeRobotModel(readSdf(folder.write("m.sdf", text), warnings), RobotBase::kAuto, {});
}

const std::string kLinkInertial =
    "<inertial><pose>0 0 -0.5 0 0 "
    "0</pose><mass>2</mass><inertia><ixx>0.2</ixx><iyy>0.2</iyy><izz>0.01</izz></inertia></inertial>";

TEST(Sdf, IsTheMechanismThatAUrdfFileSays) {
  const Folder folder;
  // The hinge stands .25 above the tip's own frame.
  const RobotModel here = loadSdf(
      folder,
      "<sdf version=\"1.7\"><world name=\"w\"><model name=\"m\"><pose>0 0 3 0 0 0</pose>\n<link name=\"base\">" +
          kLinkInertial +
          "</link>\n"
          "<link name=\"tip\"><pose>0 1 -0.25 0 0 0</pose>" +
          kLinkInertial +
          "<collision name=\"c\"><geometry><sphere><radius>0.1</radius></sphere></geometry>"
          "<surface><friction><ode><mu>0.6</mu></ode></friction></surface></collision></link>\n"
          "<joint name=\"j\" type=\"revolute\"><parent>base</parent><child>tip</child><pose>0 0 0.25 0 0 "
          "0</pose><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort></limit>"
          "<dynamics><damping>0.5</damping><spring_stiffness>4</spring_stiffness><spring_reference>0.1</"
          "spring_reference></dynamics></axis></joint></model></world></sdf>");
  std::vector<std::string> warnings;
  const std::string shifted =
      "<inertial><origin xyz=\"0 0 -0.75\"/><mass value=\"2\"/><inertia ixx=\"0.2\" ixy=\"0\" ixz=\"0\" iyy=\"0.2\" "
      "iyz=\"0\" izz=\"0.01\"/></inertial>";
  const RobotModel there = makeRobotModel(
      parseUrdf(
          robotText(linkText("base", kInertial) + linkText("tip", shifted) +
                    jointText("j", "revolute", "base", "tip",
                              "<origin xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"0\"/>")),
          "r.urdf", warnings),
      RobotBase::kAuto, {{1, 0, 0, 0}, {0, 0, 3}});
  const auto &a = *here.model, &b = *there.model;
  ASSERT_EQ(a.numVelocities(), 7);
  ASSERT_TRUE(here.floating);
  dynamics::ArticulatedState sa(a), sb(b);
  sa.q[a.joint(a.findJoint("j")).q] = sb.q[b.joint(b.findJoint("j")).q] = 0.4;
  dynamics::ArticulatedWorkspace wa(a), wb(b);
  dynamics::calcPositions(a, sa.q, wa);
  dynamics::calcPositions(b, sb.q, wb);
  EXPECT_LE((dynamics::linkPose(a, wa, a.findLink("base")).p - Eigen::Vector3d(0, 0, 3)).norm(), 1e-14);
  EXPECT_LE((dynamics::linkCentre(a, wa, a.findLink("tip")) - dynamics::linkCentre(b, wb, b.findLink("tip"))).norm(),
            1e-14);
  const geom::Pose tip = dynamics::linkPose(a, wa, a.findLink("tip"));
  EXPECT_LE((tip.p - Eigen::Vector3d(-0.25 * std::sin(0.4), 1, 3 - 0.25 * std::cos(0.4))).norm(), 1e-14);
  const auto& j = a.joint(a.findJoint("j"));
  EXPECT_EQ(j.upper, 2);
  EXPECT_EQ(j.effort, 3);
  EXPECT_EQ(j.damping, 0.5);
  EXPECT_EQ(j.stiffness, 4);
  EXPECT_EQ(here.friction[a.findLink("tip")], 0.6);
}

TEST(Sdf, StaticModelsAndPlanesStand) {
  const Folder folder;
  const RobotModel plane = loadSdf(
      folder,
      "<sdf version=\"1.6\"><model name=\"m\"><static>true</static><link name=\"a\">" + kLinkInertial +
          "</link><link name=\"b\"><inertial><mass>1</mass></inertial></link><joint name=\"j\" "
          "type=\"continuous\"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>");
  EXPECT_FALSE(plane.floating);
  EXPECT_EQ(plane.model->numVelocities(), 1);
}

TEST(Sdf, LimitsMayBeInfinite) {
  const Folder folder;
  const RobotModel arm = loadSdf(
      folder, "<sdf version=\"1.6\"><model name=\"m\"><link name=\"a\">" + kLinkInertial +
                  "</link><joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child>"
                  "<axis><xyz>0 1 0</xyz><limit><lower>-inf</lower><upper>2</upper><effort>inf</effort>"
                  "<velocity>1e200</velocity></limit></axis></joint></model></sdf>");
  const auto& joint = arm.model->joint(arm.model->findJoint("j"));
  EXPECT_TRUE(std::isinf(joint.lower) && joint.lower < 0);
  EXPECT_EQ(joint.upper, 2);
  EXPECT_TRUE(std::isinf(joint.effort) && std::isinf(joint.speed));
}

TEST(Sdf, BadFilesAreRefusedWithFileLineAndElement) {
  const Folder folder;
  const auto model = [](const std::string& inside) {
    return "<sdf version=\"1.6\"><model name=\"m\">\n<link name=\"a\">" + kLinkInertial + "</link>\n" + inside +
           "</model></sdf>";
  };
  const struct {
    std::string text;
    const char* place;
    const char* what;
  } cases[] = {
      {"<sdf/>", "m.sdf:1:1", "no <model>"},
      {"<sdf><model name=\"a\"/>\n<model name=\"b\"/></sdf>", "m.sdf:2:1", "a second <model>"},
      {model("<include><uri>model://x</uri></include>"), "m.sdf:3:1", "<include>"},
      {model("<link name=\"a\"/>"), "m.sdf:3:1", "a second link a"},
      {model("<link name=\"b\"><pose relative_to=\"c\">0 0 0 0 0 0</pose></link><joint name=\"j\" "
             "type=\"fixed\"><parent>a</parent><child>b</child></joint>"),
       "m.sdf:3:1", "no frame is called c"},
      {model("<link name=\"b\"><pose relative_to=\"b\">0 0 0 0 0 0</pose></link>"), "m.sdf:3:1", "stands on itself"},
      {model("<joint name=\"j\" type=\"screw\"><parent>a</parent><child>a</child></joint>"), "m.sdf:3:1", "type screw"},
      {model("<joint name=\"j\" type=\"fixed\"><parent>a</parent></joint>"), "m.sdf:3:1", "no <child>"},
      {model("<link name=\"b\"><pose>0 0 0</pose></link>"), "m.sdf:3:", "6 numbers"},
      {model("<link name=\"b\"><inertial><mass>-1</mass></inertial></link>"), "m.sdf:3:", "mass is -1"},
  };
  for (const auto& [text, place, what] : cases) {
    SCOPED_TRACE(text);
    try {
      (void)loadSdf(folder, text);
      ADD_FAILURE() << "accepted";
    } catch (const LoadError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(place), HasSubstr(what)));
    }
  }
}

TEST(ModelFiles, AreToldByTheirFirstElement) {
  const Folder folder;
  EXPECT_EQ(robotFormat(folder.write("a", "<?xml version=\"1.0\"?>\n<!-- <sdf> -->\n<robot name=\"r\"/>")), "urdf");
  EXPECT_EQ(robotFormat(folder.write("b", "<mujoco>")), "mjcf");
  EXPECT_EQ(robotFormat(folder.write("c", "<sdf version='1.6'>")), "sdf");
  EXPECT_EQ(robotFormat(folder.write("d", "<robots/>")), "");
  EXPECT_EQ(robotFormat(folder.write("broken.xml", "<mu9oco>")), "mjcf");
  EXPECT_EQ(robotFormat(folder.write("e", "SQLite format 3")), "");
  EXPECT_EQ(robotFormat(folder.write("record", "SQLite format 3 <mujoco model='m'>")), "");  // It holds a robot file.
  EXPECT_EQ(robotFormat(folder.write("marked", "\xEF\xBB\xBF \n<mujoco/>")), "mjcf");
  EXPECT_EQ(robotFormat(folder.path() + "/none"), "");
}

}  // namespace
}  // namespace rigor::scenes
