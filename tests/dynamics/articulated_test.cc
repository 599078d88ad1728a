// SPDX-License-Identifier: MIT
// Proves the algorithms on articulated_model.h against each other and against mechanics.
// Oracles: dynamics/rigid_body.h for a free link; closed forms (pendulum's period by an elliptic integral, double
// pendulum's equations of motion, a screw of two masses); finite differences for every derivative. Independent
// algorithms of the same quantity: articulated bodies, composite bodies and Newton-Euler. Invariants: energy and
// momentum over simulated time, order 4 by step halving.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/allocation_counter.h"
#include "dynamics/forward_dynamics.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/joint_limits.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "dynamics/quaternion.h"
#include "random_tree.h"
#include "robot_oracles.h"
#include "tests/dense_algebra.h"

namespace rigor::dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kRounding = 1e-13;  // Of a few hundred operations, relative.
constexpr double kSolve = 1e-10;     // Of a solve with a mass matrix of condition up to 1e4, relative.

double relative(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1e-300, b.cwiseAbs().maxCoeff());
}

RandomTree::Wishes wishesOf(int trial) { return {1 + trial % 14, trial % 2 == 0, true, trial % 3 == 0, trial % 5 < 2}; }

/// Classical Runge-Kutta with constant forces.
ArticulatedState step(const ArticulatedModel& model, const ArticulatedState& s, const VectorXd& tau,
                      const Vector3d& gravity, double h, ArticulatedWorkspace& workspace) {
  VectorXd kq[4], kv[4];
  for (int i = 0; i < 4; ++i) {
    ArticulatedState stage = s;
    const double share = i == 3 ? 1 : 0.5;
    if (i > 0) stage.q += share * h * kq[i - 1], stage.v += share * h * kv[i - 1];
    kq[i].resize(model.numPositions()), kv[i].resize(model.numVelocities());
    calcConfigurationRate(model, stage.q, stage.v, kq[i]);
    calcKinematics(model, stage, workspace);
    factorInertia(model, workspace);
    calcForwardDynamics(model, workspace, stage.v, tau, gravity, kv[i]);
  }
  ArticulatedState end = s;
  end.q += h / 6 * (kq[0] + 2 * kq[1] + 2 * kq[2] + kq[3]);
  end.v += h / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]);
  return end;
}

/// A rod from its joint at the origin down to (0, 0, -length), hinged about y.
LinkDescription rod(const std::string& name, double mass, double length) {
  const double i = mass * length * length / 12;
  return {name, mass, {0, 0, -length / 2}, Vector3d(i, i, 1e-4 * i).asDiagonal()};
}
JointDescription hinge(const std::string& name, int parent, int child, const Vector3d& at) {
  JointDescription joint;
  joint.name = name, joint.type = JointType::kRevolute, joint.parent = parent, joint.child = child;
  joint.origin.p = at, joint.axis = {0, 1, 0};
  return joint;
}

