// SPDX-License-Identifier: MIT
// Proves that balls meet polytopes and each other as balls do. Oracles: rolling on the top of a box; the ball that
// slides or rolls off an edge, a corner, a rim or another ball by the energy integral; elastic and rough collisions of
// two balls, and rebounds from edges and corners, in closed form; a heap that stands. Every run verifies.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "random_throws.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kBallGravity = 9.81, kBallRadius = 0.05;
const std::string kBall = "{sphere: {radius: 0.05, round: true}}";

BodyText ball(const std::string& name, const Vector3d& position, const Vector3d& velocity = {0, 0, 0}) {
  BodyText body{name, kBall};
  body.position = position, body.velocity = velocity;
  return body;
}

/// A fixed box of 1 m, its top at z = 0.
BodyText table() {
  BodyText body{"table", box({1, 1, 0.2}), 0};
  body.position = {0, 0, -0.1};
  return body;
}

TEST(Balls, RollOnABoxWithoutLoss) {
  SceneText text;
  text.until = 0.8;
  text.bodies = {table(), ball("ball", {-0.4, 0, kBallRadius}, {1, 0, 0})};
  text.bodies[1].angular_velocity = {0, 1 / kBallRadius, 0};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_NEAR(run.endPosition(1).x(), 0.4, 1e-9);
  EXPECT_LT((run.last(1).v_end - Vector3d(1, 0, 0)).norm(), 1e-11);
  EXPECT_NEAR(run.last(1).w_end.y() * kBallRadius, 1, 1e-11);
}

TEST(Balls, RollOverTheSeamsOfAField) {
  SceneText text;
  text.until = 0.8;
  const std::string row = "[0, 0, 0, 0, 0, 0, 0]";
  text.bodies = {{"field", fmt::format("{{heightfield: {{heights: [{0}, {0}, {0}, {0}], size: [1, 0.4]}}}}", row), 0},
                 ball("ball", {-0.4, 0.03, kBallRadius}, {1, 0.02, 0})};
  text.bodies[1].angular_velocity = {-0.02 / kBallRadius, 1 / kBallRadius, 0};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_EQ(run.summary.impacts, 0);
  EXPECT_LT((run.endPosition(1).head<2>() - Eigen::Vector2d(0.4, 0.046)).norm(), 1e-9);
  EXPECT_LT((run.last(1).v_end - Vector3d(1, 0.02, 0)).norm(), 1e-11);
}

TEST(Balls, SlipOnABoxAsOnAPlane) {
  SceneText text;
  text.friction = "0.2";
  text.until = 0.9;
  text.bodies = {table(), ball("ball", {-0.4, 0, kBallRadius}, {0.8, 0, 0})};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_NEAR(run.last(1).v_end.x(), 0.8 / 1.4, 1e-7);
  text.bodies[0] = ground();
  const ProvedRun plane = simulate(text.parse());
  ASSERT_EQ(wrong(plane), "");
  EXPECT_LT((run.endPosition(1) - plane.endPosition(1)).norm(), 1e-12);
}

/// A fixed cube whose edge from (0, -1, 0) to (0, 1, 0) carries the ball, and of which x and z are negative.
BodyText edge() {
  BodyText body{"edge", box({2, 2, 2}), 0};
  body.position = {-1, 0, -1};
  return body;
}

/// A ball that touches the origin, at an angle to the vertical towards `aside` (unit, horizontal).
BodyText ballOnOrigin(double angle, const Vector3d& aside, double radius = kBallRadius) {
  return ball("ball", radius * (std::sin(angle) * aside + std::cos(angle) * Vector3d::UnitZ()));
}

/// A ball that starts at rest leaves what it slides (k = 1) or rolls (k = 7/5) over where the energy's speed is that of
/// free fall: m v^2 / r = m g cos, k v^2 / 2 = g r (cos of the start - cos); r from the centre about which it turns.
struct Leaves {
  double cosine, speed;
  Leaves(double k, double r, double start, double start_speed = 0) {
    cosine = (2 * std::cos(start) + k * start_speed * start_speed / (kBallGravity * r)) / (2 + k);
    speed = std::sqrt(kBallGravity * r * cosine);
  }
  double aside() const { return speed * cosine; }  ///< Horizontal velocity, which stays.
  /// A contact that lets go a little late changes what it turns in proportion, and `aside` to second order alone.
  static constexpr double kSpin = 5e-4;
};

