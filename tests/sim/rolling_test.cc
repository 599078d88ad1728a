// SPDX-License-Identifier: MIT
// Proves that round shapes are round: they roll, slip and stand as closed forms say. Oracles: rolling without slip on
// level ground and down a slope, the ball that slips until it rolls, the cylinder that slides on its cap; conserved
// energy where a cylinder rolls on its rim. Every run verifies.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <span>

#include "scenes/loader.h"
#include "simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kGravitation = 9.81, kRadius = 0.05;
constexpr double kRounding = 1e-11;  // Of velocities, in some dozen steps that balance to rounding.

/// A shape that rolls along x at first, its axis across, and its moment of inertia over m r^2.
struct Roller {
  const char* shape;
  double inertia;
};

const Roller kRollers[] = {
    {"{sphere: {radius: 0.05, round: true}}", 0.4},
    {"{cylinder: {radius: 0.05, length: 0.08, round: true}}", 0.5},
    // The shaft 2 pi r^2 (l/2), a ball of its half balls: (l m r^2/2 + 4/3 r 2/5 m r^2)/(l + 4/3 r).
    {"{capsule: {radius: 0.05, length: 0.1, round: true}}",
     (0.1 * 0.5 + 4.0 / 3 * 0.05 * 0.4) / (0.1 + 4.0 / 3 * 0.05)},
};

BodyText roller(const Roller& shape, const Vector3d& up) {
  BodyText body{"roller", shape.shape};
  body.position = kRadius * up;
  body.orientation = {std::sqrt(0.5), std::sqrt(0.5), 0, 0};  // z to -y.
  return body;
}

Vector3d spinAt(const ProvedRun& run) { return run.last(1).w_end; }
Vector3d velocityAt(const ProvedRun& run) { return run.last(1).v_end; }

TEST(Rolling, GoesOnWithoutLoss) {
  for (const Roller& shape : kRollers) {
    SCOPED_TRACE(shape.shape);
    SceneText text;
    text.bodies = {ground(), roller(shape, {0, 0, 1})};
    text.bodies[1].velocity = {1, 0, 0}, text.bodies[1].angular_velocity = {0, 1 / kRadius, 0};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    EXPECT_NEAR(run.endPosition(1).x(), 3, 1e-9);
    EXPECT_LT((velocityAt(run) - Vector3d(1, 0, 0)).norm(), kRounding);
    EXPECT_LT((spinAt(run) - Vector3d(0, 1 / kRadius, 0)).norm() * kRadius, kRounding);
  }
}

TEST(Rolling, DownASlope) {
  const double slope = 0.5;
  const Vector3d up(std::sin(slope), 0, std::cos(slope)), down(std::cos(slope), 0, -std::sin(slope));
  for (const Roller& shape : kRollers) {
    SCOPED_TRACE(shape.shape);
    SceneText text;
    text.friction = "0.6";
    text.until = 1;
    text.bodies = {ground(up), roller(shape, up)};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    EXPECT_NEAR(velocityAt(run).dot(down), kGravitation * std::sin(slope) / (1 + shape.inertia), 1e-9);
    EXPECT_NEAR(spinAt(run).y() * kRadius, velocityAt(run).dot(down), 1e-9);
  }
}

TEST(Rolling, SlipEndsAtTheSpeedThatAngularMomentumGives) {
  const double mu = 0.2;
  for (const Roller& shape : kRollers) {
    SCOPED_TRACE(shape.shape);
    SceneText text;
    text.friction = "0.2";
    text.solver = "velocity_tolerance: 1e-6";
    text.until = 1;
    text.bodies = {ground(), roller(shape, {0, 0, 1})};
    text.bodies[1].velocity = {1, 0, 0};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    const double speed = 1 / (1 + shape.inertia), slips = (1 - speed) / (mu * kGravitation);
    EXPECT_NEAR(velocityAt(run).x(), speed, 1e-7);
    EXPECT_NEAR(run.endPosition(1).x(), slips - mu * kGravitation * slips * slips / 2 + speed * (1 - slips), 1e-6);
  }
}

