// SPDX-License-Identifier: MIT
// Proves dynamics/controllers: phases and continuity of the gait, inverse kinematics, forces and their limits, and that
// controllers are functions of their arguments. Oracles: kinematics.h for the closed form of the leg, finite
// differences for planned velocities, statics (a standing robot's feet carry its weight), values written by hand.
#include "dynamics/controllers/controller.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/allocation_counter.h"
#include "dynamics/controllers/joint_pd.h"
#include "dynamics/controllers/script.h"
#include "dynamics/controllers/trot.h"
#include "dynamics/forward_dynamics.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"
#include "random_tree.h"
#include "robot_oracles.h"
#include "tests/dense_algebra.h"

namespace rigor::dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// The quadruped of the bundled scenes, or one with odd offsets and a knee that turns the other way.
std::shared_ptr<const ArticulatedModel> quadruped(bool odd = false) {
  std::vector<LinkDescription> links{{"base", 2.6, {0, 0, 0}, Vector3d(.005833, .003033, .008633).asDiagonal()}};
  std::vector<JointDescription> joints(1);
  joints[0].name = "base", joints[0].type = JointType::kFloating;
  const auto add = [&](const std::string& name, JointType type, int parent, const Vector3d& at, const Vector3d& axis,
                       const LinkDescription& link) {
    JointDescription joint;
    joint.name = name + "_joint", joint.type = type, joint.parent = parent,
    joint.child = static_cast<int>(links.size());
    joint.origin.p = at, joint.axis = axis, joint.effort = 7.3, joint.speed = 15;
    joints.push_back(joint), links.push_back(link);
    links.back().name = name;
    return joint.child;
  };
  const Vector3d extra = odd ? Vector3d(0.01, -0.02, 0.03) : Vector3d::Zero();
  for (const char* leg : {"lf", "rf", "lh", "rh"}) {
    const double x = leg[1] == 'f' ? 1 : -1, y = leg[0] == 'l' ? 1 : -1;
    const std::string name = leg;
    const Matrix3d inertia = Vector3d(2e-5, 1e-4, 1e-4).asDiagonal();
    const int hip = add(name + "_hip", JointType::kRevolute, 0, {x * .0775, y * .0625, 0}, {x, 0, 0},
                        {"", .1, {x * .025, 0, 0}, inertia});
    const int thigh = add(name + "_thigh", JointType::kRevolute, hip, Vector3d(x * .025, 0, -.005) + extra, {0, y, 0},
                          {"", .1, {x * .0385, 0, 0}, inertia});
    const int shank = add(name + "_shank", JointType::kRevolute, thigh, Vector3d(x * .077, 0, 0) + extra,
                          {0, odd ? -y : y, 0}, {"", .1, {x * .05, 0, 0}, inertia});
    add(name + "_foot", JointType::kFixed, shank, {x * .1, 0, 0}, {1, 0, 0}, {});
  }
  return std::make_shared<const ArticulatedModel>(links, joints);
}

std::array<Foot, 4> feetOf(const ArticulatedModel& model) {
  return {Foot{model.findLink("lf_foot")}, Foot{model.findLink("rf_foot")}, Foot{model.findLink("lh_foot")},
          Foot{model.findLink("rh_foot")}};
}

TrotOptions trotOptions() {
  TrotOptions options;
  for (int i = 0; i < 4; ++i) options.gait.stance[i] = {i < 2 ? .155 : -.155, i % 2 ? -.067 : .067, -.15};
  return options;
}

TEST(Gait, PhasesAndContinuity) {
  Gait gait = trotOptions().gait;
  gait.velocity = {0.2, -0.05}, gait.turn = 0.3;
  for (int i = 0; i < 4; ++i) {
    for (int cycle = 0; cycle < 3; ++cycle) {
      const double down = (gait.touch_down[i] + cycle) * gait.period;
      const Vector3d u(-0.2 + 0.3 * gait.stance[i][1], 0.05 - 0.3 * gait.stance[i][0], 0);
      // Touch-down half a stance ahead, lift-off half a stance behind, both at ground level and stance velocity.
      EXPECT_LE((footTarget(gait, i, down + 1e-12).position - (gait.stance[i] - 0.15 * u)).norm(), 1e-9);
      EXPECT_LE((footTarget(gait, i, down + 0.3 - 1e-12).position - (gait.stance[i] + 0.15 * u)).norm(), 1e-9);
      EXPECT_TRUE(footTarget(gait, i, down + 0.01).stands);
      EXPECT_FALSE(footTarget(gait, i, down + 0.31).stands);
      EXPECT_NEAR(footTarget(gait, i, down + 0.4).position[2], gait.stance[i][2] + gait.step_height,
                  1e-12);  // Mid-swing.
    }
    Vector3d lowest = gait.stance[i];
    for (int k = 1; k < 3000; ++k) {
      const double t = k * 5e-4, h = 1e-7;
      const FootTarget before = footTarget(gait, i, t - h), now = footTarget(gait, i, t),
                       after = footTarget(gait, i, t + h);
      EXPECT_LE(((after.position - before.position) / (2 * h) - now.velocity).norm(), 1e-5);
      EXPECT_LE((after.velocity - before.velocity).norm(), 1e-4);
      EXPECT_GE(now.position[2], lowest[2] - 1e-15);
      EXPECT_LE(now.position[2], lowest[2] + gait.step_height + 1e-12);
    }
  }
  gait.stand = 0.5;
  EXPECT_EQ(footTarget(gait, 2, 0.49).position, gait.stance[2]);
  EXPECT_TRUE(footTarget(gait, 2, 0.49).stands);
}

