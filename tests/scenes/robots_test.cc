// SPDX-License-Identifier: MIT
// Proves: URDF files and the scene's `robots:` are read to what they state, and
// every other input is refused at the scene's line that names the file, with
// file, line and element behind. Oracle: values written beside each input by
// hand; masses and lengths of the publications for the bundled robots;
// kinematics.h where positions are compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "dynamics/controllers/trot.h"
#include "dynamics/kinematics.h"
#include "geom/mass_properties.h"
#include "scenes/controller_reader.h"
#include "scenes/loader.h"
#include "scenes/robot_reader.h"
#include "scenes/urdf.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kRobots = RIGOR_SOURCE_DIR "/scenes/robots/";

std::string openingTags(int number) {
  std::string tags;
  for (int i = 0; i < number; ++i) tags += "<a>";
  return tags;
}

const std::string kTwo = linkText("world", "") + linkText("arm", kInertial);

dynamics::Robot read(const Folder& folder, const std::string& urdf, const std::string& fields,
                     std::vector<std::string>* warnings = nullptr) {
  folder.write("r.urdf", urdf);
  std::vector<std::string> unused;
  const Value map = Value::parse("name: r\nurdf: r.urdf\n" + fields, "s.yaml");
  return readRobot(map, {folder.path(), 0.4, 0.1, {0, 0, -9.81}, warnings ? warnings : &unused});
}

