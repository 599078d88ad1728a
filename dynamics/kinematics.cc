// SPDX-License-Identifier: MIT
#include "dynamics/kinematics.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/coupled_factor.h"
#include "dynamics/quaternion.h"
#include "elementary/elementary.h"
#include "elementary/require.h"

namespace rigor::dynamics {

using Node = ArticulatedModel::Node;
using NodeData = ArticulatedWorkspace::NodeData;
using Eigen::Vector3d;

ArticulatedWorkspace::ArticulatedWorkspace(const ArticulatedModel& model)
    : lanes(model.nodes().size()),
      nodes(lanes.size()),
      composite(nodes.size()),
      scratch(Eigen::VectorXd::Zero(model.numVelocities())) {
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node::Kind kind = model.nodes()[n].kind;
    if (kind == Node::kSpherical) {
      nodes[n].block = static_cast<int>(spherical.size());
      spherical.emplace_back();
    } else if (kind == Node::kFloating) {
      nodes[n].block = static_cast<int>(floating.size());
      floating.emplace_back();
    }
  }
  if (const int m = model.numLoopRows(); m > 0) {
    loops.rows.setZero(model.numVelocities(), m), loops.response = loops.rows, loops.gram.setZero(m, m);
    loops.row.setZero(model.numVelocities()), loops.scale.setZero(m), loops.force = loops.solved = loops.scale;
    loops.gaps = loops.scale, loops.step = loops.row, loops.best.setZero(model.numPositions());
    loops.order.assign(m, 0);
  }
  own_first.assign(nodes.size(), 0);
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = model.nodes()[n];
    own_first[n] = static_cast<int>(own_v.size());
    const int dofs = node.kind == Node::kFloating ? 6 : node.kind == Node::kSpherical ? 3 : 1;
    for (int k = 0; k < dofs; ++k) own_v.push_back(node.v + k), own_ratio.push_back(node.ratio);
  }
  if (!model.isCoupled()) return;
  const auto own = static_cast<Eigen::Index>(own_v.size());
  own_mass.setZero(own, own);
  own_tau.setZero(own);
  layOutCoupled(model, *this);
}

namespace {

/// M(q)/(q.q), in scalars.
void setRotation(const Eigen::Vector4d& q, Eigen::Matrix3d& R) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  const double s = 1 / ((ww + xx) + (yy + zz)), s2 = 2 * s;
  const double xy = x * y, wz = w * z, xz = x * z, wy = w * y, yz = y * z, wx = w * x;
  R(0, 0) = s * ((ww - zz) + (xx - yy)), R(1, 1) = s * ((ww - zz) - (xx - yy)), R(2, 2) = s * ((ww - xx) + (zz - yy));
  R(1, 0) = s2 * (xy + wz), R(2, 0) = s2 * (xz - wy), R(0, 1) = s2 * (xy - wz);
  R(2, 1) = s2 * (yz + wx), R(0, 2) = s2 * (xz + wy), R(1, 2) = s2 * (yz - wx);
}

/// Velocity of a node against its parent: in turning, or in shifting where it is prismatic.
Vector3d ownVelocity(const Node& node, const NodeData& data, const Eigen::VectorXd& v,
                     const ArticulatedWorkspace& workspace) {
  if (node.kind == Node::kSpherical) return workspace.spherical[data.block].axes * v.segment<3>(node.v);
  return (node.ratio * v[node.v]) * data.axis;
}

/// A node's twist from its parent's, which carries its origin along with `carried`.
template <class Twist>
void move(bool shifts, const Vector3d& carried, const Vector3d& own, const Twist& parent, Twist& node) {
  node.v = parent.v + carried;
  node.w = parent.w;
  (shifts ? node.v : node.w) += own;
}

}  // namespace

