// SPDX-License-Identifier: MIT
// Proves: MJCF files are read to what they state. Oracle: places, masses and coordinates worked out by hand from the
// format's reference beside each file; a URDF file of the same mechanism; closed-form inertias of solids against
// polytopes of many vertices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "dynamics/kinematics.h"
#include "dynamics/loop_constraints.h"
#include "dynamics/mass_matrix.h"
#include "geom/mass_properties.h"
#include "scenes/mjcf.h"
#include "scenes/robot_reader.h"
#include "scenes/shape_reader.h"
#include "scenes/urdf.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::numbers::pi;

Loaded loadMjcf(const Folder& folder, const std::string& text, RobotBase base = RobotBase::kAuto,
                const geom::Pose& pose = {}) {
  Loaded loaded;
  loaded.robot = makeRobotModel(readMjcf(folder.write("m.xml", text), loaded.warnings), base, pose);
  return loaded;
}

std::string refusalOf(const Folder& folder, const std::string& text) {
  return refusalBy([&] { (void)loadMjcf(folder, text); });
}

std::string model(const std::string& inside) { return "<mujoco model=\"m\">\n" + inside + "</mujoco>\n"; }

TEST(Mjcf, IsTheMechanismThatAUrdfFileSays) {
  const Folder folder;
  const Loaded here = loadMjcf(
      folder, model("<compiler angle=\"radian\"/>\n<worldbody><body name=\"arm\" pos=\"0 0 1\"><inertial mass=\"2\" "
                    "pos=\"0 0 -0.5\" diaginertia=\"0.2 0.2 0.01\"/>\n"
                    "<joint name=\"shoulder\" axis=\"0 1 0\" range=\"-1 2\" damping=\"0.5\" armature=\"0.25\"/>"
                    "<body name=\"tip\" pos=\"0 0 -1\" euler=\"0 0.3 0\"><inertial mass=\"2\" pos=\"0 0 -0.5\" "
                    "fullinertia=\"0.2 0.2 0.01 0 0 0\"/>"
                    "<joint name=\"slide\" type=\"slide\" axis=\"1 0 0\"/></body></body></worldbody>\n"));
  std::vector<std::string> warnings;
  const RobotModel there = makeRobotModel(
      parseUrdf(robotText(linkText("world", "") + linkText("arm", kInertial) + linkText("tip", kInertial) +
                          jointText("shoulder", "revolute", "world", "arm",
                                    "<origin xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"2\" effort=\"0\" "
                                    "velocity=\"0\"/><dynamics damping=\"0.5\" armature=\"0.25\"/>") +
                          "<joint name=\"slide\" type=\"prismatic\"><origin xyz=\"0 0 -1\" rpy=\"0 0.3 0\"/><axis "
                          "xyz=\"1 0 0\"/><parent link=\"arm\"/><child link=\"tip\"/></joint>\n"),
                "r.urdf", warnings),
      RobotBase::kAuto, {});
  const auto &a = here.model(), &b = *there.model;
  ASSERT_EQ(a.numVelocities(), 2);
  EXPECT_FALSE(here.robot.floating);
  dynamics::ArticulatedWorkspace wa(a), wb(b);
  Eigen::MatrixXd Ma(2, 2), Mb(2, 2);
  const Eigen::Vector2d q(0.7, -0.3);
  dynamics::calcPositions(a, q, wa);
  dynamics::calcPositions(b, q, wb);
  dynamics::calcMassMatrix(a, wa, Ma);
  dynamics::calcMassMatrix(b, wb, Mb);
  EXPECT_LE((Ma - Mb).norm(), 1e-12);
  for (const char* link : {"arm", "tip"}) {
    const geom::Pose X = dynamics::linkPose(a, wa, a.findLink(link)), Y = dynamics::linkPose(b, wb, b.findLink(link));
    EXPECT_LE((X.p - Y.p).norm() + (X.rotation() - Y.rotation()).norm(), 1e-12) << link;
  }
  const auto& shoulder = a.joint(a.findJoint("shoulder"));
  EXPECT_EQ(shoulder.lower, -1);
  EXPECT_EQ(shoulder.upper, 2);
  EXPECT_EQ(shoulder.damping, 0.5);
  EXPECT_EQ(shoulder.armature, 0.25);
}

