// SPDX-License-Identifier: MIT
// Proves: a robot of which no mechanism, start or controller can be made ends `rigor run` with exit code 3, nothing on
// stdout, no record, and a message that names file, line and element. Oracle: the place and name of the mistake,
// written beside each input by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace rigor::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kInertial =
    "<inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"2\"/><inertia ixx=\"0.2\" ixy=\"0\" ixz=\"0\" iyy=\"0.2\" "
    "iyz=\"0\" "
    "izz=\"0.01\"/></inertial>";

std::string link(const std::string& name, const std::string& inside = kInertial) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& type = "continuous", const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><axis xyz=\"0 1 0\"/>" + inside + "</joint>\n";
}
std::string inertial(const std::string& mass, const std::string& xx, const std::string& zz) {
  return "<inertial><mass value=\"" + mass + "\"/><inertia ixx=\"" + xx + "\" ixy=\"0\" ixz=\"0\" iyy=\"" + xx +
         "\" iyz=\"0\" izz=\"" + zz + "\"/></inertial>";
}
std::string mesh(const std::string& file) {
  return kInertial + "<collision><geometry><mesh filename=\"" + file + "\"/></geometry></collision>";
}

class RobotInput : public ::testing::Test {
 protected:
  /// Lines of the URDF: 1 <robot>, 2 world, 3 on: `parts`. Lines of the scene: 3 urdf, 4 on: `fields`, indented by
  /// four.
  ProgramResult run(const std::string& parts, const std::string& fields = "", const std::string& command = "run") {
    folder_.write("r.urdf", "<robot name=\"r\">\n<link name=\"world\"/>\n" + parts + "</robot>\n");
    folder_.write("s.yaml", "robots:\n  - name: arm\n    urdf: r.urdf\n" + fields);
    return folder_.run({command, "s.yaml", "-o", "r.rigor", "--until", "0.01"});
  }
  void refused(const ProgramResult& result, const std::string& place, const std::string& what) {
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, AllOf(StartsWith(place), HasSubstr(what)));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "r.rigor"));
  }
  ProgramFolder folder_;
};

TEST_F(RobotInput, MechanismsThatAreNone) {
  folder_.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
  folder_.write("empty.obj", "");
  const std::string arm = link("arm"), hinge = joint("hinge", "world", "arm");
  const struct {
    const char* name;
    std::string parts;
    const char* place;
    const char* what;
  } cases[] = {
      {"a link with two joints", arm + hinge + joint("again", "world", "arm"), "r.urdf:5:1",
       "joint again: link arm hangs on joint hinge"},
      {"a closed loop", arm + hinge + joint("again", "arm", "world"), "r.urdf:5:1",
       "joint again: closes a loop through link world"},
      {"a child that is missing", arm + joint("hinge", "world", "leg"), "r.urdf:4:1",
       "joint hinge: no link is called leg"},
      {"a parent that is missing", arm + joint("hinge", "trunk", "arm"), "r.urdf:4:1", "hinge"},
      {"a link that hangs on nothing", arm + link("leg") + hinge, "r.urdf:", "root"},
      {"no mass", link("arm", inertial("0", "1", "1")) + hinge, "r.urdf:1:1", "none of its 2 links has a mass"},
      {"a negative mass", link("arm", inertial("-1", "1", "1")) + hinge, "r.urdf:3:", "link arm: mass is -1"},
      {"no inertia", link("arm", inertial("1", "0", "0")) + hinge, "r.urdf:4:1",
       "joint hinge: what it moves has no mass or inertia"},
      {"an inertia that no body has", link("arm", inertial("1", "1", "4")) + hinge, "r.urdf:3:1",
       "link arm: principal moments 1, 1, 4"},
      {"an inertia that is no number", link("arm", inertial("1", "nan", "1")) + hinge,
       "r.urdf:3:", "inertia ixx is nan"},
      {"a link that weighs nothing", link("arm", "") + hinge, "r.urdf:1:1", "none of its 2 links has a mass"},
      {"limits the wrong way",
       arm + joint("hinge", "world", "arm", "revolute", "<limit lower=\"1\" upper=\"0\" effort=\"1\" velocity=\"1\"/>"),
       "r.urdf:4:", "joint hinge: lower limit 1 above the upper one, 0"},
      {"a speed that is no number",
       arm + joint("hinge", "world", "arm", "continuous", "<limit effort=\"1\" velocity=\"nan\"/>"),
       "r.urdf:4:", "limit velocity is nan"},
      {"a mass without measure", link("arm", inertial("1e101", "1", "1")) + hinge, "r.urdf:3:", "mass value is 1e101"},
      {"a flattened mesh",
       link("arm",
            kInertial + "<collision><geometry><mesh filename=\"flat.obj\" scale=\"1 1 0\"/></geometry></collision>") +
           hinge,
       "urdf: r.urdf:3:", "mesh scale is 1 1 0"},
      {"no mesh", link("arm", mesh("no.obj")) + hinge, "r.urdf:3:", "no.obj"},
      {"a mesh without volume", link("arm", mesh("flat.obj")) + hinge,
       "r.urdf:3:", "flat.obj: all points lie in a plane"},
      {"a mesh without vertices", link("arm", mesh("empty.obj")) + hinge, "r.urdf:3:", "empty.obj"},
  };
  for (const auto& [name, parts, place, what] : cases) {
    SCOPED_TRACE(name);
    const ProgramResult result = run(parts);
    refused(result, "s.yaml:3:11: urdf: ", what);
    EXPECT_THAT(result.err, HasSubstr(place));
  }
}

