// SPDX-License-Identifier: MIT
// Proved: what a robot file fixes to the world holds its own bodies. Oracle: heights at which boxes rest on each other
// and on planes, from their sizes alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "scenes/loader.h"
#include "sim/scales.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

ProvedRun runOf(const std::string& format, const std::string& file, const std::string& fields = "") {
  const TemporaryFolder folder;
  std::ofstream(folder / "m.xml") << file;
  return simulate(scenes::parseScene(fmt::format("until: 1\nrobots:\n  - {{name: r, {}: m.xml{}}}\n", format, fields),
                                     (folder / "s.yaml").string()));
}

std::string mjcf(const std::string& world, const std::string& assets = "") {
  return "<mujoco><asset>" + assets + "</asset><worldbody>" + world + "</worldbody></mujoco>";
}

std::string cube(const std::string& name, double height) {
  return fmt::format("<body name=\"{}\" pos=\"0 0 {}\"><freejoint/><geom type=\"box\" size=\".05 .05 .05\"/></body>",
                     name, height);
}

void expectAt(const ProvedRun& run, const std::string& body, double height) {
  const int number = bodyNamed(run.scene, body);
  EXPECT_NEAR(run.endPosition(number)[2], height, 1e-6) << body;
  EXPECT_LE(endSpeed(run, number), 1e-6) << body;
}

const std::string kPlane = "<geom type=\"plane\" size=\"1 1 .1\"/>";

TEST(OwnFloor, HoldsFreeBodiesAndTheyHoldEachOther) {
  const ProvedRun run = runOf("mjcf", mjcf(cube("high", 0.27) + kPlane + cube("low", 0.05)));
  EXPECT_EQ(wrong(run), "");
  expectAt(run, "r/low", 0.05);
  expectAt(run, "r/high", 0.15);
}

TEST(OwnFloor, MovesAsItsFileDoes) {
  const ProvedRun run = runOf("mjcf", mjcf(cube("a", 0.15) + kPlane), ", position: [1, 2, 3]");
  EXPECT_EQ(wrong(run), "");
  expectAt(run, "r/a", 3.05);
}

TEST(OwnFloor, IsAHeightFieldToo) {
  const ProvedRun run = runOf("mjcf", mjcf("<geom type=\"hfield\" hfield=\"h\"/>" + cube("a", 0.25),
                                           "<hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 .1 .1\" "
                                           "elevation=\"1 1 1 1\"/>"));
  EXPECT_EQ(wrong(run), "");
  expectAt(run, "r/a", 0.05);
}

TEST(OwnFloor, HoldsAnArmThatHangsInTheWorld) {
  // A rod on a post falls onto the floor: its tip ends on it.
  const std::string hinge = "<joint axis=\"0 1 0\" damping=\".05\"/>";
  const ProvedRun run =
      runOf("mjcf", mjcf(kPlane + "<body name=\"post\" pos=\"0 0 .3\"><geom size=\".05\"/><body name=\"rod\">" + hinge +
                         "<geom type=\"box\" size=\".1 .01 .01\" pos=\".15 0 0\"/><body name=\"tip\" pos=\".25 0 "
                         "0\">" +
                         hinge + "<geom type=\"box\" size=\".1 .01 .01\" pos=\".1 0 0\"/></body></body></body>"));
  EXPECT_EQ(wrong(run), "");
  const int tip = bodyNamed(run.scene, "r/tip");
  const Eigen::Vector3d origin = run.endPosition(tip);
  const Eigen::Matrix3d R = run.endRotation(tip);
  double lowest = 1;
  for (const double x : {0.0, 0.2})
    for (const double z : {-0.01, 0.01}) lowest = std::min(lowest, (origin + R * Eigen::Vector3d(x, 0, z))[2]);
  EXPECT_NEAR(lowest, 0, 1e-6);
}

TEST(OwnFloor, IsAStaticModelOfSdf) {
  const auto box = [](const std::string& name, double height) {
    return fmt::format(
        "<model name=\"{}\"><pose>0 0 {} 0 0 0</pose><link name=\"l\"><inertial><mass>1</mass><inertia>"
        "<ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial><collision name=\"c\"><geometry>"
        "<box><size>.1 .1 .1</size></box></geometry></collision></link></model>",
        name, height);
  };
  const ProvedRun run = runOf(
      "sdf",
      "<sdf version=\"1.7\"><world name=\"w\"><model name=\"g\"><static>true</static><link name=\"l\">"
      "<collision name=\"c\"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>" +
          box("m", 0.05) + box("n", 0.3) + "</world></sdf>");
  EXPECT_EQ(wrong(run), "");
  expectAt(run, "r/m::l", 0.05);
  expectAt(run, "r/n::l", 0.15);
}

TEST(OwnFloor, WhatSinksInByLittleStartsWhereItTouches) {
  // By .001 of .173 m. The one above stays where it is.
  const ProvedRun run = runOf("mjcf", mjcf(kPlane + cube("a", 0.049) + cube("b", 0.5)));
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.positionAt(bodyNamed(run.scene, "r/a"), 0)[2], 0.05, 1e-7);
  EXPECT_NEAR(run.positionAt(bodyNamed(run.scene, "r/b"), 0)[2], 0.5, 1e-15);
  expectAt(run, "r/a", 0.05);
}

TEST(OwnFloor, StartsThatOverlapAreRefused) {
  try {
    (void)runOf("mjcf", mjcf(kPlane + cube("a", 0.04)));
    FAIL() << "accepted";
  } catch (const SceneError& error) {
    const std::string what = error.what();
    for (const char* part : {"'r/a'", "'r/world'", "overlap at the start by 0.01 m", "ignore_collisions"})
      EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace rigor::sim::test
