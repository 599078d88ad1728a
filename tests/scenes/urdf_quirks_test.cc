// SPDX-License-Identifier: MIT
// Proves: URDF files as people write and export them are loaded, each departure with a warning that names file, line
// and element. Oracle: mass, inertia and places worked out by hand beside each file; closed forms of mirrored and
// composed bodies; the nearest inertia against a search over the cone of possible ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

#include "dynamics/forward_dynamics.h"
#include "dynamics/inertia_repair.h"
#include "dynamics/kinematics.h"
#include "geom/mass_properties.h"
#include "scenes/mesh_path.h"
#include "scenes/robot_reader.h"
#include "scenes/urdf.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Loaded load(const Folder& folder, const std::string& text, RobotBase base = RobotBase::kAuto) {
  Loaded loaded;
  loaded.robot = makeRobotModel(readUrdf(folder.write("q.urdf", text), loaded.warnings), base, {});
  return loaded;
}

std::string refusal(const Folder& folder, const std::string& text) {
  return refusalBy([&] { (void)load(folder, text); });
}

std::string boxLink(const std::string& name, const std::string& more = "") {
  return linkText(name,
                  std::string(kInertial) + "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>" + more);
}

const std::string kWorldLink = linkText("world", "");

TEST(UrdfQuirks, WhatOthersReadIsNoneOfOurBusiness) {
  const Folder folder;
  const Loaded loaded = load(
      folder,
      "\xEF\xBB\xBF<?xml version=\"0.0\"?>\n<!-- made by hand -->\n<robot name=\"r\" xmlns:xacro=\"http://x\">\n"
      "<material name=\"m\"><color rgba=\"1 0 0 1\"/></material>\n<material name=\"m\"/>\n<gazebo "
      "reference=\"a\"/>\n<transmission name=\"t\"/>\n" +
          boxLink("a", "<visual><geometry><mesh filename=\"nowhere.dae\"/></geometry></visual>") + "words\n</robot>\n");
  EXPECT_THAT(loaded.warnings, IsEmpty());
  EXPECT_EQ(loaded.model().numVelocities(), 6);
}

TEST(UrdfQuirks, MasslessLinksWeighNothing) {
  const Folder folder;
  const std::string empty =
      "<inertial><mass value=\"0\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
  const Loaded loaded = load(
      folder, robotText(boxLink("base") + linkText("frame", empty) + linkText("camera", empty) + boxLink("arm") +
                        jointText("f", "fixed", "base", "frame") + jointText("pan", "continuous", "frame", "camera") +
                        jointText("shoulder", "continuous", "frame", "arm")));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("q.urdf:3:"), HasSubstr("link frame: mass is 0"))));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("q.urdf:7:"), HasSubstr("joint pan"), HasSubstr("link camera"),
                                              HasSubstr("held fixed"))));
  EXPECT_EQ(loaded.model().numVelocities(), 7);  // The base and the shoulder.
  EXPECT_NEAR(loaded.model().mass(), 4, 1e-15);
  EXPECT_EQ(loaded.model().numLinks(), 4);  // Each keeps its name.
  // The arm swings as if the frame were not there: at the pivot I = .2 + 2 / 4 about y; a fixed base.
  const Loaded fixed =
      load(folder,
           robotText(boxLink("base") + linkText("frame", empty) + boxLink("arm") +
                     jointText("f", "fixed", "base", "frame") + jointText("shoulder", "continuous", "frame", "arm")),
           RobotBase::kFixed);
  dynamics::ArticulatedWorkspace workspace(fixed.model());
  dynamics::ArticulatedState state(fixed.model());
  state.q[0] = 0.3;
  dynamics::calcKinematics(fixed.model(), state, workspace);
  dynamics::factorInertia(fixed.model(), workspace);
  Eigen::VectorXd dv(1);
  dynamics::calcForwardDynamics(fixed.model(), workspace, state.v, Eigen::VectorXd::Zero(1), {0, 0, -10}, dv);
  EXPECT_NEAR(dv[0], -2 * 10 * 0.5 * std::sin(0.3) / 0.7, 1e-12);
}

