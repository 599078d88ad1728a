// SPDX-License-Identifier: MIT
// Proves: damping, friction and springs of joints are the forces they are said to be, and an implicit step of damping
// solves the equation that it states. Oracle: that equation with the dense mass matrix; closed forms of one joint; the
// work of the forces.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dynamics/forward_dynamics.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "random_tree.h"

namespace rigor::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// A slider of mass 2 along z in the world.
ArticulatedModel slider(double damping, double friction, double stiffness = 0, double rest = 0) {
  LinkDescription link;
  link.name = "slider", link.mass = 2, link.inertia.setIdentity();
  JointDescription joint;
  joint.name = "rail", joint.type = JointType::kPrismatic, joint.axis = Vector3d(0, 0, 3);
  joint.damping = damping, joint.friction = friction, joint.stiffness = stiffness, joint.rest = rest;
  return ArticulatedModel({link}, {joint});
}

double accelerationOf(const ArticulatedModel& model, double q, double v, double implicit_time = 0) {
  ArticulatedWorkspace workspace(model);
  ArticulatedState state(model);
  state.q[0] = q, state.v[0] = v;
  calcKinematics(model, state, workspace);
  factorInertia(model, workspace, implicit_time);
  VectorXd dv(1);
  calcForwardDynamics(model, workspace, state.v, VectorXd::Zero(1), {0, 0, -10}, dv);
  return dv[0];
}

TEST(Dissipation, OneJointInClosedForm) {
  EXPECT_NEAR(accelerationOf(slider(6, 0), 0, 0.5), -10 - 6 * 0.5 / 2, 1e-13);
  EXPECT_NEAR(accelerationOf(slider(0, 5), 0, 0.5), -10 - 5 / 2.0 / std::sqrt(1 + std::pow(kStictionSpeed / 0.5, 2)),
              1e-13);
  EXPECT_NEAR(accelerationOf(slider(0, 5), 0, -0.5), -10 + 5 / 2.0, 1e-6);
  EXPECT_EQ(accelerationOf(slider(0, 5), 0, 0), -10);
  // Friction 25 holds the weight of 20: where it creeps at the speed that is said, nothing accelerates.
  EXPECT_NEAR(accelerationOf(slider(0, 25), 0, -kStictionSpeed * 20 / std::sqrt(25.0 * 25 - 20 * 20)), 0, 1e-12);
  EXPECT_NEAR(accelerationOf(slider(0, 0, 8, 0.25), 1, 0), -10 - 8 * 0.75 / 2, 1e-13);
  // (m + h d) a = -m g - d v, whatever d.
  EXPECT_NEAR(accelerationOf(slider(6, 0), 0, 0.5, 0.1), (-20 - 3) / 2.6, 1e-13);
  EXPECT_NEAR(0.5 + 0.1 * accelerationOf(slider(1e9, 0), 0, 0.5, 0.1), (2 * 0.5 - 0.1 * 20) / (2 + 0.1 * 1e9),
              1e-15);  // That is (m v - h m g) / (m + h d).
}

TEST(Dissipation, ImplicitStepsSolveTheirEquation) {
  RandomTree random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const ArticulatedModel model = random.model({1 + trial % 10, trial % 2 == 0, true, true, trial % 3 == 0});
    const int n = model.numVelocities();
    ArticulatedWorkspace workspace(model);
    const ArticulatedState state = random.state(model, 2);
    const Vector3d gravity(0, 1, -9);
    calcKinematics(model, state, workspace);
    VectorXd tau = random.numbers(n, 3), h(n), dv(n);
    MatrixXd M(n, n);
    calcMassMatrix(model, workspace, M);
    calcBiasForces(model, workspace, state.v, gravity, h);
    const double time = 0.05 * (trial + 1);
    factorInertia(model, workspace, time);
    calcForwardDynamics(model, workspace, state.v, tau, gravity, dv);
    VectorXd residual = M * dv - (tau - h);
    for (int dof = 0; dof < n; ++dof) residual[dof] += time * model.joint(model.jointOf(dof)).damping * dv[dof];
    EXPECT_LE(residual.norm(), 1e-9 * (1 + tau.norm() + h.norm()));
  }
}

TEST(Dissipation, FastestDecayIsDampingOverInertia) {
  const ArticulatedModel model = slider(6, 0);
  ArticulatedWorkspace workspace(model);
  calcKinematics(model, ArticulatedState(model), workspace);
  factorInertia(model, workspace);
  EXPECT_NEAR(fastestDecay(model, workspace), 3, 1e-14);
  EXPECT_NEAR(fastestDecay(model, workspace, std::array<char, 1>{0}), 3, 1e-14);
  EXPECT_EQ(fastestDecay(model, workspace, std::array<char, 1>{1}), 0);
}

TEST(Dissipation, SpringsKeepEnergy) {
  const ArticulatedModel model = slider(0, 0, 8, 0.25);
  ArticulatedWorkspace workspace(model);
  ArticulatedState state(model);
  state.q[0] = 1;
  calcKinematics(model, state, workspace);
  EXPECT_NEAR(potentialEnergy(model, workspace, {0, 0, -10}), 2 * 10 * 1 + 0.5 * 8 * 0.75 * 0.75, 1e-13);
  // What inverse dynamics asks for at rest is the gradient.
  VectorXd h(1);
  calcBiasForces(model, workspace, state.v, {0, 0, -10}, h);
  EXPECT_NEAR(h[0], 20 + 8 * 0.75, 1e-13);
}

}  // namespace
}  // namespace rigor::dynamics
