// SPDX-License-Identifier: MIT
// Proves: what published robot files do beyond the format is read as their authors meant it, or refused with a reason.
// Oracle: masses, counts, places and names worked out by hand beside each file; the inertia of a box in closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "dynamics/kinematics.h"
#include "scenes/mesh_path.h"
#include "scenes/model_reader.h"
#include "scenes/robot_reader.h"
#include "scenes/text_encoding.h"
#include "scenes/urdf.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kCube = "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>";

Loaded loadText(const Folder& folder, const std::string& text, std::optional<double> density = {}) {
  Loaded loaded;
  FileModel file = readUrdf(folder.write("s.urdf", text), loaded.warnings);
  file.density = density;
  loaded.robot = makeRobotModel(std::move(file), RobotBase::kAuto, {});
  return loaded;
}

std::string refused(const Folder& folder, const std::string& text) {
  return refusalBy([&] { (void)loadText(folder, text); });
}

std::string solid(const std::string& name) { return linkText(name, std::string(kInertial) + kCube); }
std::string limited(const std::string& limit) {
  return robotText(solid("a") + solid("b") + jointText("j", "revolute", "a", "b", limit));
}
std::string shaped(const std::string& geometry) {
  return robotText(linkText("a", std::string(kInertial) + kCube + "<collision><geometry>" + geometry +
                                     "</geometry></collision>"));
}

TEST(UrdfSurvey, LimitsMayBeInfinite) {
  const Folder folder;
  for (const char* low : {"-inf", "-Infinity", "-1e300", "-1.8e+308", "-1e999"}) {
    const Loaded loaded = loadText(
        folder, limited(fmt::format("<limit lower=\"{}\" upper=\"+2\" effort=\"inf\" velocity=\"1e400\"/>", low)));
    EXPECT_THAT(loaded.warnings, IsEmpty()) << low;
    const auto& joint = loaded.model().joint(loaded.model().findJoint("j"));
    EXPECT_EQ(joint.lower, -INFINITY) << low;
    EXPECT_EQ(joint.upper, 2);
    EXPECT_EQ(joint.effort, INFINITY);
    EXPECT_EQ(joint.speed, INFINITY);
  }
  EXPECT_EQ(loadText(folder, limited("<limit lower=\"-1e-300\" upper=\"1\"/>")).model().joint(0).lower, -1e-300);
  EXPECT_THAT(refused(folder, limited("<limit lower=\"-1e-400\" upper=\"1\"/>")), HasSubstr("close to it"));
  EXPECT_THAT(refused(folder, limited("<limit lower=\"nan\" upper=\"1\"/>")), HasSubstr("limit lower is nan"));
  EXPECT_THAT(refused(folder, limited("<limit lower=\"inf\" upper=\"inf\"/>")), HasSubstr("lower limit inf above"));
}

TEST(UrdfSurvey, ShapesWithoutSizeStandForNone) {
  const Folder folder;
  for (const char* none : {"<box size=\"0 0 0\"/>", "<box/>", "<sphere radius=\"0\"/>", "<mesh filename=\"\"/>",
                           "<cylinder radius=\"0\" length=\"0\"/>"}) {
    const Loaded loaded = loadText(folder, shaped(none));
    EXPECT_EQ(loaded.robot.shapes[0].size(), 1u) << none;
    EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("s.urdf:2:"), HasSubstr("link a"), HasSubstr("left out"))));
  }
  for (const char* flat : {"<box size=\"1 1 0\"/>", "<cylinder radius=\"1\" length=\"0\"/>"}) {
    EXPECT_THAT(loadText(folder, shaped(flat)).warnings, Contains(HasSubstr("other shapes carry the link"))) << flat;
    EXPECT_THAT(refused(folder, robotText(linkText("a", std::string(kInertial) + "<collision><geometry>" + flat +
                                                            "</geometry></collision>"))),
                HasSubstr("link a: collision"));
  }
  EXPECT_THAT(refused(folder, shaped("<box size=\"1 -1 1\"/>")), HasSubstr("size -1"));
  const Loaded round = loadText(folder, shaped("<drake:ellipsoid a=\"1\" b=\"2\" c=\"3\"/>"));
  const auto& points = std::get<geom::Polytope>(round.robot.shapes[0].at(1)).vertices();
  for (int v = 0; v < points.cols(); ++v)
    EXPECT_NEAR(points.col(v).cwiseQuotient(Eigen::Vector3d(1, 2, 3)).norm(), 1, 1e-12);
  const Loaded ball = loadText(folder, shaped("<drake:capsule radius=\"2\" length=\"0\"/>"));
  EXPECT_NEAR(std::get<geom::Polytope>(ball.robot.shapes[0].at(1)).vertices().colwise().norm().minCoeff(), 2, 1e-12);
}