TEST(UrdfQuirks, LinksFixedToOthersAreOneBodyBeforeTheirInertiaIsJudged) {
  const Folder folder;
  // By itself the plate is impossible (1 + 1 < 4); beside the base's 10 about each axis it is not.
  const std::string plate = inertialText(1, 1, 1, 4);
  const Loaded loaded = load(folder, robotText(linkText("base", inertialText(1, 10, 10, 10)) +
                                               linkText("plate", plate) + jointText("f", "fixed", "base", "plate")));
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("has a collision shape"))) << "and nothing else";
  EXPECT_EQ(loaded.warnings.size(), 1u);
  EXPECT_NEAR(loaded.model().nodes()[1].inertia.zz, 14, 1e-12);
  EXPECT_THAT(refusal(folder, robotText(linkText("plate", plate))),
              AllOf(HasSubstr("q.urdf:2:1"), HasSubstr("link plate"), HasSubstr("triangle inequality")));
}

TEST(UrdfQuirks, InertiaThatIsPrintedBadlyBecomesTheNearestPossibleOne) {
  const Folder folder;
  // An Allegro finger: off by .16 of its largest moment, .06 of its norm.
  const Loaded loaded = load(folder, robotText(linkText("finger", inertialText(1, 1.3, 7.1, 10))));
  ASSERT_EQ(loaded.warnings.size(), 2u);
  EXPECT_THAT(loaded.warnings[0], AllOf(HasSubstr("q.urdf:2:1"), HasSubstr("link finger"),
                                        HasSubstr("nearest possible inertia, 0.075 of it away")));
  const auto& inertia = loaded.model().nodes()[1].inertia;
  EXPECT_NEAR(inertia.xx + inertia.yy, inertia.zz, 1e-6);
  EXPECT_NEAR(inertia.xx, 1.3 + 1.6 / 3, 1e-6);
}

TEST(UrdfQuirks, NearestInertiaIsNearest) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int run = 0; run < 200; ++run) {
    Eigen::Matrix3d given;
    for (int i = 0; i < 9; ++i) given(i / 3, i % 3) = unit(random);
    given = (given + given.transpose()).eval();
    const dynamics::InertiaRepair near = dynamics::nearestInertia(given);
    EXPECT_EQ(dynamics::impossibleInertia(near.inertia), "");
    EXPECT_NEAR((near.inertia - given).norm(), near.change * given.norm(), 1e-12);
    // What bodies have are sums m (r.r 1 - r rᵀ): none of them is nearer. The projection onto a convex cone is where
    // the rest is normal to the result and no generator of the cone makes an acute angle with it.
    const Eigen::Matrix3d rest = given - near.inertia;
    if (near.change > 0) { EXPECT_NEAR((rest.array() * near.inertia.array()).sum(), 0, 1e-9 * given.squaredNorm()); }
    for (int k = 0; k < 50; ++k) {
      const Eigen::Vector3d r(unit(random), unit(random), unit(random));
      const Eigen::Matrix3d generator = r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose();
      EXPECT_LE((rest.array() * generator.array()).sum(), 1e-5 * given.norm() * generator.norm());
    }
  }
}

