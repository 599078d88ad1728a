// SPDX-License-Identifier: MIT
// Proves: SDF models are read to what they state. Oracle: a URDF file of the same mechanism; places worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

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

/// Where a link's origin is at zero.
Eigen::Vector3d placeOf(const RobotModel& robot, const std::string& link) {
  dynamics::ArticulatedWorkspace workspace(*robot.model);
  dynamics::calcPositions(*robot.model, robot.start.q, workspace);
  EXPECT_GE(robot.model->findLink(link), 0) << link;
  return dynamics::linkPose(*robot.model, workspace, robot.model->findLink(link)).p;
}

const std::string kArm =
    "<link name=\"upper\"><pose>0 0 1 0 0 0</pose>" + kLinkInertial +
    "</link><link name=\"lower\"><pose relative_to=\"upper\">1 0 0 0 0 0</pose>" + kLinkInertial +
    "</link><joint name=\"elbow\" type=\"revolute\"><parent>upper</parent><child>lower</child>"
    "<axis><xyz>0 1 0</xyz></axis></joint>";

TEST(Sdf, ModelsNestAndAreIncluded) {
  const Folder folder;
  folder.write("arm/model.config",
               "<model><sdf version=\"1.9\">new.sdf</sdf><sdf version=\"1.10\">newest.sdf</sdf></model>");
  folder.write("arm/newest.sdf", "<sdf version=\"1.10\"><model name=\"arm\"><pose>9 9 9 0 0 0</pose>" + kArm +
                                            "</model></sdf>");
  // A quarter turn about z at (0, 0, 5); an arm that is written out, one included, one merged.
  const RobotModel robot = loadSdf(
      folder,
      "<sdf version=\"1.10\"><model name=\"m\"><pose>0 0 5 0 0 1.5707963267948966</pose><link name=\"base\">" +
          kLinkInertial + "</link><model name=\"left\"><pose>0 1 0 0 0 0</pose>" + kArm +
          "</model><include><uri>model://arm</uri><name>right</name><pose relative_to=\"left\">0 -2 0 0 0 0</pose>"
          "</include><include merge=\"true\"><uri>arm</uri><placement_frame>upper</placement_frame>"
          "<pose>3 0 0 0 0 0</pose></include>"
          "<joint name=\"l\" type=\"fixed\"><parent>base</parent><child>left::upper</child></joint>"
          "<joint name=\"r\" type=\"revolute\"><parent>base</parent><child>right::upper</child>"
          "<axis><xyz expressed_in=\"left\">1 0 0</xyz></axis></joint>"
          "<joint name=\"c\" type=\"fixed\"><parent>left</parent><child>upper</child></joint></model></sdf>");
  const Eigen::Vector3d at(0, 0, 5);
  EXPECT_LE((placeOf(robot, "left::upper") - at - Eigen::Vector3d(-1, 0, 1)).norm(), 1e-14);
  EXPECT_LE((placeOf(robot, "left::lower") - at - Eigen::Vector3d(-1, 1, 1)).norm(), 1e-14);
  EXPECT_LE((placeOf(robot, "right::lower") - at - Eigen::Vector3d(1, 1, 1)).norm(), 1e-14);
  EXPECT_LE((placeOf(robot, "upper") - at - Eigen::Vector3d(0, 3, 0)).norm(), 1e-14);  // Its frame is what is placed.
  EXPECT_LE((placeOf(robot, "lower") - at - Eigen::Vector3d(0, 4, 0)).norm(), 1e-14);
  EXPECT_EQ(robot.model->numVelocities(), 6 + 4);
  EXPECT_GE(robot.model->findJoint("right::elbow"), 0);
  EXPECT_GE(robot.model->findJoint("elbow"), 0);
}