TEST(UrdfSurvey, WhatStandsTwiceIsSaid) {
  const Folder folder;
  const Loaded loaded = loadText(
      folder, robotText(linkText("a", std::string(kInertial) + kInertial +
                                          "<collision><geometry><box size=\"1 1 1\"/>\n"
                                          "<sphere radius=\"9\"/></geometry>"
                                          "</collision>") +
                        solid("b") +
                        jointText("j", "continuous", "a", "b", "<axis xyz=\"1 0 0\"/><origin xyz=\"0 0 1\"/>\n"
                                                               "<origin xyz=\"0 0 2\"/>")));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("s.urdf:2:"), HasSubstr("2 elements <inertial>"))));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("s.urdf:3:"), HasSubstr("2 shapes in one <geometry>"))));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("joint j"), HasSubstr("2 elements <axis>"))));
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("s.urdf:6:"), HasSubstr("2 elements <origin>"))));
  EXPECT_NEAR(loaded.model().mass(), 4, 1e-15);
}

TEST(UrdfSurvey, LoopsThatStayOpenAreNamed) {
  const Folder folder;
  const std::string chain = solid("a") + solid("b") + jointText("j", "continuous", "a", "b");
  for (const char* loop :
       {"<loop/>", "<drake:linear_bushing_rpy/>", "<gazebo><joint name=\"l\" type=\"revolute\"/></gazebo>"})
    EXPECT_THAT(loadText(folder, robotText(chain + loop)).warnings,
                Contains(AllOf(HasSubstr("s.urdf:5:"), HasSubstr("left out")))) << loop;
  EXPECT_THAT(loadText(folder, robotText(chain + "<gazebo reference=\"a\"><mu1>1</mu1></gazebo>")).warnings, IsEmpty());
}

TEST(UrdfSurvey, WorldNeedNotBeStated) {
  const Folder folder;
  const Loaded loaded = loadText(folder, robotText(solid("a") + jointText("w", "fixed", "world", "a") + solid("b") +
                                                   jointText("j", "continuous", "a", "b")));
  EXPECT_EQ(loaded.model().numVelocities(), 1);
  EXPECT_FALSE(loaded.robot.floating);
  EXPECT_THAT(refused(folder, robotText(solid("a") + jointText("w", "fixed", "wrold", "a"))),
              HasSubstr("no link is called wrold"));
}

TEST(UrdfSurvey, MacrosAreNeverSkipped) {
  const Folder folder;
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  EXPECT_THAT(refused(folder, robotText(linkText("a", std::string(kInertial) +
                                                 "<collision><xacro:insert_block name=\"o\"/>"
                                                 "<geometry><box size=\"1 1 1\"/></geometry></collision>"))),
              HasSubstr("xacro is not installed"));
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(refused(folder, robotText(solid("a") + "<macro name=\"m\"><link name=\"b\"/></macro>")),
              AllOf(HasSubstr("s.urdf:3:"), HasSubstr("<macro>")));
  EXPECT_THAT(refused(folder, robotText(solid("a") + "<include filename=\"b.xacro\"/>")), HasSubstr("<include>"));
  for (const char* name : {"${prefix}a", "$(arg prefix)a"})
    EXPECT_THAT(refused(folder, robotText(solid(name))), HasSubstr("expression of xacro")) << name;
  EXPECT_THAT(loadText(folder, robotText(solid("a") + "<!-- <xacro:include filename=\"b\"/> -->")).warnings, IsEmpty());
}

TEST(UrdfSurvey, AMassHasAValue) {
  const Folder folder;
  EXPECT_THAT(refused(folder, robotText(linkText("a", "<inertial><mass>2</mass></inertial>"))),
              AllOf(HasSubstr("s.urdf:2:"), HasSubstr("link a: a mass without a value")));
}

TEST(UrdfSurvey, RootsThatWeighNothingStand) {
  const Folder folder;
  const std::string weightless = linkText("base", kCube);
  // An obstacle: a table of mass 0.
  const Loaded table = loadText(folder, robotText(weightless));
  EXPECT_EQ(table.model().numVelocities(), 0);
  EXPECT_THAT(table.warnings, Contains(AllOf(HasSubstr("s.urdf:2:"), HasSubstr("link base"), HasSubstr("held fixed"))));
  // An arm whose foot has no mass.
  const Loaded arm = loadText(folder, robotText(weightless + linkText("foot", "") + solid("arm") +
                                                jointText("f", "fixed", "base", "foot") +
                                                jointText("j", "continuous", "foot", "arm")));
  EXPECT_EQ(arm.model().numVelocities(), 1);
  // A body below a footprint without mass floats as ever.
  const Loaded rover = loadText(folder, robotText(weightless + solid("chassis") + solid("wheel") +
                                                  jointText("f", "fixed", "base", "chassis") +
                                                  jointText("j", "continuous", "chassis", "wheel")));
  EXPECT_EQ(rover.model().numVelocities(), 7);
  EXPECT_THAT(refused(folder, robotText(weightless + linkText("arm", kCube) +
                                        jointText("j", "continuous", "base", "arm"))),
              AllOf(HasSubstr("none of its 2 links has a mass"), HasSubstr("`density`")));
}

