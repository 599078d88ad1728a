// SPDX-License-Identifier: MIT
#include "dynamics/rigid_loops.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>

#include "dynamics/forward_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop_constraints.h"
#include "dynamics/quaternion.h"

namespace rigor::dynamics {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Squares of singular values, and curvatures, below this share of the largest are rounding [-].
constexpr double kRounding = 1e-12, kFlat = 1e-9;
/// A joint with less than this in a velocity of length 1 does not move by it [-].
constexpr double kStill = 1e-6;

/// (dG/dt) v at the configuration of the workspace.
VectorXd curvature(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const VectorXd& v) {
  calcVelocities(model, v, workspace);
  VectorXd rows = VectorXd::Zero(model.numLoopRows());
  addLoopBias(model, workspace, rows);
  return rows;
}

/// Forces on the loops with G' lambda = 0, columns of length 1.
MatrixXd selfStresses(const MatrixXd& rows) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> gram(MatrixXd(rows.transpose() * rows));
  const VectorXd& values = gram.eigenvalues();  // Ascending.
  int none = 0;
  while (none < values.size() && !(values[none] > kRounding * values[values.size() - 1])) ++none;
  return gram.eigenvectors().leftCols(none);
}

/// Velocities, columns, on which the form of the self-stress that all of them together bend most is zero; `velocities`
/// themselves where that form has both signs, or there is none.
MatrixXd withoutCurvature(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const MatrixXd& velocities,
                          const MatrixXd& stresses) {
  const int n = static_cast<int>(velocities.cols());
  std::vector<VectorXd> own(n);
  VectorXd sum = VectorXd::Zero(stresses.rows());
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    own[i] = curvature(model, workspace, velocities.col(i));
    sum += own[i], largest = std::max(largest, own[i].norm());
  }
  const VectorXd stress = stresses * (stresses.transpose() * sum);
  if (!(stress.norm() > kFlat * largest)) return velocities;
  MatrixXd form(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const VectorXd both = curvature(model, workspace, velocities.col(i) + velocities.col(j)) - own[i] - own[j];
      form(i, j) = form(j, i) = 0.5 * stress.dot(both);
    }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> axes(form);
  const VectorXd& values = axes.eigenvalues();  // Ascending; their sum is |stress|^2, of the positive ones' sign.
  if (!(values[0] >= -kFlat * values[n - 1])) return velocities;
  int flat = 0;
  while (flat < n && !(values[flat] > kFlat * values[n - 1])) ++flat;
  return velocities * axes.eigenvectors().leftCols(flat);
}

}  // namespace

std::vector<int> jointsHeldBySecondOrder(const ArticulatedModel& model, const VectorXd& q) {
  std::vector<int> held;
  if (model.loops().empty()) return held;
  ArticulatedWorkspace workspace(model);
  calcPositions(model, q, workspace);
  factorInertia(model, workspace);
  const MatrixXd first = closedVelocities(model, workspace), stresses = selfStresses(workspace.loops.rows);
  if (first.cols() == 0 || stresses.cols() == 0) return held;
  const MatrixXd second = withoutCurvature(model, workspace, first, stresses);
  if (second.cols() == first.cols()) return held;
  for (int j = 0; j < model.numJoints(); ++j) {
    const auto& joint = model.joint(j);
    const auto moves = [&](const MatrixXd& velocities) {
      return velocities.cols() > 0 && velocities.middleRows(joint.v, joint.num_v).norm() > kStill;
    };
    if (joint.num_v > 0 && !joint.follows() && moves(first) && !moves(second)) held.push_back(j);
  }
  return held;
}

LoopDescription weldOf(const ArticulatedModel& model, const VectorXd& q, int joint) {
  ArticulatedWorkspace workspace(model);
  calcPositions(model, q, workspace);
  const auto& held = model.joint(joint);
  LoopDescription weld;
  weld.name = held.name + "-held", weld.type = LoopType::kWeld;
  weld.link_a = held.parent, weld.link_b = held.child;
  const geom::Pose child = linkPose(model, workspace, held.child);
  weld.frame_a = child;
  if (held.parent != kWorld) {
    const geom::Pose parent = linkPose(model, workspace, held.parent);
    weld.frame_a.p = parent.rotation().transpose() * (child.p - parent.p);
    weld.frame_a.q = multiply(conjugate(parent.q), child.q).normalized();
  }
  return weld;
}

ArticulatedModel withLoops(const ArticulatedModel& model, std::span<const LoopDescription> more) {
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  for (int i = 0; i < model.numLinks(); ++i) links.push_back(model.link(i));
  for (int j = 0; j < model.numJoints(); ++j) joints.push_back(model.joint(j));
  std::vector<LoopDescription> loops(model.loops().begin(), model.loops().end());
  loops.insert(loops.end(), more.begin(), more.end());
  return {std::move(links), std::move(joints), std::move(loops)};
}

}  // namespace rigor::dynamics
