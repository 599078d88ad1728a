// SPDX-License-Identifier: MIT
// Proves that capsules meet polytopes, balls and each other as capsules do. Oracles in closed form: rolling on a box
// and down a slope; hits off the centre by a ball; the plank that tips over a rim by the energy integral; crossed
// capsules that rebound; a shaft on corners, logs that lie on each other. Random throws verify.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "random_throws.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kCapsuleGravity = 9.81, kShaftRadius = 0.05, kShaftLength = 0.3;
const Eigen::Vector4d kAlongX{std::sqrt(0.5), 0, std::sqrt(0.5), 0}, kAlongY{std::sqrt(0.5), std::sqrt(0.5), 0, 0};

/// Of mass 1 [kg m^2]: along the axis, and across it.
struct CapsuleInertia {
  double along, across;
  CapsuleInertia() {
    const double r = kShaftRadius, l = kShaftLength, shaft = l / (l + 4 * r / 3), ends = 1 - shaft;
    along = shaft * r * r / 2 + ends * 2 * r * r / 5;
    across = shaft * (l * l / 12 + r * r / 4) + ends * (2 * r * r / 5 + l * l / 4 + 3 * l * r / 8);
  }
};

BodyText capsule(const std::string& name, const Vector3d& position, const Eigen::Vector4d& orientation,
                 double mass = 1) {
  BodyText body{name, fmt::format("{{capsule: {{radius: {}, length: {}, round: true}}}}", kShaftRadius, kShaftLength),
                mass};
  body.position = position, body.orientation = orientation;
  return body;
}

/// A fixed box, its top at z = 0, that ends at x = 0.
BodyText block() {
  BodyText body{"block", box({2, 2, 0.2}), 0};
  body.position = {-1, 0, -0.1};
  return body;
}

TEST(Capsules, RollOnABoxWithoutLoss) {
  SceneText text;
  text.until = 0.8;
  text.bodies = {block(), capsule("capsule", {-1, 0, kShaftRadius}, kAlongY)};
  text.bodies[1].velocity = {1, 0, 0}, text.bodies[1].angular_velocity = {0, 1 / kShaftRadius, 0};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_NEAR(run.endPosition(1).x(), -0.2, 1e-9);
  EXPECT_LT((run.last(1).v_end - Vector3d(1, 0, 0)).norm(), 1e-10);
}

TEST(Capsules, RollDownASlope) {
  const double slope = 0.3;
  SceneText text;
  text.until = 0.7;
  text.bodies = {block(), capsule("capsule", {-1, 0, kShaftRadius}, kAlongY)};
  text.gravity = kCapsuleGravity * Vector3d(std::sin(slope), 0, -std::cos(slope));
  text.friction = "no-slip";
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  const double acceleration =
      kCapsuleGravity * std::sin(slope) / (1 + CapsuleInertia().along / (kShaftRadius * kShaftRadius));
  EXPECT_NEAR(run.last(1).v_end.x(), acceleration * text.until, 1e-6);
  EXPECT_NEAR(run.endPosition(1).x() + 1, acceleration * text.until * text.until / 2, 1e-6);
  EXPECT_NEAR(run.last(1).w_end.y() * kShaftRadius, run.last(1).v_end.x(), 1e-9);
}

TEST(Capsules, AreHitOffTheirCentreByABall) {
  for (const double off : {0.0, 0.06, 0.12, -0.14}) {
    SCOPED_TRACE(off);
    SceneText text;
    text.gravity = {0, 0, 0}, text.friction = "0", text.restitution = 1, text.until = 0.4;
    BodyText ball{"ball", "{sphere: {radius: 0.03, round: true}}", 0.5};
    ball.position = {-0.3, off, 0}, ball.velocity = {1, 0, 0};
    text.bodies = {capsule("capsule", {0, 0, 0}, kAlongY), ball};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    const double P = 2 / (1 / 0.5 + 1 + off * off / CapsuleInertia().across);
    EXPECT_LT((run.last(0).v_end - Vector3d(P, 0, 0)).norm(), 1e-7);
    EXPECT_LT((run.last(1).v_end - Vector3d(1 - 2 * P, 0, 0)).norm(), 1e-7);
    EXPECT_LT((run.last(0).w_end - Vector3d(0, 0, -off * P / CapsuleInertia().across)).norm(), 1e-5);
  }
}