std::string messageOf(const Folder& folder, const std::string& urdf, const std::string& fields = "") {
  try {
    read(folder, urdf, fields);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(Urdf, QuadrupedIsThePublishedOne) {
  std::vector<std::string> warnings;
  const RobotModel robot = makeRobotModel(readUrdf(kRobots + "quadruped.urdf", warnings), RobotBase::kAuto, {});
  EXPECT_THAT(warnings, ::testing::IsEmpty());
  const dynamics::ArticulatedModel& model = *robot.model;
  EXPECT_TRUE(robot.floating);
  EXPECT_EQ(model.numVelocities(), 18);
  EXPECT_EQ(model.numPositions(), 19);
  EXPECT_NEAR(model.mass(), 3.8, 1e-12);
  EXPECT_EQ(model.nodes().size(),
            14u);  // The world, the base, three for each leg.
  dynamics::ArticulatedWorkspace workspace(model);
  calcPositions(model, model.neutral(), workspace);
  const struct {
    const char* name;
    double x, y, zf;
  } feet[] = {{"lf", 1, 1, -.005}, {"rf", 1, -1, -.005}, {"lh", -1, 1, -.0065}, {"rh", -1, -1, -.0065}};
  for (const auto& [name, x, y, zf] : feet) {
    const int foot = model.findLink(std::string(name) + "_foot"), thigh = model.findLink(std::string(name) + "_thigh");
    EXPECT_LE((linkPose(model, workspace, foot).p - Eigen::Vector3d(x * .2795, y * .0625, zf)).norm(), 1e-12);
    EXPECT_LE((linkCentre(model, workspace, thigh) - Eigen::Vector3d(x * .141, y * .0625, zf)).norm(), 1e-12);
    const auto& solid = std::get<geom::Polytope>(robot.shapes[foot].at(0));
    EXPECT_EQ(solid.numVertices(), 1000);
    EXPECT_NEAR(solid.radius(), .01, 1e-15);
    const auto& knee = model.joint(model.findJoint(std::string(name) + "_knee"));
    EXPECT_EQ(knee.effort, 7.3);
    EXPECT_EQ(knee.speed, 15);
  }
}

TEST(Urdf, EveryBundledRobotIsRead) {
  const struct {
    const char* name;
    int velocities;
    double mass;
    bool floating;
  } robots[] = {{"chain-20", 20, 20 * 200, false}, {"chain-100", 100, 100 * 0.1, false}, {"pendulum", 1, 1, false},
                {"double-pendulum", 2, 2, false},  {"triple-pendulum", 3, 4, false},     {"compass", 4, 20.2, false},
                {"gripper", 3, 1.4, false}};
  for (const auto& [name, velocities, mass, floating] : robots) {
    SCOPED_TRACE(name);
    std::vector<std::string> warnings;
    const RobotModel robot = makeRobotModel(readUrdf(kRobots + name + ".urdf", warnings), RobotBase::kAuto, {});
    EXPECT_EQ(robot.model->numVelocities(), velocities);
    EXPECT_NEAR(robot.model->mass(), mass, 1e-9 * mass);
    EXPECT_EQ(robot.floating, floating);
    EXPECT_THAT(warnings, ::testing::IsEmpty());
  }
}

TEST(Urdf, ReadsJointsLimitsAndDynamics) {
  const Folder folder;
  std::vector<std::string> warnings;
  const dynamics::Robot robot =
      read(folder,
           robotText(kTwo +
                     linkText("tip", std::string(kInertial) + "<collision><origin xyz=\"0 0 1\" rpy=\"0 "
                                                              "1.5707963267948966 0\"/>"
                                                              "<geometry><cylinder radius=\"0.1\" "
                                                              "length=\"2\"/></geometry></collision>"
                                                              "<collision><geometry><box size=\"1 2 "
                                                              "3\"/></geometry></collision>") +
                     jointText("a", "prismatic", "world", "arm",
                               "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>"
                               "<dynamics damping=\"0.5\" friction=\"0.1\" "
                               "armature=\"0.25\"/>") +
                     jointText("b", "continuous", "arm", "tip", "<origin xyz=\"0 0 -1\"/>")),
           "joints: {a: 1.5, b: 7}\njoint_velocities: {b: -2}\nfriction: "
           "no-slip\nself_collision: true\n"
           "ignore_collisions: [[world, tip]]",
           &warnings);
  const auto& model = *robot.model;
  const auto& a = model.joint(model.findJoint("a"));
  EXPECT_EQ(a.lower, -1);
  EXPECT_EQ(a.upper, 2);
  EXPECT_EQ(a.effort, 3);
  EXPECT_EQ(a.speed, 4);
  EXPECT_EQ(a.damping, 0.5);
  EXPECT_EQ(a.armature, 0.25);
  EXPECT_EQ(robot.start.q, Eigen::VectorXd(Eigen::Vector2d(1.5, 7)));
  EXPECT_EQ(robot.start.v, Eigen::VectorXd(Eigen::Vector2d(0, -2)));
  EXPECT_TRUE(std::isinf(robot.friction[0]));
  EXPECT_EQ(robot.restitution[0], 0.1);
  ASSERT_EQ(robot.shapes[2].size(), 2u);
  // The cylinder lies along x about (0, 0, 1).
  const Eigen::Matrix3Xd& v = std::get<geom::Polytope>(robot.shapes[2][0]).vertices();
  EXPECT_NEAR(v.row(0).maxCoeff(), 1, 1e-12);
  EXPECT_NEAR(v.row(2).maxCoeff(), 1.1, 1e-3);
  EXPECT_FALSE(mayCollide(robot, 0, 2));  // Named in the scene.
  EXPECT_FALSE(mayCollide(robot, 0, 1));  // Neighbours.
  EXPECT_EQ(a.friction, 0.1);
  EXPECT_THAT(warnings, ::testing::IsEmpty());
}

TEST(Urdf, ReadsSphericalAndUniversalJoints) {
  const Folder folder;
  const std::string parts =
      kTwo + linkText("tip", kInertial) +
      jointText("ball", "spherical", "world", "arm",
                "<origin xyz=\"1 2 3\"/><dynamics damping=\"0.5\" armature=\"0.25\"/>") +
      jointText("cross", "universal", "arm", "tip",
                "<axis2 xyz=\"0 0 2\"/><limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>");
  const dynamics::Robot robot =
      read(folder, robotText(parts),
           "joints: {ball: [0, 3, 0, 4], cross: [0.5, 1.5]}\njoint_velocities: {ball: [1, 2, 3], cross: [4, 5]}");
  const auto& model = *robot.model;
  const auto& ball = model.joint(model.findJoint("ball"));
  EXPECT_EQ(ball.type, dynamics::JointType::kSpherical);
  EXPECT_EQ(ball.origin.p, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(ball.damping, 0.5);
  EXPECT_EQ(ball.armature, 0.25);
  const auto& cross = model.joint(model.findJoint("cross"));
  EXPECT_EQ(cross.type, dynamics::JointType::kUniversal);
  EXPECT_EQ(cross.axis, Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(cross.axis2, Eigen::Vector3d(0, 0, 2));
  EXPECT_EQ(cross.lower, -1);
  EXPECT_EQ(cross.upper, 2);
  EXPECT_EQ(cross.effort, 3);
  EXPECT_EQ(cross.speed, 4);
  EXPECT_LT((robot.start.q - (Eigen::VectorXd(6) << 0, 0.6, 0, 0.8, 0.5, 1.5).finished()).norm(), 1e-15);
  EXPECT_EQ(robot.start.v, (Eigen::VectorXd(5) << 1, 2, 3, 4, 5).finished());
  // Without limits a universal joint has none.
  const dynamics::Robot free =
      read(folder, robotText(kTwo + jointText("cross", "universal", "world", "arm", "<axis2 xyz=\"1 0 0\"/>")), "");
  EXPECT_TRUE(std::isinf(free.model->joint(free.model->findJoint("cross")).upper));
  // A spherical joint cannot have any.
  std::vector<std::string> warnings;
  (void)read(folder,
             robotText(kTwo + jointText("ball", "spherical", "world", "arm",
                                        "<limit lower=\"-1\" upper=\"1\" effort=\"3\" velocity=\"4\"/>")),
             "", &warnings);
  EXPECT_THAT(warnings,
              ::testing::Contains(AllOf(HasSubstr("r.urdf:4:"), HasSubstr("joint ball"), HasSubstr("left out"))));
  EXPECT_THAT(messageOf(folder, robotText(parts), "joints: {ball: [0, 0, 0, 0]}"),
              AllOf(StartsWith("s.yaml:3:16"), HasSubstr("not zero")));
}

TEST(Urdf, AllStartsOutsideOfLimitsAreNamedWhoeverGivesThem) {
  const Folder folder;
  const auto limited = [](const std::string& name, const std::string& child) {
    return jointText(name, "revolute", "world", child, "<limit lower=\"1\" upper=\"2\" effort=\"1\" velocity=\"1\"/>");
  };
  const std::string two = robotText(linkText("world", "") + linkText("a", kInertial) + linkText("b", kInertial) +
                                    limited("j", "a") + limited("k", "b"));
  const std::string allowed = "joints: {j: a number from 1 to 2, k: a number from 1 to 2}";
  EXPECT_THAT(messageOf(folder, two, "joints: {j: 5, k: 3}"),
              AllOf(StartsWith("s.yaml:3:13: joints j starts at 5, k starts at 3"), HasSubstr(allowed)));
  EXPECT_THAT(messageOf(folder, two, "joints: {j: 5}"),
              AllOf(StartsWith("s.yaml:3:13: joints j starts at 5, k starts at 0"), HasSubstr(allowed)));
  EXPECT_THAT(messageOf(folder, two, "joints: {j: 1.5, k: -1}"), StartsWith("s.yaml:3:21: joint k starts at -1, outs"));
  EXPECT_EQ(messageOf(folder, two, "joints: {j: 5}\nmove_inside_limits: true"), "(accepted)");
}

TEST(Urdf, MeshesThatAreNotConvexAreTakenByTheirHullsWithAWarning) {
  // A unit cube with its top pressed in to the middle: an apex at (.5, .5, .5). As OBJ, as STL, as COLLADA.
  const Folder folder;
  const double v[9][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},   {0, 0, 1},
                          {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {.5, .5, .5}};
  const int f[14][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5}, {2, 3, 7},
                        {2, 7, 6}, {3, 0, 4}, {3, 4, 7}, {4, 5, 8}, {5, 6, 8}, {6, 7, 8}, {7, 4, 8}};
  std::string obj, stl = "solid s\n", points, indices;
  const auto join = [](const double* x) { return fmt::format("{} {} {}", x[0], x[1], x[2]); };
  for (const auto& x : v) obj += "v " + join(x) + "\n", points += join(x) + " ";
  for (const auto& t : f) {
    obj += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1),
        indices += fmt::format("{} {} {} ", t[0], t[1], t[2]);
    stl += "facet normal 0 0 0\nouter loop\n";
    for (const int k : t) stl += "vertex " + join(v[k]) + "\n";
    stl += "endloop\nendfacet\n";
  }
  folder.write("m.obj", obj);
  folder.write("m.stl", stl + "endsolid s\n");
  folder.write(
      "m.dae",
      "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
      "version=\"1.4.1\"><asset><unit meter=\"1\" name=\"meter\"/>"
      "<up_axis>Z_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array "
      "id=\"a\" count=\"27\">" +
          points +
          "</float_array><technique_common><accessor source=\"#a\" count=\"9\" stride=\"3\"><param name=\"X\" "
          "type=\"float\"/><param name=\"Y\" type=\"float\"/>"
          "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input "
          "semantic=\"POSITION\" source=\"#p\"/></vertices>"
          "<triangles count=\"14\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>" +
          indices +
          "</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node "
          "id=\"n\"><instance_geometry url=\"#g\"/></node>"
          "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n");
  for (const char* file : {"m.obj", "m.stl", "m.dae"}) {
    SCOPED_TRACE(file);
    std::vector<std::string> warnings;
    const dynamics::Robot robot =
        read(folder,
             robotText(linkText("body", std::string(kInertial) + "<collision><geometry><mesh filename=\"" + file +
                                            "\"/></geometry></collision>")),
             "", &warnings);
    ASSERT_EQ(robot.shapes[0].size(), 1u);
    const auto& hull = std::get<geom::Polytope>(robot.shapes[0][0]);
    EXPECT_EQ(hull.numVertices(), 8);
    EXPECT_NEAR(geom::massProperties(hull).mass, 1, 1e-12);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_THAT(warnings[0],
                AllOf(HasSubstr("r.urdf:2:1"), HasSubstr("link body"), HasSubstr(file), HasSubstr("not convex")));
  }
}

TEST(Urdf, StartIsThatOfTheRootLinksFrame) {
  const Folder folder;
  const std::string text = robotText(linkText("body", kInertial));
  const dynamics::Robot robot = read(folder, text,
                                     "position: [1, 2, 3]\norientation: [2, 0, 0, 0]\nvelocity: [4, 5, "
                                     "6]\nangular_velocity: [0, 1, 0]");
  // The centre is 0.5 m below the origin: it moves w x r more.
  EXPECT_EQ(robot.start.q, (Eigen::VectorXd(7) << 1, 2, 2.5, 2, 0, 0, 0).finished());
  EXPECT_EQ(robot.start.v, (Eigen::VectorXd(6) << 3.5, 5, 6, 0, 1, 0).finished());
  EXPECT_EQ(read(folder, text, "base: fixed").model->numVelocities(), 0);
  const std::string comment = fmt::format("<!--{}-->\n", openingTags(1000));  // Which opens none.
  EXPECT_EQ(read(folder, robotText(comment + linkText("body", kInertial)), "base: fixed").model->numLinks(), 1);
  const std::string arm = robotText(kTwo + jointText("a", "continuous", "world", "arm"));
  EXPECT_EQ(read(folder, arm, "").model->numVelocities(), 1);
  // A fixed base carries the robot to its pose.
  const dynamics::Robot moved = read(folder, arm, "position: [1, 2, 3]");
  dynamics::ArticulatedWorkspace workspace(*moved.model);
  calcPositions(*moved.model, moved.start.q, workspace);
  EXPECT_EQ(linkPose(*moved.model, workspace, 1).p, Eigen::Vector3d(1, 2, 3));
}

TEST(Urdf, MeshesOfOtherFormatsAreReadByAssimp) {
  const Folder folder;
  folder.write("tetrahedron.ply",
               "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty "
               "float y\nproperty float z\n"
               "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
               "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
  const std::string mesh =
      "<collision><geometry><mesh filename=\"tetrahedron.ply\" scale=\"2 2 "
      "3\"/></geometry></collision>";
  std::vector<std::string> warnings;
  const dynamics::Robot robot = read(folder, robotText(linkText("body", kInertial + mesh)), "", &warnings);
  ASSERT_EQ(robot.shapes[0].size(), 1u);
  EXPECT_NEAR(geom::massProperties(std::get<geom::Polytope>(robot.shapes[0][0])).mass, 2 * 2 * 3 / 6.0, 1e-12);
  EXPECT_THAT(warnings, ::testing::IsEmpty());
}

TEST(Robots, LinksThatMayCollide) {
  std::vector<std::string> warnings;
  const auto quadruped = [&](const std::string& fields) {
    return readRobot(Value::parse("name: q\nurdf: quadruped.urdf\n" + fields, "s.yaml"),
                     {kRobots, 1, 0, {0, 0, -9.81}, &warnings});
  };
  const dynamics::Robot robot = quadruped("self_collision: true\nignore_collisions: [[lf_foot, rh_foot]]");
  const auto may = [&](const char* a, const char* b) {
    const int i = robot.model->findLink(a), j = robot.model->findLink(b);
    EXPECT_EQ(mayCollide(robot, i, j), mayCollide(robot, j, i));
    return mayCollide(robot, i, j);
  };
  EXPECT_TRUE(may("lf_foot", "rf_foot"));
  EXPECT_TRUE(may("base", "lf_thigh"));
  EXPECT_TRUE(may("base", "lf_foot"));
  EXPECT_FALSE(may("base", "lf_hip"));
  EXPECT_FALSE(may("lf_shank", "lf_foot"));  // One rigid body.
  EXPECT_FALSE(may("lf_thigh",
                   "lf_foot"));             // The knee joins the body that the foot belongs to.
  EXPECT_FALSE(may("lf_foot", "rh_foot"));  // Named.
  const dynamics::Robot plain = quadruped("");
  EXPECT_FALSE(mayCollide(plain, robot.model->findLink("lf_foot"), robot.model->findLink("rf_foot")));
}

/// A quadruped of a format that has no links for feet: they are the last shapes of shanks.
std::string footlessQuadruped() {
  std::string legs;
  for (const char* leg : {"lf", "rf", "lh", "rh"}) {
    const double x = leg[1] == 'f' ? .2 : -.2, y = leg[0] == 'l' ? 1 : -1;
    legs += fmt::format(
        "<body name=\"{0}_hip\" pos=\"{1} {2} 0\"><joint name=\"{0}_roll\" axis=\"1 0 0\"/><geom size=\".03\"/>"
        "<body name=\"{0}_thigh\" pos=\"0 {3} 0\"><joint name=\"{0}_pitch\" axis=\"0 1 0\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0 0 -.2\" size=\".02\"/>"
        "<body name=\"{0}_shank\" pos=\"0 0 -.2\"><joint name=\"{0}_knee\" axis=\"0 1 0\" range=\"-150 -40\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0 0 -.1\" size=\".015\"/>"
        "<geom pos=\"-.002 0 -.2\" size=\".022\"/></body></body></body>\n",
        leg, x, .05 * y, .09 * y);
  }
  return "<mujoco><compiler autolimits=\"true\"/><worldbody><body name=\"base\" pos=\"0 0 .3\"><freejoint/>"
         "<geom type=\"box\" size=\".2 .05 .05\"/>\n" + legs + "</body></worldbody><keyframe><key name=\"home\" "
         "qpos=\"0 0 .3 1 0 0 0 0 .9 -1.8 0 .9 -1.8 0 .9 -1.8 0 .9 -1.8\"/></keyframe></mujoco>\n";
}

TEST(Robots, FeetAreWhereShanksEnd) {
  const Folder folder;
  folder.write("q.xml", footlessQuadruped());
  std::vector<std::string> warnings;
  const auto robotOf = [&](const std::string& controller) {
    return readRobot(Value::parse("name: q\nmjcf: q.xml\nkeyframe: home\ncontroller: " + controller, "s.yaml"),
                     {folder.path(), 1, 0, {0, 0, -9.81}, &warnings});
  };
  for (const char* controller : {"{type: trot}", "{type: trot, feet: [lf_shank, rf_shank, lh_shank, rh_shank]}"}) {
    const dynamics::Robot robot = robotOf(controller);
    const auto* trot = dynamic_cast<const dynamics::Trot*>(robot.controller.get());
    ASSERT_NE(trot, nullptr);
    for (int i = 0; i < 4; ++i) {
      const dynamics::Foot& foot = trot->leg(i).end();
      EXPECT_EQ(robot.model->link(foot.link).name.substr(2), "_shank");
      EXPECT_LE((foot.point - Eigen::Vector3d(-.002, 0, -.2)).norm(), 1e-15);
      EXPECT_DOUBLE_EQ(foot.radius, .022);
      EXPECT_NEAR(trot->options().gait.stance[i][0], i < 2 ? .2 : -.2, 1e-12);
      EXPECT_NEAR(trot->options().gait.stance[i][1], i % 2 ? -.14 : .14, 1e-12);
    }
  }
}

TEST(Robots, LinksThatJointsJoinWithNothingBetween) {
  const Folder folder;
  folder.write("b.xml", "<mujoco><worldbody><body name=\"trunk\"><freejoint/><geom size=\".1\"/><body name=\"thigh\" "
                        "pos=\"0 0 -.1\"><joint axis=\"1 0 0\"/><joint axis=\"0 1 0\"/><joint axis=\"0 0 1\"/>"
                        "<geom size=\".05\"/><body name=\"shank\" pos=\"0 0 -.1\"><joint axis=\"0 1 0\"/>"
                        "<geom size=\".05\"/></body></body></body></worldbody></mujoco>\n");
  std::vector<std::string> warnings;
  const dynamics::Robot robot = readRobot(Value::parse("name: b\nmjcf: b.xml\nself_collision: true", "s.yaml"),
                                          {folder.path(), 1, 0, {0, 0, -9.81}, &warnings});
  const auto may = [&](const char* a, const char* b) {
    const int i = robot.model->findLink(a), j = robot.model->findLink(b);
    EXPECT_EQ(mayCollide(robot, i, j), mayCollide(robot, j, i));
    return mayCollide(robot, i, j);
  };
  ASSERT_EQ(robot.model->numLinks(), 5);  // Two of them weigh nothing.
  EXPECT_FALSE(may("trunk", "thigh"));
  EXPECT_FALSE(may("thigh", "shank"));
  EXPECT_TRUE(may("trunk", "shank"));
}

TEST(Urdf, BadFilesAreRefusedWithFileLineAndElement) {
  const Folder folder;
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n");
  const std::string arm = jointText("a", "continuous", "world", "arm");
  const auto shape = [](const std::string& geometry) {
    return linkText("world", "") +
           linkText("arm", std::string(kInertial) + "<collision><geometry>" + geometry + "</geometry></collision>");
  };
  const auto inertial = [](const std::string& mass, const std::string& izz) {
    return linkText("world", "") + linkText("arm", "<inertial><mass value=\"" + mass +
                                                       "\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
                                                       "iyy=\"1\" iyz=\"0\" izz=\"" +
                                                       izz + "\"/></inertial>");
  };
  const struct {
    const char* name;
    std::string text;
    const char* place;
    const char* what;
  } cases[] = {
      {"not XML", "<robot name=\"r\">\n<link", "r.urdf:", "no XML"},
      {"nothing but opening tags", openingTags(100000), "r.urdf:1:1", "nested"},
      {"no robot", "<x/>", "r.urdf:1:1", "no <robot>"},
      {"no links", robotText(""), "r.urdf:1:1", "without links"},
      {"loop", robotText(kTwo + arm + jointText("b", "continuous", "world", "arm")), "r.urdf:5:1",
       "joint b: link arm hangs on joint a"},
      {"closed loop", robotText(kTwo + arm + jointText("b", "continuous", "arm", "world")), "r.urdf:5:1",
       "joint b: closes a loop through link world"},
      {"on itself", robotText(kTwo + jointText("a", "continuous", "arm", "arm")), "r.urdf:4:1", "closes a loop"},
      {"missing link", robotText(kTwo + jointText("a", "continuous", "world", "leg")), "r.urdf:", "leg"},
      {"two roots", robotText(kTwo), "r.urdf:", "root"},
      {"unknown type", robotText(kTwo + jointText("a", "ball", "world", "arm")), "r.urdf:4:1", "ball"},
      {"universal with one axis", robotText(kTwo + jointText("a", "universal", "world", "arm")), "r.urdf:4:1",
       "joint a: no second axis"},
      {"universal with no numbers",
       robotText(kTwo + jointText("a", "universal", "world", "arm", "<axis2 xyz=\"1 x 0\"/>")),
       "r.urdf:4:", "axis2 xyz is 1 x 0"},
      {"universal about one axis",
       robotText(kTwo + jointText("a", "universal", "world", "arm", "<axis2 xyz=\"0 2 0\"/>")), "r.urdf:4:1",
       "joint a: axes that are parallel"},
      {"mimic of none", robotText(kTwo + jointText("a", "continuous", "world", "arm", "<mimic joint=\"b\"/>")),
       "r.urdf:4:1", "joint b, which is not there"},
      {"mimic of each other",
       robotText(kTwo + linkText("c", kInertial) +
                 jointText("a", "continuous", "world", "arm", "<mimic joint=\"b\"/>") +
                 jointText("b", "continuous", "arm", "c", "<mimic joint=\"a\"/>")),
       "r.urdf:5:1", "follow each other"},
      {"negative mass", robotText(inertial("-1", "1") + arm), "r.urdf:3:", "link arm: mass is -1"},
      {"no mass", robotText(inertial("0", "1") + arm), "r.urdf:1:1", "none of its 2 links has a mass"},
      {"no geometry of a shape", robotText(shape("<torus radius=\"1\"/>") + arm),
       "r.urdf:3:", "an unknown collision shape, torus"},
      {"a decimal comma", robotText(inertial("0,5", "1") + arm), "r.urdf:3:", "decimal sign is a point"},
      {"an expression", robotText(inertial("${m}", "1") + arm), "r.urdf:3:", "expression of xacro"},
      {"no parent", robotText(kTwo + "<joint name=\"a\" type=\"fixed\"><child link=\"arm\"/></joint>\n"), "r.urdf:4:1",
       "joint a: no <parent"},
      {"MJCF", "<mujoco/>", "r.urdf:1:1", "`mjcf`"},
      {"impossible inertia", robotText(inertial("1", "4") + arm), "r.urdf:3:1", "link arm"},
      {"NaN", robotText(inertial("nan", "1") + arm), "r.urdf:3:", "mass value is nan"},
      {"no inertia", robotText(linkText("world", "") + linkText("arm", "") + arm), "r.urdf:1:1",
       "none of its 2 links has a mass"},
      {"limits",
       robotText(kTwo + jointText("a", "revolute", "world", "arm",
                                  "<limit lower=\"2\" upper=\"1\" effort=\"1\" velocity=\"1\"/>")),
       "r.urdf:4:", "lower limit"},
      {"missing mesh", robotText(shape("<mesh filename=\"no.obj\"/>") + arm), "r.urdf:3:", "no.obj"},
      {"flat mesh", robotText(shape("<mesh filename=\"flat.obj\"/>") + arm), "r.urdf:3:", "collision"},
      {"flat box", robotText(shape("<box size=\"1 1 0\"/>") + arm), "r.urdf:3:", "box size is 0"},
      {"second link", robotText(kTwo + linkText("arm", kInertial) + arm), "r.urdf:4:1", "a second link arm"},
      {"armature",
       robotText(kTwo + jointText("a", "continuous", "world", "arm", "<dynamics damping=\"0\" armature=\"-1\"/>")),
       "r.urdf:4:", "armature is -1"},
  };
  for (const auto& [name, text, place, what] : cases) {
    SCOPED_TRACE(name);
    EXPECT_THAT(messageOf(folder, text), AllOf(StartsWith("s.yaml:2:7: urdf: "), HasSubstr(place), HasSubstr(what)));
  }
}

TEST(Robots, BadFieldsAreRefusedAtTheirPlace) {
  const Folder folder;
  const std::string arm = robotText(kTwo + jointText("shoulder", "revolute", "world", "arm",
                                                     "<limit lower=\"0.5\" upper=\"1\" effort=\"1\" velocity=\"1\"/>"));
  const std::string free = robotText(linkText("body", kInertial));
  folder.write("nan.csv", "time,shoulder\n0,1\n1,nan\n");
  folder.write("short.csv", "time,shoulder\n0,1\n1\n");
  folder.write("names.csv", "time,sholder\n0,1\n");
  folder.write("back.csv", "time,shoulder\n1,1\n0,1\n");
  const struct {
    const std::string& urdf;
    std::string fields;
    const char* place;
    const char* what;
  } cases[] = {
      {arm, "joints: {sholder: 0.7}", "s.yaml:3:10", "did you mean shoulder?"},
      {arm, "joints: {shoulder: 2}", "s.yaml:3:20", "shoulder starts at 2, outside its limits"},
      {arm, "joints: {shoulder: 0.7, shoulder: 0.6}", "s.yaml:3:10", "duplicate"},
      {arm, "friction: 1", "s.yaml:1:1", "joint shoulder starts at 0, outside its limits"},
      {arm, "joints: {shoulder: 0.7}\nvelocity: [1, 0, 0]", "s.yaml:4:11", "fixed"},
      {arm, "joints: {shoulder: 0.7}\nignore_collisions: [[arm, wrld]]", "s.yaml:4:27", "did you mean world?"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: walk}", "s.yaml:4:20", "pd, trot or script"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: trot}", "s.yaml:4:13", "the robot has 0 legs"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: pd, kp: {elbow: 1}}", "s.yaml:4:36", "elbow"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: script, file: no.csv}", "s.yaml:4:34", "no.csv"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: script, file: nan.csv}", "s.yaml:4:34", "nan.csv:3:3"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: script, file: short.csv}", "s.yaml:4:34", "short.csv:3:1"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: script, file: names.csv}", "s.yaml:4:34",
       "did you mean shoulder?"},
      {arm, "joints: {shoulder: 0.7}\ncontroller: {type: script, file: back.csv}", "s.yaml:4:34", "back.csv:3:1"},
      {free, "base: hanging", "s.yaml:3:7", "fixed or floating"},
      {free, "joint: {}", "s.yaml:3:1", "did you mean joints?"},
      {free, "friction: -1", "s.yaml:3:11", "a number >= 0"},
  };
  for (const auto& [urdf, fields, place, what] : cases) {
    SCOPED_TRACE(fields);
    EXPECT_THAT(messageOf(folder, urdf, fields), AllOf(StartsWith(place), HasSubstr(what)));
  }
}

