// SPDX-License-Identifier: MIT
#include <algorithm>
#include <span>
#include <vector>

#include "dynamics/coupled_factor.h"
#include "dynamics/forward_dynamics.h"
#include "dynamics/loop_constraints.h"
#include "elementary/require.h"
#include "elementary/wide.h"

namespace rigor::dynamics {

using elementary::Four;
using elementary::load;
using elementary::store;

namespace {

using Lanes = ArticulatedWorkspace::Lanes;
using SphericalData = ArticulatedWorkspace::SphericalData;
using LaneNode = ArticulatedModel::Node;
using LaneNodeData = ArticulatedWorkspace::NodeData;

/// Four vectors. Their operations are those of solveOpenMassMatrix(), in the same order.
struct FourVectors {
  Four x, y, z;

  static FourVectors of(const double (&from)[3][4]) {
    return {load<Four>(from[0]), load<Four>(from[1]), load<Four>(from[2])};
  }
  void to(double (&out)[3][4]) const { store(x, out[0]), store(y, out[1]), store(z, out[2]); }
};

inline __attribute__((always_inline)) FourVectors operator+(const FourVectors& a, const FourVectors& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

inline __attribute__((always_inline)) FourVectors scaled(const Four& s, const Eigen::Vector3d& a) {
  return {s * a[0], s * a[1], s * a[2]};
}

inline __attribute__((always_inline)) Four dotted(const Eigen::Vector3d& a, const FourVectors& b) {
  return (a[0] * b.x + a[1] * b.y) + a[2] * b.z;
}

inline __attribute__((always_inline)) FourVectors crossed(const Eigen::Vector3d& a, const FourVectors& b) {
  return {a[1] * b.z - a[2] * b.y, a[2] * b.x - a[0] * b.z, a[0] * b.y - a[1] * b.x};
}

inline __attribute__((always_inline)) FourVectors crossed(const FourVectors& a, const Eigen::Vector3d& b) {
  return {a.y * b[2] - a.z * b[1], a.z * b[0] - a.x * b[2], a.x * b[1] - a.y * b[0]};
}

/// What a revolute or prismatic joint and its parent feel of the wrench on the node.
inline __attribute__((always_inline)) void passLanesInwards(const LaneNode& node, const LaneNodeData& data,
                                                            Lanes& lanes, Lanes& parent, const Four& tau) {
  const FourVectors force = FourVectors::of(lanes.force), torque = FourVectors::of(lanes.torque);
  const Four u = (tau - dotted(data.axis, node.kind == LaneNode::kRevolute ? torque : force)) * data.inverse_D;
  store(u, lanes.u[0]);
  if (node.parent == 0) return;
  parent.feels = true;
  const FourVectors passed = force + scaled(u, data.U_force);
  (FourVectors::of(parent.force) + passed).to(parent.force);
  (FourVectors::of(parent.torque) + ((torque + scaled(u, data.U_torque)) + crossed(data.r, passed))).to(parent.torque);
}

/// @returns the joint's acceleration.
inline __attribute__((always_inline)) Four passLanesOutwards(const LaneNode& node, const LaneNodeData& data,
                                                             const Lanes& parent, Lanes& lanes) {
  const FourVectors turning = FourVectors::of(parent.solve_alpha),
                    a = FourVectors::of(parent.solve_a) + crossed(turning, data.r);
  const Four dv = load<Four>(lanes.u[0]) - data.inverse_D * (dotted(data.U_force, a) + dotted(data.U_torque, turning));
  const FourVectors own = scaled(dv, data.axis);
  const bool turns = node.kind == LaneNode::kRevolute;
  (turns ? a : a + own).to(lanes.solve_a);
  (turns ? turning + own : turning).to(lanes.solve_alpha);
  return dv;
}

/// As solveFloating(), lane by lane.
void solveLanesFloating(const ArticulatedWorkspace& workspace, int block, int count, const LaneNode& node,
                        Eigen::Ref<Eigen::MatrixXd>& x, Lanes& lanes) {
  for (int k = 0; k < 4; ++k) {
    Eigen::Matrix<double, 6, 1> wrench = Eigen::Matrix<double, 6, 1>::Zero();
    if (k < count) wrench = x.col(k).segment<6>(node.v);
    for (int i = 0; i < 3; ++i) wrench[i] -= lanes.force[i][k], wrench[3 + i] -= lanes.torque[i][k];
    if (k < count) wrench = workspace.floating[block].solve(wrench);
    for (int i = 0; i < 3; ++i) lanes.solve_a[i][k] = wrench[i], lanes.solve_alpha[i][k] = wrench[3 + i];
    if (k < count) x.col(k).segment<6>(node.v) = wrench;
  }
}

Eigen::Vector3d lane(const double (&from)[3][4], int k) { return {from[0][k], from[1][k], from[2][k]}; }

/// As passInwards() of a spherical joint, lane by lane.
void passSphericalInwards(const SphericalData& joint, const Eigen::Vector3d& r, bool passes,
                          const Eigen::Ref<const Eigen::MatrixXd>& tau, Lanes& lanes, Lanes& parent) {
  for (int k = 0; k < tau.cols(); ++k) {
    Eigen::Vector3d force = lane(lanes.force, k), torque = lane(lanes.torque, k);
    const Eigen::Vector3d u = joint.D.solve(joint.axes * tau.col(k) - torque);
    for (int i = 0; i < 3; ++i) lanes.u[i][k] = u[i];
    if (!passes) continue;
    force += joint.U_force * u, torque += joint.U_torque * u;
    torque += r.cross(force);
    for (int i = 0; i < 3; ++i) parent.force[i][k] += force[i], parent.torque[i][k] += torque[i];
  }
  parent.feels = true;
}

/// As passOutwards() of one.
void passSphericalOutwards(const SphericalData& joint, const Eigen::Vector3d& r, const Lanes& parent, Lanes& lanes,
                           Eigen::Ref<Eigen::MatrixXd> dv) {
  for (int k = 0; k < dv.cols(); ++k) {
    Eigen::Vector3d turning = lane(parent.solve_alpha, k);
    const Eigen::Vector3d a = lane(parent.solve_a, k) + turning.cross(r);
    const Eigen::Vector3d felt = joint.U_force.transpose() * a + joint.U_torque.transpose() * turning;
    const Eigen::Vector3d relative = lane(lanes.u, k) - joint.D.solve(felt);
    turning += relative;
    for (int i = 0; i < 3; ++i) lanes.solve_a[i][k] = a[i], lanes.solve_alpha[i][k] = turning[i];
    dv.col(k) = joint.axes.transpose() * relative;
  }
}

/// Up to four columns of a tree.
RIGOR_WIDE __attribute__((flatten)) void solveLanes(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                                                    Eigen::Ref<Eigen::MatrixXd> x) {
  const std::span<const LaneNode> nodes = model.nodes();
  std::vector<Lanes>& all = workspace.lanes;
  const int count = static_cast<int>(x.cols());
  for (Lanes& lanes : all) lanes = {};
  for (size_t n = nodes.size(); --n > 0;) {
    const LaneNode& node = nodes[n];
    if (node.kind == LaneNode::kFloating) continue;
    if (node.kind == LaneNode::kSpherical) {
      if (all[n].feels || !x.middleRows<3>(node.v).isZero(0))
        passSphericalInwards(workspace.spherical[workspace.nodes[n].block], workspace.nodes[n].r, node.parent != 0,
                             x.middleRows<3>(node.v), all[n], all[node.parent]);
      continue;
    }
    double tau[4] = {0, 0, 0, 0};
    for (int k = 0; k < count; ++k) tau[k] = x(node.v, k);
    const bool pushed = tau[0] != 0 || tau[1] != 0 || tau[2] != 0 || tau[3] != 0;
    if (!all[n].feels && !pushed) continue;
    passLanesInwards(node, workspace.nodes[n], all[n], all[node.parent], load<Four>(tau));
  }
  for (size_t n = 1; n < nodes.size(); ++n) {
    const LaneNode& node = nodes[n];
    if (node.kind == LaneNode::kFloating) {
      solveLanesFloating(workspace, workspace.nodes[n].block, count, node, x, all[n]);
      continue;
    }
    if (node.kind == LaneNode::kSpherical) {
      passSphericalOutwards(workspace.spherical[workspace.nodes[n].block], workspace.nodes[n].r, all[node.parent],
                            all[n], x.middleRows<3>(node.v));
      continue;
    }
    double dv[4];
    store(passLanesOutwards(node, workspace.nodes[n], all[node.parent], all[n]), dv);
    for (int k = 0; k < count; ++k) x(node.v, k) = dv[k];
  }
}

}  // namespace

void solveOpenMassMatrixColumns(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                                Eigen::Ref<Eigen::MatrixXd> x) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kFactored));
  if (model.isCoupled()) return solveCoupled(workspace, x);
  for (Eigen::Index k = 0; k < x.cols(); k += 4)
    solveLanes(model, workspace, x.middleCols(k, std::min<Eigen::Index>(4, x.cols() - k)));
}

void solveMassMatrixColumns(const ArticulatedModel& model, ArticulatedWorkspace& workspace,
                            Eigen::Ref<Eigen::MatrixXd> x) {
  solveOpenMassMatrixColumns(model, workspace, x);
  for (Eigen::Index k = 0; k < x.cols() && !model.loops().empty(); ++k) closeVelocity(workspace, x.col(k));
}

}  // namespace rigor::dynamics
