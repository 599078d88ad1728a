// SPDX-License-Identifier: MIT
#include "dynamics/forward_dynamics.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/coupled_factor.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/loop_constraints.h"
#include "dynamics/rigid_body.h"
#include "elementary/require.h"

namespace rigor::dynamics {

using Node = ArticulatedModel::Node;
using NodeData = ArticulatedWorkspace::NodeData;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// Takes U D^-1 Uᵀ out of an articulated inertia whose joint is spherical.
void projectSpherical(ArticulatedInertia& I, double armature, ArticulatedWorkspace::SphericalData& joint) {
  joint.U_force = I.B;
  joint.U_torque = I.C.full();
  // D in world axes: armature is the same in all.
  joint.D.factor(joint.U_torque + armature * Matrix3d::Identity());
  for (int k = 0; k < 3; ++k) {
    const Vector3d force = joint.D.solve(joint.U_force.row(k).transpose());
    const Vector3d torque = joint.D.solve(joint.U_torque.row(k).transpose());
    // Columns of D^-1 Uᵀ for force and torque row k.
    const Vector3d A = joint.U_force * force, C = joint.U_torque * torque;
    I.B.col(k) -= joint.U_force * torque;
    if (k == 0) I.A.xx -= A[0], I.A.xy -= A[1], I.A.xz -= A[2], I.C.xx -= C[0], I.C.xy -= C[1], I.C.xz -= C[2];
    if (k == 1) I.A.yy -= A[1], I.A.yz -= A[2], I.C.yy -= C[1], I.C.yz -= C[2];
    if (k == 2) I.A.zz -= A[2], I.C.zz -= C[2];
  }
}

void factorFloating(const ArticulatedInertia& I, SmallLdlt<6>& factor) {
  Eigen::Matrix<double, 6, 6> M;
  M.topLeftCorner<3, 3>() = I.A.full();
  M.topRightCorner<3, 3>() = I.B;
  M.bottomLeftCorner<3, 3>() = I.B.transpose();
  M.bottomRightCorner<3, 3>() = I.C.full();
  factor.factor(M);
}

/// Joint forces u = tau - S'p of the wrench p = (force, torque) that the node feels, and what of p + U D^-1 u the
/// parent feels, moved to the parent's origin.
void passInwards(const Node& node, NodeData& data, ArticulatedWorkspace& workspace, const double* tau) {
  switch (node.kind) {
    case Node::kRevolute: {
      data.u = (tau[0] - data.axis.dot(data.torque)) * data.inverse_D;
      break;
    }
    case Node::kPrismatic: {
      data.u = (tau[0] - data.axis.dot(data.force)) * data.inverse_D;
      break;
    }
    case Node::kSpherical: {
      ArticulatedWorkspace::SphericalData& joint = workspace.spherical[data.block];
      joint.u = joint.D.solve(joint.axes * Eigen::Map<const Vector3d>(tau) - data.torque);
      break;
    }
    default:
      return;
  }
  if (node.parent == 0) return;
  NodeData& parent = workspace.nodes[node.parent];
  Vector3d force = data.force, torque = data.torque;
  if (node.kind == Node::kSpherical) {
    const ArticulatedWorkspace::SphericalData& joint = workspace.spherical[data.block];
    force += joint.U_force * joint.u;
    torque += joint.U_torque * joint.u;
  } else {
    force += data.u * data.U_force;
    torque += data.u * data.U_torque;
  }
  parent.force += force;
  parent.torque += torque + data.r.cross(force);
}

/// Whether a node and its joint feel nothing, so that passInwards() has nothing to pass on.
bool feelsNothing(const Node& node, const NodeData& data, const double* tau) {
  return (node.kind == Node::kRevolute || node.kind == Node::kPrismatic) && tau[0] == 0 && data.force.isZero(0) &&
         data.torque.isZero(0);
}

/// (solve_a, solve_alpha) of a floating node under the joint's force and torque, six numbers.
void solveFloating(NodeData& data, const ArticulatedWorkspace& workspace, const double* joint_force) {
  Eigen::Matrix<double, 6, 1> wrench = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(joint_force);
  wrench.head<3>() -= data.force;
  wrench.tail<3>() -= data.torque;
  const Eigen::Matrix<double, 6, 1> a = workspace.floating[data.block].solve(wrench);
  data.solve_a = a.head<3>();
  data.solve_alpha = a.tail<3>();
}

/// The joint's acceleration and the node's, from (solve_a, solve_alpha): those of the node were its joint locked.
void passOutwards(const Node& node, NodeData& data, ArticulatedWorkspace& workspace, double* dv) {
  switch (node.kind) {
    case Node::kRevolute:
      dv[0] = data.u - data.inverse_D * (data.U_force.dot(data.solve_a) + data.U_torque.dot(data.solve_alpha));
      data.solve_alpha += dv[0] * data.axis;
      break;
    case Node::kPrismatic:
      dv[0] = data.u - data.inverse_D * (data.U_force.dot(data.solve_a) + data.U_torque.dot(data.solve_alpha));
      data.solve_a += dv[0] * data.axis;
      break;
    default: {  // Spherical
      const ArticulatedWorkspace::SphericalData& joint = workspace.spherical[data.block];
      const Vector3d felt = joint.U_force.transpose() * data.solve_a + joint.U_torque.transpose() * data.solve_alpha;
      const Vector3d relative = joint.u - joint.D.solve(felt);
      data.solve_alpha += relative;
      Eigen::Map<Vector3d>(dv, 3) = joint.axes.transpose() * relative;
    }
  }
}

}  // namespace

