// SPDX-License-Identifier: MIT
// Proves: robots that once stopped the simulator (links out of step with their bodies; a jump of velocity that contacts
// ask for whatever the step) run to their end and are proved. Oracle: the verifier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace rigor::cli {
namespace {

std::string solid(double mass, const std::string& inertia, const std::string& centre, const std::string& more = "") {
  return "<inertial><origin xyz=\"" + centre + "\"/><mass value=\"" + std::to_string(mass) + "\"/><inertia " + inertia +
         " ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>" + more;
}
std::string hinge(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside, const std::string& type = "continuous") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + inside + "</joint>\n";
}
std::string linkOf(const std::string& name, const std::string& inside) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}

void expectProved(const ProgramFolder& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> run{"run", "s.yaml", "-o", "r.rigor", "--force", "--json"};
  run.insert(run.end(), arguments.begin(), arguments.end());
  const ProgramResult result = folder.run(run);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("\"status\":\"done\""));
  EXPECT_EQ(folder.run({"verify", "r.rigor"}).code, 0);
}

TEST(RobotRuns, ALinkFixedToTheBaseMayStandBetweenLinksThatMove) {
  const ProgramFolder folder;
  const std::string inertia = "ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\"", axis = "<axis xyz=\"0 1 0\"/>",
                    own = solid(1, inertia, "0.1 0 0");
  folder.write("r.urdf", "<robot name=\"r\">\n" + linkOf("base", own) + linkOf("b", own) +
                             hinge("ja", "base", "b", "<origin xyz=\"0 .2 0\"/>" + axis) + linkOf("mount", "") +
                             hinge("f", "base", "mount", "<origin xyz=\"0 -.2 0\"/>", "fixed") + linkOf("d", own) +
                             hinge("jc", "mount", "d", axis) + linkOf("e", own) +
                             hinge("je", "d", "e", "<origin xyz=\".2 0 0\"/>" + axis) + "</robot>\n");
  folder.write("s.yaml", "robots:\n  - {name: r, urdf: r.urdf, base: fixed, position: [0, 0, 3]}\n");
  expectProved(folder, {"--until", "1"});
}

TEST(RobotRuns, ACarThatDropsOnItsWheelsComesToRest) {
  const ProgramFolder folder;
  const auto wheel = [](const std::string& z) {
    return solid(0.34, "ixx=\"2.6e-4\" iyy=\"2.6e-4\" izz=\"4.1e-4\"", "0 0 " + z,
                 "<collision><origin xyz=\"0 0 " + z +
                     "\"/><geometry><cylinder length=\"0.045\" radius=\"0.05\"/></geometry></collision>");
  };
  const std::string axle = "<axis xyz=\"0 0 -1\"/>";
  std::string car = linkOf("base", solid(4.2, "ixx=\"0.0106\" iyy=\"0.05\" izz=\"0.0586\"", "0.1477 0 0"));
  const struct { const char *name, *y, *z; } sides[] = {{"l", "0.1", "-0.0225"}, {"r", "-0.1", "0.0225"}};
  for (const auto& [name, y, z] : sides)
    car += linkOf(std::string(name) + "r", wheel(z)) +
           hinge(std::string("j") + name + "r", "base", std::string(name) + "r",
                 std::string("<origin xyz=\"0 ") + y + " 0\" rpy=\"1.5708 0 0\"/>" + axle);
  for (const auto& [name, y, z] : sides) {
    const std::string side = name;
    car += linkOf(side + "h", solid(0.1, "ixx=\"4e-6\" iyy=\"4e-6\" izz=\"4e-6\"", "0 0 0")) +
           hinge(side + "steer", "base", side + "h",
                 "<origin xyz=\"0.325 " + std::string(y) +
                     " 0\" rpy=\"0 1.5708 0\"/><axis xyz=\"-1 0 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"10\" "
                     "velocity=\"100\"/>",
                 "revolute") +
           linkOf(side + "f", wheel(z)) +
           hinge("j" + side + "f", side + "h", side + "f", "<origin xyz=\"0 0 0\" rpy=\"1.5708 0 0\"/>" + axle);
  }
  folder.write("car.urdf", "<robot name=\"car\">\n" + car + "</robot>\n");
  folder.write("s.yaml",
               "until: 2\ncontact: {friction: 0.8, restitution: 0}\nrobots:\n  - {name: car, urdf: car.urdf, position: "
               "[0, 0, 0.5]}\n"
               "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n");
  for (const char* seed : {"1", "5", "7"}) {
    SCOPED_TRACE(seed);
    expectProved(folder, {"--seed", seed});
  }
}

}  // namespace
}  // namespace rigor::cli