TEST(UrdfSurvey, DensityWeighsShapesOfLinksWithoutMass) {
  const Folder folder;
  const std::string slab = "<collision><origin xyz=\"0 0 2\"/><geometry><box size=\"1 2 3\"/></geometry></collision>";
  const Loaded loaded = loadText(folder, robotText(linkText("a", slab) + solid("b") +
                                                   jointText("j", "continuous", "a", "b")), 10.0);
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("10 kg/m^3"), HasSubstr("a 60 kg"))));
  EXPECT_NEAR(loaded.model().mass(), 60 + 2, 1e-12);
  EXPECT_NEAR(loaded.model().link(0).centre[2], 2, 1e-12);
  EXPECT_NEAR(loaded.model().link(0).inertia(0, 0), 60 * (4 + 9) / 12.0, 1e-10);
  EXPECT_NEAR(loaded.model().link(0).inertia(2, 2), 60 * (1 + 4) / 12.0, 1e-10);
}

TEST(UrdfSurvey, PointMassesThatAJointCannotMoveAreSpreadOverTheirShapes) {
  const Folder folder;
  const auto point = [](const char* centre) {
    return std::string("<inertial><origin xyz=\"") + centre +
           "\"/><mass value=\"6\"/><inertia ixx=\"0\" iyy=\"0\" izz=\"0\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
  };
  const Loaded ball = loadText(folder, robotText(linkText("a", point("0 0 0") + kCube)));
  EXPECT_THAT(ball.warnings,
              Contains(AllOf(HasSubstr("s.urdf:2:"), HasSubstr("link a"), HasSubstr("uniform density"))));
  EXPECT_NEAR(ball.model().link(0).inertia(0, 0), 1, 1e-12);  // m s^2 / 6
  EXPECT_EQ(ball.model().link(0).mass, 6);
  // A bob that swings beside the axis stays the point that it is.
  const Loaded bob = loadText(folder, robotText(linkText("world", "") + linkText("a", point("1 0 0") + kCube) +
                                                jointText("j", "continuous", "world", "a")));
  EXPECT_EQ(bob.model().link(1).inertia(0, 0), 0);
  EXPECT_THAT(refused(folder, robotText(linkText("a", point("0 0 0")))), HasSubstr("no mass or inertia"));
}

TEST(UrdfSurvey, TextOfAnyEncoding) {
  const Folder folder;
  const std::string utf8 = robotText(solid("k\xC3\xB6rper") + "<!-- 90\xC2\xB0 \xE2\x82\xAC \xF0\x9F\xA4\x96 -->\n"),
                    latin1 = robotText(solid("k\xF6rper") + "<!-- 90\xB0 -->\n<!-- \xE9-->" + solid("b") +
                                       jointText("j", "fixed", "k\xF6rper", "b"));
  EXPECT_EQ(loadText(folder, utf8).model().link(0).name, "k\xC3\xB6rper");
  EXPECT_EQ(loadText(folder, latin1).model().link(0).name, "k\xC3\xB6rper");
  EXPECT_EQ(loadText(folder, latin1).model().numLinks(), 2) << "no byte of a comment hides its end";
  for (const bool little : {true, false}) {
    std::string wide;
    for (const char16_t c : u"\xFEFFk\u00F6\u20AC\U0001F916") {
      if (c == 0) break;
      const char low = static_cast<char>(c & 0xFF), high = static_cast<char>(c >> 8);
      wide += little ? low : high, wide += little ? high : low;
    }
    EXPECT_EQ(asUtf8(wide), "k\xC3\xB6\xE2\x82\xAC\xF0\x9F\xA4\x96");
  }
  EXPECT_EQ(asUtf8("\xEF\xBB\xBFx\xC3\xB6"), "\xEF\xBB\xBFx\xC3\xB6");
  EXPECT_EQ(asUtf8("x\xC3"), "x\xC3\x83") << "half a character is Latin-1";
}

