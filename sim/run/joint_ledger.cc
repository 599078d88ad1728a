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
  std::vector<int> reached, floating;                  // Links, each with those beyond it after it; trees' roots.
  for (int j = 0; j < model.numJoints(); ++j) {
    const auto& joint = model.joint(j);
    if (joint.type == JointType::kFloating) {  // Free in the world, whatever its parent.
      reached.push_back(heaviestFrom(joint.child));
      floating.push_back(reached.back());
      continue;
    }
    at[joint.child].push_back(j);
    if (joint.parent != dynamics::kWorld) {
      at[joint.parent].push_back(j);
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
  if (!model.loops().empty()) loops_ = std::make_unique<LoopWrenches>(robot, first_body, order_, floating);
}

/// Of the links of the tree that hangs on a link; of several the first, as `verify` looks for it.
int JointLedger::heaviestFrom(int root) const {
  const dynamics::ArticulatedModel& model = *robot_.model;
  std::vector<int> tree{root};
  int heaviest = root;
  for (size_t k = 0; k < tree.size(); ++k) {
    const double heavier = model.link(tree[k]).mass - model.link(heaviest).mass;
    if (heavier > 0 || (heavier == 0 && tree[k] < heaviest)) heaviest = tree[k];
    for (int j = 0; j < model.numJoints(); ++j)
      if (model.joint(j).parent == tree[k] && model.joint(j).type != JointType::kFloating)
        tree.push_back(model.joint(j).child);
  }
  return heaviest;
}

void JointLedger::feel(int link, const Vector3d& x, const Vector3d& P, const Vector3d& moment) {
  LinkBalance& l = links_[link];
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
void JointLedger::balance(const JointInterval& at, int link) {
  LinkBalance& l = links_[link];
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
Vector3d JointLedger::axisOf(const JointInterval& at, int number, double time) const {
  const auto& joint = robot_.model->joint(number);
  const Vector3d axis = joint.origin.rotation() * joint.axis.normalized();
  if (joint.parent == dynamics::kWorld) return axis;
  return poseAt(at.bodies[first_body_ + joint.parent], time).rotation() * axis;
}

/// Force and moment of a joint's actuator on its child, at the child's origin; world.
std::pair<Vector3d, Vector3d> JointLedger::effortOf(const JointInterval& at, int number, double time) const {
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
Vector3d JointLedger::damped(const JointInterval& at, int number) const {
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
void JointLedger::limits(const JointInterval& at, ImpulseRecord& record) {
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

/// The opposite acts on the link that it comes from, or on the world.
void JointLedger::feelBetween(int on, int from, const Vector3d& x, const Vector3d& P, const Vector3d& moment) {
  feel(on, x, P, moment);
  if (from != dynamics::kWorld) feel(from, x, -P, -moment);
}

/// Of a joint, on its child; world.
Vector3d JointLedger::pointOf(const JointInterval& at, int number, double time) const {
  const BodyRuntime& child = at.bodies[first_body_ + robot_.model->joint(number).child];
  const geom::Pose pose = poseAt(child, time);
  return pose.p - pose.rotation() * child.centre;
}

/// What acts at a joint's point is felt by both of its links.
void JointLedger::handOn(const JointInterval& at, int number, double time, const Vector3d& P, const Vector3d& moment) {
  const auto& joint = robot_.model->joint(number);
  feelBetween(joint.child, joint.parent, pointOf(at, number, time), P, moment);
}

/// Actuators, in the middle of the interval.
void JointLedger::drive(const JointInterval& at, ImpulseRecord& record) {
  const double h = at.length();
  if (!(h > 0) || at.effort.size() == 0) return;
  for (const auto& [j, beyond] : order_) {
    const auto& joint = robot_.model->joint(j);
    if (!links_[joint.child].moves || joint.follows() || at.effort.segment(joint.v, joint.num_v).isZero(0)) continue;
    const auto [force, torque] = effortOf(at, j, at.middle());
    record.addWrench(Source::kActuator, id_, j);
    record.addToWrench(at.middle(), h * force, h * torque);
    handOn(at, j, at.middle(), h * force, h * torque);
  }
}

void JointLedger::closeLoops(const JointInterval& at, ImpulseRecord& record) {
  if (!loops_) return;
  const auto wrenches = loops_->find(at, links_);
  for (int k = 0; k < std::ssize(wrenches); ++k) {
    const LoopWrenches::Wrench& wrench = wrenches[k];
    if (wrench.P.isZero(0) && wrench.moment.isZero(0)) continue;
    record.addWrench(Source::kJoint, id_, robot_.model->numJoints() + k);
    record.addToWrench(at.middle(), wrench.P, wrench.moment);
    feelBetween(wrench.on, wrench.from, wrench.x, wrench.P, wrench.moment);
  }
}

void JointLedger::add(const JointInterval& at, ImpulseRecord& record) {
  for (size_t l = 0; l < links_.size(); ++l) balance(at, static_cast<int>(l));
  eachPush(at.bodies, at.parts, record,
           [&](int link, const Vector3d& x, const Vector3d& P) { feel(link, x, P, Vector3d::Zero()); });
  limits(at, record);
  for (const ImpulseRecord::Wrench& wrench : record.wrenches)
    for (int k = wrench.first; wrench.robot == id_ && k < wrench.first + wrench.count; ++k)
      handOn(at, wrench.joint, record.impulses[k].time, record.impulses[k].P, record.impulses[k].moment);
  drive(at, record);
  closeLoops(at, record);
  for (const auto& [j, beyond] : order_) {
    const auto& joint = robot_.model->joint(j);
    const BodyImpulse& left = links_[beyond].sum;
    if (!links_[joint.child].moves || joint.type == JointType::kFloating) continue;
    if (joint.type != JointType::kSpherical && left.P.isZero(0) && left.K.isZero(0)) continue;
    // On the child; what is left is on the link beyond.
    const Vector3d x = pointOf(at, j, at.middle());
    const double sign = beyond == joint.child ? 1 : -1;
    const Vector3d P = sign * left.P;
    Vector3d moment = sign * left.K - (x - links_[beyond].p).cross(P);
    if (at.length() > 0 && joint.type == JointType::kSpherical) moment = 0.5 * (moment + damped(at, j));
    if (P.isZero(0) && moment.isZero(0)) continue;
    record.addWrench(Source::kJoint, id_, j);
    record.addToWrench(at.middle(), P, moment);
    feelBetween(joint.child, joint.parent, x, P, moment);
  }
}

}  // namespace rigor::sim