TEST(Robots, ControllersAreReadFromTheScene) {
  const std::string scene =
      "name: q\nurdf: quadruped.urdf\nposition: [0, 0, 0.16]\n"
      "joints: {lf_hip: .2, lf_thigh: .8, lf_knee: 1.2, rf_hip: -.2, rf_thigh: "
      "-.8, rf_knee: -1.2,\n"
      "         lh_hip: -.2, lh_thigh: -.8, lh_knee: -1.2, rh_hip: .2, "
      "rh_thigh: .8, rh_knee: 1.2}\n";
  std::vector<std::string> warnings;
  const auto robotOf = [&](const std::string& controller) {
    return readRobot(Value::parse(scene + "controller: " + controller, "s.yaml"),
                     {kRobots, 1, 0, {0, 0, -9.81}, &warnings});
  };
  const dynamics::Robot robot = robotOf(
      "{type: trot, period: 0.3, velocity: [0.15, 0], rate: 500, "
      "height: 0.17, torque: inverse-dynamics}");
  const auto* trot = dynamic_cast<const dynamics::Trot*>(robot.controller.get());
  ASSERT_NE(trot, nullptr);
  EXPECT_DOUBLE_EQ(trot->period(), 0.002);
  EXPECT_EQ(trot->options().gait.period, 0.3);
  EXPECT_TRUE(trot->options().inverse_dynamics);
  EXPECT_NEAR(trot->options().gait.stance[0][2], 0.01 - 0.17, 1e-12);
  // Alone, from the robot: feet below the thigh joints (.141 by .0625), gains of its weight and legs, as high as it
  // stands.
  const dynamics::Robot plain = robotOf("{type: trot}");
  const auto* own = dynamic_cast<const dynamics::Trot*>(plain.controller.get());
  ASSERT_NE(own, nullptr);
  EXPECT_TRUE(own->options().inverse_dynamics);
  EXPECT_GT(own->options().kp, 2 * 3.8 * 9.81 * 0.1);  // Legs of more than .1 m.
  EXPECT_DOUBLE_EQ(own->options().kd, own->options().kp / 50);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(own->options().gait.stance[i][0] > 0, i < 2);
    EXPECT_EQ(own->options().gait.stance[i][1] > 0, i % 2 == 0);
    EXPECT_LT(own->options().gait.stance[i][2], -0.05);
  }
  EXPECT_DOUBLE_EQ(own->period(), 1 / 1600.0);  // Its shanks are light: see SampledFeedback.
  const size_t quiet = warnings.size();
  (void)robotOf("{type: pd, kp: 20, kd: 50, rate: 100}");
  ASSERT_EQ(warnings.size(), quiet + 1);
  EXPECT_THAT(warnings.back(), AllOf(HasSubstr("exceed twice the inertia"), HasSubstr("lf_knee")));
  EXPECT_THROW(robotOf("{type: trot, height: 0.5}"),
               LoadError);  // Out of reach.
  const dynamics::Robot held = robotOf("{type: pd, kp: {lf_hip: 3}, kd: 0, target: {lf_hip: 0.7}}");
  dynamics::ArticulatedWorkspace workspace(*held.model);
  dynamics::ControllerState state = startController(*held.controller, *held.model, held.start);
  sampleController(*held.controller, *held.model, held.start, workspace, state);
  const int dof = held.model->joint(held.model->findJoint("lf_hip")).v;
  EXPECT_DOUBLE_EQ(state.tau[dof], -3 * (0.2 - 0.7));
  EXPECT_DOUBLE_EQ(state.tau.norm(), 1.5);
}

TEST(Robots, ASceneHasABodyForEachLink) {
  const auto message = [](const std::string& joint) -> std::string {
    try {
      parseScene("robots:\n  - {name: p, urdf: robots/pendulum.urdf, joints: {" + joint + ": 1}}\n",
                 RIGOR_SOURCE_DIR "/scenes/s.yaml");
    } catch (const LoadError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(message("joint0"), "(accepted)");
  const sim::Scene scene =
      parseScene("robots:\n  - {name: p, urdf: robots/double-pendulum.urdf}\n", RIGOR_SOURCE_DIR "/scenes/s.yaml");
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[0].name, "p/world");
  EXPECT_TRUE(scene.bodies[0].fixed);
  EXPECT_EQ(scene.bodies[2].name, "p/rod1");
  EXPECT_FALSE(scene.bodies[2].fixed);
  EXPECT_EQ(scene.bodies[2].ignored, (std::vector<int>{0, 1}));
  ASSERT_EQ(scene.robots.size(), 1u);
  EXPECT_THAT(message("joint1"), HasSubstr("did you mean joint0?"));
}

}  // namespace
}  // namespace rigor::scenes