TEST_F(RobotInput, InfoPrintsWhatAFileHolds) {
  run(link("arm") + link("hand") +
      joint("hinge", "world", "arm", "revolute", "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"0\"/>") +
      joint("grip", "arm", "hand", "continuous", ""));
  const ProgramResult text = folder_.run({"info", "r.urdf"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("4 kg of 3 links"), HasSubstr("world -> arm  limits -1 .. 2  effort 3")));
  EXPECT_THAT(text.err, HasSubstr("none of its 3 links has a collision shape"));
  const ProgramResult as_json = folder_.run({"info", "r.urdf", "--json"});
  EXPECT_EQ(as_json.code, 0);
  EXPECT_THAT(as_json.out, AllOf(StartsWith("{\"model\":\"r\",\"format\":\"urdf\""), HasSubstr("\"velocities\":2,")));
  EXPECT_EQ(std::count(as_json.out.begin(), as_json.out.end(), '\n'), 1);
  folder_.write("bad.urdf", "<robot name=\"r\">\n<link/></robot>");
  const ProgramResult bad = folder_.run({"info", "bad.urdf"});
  EXPECT_EQ(bad.code, 3);
  EXPECT_THAT(bad.err, HasSubstr("bad.urdf:2:1: a link without a name"));
  const ProgramResult missing = folder_.run({"info", "nofile.urdf"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("nofile.urdf:1:1: the file cannot be read (No such file or directory); a URDF"));
}

TEST_F(RobotInput, InfoNamesShapesLoopsKeyframesAndExclusions) {
  folder_.write("m.xml", R"(<mujoco model="m"><worldbody><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0"/><geom type="box" size=".1 .2 .3"/>
<geom type="sphere" size=".1"/><geom type="sphere" size=".2" pos="1 0 0"/>
<body name="b" pos="0 0 1"><joint name="jb" axis="0 1 0"/><geom type="cylinder" size=".1 .2"/></body></body>
</worldbody><equality><connect name="shut" body1="b" anchor="0 0 0"/></equality>
<contact><exclude body1="a" body2="b"/></contact>
<keyframe><key name="home" qpos="0.5 -0.25"/></keyframe></mujoco>)");
  const ProgramResult text = folder_.run({"info", "m.xml"});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"3 parts, 208 vertices: box, sphere (round) x 2\n", "vertices: cylinder (round)\n",
                           ": plane\n", "\nloops\n  shut ", " point      b - (world)\n", "\nkeyframes\n  home ",
                           "2 joints", "\nlinks that never collide\n  a - b\n"})
    EXPECT_THAT(text.out, HasSubstr(part));
  const ProgramResult as_json = folder_.run({"info", "m.xml", "--json"});
  for (const char* part : {R"({"kind":"box","round":false,"vertices":8,)", R"({"kind":"plane","halfspace":true})",
                           R"("loops":[{"name":"shut","type":"point","link_a":"b","link_b":null}])",
                           R"("keyframes":{"home":{"ja":[0.5],"jb":[-0.25]}})", R"("excluded":[["a","b"]])"})
    EXPECT_THAT(as_json.out, HasSubstr(part));
  folder_.write("m.urdf", "<robot name=\"r\">" + link("world", "") + link("arm") +
                              joint("hinge", "world", "arm", "continuous", "<limit effort=\"3\" velocity=\"4\"/>") +
                              "</robot>");
  EXPECT_THAT(folder_.run({"info", "m.urdf"}).out, HasSubstr("effort 3  velocity 4\n"));
  EXPECT_THAT(folder_.run({"info", "m.urdf", "--json"}).out, HasSubstr(R"("keyframes":{},"excluded":[],)"));
}

