// SPDX-License-Identifier: MIT
// The variational midpoint rule and Runge-Kutta between events. Oracles: conservation laws to rounding (momentum of a
// top), energy that oscillates and does not drift (symplectic) beside one that does, orders by convergence to the
// finest run, closed forms of the ballistic flight and of a bouncing body.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/methods/method_runs.h"

namespace rigor {
namespace {

const std::string kTop =
    "gravity: [0, 0, 0]\nbodies:\n"
    "  - {name: top, shape: {box: {size: [0.1, 0.2, 0.4]}}, mass: 1, position: [0, 0, 5], angular_velocity: [0.1, 6, "
    "0.1]}\n";

double energyOf(const test::Passed::Sample& s, const Eigen::Vector3d& inertia) {
  const Eigen::Vector3d w = s.body.pose.rotation().transpose() * s.body.w;
  return 0.5 * w.dot(inertia.cwiseProduct(w));
}

Eigen::Vector3d momentumOf(const test::Passed::Sample& s, const Eigen::Vector3d& inertia) {
  const Eigen::Matrix3d R = s.body.pose.rotation();
  return R * inertia.cwiseProduct(R.transpose() * s.body.w);
}

const Eigen::Vector3d kInertia = Eigen::Vector3d(0.04 + 0.16, 0.01 + 0.16, 0.01 + 0.04) / 12;

// The unstable middle axis: it tumbles. Angular momentum in the world is conserved by the discrete symmetry, energy
// stays within O(h^2) for ever.
TEST(Variational, TumblingTopKeepsItsMomentumAndNearlyItsEnergy) {
  const auto run = test::runMethod("variational", kTop, 0.01, 200);
  const Eigen::Vector3d L0 = momentumOf(run.samples[0], kInertia);
  const double E0 = energyOf(run.samples[0], kInertia);
  double momentum = 0, early = 0, late = 0;
  for (const auto& s : run.samples) {
    momentum = std::max(momentum, (momentumOf(s, kInertia) - L0).norm() / L0.norm());
    double& worst = s.time < 100 ? early : late;
    worst = std::max(worst, std::abs(energyOf(s, kInertia) / E0 - 1));
  }
  EXPECT_LT(momentum, 1e-11);
  EXPECT_LT(early, 1e-2);
  EXPECT_LT(late, 1.2 * early);  // No drift.
}

TEST(Variational, OrdersOfTheTop) {
  const Eigen::Vector4d reference = test::runMethod("runge-kutta", kTop, 1.25e-4, 1).end().pose.q;
  const auto error = [&](const char* name, double h) {
    const Eigen::Vector4d q = test::runMethod(name, kTop, h, 1).end().pose.q;
    return std::min((q - reference).norm(), (q + reference).norm());
  };
  const std::vector<double> steps{0.01, 0.005, 0.0025};
  std::vector<double> midpoint, runge_kutta;
  for (const double h : steps)
    midpoint.push_back(error("variational", h)), runge_kutta.push_back(error("runge-kutta", h));
  EXPECT_NEAR(test::slopeOf(steps, midpoint), 2, 0.15);
  EXPECT_NEAR(test::slopeOf(steps, runge_kutta), 4, 0.3);
}

/// Joint angles of a bundled scene's robot at the end.
Eigen::VectorXd anglesAfter(const char* scene, const char* method, double h, double until) {
  const sim::Simulation start(scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/scenes/" + scene + ".yaml"), 0);
  methods::World world(start.scene());
  methods::Choice choice;
  choice.advance = method, choice.step = h;
  struct Nobody : methods::StateSink {
    void state(const methods::World&) override {}
  } sink;
  const auto result = methods::run(*methods::findMethod(method), choice, world, sink, {.until = until});
  EXPECT_EQ(result.summary.status, sim::RunStatus::kDone) << result.summary.message;
  return world.state.robots[0].state.q;
}

// Robots: order two against Runge-Kutta at a twentieth of the step.
TEST(Variational, DoublePendulum) {
  const Eigen::VectorXd reference = anglesAfter("double-pendulum", "runge-kutta", 1e-4, 0.5);
  const std::vector<double> steps{4e-3, 2e-3, 1e-3};
  std::vector<double> errors;
  for (const double h : steps)
    errors.push_back((anglesAfter("double-pendulum", "variational", h, 0.5) - reference).norm());
  EXPECT_NEAR(test::slopeOf(steps, errors), 2, 0.15);
}

// Twenty links, whose mass matrix is so ill-conditioned that the iteration ends far above rounding.
TEST(Variational, LongChain) {
  const Eigen::VectorXd reference = anglesAfter("chain-20", "runge-kutta", 1e-3, 1);
  const std::vector<double> steps{0.04, 0.02, 0.01};
  std::vector<double> errors;
  for (const double h : steps) errors.push_back((anglesAfter("chain-20", "variational", h, 1) - reference).norm());
  EXPECT_NEAR(test::slopeOf(steps, errors), 2, 0.15);
}

TEST(EventBased, BallisticFlightIsExact) {
  const std::string thrown =
      "bodies:\n  - {name: stone, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0], velocity: [3, "
      "1, 5]}\n";
  for (const char* name : {"runge-kutta", "variational"}) {
    const auto run = test::runMethod(name, thrown, 0.1, 2);
    EXPECT_NEAR((run.end().pose.p - Eigen::Vector3d(6, 2, 10 - 0.5 * 9.81 * 4)).norm(), 0, 1e-12) << name;
  }
}

// A body that bounces with e = 0.8: where it is after three bounces is known. Events are bisected to the contact band,
// 2e-8 of 0.1 m.
TEST(EventBased, BouncingBody) {
  const std::string ball =
      "contact: {friction: 0, restitution: 0.8}\nbodies:\n"
      "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
      "  - {name: cube, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.55]}\n";
  const double g = 9.81, first = std::sqrt(2 * 0.5 / g), v = g * first, until = 2.4 * first + 0.8 * 2 * first + 1e-9;
  double t = first, speed = 0.8 * v;
  while (t + 2 * speed / g < until) t += 2 * speed / g, speed *= 0.8;
  const double z = 0.05 + speed * (until - t) - 0.5 * g * (until - t) * (until - t);
  for (const char* name : {"runge-kutta", "variational"}) {
    const auto run = test::runMethod(name, ball, 0.01, until);
    EXPECT_NEAR(run.end().pose.p.z(), z, 1e-6) << name;
    EXPECT_NEAR(run.end().w.norm(), 0, 1e-6) << name;
  }
}

TEST(Variational, RefusesWhatFloats) {
  const sim::Simulation start(scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/scenes/quadruped-drop.yaml"), 0);
  EXPECT_NE(methods::findMethod("variational")->refuses(start.scene()), "");
  EXPECT_EQ(methods::findMethod("stewart-trinkle")->refuses(start.scene()), "");
}

}  // namespace
}  // namespace rigor