void factorInertia(const ArticulatedModel& model, ArticulatedWorkspace& workspace, double implicit_time) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  const std::span<const Node> nodes = model.nodes();
  for (size_t n = 1; n < nodes.size(); ++n)
    workspace.nodes[n].inertia = ArticulatedInertia::of(workspace.nodes[n].body);
  for (size_t n = nodes.size(); --n > 0;) {
    const Node& node = nodes[n];
    NodeData& data = workspace.nodes[n];
    ArticulatedInertia& I = data.inertia;
    if (node.kind == Node::kFloating) {
      factorFloating(I, workspace.floating[data.block]);
      continue;
    }
    if (node.kind == Node::kSpherical) {
      projectSpherical(I, node.armature + implicit_time * node.damping, workspace.spherical[data.block]);
    } else {
      double D;
      if (node.kind == Node::kRevolute) {
        data.U_force.noalias() = I.B * data.axis;
        data.U_torque = I.C * data.axis;
        D = data.axis.dot(data.U_torque);
      } else {
        data.U_force = I.A * data.axis;
        data.U_torque.noalias() = I.B.transpose() * data.axis;
        D = data.axis.dot(data.U_force);
      }
      D += node.armature;
      if (implicit_time > 0) D += implicit_time * workspace.dissipation(node, data);
      data.inverse_D = 1 / D;
      I.A.subtractSquare(data.U_force, data.inverse_D);
      I.B.noalias() -= (data.inverse_D * data.U_force) * data.U_torque.transpose();
      I.C.subtractSquare(data.U_torque, data.inverse_D);
    }
    if (node.parent != 0) workspace.nodes[node.parent].inertia.addShifted(I, data.r);
  }
  if (model.isCoupled()) factorCoupled(model, workspace, implicit_time);
  workspace.computed |= ArticulatedWorkspace::kFactored;
  if (!model.loops().empty()) factorLoops(model, workspace);
}

namespace {

bool isLocked(const Node& node, std::span<const char> locked) {
  return locked[node.v] && (node.kind != Node::kSpherical || (locked[node.v + 1] && locked[node.v + 2]));
}

}  // namespace

double fastestDecay(const ArticulatedModel& model, const ArticulatedWorkspace& workspace,
                    std::span<const char> locked) {
  double fastest = 0;
  const std::span<const Node> nodes = model.nodes();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    const double damping = workspace.dissipation(node, workspace.nodes[n]);
    if (!(damping > 0) || (!locked.empty() && isLocked(node, locked))) continue;
    if (node.kind == Node::kSpherical) {
      // About each of its axes, the other two locked: D's diagonal.
      const Matrix3d& D = workspace.spherical[workspace.nodes[n].block].U_torque;
      for (int k = 0; k < 3; ++k) fastest = std::max(fastest, damping / (D(k, k) + node.armature));
    } else {
      fastest = std::max(fastest, damping * workspace.nodes[n].inverse_D);
    }
  }
  return fastest;
}

