// SPDX-License-Identifier: MIT
// Time stepping against closed forms: free fall and sliding friction of the scheme itself (exact, not of the limit),
// first order towards the limit, rest, the excess of the convex relaxation, restitution. Oracles: hand calculation.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/methods/method_runs.h"

namespace rigor {
namespace {

constexpr double kG = 9.81;

/// A cube of 0.1 m that slides on a floor at 1 m/s along x.
std::string slidingCube(double friction) {
  return "gravity: [0, 0, -9.81]\ncontact: {friction: " + std::to_string(friction) +
         "}\nbodies:\n"
         "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
         "  - {name: cube, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, position: [0, 0, 0.05], velocity: [1, 0, "
         "0]}\n";
}

std::string fallingCube(double height, double restitution) {
  return "contact: {friction: 0, restitution: " + std::to_string(restitution) +
         "}\nbodies:\n"
         "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
         "  - {name: cube, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, position: [0, 0, " +
         std::to_string(height + 0.05) + "]}\n";
}

// Semi-implicit Euler: after n steps z = z0 - g h^2 n (n + 1) / 2, v = -g n h, to rounding.
TEST(TimeStepping, FreeFallIsThatOfTheScheme) {
  for (const char* name : {"stewart-trinkle", "anitescu-potra", "convex"}) {
    const auto run = test::runMethod(name, fallingCube(10, 0), 0.01, 0.5);
    ASSERT_EQ(run.result.summary.status, sim::RunStatus::kDone) << run.result.summary.message;
    ASSERT_EQ(run.result.summary.steps, 50) << name;
    EXPECT_NEAR(run.end().pose.p.z(), 10.05 - kG * 1e-4 * 50 * 51 / 2, 1e-12) << name;
    EXPECT_NEAR(run.end().v.z(), -kG * 0.5, 1e-12) << name;
  }
}

// Coulomb: v_n = v0 - mu g n h until it stops, exactly; the cube neither lifts nor turns. x = x0 + h sum v.
TEST(TimeStepping, SlidingFrictionIsThatOfTheScheme) {
  const double mu = 0.3, h = 0.01;
  const auto run = test::runMethod("stewart-trinkle", slidingCube(mu), h, 0.2);
  double v = 1, x = 0;
  for (int k = 0; k < 20; ++k) v -= mu * kG * h, x += h * v;
  EXPECT_NEAR(run.end().v.x(), v, 1e-8);
  EXPECT_NEAR(run.end().pose.p.x(), x, 1e-8);
  EXPECT_NEAR(run.end().v.z(), 0, 1e-8);
  EXPECT_NEAR(run.end().w.norm(), 0, 1e-7);
}

TEST(TimeStepping, SlidingStopsAndStays) {
  for (const char* name : {"stewart-trinkle", "anitescu-potra", "convex"}) {
    const auto run = test::runMethod(name, slidingCube(0.3), 0.01, 1.0);
    ASSERT_EQ(run.result.summary.status, sim::RunStatus::kDone) << run.result.summary.message;
    EXPECT_LT(run.end().v.norm(), 1e-7) << name;
    // v0^2 / (2 mu g), to first order in the step.
    EXPECT_NEAR(run.end().pose.p.x(), 1 / (2 * 0.3 * kG), 0.01) << name;
  }
}

// What the relaxation costs: a contact that slips at s leaves at mu s. The height above the floor tends to h mu s:
// first order in h.
TEST(TimeStepping, ConvexRelaxationLiftsWhatSlips) {
  const double mu = 0.3;
  std::vector<double> steps{0.02, 0.01, 0.005}, heights;
  for (const double h : steps) {
    const auto run = test::runMethod("convex", slidingCube(mu), h, 0.1);
    const double height = run.end().pose.p.z() - 0.05, speed = run.end().v.x();
    EXPECT_NEAR(height / (h * mu * speed), 1, 0.1) << h;
    heights.push_back(height);
  }
  EXPECT_NEAR(test::slopeOf(steps, heights), 1, 0.1);
  const auto exact = test::runMethod("stewart-trinkle", slidingCube(mu), 0.01, 0.1);
  EXPECT_LT(exact.end().pose.p.z() - 0.05, 1e-7);
}

// A drop from 0.2 m that rebounds with e = 0.5: the height of the rebound tends to e^2 0.2 with first order.
TEST(TimeStepping, ReboundConvergesWithFirstOrder) {
  const double fall = std::sqrt(2 * 0.2 / kG), until = fall + 0.5 * fall;
  const double exact = 0.05 + 0.25 * 0.2;
  for (const char* name : {"stewart-trinkle", "anitescu-potra"}) {
    double coarse = 0, fine = 0;
    for (const double h : {4e-3, 2.5e-4}) {
      const auto run = test::runMethod(name, fallingCube(0.2, 0.5), h, until);
      (h > 1e-3 ? coarse : fine) = std::abs(run.end().pose.p.z() - exact);
    }
    EXPECT_LT(coarse, 0.02) << name;
    EXPECT_LT(fine, 0.003) << name;
    EXPECT_LT(fine, coarse / 4) << name;
  }
}

// A cube that lands flat: contacts known ahead stop it at the nominal gap, those known when they touch let it in by up
// to v h.
TEST(TimeStepping, WhoLooksAheadDoesNotSink) {
  const double v = std::sqrt(2 * kG * 0.2), h = 0.01;
  double deepest_ahead = 0, deepest_touching = 0;
  for (const auto& s : test::runMethod("stewart-trinkle", fallingCube(0.2, 0), h, 0.4).samples)
    deepest_ahead = std::max(deepest_ahead, 0.05 - s.body.pose.p.z());
  for (const auto& s : test::runMethod("anitescu-potra", fallingCube(0.2, 0), h, 0.4).samples)
    deepest_touching = std::max(deepest_touching, 0.05 - s.body.pose.p.z());
  EXPECT_EQ(deepest_ahead, 0);
  EXPECT_GT(deepest_touching, 0);
  EXPECT_LT(deepest_touching, v * h);
}

}  // namespace
}  // namespace rigor