TEST(Articulated, AFreeLinkIsARigidBody) {
  RandomTree random(1);
  const Vector3d gravity(0.2, 0.1, -9.81);
  for (int trial = 0; trial < 20; ++trial) {
    JointDescription joint;
    joint.name = "base", joint.type = JointType::kFloating;
    const LinkDescription link = random.link("body");
    const ArticulatedModel model({link}, {joint});
    const RigidBody body = RigidBody::make(link.mass, link.inertia);
    ArticulatedState state = random.state(model);
    RigidBodyState rigid;
    rigid.pose = {state.q.tail<4>(), state.q.head<3>()};
    rigid.setVelocity(state.v);
    ArticulatedWorkspace workspace(model);
    calcKinematics(model, state, workspace);

    const Matrix3d R = rigid.pose.rotation();
    MatrixXd M(6, 6), expected = MatrixXd::Zero(6, 6);
    calcMassMatrix(model, workspace, M);
    expected.topLeftCorner<3, 3>() = body.mass * Matrix3d::Identity();
    expected.bottomRightCorner<3, 3>() = R * body.inertia * R.transpose();
    EXPECT_LE(relative(M, expected), kRounding);
    EXPECT_TRUE((M.topRightCorner<3, 3>().isZero(0)));
    VectorXd dv(6), none = VectorXd::Zero(6);
    factorInertia(model, workspace);
    calcForwardDynamics(model, workspace, state.v, none, gravity, dv);
    EXPECT_LE((dv.head<3>() - gravity).norm(), kRounding * 10);
    EXPECT_LE(relative(dv.tail<3>(), gyroscopicAcceleration(body, R, rigid.w)), kSolve);
    EXPECT_NEAR(kineticEnergy(model, workspace, state.v), kineticEnergy(body, rigid), kRounding * 100);
    EXPECT_LE((linkCentre(model, workspace, 0) - rigid.pose.p).norm(), kRounding);
    EXPECT_LE(relative(linkVelocity(model, workspace, 0, rigid.pose.p), rigid.velocity()), kRounding);

    // The link's frame and its velocity, given and read again.
    const geom::Pose X_WL{random.quaternion() * 1.7, random.vector(2)};
    const Vector3d v = random.vector(3), w = random.vector(3);
    setFloating(model, 0, X_WL, v, w, state);
    calcKinematics(model, state, workspace);
    EXPECT_LE((linkPose(model, workspace, 0).p - X_WL.p).norm(), kRounding);
    EXPECT_LE((linkPose(model, workspace, 0).q - X_WL.q).norm(), kRounding);
    EXPECT_LE((linkVelocity(model, workspace, 0, X_WL.p).head<3>() - v).norm(), kRounding * 10);
  }
}

TEST(Articulated, ThreeAlgorithmsAgree) {
  RandomTree random(2);
  const Vector3d gravity(1, -2, -9);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    const ArticulatedModel model = random.model(wishesOf(trial));
    const int nv = model.numVelocities();
    const ArticulatedState state = random.state(model);
    const VectorXd tau = random.numbers(nv, 10);
    ArticulatedWorkspace workspace(model);
    calcKinematics(model, state, workspace);
    MatrixXd M(nv, nv);
    VectorXd h(nv), dv(nv), back(nv), x(nv);
    calcMassMatrix(model, workspace, M);
    calcBiasForces(model, workspace, state.v, gravity, h);
    factorInertia(model, workspace);
    calcForwardDynamics(model, workspace, state.v, tau, gravity, dv);
    ASSERT_TRUE(algebra::isPositiveDefinite(M));
    const MatrixXd inverse = algebra::inverse(M);
    EXPECT_LE(relative(dv, inverse * (tau - h)), kSolve);
    calcInverseDynamics(model, workspace, state.v, dv, gravity, back);
    EXPECT_LE((back - tau).norm(), kSolve * (tau.norm() + (M * dv).norm()));
    solveMassMatrix(model, workspace, tau, x);
    EXPECT_LE(relative(x, inverse * tau), kSolve);
    x = tau;
    solveMassMatrix(model, workspace, x, x);  // In place.
    EXPECT_LE(relative(x, inverse * tau), kSolve);
    EXPECT_EQ(M, M.transpose());
    EXPECT_NEAR(0.5 * state.v.dot(M * state.v), kineticEnergy(model, workspace, state.v),
                kRounding * (1 + 0.5 * state.v.dot(M * state.v)));
  }
}

