// SPDX-License-Identifier: MIT
#include "dynamics/mass_matrix.h"

#include <Eigen/Geometry>

#include "elementary/require.h"

namespace rigor::dynamics {

using Node = ArticulatedModel::Node;
using Eigen::Vector3d;

namespace {

/// Fills row and column `dof`, down to the root, with what each joint feels of the wrench (force, torque) that the unit
/// acceleration of `dof` needs; the wrench is about the origin of node n. Velocities are the nodes' own.
void projectToRoot(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int n, int dof, Vector3d force,
                   Vector3d torque, Eigen::Ref<Eigen::MatrixXd>& M) {
  const auto set = [&](int other, double value) { M(other, dof) = M(dof, other) = value; };
  for (;;) {
    const Node& node = model.nodes()[n];
    const ArticulatedWorkspace::NodeData& data = workspace.nodes[n];
    const int first = workspace.own_first[n];
    switch (node.kind) {
      case Node::kRevolute:
        set(first, data.axis.dot(torque));
        break;
      case Node::kPrismatic:
        set(first, data.axis.dot(force));
        break;
      case Node::kSpherical: {
        const Vector3d felt = workspace.spherical[data.block].axes.transpose() * torque;
        for (int k = 0; k < 3; ++k) {
          if (first + k <= dof) set(first + k, felt[k]);
        }
        break;
      }
      default:
        for (int k = 0; k < 3; ++k) {
          if (first + k <= dof) set(first + k, force[k]);
          if (first + 3 + k <= dof) set(first + 3 + k, torque[k]);
        }
    }
    if (node.parent == 0) return;
    torque += data.r.cross(force);
    n = node.parent;
  }
}

/// Of the nodes' own velocities.
void calcOwnMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::MatrixXd> M) {
  std::vector<RigidInertia>& composite = workspace.composite;
  const std::span<const Node> nodes = model.nodes();
  M.setZero();
  for (size_t n = 1; n < nodes.size(); ++n) composite[n] = workspace.nodes[n].body;
  for (size_t n = nodes.size(); --n > 0;) {
    const Node& node = nodes[n];
    const ArticulatedWorkspace::NodeData& data = workspace.nodes[n];
    const RigidInertia& I = composite[n];
    const int index = static_cast<int>(n), first = workspace.own_first[n];
    switch (node.kind) {
      case Node::kRevolute:
        projectToRoot(model, workspace, index, first, data.axis.cross(I.moment), I.inertia * data.axis, M);
        M(first, first) += node.armature;
        break;
      case Node::kPrismatic:
        projectToRoot(model, workspace, index, first, I.mass * data.axis, I.moment.cross(data.axis), M);
        M(first, first) += node.armature;
        break;
      case Node::kSpherical:
        for (int k = 0; k < 3; ++k) {
          const Vector3d axis = workspace.spherical[data.block].axes.col(k);
          projectToRoot(model, workspace, index, first + k, axis.cross(I.moment), I.inertia * axis, M);
          M(first + k, first + k) += node.armature;
        }
        break;
      default:
        for (int k = 0; k < 3; ++k) {
          const Vector3d axis = Vector3d::Unit(k);
          projectToRoot(model, workspace, index, first + k, I.mass * axis, I.moment.cross(axis), M);
          projectToRoot(model, workspace, index, first + 3 + k, axis.cross(I.moment), I.inertia * axis, M);
        }
    }
    if (node.parent != 0) composite[node.parent].add(I.shifted(data.r));
  }
}

}  // namespace

void calcMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::MatrixXd> M) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  if (!model.isCoupled()) return calcOwnMassMatrix(model, workspace, M);
  // Gᵀ M G, the nodes' own velocities being G v.
  calcOwnMassMatrix(model, workspace, workspace.own_mass);
  M.setZero();
  const int own = static_cast<int>(workspace.own_v.size());
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j)
      M(workspace.own_v[i], workspace.own_v[j]) +=
          workspace.own_ratio[i] * workspace.own_ratio[j] * workspace.own_mass(i, j);
  for (Eigen::Index i = 0; i < M.rows(); ++i)  // Sums in another order: symmetric to the bit.
    for (Eigen::Index j = 0; j < i; ++j) M(i, j) = M(j, i) = 0.5 * (M(i, j) + M(j, i));
}

}  // namespace rigor::dynamics