TEST(Leg, InverseKinematicsBringsTheFootToItsTarget) {
  RandomTree random(21);
  for (bool odd : {false, true}) {
    const auto model = quadruped(odd);
    ArticulatedWorkspace workspace(*model);
    for (Foot foot : feetOf(*model)) {
      foot.point = random.vector(0.05);
      const Leg leg(*model, 0, foot);
      for (int trial = 0; trial < 300; ++trial) {
        ArticulatedState s = random.state(*model);
        Vector3d angles;
        for (int k = 0; k < 3; ++k) angles[k] = s.q[leg.position(k)] = random.number(-3, 3);
        calcPositions(*model, s.q, workspace);
        const geom::Pose X_WB = linkPose(*model, workspace, 0);
        const auto footInBase = [&] {
          return Vector3d(X_WB.rotation().transpose() * (footPoint(*model, workspace, foot) - X_WB.p));
        };
        const Vector3d target = footInBase();
        // From any reference: the foot is there. From nearby: the same angles again, where the leg is not straight.
        Vector3d found;
        ASSERT_EQ(leg.solve(target, random.vector(3), found), Reach::kReached);
        for (int k = 0; k < 3; ++k) s.q[leg.position(k)] = found[k];
        calcPositions(*model, s.q, workspace);
        EXPECT_LE((footInBase() - target).norm(), 1e-9);
        if (std::abs(std::sin(angles[2])) < 0.1) continue;
        ASSERT_EQ(leg.solve(target, angles, found), Reach::kReached);
        EXPECT_LE((found - angles).norm(), 1e-6);
      }
      Vector3d found;
      EXPECT_EQ(leg.solve({1, 1, -1}, {0, 0, 0}, found), Reach::kOutOfReach);
      EXPECT_TRUE(found.allFinite());
      EXPECT_EQ(leg.solve({std::nan(""), 0, 0}, {0, 0, 0}, found), Reach::kOutOfReach);
    }
  }
}

TEST(Leg, RefusesOtherMechanisms) {
  const auto model = quadruped();
  EXPECT_THROW(Leg(*model, 0, Foot{model->findLink("lf_thigh")}), ModelError);
}