// Several right-hand sides at once are solved side by side: the bits are those of one after the other. Columns of
// contacts are zero but for few rows.
TEST(Articulated, ColumnsSideBySideHaveTheSameBits) {
  RandomTree random(2);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    RandomTree::Wishes wishes = wishesOf(trial);
    wishes.simple = trial % 4 < 3;
    const ArticulatedModel model = random.model(wishes);
    const int nv = model.numVelocities();
    ArticulatedWorkspace workspace(model);
    calcKinematics(model, random.state(model), workspace);
    factorInertia(model, workspace);
    for (const int columns : {1, 3, 4, 6, 9}) {
      MatrixXd x(nv, columns), one_by_one(nv, columns);
      for (int k = 0; k < columns; ++k) {
        x.col(k) = random.numbers(nv, 10);
        for (double& value : x.col(k))
          if (random.integer(0, 2) != 0) value = 0;
        solveMassMatrix(model, workspace, x.col(k), one_by_one.col(k));
      }
      solveMassMatrixColumns(model, workspace, x);
      EXPECT_EQ(x, one_by_one) << columns;
    }
  }
}

TEST(Articulated, KinematicsAreTheDerivativesOfEachOther) {
  RandomTree random(3);
  constexpr double kStep = 1e-5, kDifference = 3e-8;  // Central differences: step^2 and rounding / step.
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    const ArticulatedModel model = random.model(wishesOf(trial));
    const int nv = model.numVelocities();
    const ArticulatedState state = random.state(model, 1);
    const VectorXd dv = random.numbers(nv, 1);
    ArticulatedWorkspace here(model), before(model), after(model);
    ArticulatedState s0(model), s1(model);
    calcKinematics(model, state, here);
    calcAccelerations(model, dv, here);
    // Along the motion with these v and v': q to second order, v to first.
    for (auto [sign, s] : {std::pair(-1.0, &s0), std::pair(1.0, &s1)}) {
      const VectorXd mean = state.v + sign * kStep / 2 * dv;
      integrate(model, state.q, mean, sign * kStep, s->q);
      s->v = state.v + sign * kStep * dv;
    }
    calcKinematics(model, s0, before);
    calcKinematics(model, s1, after);
    for (int i = 0; i < model.numLinks(); ++i) {
      const geom::Pose X = linkPose(model, here, i), X0 = linkPose(model, before, i), X1 = linkPose(model, after, i);
      const Vector3d local = random.vector(1), point = X * local;
      const Vector6d velocity = linkVelocity(model, here, i, point), a = linkAcceleration(model, here, i, point);
      const Vector6d v0 = linkVelocity(model, before, i, X0 * local), v1 = linkVelocity(model, after, i, X1 * local);
      EXPECT_LE(((X1 * local - X0 * local) / (2 * kStep) - velocity.head<3>()).norm(), kDifference * 10);
      EXPECT_LE((rotationVector(multiply(X1.q, conjugate(X0.q))) / (2 * kStep) - velocity.tail<3>()).norm(),
                kDifference * 10);
      EXPECT_LE(((v1 - v0) / (2 * kStep) - a).norm(), kDifference * (10 + 10 * a.norm()));

      const MatrixXd J = oracle::linkJacobian(model, here, i, point);
      EXPECT_LE((J * state.v - velocity).norm(), kRounding * (10 + velocity.norm()));
      EXPECT_LE((J * dv + linkBiasAcceleration(model, here, i, point) - a).norm(), kRounding * (100 + 10 * a.norm()));
      // What moves a link is what it stands on.
      const std::span<const int> support = model.support(i);
      for (int k = 0; k < nv; ++k)
        if (std::find(support.begin(), support.end(), k) == support.end()) {
          EXPECT_EQ(J.col(k), Vector6d::Zero());
        }
      VectorXd tau = VectorXd::Zero(nv);
      const Vector6d wrench = random.numbers(6, 1);
      addLinkForce(model, here, i, point, wrench, tau);
      EXPECT_LE((tau - J.transpose() * wrench).norm(), kRounding * 100);
    }
    // M is the Hessian of the kinetic energy; h at rest the gradient of the potential one.
    const Vector3d gravity(0.5, 1, -9.81);
    VectorXd h(nv), still = VectorXd::Zero(nv);
    calcVelocities(model, still, here);
    calcBiasForces(model, here, still, gravity, h);
    for (int dof = 0; dof < nv; ++dof) {
      const VectorXd along = VectorXd::Unit(nv, dof);
      integrate(model, state.q, along, -kStep, s0.q);
      integrate(model, state.q, along, kStep, s1.q);
      calcPositions(model, s0.q, before);
      calcPositions(model, s1.q, after);
      const double slope =
          (potentialEnergy(model, after, gravity) - potentialEnergy(model, before, gravity)) / (2 * kStep);
      EXPECT_NEAR(slope, h[dof], 1e-7 * (1 + model.mass()));
    }
  }
}

