// SPDX-License-Identifier: MIT
// Proves: joints that follow others move as the constraint q = ratio q_leader + offset makes them move. Oracle: the
// same tree without the constraint, its velocities G v: mass matrix GᵀMG, forces Gᵀtau, Jacobians J G, energies equal;
// the constraint's own work is zero.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dynamics/forward_dynamics.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "random_tree.h"
#include "robot_oracles.h"
#include "tests/dense_algebra.h"

namespace rigor::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kCoupledRounding = 1e-12;  // Of a few hundred operations, relative to quantities of order 1 to 100.

/// A chain with a branch whose joints follow in all ways: a descendant its ancestor, an ancestor its descendant (listed
/// later), a cousin, a follower of a follower, with and without a floating base.
struct Pair {
  Pair(bool floating, unsigned seed) : random(seed) {
    std::vector<LinkDescription> links;
    std::vector<JointDescription> joints;
    const int parents[] = {kWorld, 0, 1, 2, 1, 4, 5};
    for (int i = 0; i < 7; ++i) {
      LinkDescription link;
      link.name = "link" + std::to_string(i), link.mass = 1 + 0.3 * i;
      link.centre = vector(0.3);
      link.inertia = Eigen::Vector3d(0.2 + 0.01 * i, 0.25, 0.3).asDiagonal();
      links.push_back(link);
      JointDescription joint;
      joint.name = "joint" + std::to_string(i), joint.parent = parents[i], joint.child = i;
      joint.type = i == 0             ? (floating ? JointType::kFloating : JointType::kSpherical)
                   : i == 3 || i == 5 ? JointType::kPrismatic
                                      : JointType::kRevolute;
      joint.origin.p = vector(0.5), joint.axis = vector(1) + Vector3d(0, 0, 2);
      if (i > 0) joint.damping = 0.1 * i, joint.armature = 0.05 * i;
      joints.push_back(joint);
    }
    free = std::make_unique<ArticulatedModel>(links, joints);
    const auto follow = [&](int j, const char* leader, double ratio, double offset) {
      joints[j].leader = leader, joints[j].ratio = ratio, joints[j].offset = offset;
    };
    follow(1, "joint6", 0.5, -0.2);   // An ancestor its descendant.
    follow(3, "joint2", -1.5, 0.1);   // A descendant its ancestor.
    follow(5, "joint3", 2, 0.3);      // A follower of a follower, on another branch.
    coupled = std::make_unique<ArticulatedModel>(links, joints);
    G.setZero(free->numVelocities(), coupled->numVelocities());
    for (int j = 0; j < 7; ++j) {
      const auto &from = free->joint(j), &to = coupled->joint(j);
      double ratio = 1;
      if (to.follows()) ratio = to.ratio;
      for (int k = 0; k < from.num_v; ++k) G(from.v + k, to.v + k) = ratio;
    }
  }
  Vector3d vector(double size) {
    std::uniform_real_distribution<double> unit(-size, size);
    return {unit(random), unit(random), unit(random)};
  }
  /// The free model's state that the coupled one's is.
  ArticulatedState expanded(const ArticulatedState& state) const {
    ArticulatedState all(*free);
    all.v = G * state.v;
    for (int j = 0; j < 7; ++j) {
      const auto &from = free->joint(j), &to = coupled->joint(j);
      for (int k = 0; k < from.num_q; ++k)
        all.q[from.q + k] = to.follows() ? to.ratio * state.q[to.q] + to.offset : state.q[to.q + k];
    }
    return all;
  }
  ArticulatedState randomState() {
    ArticulatedState state(*coupled);
    VectorXd away(coupled->numVelocities());
    std::normal_distribution<double> normal;
    for (double& x : away) x = normal(random);
    integrate(*coupled, state.q, away, 1, state.q);
    for (double& x : state.v) x = normal(random);
    return state;
  }
  std::unique_ptr<ArticulatedModel> free, coupled;
  MatrixXd G;
  std::mt19937 random;
};

class Coupled : public ::testing::TestWithParam<bool> {};