TEST(Mjcf, JointsBesideTheOriginAndSeveralInOneBody) {
  const Folder folder;
  // Degrees by default. A hinge about y at (0, 0, 1) of the body, after a slide along x.
  const Loaded loaded = loadMjcf(
      folder, model("<worldbody><body name=\"b\" pos=\"1 2 3\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\"/><joint "
                    "name=\"h\" pos=\"0 0 1\" axis=\"0 1 0\" range=\"-90 45\" springref=\"30\" stiffness=\"2\"/>"
                    "<geom type=\"box\" size=\"0.5 0.5 0.5\" mass=\"3\"/></body></worldbody>\n"));
  const auto& m = loaded.model();
  ASSERT_EQ(m.numVelocities(), 2);
  const auto& h = m.joint(m.findJoint("h"));
  EXPECT_NEAR(h.upper, pi / 4, 1e-15);
  EXPECT_NEAR(h.rest, pi / 6, 1e-15);
  EXPECT_EQ(h.stiffness, 2);
  dynamics::ArticulatedWorkspace workspace(m);
  const double s = 0.25, angle = 0.6;
  dynamics::calcPositions(m, Eigen::Vector2d(s, angle), workspace);
  const geom::Pose X = dynamics::linkPose(m, workspace, m.findLink("b"));
  // The body's origin hangs 1 below its hinge.
  EXPECT_LE((X.p - Eigen::Vector3d(1 + s - std::sin(angle), 2, 3 + 1 - std::cos(angle))).norm(), 1e-14);
  EXPECT_NEAR(m.mass(), 3, 1e-14);
}

TEST(Mjcf, DefaultsNestAndIncludesStandInPlace) {
  const Folder folder;
  folder.write("leg.xml",
               "<mujocoinclude><body name=\"leg\" childclass=\"small\"><joint name=\"j\"/><geom name=\"g\"/><geom "
               "class=\"big\" contype=\"0\" conaffinity=\"0\"/></body></mujocoinclude>");
  const Loaded loaded = loadMjcf(
      folder,
      model("<compiler angle=\"radian\"/><default><geom type=\"sphere\" size=\"0.1\" density=\"10\"/><joint axis=\"1 0 "
            "0\" damping=\"3\"/>"
            "<default class=\"small\"><joint range=\"-1 1\"/><geom density=\"20\"/><default class=\"big\"><geom "
            "size=\"0.2\"/></default></default></default>\n"
            "<worldbody><geom type=\"plane\" size=\"1 1 1\" pos=\"0 0 -2\"/><include file=\"leg.xml\"/></worldbody>"));
  const auto& m = loaded.model();
  EXPECT_EQ(m.joint(m.findJoint("j")).damping, 3);
  EXPECT_EQ(m.joint(m.findJoint("j")).upper, 1);
  // Both geoms weigh, one collides.
  EXPECT_NEAR(m.mass(), 20 * 4.0 / 3 * pi * (0.001 + 0.008), 1e-12);
  EXPECT_EQ(loaded.robot.shapes[m.findLink("leg")].size(), 1u);
  const auto& plane = std::get<geom::HalfSpace>(loaded.robot.shapes[m.findLink("world")].at(0));
  EXPECT_EQ(plane.offset, -2);
  EXPECT_EQ(plane.normal, Eigen::Vector3d(0, 0, 1));
}

TEST(Mjcf, GeomsWeighWhatTheirSolidsWeigh) {
  const Folder folder;
  const struct {
    const char* geom;
    std::vector<Eigen::Vector3d> points;  // Of a fine polytope; the box and the tetrahedron are exact.
    double tolerance;
  } cases[] = {
      {"type=\"box\" size=\"0.1 0.2 0.3\"", {}, 1e-12},
      {"type=\"sphere\" size=\"0.3\"", spherePoints(0.3, 4000), 5e-3},
      {"type=\"ellipsoid\" size=\"0.1 0.2 0.3\"", spherePoints(1, 4000), 5e-3},
      {"type=\"cylinder\" size=\"0.2 0.5\"", cylinderPoints(0.2, 1, 400), 1e-3},
      {"type=\"capsule\" size=\"0.2 0.5\"", spherePoints(0.2, 4000), 5e-3},
  };
  for (const auto& [geom, given, tolerance] : cases) {
    SCOPED_TRACE(geom);
    std::vector<Eigen::Vector3d> points = given;
    const std::string kind = geom;
    for (Eigen::Vector3d& p : points) {
      if (kind.find("ellipsoid") != std::string::npos) p = p.cwiseProduct(Eigen::Vector3d(0.1, 0.2, 0.3));
      if (kind.find("capsule") != std::string::npos) p[2] += std::copysign(0.5, p[2]);
    }
    const geom::MassProperties solid = geom::massProperties(
        points.empty() ? geom::Polytope::box({0.2, 0.4, 0.6}) : geom::Polytope::fromPoints(points), 1000);
    const Loaded loaded = loadMjcf(
        folder, model(fmt::format("<worldbody><body name=\"b\"><freejoint/><geom {} pos=\"1 2 3\"/></body></worldbody>",
                                  geom)));
    EXPECT_NEAR(loaded.model().mass(), solid.mass, tolerance * solid.mass);
    const Eigen::Matrix3d inertia = loaded.model().nodes()[1].inertia.full();
    EXPECT_LE((inertia - solid.inertia).norm(), 2 * tolerance * solid.inertia.norm());
    EXPECT_LE((loaded.model().link(0).centre - Eigen::Vector3d(1, 2, 3)).norm(), 1e-12);
  }
}