/// It turns about the point of its surface that lies on the rim, which it does not slip over: m g times what the centre
/// falls is the energy of that turn.
TEST(Capsules, TipOverARim) {
  const double arm = 0.05;
  SceneText text;
  text.friction = "no-slip", text.solver = "velocity_tolerance: 1e-6", text.until = 0.12;
  text.bodies = {block(), capsule("capsule", {arm, 0, kShaftRadius}, kAlongX)};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  const double w = run.last(1).w_end.y(), about = CapsuleInertia().across + arm * arm + kShaftRadius * kShaftRadius;
  EXPECT_GT(w, 1);
  EXPECT_NEAR(about * w * w / 2, kCapsuleGravity * (kShaftRadius - run.endPosition(1).z()), 1e-6);
  EXPECT_NEAR(run.endPosition(1).head(3).norm(), std::hypot(arm, kShaftRadius), 1e-6);
}

TEST(Capsules, ReboundWhereTheyCross) {
  for (const double off : {0.0, 0.05, -0.12})
    for (const double angle : {M_PI / 2, 1.1}) {
      SCOPED_TRACE(fmt::format("{} {}", off, angle));
      SceneText text;
      text.gravity = {0, 0, 0}, text.friction = "0", text.restitution = 0.5, text.until = 0.3;
      // Along x; the other one across by the angle, its centre `off` along itself from the crossing.
      const Vector3d across(std::cos(angle), std::sin(angle), 0);
      BodyText upper = capsule("upper", 0.25 * Vector3d::UnitZ() + off * across, kAlongX);
      const Eigen::Quaterniond turned = Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitZ())) *
                                        Eigen::Quaterniond(kAlongX[0], kAlongX[1], kAlongX[2], kAlongX[3]);
      upper.orientation = {turned.w(), turned.x(), turned.y(), turned.z()}, upper.velocity = {0, 0, -1};
      text.bodies = {capsule("lower", {0, 0, 0}, kAlongX, 0), upper};
      const ProvedRun run = simulate(text.parse());
      ASSERT_EQ(wrong(run), "");
      const double P = 1.5 / (1 + off * off / CapsuleInertia().across);
      EXPECT_LT((run.last(1).v_end - Vector3d(0, 0, P - 1)).norm(), 1e-7);
      const Vector3d spin = (-off * across).cross(Vector3d(0, 0, P)) / CapsuleInertia().across;
      EXPECT_LT((run.last(1).w_end - spin).norm(), 1e-5);
    }
}

TEST(Capsules, RestOnCorners) {
  SceneText text;
  text.friction = "no-slip", text.until = 1;
  BodyText tip{"tip", hull({{0, 0, 0}, {0.2, 0, -0.5}, {-0.1, 0.2, -0.5}, {-0.1, -0.2, -0.5}}), 0};
  // Between three tips; its centre in the middle.
  text.bodies = {tip, tip, tip, capsule("capsule", {0, 0, std::sqrt(kShaftRadius * kShaftRadius - 4e-4)}, kAlongX)};
  text.bodies[0].position = {-0.1, 0.02, 0}, text.bodies[1].position = {0.1, 0.02, 0};
  text.bodies[2].position = {0, -0.02, 0};
  for (int k = 0; k < 3; ++k) text.bodies[k].name = fmt::format("tip{}", k);
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_LT((run.endPosition(3) - text.bodies[3].position).norm(), 1e-6);
  EXPECT_LT(run.last(3).v_end.norm(), 1e-9);
}

TEST(Capsules, LieAsALogPile) {
  SceneText text;
  text.friction = "0.6", text.until = 1;
  const double half = 1.0001 * kShaftRadius;
  text.bodies = {block(), capsule("left", {-1 - half, 0, kShaftRadius}, kAlongY),
                 capsule("right", {-1 + half, 0, kShaftRadius}, kAlongY),
                 capsule("top", {-1, 0.02, kShaftRadius + std::sqrt(4 * kShaftRadius * kShaftRadius - half * half)},
                         kAlongY)};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  for (int k = 1; k <= 3; ++k) EXPECT_LT((run.endPosition(k) - text.bodies[k].position).norm(), 1e-3) << k;
}

std::string anyRound(Chance& chance) {
  if (chance.random() % 4 == 0)
    return fmt::format("{{sphere: {{radius: {}, round: true}}}}", chance.uniform(0.03, 0.1));
  const double radius = chance.uniform(0.02, 0.08);
  return fmt::format("{{capsule: {{radius: {}, length: {}, round: true}}}}", radius, chance.uniform(0.02, 0.3));
}

const ThrownKind kRounds{"round", 3, 0.8, 1.2, 0.4, anyRound};

TEST(Capsules, RandomThrowsAreProved) { proveRandomThrows(kRounds, 10, 1); }
TEST(SlowCapsules, RandomThrowsAreProved) { proveRandomThrows(kRounds, 200, 1000); }

}  // namespace
}  // namespace rigor::sim::test