TEST(Rolling, OnARimKeepsEnergy) {
  SceneText text;
  text.friction = "no-slip";
  text.until = 1;
  BodyText coin{"coin", "{cylinder: {radius: 0.05, length: 0.01, round: true}}"};
  const double tilt = 1.2;
  coin.position = {0, 0, 0.06};
  coin.orientation = {std::cos(tilt / 2), std::sin(tilt / 2), 0, 0};
  coin.angular_velocity = {0, 0, 20};
  text.bodies = {ground(), coin};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_GE(run.endPosition(1).z(), 0.005);
}

TEST(Rolling, ACylinderStandsOnItsCapAndSlides) {
  SceneText text;
  text.until = 1;
  BodyText cup{"cup", "{cylinder: {radius: 0.05, length: 0.1, round: true}}"};
  cup.position = {0, 0, 0.05}, cup.velocity = {0.5, 0, 0};
  text.bodies = {ground(), cup};
  const ProvedRun run = simulate(text.parse());
  ASSERT_EQ(wrong(run), "");
  EXPECT_NEAR(run.endPosition(1).x(), 0.5 * 0.5 / (2 * 0.3 * kGravitation), 1e-6);
  EXPECT_LT(endSpeed(run, 1), 1e-9);
}

TEST(Rolling, WhatCouldMeetOtherShapesIsRefused) {
  for (const Roller& shape : kRollers) {
    if (std::string(shape.shape).find("cylinder") == std::string::npos) continue;
    SceneText text;
    BodyText table{"table", box({0.6, 0.6, 0.1}), 0};
    table.position = {0, 0, -1};
    text.bodies = {ground(), roller(shape, {0, 0, 1}), table};
    try {
      simulate(text.parse());
      ADD_FAILURE() << shape.shape;
    } catch (const SceneError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("body 'roller' has a round cylinder"));
      EXPECT_THAT(error.what(), testing::HasSubstr("not 'table'"));
    }
  }
}

/// Four wheels on a chassis, as URDF; those in front hang on hinges that turn freely about z, where `steers`.
/// `across`: the angle that lays a wheel's axis across.
std::string cart(const std::string& wheel, bool steers = false, const char* across = "1.5707963267948966") {
  const auto inertial = [](double mass, double x, double y, double z) {
    return fmt::format("<inertial><mass value=\"{}\"/><inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"0\" ixz=\"0\" "
                       "iyz=\"0\"/></inertial>", mass, x, y, z);
  };
  const auto joint = [](const std::string& child, const std::string& parent, double x, double y, const char* axis) {
    return fmt::format("<joint name=\"j{0}\" type=\"continuous\"><parent link=\"{1}\"/><child link=\"w{0}\"/>"
                       "<origin xyz=\"{2} {3} 0\"/><axis xyz=\"{4}\"/></joint>\n", child, parent, x, y, axis);
  };
  std::string text =
      fmt::format("<robot name=\"cart\"><link name=\"chassis\">{}</link>\n", inertial(4, 0.011, 0.05, 0.059));
  for (int i = 0; i < 4; ++i) {
    const double x = i & 1 ? 0.16 : -0.16, y = i & 2 ? 0.12 : -0.12;
    const bool hangs = steers && i & 1;
    if (hangs)
      text += fmt::format("<link name=\"ws{}\">{}</link>\n", i, inertial(0.1, 1e-5, 1e-5, 1e-5)) +
              joint(fmt::format("s{}", i), "chassis", x, y, "0 0 1");
    text += fmt::format("<link name=\"w{}\">{}<collision><origin rpy=\"{} 0 0\"/><geometry>{}</geometry></collision>"
                        "</link>\n", i, inertial(0.34, 2.6e-4, 4.1e-4, 2.6e-4), across, wheel);
    text += joint(std::to_string(i), hangs ? fmt::format("ws{}", i) : "chassis", hangs ? 0 : x, hangs ? 0 : y, "0 1 0");
  }
  return text + "</robot>\n";
}

