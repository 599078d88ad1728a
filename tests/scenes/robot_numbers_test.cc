// SPDX-License-Identifier: MIT
// Proves: numbers of robot files that no double holds are refused where they stand, in every format; what would need
// memory without end is refused before it is made. Oracle: decimal notation: 1e400 > 1e308, and so is 1 with 400 zeros.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/model_reader.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// What a robot file is refused with; the model's name tells its format.
std::string refusalOfRobot(const std::string& name, const std::string& text) {
  const Folder folder;
  const std::string path = folder.write(name, text);
  return refusalBy([&] {
    std::vector<std::string> warnings;
    (void)makeRobotModel(readModelFile(path, robotFormat(path), warnings, {}, {}), RobotBase::kAuto, {});
  });
}

TEST(RobotNumbers, ThatNoDoubleHoldsAreRefusedInEveryFormat) {
  const std::string huge = "1" + std::string(400, '0'), tiny = "0." + std::string(400, '0') + "1";
  for (const std::string& number : {std::string("1e400"), std::string("-1e400"), std::string("1E+99999999999999999999"),
                                    huge, huge + "e-10", std::string("1e101")}) {
    SCOPED_TRACE(number);
    const auto urdf = [&](const std::string& mass, const std::string& origin, const std::string& damping,
                          const std::string& axis) {
      return refusalOfRobot(
          "r.urdf", "<robot name=\"r\"><link name=\"world\"/><link name=\"a\"><inertial><origin xyz=\"" + origin +
                        "\"/>\n<mass value=\"" + mass +
                        "\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent "
                        "link=\"world\"/><child link=\"a\"/><axis xyz=\"" +
                        axis + "\"/>\n<dynamics damping=\"" + damping + "\"/></joint></robot>");
    };
    EXPECT_EQ(urdf("1", "0 0 1", "0", "0 1 0"), "(accepted)");
    EXPECT_THAT(urdf(number, "0 0 1", "0", "0 1 0"),
                AllOf(HasSubstr("r.urdf:2:7: mass value is "), HasSubstr("1e100")));
    EXPECT_THAT(urdf("1", "0 0 " + number, "0", "0 1 0"), AllOf(HasSubstr("r.urdf:1:"), HasSubstr("1e100")));
    EXPECT_THAT(urdf("1", "0 0 1", number, "0 1 0"), AllOf(HasSubstr("r.urdf:3:11: dynamics damping is ")));
    EXPECT_THAT(urdf("1", "0 0 1", "0", "0 " + number + " 0"), HasSubstr("1e100"));
    EXPECT_THAT(refusalOfRobot(
                    "r.xml", "<mujoco><worldbody><body>\n<geom size=\"" + number + "\"/></body></worldbody></mujoco>"),
                AllOf(HasSubstr("r.xml:2:7: geom size is "), HasSubstr("1e100")));
    EXPECT_THAT(refusalOfRobot("r.sdf", "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"><inertial>\n<mass>" +
                                            number + "</mass></inertial></link></model></sdf>"),
                AllOf(HasSubstr("r.sdf:2:1: mass"), HasSubstr("1e100")));
  }
  for (const std::string& number :
       {std::string("1e-400"), std::string("-1e-400"), tiny, tiny + "e10", std::string("1e-99999999999999999999")}) {
    SCOPED_TRACE(number);
    EXPECT_THAT(refusalOfRobot("r.urdf", "<robot name=\"r\"><link name=\"a\"><inertial>\n<mass value=\"" + number +
                                             "\"/></inertial></link></robot>"),
                AllOf(HasSubstr("r.urdf:2:7: mass value is "), HasSubstr("close to it")));
  }
}

TEST(RobotNumbers, HeightFieldsThatAreTooLargeAreRefusedBeforeTheyAreMade) {
  for (const auto& [rows, columns] :
       {std::pair{"1000000", "1000000"}, {"1e100", "2"}, {"2", "-5"}, {"1", "9"}, {"2.5", "4"}, {"1001", "1000"}})
    EXPECT_THAT(
        refusalOfRobot("r.xml", "<mujoco><asset>\n <hfield name=\"h\" size=\"1 1 1 1\" nrow=\"" + std::string(rows) +
                                    "\" ncol=\"" + columns + "\"/></asset><worldbody><body/></worldbody></mujoco>"),
        AllOf(HasSubstr("r.xml:2:2: height field h of "), HasSubstr("at most 1000000 in all")))
        << rows;
}

}  // namespace
}  // namespace rigor::scenes