TEST(UrdfQuirks, LimitsThatLeaveNoRoomAreReadByTheTypeOfTheJoint) {
  const Folder folder;
  const Loaded loaded =
      load(folder, robotText(kWorldLink + boxLink("a") + boxLink("b") + boxLink("c") + boxLink("d") +
                             jointText("turns", "revolute", "world", "a",
                                       "<limit lower=\"0\" upper=\"0\" effort=\"0\" velocity=\"0\"/>") +
                             jointText("slides", "prismatic", "world", "b",
                                       "<limit lower=\"0.5\" upper=\"0.5\" effort=\"0\" velocity=\"0\"/>") +
                             jointText("bare", "revolute", "world", "c", "<limit effort=\"-1\" velocity=\"3\"/>") +
                             jointText("none", "revolute", "world", "d")));
  EXPECT_THAT(loaded.warnings,
              Contains(AllOf(HasSubstr("q.urdf:7:"), HasSubstr("joint turns"), HasSubstr("continuous"))));
  EXPECT_THAT(loaded.warnings,
              Contains(AllOf(HasSubstr("q.urdf:8:"), HasSubstr("joint slides"), HasSubstr("held fixed"))));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("q.urdf:9:"), HasSubstr("joint bare: <limit> with neither"))));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("q.urdf:9:"), HasSubstr("effort is -1"))));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("q.urdf:10:"), HasSubstr("joint none: no <limit>"))));
  const auto& model = loaded.model();
  EXPECT_EQ(model.numVelocities(), 3);
  for (const char* name : {"turns", "bare", "none"})
    EXPECT_TRUE(std::isinf(model.joint(model.findJoint(name)).upper)) << name;
  EXPECT_EQ(model.joint(model.findJoint("bare")).speed, 3);
  dynamics::ArticulatedWorkspace workspace(model);
  dynamics::calcPositions(model, model.neutral(), workspace);
  EXPECT_NEAR(dynamics::linkPose(model, workspace, model.findLink("b")).p[1], 0.5, 1e-15);  // Where it is held.
}

TEST(UrdfQuirks, MimicJointsMoveWithTheirLeader) {
  const Folder folder;
  const Loaded loaded =
      load(folder, robotText(kWorldLink + boxLink("a") + boxLink("b") + boxLink("c") +
                             jointText("lead", "revolute", "world", "a",
                                       "<limit lower=\"-1\" upper=\"2\" effort=\"0\" velocity=\"0\"/>") +
                             jointText("half", "revolute", "a", "b",
                                       "<mimic joint=\"lead\" multiplier=\"-0.5\" offset=\"0.25\"/><limit "
                                       "lower=\"-0.5\" upper=\"5\" effort=\"0\" velocity=\"0\"/>") +
                             jointText("slide", "prismatic", "world", "c",
                                       "<mimic joint=\"half\" multiplier=\"2\"/><limit lower=\"-9\" upper=\"9\" "
                                       "effort=\"0\" velocity=\"0\"/>")));
  const auto& model = loaded.model();
  EXPECT_EQ(model.numVelocities(), 1);
  EXPECT_EQ(model.joint(model.findJoint("lead")).upper, 1.5);  // -0.5 q + 0.25 >= -0.5
  EXPECT_EQ(model.joint(model.findJoint("lead")).lower, -1);
  dynamics::ArticulatedWorkspace workspace(model);
  dynamics::calcPositions(model, Eigen::VectorXd::Constant(1, 0.8), workspace);
  // Turned by 0.8, then by -0.15, about y.
  const geom::Pose b = dynamics::linkPose(model, workspace, model.findLink("b"));
  EXPECT_NEAR(std::abs(b.q[0]), std::cos(0.325), 1e-12);
  EXPECT_NEAR(dynamics::linkPose(model, workspace, model.findLink("c")).p[1], 2 * (-0.5 * 0.8 + 0.25), 1e-12);
  // A user cannot ask for both.
  const Value map = Value::parse("name: r\nurdf: q.urdf\njoints: {half: 0.1}", "s.yaml");
  std::vector<std::string> warnings;
  try {
    (void)readRobot(map, {folder.path(), 0.4, 0.1, {0, 0, -9.81}, &warnings});
    FAIL() << "accepted";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("s.yaml:3:10"), HasSubstr("half follows joint lead")));
  }
}