TEST(Articulated, TwistsOfOtherVelocitiesAreThoseOfTheRecursion) {
  RandomTree random(14);
  for (int trial = 0; trial < 40; ++trial) {
    const ArticulatedModel model = random.model(wishesOf(trial));
    const ArticulatedState state = random.state(model, 1.5), other = random.state(model, 1.5);
    ArticulatedWorkspace workspace(model);
    calcKinematics(model, state, workspace);
    std::vector<NodeTwist> twists(model.nodes().size());
    calcTwists(model, workspace, other.v, twists);
    calcVelocities(model, other.v, workspace);
    for (size_t n = 1; n < twists.size(); ++n) {
      EXPECT_EQ(twists[n].v, workspace.nodes[n].v);
      EXPECT_EQ(twists[n].w, workspace.nodes[n].w);
    }
  }
}

TEST(Articulated, IntegrateAndDifferenceAreInverse) {
  RandomTree random(4);
  for (int trial = 0; trial < 40; ++trial) {
    const ArticulatedModel model = random.model(wishesOf(trial));
    const ArticulatedState state = random.state(model, 1.5);
    VectorXd end(model.numPositions()), v(model.numVelocities()), rate(model.numPositions()), ahead = end;
    integrate(model, state.q, state.v, 0.9, end);
    difference(model, state.q, end, v);
    EXPECT_LE((v - 0.9 * state.v).norm(), kRounding * 10);
    calcConfigurationRate(model, state.q, state.v, rate);
    integrate(model, state.q, state.v, 1e-5, end);
    integrate(model, state.q, state.v, -1e-5, ahead);
    EXPECT_LE(((end - ahead) / 2e-5 - rate).norm(), 1e-8);
  }
}

TEST(Articulated, EnergyIsConstantAndDampingTakesWhatItSays) {
  RandomTree random(5);
  const Vector3d gravity(0, 0, -9.81);
  for (int trial = 0; trial < 6; ++trial) {
    SCOPED_TRACE(trial);
    RandomTree::Wishes wishes{4, trial % 2 == 0, true, trial >= 3, trial >= 2};
    const ArticulatedModel model = random.model(wishes);
    ArticulatedState s = random.state(model, 1);
    ArticulatedWorkspace workspace(model);
    const VectorXd none = VectorXd::Zero(model.numVelocities());
    double error[2], scale = 0;
    for (int fine = 0; fine < 2; ++fine) {
      const double h = fine ? 2.5e-4 : 5e-4;
      ArticulatedState run = s;
      double e0 = 0, lost = 0, power = 0, e1 = 0;
      for (int i = 0; i <= (fine ? 1200 : 600); ++i) {
        if (i > 0) run = step(model, run, none, gravity, h, workspace);
        calcKinematics(model, run, workspace);
        e1 = kineticEnergy(model, workspace, run.v) + potentialEnergy(model, workspace, gravity);
        double next = 0;
        for (int dof = 0; dof < model.numVelocities(); ++dof) {
          next += model.joint(model.jointOf(dof)).damping * run.v[dof] * run.v[dof];
        }
        if (i == 0)
          e0 = e1, scale = kineticEnergy(model, workspace, run.v) + 1;
        else
          lost += h * (power + next) / 2;
        power = next;
      }
      error[fine] = std::abs(e1 + lost - e0) / scale;
    }
    EXPECT_LE(error[1], 2e-6);
    if (trial < 3 && error[0] > 1e-11) {
      EXPECT_LE(error[1], error[0] / 8) << "order 4";
    }
  }
}