void calcPositions(const ArticulatedModel& model, const Eigen::VectorXd& q, ArticulatedWorkspace& workspace) {
  workspace.computed = ArticulatedWorkspace::kPositions;
  const std::span<const Node> nodes = model.nodes();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    NodeData& data = workspace.nodes[n];
    const NodeData& parent = workspace.nodes[node.parent];
    data.r.noalias() = parent.R * node.p;
    switch (node.kind) {
      case Node::kRevolute: {
        data.coordinate = node.ratio * q[node.q] + node.offset;
        const elementary::SineCosine half = elementary::sineCosine(0.5 * data.coordinate);
        data.q = multiply(parent.q, half.cosine * node.turn0 + half.sine * node.turn1);
        data.axis.noalias() = parent.R * node.axis;
        break;
      }
      case Node::kPrismatic:
        data.q = multiply(parent.q, node.turn0);
        data.axis.noalias() = parent.R * node.axis;
        data.coordinate = node.ratio * q[node.q] + node.offset;
        data.r += data.coordinate * data.axis;
        break;
      case Node::kSpherical:
        data.q = multiply(parent.q, multiply(node.turn0, q.segment<4>(node.q)));
        workspace.spherical[data.block].axes.noalias() = parent.R * node.R;
        break;
      default:
        data.q = q.segment<4>(node.q + 3);
        data.r = q.segment<3>(node.q);
    }
    data.p = parent.p + data.r;
    setRotation(data.q, data.R);
    data.body.mass = node.mass;
    data.body.moment.noalias() = data.R * (node.mass * node.centre);
    data.body.inertia = node.inertia.rotated(data.R);
  }
}

void calcVelocities(const ArticulatedModel& model, const Eigen::VectorXd& v, ArticulatedWorkspace& workspace) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  workspace.computed = (workspace.computed | ArticulatedWorkspace::kVelocities) & ~ArticulatedWorkspace::kAccelerations;
  const std::span<const Node> nodes = model.nodes();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    NodeData& data = workspace.nodes[n];
    if (node.kind == Node::kFloating) {
      data.v = v.segment<3>(node.v);
      data.w = v.segment<3>(node.v + 3);
      data.bias_a.setZero();
      data.bias_alpha.setZero();
    } else {
      const NodeData& parent = workspace.nodes[node.parent];
      if (node.kind != Node::kSpherical) data.rate = node.ratio * v[node.v];
      const Vector3d carried = parent.w.cross(data.r), own = ownVelocity(node, data, v, workspace);
      const bool shifts = node.kind == Node::kPrismatic;
      move(shifts, carried, own, parent, data);
      data.bias_a = parent.w.cross(shifts ? Vector3d(carried + 2 * own) : carried);
      data.bias_alpha = shifts ? Vector3d(0, 0, 0) : Vector3d(parent.w.cross(own));
    }
    data.bias_force = data.w.cross(data.w.cross(data.body.moment));
    data.bias_torque = data.w.cross(data.body.inertia * data.w);
  }
}

void calcTwists(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const Eigen::VectorXd& v,
                std::span<NodeTwist> twists) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  const std::span<const Node> nodes = model.nodes();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    const NodeData& data = workspace.nodes[n];
    if (node.kind == Node::kFloating) {
      twists[n] = {v.segment<3>(node.v), v.segment<3>(node.v + 3)};
      continue;
    }
    const NodeTwist& parent = twists[node.parent];
    move(node.kind == Node::kPrismatic, parent.w.cross(data.r), ownVelocity(node, data, v, workspace), parent,
         twists[n]);
  }
}

void calcAccelerations(const ArticulatedModel& model, const Eigen::VectorXd& dv, ArticulatedWorkspace& workspace) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kVelocities));
  workspace.computed |= ArticulatedWorkspace::kAccelerations;
  const std::span<const Node> nodes = model.nodes();
  for (size_t n = 1; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    NodeData& data = workspace.nodes[n];
    const NodeData& parent = workspace.nodes[node.parent];
    if (node.kind == Node::kFloating) {
      data.a = dv.segment<3>(node.v);
      data.alpha = dv.segment<3>(node.v + 3);
      continue;
    }
    data.a = parent.a + parent.alpha.cross(data.r) + data.bias_a;
    data.alpha = parent.alpha + data.bias_alpha;
    if (node.kind == Node::kRevolute)
      data.alpha += (node.ratio * dv[node.v]) * data.axis;
    else if (node.kind == Node::kPrismatic)
      data.a += (node.ratio * dv[node.v]) * data.axis;
    else
      data.alpha += workspace.spherical[data.block].axes * dv.segment<3>(node.v);
  }
}

void calcKinematics(const ArticulatedModel& model, const ArticulatedState& state, ArticulatedWorkspace& workspace) {
  calcPositions(model, state.q, workspace);
  calcVelocities(model, state.v, workspace);
}

geom::Pose linkPose(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  const ArticulatedModel::Link& body = model.link(link);
  const NodeData& data = workspace.nodes[body.node];
  return {multiply(data.q, body.in_node.q), data.p + data.R * body.in_node.p};
}

Vector3d centreInNode(const ArticulatedModel& model, int link) {
  // Most links are their node's own frame, or shifted in it.
  const ArticulatedModel::Link& body = model.link(link);
  const geom::Pose& X = body.in_node;
  return X.q.tail<3>().isZero(0) ? Vector3d(X.p + body.centre) : Vector3d(X * body.centre);
}