TEST(Mjcf, MeshesWeighTheVolumeThatTheyEnclose) {
  const Folder folder;
  folder.write("assets/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const Loaded loaded =
      loadMjcf(folder, model("<compiler meshdir=\"assets\"/><asset><mesh file=\"t.obj\" scale=\"2 1 -1\"/></asset>"
                             "<worldbody><body name=\"b\"><freejoint/><geom type=\"mesh\" mesh=\"t\" density=\"6\" "
                             "friction=\"0.7 0 0\"/></body></worldbody>"));
  EXPECT_THAT(loaded.warnings, IsEmpty());
  EXPECT_NEAR(loaded.model().mass(), 2, 1e-12);
  EXPECT_LE((loaded.model().link(0).centre - Eigen::Vector3d(0.5, 0.25, -0.25)).norm(), 1e-12);
  EXPECT_EQ(loaded.robot.friction[0], 0.7);
  const geom::MassProperties solid = geom::massProperties(std::get<geom::Polytope>(loaded.robot.shapes[0].at(0)), 6);
  EXPECT_LE((loaded.model().link(0).inertia - solid.inertia).norm(), 1e-12);
}

TEST(Mjcf, MeshesOfVerticesWeighTheirHullsAndGroundMayStandOnBodies) {
  const Folder folder;
  const Loaded loaded = loadMjcf(
      folder, model("<compiler balanceinertia=\"true\"/><asset><mesh name=\"t\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" "
                    "scale=\"1 2 3\"/></asset><worldbody><body name=\"g\"><geom type=\"plane\" size=\"1 1 1\"/></body>"
                    "<body name=\"b\" pos=\"0 0 5\"><freejoint/><geom type=\"mesh\" mesh=\"t\" density=\"5\"/></body>"
                    "<body name=\"c\" pos=\"0 0 9\"><joint/><inertial mass=\"1\" pos=\"0 0 0\" "
                    "diaginertia=\"1 1 4\"/></body></worldbody>"));
  const auto& m = loaded.model();
  const int g = m.findLink("g"), b = m.findLink("b"), c = m.findLink("c");
  EXPECT_TRUE(std::holds_alternative<geom::HalfSpace>(loaded.robot.shapes[g].at(0)));
  EXPECT_NEAR(m.link(b).mass, 5, 1e-12);  // A sixth of 1 x 2 x 3.
  EXPECT_LE((m.link(b).centre - Eigen::Vector3d(0.25, 0.5, 0.75)).norm(), 1e-12);
  // An inertia that no body has becomes its mean, as the option asks.
  EXPECT_LE((m.link(c).inertia - 2 * Eigen::Matrix3d::Identity()).norm(), 1e-12);
}

TEST(Mjcf, OrientationsInEveryNotation) {
  const Folder folder;
  // Each turns by 90 degrees about z.
  for (const char* notation :
       {"quat=\"2 0 0 2\"", "axisangle=\"0 0 3 90\"", "euler=\"0 0 90\"", "xyaxes=\"0 1 0 -1 0 0\""}) {
    SCOPED_TRACE(notation);
    const Loaded loaded = loadMjcf(
        folder,
        model(fmt::format("<worldbody><body name=\"b\" {}><geom size=\"1\"/><joint type=\"slide\"/></body></worldbody>",
                          notation)));
    dynamics::ArticulatedWorkspace workspace(loaded.model());
    dynamics::calcPositions(loaded.model(), loaded.model().neutral(), workspace);
    const Eigen::Matrix3d R = dynamics::linkPose(loaded.model(), workspace, 0).rotation();
    EXPECT_LE((R.col(0) - Eigen::Vector3d(0, 1, 0)).norm() + (R.col(2) - Eigen::Vector3d(0, 0, 1)).norm(), 1e-14);
  }
  // Small letters: about the axes as they turn along. 90 about x, then 90 about the new y, which is the old z.
  const Loaded turned = loadMjcf(folder, model("<worldbody><body name=\"b\" euler=\"90 90 0\"><geom size=\"1\"/><joint "
                                               "type=\"slide\"/></body></worldbody>"));
  dynamics::ArticulatedWorkspace workspace(turned.model());
  dynamics::calcPositions(turned.model(), turned.model().neutral(), workspace);
  EXPECT_LE((dynamics::linkPose(turned.model(), workspace, 0).rotation().col(0) - Eigen::Vector3d(0, 1, 0)).norm(),
            1e-14);
}

TEST(Mjcf, ActuatorsEqualitiesExcludesAndKeyframes) {
  const Folder folder;
  folder.write("m.xml",
               model("<compiler angle=\"radian\"/><worldbody><body name=\"base\" pos=\"0 0 1\"><freejoint "
                     "name=\"root\"/><geom size=\"0.1\"/>"
                     "<body name=\"l\"><joint name=\"l\"/><geom size=\"0.1\"/></body><body name=\"r\"><joint "
                     "name=\"r\"/><geom size=\"0.1\"/></body></body></worldbody>\n"
                     "<actuator><motor joint=\"l\" gear=\"10\" ctrlrange=\"-0.5 0.4\"/><position joint=\"r\" kp=\"5\" "
                     "forcerange=\"-3 3\"/></actuator>"
                     "<contact><exclude body1=\"l\" body2=\"r\"/></contact><equality><joint joint1=\"r\" joint2=\"l\" "
                     "polycoef=\"0.1 -2 0 0 0\"/><connect body1=\"l\" body2=\"r\" anchor=\"0 0 0\"/></equality>\n"
                     "<keyframe><key name=\"home\" qpos=\"1 2 3 1 0 0 0 0.4 0\"/></keyframe>"));
  std::vector<std::string> warnings;
  const auto read = [&](const std::string& fields) {
    return readRobot(Value::parse("name: r\nmjcf: m.xml\n" + fields, "s.yaml"),
                     {folder.path(), 0.4, 0.1, {0, 0, -9.81}, &warnings});
  };
  const dynamics::Robot robot = read("keyframe: home\nposition: [0, 0, 10]\nclose_loops: true");
  const auto& m = *robot.model;
  EXPECT_EQ(m.numVelocities(), 7);
  EXPECT_NEAR(m.joint(m.findJoint("l")).effort, 5, 1e-15);
  EXPECT_TRUE(m.joint(m.findJoint("r")).follows());
  EXPECT_EQ(m.joint(m.findJoint("r")).ratio, -2);
  EXPECT_EQ(robot.start.q[m.joint(m.findJoint("l")).q], 0.4);
  dynamics::ArticulatedWorkspace workspace(m);
  dynamics::calcPositions(m, robot.start.q, workspace);
  EXPECT_LE((dynamics::linkPose(m, workspace, m.findLink("base")).p - Eigen::Vector3d(1, 2, 13)).norm(), 1e-14);
  EXPECT_EQ(robot.ignored.size(), 2u);
  EXPECT_TRUE(read("keyframe: home").model->loops().empty());
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("m.xml:3:"), HasSubstr("connect"), HasSubstr("stays open"))));
  EXPECT_EQ(m.loops().size(), 1u);
  EXPECT_LE(dynamics::largestLoopGap(m, workspace), 1e-9);
  try {
    (void)read("keyframe: hme");
    FAIL() << "accepted";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("s.yaml:3:11"), HasSubstr("did you mean home?")));
  }
}

