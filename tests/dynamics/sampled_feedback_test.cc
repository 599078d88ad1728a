// SPDX-License-Identifier: MIT
// Proves: what samples of feedback take from the fastest motion is the largest eigenvalue of M^-1 G, and samples as
// frequent as gains ask for are the fewest that take at most 1.5. Oracles: definiteness of s - R M^-1 R, R = sqrt G,
// with the dense mass matrix; samples one after the other.
#include <gtest/gtest.h>

#include "dynamics/controllers/sampled_feedback.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "random_tree.h"
#include "tests/dense_algebra.h"

namespace rigor::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// R M^-1 R of gains at all joints, of dampers alone at those that turn about a point.
MatrixXd feedback(const ArticulatedModel& model, const ArticulatedState& state, const VectorXd& kp, const VectorXd& kd,
                  double period) {
  ArticulatedWorkspace workspace(model);
  calcKinematics(model, state, workspace);
  MatrixXd M(model.numVelocities(), model.numVelocities());
  calcMassMatrix(model, workspace, M);
  MatrixXd A = algebra::inverse(M);
  VectorXd root = VectorXd::Zero(A.rows());
  for (int j = 0; j < model.numJoints(); ++j)
    if (const auto& joint = model.joint(j); joint.type != JointType::kFloating)
      for (int k = joint.v; k < joint.v + joint.num_v; ++k) {
        const double springs = joint.type == JointType::kSpherical ? 0 : kp[k] * period * period;
        root[k] = std::sqrt(std::max(kd[k] * period, springs));
      }
  for (int i = 0; i < A.rows(); ++i)
    for (int k = 0; k < A.cols(); ++k) A(i, k) *= root[i] * root[k];
  return A;
}

TEST(SampledFeedback, TheShareIsTheLargestEigenvalue) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree random(seed);
    const ArticulatedModel model = random.model({.links = 9, .floating = seed % 2 == 0});
    const ArticulatedState state = random.state(model);
    const VectorXd kp = random.numbers(model.numVelocities(), 20).cwiseAbs(),
                   kd = random.numbers(model.numVelocities(), 0.5).cwiseAbs();
    const double period = seed % 3 == 0 ? 0.05 : 0.001;
    const StiffestMode mode = findStiffestMode(model, state, kp, kd, period);
    const MatrixXd A = feedback(model, state, kp, kd, period), one = MatrixXd::Identity(A.rows(), A.rows());
    if (A.norm() == 0) {
      EXPECT_EQ(mode.share, 0);
      continue;
    }
    EXPECT_TRUE(algebra::isPositiveDefinite(1.05 * mode.share * one - A));
    EXPECT_FALSE(algebra::isPositiveDefinite((1 - 1e-9) * mode.share * one - A));
    EXPECT_FALSE(mode.dofs.empty());
  }
}

TEST(SampledFeedback, AsManySamplesAsGainsAskFor) {
  RandomTree random(3);
  const ArticulatedModel model = random.model({.links = 6, .floating = true});
  const ArticulatedState state = random.state(model);
  const VectorXd one = VectorXd::Ones(model.numVelocities()), none = 0 * one;
  EXPECT_EQ(calmRate(model, state, none, none), 400);
  EXPECT_EQ(findStiffestMode(model, state, none, none, 1).share, 0);
  EXPECT_EQ(calmRate(model, state, 1e9 * one, none), 10000);
  // The share of dampers is in proportion to the period: gains that take 1.4 and 1.6 of a velocity at 1 kHz.
  const double unit = findStiffestMode(model, state, none, one, 0.001).share;
  EXPECT_EQ(calmRate(model, state, none, 1.4 / unit * one), 1000);
  EXPECT_EQ(calmRate(model, state, none, 1.6 / unit * one), 1250);
  EXPECT_EQ(calmRate(model, state, none, 2.3 / unit * one), 1600);
  EXPECT_EQ(calmRate(model, state, none, 0.5 / unit * one), 400);
}

/// Largest velocity after many samples of v := v - period M^-1 kd v, where it began below 1.
double speedAfter(const ArticulatedModel& model, const ArticulatedState& state, const VectorXd& kd, double period) {
  const MatrixXd A = feedback(model, state, 0 * kd, kd, period);
  VectorXd v = VectorXd::Ones(A.rows());
  for (int k = 0; k < 400; ++k) v = v - A * v;
  return v.cwiseAbs().maxCoeff();
}

TEST(SampledFeedback, VelocitiesGrowBeyondTwo) {
  RandomTree random(8);
  const ArticulatedModel model = random.model({.links = 6, .floating = false, .fixed_joints = false});
  const ArticulatedState state = random.state(model);
  const VectorXd kd = VectorXd::Ones(model.numVelocities());
  const double unit = findStiffestMode(model, state, 0 * kd, kd, 0.001).share;
  ASSERT_GT(unit, 0);
  EXPECT_LE(speedAfter(model, state, 1.9 / unit * kd, 0.001), 2);
  EXPECT_GE(speedAfter(model, state, 2.2 / unit * kd, 0.001), 1e6);
}

}  // namespace
}  // namespace rigor::dynamics
