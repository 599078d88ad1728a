// SPDX-License-Identifier: MIT
// Proves: what scenes/loader.h promises. A scene in the documented format is read to the values it states, and every
// other input is refused at the exact line and column of the offending value, never read as something else.
// Oracle: the expected values and places are written beside each input by hand; masses have closed forms.
#include "scenes/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <fstream>
#include <numbers>

#include "friction/coulomb.h"
#include "tests/temporary_folder.h"

namespace rigor::scenes {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string messageOf(const std::string& text, const std::string& path = "s.yaml") {
  try {
    parseScene(text, path);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "(accepted)";
}

/// A die with further lines for its body, indented by four; the first of them is line 5.
std::string die(const std::string& lines) {
  return "bodies:\n"
         "  - name: die\n"
         "    shape: {box: {size: [0.1, 0.1, 0.1]}}\n"
         "    position: [0, 0, 1]\n" +
         lines;
}

const char* kDocumented = R"(name: die
description: One die thrown on a table.
gravity: [0, 0, -9.5]
until: 3.0
contact: {friction: 0.25, restitution: 0.5}
impact: {model: routh, step: 0.7, cone_edges: 12, smooth_cone: true, max_steps: 33, tolerance: 1e-9}
solver: {max_step: 0.01, gap: 2e-8, velocity_tolerance: 1e-3, capture_speed: 0.02, event_window: 1e-5, max_steps: 77}
bodies:
  - name: table
    fixed: true
    shape: {halfspace: {normal: [0, 1, 2], offset: -0.5}}
    friction: no-slip
  - name: die
    shape: {box: {size: [0.1, 0.2, 0.3]}}
    mass: 2.0
    position: [1, 2, 3]
    orientation: [2, 0, 0, 1]
    velocity: [4, 5, 6]
    angular_velocity: [7, 8, 9]
    restitution: 1
)";

TEST(Loader, ReadsEveryFieldOfADocumentedScene) {
  SceneSource source;
  const sim::Scene scene = parseScene(kDocumented, "folder/x.yaml", &source);
  EXPECT_EQ(scene.name, "die");
  EXPECT_EQ(scene.description, "One die thrown on a table.");
  EXPECT_EQ(scene.text, kDocumented);
  EXPECT_EQ(scene.path, "folder/x.yaml");
  EXPECT_EQ(scene.gravity, Eigen::Vector3d(0, 0, -9.5));
  EXPECT_EQ(scene.until, 3.0);
  EXPECT_EQ(scene.impact_model, "routh");
  EXPECT_EQ(scene.impact.step, 0.7);
  EXPECT_EQ(scene.impact.cone_edges, 12);
  EXPECT_TRUE(scene.impact.smooth_cone);
  EXPECT_EQ(scene.impact.max_steps, 33);
  EXPECT_EQ(scene.impact.tolerance, 1e-9);
  EXPECT_EQ(scene.solver.max_step, 0.01);
  EXPECT_EQ(scene.solver.gap, 2e-8);
  EXPECT_EQ(scene.solver.velocity_tolerance, 1e-3);
  EXPECT_EQ(scene.solver.capture_speed, 0.02);
  EXPECT_EQ(scene.solver.event_window, 1e-5);
  EXPECT_EQ(scene.solver.max_steps, 77);
  ASSERT_EQ(scene.bodies.size(), 2u);

  const sim::Body& table = scene.bodies[0];
  EXPECT_TRUE(table.fixed);
  const auto& plane = std::get<geom::HalfSpace>(table.parts.at(0));
  // The plane of y + 2 z = -1/2, with a normal of length one.
  EXPECT_LE((plane.normal - Eigen::Vector3d(0, 1, 2) / std::sqrt(5)).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(plane.offset, -0.5 / std::sqrt(5));
  EXPECT_EQ(table.material.friction, impact::kNoSlip);
  EXPECT_EQ(table.material.restitution, 0.5);

  const sim::Body& body = scene.bodies[1];
  EXPECT_FALSE(body.fixed);
  EXPECT_EQ(body.mass, 2.0);
  EXPECT_EQ(body.pose.p, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(body.pose.q, Eigen::Vector4d(2, 0, 0, 1));  // Kept as it is, not normalised.
  EXPECT_EQ(body.velocity, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(body.angular_velocity, Eigen::Vector3d(7, 8, 9));
  EXPECT_EQ(body.material.friction, 0.25);
  EXPECT_EQ(body.material.restitution, 1);
  // A box about its centre: m (y^2 + z^2)/12 and so on.
  EXPECT_NEAR(body.inertia(0, 0), 2.0 / 12 * (0.04 + 0.09), 1e-15);
  EXPECT_NEAR(body.inertia(1, 1), 2.0 / 12 * (0.01 + 0.09), 1e-15);
  EXPECT_NEAR(body.inertia(2, 2), 2.0 / 12 * (0.01 + 0.04), 1e-15);
  EXPECT_NEAR(body.inertia(0, 1), 0, 1e-16);
  EXPECT_NEAR(body.centre.norm(), 0, 1e-16);

  EXPECT_EQ(source.locate(0), "folder/x.yaml:9:5");
  EXPECT_EQ(source.locate(1), "folder/x.yaml:13:5");
  EXPECT_EQ(source.locate(-1), "folder/x.yaml:1:1");
}

TEST(Loader, DefaultsAreThoseOfTheStructs) {
  const sim::Scene scene = parseScene(die("    density: 1000\n"), "a/plain.yaml");
  const sim::Scene fresh;
  EXPECT_EQ(scene.name, "plain");
  EXPECT_EQ(scene.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(scene.until, fresh.until);
  EXPECT_EQ(scene.impact_model, fresh.impact_model);
  EXPECT_EQ(scene.solver.max_step, fresh.solver.max_step);
  EXPECT_EQ(scene.bodies[0].material.friction, sim::Material{}.friction);
  EXPECT_EQ(scene.bodies[0].pose.q, Eigen::Vector4d(1, 0, 0, 0));
  EXPECT_NEAR(scene.bodies[0].mass, 1.0, 1e-14);
}

TEST(Loader, JsonIsAccepted) {
  const sim::Scene scene = parseScene(
      R"({"until": 2, "bodies": [{"name": "a", "fixed": true, "shape": {"halfspace": {"normal": [0, 0, 1]}}}]})",
      "s.json");
  EXPECT_EQ(scene.until, 2);
  EXPECT_EQ(scene.bodies.at(0).name, "a");
}

TEST(Loader, AnchorsMayRepeatAShape) {
  const sim::Scene scene = parseScene(
      "bodies:\n"
      "  - {name: a, mass: 1, shape: &cube {box: {size: [1, 1, 1]}}}\n"
      "  - {name: b, mass: 1, shape: *cube, position: [0, 0, 2]}\n",
      "s.yaml");
  EXPECT_EQ(scene.bodies.size(), 2u);
}

TEST(Loader, RollPitchYawTurnsAboutFixedAxesInThatOrder) {
  const sim::Scene scene = parseScene(die("    mass: 1\n    rpy: [0.3, -0.4, 1.9]\n"), "s.yaml");
  // R = Rz(yaw) Ry(pitch) Rx(roll), written out: first and third columns.
  const double cr = std::cos(0.3), sr = std::sin(0.3), cp = std::cos(-0.4), sp = std::sin(-0.4), cy = std::cos(1.9),
               sy = std::sin(1.9);
  const Eigen::Matrix3d R = scene.bodies[0].pose.rotation();
  EXPECT_NEAR((R.col(0) - Eigen::Vector3d(cy * cp, sy * cp, -sp)).norm(), 0, 1e-15);
  EXPECT_NEAR((R.col(2) - Eigen::Vector3d(cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr)).norm(), 0, 1e-15);
}

TEST(Loader, MassOverridesAreTaken) {
  const sim::Body body = parseScene(die("    mass: 3\n"
                                        "    com: [0.01, 0.02, 0.03]\n"
                                        "    inertia: [0.4, 0.5, 0.6, 0.01, 0.02, 0.03]\n"),
                                    "s.yaml").bodies[0];
  Eigen::Matrix3d inertia;
  inertia << 0.4, 0.01, 0.02, 0.01, 0.5, 0.03, 0.02, 0.03, 0.6;
  EXPECT_EQ(body.inertia, inertia);
  EXPECT_EQ(body.centre, Eigen::Vector3d(0.01, 0.02, 0.03));
  EXPECT_EQ(body.mass, 3);
}

TEST(Loader, CompoundPartsAreBodyFixedAndWeighTogether) {
  // Two unit cubes side by side, the second turned by a quarter: a 2 x 1 x 1 bar.
  const sim::Body body = parseScene(
      "bodies:\n"
      "  - name: bar\n"
      "    density: 6\n"
      "    shape:\n"
      "      compound:\n"
      "        - {shape: {box: {size: [1, 1, 1]}}, position: [-0.5, 0, 0]}\n"
      "        - {shape: {box: {size: [1, 1, 1]}}, position: [0.5, 0, 0], orientation: [1, 0, 0, 1]}\n",
      "s.yaml").bodies[0];
  ASSERT_EQ(body.parts.size(), 2u);
  EXPECT_NEAR(body.mass, 12, 1e-13);
  EXPECT_NEAR(body.centre.norm(), 0, 1e-15);
  EXPECT_NEAR(body.inertia(0, 0), 12.0 / 12 * 2, 1e-13);
  EXPECT_NEAR(body.inertia(1, 1), 12.0 / 12 * 5, 1e-13);
  const auto& second = std::get<geom::Polytope>(body.parts[1]);
  EXPECT_NEAR(second.vertices().row(0).minCoeff(), 0, 1e-15);
  EXPECT_NEAR(second.vertices().row(0).maxCoeff(), 1, 1e-15);
}

TEST(Loader, RoundShapesArePolytopesInTheirSpheres) {
  const auto shapeOf = [](const std::string& shape) {
    const sim::Body body = parseScene("bodies: [{name: a, density: 1, shape: " + shape + "}]", "s.yaml").bodies[0];
    return std::pair(std::get<geom::Polytope>(body.parts[0]), body.mass);
  };
  const auto [ball, ball_volume] = shapeOf("{sphere: {radius: 2, vertices: 1000}}");
  EXPECT_EQ(ball.numVertices(), 1000);
  for (int v = 0; v < ball.numVertices(); ++v) EXPECT_NEAR(ball.vertex(v).norm(), 2, 1e-14);
  const double full = 4.0 / 3 * std::numbers::pi * 8;
  EXPECT_LT(ball_volume, full);
  EXPECT_GT(ball_volume, 0.98 * full);
  const auto [drum, drum_volume] = shapeOf("{cylinder: {radius: 0.5, length: 3, sides: 6}}");
  EXPECT_EQ(drum.numVertices(), 12);
  EXPECT_EQ(drum.numFaces(), 8);
  EXPECT_NEAR(drum_volume, 3 * 0.25 * 3 * std::sqrt(3.0) / 2, 1e-14);  // Hexagon: 3 sqrt(3)/2 r^2.
}

// Every row: input, the place, and a part of the message.
struct BadInput {
  const char* name;
  std::string text;
  const char* place;
  const char* part;
};

void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.name; }

class LoaderRefuses : public ::testing::TestWithParam<BadInput> {};

TEST_P(LoaderRefuses, AtItsPlace) {
  const std::string message = messageOf(GetParam().text);
  EXPECT_THAT(message, StartsWith(std::string("s.yaml:") + GetParam().place + ": "));
  EXPECT_THAT(message, HasSubstr(GetParam().part));
  EXPECT_THAT(message, HasSubstr("; "));
}

std::string with(const std::string& top) { return top + "\n" + die("    mass: 1\n"); }

INSTANTIATE_TEST_SUITE_P(
    BadScenes, LoaderRefuses,
    ::testing::Values(
        BadInput{"Empty", "", "1:1", "empty"}, BadInput{"OnlyAComment", "# nothing\n", "1:1", "empty"},
        BadInput{"NulByte", std::string("name: a\nx: \0", 12), "2:4", "no text file"},
        BadInput{"ControlByte", "name: a\001b\n", "1:8", "0x01"}, BadInput{"NotUtf8", "name: d\xff\n", "1:8", "0xff"},
        BadInput{"TruncatedUtf8", "name: \xe2\x82", "1:7", "0xe2"},
        BadInput{"NotYaml", "bodies: [1, 2\n", "2:1", "s.yaml"}, BadInput{"AList", "- 1\n- 2\n", "1:1", "a list of 2"},
        BadInput{"AWord", "die\n", "1:1", "die"},
        BadInput{"TwoDocuments", "name: a\n---\nname: b\n", "2:1", "second YAML document"},
        BadInput{"NoValueBeforeAComma", ", m", "1:1", "valid YAML"},
        BadInput{"DeepNesting", std::string(100000, '['), "1:501", "nested too deeply"},
        BadInput{"UnknownField", with("gravitty: [0, 0, 1]"), "1:1", "did you mean gravity?"},
        BadInput{"UnknownFieldFarFromAll", with("zzzzzzzzz: 1"), "1:1", "the fields here are name"},
        BadInput{"UnknownBodyField", die("    masss: 1\n"), "5:5", "did you mean mass?"},
        BadInput{"UnknownSolverField", with("solver: {max_stp: 1}"), "1:10", "did you mean max_step?"},
        BadInput{"UnknownContactField", with("contact: {mu: 1}"), "1:11", "unknown field contact.mu"},
        BadInput{"UnknownImpactField", with("impact: {modle: routh}"), "1:10", "did you mean model?"},
        BadInput{"DuplicateTopField", with("until: 1\nuntil: 2"), "2:1", "duplicate field until"},
        BadInput{"DuplicateBodyField", die("    mass: 1\n    mass: 1\n"), "6:5", "duplicate"},
        BadInput{"DuplicateShapeField", "bodies: [{name: a, mass: 1, shape: {box: {size: [1,1,1], size: [1,1,1]}}}]",
                 "1:58", "duplicate"},
        BadInput{"ComplexKey", with("? [a, b]\n: 1"), "1:3", "no word"},
        BadInput{"NoBodies", "name: a\n", "1:1", "no field bodies"},
        BadInput{"EmptyBodies", "bodies: []\n", "1:9", "at least one"},
        BadInput{"BodiesIsAMap", "bodies: {a: 1}\n", "1:9", "a list of bodies"},
        BadInput{"BodyIsAWord", "bodies: [die]\n", "1:10", "a map with the fields"},
        BadInput{"MissingValue", die("    mass:\n    friction: 1\n"), "5:5", "empty"},
        BadInput{"NotANumber", die("    mass: heavy\n"), "5:11", "heavy"},
        BadInput{"MassTooSmall", die("    mass: 1e-320\n"), "5:11", "at least 1e-100 kg"},
        BadInput{"DensityTooSmall", die("    density: 1e-103\n"), "5:14", "at least 1e-100 kg and 1e-102 kg m^2"},
        BadInput{"MomentsTooSmall", die("    mass: 1\n    inertia: [1e-103, 1e-103, 1e-103, 0, 0, 0]\n"), "6:14",
                 "moments of 1e-103 kg m^2"},
        BadInput{"QuotedNumber", die("    mass: \"1\"\n"), "5:11", "\"1\""},
        BadInput{"NumberWithUnit", die("    mass: 1kg\n"), "5:11", "1kg"},
        BadInput{"NumberIsAList", die("    mass: [1]\n"), "5:11", "a list of 1"},
        BadInput{"Nan", die("    mass: .nan\n"), "5:11", "finite"},
        BadInput{"NanWord", die("    mass: nan\n"), "5:11", "finite"},
        BadInput{"Infinity", die("    mass: .inf\n"), "5:11", "finite"},
        BadInput{"InfinityWord", die("    mass: inf\n"), "5:11", "finite"},
        BadInput{"Overflow", die("    mass: 1e400\n"), "5:11", "1e100"},
        BadInput{"TooLarge", die("    mass: 1.1e100\n"), "5:11", "1e100"},
        BadInput{"TooLargeInAList", die("    mass: 1\n    velocity: [0, -2e100, 0]\n"), "6:19", "1e100"},
        BadInput{"NanInAList", die("    mass: 1\n    velocity: [0, 0, .NaN]\n"), "6:22", "velocity[2]"},
        BadInput{"ZeroMass", die("    mass: 0\n"), "5:11", "> 0"},
        BadInput{"NegativeMass", die("    mass: -1\n"), "5:11", "> 0"},
        BadInput{"NegativeDensity", die("    density: -1\n"), "5:14", "> 0"},
        BadInput{"NoMass", die(""), "2:5", "neither mass nor density"},
        BadInput{"MassAndDensity", die("    mass: 1\n    density: 1\n"), "6:14", "not both"},
        BadInput{"InertiaOfFive", die("    mass: 1\n    inertia: [1, 1, 1, 0, 0]\n"), "6:14", "6"},
        BadInput{"InertiaTriangle", die("    mass: 1\n    inertia: [1, 1, 2.1, 0, 0, 0]\n"), "6:14", "inertia"},
        BadInput{"InertiaIndefinite", die("    mass: 1\n    inertia: [1, 1, 1, 2, 0, 0]\n"), "6:14", "inertia"},
        BadInput{"InertiaZero", die("    mass: 1\n    inertia: [0, 0, 0, 0, 0, 0]\n"), "6:14", "inertia"},
        BadInput{"InertiaNegative", die("    mass: 1\n    inertia: [-1, -1, -1, 0, 0, 0]\n"), "6:14", "inertia"},
        BadInput{"ZeroQuaternion", die("    mass: 1\n    orientation: [0, 0, 0, 0]\n"), "6:18", "length zero"},
        BadInput{"TinyQuaternion", die("    mass: 1\n    orientation: [1e-200, 0, 0, 0]\n"), "6:18", "length zero"},
        BadInput{"QuaternionOfThree", die("    mass: 1\n    orientation: [1, 0, 0]\n"), "6:18", "[w, x, y, z]"},
        BadInput{"OrientationAndRpy", die("    mass: 1\n    orientation: [1, 0, 0, 0]\n    rpy: [0, 0, 0]\n"), "7:10",
                 "not both"},
        BadInput{"PositionOfTwo", "bodies: [{name: a, mass: 1, shape: {box: {size: [1,1,1]}}, position: [0, 0]}]",
                 "1:70", "[x, y, z]"},
        BadInput{"RestitutionAboveOne", die("    mass: 1\n    restitution: 1.01\n"), "6:18", "from 0 to 1"},
        BadInput{"RestitutionNegative", with("contact: {restitution: -0.1}"), "1:24", "from 0 to 1"},
        BadInput{"FrictionNegative", die("    mass: 1\n    friction: -0.3\n"), "6:15", "no-slip"},
        BadInput{"FrictionWord", with("contact: {friction: sticky}"), "1:21", "no-slip"},
        BadInput{"DuplicateNames",
                 "bodies:\n  - {name: a, fixed: true, shape: {halfspace: {}}}\n  - {name: a, fixed: true, shape: "
                 "{halfspace: {}}}\n",
                 "3:12", "line 2"},
        BadInput{"EmptyName", "bodies: [{name: \"\", mass: 1, shape: {box: {size: [1,1,1]}}}]", "1:17", "not empty"},
        BadInput{"SlashInName", "bodies: [{name: a/b, mass: 1, shape: {box: {size: [1,1,1]}}}]", "1:17", "slash"},
        BadInput{"NoName", "bodies: [{mass: 1, shape: {box: {size: [1,1,1]}}}]", "1:10", "no field name"},
        BadInput{"FixedIsANumber", "bodies: [{name: a, fixed: 1, shape: {halfspace: {}}}]", "1:27", "true or false"},
        BadInput{"FixedWithVelocity", "bodies: [{name: a, fixed: true, shape: {halfspace: {}}, velocity: [1, 0, 0]}]",
                 "1:67", "does not move"},
        BadInput{"MovingHalfSpace", "bodies: [{name: a, mass: 1, shape: {halfspace: {normal: [0, 0, 1]}}}]", "1:48",
                 "fixed bodies only"},
        BadInput{"ZeroNormal", "bodies: [{name: a, fixed: true, shape: {halfspace: {normal: [0, 0, 0]}}}]", "1:61",
                 "zero"},
        BadInput{"NoShape", "bodies: [{name: a, mass: 1}]", "1:10", "no field shape"},
        BadInput{"UnknownShape", "bodies: [{name: a, mass: 1, shape: {boxx: {size: [1,1,1]}}}]", "1:37",
                 "did you mean box?"},
        BadInput{"TwoShapes", "bodies: [{name: a, mass: 1, shape: {box: {size: [1,1,1]}, sphere: {radius: 1}}}]",
                 "1:36", "2 shapes"},
        BadInput{"NegativeBox", "bodies: [{name: a, mass: 1, shape: {box: {size: [1, -1, 1]}}}]", "1:53", "> 0"},
        BadInput{"BoxOfTwo", "bodies: [{name: a, mass: 1, shape: {box: {size: [1, 1]}}}]", "1:49", "3 edge lengths"},
        BadInput{
            "FlatHull",
            "bodies:\n  - name: a\n    mass: 1\n    shape: {hull: {vertices: [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}}\n",
            "4:30", "hull.vertices"},
        BadInput{"StraightHull",
                 "bodies: [{name: a, mass: 1, shape: {hull: {vertices: [[0,0,0],[1,0,0],[2,0,0],[3,0,0]]}}}]", "1:54",
                 "hull.vertices"},
        BadInput{"EmptyHull", "bodies: [{name: a, mass: 1, shape: {hull: {vertices: []}}}]", "1:54", "hull.vertices"},
        BadInput{"HullPointOfTwo",
                 "bodies:\n  - name: a\n    mass: 1\n    shape: {hull: {vertices: [[0,0,0],\n      [1,0], [0,1,0], "
                 "[0,0,1]]}}\n",
                 "5:7", "vertices[1]"},
        BadInput{"SphereOfThree", "bodies: [{name: a, mass: 1, shape: {sphere: {radius: 1, vertices: 3}}}]", "1:67",
                 "from 4"},
        BadInput{"SphereOfHalf", "bodies: [{name: a, mass: 1, shape: {sphere: {radius: 1, vertices: 4.5}}}]", "1:67",
                 "whole"},
        BadInput{"CylinderOfTwoSides",
                 "bodies: [{name: a, mass: 1, shape: {cylinder: {radius: 1, length: 1, sides: 2}}}]", "1:77", "from 3"},
        BadInput{"NestedCompound",
                 "bodies:\n  - name: a\n    mass: 1\n    shape: {compound: [{shape: {compound: []}}]}\n", "4:32",
                 "compound in a compound"},
        BadInput{"EmptyCompound", "bodies: [{name: a, mass: 1, shape: {compound: []}}]", "1:47", "at least one part"},
        BadInput{"EndlessCompound", "bodies: [{name: a, mass: 1, shape: &s {compound: [{shape: *s}]}}]", "1:59",
                 "what holds it"},
        BadInput{"MissingMesh", "bodies:\n  - name: a\n    mass: 1\n    shape:\n      mesh: {file: no/such.obj}\n",
                 "5:20", "no/such.obj does not exist"},
        BadInput{"UnknownModel", with("impact: {model: newton}"), "1:17", "routh"},
        BadInput{"OddCone", with("impact: {cone_edges: 5}"), "1:22", "even"},
        BadInput{"ZeroMaxStep", with("solver: {max_step: 0}"), "1:20", "> 0"},
        BadInput{"NegativeUntil", with("until: -1"), "1:8", "> 0"},
        BadInput{"GravityOfTwo", with("gravity: [0, -9.81]"), "1:10", "[x, y, z]"},
        BadInput{"RobotWithoutUrdf", with("robots: [{name: r}]"), "1:10", "no field urdf"},
        BadInput{"JsonPlace", "{\n  \"until\": 1,\n  \"bodies\": [\n    {\"name\": \"a\", \"mass\": -5}\n  ]\n}\n",
                 "4:5", "no field shape"}),
    [](const auto& row) { return std::string(row.param.name); });

class MeshScene : public ::testing::Test {
 protected:
  sim::Scene load(const std::string& file, const std::string& content, const std::string& more = "",
                  SceneSource* source = nullptr) {
    std::ofstream(folder_ / file, std::ios::binary) << content;
    std::ofstream(folder_ / "s.yaml") << "bodies:\n  - name: a\n    density: 1\n    shape: {mesh: {file: " + file +
                                             more + "}}\n";
    return loadScene(folder_ / "s.yaml", source);
  }
  TemporaryFolder folder_;
};

const char* kTetrahedronObj =
    "# a comment\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0.1\nvn 0 0 1\nf 1/1/1 3/1/1 2/1/1\nf 1 2 4\nf 1 4 3\nf -3 -2 -1\n";

TEST_F(MeshScene, ObjKeepsTheDigitsOfADouble) {
  SceneSource source;
  const sim::Body body = load("t.obj", kTetrahedronObj, ", scale: 2", &source).bodies[0];
  const auto& hull = std::get<geom::Polytope>(body.parts[0]);
  EXPECT_EQ(hull.numVertices(), 4);
  EXPECT_EQ(hull.vertices().row(2).maxCoeff(), 0.2);
  EXPECT_NEAR(body.mass, 8 * 0.1 / 6, 1e-15);
  EXPECT_TRUE(source.warnings.empty());
}

TEST_F(MeshScene, TextAndBinaryStlAreTheSameSolid) {
  const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string text = "solid t\n", binary(80, ' ');
  const std::uint32_t count = 4;
  binary.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& face : faces) {
    text += "facet normal 0 0 0\nouter loop\n";
    binary.append(12, '\0');
    for (int c : face) {
      text += "vertex";
      for (double x : corners[c]) {
        text += ' ' + std::to_string(x);
        const float value = static_cast<float>(x);
        binary.append(reinterpret_cast<const char*>(&value), 4);
      }
      text += '\n';
    }
    text += "endloop\nendfacet\n";
    binary.append(2, '\0');
  }
  EXPECT_NEAR(load("t.stl", text + "endsolid t\n").bodies[0].mass, 1.0 / 6, 1e-15);
  EXPECT_NEAR(load("t.stl", binary).bodies[0].mass, 1.0 / 6, 1e-15);
}

TEST_F(MeshScene, ADentIsFilledWithAWarning) {
  // A tetrahedron with its base pushed in towards (0.25, 0.25, 0.01).
  SceneSource source;
  load("dent.obj",
       "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.25 0.25 0.01\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 3 5\nf 3 2 5\nf 2 1 5\n",
       "", &source);
  ASSERT_EQ(source.warnings.size(), 1u);
  EXPECT_THAT(source.warnings[0], HasSubstr("s.yaml:4:26: "));
  EXPECT_THAT(source.warnings[0], HasSubstr("convex hull"));
}

TEST_F(MeshScene, BrokenMeshesAreRefusedAtTheSceneLine) {
  const auto refuse = [&](const std::string& content) {
    try {
      load("b.obj", content);
    } catch (const LoadError& error) {
      EXPECT_EQ(error.position.line, 4);
      EXPECT_EQ(error.position.column, 26);
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  EXPECT_THAT(refuse(""), HasSubstr("b.obj:1:1: no vertices"));
  EXPECT_THAT(refuse("v 0 0 0\nv 1 nan 0\n"), HasSubstr("b.obj:2:5: found nan"));
  EXPECT_THAT(refuse("v 0 0\n"), HasSubstr("b.obj:1:1: found v"));
  EXPECT_THAT(refuse("v 0 0 0\nf 1 1 2\n"), HasSubstr("b.obj:2:7: found 2"));
  EXPECT_THAT(refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), HasSubstr("mesh.file"));
  EXPECT_THAT(refuse(std::string("\0\0\0binary", 9)), HasSubstr("binary data"));
}

TEST_F(MeshScene, AMissingSceneIsNamed) {
  try {
    loadScene(folder_ / "none.yaml");
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none.yaml:1:1: the file cannot be read (No such file"));
  }
  EXPECT_THROW(loadScene(folder_.path()), LoadError);  // A folder.
}

}  // namespace
}  // namespace rigor::scenes
