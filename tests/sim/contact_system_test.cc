// SPDX-License-Identifier: MIT
// Proved: the velocity that a contact of a moving robot has at the end of a window, as the decision at the start of a
// step reads it, is that of the contact's material point where the robot then is. Oracle: kinematics of the robot after
// the window; the error is of second order.
#include "sim/contact/contact_system.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>

#include "dynamics/kinematics.h"
#include "geom/shortest_turn.h"
#include "tests/dense_algebra.h"
#include "tests/dynamics/robot_oracles.h"

namespace rigor::sim {
namespace {

using Eigen::Vector3d;

/// A spherical and three revolute joints, and a tip. The latter with damping and friction, where asked for.
dynamics::ArticulatedModel arm(double dissipation = 0) {
  std::vector<dynamics::LinkDescription> links(4);
  std::vector<dynamics::JointDescription> joints(4);
  const Vector3d axes[] = {{0, 0, 1}, {0.2, 1, 0}, {1, 0.3, 0.1}, {0, 1, 0.4}};
  for (int i = 0; i < 4; ++i) {
    links[i].name = "link" + std::to_string(i);
    links[i].mass = 1 + 0.3 * i;
    links[i].centre = {0.02, -0.01, -0.15};
    links[i].inertia = Vector3d(0.011, 0.009, 0.004).asDiagonal();
    joints[i].name = "joint" + std::to_string(i);
    joints[i].type = i == 0 ? dynamics::JointType::kSpherical : dynamics::JointType::kRevolute;
    joints[i].parent = i - 1, joints[i].child = i;
    joints[i].origin.p = i == 0 ? Vector3d(0, 0, 1) : Vector3d(0, 0, -0.3);
    joints[i].axis = axes[i];
    if (i > 0) joints[i].damping = joints[i].friction = dissipation;
  }
  return {links, joints};
}

/// The arm as a group steps it, all links moving.
struct MovingArm {
  const dynamics::ArticulatedModel model = arm();
  std::vector<dynamics::RigidBody> bodies;
  const std::vector<int> moving{0, 1, 2, 3};
  SystemState state;