TEST(UrdfQuirks, PiecesOfAMeshAreConvexParts) {
  const Folder folder;
  const std::string faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", first = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const std::string second = "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\n";
  geom::Polytope hull = geom::Polytope::box({1, 1, 1});
  std::vector<std::string> warned;
  const auto shapes = [&](const std::string& obj) {
    folder.write("t.obj", obj);
    Loaded loaded = load(
        folder, robotText(linkText("a", std::string(kInertial) +
                                            "<collision><geometry><mesh filename=\"t.obj\"/></geometry></collision>")));
    hull = std::get<geom::Polytope>(loaded.robot.shapes[0][0]), warned = loaded.warnings;
    return loaded.robot.shapes[0].size();
  };
  EXPECT_EQ(shapes(first + second + faces + "f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n"), 2u);  // No objects are named.
  EXPECT_EQ(shapes(first + second + faces + "f 5 7 6\nf 5 6 8\nf 5 8 7\n"), 1u) << "one piece is open: the hull of all";
  // A triangle beside a solid is no part, and takes none away: as an object, a group, a piece.
  for (const std::string flat : {"o flat\n", "g flat\n", ""})
    EXPECT_EQ(shapes((flat.empty() ? "" : flat.substr(0, 2) + "a\n") + first + faces + flat +
                     "v 5 0 0\nv 6 0 0\nv 5 1 0\nf 5 6 7\n"),
              1u);
  EXPECT_EQ(hull.numVertices(), 4);
  EXPECT_THAT(warned, ElementsAre(AllOf(HasSubstr("a part of mesh t.obj"), HasSubstr("left out"))));
  EXPECT_EQ(shapes("o flat\n" + second + "f 1 2 3\nf 1 2 4\n"), 1u) << "open, and no solid beside it: the hull";
  // Pieces that share a vertex are one.
  EXPECT_EQ(shapes(first + "v -1 0 0\nv 0 -1 0\nv 0 0 -1\n" + faces + "f 1 6 5\nf 1 5 7\nf 1 7 6\nf 5 6 7\n"), 1u);
}

TEST(UrdfQuirks, ShapesOfAllKinds) {
  const Folder folder;
  folder.write("cube.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string shapes = "<collision><geometry><capsule radius=\"0.5\" length=\"2\"/></geometry></collision>"
      "<collision><geometry><mesh filename=\"CUBE.OBJ\" scale=\"-1 2 1\"/></geometry></collision>"
      "<collision><geometry><mesh filename=\"flat.obj\"/></geometry></collision><collision/>";
  const Loaded loaded = load(folder, robotText(linkText("a", std::string(kInertial) + shapes)));
  ASSERT_EQ(loaded.robot.shapes[0].size(), 2u);
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("q.urdf:2:"), HasSubstr("link a"), HasSubstr("flat.obj"),
                                              HasSubstr("left out"))));
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("a collision without geometry")));
  EXPECT_THAT(loaded.warnings, Not(Contains(HasSubstr("not convex"))));
  const auto& capsule = std::get<geom::Polytope>(loaded.robot.shapes[0][0]).vertices();
  EXPECT_NEAR(capsule.row(2).maxCoeff(), 1.5, 0.5 / 100 + 1e-12);
  EXPECT_LE(capsule.colwise().norm().maxCoeff(), 1.5 + 1e-12);
  // No vertex outside the capsule: at most 0.5 from the segment.
  for (int v = 0; v < capsule.cols(); ++v) {
    const Eigen::Vector3d p = capsule.col(v);
    EXPECT_LE((p - Eigen::Vector3d(0, 0, std::clamp(p[2], -1.0, 1.0))).norm(), 0.5 + 1e-12);
  }
  const auto& mirrored = std::get<geom::Polytope>(loaded.robot.shapes[0][1]);
  EXPECT_EQ(mirrored.vertices().row(0).minCoeff(), -2);
  EXPECT_EQ(mirrored.vertices().row(0).maxCoeff(), 0);
  EXPECT_EQ(mirrored.vertices().row(1).maxCoeff(), 2);
  EXPECT_NEAR(geom::massProperties(mirrored).mass, 2.0 * 2 * 1 / 6, 1e-12);
  EXPECT_THAT(
      refusal(folder, robotText(linkText(
                          "a", std::string(kInertial) +
                                   "<collision><geometry><mesh filename=\"flat.obj\"/></geometry></collision>"))),
      AllOf(HasSubstr("q.urdf:2:"), HasSubstr("link a: collision")));
}