TEST(Mjcf, ReplicasStandWhereTheReferenceSays) {
  const Folder folder;
  // The example of MuJoCo's reference, with bodies in place of geoms.
  const Loaded loaded = loadMjcf(
      folder, model("<worldbody><replicate count=\"2\" offset=\"0 1 0\" euler=\"90 0 0\">"
                    "<replicate count=\"2\" sep=\"-\" offset=\"1 0 0\" euler=\"0 90 0\">"
                    "<body name=\"Alice\"><joint name=\"hinge\" axis=\"1 0 0\"/><geom size=\".1\"/></body>"
                    "</replicate></replicate></worldbody>\n"
                    "<actuator><motor joint=\"hinge\" ctrlrange=\"-3 3\"/></actuator>"
                    "<contact><exclude body1=\"Alice\" body2=\"world\"/></contact>"));
  const auto& m = loaded.model();
  ASSERT_EQ(m.numVelocities(), 4);
  dynamics::ArticulatedWorkspace workspace(m);
  dynamics::calcPositions(m, m.neutral(), workspace);
  const double half = std::sqrt(.5);
  const std::vector<std::tuple<std::string, Eigen::Vector3d, Eigen::Vector4d>> expected = {
      {"-00", {0, 0, 0}, {1, 0, 0, 0}},
      {"-10", {1, 0, 0}, {half, 0, half, 0}},
      {"-01", {0, 1, 0}, {half, half, 0, 0}},
      {"-11", {1, 1, 0}, {.5, .5, .5, .5}}};
  for (const auto& [name, p, q] : expected) {
    ASSERT_GE(m.findLink("Alice" + name), 0) << name;
    const geom::Pose X = dynamics::linkPose(m, workspace, m.findLink("Alice" + name));
    EXPECT_LE((X.p - p).norm(), 1e-14) << name;
    EXPECT_LE((X.rotation() - geom::Pose{q, {0, 0, 0}}.rotation()).norm(), 1e-14) << name;
    EXPECT_EQ(m.joint(m.findJoint("hinge" + name)).effort, 3) << name;
  }
  // Further copies go on from the one before: a spiral; numbers have leading zeros.
  const Loaded spiral = loadMjcf(
      folder, model("<worldbody><body name=\"b\"><freejoint/><replicate count=\"12\" offset=\"1 0 0\" euler=\"0 0 90\">"
                    "<body name=\"c\"><geom size=\".1\"/></body></replicate></body></worldbody>"));
  const auto& s = spiral.model();
  dynamics::ArticulatedWorkspace there(s);
  dynamics::calcPositions(s, s.neutral(), there);
  EXPECT_LE((dynamics::linkPose(s, there, s.findLink("c02")).p - Eigen::Vector3d(1, 1, 0)).norm(), 1e-14);
  EXPECT_LE((dynamics::linkPose(s, there, s.findLink("c11")).p - Eigen::Vector3d(0, 1, 0)).norm(), 1e-13);
  for (const char* count : {"0", "1.5", "1e9", ""})
    EXPECT_THAT(refusalOf(folder, model(fmt::format("<worldbody><replicate count=\"{}\"><geom size=\".1\"/>"
                                                    "</replicate></worldbody>", count))),
                AllOf(HasSubstr("m.xml:2:"), HasSubstr("replicate count"))) << count;
  EXPECT_THAT(refusalOf(folder, model("<worldbody><replicate count=\"1000\"><replicate count=\"1000\">"
                                      "<geom size=\".1\"/></replicate></replicate></worldbody>")),
              HasSubstr("more than 10000 copies"));
}

