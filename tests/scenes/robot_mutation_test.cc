// SPDX-License-Identifier: MIT
// Proves: robot files with any defect are read or refused with a place; nothing else happens. Oracle: the invariants of
// what is accepted (finite state, positive mass, a tree) over thousands of files damaged at random: bytes, tags,
// numbers, attributes.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dynamics/forward_dynamics.h"
#include "dynamics/kinematics.h"
#include "scenes/model_reader.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

const char* const kUrdf = R"(<?xml version="1.0"?>
<robot name="r"><link name="base"><inertial><origin xyz="0 0 0.1" rpy="0 0.1 0"/><mass value="2"/>
<inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.1"/></inertial>
<collision><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></collision><collision><geometry>
<sphere radius="0.5"/></geometry></collision></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
</inertial><collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision></link>
<link name="tip"><collision><geometry><mesh filename="t.obj" scale="1 1 -1"/></geometry></collision></link>
<link name="second"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
</inertial><collision><geometry><capsule radius="0.1" length="0.2"/></geometry></collision></link>
<joint name="j" type="revolute"><origin xyz="0 1 0" rpy="0 0 1"/><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/><dynamics damping="0.1" friction="0"/></joint>
<joint name="f" type="fixed"><parent link="arm"/><child link="tip"/></joint>
<joint name="k" type="prismatic"><parent link="base"/><child link="second"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>
)";
const char* const kMjcf =
    R"(<mujoco model="m"><compiler angle="radian" meshdir="."/><default><geom density="100"/><default class="c">
<joint damping="1" range="-1 1"/></default></default>
<asset><mesh name="t" file="t.obj"/></asset><worldbody><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1" childclass="c"><freejoint/><geom type="box" size="0.1 0.2 0.3"/>
<body name="b" pos="0 0 1" euler="0 0.3 0"><joint name="h" axis="0 1 0" pos="0 0 0.1" stiffness="2"/>
<joint name="s" type="slide"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
<body name="d"><joint name="w" type="ball"/><geom type="mesh" mesh="t"/>
<inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/></body></body><frame pos="0 0 1"><replicate count="3"
sep="-" offset="1 0 0" euler="0 0 10"><body name="r"><joint name="t"/><geom size="0.1"/><site name="u"/>
</body></replicate>
</frame></body></worldbody>
<actuator><motor joint="h" ctrlrange="-1 1" gear="2"/></actuator><contact><exclude body1="a" body2="d"/></contact>
<keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2 1 0 0 0 0 0 0"/></keyframe></mujoco>
)";
const char* const kSdf =
    R"(<sdf version="1.7"><model name="m"><pose>0 0 1 0 0 0</pose><frame name="f" attached_to="a">
<pose>0 0 1 0 0 0.1</pose></frame>
<link name="a"><inertial><mass>2</mass><inertia><ixx>0.2</ixx><iyy>0.2</iyy><izz>0.1</izz><ixy>0</ixy></inertia>
</inertial><collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision></link>
<link name="b"><pose relative_to="f">0 0 1 0 0.1 0</pose><inertial><mass>1</mass></inertial><collision name="c">
<pose>0 0 1 0 0 0</pose><geometry><mesh><uri>model://x/t.obj</uri><scale>1 1 2</scale></mesh></geometry></collision>
</link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><pose>0 0 0.1 0 0 0</pose><axis>
<xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit><dynamics>
<damping>0.1</damping></dynamics></axis></joint>
<model name="n"><pose relative_to="b">0 0 1 0 0 0</pose><link name="c"><inertial><mass>1</mass></inertial>
</link></model>
<joint name="k" type="revolute"><parent>b</parent><child>n::c</child><axis><mimic joint="j"><multiplier>2</multiplier>
</mimic></axis></joint></model></sdf>
)";

/// Damages a text in one to three places.
std::string mutated(std::string text, std::mt19937& random) {
  const auto upTo = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  static const char* const kWords[] = {
      "nan", "-1",    "0",  "1e300", "1e-300", "",     "x",     "<",    ">", "\"",   "/>",
      "inf", "0 0 0", "-0", "1,5",   "&lt;",   "<!--", "world", "base", "j", "${x}", "999999999999999999999"};
  for (size_t times = 1 + upTo(3); times > 0 && !text.empty(); --times) {
    const size_t at = upTo(text.size());
    switch (upTo(6)) {
      case 0: text[at] = static_cast<char>(upTo(256)); break;
      case 1: text.erase(at, 1 + upTo(40)); break;
      case 2: text.insert(at, kWords[upTo(std::size(kWords))]); break;
      case 3: text.insert(at, text.substr(upTo(text.size()), upTo(200))); break;
      default: {  // A whole value: between two quotes, or two tags.
        const char quote = text.find('"', at) < text.find('>', at) ? '"' : '>';
        const size_t first = text.find(quote, at),
                     last = text.find(quote == '"' ? '"' : '<', first == std::string::npos ? at : first + 1);
        if (first == std::string::npos || last == std::string::npos) break;
        text.replace(first + 1, last - first - 1, kWords[upTo(std::size(kWords))]);
      }
    }
  }
  return text;
}

class MutatedRobots : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(MutatedRobots, AreReadOrRefusedWithAPlace) {
  const auto& [format, original] = GetParam();
  const Folder folder;
  folder.write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  std::mt19937 random(7);
  int accepted = 0, refused = 0;
  for (int run = 0; run < 800; ++run) {
    const std::string text = run == 0 ? original : mutated(original, random);
    const std::string path = folder.write("m.xml", text);
    std::vector<std::string> warnings;
    try {
      const RobotModel robot =
          makeRobotModel(readModelFile(path, format, warnings), run % 2 ? RobotBase::kAuto : RobotBase::kFixed, {});
      const dynamics::ArticulatedModel& model = *robot.model;
      ++accepted;
      ASSERT_TRUE(robot.start.q.allFinite()) << text;
      ASSERT_EQ(static_cast<int>(robot.shapes.size()), model.numLinks());
      dynamics::ArticulatedWorkspace workspace(model);
      dynamics::calcKinematics(model, robot.start, workspace);
      for (int l = 0; l < model.numLinks(); ++l)
        ASSERT_TRUE(dynamics::linkPose(model, workspace, l).p.allFinite()) << text;
    } catch (const LoadError& error) {
      ++refused;
      ASSERT_GE(error.position.line, 1);
      ASSERT_NE(std::string(error.what()).find("m.xml:"), std::string::npos) << error.what();
    }
    if (run == 0) { ASSERT_EQ(accepted, 1) << "the file itself"; }
  }
  EXPECT_GT(accepted, 30);
  EXPECT_GT(refused, 150);
}

INSTANTIATE_TEST_SUITE_P(Formats, MutatedRobots,
                         ::testing::Values(std::pair{"urdf", kUrdf}, std::pair{"mjcf", kMjcf}, std::pair{"sdf", kSdf}),
                         [](const auto& kind) { return std::string(kind.param.first); });

}  // namespace
}  // namespace rigor::scenes
