// SPDX-License-Identifier: MIT
// Proves that motion in contact and in flight is the one that mechanics says. Oracles: closed forms of the sliding box
// (level and inclined), of the bouncing octahedron and of the parabola; invariants of the free top. Every run verifies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr double kWeight = 9.81;
const Vector3d kPlate(0.4, 0.4, 0.1);  // Low: friction below 4 does not tip it.
/// A little above the nominal gap of that box, inside the band: in contact from the start.
constexpr double kStartGap = 4e-8;
/// Positions after sliding [m]: the box sinks from its start to the nominal gap, which costs it 1e-8 m; it slides level
/// to within that, so mu N is mu m g to 1e-6.
constexpr double kPositionTolerance = 1e-6;

BodyText plate(const Vector3d& velocity) {
  BodyText b{"plate", box(kPlate)};
  b.position = {0, 0, 0.05 + kStartGap};
  b.velocity = velocity;
  return b;
}

TEST(Sliding, BoxBrakesOnTheParabola) {
  for (const double mu : {0.1, 0.3, 0.8})
    for (const double speed : {0.2, 1.0, 3.0}) {
      SCOPED_TRACE(fmt::format("mu {} speed {}", mu, speed));
      const Vector3d direction(0.8, -0.6, 0);
      const double time = speed / (mu * kWeight), distance = speed * speed / (2 * mu * kWeight);
      SceneText text;
      text.friction = fmt::format("{}", mu);
      text.until = 1.5 * time;
      text.bodies = {ground(), plate(speed * direction)};
      const ProvedRun run = simulate(text.parse());
      ASSERT_EQ(wrong(run), "");
      // It rests in the end; on the way it is where the parabola says.
      EXPECT_LT(endSpeed(run, 1), 1e-9);
      EXPECT_LE(largestStepGain(run, 1), 1e-12 * run.energy_scale);
      for (const double share : {0.25, 0.5, 0.75}) {
        const double t = share * time;
        EXPECT_NEAR(run.positionAt(1, t).dot(direction), speed * t - 0.5 * mu * kWeight * t * t,
                    kPositionTolerance * distance);
      }
    }
}

/// Time from which on the body's speed is zero.
double stopTime(const ProvedRun& run, int body) {
  double time = run.summary.time;
  for (size_t i = run.pieces.size(); i-- > 0;) {
    const PieceRecord& r = run.pieces[i];
    if (r.body != body) continue;
    if (r.v_start.norm() > 1e-9) break;
    time = r.piece.t0;
  }
  return time;
}

TEST(Sliding, BoxStopsAfterItsBrakingDistance) {
  for (const double mu : {0.1, 0.3, 0.8})
    for (const double speed : {0.2, 1.0, 3.0}) {
      SCOPED_TRACE(fmt::format("mu {} speed {}", mu, speed));
      const Vector3d direction(0.8, -0.6, 0);
      const double time = speed / (mu * kWeight), distance = speed * speed / (2 * mu * kWeight);
      SceneText text;
      text.friction = fmt::format("{}", mu);
      text.until = 1.5 * time;
      text.bodies = {ground(), plate(speed * direction)};
      const ProvedRun run = simulate(text.parse());
      ASSERT_EQ(wrong(run), "");
      const Vector3d end = run.endPosition(1);
      EXPECT_NEAR(end.dot(direction), distance, kPositionTolerance * distance);
      EXPECT_NEAR(end.cross(direction).z(), 0, kPositionTolerance * distance);
      EXPECT_NEAR(stopTime(run, 1), time, kPositionTolerance * time);
      EXPECT_LT(endSpeed(run, 1), 1e-9);
      // On the way it is where the parabola says.
      for (const double share : {0.25, 0.5, 0.75}) {
        const double t = share * time;
        EXPECT_NEAR(run.positionAt(1, t).dot(direction), speed * t - 0.5 * mu * kWeight * t * t,
                    kPositionTolerance * distance);
      }
    }
}