Vector3d linkCentre(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  const NodeData& data = workspace.nodes[model.link(link).node];
  return data.p + data.R * centreInNode(model, link);
}

Vector6d linkVelocity(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                      const Vector3d& point_W) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kVelocities));
  const NodeData& data = workspace.nodes[model.link(link).node];
  return stacked(data.v + data.w.cross(point_W - data.p), data.w);
}

Vector6d linkAcceleration(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                          const Vector3d& point_W) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kAccelerations));
  const NodeData& data = workspace.nodes[model.link(link).node];
  const Vector3d arm = point_W - data.p;
  return stacked(data.a + data.alpha.cross(arm) + data.w.cross(data.w.cross(arm)), data.alpha);
}

Vector6d linkBiasAcceleration(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                              const Vector3d& point_W) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kVelocities));
  const int node = model.link(link).node;
  const NodeData& own = workspace.nodes[node];
  const Vector3d own_arm = point_W - own.p;
  Vector6d bias = Vector6d::Zero();
  bias.head<3>() = own.w.cross(own.w.cross(own_arm));
  for (int n = node; n != 0; n = model.nodes()[n].parent) {
    const NodeData& data = workspace.nodes[n];
    bias.head<3>() += data.bias_a + data.bias_alpha.cross(point_W - data.p);
    bias.tail<3>() += data.bias_alpha;
  }
  return bias;
}

void addLinkForce(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                  const Vector3d& point_W, const Vector6d& wrench_W, Eigen::VectorXd& tau) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  const Vector3d force = wrench_W.head<3>(), torque = wrench_W.tail<3>();
  for (int n = model.link(link).node; n != 0; n = model.nodes()[n].parent) {
    const Node& node = model.nodes()[n];
    const NodeData& data = workspace.nodes[n];
    const Vector3d arm = point_W - data.p;
    const auto turning = [&](const Vector3d& axis) { return force.dot(axis.cross(arm)) + torque.dot(axis); };
    switch (node.kind) {
      case Node::kRevolute:
        tau[node.v] += force.dot(node.ratio * data.axis.cross(arm)) + torque.dot(node.ratio * data.axis);
        break;
      case Node::kPrismatic: tau[node.v] += force.dot(node.ratio * data.axis); break;
      case Node::kSpherical:
        for (int k = 0; k < 3; ++k) tau[node.v + k] += turning(workspace.spherical[data.block].axes.col(k));
        break;
      default:
        for (int k = 0; k < 3; ++k) tau[node.v + k] += force[k];
        for (int k = 0; k < 3; ++k) tau[node.v + 3 + k] += turning(Vector3d::Unit(k));
    }
  }
}

namespace {

/// Twice the kinetic energy of a node's rotor; it has one.
double twiceRotorEnergy(const Node& node, const Eigen::VectorXd& v) {
  const double rate = node.ratio * v[node.v];
  return node.armature * (node.kind == Node::kSpherical ? v.segment<3>(node.v).squaredNorm() : rate * rate);
}

}  // namespace

double rotorEnergy(const ArticulatedModel& model, const Eigen::VectorXd& v) {
  double twice = 0;
  for (const Node& node : model.nodes())
    if (node.armature > 0) twice += twiceRotorEnergy(node, v);
  return 0.5 * twice;
}

double kineticEnergy(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const Eigen::VectorXd& v) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kVelocities));
  double twice = 0;
  for (size_t n = 1; n < workspace.nodes.size(); ++n) {
    const NodeData& data = workspace.nodes[n];
    const Node& node = model.nodes()[n];
    twice += data.body.mass * data.v.squaredNorm() + 2 * data.v.dot(data.w.cross(data.body.moment)) +
             data.w.dot(data.body.inertia * data.w);
    if (node.armature > 0) twice += twiceRotorEnergy(node, v);
  }
  return 0.5 * twice;
}

double potentialEnergy(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const Vector3d& gravity) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  double energy = 0;
  for (size_t n = 1; n < workspace.nodes.size(); ++n) {
    const NodeData& data = workspace.nodes[n];
    const Node& node = model.nodes()[n];
    energy -= gravity.dot(node.mass * data.p + data.body.moment);
    if (node.stiffness > 0)
      energy += 0.5 * node.stiffness * (data.coordinate - node.rest) * (data.coordinate - node.rest);
  }
  return energy;
}

}  // namespace rigor::dynamics
