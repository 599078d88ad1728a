// SPDX-License-Identifier: MIT
// Proves: which links of one robot file may collide. Oracle: what the formats' references say of trees, of static
// models and of contype, conaffinity, pair and exclude, worked out by hand for each file.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Reader {
  Folder folder;
  std::vector<std::string> warnings;

  dynamics::Robot read(const std::string& format, const std::string& text, const std::string& fields = "",
                       bool meets_planes = false) {
    folder.write("m." + format, text);
    warnings.clear();
    RobotContext context{folder.path(), 1, 0, {0, 0, -9.81}, &warnings};
    if (meets_planes) context.meets.clear();
    return readRobot(Value::parse(fmt::format("name: r\n{0}: m.{0}\n{1}", format, fields), "s.yaml"), context);
  }
  dynamics::Robot mjcf(const std::string& inside, const std::string& fields = "") {
    return read("mjcf", "<mujoco>" + inside + "</mujoco>", fields);
  }
};

/// All pairs that may collide, as `a b` in the order of the links.
std::set<std::string> pairsOf(const dynamics::Robot& robot) {
  std::set<std::string> pairs;
  for (int a = 0; a < robot.model->numLinks(); ++a)
    for (int b = a + 1; b < robot.model->numLinks(); ++b) {
      EXPECT_EQ(mayCollide(robot, a, b), mayCollide(robot, b, a));
      std::string first = robot.model->link(a).name, second = robot.model->link(b).name;
      if (first > second) std::swap(first, second);
      if (mayCollide(robot, a, b)) pairs.insert(first + ' ' + second);
    }
  return pairs;
}

std::string ball(const std::string& name, const std::string& joint, const std::string& inside = "") {
  return fmt::format("<body name=\"{}\">{}<geom size=\".1\"/>{}</body>", name, joint, inside);
}
const std::string kFree = "<freejoint/>", kHinge = "<joint axis=\"0 1 0\"/>",
                  kFloor = "<geom type=\"plane\" size=\"1 1 .1\"/>";
std::string world(const std::string& inside) { return "<worldbody>" + inside + "</worldbody>"; }

TEST(RobotTrees, FreeBodiesMeetTheFilesFloorAndEachOther) {
  Reader reader;
  const std::string file = world(kFloor + ball("a", kFree, ball("tip", kHinge)) + ball("b", kFree) + ball("post", ""));
  EXPECT_EQ(pairsOf(reader.mjcf(file)),
            (std::set<std::string>{"a b", "a post", "a world", "b post", "b tip", "b world", "post tip", "tip world"}));
  EXPECT_THAT(reader.warnings, IsEmpty());
  EXPECT_EQ(pairsOf(reader.mjcf(file, "ignore_collisions: [[a, world], [b, tip]]")),
            (std::set<std::string>{"a b", "a post", "b post", "b world", "post tip", "tip world"}));
}

TEST(RobotTrees, ABaseThatIsFixedToTheWorldIsOfItsTree) {
  Reader reader;
  const std::string arm =
      ball("base", "", ball("cover", "") + ball("upper", kHinge, ball("lower", kHinge, ball("hand", kHinge))));
  const std::string file = world(kFloor + arm + ball("table", "", ball("lamp", "")) + ball("cube", kFree));
  // The upper link hangs on the world by one joint, as its base does not move.
  const std::set<std::string> others{"base cube",  "cover cube", "cube hand",   "cube lamp",  "cube lower",
                                     "cube table", "cube upper", "cube world",  "hand lamp",  "hand table",
                                     "hand world", "lamp lower", "lower table", "lower world"};
  EXPECT_EQ(pairsOf(reader.mjcf(file)), others);
  EXPECT_THAT(reader.warnings, IsEmpty());
  std::set<std::string> all = others;
  all.insert({"base hand", "base lower", "cover hand", "cover lower", "hand upper"});
  EXPECT_EQ(pairsOf(reader.mjcf(file, "self_collision: true")), all);
}

TEST(RobotTrees, LinksThatJointsJoinToTheWorldAreNamed) {
  Reader reader;
  const std::string joints = "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>" + kHinge;
  const dynamics::Robot robot = reader.mjcf(world(kFloor + ball("torso", joints, ball("leg", kHinge))));
  EXPECT_EQ(pairsOf(robot), (std::set<std::string>{"leg world"}));
  EXPECT_THAT(reader.warnings, ElementsAre(HasSubstr("do not collide with what its file fixes there: torso")));
  (void)reader.mjcf(world(ball("torso", joints, ball("leg", kHinge))));
  EXPECT_THAT(reader.warnings, IsEmpty());
}