// A run that does not go on with the scene's velocity says so in an impact at its start, with the impulses that changed
// it.
TEST(Sliding, WhatContactsTakeAtTheStartIsAnImpact) {
  struct Case { const char* friction; double speed; };
  for (const auto& [friction, speed] :
       {Case{"no-slip", 3}, Case{"no-slip", 1e-3}, Case{"10", 5e-3}, Case{"0.4", 2e-4}}) {
    SCOPED_TRACE(fmt::format("mu {} speed {}", friction, speed));
    SceneText text;
    text.friction = friction;
    text.until = 1;
    text.bodies = {ground(), plate({speed, 0, 0})};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    ASSERT_FALSE(run.impacts.empty());
    const ImpactRecord& start = run.impacts[0];
    EXPECT_EQ(start.time, 0);
    ASSERT_EQ(start.bodies, std::vector<int>{1});
    EXPECT_EQ(start.before[0].head<3>(), Vector3d(speed, 0, 0));
    Vector3d impulse = Vector3d::Zero();
    for (const ImpactContactRecord& c : start.contacts)
      impulse += c.impulse[0] * c.normal + c.impulse[1] * c.tangent + c.impulse[2] * c.normal.cross(c.tangent);
    EXPECT_LT((impulse - (start.after[0] - start.before[0]).head<3>()).norm(), 1e-9 * speed);  // Its mass is 1.
    // The first tips about its front edge: m v h / I of the edge. The others stop: gravity holds them down within the
    // event window.
    const double height = 0.05, inertia = (0.16 + 0.01) / 12 + 0.04 + height * height;
    const bool tips = speed > 1;
    EXPECT_NEAR(start.after[0][4], tips ? speed * height / inertia : 0, 1e-6 * speed);
  }
}

TEST(Sliding, WithoutFrictionItGoesOn) {
  SceneText text;
  text.friction = "0";
  text.until = 5;
  text.bodies = {ground(), plate({1, 2, 0})};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_LT((run.endPosition(1).head<2>() - Eigen::Vector2d(5, 10)).norm(), 1e-9);
  EXPECT_LT((run.last(1).v_end - Vector3d(1, 2, 0)).norm(), 1e-9);
}

ProvedRun onIncline(double slope, const std::string& friction, double until) {
  SceneText text;
  text.friction = friction;
  text.until = until;
  const Vector3d normal(std::sin(slope), 0, std::cos(slope));  // Down the slope is +x.
  BodyText b{"plate", box(kPlate)};
  b.position = (0.05 + kStartGap) * normal;
  b.orientation = {std::cos(slope / 2), 0, std::sin(slope / 2), 0};
  text.bodies = {ground(normal), b};
  return simulate(text.parse());
}

TEST(Sliding, StaysOnASlopeBelowTheAngleOfFriction) {
  for (const double slope : {0.1, 0.3, 0.6})
    for (const double share : {1.05, 2.0}) {
      SCOPED_TRACE(fmt::format("slope {} mu/tan {}", slope, share));
      const ProvedRun run = onIncline(slope, fmt::format("{}", share * std::tan(slope)), 5);
      ASSERT_EQ(wrong(run), "");
      const Vector3d moved = run.endPosition(1) - run.positionAt(1, 0);
      const Vector3d down(std::cos(slope), 0, -std::sin(slope));
      EXPECT_NEAR(moved.dot(down), 0, 1e-9);
      EXPECT_LT(moved.norm(), 1e-7);  // It may sink to the nominal gap.
    }
}

// Slow slip for long: whatever is across it must die out, not grow.
TEST(Sliding, SlidesStraightWhereFrictionNearlyBalancesTheSlope) {
  for (const double slope : {0.3, 0.46})
    for (const double share : {0.99, 0.998, 0.9995, 0.9999}) {
      SCOPED_TRACE(fmt::format("slope {} share {}", slope, share));
      const double mu = share * std::tan(slope), until = 4;
      const ProvedRun run = onIncline(slope, fmt::format("{:.17g}", mu), until);
      ASSERT_EQ(wrong(run), "");
      const Vector3d down(std::cos(slope), 0, -std::sin(slope)), moved = run.endPosition(1) - run.positionAt(1, 0);
      const double acceleration = kWeight * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_NEAR(moved.dot(down), 0.5 * acceleration * until * until, kPositionTolerance);
      EXPECT_NEAR(moved.y(), 0, kPositionTolerance);
      EXPECT_NEAR(run.last(1).v_end.dot(down), acceleration * until, kPositionTolerance);
      EXPECT_LE(run.summary.steps, 60);
    }
}