TEST(UrdfQuirks, ObjectsOfAnObjFileAreConvexParts) {
  const Folder folder;
  const auto cube = [](double x, int first) {
    std::string text;
    for (int v = 0; v < 8; ++v) text += fmt::format("v {} {} {}\n", x + (v & 1), (v >> 1) & 1, (v >> 2) & 1);
    for (const auto& f : {std::array{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}})
      text += fmt::format("f {} {} {} {}\n", f[0] + first, f[1] + first, f[2] + first, f[3] + first);
    return text;
  };
  folder.write("two.obj", "o one\n" + cube(0, 0) + "o two\n" + cube(3, 8));
  // One cube whose faces are groups: no part is closed, so it is one mesh.
  std::string faces = cube(0, 0), grouped;
  for (size_t at = 0, end; at < faces.size(); at = end + 1) {
    end = faces.find('\n', at);
    if (faces[at] == 'f') grouped += "g " + std::to_string(at) + "\n";
    grouped += faces.substr(at, end + 1 - at);
  }
  folder.write("groups.obj", grouped);
  const auto mesh = [&](const std::string& name) {
    return load(folder, robotText(linkText("a", std::string(kInertial) + "<collision><geometry><mesh filename=\"" +
                                                    name + "\"/></geometry></collision>")));
  };
  const Loaded two = mesh("two.obj");
  EXPECT_THAT(two.warnings, IsEmpty());
  ASSERT_EQ(two.robot.shapes[0].size(), 2u);
  EXPECT_EQ(std::get<geom::Polytope>(two.robot.shapes[0][0]).vertices().row(0).maxCoeff(), 1);
  EXPECT_EQ(std::get<geom::Polytope>(two.robot.shapes[0][1]).vertices().row(0).minCoeff(), 3);
  const Loaded groups = mesh("groups.obj");
  EXPECT_THAT(groups.warnings, IsEmpty());
  EXPECT_EQ(groups.robot.shapes[0].size(), 1u);
}

TEST(UrdfQuirks, BinaryStlWhoseTextBeginsWithSolid) {
  const Folder folder;
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string bytes = "solid made by an exporter";
  bytes.resize(80, '\0');
  const std::uint32_t count = 4;
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& face : faces) {
    bytes.append(12, '\0');
    for (int corner : face) bytes.append(reinterpret_cast<const char*>(corners[corner]), 12);
    bytes.append(2, '\0');
  }
  for (const std::string& padding : {std::string(), std::string(10, '\0')}) {
    folder.write("m.STL", bytes + padding);
    const Loaded loaded = load(
        folder, robotText(linkText("a", std::string(kInertial) +
                                            "<collision><geometry><mesh filename=\"m.stl\"/></geometry></collision>")));
    EXPECT_EQ(std::get<geom::Polytope>(loaded.robot.shapes[0].at(0)).numVertices(), 4);
  }
}

TEST(UrdfQuirks, MeshesAreFoundInPackagesAndAbove) {
  const Folder folder;
  const std::string robot = folder.write("ws/arm_description/urdf/r.urdf", ""),
                    mesh = folder.write("ws/arm_description/meshes/Link.STL", "");
  const auto same = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(findMesh(robot, name)) == std::filesystem::weakly_canonical(mesh);
  };
  for (const char* name : {"package://arm_description/meshes/Link.STL", "model://arm_description/meshes/Link.STL",
                           "package://other_name/meshes/Link.STL", "file://$(find arm_description)/meshes/Link.STL",
                           "../meshes/Link.STL", "..\\meshes\\Link.STL", "meshes/link.stl"})
    EXPECT_TRUE(same(name)) << name;
  EXPECT_TRUE(same(mesh));
  EXPECT_TRUE(same("file://" + mesh));
  EXPECT_THAT(findMesh(robot, "package://arm_description/meshes/no.stl"), HasSubstr("no.stl"));
}

