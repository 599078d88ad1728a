// SPDX-License-Identifier: MIT
// Proves: the draw list holds what is shown, at the recorded places, overlays by their switch; picking hits the nearest
// body. Oracles: poses of the record, geometry in closed form, a null renderer that only keeps the list.
#include "viewer/scene_painter.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "scenes/loader.h"
#include "tests/viewer/branching_record.h"
#include "viewer/final_states.h"

namespace rigor::viewer {
namespace {

sim::Scene twoCubes(double gap) {
  sim::Scene scene;
  scene.name = "two";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("low", 0.1), synthetic::cube("high", 0.1)};
  scene.bodies[1].pose.p = {0, 0, 0.05 + gap};
  scene.bodies[2].pose.p = {0.03, 0, 0.15 + 2 * gap};
  scene.bodies[2].velocity = {1, 0, 0};
  return scene;
}

TEST(ScenePainter, BodiesAreWhereTheRecordSays) {
  const auto model = RunModel::fromScene(twoCubes(1e-8));
  ScenePainter painter(*model);
  View view;
  DrawList list;
  painter.paint(*model, view, {}, list);
  ASSERT_EQ(list.meshes.size(), 2u);
  for (const MeshInstance& instance : list.meshes) {
    const Eigen::Vector3f p = instance.placement.topRightCorner<3, 1>();
    const Eigen::Vector3d world = list.origin + p.cast<double>();
    EXPECT_LT((world - painter.placements()[instance.body].pose.p).norm(), 1e-7);
    EXPECT_EQ(painter.meshes()[instance.mesh].vertices.size(), 36u);
    EXPECT_EQ(painter.meshes()[instance.mesh].edges.size(), 24u);
  }
  EXPECT_NE(list.meshes[0].color, list.meshes[1].color);
  ASSERT_EQ(list.grounds.size(), 1u);
  EXPECT_NEAR(list.origin[2] + list.grounds[0].point[2], 0, 1e-7);
  EXPECT_TRUE(list.dots.empty() && list.arrows.empty() && list.labels.empty());
}

TEST(ScenePainter, ContactsAreTheCornersOfTheTouchingFaces) {
  const auto model = RunModel::fromScene(twoCubes(1e-8));
  ScenePainter painter(*model);
  View view;
  view.set(Overlay::kContacts, true);
  view.set(Overlay::kNormals, true);
  DrawList list;
  painter.paint(*model, view, {}, list);
  // Four corners on the table, and the four corners of the overlap, .07 wide, between the cubes.
  ASSERT_EQ(list.dots.size(), 8u);
  ASSERT_EQ(list.arrows.size(), 8u);
  std::set<std::pair<long, long>> between;
  for (const ShownContact& contact : painter.contacts().contacts()) {
    EXPECT_NEAR(contact.gap, 1e-8, 1e-15);
    EXPECT_NEAR(contact.normal[2], 1, 1e-12);
    if (contact.pair.body_a == 1)
      between.insert({std::lround(1000 * contact.point[0]), std::lround(1000 * contact.point[1])});
    else
      EXPECT_NEAR(contact.point[2], 0.5e-8, 1e-15);
  }
  EXPECT_EQ(between, (std::set<std::pair<long, long>>{{-20, -50}, {-20, 50}, {50, -50}, {50, 50}}));
  const auto apart = RunModel::fromScene(twoCubes(1e-6));
  ScenePainter other(*apart);
  other.paint(*apart, view, {}, list);
  EXPECT_TRUE(list.dots.empty());
}

TEST(ScenePainter, OverlaysAreSwitchedOneByOne) {
  const auto model = RunModel::fromScene(twoCubes(1e-3));
  ScenePainter painter(*model);
  DrawList list;
  const auto paint = [&](Overlay overlay) {
    View view;
    view.set(overlay, true);
    painter.paint(*model, view, {}, list);
  };
  paint(Overlay::kClosest);
  EXPECT_EQ(list.lines.size(), 2u);
  paint(Overlay::kGaps);
  ASSERT_EQ(list.labels.size(), 2u);
  EXPECT_EQ(list.labels[0].text, "1 mm");
  paint(Overlay::kVelocities);
  ASSERT_EQ(list.arrows.size(), 1u);
  EXPECT_NEAR((list.arrows[0].to - list.arrows[0].from)[0], 0.1f, 1e-6f);  // 1 m/s for 0.1 s.
  paint(Overlay::kNames);
  ASSERT_EQ(list.labels.size(), 2u);
  EXPECT_EQ(list.labels[0].text, "low");
  paint(Overlay::kAxes);
  EXPECT_EQ(list.lines.size(), 6u);
  paint(Overlay::kWireframe);
  EXPECT_TRUE(list.meshes[0].wireframe);
}

TEST(ScenePainter, WitnessesLieBetweenTheirParts) {
  const auto model = RunModel::fromScene(twoCubes(1e-3));
  ScenePainter painter(*model);
  View view;
  view.set(Overlay::kWitnesses, true);
  Annotations annotations;
  annotations.witnesses = {{{0, 0, 1, 0}, {0, 1, {}, 1e-3, 0, 0}}, {{1, 0, 2, 0}, {0, 1, {}, 1e-3, 0, 0}},
                           {{1, 7, 2, 0}, {}}, {{1, 0, 99, 0}, {}}};  // The last two are damage.
  DrawList list;
  painter.paint(*model, view, annotations, list);
  ASSERT_EQ(list.patches.size(), 2u);
  for (const Eigen::Vector3f& corner : list.patches[0].corners)
    EXPECT_NEAR(list.origin[2] + corner[2], 0.0005, 1e-8);
  for (const Eigen::Vector3f& corner : list.patches[1].corners)
    EXPECT_NEAR(list.origin[2] + corner[2], 0.1015, 1e-8);
}

TEST(ScenePainter, GhostsAreTheBodiesThatDiffer) {
  const synthetic::TemporaryRecord file("view_ghosts");
  synthetic::ForkedDie run;
  run.write(file.path);
  const auto model = RunModel::openRecord(file.path);
  ScenePainter painter(*model);
  View view;
  view.branch = 1;
  view.ghosts = {1, 2, 3};
  view.set(Overlay::kGhosts, true);
  view.time = run.fork / 2;  // Still one.
  DrawList list;
  painter.paint(*model, view, {}, list);
  EXPECT_EQ(list.meshes.size(), 2u);  // The die and its pips.
  view.time = run.end;
  painter.paint(*model, view, {}, list);
  ASSERT_EQ(list.meshes.size(), 4u);
  EXPECT_FALSE(list.meshes[0].ghost || list.meshes[1].ghost);
  EXPECT_TRUE(list.meshes[2].ghost && list.meshes[3].ghost);
  EXPECT_LT(list.meshes[2].color.a, 1);
  // x of the outcomes differ by 0.4 m/s each.
  EXPECT_NEAR(list.meshes[3].placement(0, 3) - list.meshes[2].placement(0, 3), 0.4 * (run.end - run.fork), 1e-6);
}

TEST(ScenePainter, TrailsFollowTheRecordedWay) {
  const synthetic::TemporaryRecord file("view_trails");
  synthetic::ForkedDie run;
  run.write(file.path);
  const auto model = RunModel::openRecord(file.path);
  ScenePainter painter(*model);
  View view;
  view.branch = 2;
  view.trail_length = 0.1;
  view.set(Overlay::kTrails, true);
  DrawList list;
  for (const double t : {0.05, 0.12, 0.13, 0.09, 0.2}) {  // Forward and backward: samples are kept between.
    view.time = t;
    painter.paint(*model, view, {}, list);
    ASSERT_FALSE(list.lines.empty());
    for (const Line& line : list.lines) {
      // The parabola of v0 before the fork, that of the branch after it: z alone tells the time.
      const Eigen::Vector3d p = list.origin + line.a.cast<double>();
      EXPECT_GE(p[2], 0.4);
      EXPECT_LE(p[2], 1);
    }
    const Eigen::Vector3d last = list.origin + list.lines.back().b.cast<double>();
    EXPECT_LT((last - painter.placements()[1].pose.p).norm(), 1e-6);
  }
}

TEST(ScenePainter, PicksTheNearestBodyUnderTheMouse) {
  const auto model = RunModel::fromScene(twoCubes(1e-8));
  std::vector<Placement> placements;
  model->placementsAt(0, 0, placements);
  double distance;
  EXPECT_EQ(ScenePainter::pick(*model, placements, {{0, 0, 1}, {0, 0, -1}}, &distance), 2);
  EXPECT_NEAR(distance, 0.8, 1e-7);
  EXPECT_EQ(ScenePainter::pick(*model, placements, {{-0.04, 0, 1}, {0, 0, -1}}, &distance), 1);
  EXPECT_EQ(ScenePainter::pick(*model, placements, {{-0.06, 0, 1}, {0, 0, -1}}, nullptr), -1);
  EXPECT_EQ(ScenePainter::pick(*model, placements, {{0, 0, 1}, {0, 0, 1}}, nullptr), -1);  // Behind.
}

TEST(ScenePainter, LengthsReadWell) {
  EXPECT_EQ(lengthText(1.2345), "1.23 m");
  EXPECT_EQ(lengthText(0.1), "100 mm");
  EXPECT_EQ(lengthText(1e-8), "10 nm");
  EXPECT_EQ(lengthText(5e-9), "5 nm");
  EXPECT_EQ(lengthText(2.5e-5), "25 \xC2\xB5m");
  EXPECT_EQ(lengthText(0.001), "1 mm");
  EXPECT_EQ(lengthText(3e-13), "0.3 pm");
}

TEST(ScenePainter, JointAxesPassThroughTheirAnchors) {
  // The pendulum's hinge is fixed in the world, whatever the angle: at the robot's place, its axis across.
  const sim::Scene scene = scenes::loadScene(RIGOR_SOURCE_DIR "/scenes/pendulum.yaml");
  const auto model = RunModel::fromScene(scene);
  ASSERT_EQ(model->joints().size(), 1u);
  ScenePainter painter(*model);
  View view;
  view.set(Overlay::kJoints, true);
  DrawList list;
  painter.paint(*model, view, {}, list);
  ASSERT_EQ(list.lines.size(), 1u);
  const auto& joint = scene.robots[0].robot.model->joint(0);
  const Eigen::Vector3d a = list.origin + list.lines[0].a.cast<double>(),
                        b = list.origin + list.lines[0].b.cast<double>();
  EXPECT_NEAR(std::abs((b - a).normalized().dot(joint.axis.normalized())), 1, 1e-6);
  EXPECT_LT(((a + b) / 2 - Eigen::Vector3d(0, 0, 1.5)).norm(), 1e-6);
}

TEST(ScenePainter, DiceHavePipsThatAddToSeven) {
  sim::Scene scene = twoCubes(1e-3);
  scene.bodies[1].name = "die";
  const auto model = RunModel::fromScene(scene);
  ScenePainter painter(*model);
  ASSERT_EQ(painter.meshes().size(), 3u);
  const Mesh& pips = painter.meshes()[1];
  std::map<std::array<int, 3>, int> triangles;  // By the direction of the face.
  for (const Mesh::Vertex& v : pips.vertices) {
    ++triangles[{static_cast<int>(std::lround(v.normal[0])), static_cast<int>(std::lround(v.normal[1])),
                 static_cast<int>(std::lround(v.normal[2]))}];
    EXPECT_NEAR(v.position.dot(v.normal), 0.05, 2e-4);  // Just above the face.
    EXPECT_LT(v.position.cwiseAbs().maxCoeff(), 0.0502);
  }
  ASSERT_EQ(triangles.size(), 6u);
  const int one = triangles[{0, 0, 1}];
  for (const auto& [normal, count] : triangles) {
    EXPECT_EQ((count + triangles[{-normal[0], -normal[1], -normal[2]}]), 7 * one);
    EXPECT_EQ(count / one, faceUp(Eigen::Matrix3d::Identity(), Eigen::Vector3d(normal[0], normal[1], normal[2])));
  }
  DrawList list;
  View view;
  painter.paint(*model, view, {}, list);
  EXPECT_EQ(list.meshes.size(), 3u);
  view.set(Overlay::kPips, false);
  painter.paint(*model, view, {}, list);
  EXPECT_EQ(list.meshes.size(), 2u);
}

TEST(ScenePainter, RoundBodiesShowNoFacets) {
  sim::Scene scene = twoCubes(1e-3);
  std::vector<Eigen::Vector3d> rim;
  for (int i = 0; i < 24; ++i)
    for (const double z : {-0.05, 0.05})
      rim.push_back({0.05 * std::cos(i * M_PI / 12), 0.05 * std::sin(i * M_PI / 12), z});
  scene.bodies[1].parts = {geom::Polytope::fromPoints(rim)};
  const auto model = RunModel::fromScene(scene);
  EXPECT_EQ(ScenePainter(*model).meshes()[0].edges.size(), 2u * 48);  // Of the two ends; the sides' are 15 degrees.
}

}  // namespace
}  // namespace rigor::viewer