void calcForwardDynamics(const ArticulatedModel& model, ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                         const Eigen::VectorXd& tau, const Vector3d& gravity, Eigen::VectorXd& dv) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kVelocities | ArticulatedWorkspace::kFactored));
  if (model.isCoupled()) {
    calcBiasForces(model, workspace, v, gravity, dv);
    dv = tau - dv;
    solveCoupled(workspace, dv);
    if (!model.loops().empty()) closeAcceleration(model, workspace, dv);
    return;
  }
  const std::span<const Node> nodes = model.nodes();
  std::vector<NodeData>& all = workspace.nodes;
  for (size_t n = 1; n < nodes.size(); ++n) all[n].force = all[n].bias_force, all[n].torque = all[n].bias_torque;
  for (size_t n = nodes.size(); --n > 0;) {
    const Node& node = nodes[n];
    NodeData& data = all[n];
    if (node.kind == Node::kFloating) continue;
    // The bias accelerations of the joint act through the projected inertia; its forces see them through U:
    // p + I_projected z + U D^-1 (tau - S'p)
    Eigen::Vector3d joint_tau;
    const int dofs = node.kind == Node::kSpherical ? 3 : 1;
    for (int k = 0; k < dofs; ++k)
      joint_tau[k] = tau[node.v + k] - workspace.dissipation(node, data) * v[node.v + k];
    if (node.stiffness > 0) joint_tau[0] -= node.stiffness * (data.coordinate - node.rest);
    passInwards(node, data, workspace, joint_tau.data());
    if (node.parent == 0) continue;
    const Vector3d force = data.inertia.A * data.bias_a + data.inertia.B * data.bias_alpha;
    const Vector3d torque = data.inertia.B.transpose() * data.bias_a + data.inertia.C * data.bias_alpha;
    all[node.parent].force += force;
    all[node.parent].torque += torque + data.r.cross(force);
  }
  all[0].solve_a = -gravity;
  all[0].solve_alpha.setZero();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    NodeData& data = all[n];
    if (node.kind == Node::kFloating) {
      solveFloating(data, workspace, tau.data() + node.v);
      dv.segment<3>(node.v) = data.solve_a + gravity;
      dv.segment<3>(node.v + 3) = data.solve_alpha;
      continue;
    }
    const NodeData& parent = all[node.parent];
    data.solve_a = parent.solve_a + parent.solve_alpha.cross(data.r) + data.bias_a;
    data.solve_alpha = parent.solve_alpha + data.bias_alpha;
    passOutwards(node, data, workspace, dv.data() + node.v);
  }
  if (!model.loops().empty()) closeAcceleration(model, workspace, dv);
}

void solveMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                     const Eigen::Ref<const Eigen::VectorXd>& b, Eigen::Ref<Eigen::VectorXd> x) {
  solveOpenMassMatrix(model, workspace, b, x);
  if (!model.loops().empty()) closeVelocity(workspace, x);
}

void solveOpenMassMatrix(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                         const Eigen::Ref<const Eigen::VectorXd>& b, Eigen::Ref<Eigen::VectorXd> x) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kFactored));
  if (model.isCoupled()) {
    if (x.data() != b.data()) x = b;
    solveCoupled(workspace, x);
    return;
  }
  const std::span<const Node> nodes = model.nodes();
  std::vector<NodeData>& all = workspace.nodes;
  for (size_t n = 1; n < nodes.size(); ++n) all[n].force.setZero(), all[n].torque.setZero();
  // Most impulses act on few joints.
  for (size_t n = nodes.size(); --n > 0;) {
    const double* tau = b.data() + nodes[n].v;
    if (feelsNothing(nodes[n], all[n], tau)) all[n].u = 0;
    else passInwards(nodes[n], all[n], workspace, tau);
  }
  all[0].solve_a.setZero();
  all[0].solve_alpha.setZero();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    NodeData& data = all[n];
    if (node.kind == Node::kFloating) {
      solveFloating(data, workspace, b.data() + node.v);
      x.segment<6>(node.v) = stacked(data.solve_a, data.solve_alpha);
      continue;
    }
    const NodeData& parent = all[node.parent];
    data.solve_a = parent.solve_a + parent.solve_alpha.cross(data.r);
    data.solve_alpha = parent.solve_alpha;
    passOutwards(node, data, workspace, x.data() + node.v);
  }
}

}  // namespace rigor::dynamics