TEST(Balls, SlideAndRollOffEdgesAndCorners) {
  const Vector3d diagonal = Vector3d(1, 1, 0).normalized();
  for (const bool rolls : {false, true})
    for (const bool corner : {false, true}) {
      SCOPED_TRACE(fmt::format("rolls {} corner {}", rolls, corner));
      const Vector3d aside = corner ? diagonal : Vector3d(1, 0, 0);
      SceneText text;
      text.friction = rolls ? "no-slip" : "0";
      text.solver = "velocity_tolerance: 1e-6";
      text.until = 0.4;
      text.bodies = {edge(), ballOnOrigin(0.2, aside)};
      if (corner) text.bodies[0].position = {-1, -1, -1};
      const ProvedRun run = simulate(text.parse());
      ASSERT_EQ(wrong(run), "");
      const Leaves leaves(rolls ? 1.4 : 1, kBallRadius, 0.2);
      EXPECT_NEAR(run.last(1).v_end.dot(aside), leaves.aside(), 1e-4 * leaves.speed);
      EXPECT_LT((run.last(1).v_end - run.last(1).v_end.dot(aside) * aside).head<2>().norm(), 1e-9);
      EXPECT_NEAR(run.last(1).w_end.norm() * kBallRadius, rolls ? leaves.speed : 0, leaves.kSpin * leaves.speed);
    }
}

TEST(Balls, RollOverTheRimOfABox) {
  const double speed = 0.3;
  SceneText text;
  text.friction = "no-slip";
  text.solver = "velocity_tolerance: 1e-6";
  text.until = 1;
  text.bodies = {edge(), ball("ball", {-0.1, 0, kBallRadius}, {speed, 0, 0})};
  text.bodies[1].angular_velocity = {0, speed / kBallRadius, 0};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  const Leaves leaves(1.4, kBallRadius, 0, speed);
  EXPECT_NEAR(run.last(1).v_end.x(), leaves.aside(), 1e-4 * leaves.speed);
  EXPECT_NEAR(run.last(1).w_end.y() * kBallRadius, leaves.speed, leaves.kSpin * leaves.speed);
}

TEST(Balls, SlideAndRollOffAnotherBall) {
  for (const bool rolls : {false, true}) {
    SCOPED_TRACE(rolls);
    SceneText text;
    text.friction = rolls ? "no-slip" : "0";
    text.solver = "velocity_tolerance: 1e-6";
    text.until = 0.5;
    BodyText globe{"globe", "{sphere: {radius: 0.1, round: true}}", 0};
    text.bodies = {globe, ballOnOrigin(0.2, {1, 0, 0}, 0.1 + kBallRadius)};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    const Leaves leaves(rolls ? 1.4 : 1, 0.1 + kBallRadius, 0.2);
    EXPECT_NEAR(run.last(1).v_end.x(), leaves.aside(), 1e-4 * leaves.speed);
    EXPECT_NEAR(run.last(1).w_end.y() * kBallRadius, rolls ? leaves.speed : 0, leaves.kSpin * leaves.speed);
  }
}

/// Two balls in free space, one at rest at the origin, the other on a line that passes it at the distance `off`.
SceneText billiard(double off) {
  SceneText text;
  text.gravity = {0, 0, 0};
  text.until = 0.5;
  text.bodies = {ball("rests", {0, 0, 0}), ball("comes", {-0.3, off, 0}, {1, 0, 0})};
  return text;
}