  MovingArm() {
    state.robots.resize(1), state.bodies.resize(4);
    robot().model = &model, robot().links = moving;
    robot().state = dynamics::ArticulatedState(model);
    robot().state.q << 0.9, 0.1, 0.3, -0.2, 0.5, -0.7, 0.6;
    normaliseQuaternions(model, robot().state.q);
    for (int i = 0; i < 4; ++i) bodies.push_back(dynamics::RigidBody::make(model.link(i).mass, model.link(i).inertia));
    for (int i = 0; i < 4; ++i) state[i].model = &bodies[i], state[i].robot = 0, state[i].link = i;
  }
  MovingArm(const MovingArm&) = delete;  // The state refers to the rest.
  SystemRobot& robot() { return state.robots[0]; }
};

/// A point of a link, in its frame, on a horizontal plane at a height.
void standOnPlane(const dynamics::ArticulatedModel& model, int link, const Vector3d& point, double height,
                  Contact& contact) {
  contact.pair = {0, 0, 1, 0};
  contact.slot_b = link;
  contact.feature.kind = advance::AxisKind::kFixedInA;
  contact.frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  contact.offset = height;
  contact.b = point - model.link(link).centre;
}

TEST(RobotEquations, WhatIsKnownAlreadyIsThatOfNewEquations) {
  const dynamics::ArticulatedModel model = arm(0.3);
  const Vector3d gravity(0, 0, -9.81);
  dynamics::ArticulatedState states[3] = {dynamics::ArticulatedState(model), dynamics::ArticulatedState(model),
                                          dynamics::ArticulatedState(model)};
  states[0].q << 0.9, 0.1, 0.3, -0.2, 0.5, -0.7, 0.6;
  normaliseQuaternions(model, states[0].q);
  states[0].v << 9, -12, 7, 15, -11, 8;
  states[1].q = states[0].q, states[1].v = -0.5 * states[0].v;  // Moves otherwise,
  states[2] = states[1], states[2].q[5] += 0.1;                 // and stands elsewhere.
  SystemRobot robot;
  robot.model = &model;
  RobotEquations used;
  std::uint64_t draw = 1;
  for (int k = 0; k < 400; ++k) {
    draw = draw * 6364136223846793005u + 1442695040888963407u;
    robot.state = states[(draw >> 40) % 3];
    robot.implicit_time = (draw >> 50) % 3 == 0 ? 0.01 : 0;
    const bool inertia = (draw >> 55) % 2 == 0;
    used.update(robot, inertia);
    RobotEquations fresh;
    fresh.update(robot, inertia);
    EXPECT_EQ(used.energy(gravity), fresh.energy(gravity));
    if (!inertia) continue;
    Eigen::VectorXd dv, expected;
    used.freeAcceleration(robot, gravity, dv);
    fresh.freeAcceleration(robot, gravity, expected);
    EXPECT_EQ(dv, expected);
  }
}

TEST(ContactSystem, VelocitiesAfterAWindowAreThoseOfThePointWhereItIsThen) {
  MovingArm moving;
  const dynamics::ArticulatedModel& model = moving.model;
  const Vector3d gravity(0, 0, -9.81), tip(0.03, 0.02, -0.3);
  const int last = 3;
  dynamics::ArticulatedWorkspace workspace(model);
  SystemState& state = moving.state;
  SystemRobot& robot = moving.robot();
  // It swings with 10 rad/s and more such that its tip stands still.
  dynamics::calcPositions(model, robot.state.q, workspace);
  const Vector3d point = dynamics::linkPose(model, workspace, last) * tip;
  const Eigen::MatrixXd J = dynamics::oracle::linkJacobian(model, workspace, last, point);
  const Eigen::VectorXd wish = (Eigen::VectorXd(6) << 9, -12, 7, 15, -11, 8).finished();
  robot.state.v = wish - algebra::leastSquares(J.topRows<3>(), J.topRows<3>() * wish).x;
  ASSERT_GT(robot.state.v.norm(), 10);


  // The tip stands on a plane below it, with friction enough to stick.
  std::vector<Contact> contacts(1);
  Contact& contact = contacts[0];
  standOnPlane(model, last, tip, point.z(), contact);
  contact.friction = 1e3;
  contact.held = true;
  contact.mode = friction::ContactMode::kStick;
  contact.force = {50, 0, 0};
  const std::vector<Placement> fixed(1);

  ContactSystem system;
  double error[2];
  for (const int k : {0, 1}) {
    const double h = k == 0 ? 1e-4 : 5e-5;
    contact.mode = friction::ContactMode::kStick;
    system.update(state, contacts, fixed, fixed);
    ASSERT_LT(system.contactVelocity(state, contact, 0).norm(), 1e-12);
    ASSERT_NE(system.solveVelocities(state, contacts, gravity, h), friction::CoulombStatus::kFailed);
    ASSERT_EQ(contact.mode, friction::ContactMode::kStick);
    const Vector3d read = system.solvedVelocity(contact, 0) + h * system[0].bias;
    EXPECT_LT(read.norm(), 1e-10);  // It sticks, and is seen to: 1e-2 m/s without the links' own acceleration.
    // There, with these velocities, the point moves by what is of second order alone.
    Eigen::VectorXd q = robot.state.q;
    dynamics::integrate(model, robot.state.q, robot.state.v, h, q);
    dynamics::calcPositions(model, q, workspace);
    dynamics::calcVelocities(model, system.robotVelocities(0), workspace);
    error[k] = dynamics::linkVelocity(model, workspace, last, dynamics::linkPose(model, workspace, last) * tip)
                   .head<3>()
                   .norm();
  }
  EXPECT_LT(error[0], 1e-4);
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);
}

/// The k-th contact that holds the only body on what does not move; without friction.
Contact heldContact(int k, friction::ContactMode mode) {
  Contact contact;
  contact.pair = {0, 0, 1, 0};
  contact.slot_b = 0;
  contact.feature.kind = advance::AxisKind::kFixedInA;
  contact.feature.b0 = k;
  contact.held = true;
  contact.mode = mode;
  return contact;
}

/// A flat block without slip that glides on two feet: to stop it by both, the hind one would hold it down, hardly, with
/// half of all friction. That is a pull by its whole size (docs/proof.md, cone).
TEST(ContactSystem, WhatPullsDoesNotHoldByFrictionWithoutSlip) {
  constexpr double kSpeed = 0.5, kHalfLength = 1, kHalfHeight = 0.05;
  const dynamics::RigidBody block = dynamics::RigidBody::make(1, Vector3d(0.1, 0.34, 0.34).asDiagonal());
  SystemState state;
  state.bodies.resize(1);
  state[0].model = &block;
  state[0].state.pose.p = {0, 0, kHalfHeight};
  state[0].state.v = {kSpeed, 0, 0};
  std::vector<Contact> contacts(2);
  for (int k = 0; k < 2; ++k) {
    Contact& contact = contacts[k] = heldContact(k, friction::ContactMode::kStick);
    contact.frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    contact.b = {k == 0 ? -kHalfLength : kHalfLength, 0, -kHalfHeight};
    contact.friction = HUGE_VAL;
  }
  const std::vector<Placement> fixed(2);
  ContactSystem system;
  system.update(state, contacts, fixed, fixed);
  std::vector<Vector3d> impulses(2, Vector3d::Zero());
  system.projectVelocities(state, contacts, {1, 1e-4}, impulses);
  for (const Vector3d& P : impulses) {
    if (P[0] >= 0) continue;
    EXPECT_LT(P.norm(), 0.1);
  }
  EXPECT_LT(impulses[0][0], 0);  // The other one stops it alone.
  EXPECT_NEAR(impulses[1][1], -kSpeed, 1e-12);
  EXPECT_NEAR(state[0].state.v.norm(), 0, 1e-12);
}

/// A body on a plane and under one that leans by so little that both say nearly the same. To close the second to the
/// last digit they would wedge the body by what stops its slide, v = s / lean, whatever small s the contact comes up
/// with; what counts as closed stays as it is.
TEST(ContactSystem, WhatIsClosedIsNotWedgedFurther) {
  constexpr double kLean = 1e-4, kClosed = 1e-7;
  const dynamics::RigidBody ball = dynamics::RigidBody::make(1, Vector3d(0.1, 0.1, 0.1).asDiagonal());
  for (const double approach : {0.5 * kClosed, 5 * kClosed}) {
    SystemState state;
    state.bodies.resize(1);
    state[0].model = &ball;
    state[0].state.v = {approach / std::sin(kLean), 0, 0};
    std::vector<Contact> contacts(2);
    for (int k = 0; k < 2; ++k) {
      const double lean = k == 0 ? 0 : kLean;
      Contact& contact = contacts[k] = heldContact(k, friction::ContactMode::kSlip);
      contact.frame << -std::sin(lean), 0, std::cos(lean), std::cos(lean), 0, std::sin(lean), 0, 1, 0;
    }
    const std::vector<Placement> fixed(2);
    ContactSystem system;
    system.update(state, contacts, fixed, fixed);
    ASSERT_NEAR(system.contactVelocity(state, contacts[1], 1)[0], -approach, 1e-12);
    std::vector<Vector3d> impulses(2, Vector3d::Zero());
    system.projectVelocities(state, contacts, {1000, 1e-4, 1, kClosed}, impulses);
    if (approach < kClosed) {
      EXPECT_NEAR(system.contactVelocity(state, contacts[1], 1)[0], -approach, 1e-12);
      EXPECT_LT(impulses[1].norm() + impulses[0].norm(), kClosed);
    } else {
      EXPECT_NEAR(system.contactVelocity(state, contacts[1], 1)[0], 0, 1e-12);
      EXPECT_NEAR(impulses[1][0], approach / std::pow(std::sin(kLean), 2), 1e-4 * impulses[1][0]);
    }
  }
}

/// A joint leaves the end of its range, on which it will press, and its friction can stop it within the window: the end
/// need not pull.
TEST(ContactSystem, NoLimitIsPulledWhereItsJointIsStopped) {
  MovingArm moving;
  const RobotLimit limits[] = {{{5, 6, 1, 0.6}, 0.1, 0, {}, ""}};
  const RobotBrake brakes[] = {{5, 0.1, 5000, {}}};
  SystemState& state = moving.state;
  SystemRobot& robot = moving.robot();
  robot.state.v << 0, 0, 0, 0, 0, 0.5;
  robot.limits = limits, robot.brakes = brakes;
  std::vector<Contact> contacts(2);
  for (int k = 0; k < 2; ++k) {
    contacts[k].robot = 0, contacts[k].limit = k, contacts[k].held = true;
    contacts[k].mode = friction::ContactMode::kStick;
  }
  contacts[0].force = {1e4, 0, 0};
  contacts[1].hold = brakes[0].hold, contacts[1].friction = 1;
  const std::vector<Placement> fixed(2);
  ContactSystem system;
  system.update(state, contacts, fixed, fixed);
  std::vector<Vector3d> impulses(2, Vector3d::Zero());
  system.projectVelocities(state, contacts, {1, 1e-4}, impulses);
  EXPECT_GE(impulses[0][0], -1e-3);
  EXPECT_LT(impulses[1][1], -1e-3) << "its friction stops it";
  EXPECT_NEAR(robot.state.v[5], 0, 1e-12);
}

/// A bent arm that turns about its shoulder; its tip, nearly below, is on a plane. All its other joints stick, the last
/// one by a friction that bears hardly anything.
struct LeaningArm : MovingArm {
  static constexpr double kLever = 1e-2, kSpeed = 1e-3, kWindow = 1e-4;
  const RobotBrake brakes[3] = {{3, 0.1, 1e6, {}}, {4, 0.1, 1e6, {}}, {5, 0.1, 1, {}}};
  std::vector<Contact> contacts = std::vector<Contact>(4);
  std::vector<Vector3d> impulses = std::vector<Vector3d>(4, Vector3d::Zero());
  ContactSystem system;