TEST_F(RobotInput, WheelsThatHaveFacetsAreNamedWithTheReason) {
  const auto cylinder = [](const std::string& turned) {
    return inertial("1", "0.1", "0.1") + "<collision><origin rpy=\"" + turned +
           "\"/><geometry><cylinder radius=\"0.1\" length=\"0.05\"/></geometry></collision>";
  };
  const std::string left = "<origin xyz=\"0 1 0\"/>", right = "<origin xyz=\"0 -1 0\"/>";
  // A wheel, one on a bracket of its own, a leg across its joint.
  folder_.write("r.urdf", "<robot name=\"r\">" + link("base", inertial("1", "0.1", "0.1")) +
                              link("wheel", cylinder("1.5708 0 0")) +
                              joint("axle", "base", "wheel", "continuous", left) +
                              link("hub", "") +
                              joint("axle2", "base", "hub", "continuous", right) + link("rim", cylinder("1.5708 0 0")) +
                              joint("rigid", "hub", "rim", "fixed") + link("leg", cylinder("0 0 0")) +
                              joint("hip", "base", "leg") + "</robot>");
  const std::string floor = "bodies:\n  - {name: floor, fixed: true, shape: {halfspace: {}}}\n",
                    box = "  - {name: crate, shape: {box: {size: [1, 1, 1]}}, position: [9, 9, 9], mass: 1}\n",
                    robot = "robots:\n  - {name: cart, urdf: r.urdf, position: [0, 0, 3]";
  const auto warned = [&](const std::string& bodies, const std::string& fields) {
    folder_.write("s.yaml", bodies + robot + fields + "}\n");
    const ProgramResult result = folder_.run({"run", "s.yaml", "-o", "r.rigor", "--until", "0.01", "--force"});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  const std::string names = "robot cart: cylinders of wheel, rim have 32 sides, since ";
  EXPECT_THAT(warned(floor, ""), ::testing::Not(HasSubstr("sides")));
  EXPECT_THAT(warned(floor + box, ""), HasSubstr(names + "it may meet body 'crate', no half-space; "));
  EXPECT_THAT(warned(floor + box, ""), HasSubstr("s.yaml:5:5: "));
  EXPECT_THAT(warned(floor, ", self_collision: true"), HasSubstr(names + "its links may touch each other; "));
  EXPECT_THAT(warned(floor + box, ", facets: {sides: 64}"), ::testing::Not(HasSubstr("sides")));
  folder_.write("r.urdf", "<robot name=\"r\">" + link("can", cylinder("0 0 0")) + "</robot>");
  EXPECT_THAT(warned(floor + box, ""), HasSubstr("cylinders of can have 32 sides"));
  EXPECT_THAT(warned(floor + box, ", base: fixed"), ::testing::Not(HasSubstr("sides")));
}

TEST_F(RobotInput, StartsAndControllersThatDoNotFit) {
  const std::string limits = "<limit lower=\"0.5\" upper=\"1\" effort=\"1\" velocity=\"1\"/>";
  const std::string arm = link("arm") + joint("hinge", "world", "arm", "revolute", limits);
  folder_.write("nan.csv", "time,hinge\n0,1\n1,nan\n");
  folder_.write("short.csv", "time,hinge\n0,1\n1\n");
  folder_.write("wide.csv", "time,hinge\n0,1,2\n");
  folder_.write("names.csv", "time,hing\n0,1\n");
  folder_.write("back.csv", "time,hinge\n1,1\n0,1\n");
  folder_.write("empty.csv", "");
  folder_.write("zeros.csv", std::string(100, '\0'));
  const std::string start = "    joints: {hinge: 0.7}\n", script = start + "    controller: {type: script, file: ";
  const struct {
    std::string fields;
    const char* place;
    const char* what;
  } cases[] = {
      {"", "s.yaml:2:5: ", "joint hinge starts at 0, outside its limits"},
      {"    joints: {hinge: 1.0001}\n",
       "s.yaml:4:21: ", "joint hinge starts at 1.0001, outside its limits; joints: {hinge: a number from 0.5 to 1}"},
      {"    joints: {hinge: .nan}\n", "s.yaml:4:21: ", "hinge"},
      {"    joints: {hing: 0.7}\n", "s.yaml:4:14: ", "no joint that moves is called hing; did you mean hinge?"},
      {start + "    joint_velocities: {hing: 0.7}\n", "s.yaml:5:24: ", "did you mean hinge?"},
      {start + "    controller: {type: pd, kp: {hing: 1}}\n", "s.yaml:5:39: ", "did you mean hinge?"},
      {start + "    limit_restitution: {hing: 0.5}\n",
       "s.yaml:5:25: ", "no joint with limits is called hing; did you mean hinge?"},
      {start + "    limit_restitution: 2\n", "s.yaml:5:24: ", "limit_restitution is 2"},
      {script + "nan.csv}\n", "s.yaml:5:38: controller file: nan.csv:3:3: ", "found nan"},
      {script + "short.csv}\n", "s.yaml:5:38: controller file: short.csv:3:1: ", "a row of 1; 2 numbers"},
      {script + "wide.csv}\n", "s.yaml:5:38: controller file: wide.csv:2:1: ", "a row of 3; 2 numbers"},
      {script + "names.csv}\n", "s.yaml:5:38: controller file: names.csv:1:6: ", "did you mean hinge?"},
      {script + "back.csv}\n", "s.yaml:5:38: controller file: back.csv:3:1: ", "times that ascend"},
      {script + "empty.csv}\n", "s.yaml:5:38: controller file: empty.csv:1:1: ", "no rows"},
      {script + "zeros.csv}\n", "s.yaml:5:38: controller file: zeros.csv:1:1: ", "binary data; a CSV file"},
      {script + "no.csv}\n", "s.yaml:5:38: controller file: no.csv:1:1: ", "cannot be read"},
  };
  for (const auto& [fields, place, what] : cases) {
    SCOPED_TRACE(fields);
    refused(run(arm, fields), place, what);
  }
  EXPECT_EQ(run(arm, start).code, 0);  // The same file is good.
}

TEST_F(RobotInput, JointsThatFollowOthersAreNamedWithThem) {
  const std::string limits = "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>";
  const std::string arm = link("arm") + joint("hinge", "world", "arm", "revolute", limits) + link("hand") +
                          joint("wrist", "arm", "hand", "revolute", limits + "<mimic joint=\"hinge\"/>");
  folder_.write("wrist.csv", "time,wrist\n0,1\n");
  const struct {
    const char *fields, *place, *where;
  } cases[] = {
      {"joints: {wrist: 0.7}", "s.yaml:4:14: ", "joints"},
      {"joint_velocities: {wrist: 0.7}", "s.yaml:4:24: ", "joint_velocities"},
      {"limit_restitution: {wrist: 0.7}", "s.yaml:4:25: ", "limit_restitution"},
      {"controller: {type: pd, kp: {wrist: 1}}", "s.yaml:4:40: ", "controller.kp.wrist"},
      {"controller: {type: pd, target: {wrist: 1}}", "s.yaml:4:44: ", "controller.target.wrist"},
  };
  const std::string leader = "the joint that it follows";
  for (const auto& [fields, place, where] : cases)
    refused(run(arm, "    " + std::string(fields) + "\n"), place + ("robots[0]." + std::string(where)),
            ": joint wrist follows joint hinge; " + leader);
  refused(run(arm, "    controller: {type: script, file: wrist.csv}\n"),
          "s.yaml:4:38: controller file: wrist.csv:1:6: ",
          "the column wrist, a joint that follows another; " + leader + ", hinge");
}

TEST_F(RobotInput, PropagativeRefusesSeveralRestitutions) {
  const std::string limits = "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>";
  folder_.write("r.urdf",
                "<robot name=\"r\">\n<link name=\"world\"/>\n" +
                    link("arm", kInertial + "<collision><geometry><box size=\"0.2 0.2 0.2\"/></geometry></collision>") +
                    joint("hinge", "world", "arm", "revolute", limits) + "</robot>\n");
  folder_.write(
      "s.yaml",
      "contact: {restitution: 0.5}\nbodies:\n  - {name: ground, fixed: true, shape: {halfspace: {offset: -3}}}\n"
      "robots:\n  - {name: arm, urdf: r.urdf}\n");
  for (const char* command : {"run", "explore"}) {
    refused(folder_.run({command, "s.yaml", "-o", "r.rigor", "--impact", "propagative"}), "s.yaml:1:1: ",
            "the contact of 'ground' and 'arm/arm' has 0.5 and the limit of joint 'arm/hinge' has 0");
    EXPECT_EQ(folder_.run({command, "s.yaml", "-o", command + std::string(".rigor"), "--until", "0.01"}).code,
              0);  // Other models take them.
  }
}

TEST_F(RobotInput, ARobotInsideTheGroundIsNamedWithItsDepth) {
  folder_.write(
      "box.urdf",
      "<robot name=\"box\">\n" +
          link("body", kInertial + "<collision><geometry><box size=\"0.2 0.2 0.2\"/></geometry></collision>") +
          "</robot>\n");
  folder_.write("s.yaml",
                "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n"
                "robots:\n  - {name: dog, urdf: box.urdf, position: [0, 0, 0.07]}\n");
  for (const char* command : {"run", "explore"})
    refused(folder_.run({command, "s.yaml", "-o", "r.rigor"}), "s.yaml:4:5: ",
            "bodies 'ground' and 'dog/body' overlap at the start by 0.03 m");
}

}  // namespace
}  // namespace rigor::cli