TEST(Sdf, WorldsHoldSeveralModels) {
  const Folder folder;
  const RobotModel world = loadSdf(
      folder, "<sdf version=\"1.9\"><world name=\"w\"><include><uri>model://sun</uri></include><frame "
          "name=\"f\"><pose>0 0 7 0 0 "
              "0</pose></frame><model name=\"a\"><pose relative_to=\"f\">1 0 0 0 0 0</pose>" + kArm +
              "</model><model name=\"b\"><static>true</static><link name=\"l\"><pose "
                  "rotation_format=\"quat_xyzw\">0 2 0 0 0 1 "
              "0</pose></link></model></world></sdf>");
  EXPECT_LE((placeOf(world, "a::upper") - Eigen::Vector3d(1, 0, 8)).norm(), 1e-14);
  EXPECT_LE((placeOf(world, "b::l") - Eigen::Vector3d(0, 2, 0)).norm(), 1e-14);
  EXPECT_EQ(world.model->numVelocities(), 7);
}

TEST(Sdf, AxesStandWhereTheVersionSays) {
  const Folder folder;
  const auto axisOf = [&](const std::string& version, const std::string& flag) {
    const RobotModel arm = loadSdf(
        folder, "<sdf version=\"" + version + "\"><model name=\"m\"><link name=\"a\"><pose>0 0 0 0 0 "
            "1.5707963267948966</pose>" +
                    kLinkInertial + "</link><joint name=\"j\" type=\"revolute\"><parent>world</parent><child>"
                        "a</child><axis>"
                    "<xyz>1 0 0</xyz>" + flag + "</axis></joint></model></sdf>");
    return Eigen::Vector3d(arm.model->joint(arm.model->findJoint("j")).axis);  // In the frame of the link.
  };
  const Eigen::Vector3d own(1, 0, 0), of_model(0, -1, 0);
  EXPECT_LE((axisOf("1.4", "") - of_model).norm(), 1e-14);
  EXPECT_LE((axisOf("1.6", "") - own).norm(), 1e-14);
  EXPECT_LE((axisOf("1.10", "") - own).norm(), 1e-14);
  EXPECT_LE((axisOf("1.6", "<use_parent_model_frame>true</use_parent_model_frame>") - of_model).norm(), 1e-14);
  EXPECT_LE((axisOf("1.4", "<use_parent_model_frame>0</use_parent_model_frame>") - own).norm(), 1e-14);
}

TEST(Sdf, FollowersAndPlacesOfCollisions) {
  const Folder folder;
  const RobotModel arm = loadSdf(
      folder, "<sdf version=\"1.11\"><model name=\"m\"><link name=\"a\">" + kLinkInertial + "</link><link "
          "name=\"b\"><pose>0 0 1 0 0 "
              "0</pose>" + kLinkInertial +
              "<collision name=\"c\"><pose relative_to=\"a\">0 0 4 0 0 0</pose><geometry><box><size>1 1 1</size></box>"
              "</geometry></collision></link><joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child>"
              "<axis><xyz>0 1 0</xyz></axis></joint><joint name=\"k\" type=\"revolute\"><parent>a</parent>"
                  "<child>b</child><axis>"
              "<xyz>0 1 0</xyz><mimic joint=\"j\"><multiplier>2</multiplier><offset>.5</offset><reference>"
                  ".1</reference></mimic>"
              "</axis></joint></model></sdf>");
  const auto& follower = arm.model->joint(arm.model->findJoint("k"));
  EXPECT_TRUE(follower.follows());
  EXPECT_EQ(follower.ratio, 2);
  EXPECT_NEAR(follower.offset, .3, 1e-15);
  const auto& box = std::get<geom::Polytope>(arm.shapes[arm.model->findLink("b")].at(0));
  EXPECT_LE((box.centre() - Eigen::Vector3d(0, 0, 3)).norm(), 1e-14);
}