TEST(Rolling, ACartKeepsItsSpeed) {
  const char* const kinds[][3] = {
      {"<cylinder radius=\"0.05\" length=\"0.045\"/>", ", facets: {round: true}", "{halfspace: {}}"},
      {"<sphere radius=\"0.05\"/>", "", "{box: {size: [4, 1, 0.2]}}, position: [0, 0, -0.1]"}};
  for (const auto& [wheel, facets, floor] : kinds) {
    SCOPED_TRACE(wheel);
    const TemporaryFolder folder;
    std::ofstream(folder / "cart.urdf") << cart(wheel);
    std::ofstream(folder / "cart.yaml") << fmt::format(
        "until: 1\ncontact: {{friction: 0.8}}\nrobots:\n  - {{name: cart, urdf: cart.urdf{}, position: [0, 0, 0.05], "
        "velocity: [1, 0, 0], joint_velocities: {{j0: 20, j1: 20, j2: 20, j3: 20}}}}\n"
        "bodies:\n  - {{name: floor, fixed: true, shape: {}}}\n",
        facets, floor);
    const ProvedRun run = simulate(scenes::loadScene(folder / "cart.yaml"));
    ASSERT_EQ(wrong(run), "");
    const int chassis = bodyNamed(run.scene, "cart/chassis");
    EXPECT_NEAR(run.last(chassis).v_end[0], 1, 1e-9);
    EXPECT_NEAR(run.endPosition(chassis).x(), 1, 1e-9);
  }
}

/// Carts that land on wheels whose axes are level up to a file's digits: a hinge turns far for what closes the gap of
/// one end of a wheel.
TEST(SlowRolling, DroppedCartsAreProved) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  const TemporaryFolder folder;
  std::ofstream(folder / "cart.urdf") << cart("<cylinder radius=\"0.05\" length=\"0.045\"/>", true, "1.5708");
  for (int i = 0; i < 12; ++i) {
    SCOPED_TRACE(fmt::format("drop {}", i));
    const double friction = uniform(0, 1), restitution = i % 3 == 0 ? 0.3 : 0;
    std::ofstream(folder / "cart.yaml") << fmt::format(
        "until: 1\ncontact: {{friction: {}, restitution: {}}}\nrobots:\n  - {{name: cart, urdf: cart.urdf, "
        "self_collision: false, facets: {{round: true}}, position: [0, 0, 0.25], orientation: [1, {}, {}, {}], "
        "velocity: [{}, {}, {}], angular_velocity: [{}, {}, {}], joints: {{js1: {}, js3: {}}}}}\n"
        "bodies:\n  - {{name: floor, fixed: true, shape: {{halfspace: {{}}}}}}\n",
        friction, restitution, uniform(-0.3, 0.3), uniform(-0.3, 0.3), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1),
        uniform(-1, 1), uniform(-3, 3), uniform(-3, 3), uniform(-3, 3), uniform(-3, 3), uniform(-3, 3));
    const ProvedRun run = simulate(scenes::loadScene(folder / "cart.yaml"));
    EXPECT_EQ(wrong(run), "");
  }
}

/// Balls, capsules and cylinders, thrown onto planes.
void proveRandomThrows(int count, unsigned long seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(fmt::format("seed {} scene {}", seed, i));
    const int kind = static_cast<int>(random() % 3);
    SceneText text;
    text.until = 0.6;
    text.friction = random() % 4 ? fmt::format("{}", uniform(0, 1)) : "no-slip";
    text.restitution = random() % 2 ? 0 : uniform(0, 1);
    text.bodies = {ground({uniform(-0.2, 0.2), uniform(-0.2, 0.2), 1})};
    const double r = uniform(0.02, 0.08), l = uniform(0.02, 0.2);
    const char* const names[] = {"sphere", "capsule", "cylinder"};
    BodyText body{"thrown", fmt::format("{{{}: {{radius: {}, {}round: true}}}}", names[kind], r,
                                        kind == 0 ? "" : fmt::format("length: {}, ", l))};
    body.position = {uniform(-0.1, 0.1), uniform(-0.1, 0.1), 0.3};
    body.orientation = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    body.velocity = {uniform(-2, 2), uniform(-2, 2), uniform(-3, 1)};
    body.angular_velocity = {uniform(-20, 20), uniform(-20, 20), uniform(-20, 20)};
    text.bodies.push_back(body);
    const ProvedRun run = simulate(text.parse(), {.seed = seed + static_cast<unsigned long>(i)});
    EXPECT_EQ(wrong(run), "");
  }
}

TEST(Rolling, RandomThrowsAreProved) { proveRandomThrows(40, 1); }
TEST(SlowRolling, RandomThrowsAreProved) { proveRandomThrows(1000, 1000); }

}  // namespace
}  // namespace rigor::sim::test