TEST(RobotTrees, GroundOnABaseIsTheWorlds) {
  Reader reader;
  const std::string ground = "<body name=\"ground\">" + kFloor + ball("a", kHinge, ball("b", kHinge)) + "</body>";
  EXPECT_EQ(pairsOf(reader.mjcf(world(ground))), (std::set<std::string>{"b ground"}));
}

TEST(RobotTrees, AUrdfFileIsOneTree) {
  Reader reader;
  const std::string ball = "<collision><geometry><sphere radius=\".1\"/></geometry></collision>";
  const std::string file =
      robotText(linkText("world", ball) + linkText("a", kInertial + ball) + linkText("b", kInertial + ball) +
                jointText("j", "continuous", "world", "a") + jointText("k", "continuous", "a", "b"));
  EXPECT_THAT(pairsOf(reader.read("urdf", file)), IsEmpty());
  EXPECT_EQ(pairsOf(reader.read("urdf", file, "self_collision: true")), (std::set<std::string>{"b world"}));
}

std::string sdfLink(const std::string& name, const std::string& shape = "<sphere><radius>.1</radius></sphere>") {
  return fmt::format(
      "<link name=\"{}\"><inertial><mass>1</mass></inertial><collision name=\"c\"><geometry>{}"
      "</geometry></collision></link>",
      name, shape);
}
std::string sdfHinge(const std::string& parent, const std::string& child) {
  return fmt::format(
      "<joint name=\"{0}_{1}\" type=\"revolute\"><parent>{0}</parent><child>{1}</child>"
      "<axis><xyz>0 1 0</xyz></axis></joint>",
      parent, child);
}

TEST(RobotTrees, StaticModelsOfSdfAreTheWorlds) {
  Reader reader;
  const std::string plane = "<plane><normal>0 0 1</normal></plane>";
  const std::string stands = "<static>true</static>";
  const std::string file =
      "<sdf version=\"1.7\"><world name=\"w\"><model name=\"floor\">" + stands + sdfLink("l", plane) +
      "</model><model name=\"table\">" + stands + sdfLink("top") + "</model><model name=\"arm\">" + sdfLink("base") +
      sdfLink("upper") + sdfLink("lower") + sdfHinge("base", "upper") + sdfHinge("upper", "lower") +
      "<joint name=\"foot\" type=\"fixed\"><parent>world</parent><child>base</child></joint></model>"
      "<model name=\"cube\">" +
      sdfLink("l") + "</model></world></sdf>";
  EXPECT_EQ(
      pairsOf(reader.read("sdf", file)),
      (std::set<std::string>{"arm::base cube::l", "arm::lower cube::l", "arm::lower floor::l", "arm::lower table::top",
                             "arm::upper cube::l", "cube::l floor::l", "cube::l table::top"}));
  // A static model with joints is the base of what they move.
  const std::string mechanism = "<sdf version=\"1.7\"><model name=\"m\">" + stands + sdfLink("base") + sdfLink("a") +
                                sdfLink("b") + sdfHinge("base", "a") + sdfHinge("a", "b") + "</model></sdf>";
  EXPECT_THAT(pairsOf(reader.read("sdf", mechanism)), IsEmpty());
}

std::string masked(const std::string& name, const std::string& geoms) {
  return fmt::format("<body name=\"{}\">{}{}</body>", name, kFree, geoms);
}
std::string geom(const std::string& attributes) { return "<geom size=\".1\" " + attributes + "/>"; }