TEST(Articulated, MomentumOfAFloatingTreeIsConstant) {
  RandomTree random(6);
  for (int trial = 0; trial < 4; ++trial) {
    const ArticulatedModel model = random.model({5, true, true, trial % 2 == 1, false});
    ArticulatedState s = random.state(model, 1);
    ArticulatedWorkspace workspace(model);
    calcKinematics(model, s, workspace);
    const Vector6d before = oracle::momentum(workspace);
    VectorXd tau = random.numbers(model.numVelocities(), 1);
    tau.head<6>().setZero();  // Forces between links move no momentum.
    for (int i = 0; i < 400; ++i) s = step(model, s, tau, Vector3d::Zero(), 5e-4, workspace);
    calcKinematics(model, s, workspace);
    EXPECT_LE((oracle::momentum(workspace) - before).norm(), 1e-8 * before.norm());
  }
}

TEST(Articulated, PendulumHasThePeriodOfTheEllipticIntegral) {
  const double length = 0.8, g = 9.81, amplitude = 2.0;
  const ArticulatedModel model({rod("rod", 1.3, length)}, {hinge("pivot", kWorld, 0, {0.1, 0.2, 0.3})});
  // A rod about its end swings as a point at 2/3 of its length; T = 4 sqrt(l/g) K(sin(amplitude/2)).
  const double period = 4 * std::sqrt(2 * length / 3 / g) * std::comp_ellint_1(std::sin(amplitude / 2));
  ArticulatedState s(model);
  s.q[0] = amplitude;
  ArticulatedWorkspace workspace(model);
  constexpr int kSteps = 4000;
  for (int i = 0; i < kSteps; ++i) s = step(model, s, VectorXd::Zero(1), {0, 0, -g}, period / kSteps, workspace);
  EXPECT_NEAR(s.q[0], amplitude, 1e-10);
  EXPECT_NEAR(s.v[0], 0, 1e-9);
}

TEST(Articulated, DoublePendulumObeysItsEquations) {
  // Point masses on massless rods: M11 = (m1 + m2) l1^2, M12 = m2 l1 l2 cos(a1 - a2), ... in absolute angles.
  const double m1 = 1.2, m2 = 0.7, l1 = 0.9, l2 = 0.6, g = 9.81, tiny = 1e-9;
  const Matrix3d spot = tiny * Matrix3d::Identity();
  const ArticulatedModel model({{"upper", m1, {0, 0, -l1}, spot}, {"lower", m2, {0, 0, -l2}, spot}},
                               {hinge("shoulder", kWorld, 0, {0, 0, 0}), hinge("elbow", 0, 1, {0, 0, -l1})});
  RandomTree random(7);
  ArticulatedWorkspace workspace(model);
  for (int trial = 0; trial < 20; ++trial) {
    const ArticulatedState s = random.state(model, 3);
    const double a1 = s.q[0], a2 = s.q[0] + s.q[1], w1 = s.v[0], w2 = s.v[0] + s.v[1], c = std::cos(a1 - a2),
                 sn = std::sin(a1 - a2);
    Eigen::Matrix2d A;
    A << (m1 + m2) * l1 * l1, m2 * l1 * l2 * c, m2 * l1 * l2 * c, m2 * l2 * l2;
    const Eigen::Vector2d b(-m2 * l1 * l2 * sn * w2 * w2 - (m1 + m2) * g * l1 * std::sin(a1),
                            m2 * l1 * l2 * sn * w1 * w1 - m2 * g * l2 * std::sin(a2));
    const Eigen::Vector2d absolute = A.inverse() * b;
    VectorXd dv(2);
    calcKinematics(model, s, workspace);
    factorInertia(model, workspace);
    calcForwardDynamics(model, workspace, s.v, VectorXd::Zero(2), {0, 0, -g}, dv);
    // The spots' own inertia changes the result by its share, tiny / (m l^2).
    EXPECT_NEAR(dv[0], absolute[0], 1e-6 * (1 + absolute.norm()));
    EXPECT_NEAR(dv[1], absolute[1] - absolute[0], 1e-6 * (1 + absolute.norm()));
  }
}