TEST(Sdf, ScrewsTurnAndShift) {
  const Folder folder;
  const auto ratioOf = [&](const std::string& pitch) {
    const RobotModel screw = loadSdf(
        folder, "<sdf version=\"1.10\"><model name=\"m\"><link name=\"a\"><pose>0 0 1 0 0 0</pose>" + kLinkInertial +
                    "</link><joint name=\"j\" type=\"screw\"><pose>0 0 -1 0 0 0</pose><parent>world</parent><child>a"
                    "</child>" + pitch + "<axis><xyz>0 0 1</xyz><limit><lower>-3</lower><upper>3</upper></limit></axis>"
                    "</joint></model></sdf>");
    const auto& shift = screw.model->joint(screw.model->findJoint("j.shift"));
    EXPECT_TRUE(shift.follows());
    EXPECT_EQ(screw.model->numVelocities(), 1);
    EXPECT_LE((placeOf(screw, "a") - Eigen::Vector3d(0, 0, 1)).norm(), 1e-15);
    return shift.ratio;
  };
  constexpr double kTurn = 6.283185307179586;
  EXPECT_NEAR(ratioOf("<screw_thread_pitch>0.02</screw_thread_pitch>"), .02 / kTurn, 1e-17);
  EXPECT_NEAR(ratioOf("<thread_pitch>-314.1592653589793</thread_pitch>"), .02 / kTurn, 1e-17);
}

TEST(Sdf, UniversalJointsHaveTheLimitsOfTheirAxes) {
  const Folder folder;
  const auto loaded = [&](const std::string& type, const std::string& upper, std::vector<std::string>& warnings) {
    const auto axis = [](const std::string& name, const std::string& xyz, const std::string& high) {
      return "<" + name + "><xyz>" + xyz + "</xyz><limit><lower>-1</lower><upper>" + high +
             "</upper></limit></" + name + ">";
    };
    return makeRobotModel(readSdf(folder.write("m.sdf", "<sdf version=\"1.6\"><model name=\"m\"><link name=\"a\">" +
                                                            kLinkInertial + "</link><joint name=\"j\" type=\"" + type +
                                                            "\"><parent>world</parent><child>a</child>" +
                                                            axis("axis", "1 0 0", "1") + axis("axis2", "0 1 0", upper) +
                                                            "</joint></model></sdf>"),
                                  warnings),
                          RobotBase::kAuto, {});
  };
  for (const char* type : {"universal", "revolute2"}) {
    std::vector<std::string> same, other;
    const RobotModel both = loaded(type, "1", same), differ = loaded(type, "2", other);
    EXPECT_EQ(both.model->numVelocities(), 2);
    EXPECT_EQ(both.model->joint(both.model->findJoint("j")).upper, 1);
    EXPECT_EQ(differ.model->joint(differ.model->findJoint("j")).upper, INFINITY);
    EXPECT_THAT(same, Not(Contains(HasSubstr("limits of its axes"))));
    EXPECT_THAT(other, Contains(HasSubstr("joint j: limits of its axes that differ; they are left out")));
  }
}