TEST(UrdfSurvey, FilesThatAreNoRobots) {
  const Folder folder;
  EXPECT_THAT(refused(folder, robotText(solid("a")) + "<robot/>"), HasSubstr("a second root element, <robot>"));
  EXPECT_THAT(refused(folder, "<robot name=\"r\"><deformable name=\"d\"/></robot>"), HasSubstr("a deformable body"));
  EXPECT_THAT(refused(folder, robotText(solid("a") + solid("b") + "<joint name=\"j\"><parent link=\"a\"/><child "
                                        "link=\"b\"/></joint>")), HasSubstr("joint j: no type"));
  for (const char* name : {"e.urdf", "e.xacro"}) EXPECT_EQ(robotFormat(folder.write(name, "")), "urdf");
}

TEST(UrdfSurvey, ObjFilesAsOthersWriteThem) {
  const Folder folder;
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const auto mesh = [&](const std::string& obj) {
    folder.write("m.obj", obj);
    return loadText(folder, robotText(linkText("a", std::string(kInertial) + "<collision><geometry><mesh "
                                               "filename=\"m.obj\"/></geometry></collision>")));
  };
  for (const std::string& obj : {faces + points, points + faces + "f 1 2\nl 1 2\np 1\n",
                                 "# C:\\\n" + points + "f 1 \\\n 3 2\nf 1 2 4\nf 1 4 \\\r\n3\nf 2 3 4\n"}) {
    const Loaded loaded = mesh(obj);
    EXPECT_EQ(std::get<geom::Polytope>(loaded.robot.shapes[0].at(0)).numVertices(), 4) << obj;
    EXPECT_THAT(loaded.warnings, IsEmpty()) << "closed and convex: " << obj;
  }
  folder.write("m.obj", points + faces + "f 1 2 5\n");
  EXPECT_THAT(refused(folder, shaped("<mesh filename=\"m.obj\"/>")),
              AllOf(HasSubstr("m.obj:9:7"), HasSubstr("1 to 4")));
  folder.write("p.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  EXPECT_THAT(refused(folder, shaped("<mesh filename=\"p.stl\"/>")), HasSubstr("git lfs pull"));
}

TEST(UrdfSurvey, MeshesOfOtherPackages) {
  const Folder folder;
  const std::string robot = folder.write("ws/arm_bringup/urdf/r.urdf", "");
  const auto same = [&](const std::string& name, const std::string& path) {
    return std::filesystem::weakly_canonical(findMesh(robot, name)) == std::filesystem::weakly_canonical(path);
  };
  const std::string stacked = folder.write("ws/arm_stack/arm_description/m.stl", "");
  EXPECT_TRUE(same("package://arm_description/m.stl", stacked));
  const std::string spaced = folder.write("ws/arm_bringup/urdf/a b.stl", "");
  EXPECT_TRUE(same("a%20b.stl", spaced));
  const Folder elsewhere;
  const std::string named = elsewhere.write("src/hand_description/m.stl", ""),
                    shared = elsewhere.write("share/foot_description/m.stl", "");
  EXPECT_FALSE(same("package://hand_description/m.stl", named));
  setenv("ROS_PACKAGE_PATH", ("/nowhere:" + elsewhere.path() + "/src").c_str(), 1);
  setenv("AMENT_PREFIX_PATH", elsewhere.path().c_str(), 1);
  EXPECT_TRUE(same("package://hand_description/m.stl", named));
  EXPECT_TRUE(same("package://foot_description/m.stl", shared));
  setenv("ROS_PACKAGE_PATH", (elsewhere.path() + "/src/hand_description").c_str(), 1);
  EXPECT_TRUE(same("package://hand_description/m.stl", named)) << "the variable may name the package itself";
  unsetenv("ROS_PACKAGE_PATH"), unsetenv("AMENT_PREFIX_PATH");
}

TEST(UrdfSurvey, NamesOfLinksAreThoseThatOutputsCanHold) {
  const Folder folder;
  for (const char* name : {"a,b", "a&quot;b", "a&#9;b"})
    EXPECT_THAT(refused(folder, robotText(linkText(name, kInertial))),
                AllOf(HasSubstr(":2:7: link name is a"), HasSubstr("comma")))
        << name;
  const Loaded ros = loadText(folder, robotText(linkText("/base", kInertial) + linkText("arm/tool", kInertial) +
                                            jointText("j/1", "continuous", "/base", "arm/tool")));
  EXPECT_EQ(ros.model().link(ros.model().findLink("/base")).name, "/base");
  EXPECT_EQ(ros.model().link(ros.model().findLink("arm/tool")).name, "arm/tool");
}

}  // namespace
}  // namespace rigor::scenes