TEST(Mjcf, JointsInFramesMoveWithThem) {
  const Folder folder;
  const Loaded loaded = loadMjcf(
      folder, model("<worldbody><body name=\"b\"><frame pos=\"1 0 0\" euler=\"0 0 90\"><joint name=\"j\" "
                    "pos=\"1 0 0\" axis=\"1 0 0\"/></frame><geom size=\".1\"/></body></worldbody>"));
  const auto& m = loaded.model();
  dynamics::ArticulatedWorkspace workspace(m);
  dynamics::calcPositions(m, Eigen::VectorXd::Constant(1, pi / 2), workspace);
  // About the line through (1, 1, 0) along y.
  EXPECT_LE((dynamics::linkPose(m, workspace, m.findLink("b")).p - Eigen::Vector3d(1, 0, 1)).norm(), 1e-14);
}

TEST(Mjcf, ActuatorsOfAllKindsShareDefaultsAndKeepTheirFlags) {
  const Folder folder;
  const std::string bodies =
      "<worldbody><body><joint name=\"j\"/><geom size=\".1\"/></body></worldbody>\n";
  const auto effort = [&](const std::string& actuators) {
    const Loaded loaded = loadMjcf(folder, model(bodies + actuators));
    return loaded.model().joint(loaded.model().findJoint("j")).effort;
  };
  EXPECT_EQ(effort("<default><general forcerange=\"-7 7\"/></default><actuator><position joint=\"j\"/></actuator>"),
            7);
  EXPECT_EQ(effort("<actuator><motor joint=\"j\" ctrlrange=\"-2 2\" ctrllimited=\"false\"/></actuator>"), INFINITY);
  EXPECT_EQ(effort("<compiler autolimits=\"false\"/><actuator><motor joint=\"j\" ctrlrange=\"-2 2\"/></actuator>"),
            INFINITY);
  EXPECT_EQ(effort("<compiler autolimits=\"false\"/><actuator><motor joint=\"j\" gear=\"3\" ctrlrange=\"-2 2\" "
                   "ctrllimited=\"true\"/></actuator>"), 6);
}

