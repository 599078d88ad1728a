// SPDX-License-Identifier: MIT
// Proves what sim/start.h and the constructor promise of starts: overlaps are refused with names and depth, touching
// bodies are moved apart by at most 1e-7 m and said so, separated ones are left alone. Oracle: overlaps of boxes by
// hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "scenes/loader.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;
using ::testing::AllOf;
using ::testing::HasSubstr;

BodyText cubeAt(const std::string& name, const Vector3d& position) {
  BodyText b{name, kCube};
  b.position = position;
  return b;
}

Scene sceneOf(std::vector<BodyText> bodies) {
  SceneText text;
  text.until = 0.05;
  text.bodies = std::move(bodies);
  return text.parse();
}

struct Refusal {
  std::string reason;
  int body;
};

std::optional<Refusal> refusal(const Scene& scene) {
  try {
    Simulation(scene, 0);
  } catch (const SceneError& error) {
    return Refusal{error.what(), error.body};
  }
  return std::nullopt;
}

TEST(Start, OverlapsAreRefusedWithNamesAndDepth) {
  for (const double depth : {1e-6, 1e-3, 0.03}) {
    const auto in_ground = refusal(sceneOf({ground(), cubeAt("die", {0, 0, 0.05 - depth})}));
    ASSERT_TRUE(in_ground) << depth;
    EXPECT_THAT(in_ground->reason, AllOf(HasSubstr("'ground'"), HasSubstr("'die'"), HasSubstr("overlap")));
    EXPECT_EQ(in_ground->body, 1);
    const auto in_each_other =
        refusal(sceneOf({cubeAt("left", {0, 0, 1}), cubeAt("right", {0.1 - depth, 0.02, 1.03})}));
    ASSERT_TRUE(in_each_other) << depth;
    EXPECT_THAT(in_each_other->reason, AllOf(HasSubstr("'left'"), HasSubstr("'right'"), HasSubstr("overlap")));
    EXPECT_THAT(in_each_other->body, ::testing::AnyOf(0, 1));
    for (const auto& r : {*in_ground, *in_each_other}) {
      const size_t by = r.reason.find(" by ");
      ASSERT_NE(by, std::string::npos) << r.reason;
      EXPECT_NEAR(std::strtod(r.reason.c_str() + by + 4, nullptr), depth, 1e-5 * depth + 1e-14) << r.reason;
    }
  }
}

TEST(Start, FixedBodiesMayOverlapEachOther) {
  BodyText wall = cubeAt("wall", {0, 0, 0.02});
  wall.mass = 0;
  EXPECT_FALSE(refusal(sceneOf({ground(), wall, cubeAt("die", {1, 0, 1})})));
}

TEST(Start, MovingBodiesNeedMass) {
  Scene scene = sceneOf({ground(), cubeAt("die", {0, 0, 1})});
  for (const double mass : {0.0, -1.0, std::nan("")}) {
    scene.bodies[1].mass = mass;
    const auto r = refusal(scene);
    ASSERT_TRUE(r) << mass;
    EXPECT_THAT(r->reason, AllOf(HasSubstr("'die'"), HasSubstr("mass")));
    EXPECT_EQ(r->body, 1);
  }
}

TEST(Start, TouchingBodiesAreMovedApartWithAWarning) {
  // Exactly touching, closer than the gap, and overlapping by rounding (1e-9 of the size).
  for (const double gap : {0.0, 5e-9, -1e-13, -1e-11}) {
    SCOPED_TRACE(gap);
    const ProvedRun run = simulate(sceneOf({ground(), cubeAt("die", {0, 0, 0.05 + gap})}));
    EXPECT_EQ(wrong(run), "");
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_THAT(run.warnings[0], HasSubstr("'die'"));
    const double moved = run.positionAt(1, 0).z() - (0.05 + gap);
    EXPECT_GT(moved, 0);
    EXPECT_LE(moved, 1e-7);
    EXPECT_EQ(run.positionAt(1, 0).head<2>(), Eigen::Vector2d(0, 0));
  }
}

TEST(Start, SeparatedBodiesAreLeftAlone) {
  const ProvedRun run =
      simulate(sceneOf({ground(), cubeAt("die", {0, 0, 0.05 + 1.1e-8}), cubeAt("other", {0.2, 0, 1})}));
  EXPECT_EQ(wrong(run), "");
  EXPECT_TRUE(run.warnings.empty());
  for (const int body : {1, 2}) EXPECT_EQ(run.positionAt(body, 0), run.scene.bodies[body].pose.p) << body;
}

TEST(Start, ASceneWithoutMovingBodiesEndsAtOnce) {
  const ProvedRun run = simulate(sceneOf({ground()}));
  EXPECT_EQ(run.summary.status, RunStatus::kDone);
  EXPECT_EQ(run.summary.steps, 0);
}

