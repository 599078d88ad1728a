// SPDX-License-Identifier: MIT
// Proves: height fields and terrain are read to the solid that they state, and refused at the value that is wrong.
// Oracle: volumes and heights worked out by hand from the grid; MuJoCo's documented layout of its height fields.
#include "scenes/terrain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "geom/mass_properties.h"
#include "scenes/loader.h"
#include "scenes/mjcf.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::HasSubstr;

std::string ground(const std::string& shape, const std::string& more = "fixed: true") {
  return "bodies:\n  - {name: ground, " + more + ", shape: {" + shape + "}}\n";
}

std::string refusalOfScene(const std::string& text) {
  try {
    parseScene(text, "s.yaml");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "(accepted)";
}

double volumeOf(const std::vector<geom::Shape>& parts) {
  double volume = 0;
  for (const geom::Shape& part : parts) volume += geom::massProperties(std::get<geom::Polytope>(part)).mass;
  return volume;
}

TEST(HeightField, IsSolidDownToItsThickness) {
  const sim::Scene scene = parseScene(
      ground("heightfield: {size: [4, 2], thickness: 0.5, scale: 2, heights: [[0, 0.1, 0], [0, 0.1, 0], [0, 0.1, 0]]}"),
      "s.yaml");
  ASSERT_EQ(scene.bodies[0].parts.size(), 2u);  // Either side of the roof is flat.
  // A roof of height .2 over 4 x 2, and half a metre below it.
  EXPECT_NEAR(volumeOf(scene.bodies[0].parts), 4 * 2 * (0.5 + 0.1), 1e-12);
}

TEST(HeightField, RowsRunAlongYAndColumnsAlongX) {
  const TerrainSurface surface = gridSurface({0, 1, 2, 3, 4, 5}, 2, 3, {4, 2});
  EXPECT_EQ(surface.points[2], Eigen::Vector3d(2, -1, 2));
  EXPECT_EQ(surface.points[3], Eigen::Vector3d(-2, 1, 3));
  for (const auto& [i, j, k] : surface.triangles)
    EXPECT_GT((surface.points[j] - surface.points[i]).cross(surface.points[k] - surface.points[i])[2], 0);
}

TEST(HeightField, WrongValuesAreRefusedWhereTheyStand) {
  const auto refusal = [](const std::string& fields) {
    return refusalOfScene(ground("heightfield: {" + fields + "}"));
  };
  EXPECT_THAT(refusal("size: [1, 1], heights: [[0, 0], [0]]"), HasSubstr("1 numbers; 2, as in the first row"));
  EXPECT_THAT(refusal("size: [1, 1], heights: [[0, 0]]"), HasSubstr("1 rows and 2 columns; at least two of each"));
  EXPECT_THAT(refusal("size: [1, 0], heights: [[0, 0], [0, 0]]"), HasSubstr("size"));
  EXPECT_THAT(refusal("size: [1, 1], thickness: 0, heights: [[0, 0], [0, 0]]"), HasSubstr("thickness"));
  EXPECT_THAT(refusal("size: [1, 1]"), HasSubstr("heights"));
  EXPECT_THAT(refusal("size: [1, 1], file: nowhere.txt"), HasSubstr("nowhere.txt does not exist"));
  EXPECT_THAT(refusalOfScene(ground("heightfield: {size: [1, 1], heights: [[0, 0], [0, 0]]}", "mass: 1")),
              HasSubstr("on a body that moves"));
  EXPECT_THAT(refusalOfScene(ground("compound: [{shape: {heightfield: {size: [1, 1], heights: [[0, 0], [0, 0]]}}}]")),
              HasSubstr("a surface in a compound"));
}

TEST(Terrain, IsRefusedWhereItIsNotSeenFromAbove) {
  const Folder folder;
  const std::string path = folder.write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n");
  EXPECT_THAT(refusalOfScene(ground("terrain: {file: " + path + "}")),
              HasSubstr("triangle 0 of the surface is not seen from above"));
}

/// STL files hold each triangle's corners by themselves.
TEST(Terrain, EqualPointsOfAFileAreOne) {
  const Folder folder;
  const std::string facet = "facet normal 0 0 1\nouter loop\n", end = "endloop\nendfacet\n";
  const std::string path = folder.write(
      "t.stl", "solid t\n" + facet + "vertex 0 0 1\nvertex 1 0 1\nvertex 1 1 1\n" + end + facet +
                   "vertex 0 0 1\nvertex 1 1 1\nvertex 0 1 1\n" + end + "endsolid t\n");
  const sim::Scene scene = parseScene(ground("terrain: {thickness: 1, file: " + path + "}"), "s.yaml");
  EXPECT_EQ(scene.bodies[0].parts.size(), 1u);
  EXPECT_NEAR(volumeOf(scene.bodies[0].parts), 1, 1e-12);
}

TEST(MjcfHeightField, HasTheHeightsOfItsRowsFromTheTopDown) {
  const Folder folder;
  Loaded loaded;
  const std::string text =
      "<mujoco><asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 2 0.5 0.25\" elevation=\"4 4 2 2\"/></asset>"
      "<worldbody><geom type=\"hfield\" hfield=\"h\"/><body name=\"b\" pos=\"0 0 3\"><freejoint/>"
      "<geom type=\"box\" size=\"0.1 0.1 0.1\"/></body></worldbody></mujoco>";
  loaded.robot = makeRobotModel(readMjcf(folder.write("m.xml", text), loaded.warnings), RobotBase::kAuto, {});
  std::vector<geom::Shape> parts;
  for (const auto& shapes : loaded.robot.shapes)
    if (shapes.size() == 1 && volumeOf(shapes) > 1) parts = shapes;
  ASSERT_EQ(parts.size(), 1u);
  // A ramp that rises along y from 0 to .5 over 2 x 4 m, a quarter of a metre thick below.
  EXPECT_NEAR(volumeOf(parts), 2 * 4 * (0.25 + 0.25), 1e-12);
  double highest_low_y = -1;
  for (const geom::Shape& part : parts)
    for (int v = 0; v < std::get<geom::Polytope>(part).numVertices(); ++v)
      if (const Eigen::Vector3d x = std::get<geom::Polytope>(part).vertex(v); x[1] < 0)
        highest_low_y = std::max(highest_low_y, x[2]);
  EXPECT_EQ(highest_low_y, 0);
}

}  // namespace
}  // namespace rigor::scenes
