// SPDX-License-Identifier: MIT
#include "dynamics/inverse_dynamics.h"

#include <Eigen/Geometry>

#include "elementary/require.h"

namespace rigor::dynamics {

using Node = ArticulatedModel::Node;
using NodeData = ArticulatedWorkspace::NodeData;
using Eigen::Vector3d;

namespace {

/// `acceleration` is null for v' = 0. Gravity acts as an acceleration of the world upwards.
void recurse(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
             const Eigen::VectorXd* acceleration, const Vector3d& gravity, Eigen::VectorXd& tau) {
  const std::span<const Node> nodes = model.nodes();
  std::vector<NodeData>& all = workspace.nodes;
  Eigen::VectorXd& out = model.isCoupled() ? workspace.own_tau : tau;
  all[0].solve_a = -gravity;
  all[0].solve_alpha.setZero();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    NodeData& data = all[n];
    const NodeData& parent = all[node.parent];
    if (node.kind == Node::kFloating) {
      data.solve_a = -gravity;
      data.solve_alpha.setZero();
      if (acceleration) {
        data.solve_a += acceleration->segment<3>(node.v);
        data.solve_alpha = acceleration->segment<3>(node.v + 3);
      }
    } else {
      data.solve_a = parent.solve_a + parent.solve_alpha.cross(data.r) + data.bias_a;
      data.solve_alpha = parent.solve_alpha + data.bias_alpha;
      if (acceleration) {
        const Eigen::VectorXd& dv = *acceleration;
        if (node.kind == Node::kRevolute)
          data.solve_alpha += (node.ratio * dv[node.v]) * data.axis;
        else if (node.kind == Node::kPrismatic)
          data.solve_a += (node.ratio * dv[node.v]) * data.axis;
        else
          data.solve_alpha += workspace.spherical[data.block].axes * dv.segment<3>(node.v);
      }
    }
    data.force = data.body.mass * data.solve_a + data.solve_alpha.cross(data.body.moment) + data.bias_force;
    data.torque = data.body.moment.cross(data.solve_a) + data.body.inertia * data.solve_alpha + data.bias_torque;
  }
  for (size_t n = nodes.size(); --n > 0;) {
    const Node& node = nodes[n];
    NodeData& data = all[n];
    const int first = workspace.own_first[n];
    switch (node.kind) {
      case Node::kRevolute:
      case Node::kPrismatic: {
        const double rotor = acceleration ? node.armature * (*acceleration)[node.v] : 0;  // Read before tau is written.
        out[first] = data.axis.dot(node.kind == Node::kRevolute ? data.torque : data.force) +
                     node.ratio * (workspace.dissipation(node, data) * v[node.v] + rotor) +
                     node.stiffness * (data.coordinate - node.rest);
        break;
      }
      case Node::kSpherical: {
        Vector3d felt = workspace.spherical[data.block].axes.transpose() * data.torque;
        felt += node.damping * v.segment<3>(node.v);
        if (acceleration) felt += node.armature * acceleration->segment<3>(node.v);
        out.segment<3>(first) = felt;
        break;
      }
      default:
        out.segment<3>(first) = data.force;
        out.segment<3>(first + 3) = data.torque;
        continue;
    }
    if (node.parent == 0) continue;
    NodeData& parent = all[node.parent];
    parent.force += data.force;
    parent.torque += data.torque + data.r.cross(data.force);
  }
  if (!model.isCoupled()) return;
  tau.setZero();
  for (Eigen::Index k = 0; k < out.size(); ++k) tau[workspace.own_v[k]] += workspace.own_ratio[k] * out[k];
}

}  // namespace

void calcInverseDynamics(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                         const Eigen::VectorXd& dv, const Vector3d& gravity, Eigen::VectorXd& tau) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kVelocities));
  recurse(model, workspace, v, &dv, gravity, tau);
}

void calcBiasForces(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                    const Vector3d& gravity, Eigen::VectorXd& h) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kVelocities));
  recurse(model, workspace, v, nullptr, gravity, h);
}

}  // namespace rigor::dynamics