TEST(Articulated, ArmatureAddsToTheMassMatrixAlone) {
  RandomTree random(8);
  const ArticulatedModel bare = random.model({6, false, false, false, false});
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  for (int i = 0; i < bare.numLinks(); ++i) links.push_back(bare.link(i)), joints.push_back(bare.joint(i));
  for (JointDescription& joint : joints) joint.armature = 0.25;
  const ArticulatedModel model(links, joints);
  const ArticulatedState s = random.state(bare);
  const int nv = bare.numVelocities();
  ArticulatedWorkspace w0(bare), w1(model);
  calcKinematics(bare, s, w0);
  calcKinematics(model, s, w1);
  MatrixXd M0(nv, nv), M1(nv, nv);
  VectorXd h0(nv), h1(nv);
  calcMassMatrix(bare, w0, M0);
  calcMassMatrix(model, w1, M1);
  EXPECT_LE(relative(M1, M0 + 0.25 * MatrixXd::Identity(nv, nv)), kRounding);
  calcBiasForces(bare, w0, s.v, {0, 0, -9.81}, h0);
  calcBiasForces(model, w1, s.v, {0, 0, -9.81}, h1);
  EXPECT_EQ(h0, h1);
}

TEST(Articulated, LinksDependSmoothlyOnFullTurns) {
  // The published motion needs quaternions without jumps: past a full turn they go on, to minus themselves.
  const ArticulatedModel model({rod("rod", 1, 1)}, {hinge("pivot", kWorld, 0, {0, 0, 0})});
  ArticulatedWorkspace workspace(model);
  Eigen::Vector4d last;
  for (int i = 0; i <= 4000; ++i) {
    calcPositions(model, VectorXd::Constant(1, i * 0.01), workspace);
    const Eigen::Vector4d q = linkPose(model, workspace, 0).q;
    if (i > 0) {
      EXPECT_LE((q - last).norm(), 0.0051);
    }
    last = q;
  }
}