TEST(Sliding, SlidesDownASteeperOne) {
  for (const double slope : {0.1, 0.3, 0.6})
    for (const double share : {0.0, 0.5, 0.9}) {
      SCOPED_TRACE(fmt::format("slope {} mu/tan {}", slope, share));
      const double mu = share * std::tan(slope);
      const ProvedRun run = onIncline(slope, fmt::format("{:.17g}", mu), 1);
      ASSERT_EQ(wrong(run), "");
      const Vector3d down(std::cos(slope), 0, -std::sin(slope));
      const double acceleration = kWeight * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_NEAR((run.endPosition(1) - run.positionAt(1, 0)).dot(down), 0.5 * acceleration, kPositionTolerance);
      EXPECT_NEAR(run.last(1).v_end.dot(down), acceleration, kPositionTolerance);
    }
}

BodyText block(const std::string& name, const Vector3d& size, double density, const Vector3d& position,
               const Vector3d& velocity, double spin) {
  BodyText b{name, box(size), density * size.prod()};
  b.position = position, b.velocity = velocity, b.angular_velocity = {0, 0, spin};
  return b;
}

TEST(Sliding, ACubeThatJamsOnAnotherGoesOnAtOnce) {
  // The upper one slides over the lower; after .04 s no accelerations satisfy their contacts any more (Painleve).
  SceneText text;
  text.friction = "1";
  text.until = 0.1;
  text.bodies = {ground(),
                 block("lower", {1, 1, 1}, 100, {-0.0056308017965589485, 0, 0.5},
                       {0.6201816431336254, 1.4009604279032664, 0}, 3.9959058530758167),
                 block("upper", {1, 1, 1}, 100, {-0.028260406553292983, 0, 1.5},
                       {2.4777741536141518, 0.0031318843100395905, 0}, 0.6650746391689277)};
  const ProvedRun run = simulate(text.parse());
  EXPECT_EQ(wrong(run), "");
  EXPECT_LT(run.summary.steps, 200);  // It took steps of 3 ns.
}

TEST(Sliding, AThrownCubeThatJamsOnACornerGoesOn) {
  // After .34 s one of two thrown cubes stands on a corner that slides and jams: its velocity jumps, however short the
  // step is.
  SceneText text;
  text.friction = "1.5";
  text.until = 0.5;
  text.bodies = {ground(),
                 {"die", kCube, 1, {0, 0, 0.28359018212200254},
                  {0.12520920256832002, 0.4674850348388184, -0.7339385184995428, -0.27910575705435403},
                  {-0.9466856338794278, -0.7303673263803099, -1.7044635346824348},
                  {9.10004482922253, -3.5155274800602427, 8.83961947246117}},
                 {"second", kCube, 1, {-0.039169106230122444, 0.012892143624780278, 0.9},
                  {0.09869111301051814, -0.26719207443074366, -0.7539853048249407, -0.10673884411258538},
                  {-0.45586165458831873, -0.2830034140556559, -0.7618004262463931},
                  {7.674007053873744, 8.052476055387462, -6.75594485220482}}};
  const ProvedRun run = simulate(text.parse());
  EXPECT_EQ(wrong(run), "");
}

TEST(Sliding, AStackWithoutSlipThatIsKickedWithSpinGoesOn) {
  // Up to twenty contacts whose problem often has no solution without slip.
  SceneText text;
  text.friction = "no-slip";
  text.until = 0.02;
  text.bodies = {ground(),
                 block("first", {1, 1, 1}, 1e4, {-0.03688654929398215, 0, 0.5}, {0, 0, 0}, -1.2877606497674712),
                 block("second", {1, 1, 0.3}, 1e4, {-0.03872833160758549, 0, 1.15},
                       {0.1475419221780881, 0.8359131719352835, 0}, 0),
                 block("third", {1, 1, 1}, 1e4, {0.01333613094360353, 0, 1.8}, {-4.815209879525863, 0, 0}, 0),
                 block("top", {1, 1, 1}, 100, {-0.02312766314883516, 0, 2.8},
                       {-0.0003019593103606899, -0.00033819785306163185, 0}, 18.753405548252278)};
  const ProvedRun run = simulate(text.parse());
  EXPECT_EQ(wrong(run), "");
  EXPECT_LT(run.summary.steps, 100);
}