TEST(Mjcf, LoopsBetweenSites) {
  const Folder folder;
  const Loaded loaded = loadMjcf(
      folder, model("<worldbody><body name=\"a\"><joint axis=\"0 1 0\"/><geom size=\".1\"/>"
                    "<site name=\"s\" pos=\"1 0 0\"/></body>"
                    "<body name=\"b\" pos=\"2 0 0\"><joint axis=\"0 1 0\"/><geom size=\".1\"/>"
                    "<frame pos=\"-1 0 0\"><site name=\"t\" euler=\"0 90 0\"/></frame></body></worldbody>\n"
                    "<equality><connect site1=\"s\" site2=\"t\"/><weld site1=\"t\" site2=\"s\"/></equality>"));
  const auto loops = loaded.model().loops();
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].type, dynamics::LoopType::kPoint);
  EXPECT_LE((loops[0].frame_a.p - Eigen::Vector3d(1, 0, 0)).norm(), 0);
  EXPECT_LE((loops[0].frame_b.p - Eigen::Vector3d(-1, 0, 0)).norm(), 0);
  EXPECT_EQ(loops[1].type, dynamics::LoopType::kWeld);
  EXPECT_LE((loops[1].frame_a.rotation().col(2) - Eigen::Vector3d(1, 0, 0)).norm(), 1e-14);
}

TEST(Mjcf, BadFilesAreRefusedWithFileLineAndElement) {
  const Folder folder;
  folder.write("self.xml", "<mujoco>\n<include file=\"self.xml\"/></mujoco>");
  const auto body = [](const std::string& inside) {
    return model("<worldbody>\n<body name=\"b\">" + inside + "</body></worldbody>");
  };
  const struct {
    std::string text;
    const char* place;
    const char* what;
  } cases[] = {
      {"<robot/>", "m.xml:1:1", "no <mujoco>"},
      {model(""), "m.xml:1:1", "without bodies"},
      {body("<freejoint/>"), "m.xml:1:1", "none of its 1 links has a mass"},
      {body("<joint type=\"screw\"/>"), "m.xml:3:", "unknown type screw"},
      {body("<geom type=\"box\" size=\"1 1\"/>"), "m.xml:3:", "size of 0"},
      {body("<geom type=\"mesh\" mesh=\"no\"/>"), "m.xml:3:", "no mesh is called no"},
      {body("<geom class=\"no\" size=\"1\"/>"), "m.xml:3:", "a default class"},
      {body("<geom size=\"1\" quat=\"0 0 0 0\"/>"), "m.xml:3:", "not zero"},
      {body("<freejoint/><geom type=\"plane\" size=\"1 1 1\"/>"), "m.xml:3:", "planes of the world"},
      {body("<body><freejoint/></body>"), "m.xml:3:", "free joint"},
      {body("<geom size=\"x\"/>"), "m.xml:3:", "geom size is x"},
      {model("<include file=\"self.xml\"/>"), "self.xml:2:1", "a file that includes itself"},
      {model("<worldbody><body name=\"b\"/>\n<body name=\"b\"/></worldbody>"), "m.xml:3:1", "a second body b"},
      {model("<worldbody><body name=\"b\"><geom size=\"1\"/></body></worldbody>\n<actuator><motor "
             "joint=\"j\"/></actuator>"),
       "m.xml:3:", "actuator of joint j"},
  };
  for (const auto& [text, place, what] : cases) {
    SCOPED_TRACE(text);
    EXPECT_THAT(refusalOf(folder, text), AllOf(HasSubstr(place), HasSubstr(what)));
  }
}