TEST(RobotTrees, MasksSayWhichGeomsMeet) {
  Reader reader;
  const dynamics::Robot robot = reader.mjcf(
      "<default><geom contype=\"0\" conaffinity=\"0\"/><default class=\"c\"><geom contype=\"1\"/>"
      "<default class=\"l\"><geom contype=\"2\" conaffinity=\"4\"/></default>"
      "<default class=\"r\"><geom contype=\"4\" conaffinity=\"2\"/></default></default></default>" +
      world("<geom name=\"floor\" type=\"plane\" size=\"0 0 .1\" conaffinity=\"15\"/>" +
            masked("pelvis", geom("class=\"c\"")) + masked("left", geom("class=\"l\"") + geom("")) +
            masked("left2", geom("class=\"l\"")) + masked("right", geom("class=\"r\"")) +
            masked("all", geom("contype=\"-1\" conaffinity=\"-1\"")) + masked("seen", geom("mass=\"1\""))));
  // Who has 1 meets the floor and what meets 1: nobody else but `all`. Left meets right, not left.
  EXPECT_EQ(pairsOf(robot),
            (std::set<std::string>{"all left", "all left2", "all pelvis", "all right", "all world", "left right",
                                   "left world", "left2 right", "left2 world", "pelvis world", "right world",
                                   // Without shapes they meet nothing, whatever the pair.
                                   "all seen", "left seen", "left2 seen", "pelvis seen", "right seen", "seen world"}));
  EXPECT_TRUE(robot.shapes[static_cast<size_t>(robot.model->findLink("seen"))].empty());
  EXPECT_EQ(robot.shapes[static_cast<size_t>(robot.model->findLink("left"))].size(), 1u);
  EXPECT_THAT(reader.warnings, Each(Not(HasSubstr("contype"))));
}

TEST(RobotTrees, BodiesOfSeveralMasksMeetWhatAnyOfThemMeets) {
  Reader reader;
  const std::string mixed = masked("mixed", geom("") + geom("contype=\"2\" conaffinity=\"2\""));
  const dynamics::Robot robot =
      reader.mjcf(world(mixed + masked("one", geom("")) + masked("four", geom("contype=\"4\" conaffinity=\"4\""))));
  EXPECT_EQ(pairsOf(robot), (std::set<std::string>{"mixed one"}));
  EXPECT_THAT(reader.warnings, ElementsAre(AllOf(HasSubstr("contype and conaffinity"), HasSubstr(": mixed"))));
  // Where every geom meets the other nothing is lost.
  (void)reader.mjcf(world(mixed + masked("all", geom("contype=\"3\" conaffinity=\"3\""))));
  EXPECT_THAT(reader.warnings, IsEmpty());
}

TEST(RobotTrees, PairsAndExcludes) {
  Reader reader;
  const std::string none = "contype=\"2\" conaffinity=\"0\"";
  const std::string bodies =
      world(kFloor + masked("a", geom("name=\"ga\" " + none)) + masked("b", geom("name=\"gb\" " + none)) +
            masked("c", geom("")) + masked("e", geom("name=\"ge\" contype=\"0\" conaffinity=\"0\" mass=\"1\"")));
  EXPECT_THAT(pairsOf(reader.mjcf(bodies)), Not(Contains("a b")));
  const std::string contact =
      "<contact><pair geom1=\"ga\" geom2=\"gb\"/><pair name=\"p\" geom1=\"ga\" geom2=\"ge\"/>"
      "<exclude body1=\"b\" body2=\"a\"/><exclude body1=\"world\" body2=\"c\"/></contact>";
  const std::set<std::string> pairs = pairsOf(reader.mjcf(bodies + contact));
  EXPECT_THAT(pairs, Contains("a b"));  // As the format has it, an exclude is not of pairs that are named.
  EXPECT_THAT(pairs, Not(Contains("c world")));
  EXPECT_THAT(reader.warnings, Contains(HasSubstr("contact pair p of ga and ge: of a geom for the eye alone")));
  EXPECT_THAT(refusalBy([&] { (void)reader.mjcf(bodies + "<contact><pair geom1=\"ga\" geom2=\"x\"/></contact>"); }),
              HasSubstr("geom2"));
  EXPECT_THAT(refusalBy([&] { (void)reader.mjcf(world(masked("a", geom("contype=\"1.5\"")))); }),
              HasSubstr("a whole number of 32 bits"));
}

TEST(RobotTrees, CylindersAreRoundWhereTheyMeetHalfSpacesAlone) {
  Reader reader;
  const std::string cylinder = "<body name=\"c\">" + kFree + "<geom type=\"cylinder\" size=\".1 .1\"/></body>";
  const auto isRound = [&](const std::string& others) {
    const dynamics::Robot robot =
        reader.read("mjcf", "<mujoco>" + world(kFloor + cylinder + others) + "</mujoco>", "", true);
    const auto& shapes = robot.shapes[static_cast<size_t>(robot.model->findLink("c"))];
    return std::get<geom::Polytope>(shapes[0]).round() != nullptr;
  };
  EXPECT_TRUE(isRound(""));
  EXPECT_FALSE(isRound(ball("b", kFree)));
  EXPECT_FALSE(isRound(ball("post", "")));
}

}  // namespace
}  // namespace rigor::scenes