  /// `turns`: 1: the tip leaves the plane slowly, -1: it approaches.
  explicit LeaningArm(double turns) {
    const int last = 3;
    const Vector3d tip(0, 0, -0.3), shoulder(0, 0, 1);
    dynamics::ArticulatedWorkspace workspace(model);
    robot().state.q.head<4>() << 1, 0, 0, 0;
    dynamics::calcPositions(model, robot().state.q, workspace);
    const Vector3d reach = dynamics::linkPose(model, workspace, last) * tip - shoulder;
    robot().state.q.head<4>() = geom::shortestTurn(reach, Vector3d(std::sin(kLever), 0, -std::cos(kLever)));
    dynamics::calcPositions(model, robot().state.q, workspace);
    const Vector3d point = dynamics::linkPose(model, workspace, last) * tip;
    const Eigen::MatrixXd J = dynamics::oracle::linkJacobian(model, workspace, last, point);
    robot().state.v.setZero();
    robot().state.v.head<3>() = turns * kSpeed * J.row(2).head<3>().normalized();
    robot().brakes = brakes;
    for (int k = 0; k < 4; ++k) {
      contacts[k].held = true;
      contacts[k].mode = k == 0 ? friction::ContactMode::kSlip : friction::ContactMode::kStick;
      if (k == 0) continue;
      contacts[k].robot = 0, contacts[k].limit = k - 1;
      contacts[k].hold = brakes[k - 1].hold, contacts[k].friction = 1;
    }
    standOnPlane(model, last, tip, point.z(), contacts[0]);
    const std::vector<Placement> fixed(4);
    system.update(state, contacts, fixed, fixed);
    EXPECT_GT(std::abs(tipSpeed()), 1e-6);
    system.projectVelocities(state, contacts, {1, kWindow}, impulses);
  }
  double tipSpeed() { return system.contactVelocity(state, contacts[0], 0)[0]; }
};

/// To close the tip all joints would have to be held against a force of many times the arm's weight: the one that can
/// bear least gives.
TEST(ContactSystem, AJointSlipsBeforeAContactOpens) {
  LeaningArm arm(1);
  EXPECT_NEAR(arm.tipSpeed(), 0, 1e-12) << "it stays closed,";
  EXPECT_GT(std::abs(arm.robot().state.v[5]), 1e-7) << "as the joint gives way,";
  EXPECT_NEAR(arm.robot().state.v[3], 0, 1e-12);
  EXPECT_NEAR(arm.robot().state.v[4], 0, 1e-12);
  EXPECT_GT(arm.impulses[0][0], -1e-3) << "and is hardly pulled.";
}

/// The plane may push as hard as it takes; a joint bears what its friction can within the window, and no more.
TEST(ContactSystem, AJointSlipsBeforeItBearsAPush) {
  LeaningArm arm(-1);
  EXPECT_NEAR(arm.tipSpeed(), 0, 1e-12);
  EXPECT_GT(arm.impulses[0][0], 0);
  EXPECT_LE(std::abs(arm.impulses[3][1]), arm.brakes[2].hold * LeaningArm::kWindow);
  EXPECT_GT(std::abs(arm.robot().state.v[5]), 1e-7);
  EXPECT_NEAR(arm.robot().state.v[3], 0, 1e-12);
  EXPECT_NEAR(arm.robot().state.v[4], 0, 1e-12);
}

}  // namespace
}  // namespace rigor::sim