TEST(JointPd, ForcesAndLimits) {
  const auto model = quadruped();
  const int nv = model->numVelocities();
  const VectorXd none = VectorXd::Zero(nv);
  JointPdOptions options{1e-3, VectorXd::Constant(nv, 20), VectorXd::Constant(nv, 0.1), none};
  options.target[7] = 0.25;
  const JointPd pd(model, options);
  ArticulatedState s(*model);
  s.q[model->positionOf(7)] = 0.2, s.v[7] = 2, s.q[model->positionOf(8)] = 1;
  ArticulatedWorkspace workspace(*model);
  ControllerState c = startController(pd, *model, s);
  sampleController(pd, *model, s, workspace, c);
  EXPECT_DOUBLE_EQ(c.tau[7], -20 * (0.2 - 0.25) - 0.1 * 2);
  EXPECT_DOUBLE_EQ(c.tau[8], -7.3);  // -20, but for the actuator.
  EXPECT_EQ(c.tau.head<6>().norm(), 0);
  EXPECT_EQ(c.samples, 1);
  EXPECT_DOUBLE_EQ(nextSample(pd, c), 1e-3);
  options.kp[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(JointPd(model, options), std::invalid_argument);
}

TEST(Script, InterpolatesItsTable) {
  const auto model = quadruped();
  ScriptOptions options;
  options.dofs = {6, 8}, options.times = {1, 2}, options.values.resize(2, 2);
  options.values << 1, -1, 3, -2;
  const Script script(model, options);
  const ArticulatedState s(*model);
  ArticulatedWorkspace workspace(*model);
  std::vector<double> memory;
  VectorXd tau(model->numVelocities());
  for (auto [time, first, second] :
       {std::tuple(0.0, 1.0, -1.0), {1.0, 1.0, -1.0}, {1.5, 2.0, -1.5}, {2.0, 3.0, -2.0}, {9.0, 3.0, -2.0}}) {
    script.calcForces(time, s, memory, workspace, tau);
    EXPECT_DOUBLE_EQ(tau[6], first);
    EXPECT_DOUBLE_EQ(tau[8], second);
    EXPECT_EQ(tau[7], 0);
  }
  options.positions = true;
  Script(model, options).calcForces(1.5, s, memory, workspace, tau);
  EXPECT_DOUBLE_EQ(tau[6], 20 * 2.0);
  options.times = {2, 2};
  EXPECT_THROW(Script(model, options), std::invalid_argument);
}

TEST(Script, HasGainsOfEachJoint) {
  const auto model = quadruped();
  ScriptOptions options;
  options.dofs = {6, 8}, options.times = {0}, options.values.setConstant(1, 2, 0.5), options.positions = true;
  options.kp = VectorXd::Constant(model->numVelocities(), 4),
  options.kd = VectorXd::Constant(model->numVelocities(), 0);
  options.kp[8] = 7, options.kd[8] = 0.25;
  ArticulatedState s(*model);
  s.v[8] = 2;
  ArticulatedWorkspace workspace(*model);
  std::vector<double> memory;
  VectorXd tau(model->numVelocities());
  const Script script(model, options);
  script.calcForces(0, s, memory, workspace, tau);
  EXPECT_DOUBLE_EQ(tau[6], 4 * 0.5);
  EXPECT_DOUBLE_EQ(tau[8], 7 * 0.5 - 0.25 * 2);
  EXPECT_EQ(script.drivenGains(options.kp)[7], 0);
  EXPECT_EQ(script.drivenGains(options.kp)[8], 7);
  options.kp.resize(3);
  EXPECT_THROW(Script(model, options), std::invalid_argument);
}

TEST(JointPd, HoldingForcesLeaveNoAcceleration) {
  RandomTree random(3);
  const Vector3d gravity(1, 2, -9);
  for (int trial = 0; trial < 20; ++trial) {
    const auto model =
        std::make_shared<const ArticulatedModel>(random.model({1 + trial % 9, false, true, true, trial % 2 == 0}));
    const int nv = model->numVelocities();
    JointPdOptions options{1e-3, VectorXd::Zero(nv), VectorXd::Zero(nv), VectorXd::Zero(nv), true, gravity};
    ArticulatedState s = random.state(*model);
    ArticulatedWorkspace workspace(*model);
    std::vector<double> memory;
    VectorXd tau(nv), dv(nv);
    JointPd(model, options).calcForces(0, s, memory, workspace, tau);  // Whatever the velocity.
    s.v.setZero();
    calcKinematics(*model, s, workspace);
    factorInertia(*model, workspace);
    calcForwardDynamics(*model, workspace, s.v, tau, gravity, dv);
    EXPECT_LE(dv.cwiseAbs().maxCoeff(), 1e-9 * gravity.norm());
  }
}

TEST(Trot, PlansWhatTheGaitSays) {
  const auto model = quadruped();
  TrotOptions options = trotOptions();
  const Trot trot(model, 0, feetOf(*model), options);
  ArticulatedState s(*model);
  // A robot whose joints are at the plan and at rest gets no force from the PD: feet at their targets.
  std::vector<double> memory;
  const double posture[4][3] = {{.2, .8, 1.2}, {-.2, -.8, -1.2}, {-.2, -.8, -1.2}, {.2, .8, 1.2}};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) s.q[trot.leg(i).position(k)] = posture[i][k];
  }
  trot.start(s, memory);
  ASSERT_EQ(memory.size(), 13u);
  ArticulatedWorkspace workspace(*model);
  VectorXd tau(model->numVelocities()), again = tau;
  for (double time : {0.0, 0.13, 0.26, 0.4}) {
    const std::vector<double> before = memory;
    trot.calcForces(time, s, memory, workspace, tau);
    ArticulatedState planned = s;
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) planned.q[trot.leg(i).position(k)] = memory[3 * i + k];
    }
    calcPositions(*model, planned.q, workspace);
    for (int i = 0; i < 4; ++i) {
      const Vector3d foot = linkPose(*model, workspace, trot.leg(i).end().link).p;
      EXPECT_LE((foot - footTarget(options.gait, i, time).position).norm(), 1e-12);  // The base is at the origin.
    }
    std::vector<double> repeated = before;
    trot.calcForces(time, s, repeated, workspace, again);
    EXPECT_EQ(again, tau);
    EXPECT_EQ(repeated, memory);
    std::vector<double> at_plan = memory;
    trot.calcForces(time, planned, at_plan, workspace, again);
    EXPECT_LE(again.norm(), 1e-9);
  }
  options.gait.duty = 1;
  EXPECT_THROW(Trot(model, 0, feetOf(*model), options), std::invalid_argument);
}