TEST(Bouncing, OctahedronReboundsWithItsRestitution) {
  const double r = 0.1, drop = 0.5;
  std::vector<Vector3d> vertices;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-r, r}) vertices.push_back(sign * Vector3d::Unit(axis));
  for (const double e : {0.3, 0.5, 0.9, 1.0}) {
    SCOPED_TRACE(fmt::format("restitution {}", e));
    SceneText text;
    text.restitution = e;
    BodyText b{"octahedron", hull(vertices)};
    b.position = {0, 0, r + drop};
    text.bodies = {ground(), b};
    const double fall = std::sqrt(2 * drop / kWeight);
    // Three impacts: at fall, + 2 e fall, + 2 e^2 fall.
    text.until = fall * (1 + 2 * e + 2 * e * e) + 0.5 * e * e * e * fall;
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    ASSERT_EQ(run.impacts.size(), 3u);
    double expected = fall, speed = kWeight * fall;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(run.impacts[i].time, expected, 1e-6) << i;  // delta / speed = 1e-8 s early, each.
      EXPECT_NEAR(run.impacts[i].before[0][2], -speed, 1e-6) << i;
      EXPECT_NEAR(run.impacts[i].after[0][2], e * speed, 1e-6) << i;
      speed *= e;
      // Height of the rebound: e^2 of the last.
      const double top = expected + speed / kWeight;
      if (top < run.summary.time) {
        EXPECT_NEAR(run.positionAt(1, top).z() - r, drop * std::pow(e, 2 * (i + 1)), 1e-6) << i;
      }
      expected += 2 * speed / kWeight;
    }
    EXPECT_LT(run.last(1).w_end.norm(), 1e-9);
  }
}

TEST(FreeFlight, IsTheParabolaToRounding) {
  SceneText text;
  text.until = 2;
  BodyText b{"stone", box({0.1, 0.2, 0.3})};
  b.position = {1, 2, 3};
  b.velocity = {3, -2, 7};
  b.angular_velocity = {1, 5, -3};
  text.bodies = {b};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_EQ(run.summary.time, 2);
  EXPECT_LE(largestStepGain(run, 0), 1e-12 * run.energy_scale);
  const Vector3d g(0, 0, -kWeight);
  for (const PieceRecord& r : run.pieces)
    for (const double share : {0.0, 0.3, 0.7, 1.0}) {
      const double t = r.piece.t0 + share * (r.piece.t1 - r.piece.t0);
      const Vector3d expected = b.position + t * b.velocity + 0.5 * t * t * g;
      EXPECT_LT((r.piece.at(std::min(t, r.piece.t1)).p - expected).norm(), 1e-13) << t;
    }
  EXPECT_LT((run.last(0).v_end - (b.velocity + 2 * g)).norm(), 1e-13);
}

TEST(FreeFlight, TopKeepsEnergyAndAngularMomentum) {
  SceneText text;
  text.gravity = {0, 0, 0};
  text.until = 10;
  BodyText b{"top", box({0.1, 0.2, 0.3})};
  b.angular_velocity = {1, 5, -3};
  auto momentumError = [&](const std::string& solver) {
    text.solver = solver;
    text.bodies = {b};
    const ProvedRun run = simulate(text.parse());
    EXPECT_EQ(wrong(run), "");
    const Eigen::Matrix3d I = run.scene.bodies[0].inertia;
    const Vector3d L0 = I * b.angular_velocity;
    EXPECT_NEAR(run.summary.energy_final, run.summary.energy_initial, 1e-12 * run.summary.energy_initial);
    double worst = 0;
    for (const PieceRecord& r : run.pieces) {
      const Eigen::Matrix3d R = r.piece.end().rotation();
      worst = std::max(worst, (R * (I * (R.transpose() * r.w_end)) - L0).norm() / L0.norm());
    }
    return worst;
  };
  for (const char* solver : {"max_step: 0.1", "max_step: 0.02", "max_step: 0.005"})
    EXPECT_LT(momentumError(solver), 1e-12) << solver;  // Rounding: 4e-16 a step at most.
}

}  // namespace
}  // namespace rigor::sim::test