TEST(UrdfQuirks, NothingToTouchIsNeverSilent) {
  const Folder folder;
  const Loaded none = load(folder, robotText(linkText("a", std::string(kInertial) + "<visual/>")));
  ASSERT_EQ(none.warnings.size(), 1u);
  EXPECT_THAT(none.warnings[0],
              AllOf(HasSubstr("q.urdf:1:1"), HasSubstr("robot r: none of its 1 links has a collision shape"),
                    HasSubstr("1 of them have visual")));
  const Loaded some = load(folder, robotText(boxLink("a") + linkText("b", std::string(kInertial) + "<visual/>") +
                                             jointText("j", "continuous", "a", "b")));
  EXPECT_THAT(some.warnings, Contains(HasSubstr("visual but no collision shapes, which nothing touches: b")));
}

TEST(UrdfQuirks, XacroIsExpandedOrRefusedInASentence) {
  const Folder folder;
  const std::string text = "<robot name=\"r\" xmlns:xacro=\"http://x\">\n<xacro:property name=\"m\" value=\"1\"/>\n" +
                           boxLink("a") + "</robot>\n";
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  EXPECT_THAT(refusal(folder, text), AllOf(HasSubstr("xacro is not installed"), HasSubstr("xacro FILE > robot.urdf")));
  // A stand-in that answers as the tool does: the expanded file on its output.
  folder.write("expanded.urdf", robotText(boxLink("a") + boxLink("b") + jointText("j", "continuous", "a", "b")));
  const std::string tool = folder.write("xacro", "#!/bin/sh\nexec /bin/cat " + folder.path() + "/expanded.urdf\n");
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  EXPECT_EQ(load(folder, text).model().numLinks(), 2);
  folder.write("xacro", "#!/bin/sh\necho 'undefined property: n' >&2\nexit 2\n");
  EXPECT_THAT(refusal(folder, text), AllOf(HasSubstr("xacro failed"), HasSubstr("undefined property: n")));
  setenv("PATH", path.c_str(), 1);
}

TEST(UrdfQuirks, StartsOutsideLimitsAreNamedTogetherOrMovedInside) {
  const Folder folder;
  const auto limits = [](const char* low, const char* high) {
    return fmt::format("<limit lower=\"{}\" upper=\"{}\" effort=\"0\" velocity=\"0\"/>", low, high);
  };
  folder.write("q.urdf", robotText(kWorldLink + boxLink("a") + boxLink("b") +
                                   jointText("knee", "revolute", "world", "a", limits("0.5", "1")) +
                                   jointText("hip", "revolute", "world", "b", limits("-2", "-1"))));
  std::vector<std::string> warnings;
  const auto read = [&](const std::string& fields) {
    return readRobot(Value::parse("name: r\nurdf: q.urdf\n" + fields, "s.yaml"),
                     {folder.path(), 0.4, 0.1, {0, 0, -9.81}, &warnings});
  };
  try {
    (void)read("");
    FAIL() << "accepted";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("joints knee starts at 0, hip starts at 0"),
                                    HasSubstr("move_inside_limits"), HasSubstr("knee: a number from 0.5 to 1")));
  }
  const dynamics::Robot robot = read("joints: {hip: -7}\nmove_inside_limits: true");
  EXPECT_EQ(robot.start.q[robot.model->joint(robot.model->findJoint("knee")).q], 0.5);
  EXPECT_EQ(robot.start.q[robot.model->joint(robot.model->findJoint("hip")).q], -2);
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("knee from 0 to 0.5"), HasSubstr("hip from -7 to -2"))));
}

}  // namespace
}  // namespace rigor::scenes
