// SPDX-License-Identifier: MIT
// Proves: kinematics, Jacobians, mass matrix, bias forces and accelerations of articulated_model.h are those of
// mechanics, for random trees of every joint type, fixed and floating. Oracle: Simbody, another library; where it is
// not installed the test is skipped and says so.
#include <gtest/gtest.h>

#include "dynamics/forward_dynamics.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "random_tree.h"
#include "robot_oracles.h"
#include "simbody_twin.h"

namespace rigor::dynamics {
namespace {

#ifdef RIGOR_HAS_SIMBODY

constexpr double kTolerance = 1e-10;  // Relative to the largest entry: what is asked.

void expectNear(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const char* what) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), kTolerance * b.cwiseAbs().maxCoeff()) << what;
}

/// Between the model's order of coordinates and that of the joints as listed.
struct Order {
  std::vector<int> q, v;
  explicit Order(const ArticulatedModel& model) {
    for (int j = 0; j < model.numJoints(); ++j) {
      for (int k = 0; k < model.joint(j).num_q; ++k) q.push_back(model.joint(j).q + k);
      for (int k = 0; k < model.joint(j).num_v; ++k) v.push_back(model.joint(j).v + k);
    }
  }
};

TEST(Simbody, AgreesOnRandomTrees) {
  RandomTree random(11);
  const Eigen::Vector3d gravity(0.3, -1.2, -9.81);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    RandomTree::Wishes wishes;
    wishes.links = 1 + trial % 12;
    wishes.floating = trial % 2;
    wishes.damping = trial % 3 == 0;
    const ArticulatedModel model = random.model(wishes);
    const Order order(model);
    std::vector<LinkDescription> links;
    std::vector<JointDescription> joints;
    for (int i = 0; i < model.numLinks(); ++i) links.push_back(model.link(i)), joints.push_back(model.joint(i));
    SimbodyTwin twin(links, joints, -model.link(0).in_node.p, gravity);
    ArticulatedWorkspace workspace(model);
    const int nv = model.numVelocities();
    for (int s = 0; s < 3; ++s) {
      const ArticulatedState state = random.state(model);
      const Eigen::VectorXd tau = random.numbers(nv, 20), dv = random.numbers(nv, 20);
      twin.set(state.q(order.q), state.v(order.v));
      calcKinematics(model, state, workspace);

      Eigen::MatrixXd M(nv, nv);
      Eigen::VectorXd result(nv);
      calcMassMatrix(model, workspace, M);
      expectNear(M(order.v, order.v), twin.massMatrix(), "mass matrix");
      calcInverseDynamics(model, workspace, state.v, dv, gravity, result);
      expectNear(result(order.v), twin.inverseDynamics(dv(order.v)), "inverse dynamics");
      factorInertia(model, workspace);
      calcForwardDynamics(model, workspace, state.v, tau, gravity, result);
      expectNear(result(order.v), twin.forwardDynamics(tau(order.v)), "forward dynamics");

      calcAccelerations(model, result, workspace);
      for (int i = 0; i < model.numLinks(); ++i) {
        const Eigen::Vector3d local = random.vector(1), point = linkPose(model, workspace, i) * local;
        EXPECT_LE((point - twin.point(i, local)).norm(), 1e-12 * model.numLinks());
        expectNear(linkVelocity(model, workspace, i, point), twin.velocity(i, local), "velocity");
        const Eigen::MatrixXd J = oracle::linkJacobian(model, workspace, i, point);
        expectNear(J(Eigen::seqN(0, 3), order.v), twin.pointJacobian(i, local), "Jacobian");
        const Eigen::Vector3d bias = twin.pointBias(i, local), expected_a = J.topRows<3>() * result + bias;
        EXPECT_LE((linkAcceleration(model, workspace, i, point).head<3>() - expected_a).norm(),
                  kTolerance * (1 + expected_a.norm()));
        EXPECT_LE((linkBiasAcceleration(model, workspace, i, point).head<3>() - bias).norm(),
                  kTolerance * (1 + bias.norm()));
      }
    }
  }
}

#else

TEST(Simbody, AgreesOnRandomTrees) { GTEST_SKIP() << "Simbody (Debian: libsimbody-dev) is not installed"; }

#endif

}  // namespace
}  // namespace rigor::dynamics