TEST(Trot, TurnsBackToItsHeading) {
  const auto model = quadruped();
  const TrotOptions options = trotOptions();
  const Trot trot(model, 0, feetOf(*model), options);
  ArticulatedState s(*model);
  const double posture[4][3] = {{.2, .8, 1.2}, {-.2, -.8, -1.2}, {-.2, -.8, -1.2}, {.2, .8, 1.2}};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) s.q[trot.leg(i).position(k)] = posture[i][k];
  }
  const auto turn = [&](double angle) { s.q.segment<4>(3) << std::cos(angle / 2), 0, 0, std::sin(angle / 2); };
  std::vector<double> memory;
  ArticulatedWorkspace workspace(*model);
  VectorXd tau(model->numVelocities());
  for (const auto& [start, off] : {std::pair{0.0, 0.1}, {2.0, -0.05}, {3.1, 0.2}, {0.5, -1.0}}) {
    turn(start);
    trot.start(s, memory);
    turn(start + off);  // Past pi, too.
    trot.calcForces(0.13, s, memory, workspace, tau);
    Gait gait = options.gait;
    gait.turn -= std::clamp(options.heading * off, -Trot::kMostTurn, Trot::kMostTurn);
    for (int i = 0; i < 4; ++i) {
      Vector3d angles;
      (void)trot.leg(i).solve(footTarget(gait, i, 0.13).position, Vector3d(posture[i]), angles);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(memory[3 * i + k], angles[k], 1e-9) << start << ' ' << i;
    }
  }
}

TEST(Trot, InverseDynamicsCarriesAStandingRobot) {
  // All feet stand: with the torques found, feet that push with the missing base wrench keep everything at rest, so the
  // joint torques must equal gravity's minus those of foot forces whose sum is the weight.
  const auto model = quadruped();
  TrotOptions options = trotOptions();
  options.inverse_dynamics = true, options.gait.stand = 10;
  const Trot trot(model, 0, feetOf(*model), options);
  ArticulatedState s(*model);
  std::vector<double> memory;
  const double posture[4][3] = {{.2, .8, 1.2}, {-.2, -.8, -1.2}, {-.2, -.8, -1.2}, {.2, .8, 1.2}};
  for (int i = 0; i < 4; ++i) {
    Vector3d angles;
    ASSERT_EQ(trot.leg(i).solve(options.gait.stance[i], Vector3d(posture[i]), angles), Reach::kReached);
    for (int k = 0; k < 3; ++k) s.q[trot.leg(i).position(k)] = angles[k];
  }
  trot.start(s, memory);
  ArticulatedWorkspace workspace(*model);
  const int nv = model->numVelocities();
  VectorXd tau(nv), h(nv);
  trot.calcForces(1, s, memory, workspace, tau);
  calcKinematics(*model, s, workspace);
  calcBiasForces(*model, workspace, s.v, options.gravity, h);
  // tau_joint = h_joint - sum J'f; least squares for the f that explain it, joints and base together.
  Eigen::MatrixXd J(12, nv);
  for (int i = 0; i < 4; ++i) {
    const int foot = trot.leg(i).end().link;
    const Vector3d point = linkPose(*model, workspace, foot).p;
    J.middleRows<3>(3 * i) = oracle::linkJacobian(*model, workspace, foot, point).topRows<3>();
  }
  const Eigen::MatrixXd joints = J.rightCols(nv - 6).transpose();
  const VectorXd f = algebra::leastSquares(joints, h.tail(nv - 6) - tau.tail(nv - 6)).x;
  EXPECT_LE((joints * f - (h.tail(nv - 6) - tau.tail(nv - 6))).norm(), 1e-9);
  // The damping of the feet's problem leaves its share of the weight.
  EXPECT_LE((J.leftCols<6>().transpose() * f - h.head<6>()).norm(), 1e-5 * h.head<6>().norm());
  EXPECT_NEAR(h[2], 3.8 * 9.81, 1e-9);
}

TEST(Trot, DoesNotAllocate) {
  if (rigor::allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  const auto model = quadruped();
  TrotOptions options = trotOptions();
  options.inverse_dynamics = true;
  const Trot trot(model, 0, feetOf(*model), options);
  const ArticulatedState s(*model);
  ArticulatedWorkspace workspace(*model);
  ControllerState c = startController(trot, *model, s);
  const long before = rigor::allocations();
  for (int i = 0; i < 100; ++i) sampleController(trot, *model, s, workspace, c);
  EXPECT_EQ(rigor::allocations(), before);
  EXPECT_LE(c.tau.cwiseAbs().maxCoeff(), 7.3);
}

}  // namespace
}  // namespace rigor::dynamics