TEST_P(Coupled, MovesAsTheConstrainedTree) {
  const Vector3d gravity(1, -2, -9);
  for (unsigned seed = 0; seed < 20; ++seed) {
    Pair pair(GetParam(), seed);
    const ArticulatedModel &few = *pair.coupled, &all = *pair.free;
    ASSERT_EQ(few.numVelocities(), all.numVelocities() - 3);
    ArticulatedWorkspace here(few), there(all);
    const ArticulatedState state = pair.randomState(), twin = pair.expanded(state);
    calcKinematics(few, state, here);
    calcKinematics(all, twin, there);
    const int n = few.numVelocities(), m = all.numVelocities();
    MatrixXd M(n, n), Mall(m, m);
    calcMassMatrix(few, here, M);
    calcMassMatrix(all, there, Mall);
    const MatrixXd folded = pair.G.transpose() * Mall * pair.G;
    EXPECT_LE((M - folded).cwiseAbs().maxCoeff(), kCoupledRounding * folded.norm());
    EXPECT_EQ(M, M.transpose());
    for (int l = 0; l < 7; ++l) {
      EXPECT_LE((linkPose(few, here, l).p - linkPose(all, there, l).p).norm(), kCoupledRounding);
      const Vector3d point(0.1, 0.2, 0.3);
      EXPECT_LE((linkVelocity(few, here, l, point) - linkVelocity(all, there, l, point)).norm(),
                kCoupledRounding * 100);
      const MatrixXd J = oracle::linkJacobian(few, here, l, point), Jall = oracle::linkJacobian(all, there, l, point);
      EXPECT_LE((J - Jall * pair.G).cwiseAbs().maxCoeff(), kCoupledRounding * 100);
    }
    EXPECT_NEAR(kineticEnergy(few, here, state.v), kineticEnergy(all, there, twin.v), kCoupledRounding * 1000);
    EXPECT_NEAR(potentialEnergy(few, here, gravity), potentialEnergy(all, there, gravity), kCoupledRounding * 1000);
    // Forward dynamics: the free tree with the constraint's forces, which do no work on what G allows.
    VectorXd tau(n), dv(n), tau_all(m), back(n);
    for (int k = 0; k < n; ++k) tau[k] = std::sin(k + seed);
    factorInertia(few, here);
    calcForwardDynamics(few, here, state.v, tau, gravity, dv);
    const VectorXd dv_all = pair.G * dv;
    calcInverseDynamics(all, there, twin.v, dv_all, gravity, tau_all);
    EXPECT_LE((pair.G.transpose() * tau_all - tau).cwiseAbs().maxCoeff(), 1e-9 * (1 + tau_all.norm()));
    calcInverseDynamics(few, here, state.v, dv, gravity, back);
    EXPECT_LE((back - tau).cwiseAbs().maxCoeff(), 1e-9 * (1 + tau_all.norm()));
    VectorXd x = tau;
    solveMassMatrix(few, here, x, x);
    EXPECT_LE((M * x - tau).norm(), 1e-9 * tau.norm());
    // Many at once: to the bit what each is by itself.
    MatrixXd inverse = MatrixXd::Identity(n, n);
    solveMassMatrixColumns(few, here, inverse);
    EXPECT_LE((M * inverse - MatrixXd::Identity(n, n)).norm(), 1e-9);
    for (int k = 0; k < n; ++k) {
      x = VectorXd::Unit(n, k);
      solveMassMatrix(few, here, x, x);
      EXPECT_EQ(x, inverse.col(k));
    }
    // Accelerations of links.
    calcAccelerations(few, dv, here);
    calcAccelerations(all, dv_all, there);
    for (int l = 0; l < 7; ++l)
      EXPECT_LE((linkAcceleration(few, here, l, {0, 0, 1}) - linkAcceleration(all, there, l, {0, 0, 1})).norm(),
                1e-9 * (1 + dv_all.norm()) * 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Bases, Coupled, ::testing::Bool());

TEST(CoupledModels, AreRefusedWhereTheyCannotBe) {
  const auto reason = [](auto change) -> std::string {
    LinkDescription link;
    link.mass = 1, link.inertia.setIdentity();
    std::vector<LinkDescription> links(2, link);
    links[0].name = "a", links[1].name = "b";
    std::vector<JointDescription> joints(2);
    for (int i = 0; i < 2; ++i)
      joints[i].name = i ? "second" : "first", joints[i].type = JointType::kRevolute, joints[i].child = i,
      joints[i].parent = i - 1;
    joints[1].leader = "first";
    change(joints);
    try {
      ArticulatedModel model(links, joints);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  using Joints = std::vector<JointDescription>;
  EXPECT_EQ(reason([](Joints&) {}), "(accepted)");
  EXPECT_EQ(reason([](Joints& j) { j[1].leader = "third"; }),
            "joint second: no joint is called third, which it follows");
  EXPECT_EQ(reason([](Joints& j) { j[0].leader = "second"; }), "joint first: joints that follow each other");
  EXPECT_EQ(reason([](Joints& j) { j[0].type = JointType::kSpherical; }),
            "joint second: joint first, which it follows, has not one coordinate");
  EXPECT_EQ(reason([](Joints& j) { j[0].upper = 1, j[1].lower = 2; }),
            "joint second: its limits leave no room to joint first, which it follows");
  EXPECT_EQ(reason([](Joints& j) { j[1].ratio = NAN; }), "joint second: a ratio that is not finite");
}

}  // namespace
}  // namespace rigor::dynamics
