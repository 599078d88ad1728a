// SPDX-License-Identifier: MIT
// Proves that the error of a whole motion follows `velocity_tolerance`: with the order of the method, and never more
// than a hundred times the tolerance, places over L. Oracles: the equations of motion in one coordinate, integrated by
// classical Runge-Kutta in ten thousand steps; conservation of energy. Every run verifies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kFall = 9.81;
constexpr double kReleaseTime = 5;  // Tolerances, in units of sqrt(L/g): what the event of a release may be late.
constexpr double kMostErrors = 100;  // Of the tolerance: what a whole motion may be off.

/// Angle and rate after a time.
struct Turn {
  double angle, rate;
};

Turn integrate(const std::function<double(Turn)>& acceleration, Turn y, double time) {
  constexpr int kSteps = 10000;
  const double h = time / kSteps;
  for (int k = 0; k < kSteps; ++k) {
    const Turn a{y.rate, acceleration(y)};
    const Turn m{y.angle + h / 2 * a.angle, y.rate + h / 2 * a.rate};
    const Turn b{m.rate, acceleration(m)};
    const Turn n{y.angle + h / 2 * b.angle, y.rate + h / 2 * b.rate};
    const Turn c{n.rate, acceleration(n)};
    const Turn e{y.angle + h * c.angle, y.rate + h * c.rate};
    const Turn d{e.rate, acceleration(e)};
    y.angle += h / 6 * (a.angle + 2 * b.angle + 2 * c.angle + d.angle);
    y.rate += h / 6 * (a.rate + 2 * b.rate + 2 * c.rate + d.rate);
  }
  return y;
}

std::string toleranceText(double tolerance) {
  return fmt::format("gap: 1e-10, velocity_tolerance: {}", tolerance);
}

/// Error of the place of a block without slip that turns about an edge at the origin, over L.
double pivotError(const Vector3d& size, Turn start, double until, double tolerance) {
  const double r = std::hypot(size.x(), size.z()) / 2, diagonal = std::atan2(size.z(), size.x());
  const double inertia = (size.x() * size.x() + size.z() * size.z()) / 12 + r * r;
  const auto place = [&](double angle) { return Vector3d(r * std::cos(angle), 0, r * std::sin(angle)); };
  SceneText text;
  text.friction = "no-slip", text.until = until, text.solver = toleranceText(tolerance);
  BodyText block{"block", box(size)};
  block.position = place(start.angle);
  block.velocity = start.rate * Vector3d(-r * std::sin(start.angle), 0, r * std::cos(start.angle));
  const double turn = (diagonal - start.angle) / 2;
  block.orientation = {std::cos(turn), 0, std::sin(turn), 0};
  block.angular_velocity = {0, -start.rate, 0};
  text.bodies = {ground(), block};
  const ProvedRun run = simulate(text.parse());
  EXPECT_EQ(wrong(run), "");
  const Turn end =
      integrate([&](Turn y) { return -kFall * r * std::cos(y.angle) / inertia; }, start, until);
  return (run.endPosition(1) - place(end.angle)).norm() / (size.norm() / std::sqrt(3.0));
}

TEST(Accuracy, BlocksThatPivotFollowTheTolerance) {
  struct Case {
    Vector3d size;
    Turn start;
    double until;
  };
  for (const Case& c : {Case{{0.1, 0.1, 0.2}, {std::atan2(2, 1), 1.5}, 0.1},       // Tipped up, and nearly back.
                        Case{{0.1, 0.1, 0.1}, {55 * M_PI / 180, 0}, 0.06},         // Falls.
                        Case{{0.1, 0.1, 0.1}, {89.5 * M_PI / 180, 0}, 0.34}}) {    // From nearly upright.
    double first = 0, last = 0;
    for (const double tolerance : {2e-3, 2e-4, 2e-5, 2e-6}) {
      const double error = pivotError(c.size, c.start, c.until, tolerance);
      EXPECT_LE(error, kMostErrors * tolerance) << tolerance;
      (tolerance == 2e-3 ? first : last) = error;
    }
    EXPECT_LT(last, 0.05 * first);
  }
}

/// A ladder without friction between a wall at x = 0 and a floor, as a box of length 1 and depth .01.
struct Ladder {
  double length = 1, depth = 0.01;
  Vector3d centre(double a) const {
    const double l = length / 2, d = depth / 2;
    return {l * std::cos(a) + d * std::sin(a), 0, l * std::sin(a) + d * std::cos(a)};
  }
  double along(double a) const { return -length / 2 * std::sin(a) + depth / 2 * std::cos(a); }  ///< x'(a), z'(a).
  double up(double a) const { return length / 2 * std::cos(a) - depth / 2 * std::sin(a); }
  double acceleration(Turn y) const {
    const Vector3d p = centre(y.angle);
    const double x = along(y.angle), z = up(y.angle), inertia = (length * length + depth * depth) / 12;
    return (-kFall * z + (x * p.x() + z * p.z()) * y.rate * y.rate) / (inertia + x * x + z * z);
  }
  double push(Turn y) const {  ///< Of the wall, over the mass.
    return -centre(y.angle).x() * y.rate * y.rate + along(y.angle) * acceleration(y);
  }
};

// It leaves the wall when the wall would have to pull, and slides on along the floor with the velocity that it has
// there: both converge, and so does the event.
TEST(Accuracy, LadderLeavesItsWall) {
  const Ladder ladder;
  const double start = 70 * M_PI / 180, after = 0.05;
  const auto at = [&](double t) {
    return integrate([&](Turn y) { return ladder.acceleration(y); }, {start, 0}, t);
  };
  double low = 0.1, high = 0.6;
  for (int k = 0; k < 40; ++k) (ladder.push(at(0.5 * (low + high))) > 0 ? low : high) = 0.5 * (low + high);
  const Turn released = at(high);
  const double speed = ladder.along(released.angle) * released.rate;
  for (const double tolerance : {2e-3, 2e-4, 2e-5, 2e-6}) {
    SceneText text;
    text.friction = "0", text.until = high + after, text.solver = toleranceText(tolerance);
    BodyText body{"ladder", box({ladder.depth, 0.1, ladder.length})};
    body.position = ladder.centre(start);
    const double turn = -(M_PI / 2 - start) / 2;
    body.orientation = {std::cos(turn), 0, std::sin(turn), 0};
    BodyText wall = ground({1, 0, 0});
    wall.name = "wall";
    text.bodies = {ground(), wall, body};
    const ProvedRun run = simulate(text.parse());
    ASSERT_EQ(wrong(run), "");
    const double length = Vector3d(ladder.depth, 0.1, ladder.length).norm() / std::sqrt(3.0);
    EXPECT_NEAR(run.endPosition(2).x(), ladder.centre(released.angle).x() + after * speed,
                0.2 * kMostErrors * tolerance * length);
    double left = 0;
    for (const Event& event : run.events)
      if (event.kind == "contact-broken" && event.body_a == 1) left = event.time;
    EXPECT_NEAR(left, high, kReleaseTime * tolerance * std::sqrt(length / kFall)) << tolerance;
  }
}

// What falls to one side in every step adds up: the double pendulum lost 1.8e-3 of its energy in a minute.
TEST(Accuracy, DoublePendulumKeepsItsEnergy) {
  Scene scene = bundledScene("double-pendulum");
  const ProvedRun run = simulate(scene, {.until = 10});
  ASSERT_EQ(wrong(run), "");
  EXPECT_NEAR(run.summary.energy_final, run.summary.energy_initial, 1e-9 * run.energy_scale);
}

}  // namespace
}  // namespace rigor::sim::test