TEST(Mjcf, PlacesAreThoseOfTheFileThatAnElementStandsIn) {
  const Folder folder;
  folder.write("hand.xml",
               "<mujoco>\n\n<tendon/>\n<worldbody>\n<body name=\"b\">\n"
               " <joint name=\"j\" ref=\"5\"/><geom size=\"1\"/>\n<include file=\"tip.xml\"/></body>\n"
               "</worldbody></mujoco>");
  folder.write("tip.xml",
               "<mujoco>\n\n\n  <body><joint/><inertial mass=\"1\" pos=\"0 0 0\" diaginertia=\"1 1 9\"/>"
               "</body></mujoco>");
  const std::string both = "<include file=\"hand.xml\"/>";
  EXPECT_THAT(refusalOf(folder, model(both)), AllOf(HasSubstr("/tip.xml:4:9: link body: "), HasSubstr("inertia")));
  folder.write("tip.xml", "<mujoco/>");
  const Loaded loaded = loadMjcf(folder, model(both + "<deformable/>"));
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("/hand.xml:3:1: <tendon> is not read")));
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("/hand.xml:6:2: joint j: its coordinate counts from its ref")));
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("/m.xml:2:27: <deformable> is not read")));
}

TEST(Mjcf, KeysThatDoNotFitSaySo) {
  const Folder folder;
  folder.write("m.xml",
               model("<worldbody><body><joint/><geom size=\"1\"/><body><joint/><geom size=\"1\"/></body></body>"
                     "</worldbody><keyframe><key name=\"home\" qpos=\"1\"/></keyframe>"));
  const auto start = [&](const std::string& field) {
    return refusalBy([&] {
      std::vector<std::string> warnings;
      (void)readRobot(Value::parse("name: r\nmjcf: m.xml\n" + field, "s.yaml"),
                      {folder.path(), 0.4, 0.1, {0, 0, -9.81}, &warnings});
    });
  };
  EXPECT_THAT(start("keyframe: home"),
              HasSubstr("s.yaml:3:11: keyframe home: qpos has 1 numbers, the model's joints 2;"));
  EXPECT_THAT(start("keyframe: other"), HasSubstr("no keyframe: the file has none that fits"));
}

TEST(Mjcf, WhatIsNotReadIsNamed) {
  const Folder folder;
  const Loaded loaded = loadMjcf(
      folder, model("<worldbody><body name=\"b\" gravcomp=\"1\">\n<joint name=\"j\" dampng=\"1\" "
                    "springdamper=\"1 2\"/><geom size=\"1\"/>\n<gem size=\"1\"/></body></worldbody><actuator>\n"
                    "<position name=\"drive\" joint=\"j\" kp=\"3\"/>\n<damper joint=\"j\" kv=\"1\"/></actuator>"));
  for (const char* text : {"m.xml:2:12: body b: gravcomp is not simulated", "m.xml:3:1: joint j: springdamper is not",
                           "m.xml:3:1: joint j: an attribute dampng that the format does not know; it is left out (did "
                           "you mean damping?)",
                           "m.xml:4:1: <gem> in <body> is not read; it is left out (did you mean geom?)",
                           "m.xml:6:1: damper j is not simulated", "left out of drive"})
    EXPECT_THAT(loaded.warnings, Contains(HasSubstr(text)));
  EXPECT_EQ(loaded.warnings.size(), 6u);
}

TEST(Mjcf, WhatChangesThePhysicsIsNamed) {
  const Folder folder;
  const auto warned = [&](const std::string& inside) {
    return loadMjcf(folder, model(inside + "<worldbody><body name=\"b\"><freejoint/>\n<geom size=\"1\"/>"
                                           "</body></worldbody>")).warnings;
  };
  EXPECT_THAT(warned("<option gravity=\"0 0 -9.8\" density=\"0\" timestep=\"0.01\"/>\n<compiler fusestatic=\"true\"/>"),
              IsEmpty());
  const struct {
    const char *inside, *warning;
  } cases[] = {
      {"<option gravity=\"0 0 -1.6\"/>",
       "m.xml:2:1: option gravity=\"0 0 -1.6\" is left out: `gravity` is the scene's"},
      {"<option viscosity=\"0.1\"/>", "m.xml:2:1: option viscosity=\"0.1\" is left out: no medium is simulated"},
      {"<option><flag contact=\"disable\"/></option>", "m.xml:2:1: option flag contact=\"disable\" is left out"},
      {"<compiler coordinat=\"global\"/>", "compiler: an attribute coordinat that the format does not know; it is left "
                                          "out (did you mean coordinate?)"},
      {"<asset><mesh name=\"t\" inertia=\"shell\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\"/></asset>",
       "m.xml:2:8: mesh t: inertia=\"shell\" is not read"},
      {"<default><geom shellinertia=\"true\"/></default>", "m.xml:3:1: body b: shellinertia of a geom is not read"},
  };
  for (const auto& [inside, warning] : cases) EXPECT_THAT(warned(inside), Contains(HasSubstr(warning))) << inside;
}

