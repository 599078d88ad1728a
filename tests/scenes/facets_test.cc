// SPDX-License-Identifier: MIT
// Proves: round shapes of scene and robot files are no farther from their surface than the tolerance that was asked
// for, and as many facets as was said where counts are. Oracle: the distance of the polytope's nearest face, from its
// plane.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/loader.h"
#include "scenes/load_error.h"
#include "scenes/model_reader.h"
#include "scenes/shape_reader.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

geom::Polytope roundShape(const std::string& text) {
  std::vector<std::string> warnings;
  const Value value = Value::parse(text, "s.yaml");
  return std::get<geom::Polytope>(readShape(value, {".", false, &warnings}).at(0));
}

double nearestFace(const geom::Polytope& polytope) {
  double nearest = std::numeric_limits<double>::infinity();
  for (int f = 0; f < polytope.numFaces(); ++f) nearest = std::min(nearest, polytope.face(f).offset);
  return nearest;
}

TEST(Facets, SpheresKeepTheirTolerance) {
  for (const double radius : {0.02, 1.0, 30.0}) {
    for (const double share : {0.1, 0.03, 0.01, 0.002}) {
      SCOPED_TRACE(share);
      const geom::Polytope ball = roundShape("sphere: {radius: " + std::to_string(radius) +
                                             ", tolerance: " + std::to_string(radius * share) + "}");
      const double depth = radius - nearestFace(ball);
      EXPECT_LE(depth, radius * share);
      EXPECT_GE(depth, 0.2 * radius * share) << "far more facets than it takes";
    }
  }
}

TEST(Facets, CylindersKeepTheirTolerance) {
  for (const double share : {0.05, 0.003, 1e-5}) {
    const geom::Polytope drum =
        roundShape("cylinder: {radius: 0.5, length: 30, tolerance: " + std::to_string(0.5 * share) + "}");
    const int sides = drum.numVertices() / 2;
    const double depth = 0.5 * (1 - std::cos(std::numbers::pi / sides));
    EXPECT_LE(depth, 0.5 * share);
    EXPECT_TRUE(sides <= 8 || depth >= 0.7 * 0.5 * share) << sides;  // As few as do.
    EXPECT_NEAR(nearestFace(drum), 0.5 - depth, 1e-12);
  }
}

TEST(Facets, CapsulesAreACylinderAndTwoHalfBalls) {
  const geom::Polytope capsule = roundShape("capsule: {radius: 0.1, length: 0.4, tolerance: 0.001}");
  double top = 0, side = 0;
  for (int v = 0; v < capsule.numVertices(); ++v) {
    const Eigen::Vector3d p = capsule.vertex(v);
    const double beyond = std::max(std::abs(p[2]) - 0.2, 0.0);
    EXPECT_NEAR(std::hypot(p[0], p[1], beyond), 0.1, 1e-12);  // On the surface.
    top = std::max(top, p[2]), side = std::max(side, std::hypot(p[0], p[1]));
  }
  EXPECT_GE(top, 0.299);
  EXPECT_NEAR(side, 0.1, 1e-12);
  for (int f = 0; f < capsule.numFaces(); ++f) {  // The support of a capsule along n is r + |n_z| l / 2.
    const auto& face = capsule.face(f);
    EXPECT_GE(face.offset, 0.1 + 0.2 * std::abs(face.normal[2]) - 0.001);
  }
}

TEST(Facets, OfRobotFilesAreTheScenes) {
  const Folder folder;
  const std::string path = folder.write(
      "r.urdf", robotText(linkText(
                    "a", std::string(kInertial) +
                             "<collision><geometry><cylinder radius=\"0.1\" length=\"1\"/></geometry></collision>")));
  std::vector<std::string> warnings;
  const auto vertices = [&](const Facets& facets) {
    const FileModel file = readModelFile(path, "urdf", warnings, {}, facets);
    return std::get<geom::Polytope>(file.links[0].shapes[0]).numVertices();
  };
  EXPECT_EQ(vertices(Facets()), 64);
  EXPECT_EQ(vertices(Facets(100, 50)), 100);
  EXPECT_EQ(vertices(Facets(0.1 * (1 - std::cos(std::numbers::pi / 200)) * (1 + 1e-4))), 400);
  EXPECT_THROW((void)vertices(Facets(1e-12)), LoadError);
}

TEST(Facets, ShapesOfRobotsAreRoundWhereTheyCanBe) {
  const Folder folder;
  folder.write("r.urdf",
               robotText(linkText("a", std::string(kInertial) +
                                           "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>") +
                         linkText("b", std::string(kInertial) + "<collision><geometry><cylinder radius=\"0.1\" "
                                                                "length=\"1\"/></geometry></collision>") +
                         linkText("c", std::string(kInertial) + "<collision><geometry><capsule radius=\"0.1\" "
                                                                "length=\"1\"/></geometry></collision>") +
                         jointText("j", "continuous", "a", "b") + jointText("k", "continuous", "a", "c")));
  const auto roundOnes = [&](const std::string& fields, const std::string& others) {
    const std::string text = "robots:\n  - {name: r, urdf: r.urdf, position: [0, 0, 5]" + fields + "}\n" + others;
    const sim::Scene scene = parseScene(text, folder.path() + "/s.yaml");
    int count = 0;
    for (const sim::Body& body : scene.bodies)
      for (const geom::Shape& part : body.parts)
        if (const auto* polytope = std::get_if<geom::Polytope>(&part)) count += polytope->round() != nullptr;
    return count;
  };
  const std::string ground = "bodies:\n  - {name: g, fixed: true, shape: {halfspace: {}}}\n",
                    wall = "  - {name: w, fixed: true, shape: {halfspace: {normal: [1, 0, 0], offset: -9}}}\n",
                    box = "  - {name: b, fixed: true, shape: {box: {size: [1, 1, 1]}}}\n",
                    second = "  - {name: s, urdf: r.urdf, position: [3, 0, 5]}\n";
  EXPECT_EQ(roundOnes("", ""), 3) << "the ball, the capsule and the cylinder";
  EXPECT_EQ(roundOnes("", ground + wall), 3);
  EXPECT_EQ(roundOnes(", self_collision: false", ground), 3);
  EXPECT_EQ(roundOnes("", ground + box), 2) << "not the cylinder";
  EXPECT_EQ(roundOnes("", second + ground), 4) << "two of each robot";
  EXPECT_EQ(roundOnes(", self_collision: true", ground), 2);
  // What the scene says goes first.
  EXPECT_EQ(roundOnes(", facets: {round: false}", ground), 0);
  EXPECT_EQ(roundOnes(", facets: {sides: 32}", ground), 0);
  EXPECT_EQ(roundOnes(", facets: {sides: 32, round: true}", ground), 3);
}

TEST(Facets, BadOnesAreRefused) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      (void)roundShape(text);
      return "(accepted)";
    } catch (const LoadError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(message("sphere: {radius: 1, tolerance: 0}"),
              AllOf(HasSubstr("s.yaml:1:32"), HasSubstr("tolerance is 0")));
  EXPECT_THAT(message("sphere: {radius: 1, tolerance: 0.1, vertices: 9}"), HasSubstr("tolerance beside vertices"));
  EXPECT_THAT(message("cylinder: {radius: 1, length: 1, tolerance: 1e-12}"), HasSubstr("more than 10000 sides"));
}

}  // namespace
}  // namespace rigor::scenes
