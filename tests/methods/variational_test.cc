// SPDX-License-Identifier: MIT
// The variational midpoint rule and Runge-Kutta between events. Oracles: conservation laws to rounding (momentum of a
// top), energy that oscillates and does not drift (symplectic) beside one that does, orders by convergence to the
// finest run, closed forms of the ballistic flight and of a bouncing body.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>

#include "dynamics/kinematics.h"
#include "tests/dynamics/robot_oracles.h"
#include "tests/methods/method_runs.h"
#include "tests/temporary_folder.h"

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

// Without loss, for 157 bounces: each is a contact problem of four corners, and what it misses adds up.
TEST(EventBased, BouncesWithoutLossKeepTheirEnergy) {
  const std::string cube =
      "contact: {friction: 0, restitution: 1}\nbodies:\n"
      "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
      "  - {name: cube, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.55]}\n";
  for (const char* name : {"runge-kutta", "variational"}) {
    const auto run = test::runMethod(name, cube, 0.005, 100);
    EXPECT_NEAR(run.end().v.squaredNorm() / 2 + 9.81 * run.end().pose.p.z(), 9.81 * 0.55, 1e-10) << name;
  }
}

// Two arms on a body that floats, one on a ball joint.
const char* const kFloatingRobot = R"(<mujoco>
<compiler angle="radian"/>
<worldbody><body name="base" pos="0 0 2">
  <freejoint/>
  <geom type="box" size="0.2 0.1 0.05" mass="2"/>
  <body name="left" pos="0.3 0 0">
    <joint name="ball" type="ball"/>
    <geom type="box" size="0.15 0.02 0.04" pos="0.15 0 0" mass="0.7"/>
  </body>
  <body name="right" pos="-0.3 0 0">
    <joint name="hinge" type="hinge" axis="0 1 0"/>
    <geom type="box" size="0.12 0.03 0.05" pos="-0.12 0 0" mass="0.5"/>
  </body>
</body></worldbody></mujoco>)";

/// Momentum, angular about the centre of the world, and energy of a scene's first robot.
std::pair<sim::Vector6d, double> invariantsOf(const dynamics::ArticulatedModel& model, const Eigen::VectorXd& q,
                                              const Eigen::VectorXd& v, const Eigen::Vector3d& gravity) {
  dynamics::ArticulatedWorkspace w(model);
  dynamics::ArticulatedState state(model);
  state.q = q, state.v = v;
  dynamics::calcKinematics(model, state, w);
  return {dynamics::oracle::momentum(w),
          dynamics::kineticEnergy(model, w, v) + dynamics::potentialEnergy(model, w, gravity)};
}

struct FloatingRun {
  std::vector<test::Passed::Sample> samples;
  dynamics::ArticulatedState end;
  double momentum = 0, early = 0, late = 0;  ///< Worst relative change: of momentum, of energy in either half.
};

FloatingRun floatingRun(const char* method, double h, double until, const Eigen::Vector3d& gravity) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "robot.xml") << kFloatingRobot;
  const std::string text = fmt::format(
      "gravity: [{}, {}, {}]\nrobots:\n  - {{name: r, mjcf: {}, velocity: [0.3, 0.1, 1], angular_velocity: [2, 1, 3], "
      "joint_velocities: {{hinge: 4}}}}\n",
      gravity.x(), gravity.y(), gravity.z(), (folder.path() / "robot.xml").string());
  const sim::Simulation start(scenes::parseScene(text, "test.yaml"), 0);
  methods::World world(start.scene());
  test::Passed passed;
  methods::Choice choice;
  choice.advance = method, choice.step = h;
  const auto result = methods::run(*methods::findMethod(method), choice, world, passed, {.until = until});
  EXPECT_EQ(result.summary.status, sim::RunStatus::kDone) << result.summary.message;
  FloatingRun run;
  const dynamics::ArticulatedModel& model = *world.state.robots[0].model;
  const auto [p0, E0] = invariantsOf(model, passed.samples[0].q, passed.samples[0].v, gravity);
  for (const auto& s : passed.samples) {
    const auto [p, E] = invariantsOf(model, s.q, s.v, gravity);
    run.momentum = std::max(run.momentum, (p - p0).norm() / p0.norm());
    double& worst = s.time < until / 2 ? run.early : run.late;
    worst = std::max(worst, std::abs(E / E0 - 1));
  }
  run.end.q = passed.samples.back().q, run.end.v = passed.samples.back().v;
  return run;
}

// The rule does not know where the world's axes point: linear and angular momentum are conserved to rounding, energy
// oscillates by O(h^2).
TEST(Variational, RobotThatFloatsKeepsItsMomentumAndNearlyItsEnergy) {
  const FloatingRun run = floatingRun("variational", 2e-3, 20, Eigen::Vector3d::Zero());
  EXPECT_LT(run.momentum, 1e-11);
  EXPECT_LT(run.early, 1e-3);
  EXPECT_LT(run.late, 1.5 * run.early);
}

TEST(Variational, OrderOfARobotThatFloats) {
  const Eigen::Vector3d gravity(0, 0, -9.81);
  const dynamics::ArticulatedState reference = floatingRun("runge-kutta", 1e-4, 0.5, gravity).end;
  const std::vector<double> steps{4e-3, 2e-3, 1e-3};
  std::vector<double> places, speeds;
  for (const double h : steps) {
    const dynamics::ArticulatedState end = floatingRun("variational", h, 0.5, gravity).end;
    places.push_back((end.q - reference.q).norm()), speeds.push_back((end.v - reference.v).norm());
  }
  EXPECT_NEAR(test::slopeOf(steps, places), 2, 0.15);
  EXPECT_NEAR(test::slopeOf(steps, speeds), 2, 0.15);
}

TEST(Variational, RefusesClosedLoops) {
  const sim::Simulation start(scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/scenes/quadruped-drop.yaml"), 0);
  EXPECT_EQ(methods::findMethod("variational")->refuses(start.scene()), "");
  sim::Scene closed = start.scene();
  const dynamics::ArticulatedModel& tree = *closed.robots[0].robot.model;
  std::vector<dynamics::LinkDescription> links;
  std::vector<dynamics::JointDescription> joints;
  for (int l = 0; l < tree.numLinks(); ++l) links.push_back(tree.link(l));
  for (int j = 0; j < tree.numJoints(); ++j) joints.push_back(tree.joint(j));
  dynamics::LoopDescription loop;
  loop.name = "closed", loop.link_a = 0, loop.link_b = tree.numLinks() - 1;
  closed.robots[0].robot.model =
      std::make_shared<const dynamics::ArticulatedModel>(links, joints, std::vector<dynamics::LoopDescription>{loop});
  EXPECT_NE(methods::findMethod("variational")->refuses(closed), "");
  EXPECT_EQ(methods::findMethod("stewart-trinkle")->refuses(closed), "");
}

}  // namespace
}  // namespace rigor