TEST(Balls, CollideAlongTheLineOfCentres) {
  const double off = 0.06;
  SceneText text = billiard(off);
  text.friction = "0", text.restitution = 1;
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  const double sine = off / (2 * kBallRadius + run.gap);
  const Vector3d n(std::sqrt(1 - sine * sine), -sine, 0);  // Equal masses exchange what is along it.
  EXPECT_LT((run.last(0).v_end - n.x() * n).norm(), 1e-7);
  EXPECT_LT((run.last(1).v_end - (Vector3d(1, 0, 0) - n.x() * n)).norm(), 1e-7);
  EXPECT_LT(run.last(0).w_end.norm() + run.last(1).w_end.norm(), 1e-12);
}

TEST(Balls, GripEachOtherByFriction) {
  const double off = 0.06;
  SceneText text = billiard(off);
  text.friction = "no-slip";
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  const double sine = off / (2 * kBallRadius + run.gap);
  const Vector3d n(std::sqrt(1 - sine * sine), -sine, 0), t(sine, n.x(), 0);
  // Of the normal velocity each has half; the slip ends by m u / 7 as both turn: 2 (1 + 5/2) / m.
  const Vector3d P = n.x() / 2 * n + sine / 7 * t;
  EXPECT_LT((run.last(0).v_end - P).norm(), 1e-6);
  EXPECT_LT((run.last(1).v_end - (Vector3d(1, 0, 0) - P)).norm(), 1e-6);
  const double spin = 2.5 * sine / 7 / kBallRadius;  // r P_t / I, of both alike.
  EXPECT_NEAR(run.last(0).w_end.norm(), spin, 1e-4);
  EXPECT_NEAR((run.last(0).w_end - run.last(1).w_end).norm(), 0, 1e-4);
}

TEST(Balls, FallOnFacesEdgesAndCornersAndRestitutionHolds) {
  for (const Vector3d& start : {Vector3d(-0.5, 0, 0.3), Vector3d(0.01, 0, 0.3), Vector3d(0.01, 1.02, 0.3)}) {
    SCOPED_TRACE(start.transpose());
    SceneText text;
    text.friction = "0", text.restitution = 0.5;
    text.until = 0.3;
    text.bodies = {edge(), ball("ball", start)};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    ASSERT_GE(run.impacts.size(), 1u);
    const Vector3d nearest = start.cwiseMin(Vector3d(0, 1, 0)), off = Vector3d(1, 1, 0).cwiseProduct(start - nearest);
    const double reach = kBallRadius + run.gap, height = std::sqrt(reach * reach - off.squaredNorm()),
                 speed = std::sqrt(2 * kBallGravity * (start.z() - height));
    const Vector3d n = (off + height * Vector3d::UnitZ()) / reach;
    const Vector3d after = -speed * Vector3d::UnitZ() + 1.5 * speed * n.z() * n;
    EXPECT_LT((run.last(1).v_end.head<2>() - after.head<2>()).norm(), 1e-5);
  }
}

TEST(Balls, StandOnEachOther) {
  SceneText text;
  text.friction = "0.6";
  text.until = 2;
  const double side = 2 * kBallRadius / std::sqrt(3.0);
  text.bodies = {table()};
  for (int k = 0; k < 3; ++k)
    text.bodies.push_back(ball(fmt::format("ball{}", k), {side * std::cos(2 * M_PI * k / 3),
                                                          side * std::sin(2 * M_PI * k / 3), kBallRadius}));
  text.bodies.push_back(ball("top", {0, 0, kBallRadius + std::sqrt(4 * kBallRadius * kBallRadius - side * side)}));
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  for (int k = 1; k <= 4; ++k) EXPECT_LT((run.endPosition(k) - text.bodies[k].position).norm(), 1e-5) << k;
}

std::string anyBall(Chance& chance) {
  return fmt::format("{{sphere: {{radius: {}, round: true}}}}", chance.uniform(0.03, 0.1));
}

const ThrownKind kBalls{"ball", 4, 0.7, 1, 0.25, anyBall};

TEST(Balls, RandomThrowsAreProved) { proveRandomThrows(kBalls, 20, 1); }
TEST(SlowBalls, RandomThrowsAreProved) { proveRandomThrows(kBalls, 300, 1000); }

}  // namespace
}  // namespace rigor::sim::test