TEST(Articulated, DoesNotAllocate) {
  if (rigor::allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  RandomTree random(9);
  const ArticulatedModel model = random.model({14, true, true, true, true});
  ArticulatedState s = random.state(model), copy = s;
  const int nv = model.numVelocities();
  ArticulatedWorkspace workspace(model);
  MatrixXd M(nv, nv);
  VectorXd tau = random.numbers(nv, 1), dv(nv), rate(model.numPositions());
  const long before = rigor::allocations();
  calcKinematics(model, s, workspace);
  calcMassMatrix(model, workspace, M);
  calcBiasForces(model, workspace, s.v, {0, 0, -9.81}, dv);
  factorInertia(model, workspace);
  calcForwardDynamics(model, workspace, s.v, tau, {0, 0, -9.81}, dv);
  calcInverseDynamics(model, workspace, s.v, dv, {0, 0, -9.81}, tau);
  calcAccelerations(model, dv, workspace);
  solveMassMatrix(model, workspace, M.col(1), dv);
  addLinkForce(model, workspace, 7, {1, 2, 3}, Vector6d::Ones(), tau);
  calcConfigurationRate(model, s.q, s.v, rate);
  integrate(model, s.q, s.v, 0.1, s.q);
  difference(model, copy.q, s.q, dv);
  limitEffort(model, s.v, tau);
  copy = s;
  EXPECT_EQ(rigor::allocations(), before);
}

TEST(JointLimits, GapsAndEffort) {
  JointDescription first = hinge("first", kWorld, 0, {0, 0, 0}), second = hinge("second", 0, 1, {0, 0, -1});
  first.lower = -1, first.upper = 2, first.effort = 5, first.speed = 3;
  second.upper = 0.5;
  const ArticulatedModel model({rod("a", 1, 1), rod("b", 1, 1)}, {first, second});
  const std::vector<JointLimit> limits = jointLimits(model);
  ASSERT_EQ(limits.size(), 3u);
  const Eigen::Vector2d q(0.25, 0.75), v(4, -1);
  EXPECT_DOUBLE_EQ(limits[0].gap(q), 1.25);
  EXPECT_DOUBLE_EQ(limits[1].gap(q), 1.75);
  EXPECT_DOUBLE_EQ(limits[2].gap(q), -0.25);
  EXPECT_DOUBLE_EQ(limits[1].rate(v), -4);
  EXPECT_EQ(limits[2].dof, 1);
  VectorXd tau(2);
  tau << 100, 100;
  limitEffort(model, Eigen::Vector2d(0, 0), tau);
  EXPECT_EQ(tau, Eigen::VectorXd(Eigen::Vector2d(5, 100)));
  tau << 4, 4;
  limitEffort(model, Eigen::Vector2d(3, 3), tau);  // Too fast already: it may only brake.
  EXPECT_EQ(tau, Eigen::VectorXd(Eigen::Vector2d(0, 4)));
  tau << -9, std::nan("");
  limitEffort(model, Eigen::Vector2d(3, 0), tau);
  EXPECT_EQ(tau, Eigen::VectorXd(Eigen::Vector2d(-5, 0)));
}

TEST(ArticulatedModel, RefusesWhatIsNoMechanism) {
  const auto reason = [](std::vector<LinkDescription> links, std::vector<JointDescription> joints) -> std::string {
    try {
      ArticulatedModel(std::move(links), std::move(joints));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const LinkDescription a = rod("a", 1, 1), b = rod("b", 1, 1), c = rod("c", 1, 1);
  const JointDescription ja = hinge("ja", kWorld, 0, {0, 0, 0}), jb = hinge("jb", 0, 1, {0, 0, -1});
  EXPECT_EQ(reason({a, b}, {ja, jb}), "accepted");
  EXPECT_TRUE(has(reason({a, a}, {ja, jb}), "link a: a second link"));
  EXPECT_TRUE(has(reason({a, b}, {ja}), "link b: no joint"));
  EXPECT_TRUE(has(reason({a, b, c}, {ja, hinge("jb", 2, 1, {0, 0, 0}), hinge("jc", 1, 2, {0, 0, 0})}), "loop"));
  EXPECT_TRUE(has(reason({a, b}, {ja, jb, hinge("jc", 0, 1, {0, 0, 0})}), "joint jc: link b hangs on joint jb"));
  LinkDescription bad = b;
  bad.mass = -1;
  EXPECT_TRUE(has(reason({a, bad}, {ja, jb}), "link b"));
  bad = b;
  bad.inertia(2, 2) = 1;
  EXPECT_TRUE(has(reason({a, bad}, {ja, jb}), "link b"));
  bad = {"b"};  // No mass at the end of a joint.
  EXPECT_TRUE(has(reason({a, bad}, {ja, jb}), "joint jb: what it moves"));
  JointDescription joint = jb;
  joint.axis.setZero();
  EXPECT_TRUE(has(reason({a, b}, {ja, joint}), "joint jb: an axis"));
  joint = jb;
  joint.lower = 1, joint.upper = 0;
  EXPECT_TRUE(has(reason({a, b}, {ja, joint}), "joint jb: a lower limit"));
  joint = jb;
  joint.damping = std::nan("");
  EXPECT_TRUE(has(reason({a, b}, {ja, joint}), "joint jb: damping"));
  joint = jb;
  joint.type = JointType::kUniversal, joint.axis2 = -joint.axis;
  EXPECT_TRUE(has(reason({a, b}, {ja, joint}), "parallel"));
}

}  // namespace
}  // namespace rigor::dynamics