TEST(Start, TouchingStackIsLiftedFromBelow) {
  std::vector<BodyText> bodies{ground()};
  for (int i = 0; i < 4; ++i) bodies.push_back(cubeAt(fmt::format("cube-{}", i), {0.01 * i, 0, 0.05 + 0.1 * i}));
  const ProvedRun run = simulate(sceneOf(bodies));
  EXPECT_EQ(wrong(run), "");
  EXPECT_EQ(run.warnings.size(), 4u);
  for (int i = 1; i <= 4; ++i) {
    const double moved = (run.positionAt(i, 0) - run.scene.bodies[i].pose.p).norm();
    EXPECT_GT(moved, 0) << i;
    EXPECT_LE(moved, 1e-7) << i;
  }
}

// Each pair gives way by at most 1e-7 m, whatever is below it; the verifier takes such starts too.
TEST(Start, LargeBodiesMayTouchInStacks) {
  for (const double size : {1.0, 100.0}) {
    SCOPED_TRACE(size);
    std::vector<BodyText> bodies{ground()};
    for (int i = 0; i < 6; ++i) {
      bodies.push_back({fmt::format("cube-{}", i), box({size, size, size})});
      bodies.back().position = {0.1 * size * (i % 2), 0, size * (0.5 + i)};
    }
    const ProvedRun run = simulate(sceneOf(bodies));
    EXPECT_EQ(wrong(run), "");
    double below = 0;
    for (int i = 1; i <= 6; ++i) {
      const double moved = (run.positionAt(i, 0) - run.scene.bodies[i].pose.p).norm();
      EXPECT_GT(moved - below, 0) << i;
      EXPECT_LE(moved - below, 1e-7 * (1 + 1e-6) + 1e-14 * 6 * size) << i;  // To a millionth above the gap.
      below = moved;
    }
  }
}

TEST(Start, LargeBodiesMayTouchInCorners) {
  std::vector<BodyText> bodies{ground(), ground({-1, 0, 0}), ground({0, 1, 0})};
  bodies[1].name = "east", bodies[2].name = "south";
  bodies.push_back({"cube", box({1, 1, 1})});
  bodies.back().position = {-0.5, 0.5, 0.5};
  const ProvedRun run = simulate(sceneOf(bodies));
  EXPECT_EQ(wrong(run), "");
  const Vector3d moved = run.positionAt(3, 0) - run.scene.bodies[3].pose.p;
  const double gap = run.gap;
  EXPECT_LT((moved - Vector3d(-gap, gap, gap)).norm(), 1e-5 * gap);
}

TEST(Start, OverlapsInStacksAreNotTakenForPushes) {
  const double depth = 5e-8;  // Less than the pushes from below.
  std::vector<BodyText> bodies{ground()};
  for (int i = 0; i < 3; ++i) {
    bodies.push_back({fmt::format("cube-{}", i), box({1, 1, 1})});
    bodies.back().position = {0, 0, 0.5 + i - (i == 2 ? depth : 0)};
  }
  const auto overlap = refusal(sceneOf(bodies));
  ASSERT_TRUE(overlap);
  EXPECT_THAT(overlap->reason,
              AllOf(HasSubstr("'cube-1'"), HasSubstr("'cube-2'"), HasSubstr("overlap"), HasSubstr("5e-08")));
}

TEST(Start, SeveralRestitutionsAreRefusedWhereTheModelTakesOne) {
  Scene scene = sceneOf({ground(), cubeAt("left", {0, 0, 1}), cubeAt("right", {1, 0, 1})});
  scene.impact_model = "propagative";
  for (Body& body : scene.bodies) body.material.restitution = 0;
  EXPECT_FALSE(refusal(scene));
  scene.bodies[1].material.restitution = 0.5;
  const auto refused = refusal(scene);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->reason,
              AllOf(HasSubstr("'propagative'"), HasSubstr("'left'"), HasSubstr("'right'"), HasSubstr("0.5")));
  scene.impact.own["different_restitutions"] = std::string("layers");
  EXPECT_FALSE(refusal(scene));
  scene.impact.own.clear();
  for (Body& body : scene.bodies) body.material.restitution = 0.5;
  EXPECT_FALSE(refusal(scene));
  scene.bodies[1].material.restitution = 0.9;
  scene.impact_model = "routh";
  EXPECT_FALSE(refusal(scene));

  Scene robot = scenes::loadScene(RIGOR_SOURCE_DIR "/scenes/quadruped-drop.yaml");
  robot.impact_model = "propagative";
  EXPECT_FALSE(refusal(robot));
  dynamics::Robot& quadruped = robot.robots[0].robot;
  quadruped.limit_restitution.assign(quadruped.model->numJoints(), 0.5);
  const auto limit = refusal(robot);
  ASSERT_TRUE(limit);
  EXPECT_THAT(limit->reason,
              AllOf(HasSubstr("'propagative'"), HasSubstr("the limit of joint 'quadruped/"), HasSubstr("0.5")));
}

}  // namespace
}  // namespace rigor::sim::test