TEST(Sdf, WorldsAsGazeboShipsThem) {
  const Folder folder;
  std::filesystem::create_directories(folder.path() + "/ball");
  folder.write("ball/model.config", "<model><sdf version=\"1.5\">model.sdf</sdf></model>");
  folder.write("ball/model.sdf",
               "<sdf version=\"1.5\"><model name=\"ball\">\n<link name=\"l\"><gravity>0</gravity></link></model>"
               "</sdf>");
  std::vector<std::string> warnings;
  const RobotModel world = makeRobotModel(
      readSdf(folder.write("m.sdf", "<sdf version=\"1.5\"><world name=\"w\"><gravity>0 0 -1.6</gravity>\n"
                                    "<include><uri>https://fuel.gazebosim.org/1.0/OpenRobotics/models/Sun</uri>"
                                    "</include>\n<include><uri>model://ground_plane</uri></include>\n"
                                    "<include><uri>model://ball</uri></include>\n"
                                    "<include><uri>model://ball</uri><name>b</name></include></world></sdf>"),
              warnings),
      RobotBase::kAuto, {});
  EXPECT_EQ(world.model->numVelocities(), 12);
  const auto& ground = world.shapes[world.model->findLink("ground_plane::link")];
  ASSERT_EQ(ground.size(), 1u);
  EXPECT_EQ(std::get<geom::HalfSpace>(ground[0]).normal, Eigen::Vector3d(0, 0, 1));
  EXPECT_THAT(warnings, Contains(HasSubstr("m.sdf:3:1: include: model://ground_plane is not there; the half-space")));
  EXPECT_THAT(warnings, Contains(HasSubstr("m.sdf:1:36: <gravity> 0 0 -1.6 is left out")));
  // What is said of several links is said once, with the places of all of them: in files of folders as well.
  EXPECT_THAT(warnings,
              Contains(AllOf(HasSubstr("ball/model.sdf:2:1: link ball::l: <gravity> false is left out: gravity acts on "
                                       "all links; likewise link b::l ("),
                             HasSubstr("ball/model.sdf:2)"))));
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
      {model("<include><uri>model://no_such_model</uri></include>"), "m.sdf:3:1", "model://no_such_model is not there"},
      {model("<include><uri>m.sdf</uri></include>"), "m.sdf:3:1", "includes itself"},
      {model("<model name=\"n\"><pose relative_to=\"n\">0 0 0 0 0 0</pose><link name=\"b\"/></model>"), "m.sdf:3:",
       "stands on itself"},
      {model("<model name=\"n\"><link name=\"b\"/></model><model name=\"n\"><link name=\"b\"/></model>"), "m.sdf:3:",
       "a second model n"},
      {model("<joint name=\"j\" type=\"fixed\"><parent>a</parent><child>n::b</child></joint>"), "m.sdf:3:1",
       "no link is called n::b"},
      {model("<link name=\"a\"/>"), "m.sdf:3:1", "a second link a"},
      {model("<link name=\"b\"><pose relative_to=\"c\">0 0 0 0 0 0</pose></link><joint name=\"j\" "
             "type=\"fixed\"><parent>a</parent><child>b</child></joint>"),
       "m.sdf:3:1", "no frame is called c"},
      {model("<link name=\"b\"><pose relative_to=\"b\">0 0 0 0 0 0</pose></link>"), "m.sdf:3:1", "stands on itself"},
      {model("<joint name=\"j\" type=\"screw\"><parent>a</parent><child>a</child></joint>"), "m.sdf:3:1",
       "a screw without a pitch"},
      {model("<joint name=\"j\" type=\"gearbox\"><parent>a</parent><child>a</child></joint>"), "m.sdf:3:1",
       "type gearbox is not read"},
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

TEST(Sdf, MassesThatAreNotStatedAreTheFormats) {
  const Folder folder;
  const auto inertiaOf = [&](const std::string& inside, std::vector<std::string>& warnings) {
    const FileModel file = readSdf(folder.write("m.sdf", "<sdf version=\"1.11\"><model name=\"m\">\n<link name=\"a\">" +
                                                             inside + "</link></model></sdf>"),
                                   warnings);
    return file.links.at(0);
  };
  std::vector<std::string> warnings;
  const FileLink bare = inertiaOf("", warnings);
  EXPECT_EQ(bare.mass, 1);
  EXPECT_TRUE(bare.inertia.isIdentity(0));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], ::testing::HasSubstr("m.sdf:2:1: link a: no <inertial>"));
  // A ball of 2 kg/m^3 and radius 1 at (0, 0, 3), and a box of 1 m of the link's density.
  const FileLink weighed = inertiaOf(
      "<inertial auto=\"true\"><density>4</density></inertial><collision name=\"c\"><pose>0 0 3 0 0 0</pose><density>2"
      "</density><geometry><sphere><radius>1</radius></sphere></geometry></collision><collision name=\"d\"><geometry>"
      "<box><size>1 1 1</size></box></geometry></collision>",
      warnings);
  const double ball = 2 * 4 * EIGEN_PI / 3, box = 4, mass = ball + box, reduced = ball * box / mass;
  EXPECT_NEAR(weighed.mass, mass, 1e-12);
  EXPECT_NEAR(weighed.centre[2], 3 * ball / mass, 1e-12);
  EXPECT_NEAR(weighed.inertia(2, 2), 0.4 * ball + box / 6, 1e-12);
  EXPECT_NEAR(weighed.inertia(0, 0), 0.4 * ball + box / 6 + 9 * reduced, 1e-12);
  EXPECT_EQ(warnings.size(), 1u);
}

}  // namespace
}  // namespace rigor::scenes
