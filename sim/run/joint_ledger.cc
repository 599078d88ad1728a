// SPDX-License-Identifier: MIT
#include "sim/run/joint_ledger.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "sim/run/contact_place.h"

namespace rigor::sim {

using dynamics::JointType;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Source = ImpulseRecord::Wrench::Source;

namespace {

bool turns(const dynamics::JointDescription& joint) { return joint.type == JointType::kRevolute; }

}  // namespace

JointLedger::JointLedger(const dynamics::Robot& robot, int id, int first_body)
    : robot_(robot), id_(id), first_body_(first_body), links_(robot.model->numLinks()) {
  const dynamics::ArticulatedModel& model = *robot.model;
  std::vector<std::vector<int>> at(model.numLinks());  // Joints by link.
  std::vector<int> reached;                            // Links, each with those beyond it after it.
  for (int j = 0; j < model.numJoints(); ++j) {
    const auto& joint = model.joint(j);
    at[joint.child].push_back(j);
    if (joint.parent != dynamics::kWorld) {
      at[joint.parent].push_back(j);
    } else if (joint.type == JointType::kFloating) {
      reached.push_back(heaviestFrom(joint.child));
    } else {
      order_.push_back({j, joint.child});
      reached.push_back(joint.child);
    }
  }
  std::vector<char> known(model.numLinks(), 0);
  for (const int link : reached) known[link] = 1;
  for (size_t k = 0; k < reached.size(); ++k)
    for (const int j : at[reached[k]]) {
      const auto& joint = model.joint(j);
      const int beyond = joint.child == reached[k] ? joint.parent : joint.child;
      if (beyond == dynamics::kWorld || std::exchange(known[beyond], 1)) continue;
      order_.push_back({j, beyond});
      reached.push_back(beyond);
    }
  std::reverse(order_.begin(), order_.end());
}

/// Of the links of a tree.
int JointLedger::heaviestFrom(int root) const {
  const dynamics::ArticulatedModel& model = *robot_.model;
  std::vector<int> tree{root};
  int heaviest = root;
  for (size_t k = 0; k < tree.size(); ++k) {
    if (model.link(tree[k]).mass > model.link(heaviest).mass) heaviest = tree[k];
    for (int j = 0; j < model.numJoints(); ++j)
      if (model.joint(j).parent == tree[k]) tree.push_back(model.joint(j).child);
  }
  return heaviest;
}

void JointLedger::feel(int link, const Vector3d& x, const Vector3d& P, const Vector3d& moment) {
  Link& l = links_[link];
  if (!l.moves) return;
  l.sum.P -= P;
  l.sum.K -= moment + (x - l.p).cross(P);
}

void JointLedger::eachPush(std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts,
                           const ImpulseRecord& record, const VisitPush& visit) const {
  const int last_body = first_body_ + static_cast<int>(links_.size());
  const auto own = [&](int body) { return body >= first_body_ && body < last_body; };
  for (const ImpulseRecord::Contact& contact : record.contacts) {
    const PairKey& pair = contact.pair;
    if (!own(pair.body_a) && !own(pair.body_b)) continue;
    for (int k = contact.first; k < contact.first + contact.count; ++k) {
      const auto& [time, P, moment, axis] = record.impulses[k];
      const Vector3d x =
          placeOf(contact, bodies, parts, {poseAt(bodies[pair.body_a], time), poseAt(bodies[pair.body_b], time)}).point;
      if (own(pair.body_b)) visit(pair.body_b - first_body_, x, P);
      if (own(pair.body_a)) visit(pair.body_a - first_body_, x, -P);
    }
  }
}

/// What a link's momentum changes by besides gravity.
void JointLedger::balance(const Interval& at, int link) {
  Link& l = links_[link];
  const BodyRuntime& body = at.bodies[first_body_ + link];
  l.sum = {};
  l.moves = !body.fixed;
  const geom::Pose start = poseAt(body, at.t0);
  l.p = start.p;
  if (!l.moves || body.model.isMassless()) return;
  const auto [u0, u1] = at.velocities(first_body_ + link);
  const double h = at.t1 - at.t0, m = body.model.mass;
  const geom::Pose end = poseAt(body, at.t1);
  const Matrix3d R0 = start.rotation(), R1 = end.rotation(), I = body.model.inertia;
  l.sum.P = m * (u1 - u0).head<3>() - m * h * at.gravity;
  l.sum.K = R1 * (I * (R1.transpose() * u1.tail<3>())) - R0 * (I * (R0.transpose() * u0.tail<3>()));
  if (!(h > 0)) return;
  Vector3d mean = Vector3d::Zero();
  for (int i = 0; i <= body.piece.p_degree; ++i) mean += body.piece.p[i] - l.p;
  mean /= body.piece.p_degree + 1;
  l.sum.K += m * (end.p - l.p).cross(u1.head<3>()) - m * h * mean.cross(at.gravity);
}

/// Of a revolute or prismatic joint; world.
Vector3d JointLedger::axisOf(const Interval& at, int number, double time) const {
  const auto& joint = robot_.model->joint(number);
  const Vector3d axis = joint.origin.rotation() * joint.axis.normalized();
  if (joint.parent == dynamics::kWorld) return axis;
  return poseAt(at.bodies[first_body_ + joint.parent], time).rotation() * axis;
}

/// Force and moment of a joint's actuator on its child, at the child's origin; world.
std::pair<Vector3d, Vector3d> JointLedger::effortOf(const Interval& at, int number, double time) const {
  const auto& joint = robot_.model->joint(number);
  const Vector3d n = axisOf(at, number, time), none = Vector3d::Zero();
  const Matrix3d R = joint.parent == dynamics::kWorld ? Matrix3d(Matrix3d::Identity())
                                                      : poseAt(at.bodies[first_body_ + joint.parent], time).rotation();
  const double* const tau = &at.effort[joint.v];
  switch (joint.type) {
    case JointType::kRevolute: return {none, tau[0] * n};
    case JointType::kPrismatic: return {tau[0] * n, none};
    case JointType::kSpherical: return {none, R * joint.origin.rotation() * Vector3d(tau[0], tau[1], tau[2])};
    case JointType::kUniversal: {
      // The moment about each axis is that of its coordinate, about what is across both none.
      const Vector3d m = poseAt(at.bodies[first_body_ + joint.child], time).rotation() * joint.axis2.normalized();
      const double c = n.dot(m), square = 1 - c * c;
      return {none, ((tau[0] - c * tau[1]) * n + (tau[1] - c * tau[0]) * m) / square};
    }
    case JointType::kPlanar: {
      Vector3d first, second;
      dynamics::planarAxes(joint.axis, first, second);
      return {R * joint.origin.rotation() * (tau[0] * first + tau[1] * second), tau[2] * n};
    }
    default: return {none, none};
  }
}

/// The moment of a spherical joint's damper over a piece, by Simpson's rule: all that a ball can do. What the balance
/// leaves beyond is the error of a force that stands at one instant of a step over which its link turns.
Vector3d JointLedger::damped(const Interval& at, int number) const {
  const auto& joint = robot_.model->joint(number);
  Vector3d sum = Vector3d::Zero();
  if (joint.damping == 0) return sum;
  const auto add = [&](int link, double sign) {
    const BodyRuntime& body = at.bodies[first_body_ + link];
    if (body.fixed) return;
    const auto [u0, u1] = at.velocities(first_body_ + link);
    Vector3d v, w;
    body.piece.velocityAt(at.t0 + 0.5 * (at.t1 - at.t0), v, w);
    sum += sign * (u0.tail<3>() + 4 * w + u1.tail<3>());
  };
  add(joint.child, 1);
  if (joint.parent != dynamics::kWorld) add(joint.parent, -1);
  return -joint.damping * (at.t1 - at.t0) / 6 * sum;
}

/// Limits along their axes.
void JointLedger::limits(const Interval& at, ImpulseRecord& record) {
  for (const ImpulseRecord::Wrench& wrench : record.wrenches) {
    if (wrench.robot != id_ || wrench.source != Source::kLimit) continue;
    const bool turn = turns(robot_.model->joint(wrench.joint));
    for (int k = wrench.first; k < wrench.first + wrench.count; ++k) {
      auto& impulse = record.impulses[k];
      const Vector3d along = impulse.moment[0] * axisOf(at, wrench.joint, impulse.time);
      impulse.P = turn ? Vector3d(Vector3d::Zero()) : along, impulse.moment = turn ? along : Vector3d(Vector3d::Zero());
    }
  }
}

void JointLedger::add(const Interval& at, ImpulseRecord& record) {
  for (size_t l = 0; l < links_.size(); ++l) balance(at, static_cast<int>(l));
  eachPush(at.bodies, at.parts, record,
           [&](int link, const Vector3d& x, const Vector3d& P) { feel(link, x, P, Vector3d::Zero()); });
  limits(at, record);
  const double h = at.t1 - at.t0, middle = h > 0 ? at.t0 + 0.5 * h : at.t0;
  const size_t known = record.wrenches.size();
  for (const auto& [j, beyond] : order_) {
    const auto& joint = robot_.model->joint(j);
    if (!links_[joint.child].moves || joint.type == JointType::kFloating) continue;
    const BodyRuntime& child = at.bodies[first_body_ + joint.child];
    const auto pointAt = [&](double t) {
      const geom::Pose pose = poseAt(child, t);
      return Vector3d(pose.p - pose.rotation() * child.centre);
    };
    const auto pass = [&](const Vector3d& x, const Vector3d& P, const Vector3d& moment) {
      feel(joint.child, x, P, moment);
      if (joint.parent != dynamics::kWorld) feel(joint.parent, x, -P, -moment);
    };
    for (size_t w = 0; w < known; ++w) {
      const ImpulseRecord::Wrench& wrench = record.wrenches[w];
      if (wrench.robot != id_ || wrench.joint != j) continue;
      for (int k = wrench.first; k < wrench.first + wrench.count; ++k)
        pass(pointAt(record.impulses[k].time), record.impulses[k].P, record.impulses[k].moment);
    }
    const bool driven = h > 0 && !joint.follows() && at.effort.size() > 0 &&
                        !at.effort.segment(joint.v, joint.num_v).isZero(0);
    const BodyImpulse& left = links_[beyond].sum;
    if (!driven && joint.type != JointType::kSpherical && left.P.isZero(0) && left.K.isZero(0)) continue;
    const Vector3d x = pointAt(middle);
    if (driven) {
      const auto [force, torque] = effortOf(at, j, middle);
      record.addWrench(Source::kActuator, id_, j);
      record.addToWrench(middle, h * force, h * torque);
      pass(x, record.impulses.back().P, record.impulses.back().moment);
    }
    // On the child; what is left is on the link beyond.
    const double sign = beyond == joint.child ? 1 : -1;
    const Vector3d P = sign * left.P;
    Vector3d moment = sign * left.K - (x - links_[beyond].p).cross(P);
    // What loops do is part of it.
    if (h > 0 && joint.type == JointType::kSpherical && robot_.model->loops().empty())
      moment = 0.5 * (moment + damped(at, j));
    if (P.isZero(0) && moment.isZero(0)) continue;
    record.addWrench(Source::kJoint, id_, j);
    record.addToWrench(middle, P, moment);
    pass(x, P, moment);
  }
}

}  // namespace rigor::sim