TEST(Mjcf, PlacesInTheWorldAreThoseInTheBody) {
  const Folder folder;
  const auto loaded = [&](const std::string& compiler, const std::string& leg, const std::string& joint,
                          const std::string& ends, const std::string& anchor) {
    return loadMjcf(
        folder, model(fmt::format("<compiler {}/><worldbody><body name=\"hip\" pos=\"1 0 2\"><freejoint/>"
                                  "<inertial mass=\"1\" diaginertia=\"1 1 1\"/><body name=\"leg\" pos=\"{}\">"
                                  "<joint name=\"knee\" axis=\"0 1 0\" pos=\"{}\"/><geom type=\"capsule\" "
                                  "size=\".1\" fromto=\"{}\"/></body></body></worldbody><equality>"
                                  "<connect body1=\"hip\" body2=\"leg\" anchor=\"{}\"/></equality>",
                                  compiler, leg, joint, ends, anchor)));
  };
  const Loaded local = loaded("", "0 0 -1", "0 0 .5", "0 0 .5 0 0 -.5", "0 0 1"),
               global = loaded("coordinate=\"global\"", "1 0 1", "1 0 1.5", "1 0 1.5 1 0 .5", "1 0 3");
  const int leg = local.model().findLink("leg");
  EXPECT_LE((local.model().link(leg).centre - global.model().link(leg).centre).norm(), 1e-15);
  EXPECT_NEAR(local.model().link(leg).mass, global.model().link(leg).mass, 1e-12);
  const auto knee = [](const Loaded& one) {
    return one.model().joint(one.model().findJoint("knee")).origin.p;
  };
  EXPECT_LE((knee(local) - Eigen::Vector3d(0, 0, -.5)).norm() + (knee(global) - knee(local)).norm(), 1e-15);
  std::vector<std::string> warnings;
  const FileModel file = readMjcf(folder.path() + "/m.xml", warnings);
  EXPECT_LE((file.loops.at(0).frame_a.p - Eigen::Vector3d(0, 0, 1)).norm(), 1e-15);
  EXPECT_LE((file.loops[0].frame_b.p - Eigen::Vector3d(0, 0, 2)).norm(), 1e-15);
  const Loaded placeless =
      loadMjcf(folder, model("<compiler coordinate=\"global\"/><worldbody><body name=\"b\"><freejoint/>"
                             "<geom size=\".1\" pos=\"1 2 3\"/></body></worldbody>"));
  EXPECT_THAT(placeless.warnings, Contains(HasSubstr("bodies without pos, their frames are at the world's origin: b")));
  EXPECT_LE((placeless.model().link(0).centre - Eigen::Vector3d(1, 2, 3)).norm(), 1e-15);
  EXPECT_THAT(refusalOf(folder, model("<compiler coordinate=\"both\"/>")), HasSubstr("local or global"));
}

TEST(Mjcf, BodiesMayNestAsChainsDo) {
  const Folder folder;
  std::string open, close;
  for (int k = 0; k < 300; ++k) open += "<body><joint/><geom size=\"0.1\" pos=\"0 0 1\"/>", close += "</body>";
  EXPECT_EQ(loadMjcf(folder, model("<worldbody>" + open + close + "</worldbody>")).model().numVelocities(), 300);
  for (int k = 0; k < 700; ++k) open += "<body>", close += "</body>";
  EXPECT_THAT(refusalOf(folder, model("<worldbody>" + open + close + "</worldbody>")),
              HasSubstr("more than 1000 deep"));
  // Nor do files that include each other go deeper.
  std::string half_open, half_close;
  for (int k = 0; k < 600; ++k) half_open += "<body>", half_close += "</body>";
  folder.write("b.xml", "<mujoco>" + half_open + half_close + "</mujoco>");
  EXPECT_THAT(
      refusalOf(folder, model("<worldbody>" + half_open + "<include file=\"b.xml\"/>" + half_close + "</worldbody>")),
      AllOf(HasSubstr("b.xml:1:"), HasSubstr("more than 1000 deep")));
}

}  // namespace
}  // namespace rigor::scenes
