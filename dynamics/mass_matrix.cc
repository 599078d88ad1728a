// SPDX-License-Identifier: MIT
#include "dynamics/mass_matrix.h"

#include <Eigen/Geometry>

namespace rigor::dynamics {

using Node = ArticulatedModel::Node;
using Eigen::Vector3d;

namespace {

/// Fills row and column `dof`, down to the root, with what each joint feels of the wrench (force, torque) that the unit
/// acceleration of `dof` needs; the wrench is about the origin of node n.
void projectToRoot(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int n, int dof, Vector3d force,
                   Vector3d torque, Eigen::Ref<Eigen::MatrixXd>& M) {
  const auto set = [&](int other, double value) { M(other, dof) = M(dof, other) = value; };
  for (;;) {
    const Node& node = model.nodes()[n];
    const ArticulatedWorkspace::NodeData& data = workspace.nodes[n];
    switch (node.kind) {
      case Node::kRevolute:
        set(node.v, data.axis.dot(torque));
        break;
      case Node::kPrismatic:
        set(node.v, data.axis.dot(force));
        break;
      case Node::kSpherical: {
        const Vector3d felt = workspace.spherical[data.block].axes.transpose() * torque;
        for (int k = 0; k < 3; ++k) {
          if (node.v + k <= dof) set(node.v + k, felt[k]);
        }
        break;
      }
      default:
        for (int k = 0; k < 3; ++k) {
          if (node.v + k <= dof) set(node.v + k, force[k]);
          if (node.v + 3 + k <= dof) set(node.v + 3 + k, torque[k]);
        }
    }
    if (node.parent == 0) return;
    torque += data.r.cross(force);
    n = node.parent;
  }
}

}  // namespace

void calcMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::MatrixXd> M) {
  std::vector<RigidInertia>& composite = workspace.composite;
  const std::span<const Node> nodes = model.nodes();
  M.setZero();
  for (size_t n = 1; n < nodes.size(); ++n) composite[n] = workspace.nodes[n].body;
  for (size_t n = nodes.size(); --n > 0;) {
    const Node& node = nodes[n];
    const ArticulatedWorkspace::NodeData& data = workspace.nodes[n];
    const RigidInertia& I = composite[n];
    const int index = static_cast<int>(n);
    switch (node.kind) {
      case Node::kRevolute:
        projectToRoot(model, workspace, index, node.v, data.axis.cross(I.moment), I.inertia * data.axis, M);
        M(node.v, node.v) += node.armature;
        break;
      case Node::kPrismatic:
        projectToRoot(model, workspace, index, node.v, I.mass * data.axis, I.moment.cross(data.axis), M);
        M(node.v, node.v) += node.armature;
        break;
      case Node::kSpherical:
        for (int k = 0; k < 3; ++k) {
          const Vector3d axis = workspace.spherical[data.block].axes.col(k);
          projectToRoot(model, workspace, index, node.v + k, axis.cross(I.moment), I.inertia * axis, M);
          M(node.v + k, node.v + k) += node.armature;
        }
        break;
      default:
        for (int k = 0; k < 3; ++k) {
          const Vector3d axis = Vector3d::Unit(k);
          projectToRoot(model, workspace, index, node.v + k, I.mass * axis, I.moment.cross(axis), M);
          projectToRoot(model, workspace, index, node.v + 3 + k, axis.cross(I.moment), I.inertia * axis, M);
        }
    }
    if (node.parent != 0) composite[node.parent].add(I.shifted(data.r));
  }
}

}  // namespace rigor::dynamics
