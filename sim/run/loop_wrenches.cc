// SPDX-License-Identifier: MIT
#include "sim/run/loop_wrenches.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "elementary/elementary.h"
#include "impact/problem/matrix_factors.h"
#include "sim/run/contact_place.h"

namespace rigor::sim {

using dynamics::JointType;
using dynamics::LoopType;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// Of what gravity does about a joint at most: where as much friction as this may act, what the joint does is known half
// as well as elsewhere.
constexpr double kMuchFriction = 1e-2;
// Arms by which loops are open, of those between joints: what acts with no longer ones acts with none. Of the largest
// pivot, and of what a unit force does.
constexpr double kNoArm = 1e-7;

bool hasOneAxis(JointType type) { return type == JointType::kRevolute || type == JointType::kPrismatic; }

}  // namespace

LoopWrenches::LoopWrenches(const dynamics::Robot& robot, int first_body, std::span<const HangingLink> order,
                           std::span<const int> roots)
    : robot_(robot),
      first_body_(first_body),
      order_(order.begin(), order.end()),
      roots_(roots.begin(), roots.end()),
      known_(order.size()),
      sums_(robot.model->numLinks()),
      wrenches_(robot.model->loops().size()) {
  const dynamics::ArticulatedModel& model = *robot.model;
  follows_.resize(model.numJoints());
  for (int j = 0; j < model.numJoints(); ++j)
    if (const auto& joint = model.joint(j); joint.follows())
      follows_[j] = follows_[model.findJoint(joint.leader)] = 1;
}

LoopWrenches::Motion LoopWrenches::motionOf(const JointInterval& at, int link, Instant instant) const {
  if (link == dynamics::kWorld) return {Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(), Matrix3d::Identity()};
  const BodyRuntime& body = at.bodies[first_body_ + link];
  const double t = instant == Instant::kStart ? at.t0 : instant == Instant::kEnd ? at.t1 : at.middle();
  const geom::Pose pose = poseAt(body, t);
  Motion motion{pose.p, Vector3d::Zero(), Vector3d::Zero(), pose.rotation()};
  if (body.fixed) return motion;
  if (instant == Instant::kMiddle && at.length() > 0) {
    body.piece.velocityAt(t, motion.v, motion.w);
  } else {
    const auto [u0, u1] = at.velocities(first_body_ + link);
    const dynamics::Vector6d& u = instant == Instant::kStart ? u0 : u1;
    motion.v = u.head<3>(), motion.w = u.tail<3>();
  }
  return motion;
}

/// Of a revolute or prismatic joint; of angles that differ by turns the one next to `near`.
double LoopWrenches::coordinateOf(int number, const Motion& parent, const Motion& child, double near) const {
  const auto& joint = robot_.model->joint(number);
  const auto centreOf = [&](int link) {
    return link == dynamics::kWorld ? Vector3d(Vector3d::Zero()) : robot_.model->link(link).centre;
  };
  const Matrix3d J = parent.R * joint.origin.rotation();
  const Vector3d axis = joint.axis.normalized();
  if (joint.type == JointType::kPrismatic) {
    const Vector3d from = parent.p + parent.R * (joint.origin.p - centreOf(joint.parent)),
                   to = child.p - child.R * centreOf(joint.child);
    return (to - from).dot(J * axis);
  }
  const Eigen::Quaterniond turn(J.transpose() * child.R);
  const double angle = 2 * elementary::atan2(turn.vec().dot(axis), turn.w());
  return angle + 2 * M_PI * std::round((near - angle) / (2 * M_PI));
}

/// What a joint leaves free, and what it does there over the interval, on its child: by the rules of the proof.
void LoopWrenches::know(const JointInterval& at, int number, Known& known) const {
  const dynamics::ArticulatedModel& model = *robot_.model;
  const auto& joint = model.joint(number);
  const double h = at.length();
  known.count = 0;
  const double arm = joint.type == JointType::kRevolute ? model.longestArm() : 1,
               weight = model.mass() * at.gravity.norm() * arm;
  known.trust = joint.friction > 0 && weight > 0 ? 1 / (1 + joint.friction / (kMuchFriction * weight)) : 1;
  Motion parents[3], children[3];
  for (const Instant i : {Instant::kStart, Instant::kMiddle, Instant::kEnd}) {
    parents[static_cast<int>(i)] = motionOf(at, joint.parent, i);
    children[static_cast<int>(i)] = motionOf(at, joint.child, i);
  }
  const Vector3d origin = -model.link(joint.child).centre;
  known.x = children[1].p + children[1].R * origin;
  const bool bounded = std::isfinite(joint.lower) || std::isfinite(joint.upper);
  if (follows_[number] != 0 || joint.type == JointType::kFixed || joint.type == JointType::kFloating) return;
  if (!hasOneAxis(joint.type) && (joint.friction != 0 || joint.armature != 0 || bounded)) return;
  // `axisAt(i)`: at one of the three instants.
  const auto add = [&](bool turns, const auto& axisAt) {
    double rates[3];
    for (int i = 0; i < 3; ++i) {
      const Motion &parent = parents[i], &child = children[i];
      const Vector3d x = child.p + child.R * origin, v = child.v + child.w.cross(x - child.p),
                     u = parent.v + parent.w.cross(x - parent.p);
      rates[i] = axisAt(i).dot(turns ? Vector3d(child.w - parent.w) : Vector3d(v - u));
    }
    double does = -joint.damping * h / 6 * (rates[0] + 4 * rates[1] + rates[2]);
    if (hasOneAxis(joint.type)) {
      does -= joint.armature * (rates[2] - rates[0]);
      if (joint.stiffness != 0)
        for (int i = 0; i < 3; ++i)
          does -= joint.stiffness * h / 6 * (i == 1 ? 4 : 1) *
                  (coordinateOf(number, parents[i], children[i], at.coordinates[joint.q]) - joint.rest);
      if (rates[0] * rates[2] > 0) does -= std::copysign(joint.friction * h, rates[0]);
    }
    known.axes[known.count] = axisAt(1), known.turns[known.count] = turns, known.does[known.count] = does;
    ++known.count;
  };
  const Matrix3d J = joint.origin.rotation();
  const auto inParent = [&](const Vector3d& axis) {
    return [&parents, J, axis](int i) { return Vector3d(parents[i].R * (J * axis)); };
  };
  switch (joint.type) {
    case JointType::kRevolute: add(true, inParent(joint.axis.normalized())); break;
    case JointType::kPrismatic: add(false, inParent(joint.axis.normalized())); break;
    case JointType::kUniversal:
      add(true, inParent(joint.axis.normalized()));
      add(true, [&](int i) { return Vector3d(children[i].R * joint.axis2.normalized()); });
      break;
    case JointType::kSpherical:
      for (int k = 0; k < 3; ++k) add(true, [k](int) { return Vector3d(Vector3d::Unit(k)); });
      break;
    case JointType::kPlanar: {
      Vector3d first, second;
      dynamics::planarAxes(joint.axis, first, second);
      add(false, inParent(first)), add(false, inParent(second)), add(true, inParent(joint.axis.normalized()));
      break;
    }
    default: break;
  }
}

/// Where loops act, and along what they may.
void LoopWrenches::addLoops(const JointInterval& at) {
  unknowns_.clear();
  const auto loops = robot_.model->loops();
  for (int k = 0; k < std::ssize(loops); ++k) {
    const dynamics::LoopDescription& loop = loops[k];
    // As the proof has it: on what moves.
    const auto stands = [&](int link) { return link == dynamics::kWorld || at.bodies[first_body_ + link].fixed; };
    const bool swapped = stands(loop.link_b);
    const auto& frame = swapped ? loop.frame_a : loop.frame_b;
    const auto& other = swapped ? loop.frame_b : loop.frame_a;
    Wrench& wrench = wrenches_[k];
    wrench.on = swapped ? loop.link_a : loop.link_b, wrench.from = swapped ? loop.link_b : loop.link_a;
    wrench.P.setZero(), wrench.moment.setZero();
    if (stands(wrench.on)) continue;
    const Motion on = motionOf(at, wrench.on, Instant::kMiddle), from = motionOf(at, wrench.from, Instant::kMiddle);
    wrench.x = on.p + on.R * (frame.p - robot_.model->link(wrench.on).centre);
    for (int i = 0; i < 3; ++i) unknowns_.push_back({k, Vector3d::Unit(i), false});
    const Matrix3d axes = from.R * other.rotation();
    for (int i = 0; i < 3 && loop.type != LoopType::kPoint; ++i)
      if (loop.type == LoopType::kWeld || i < 2) unknowns_.push_back({k, axes.col(i), true});
  }
}

/// What sums_ make the joints do along what they leave free, and leave of trees that float.
void LoopWrenches::handOn(std::span<const LinkBalance> links, Eigen::Ref<Eigen::VectorXd> rows) {
  int row = 0;
  for (size_t e = 0; e < order_.size(); ++e) {
    const auto& joint = robot_.model->joint(order_[e].joint);
    const int beyond = order_[e].beyond, other = beyond == joint.child ? joint.parent : joint.child;
    const BodyImpulse& left = sums_[beyond];
    const Known& known = known_[e];
    const double sign = beyond == joint.child ? 1 : -1;
    const Vector3d moment = left.K - (known.x - links[beyond].p).cross(left.P);
    for (int i = 0; i < known.count; ++i)
      rows[row++] = known.trust * sign *
                    (known.turns[i] ? known.axes[i].dot(moment) / length_ : known.axes[i].dot(left.P));
    if (other == dynamics::kWorld) continue;
    sums_[other].P += left.P;
    sums_[other].K += left.K + (links[beyond].p - links[other].p).cross(left.P);
  }
  for (const int root : roots_) {
    rows.segment<3>(row) = sums_[root].P, rows.segment<3>(row + 3) = sums_[root].K / length_;
    row += 6;
  }
}

std::span<const LoopWrenches::Wrench> LoopWrenches::find(const JointInterval& at, std::span<const LinkBalance> links) {
  int rows = 6 * static_cast<int>(roots_.size());
  length_ = 0;
  for (size_t e = 0; e < order_.size(); ++e) {
    know(at, order_[e].joint, known_[e]);
    rows += known_[e].count;
    length_ = std::max(length_, (known_[e].x - links[order_[e].beyond].p).norm());
  }
  if (!(length_ > 0)) length_ = 1;
  addLoops(at);
  const int n = static_cast<int>(unknowns_.size());
  columns_.setZero(rows, n), rows_.resize(rows);
  const auto act = [&](const Wrench& wrench, const Vector3d& P, const Vector3d& moment) {
    const auto add = [&](int link, double sign) {
      if (link == dynamics::kWorld) return;
      sums_[link].P -= sign * P, sums_[link].K -= sign * (moment + (wrench.x - links[link].p).cross(P));
    };
    add(wrench.on, 1), add(wrench.from, -1);
  };
  for (int k = 0; k < n; ++k) {
    std::fill(sums_.begin(), sums_.end(), BodyImpulse());
    const Unknown& unknown = unknowns_[k];
    const Vector3d none = Vector3d::Zero();
    unknown.turns ? act(wrenches_[unknown.loop], none, length_ * unknown.axis)
                  : act(wrenches_[unknown.loop], unknown.axis, none);
    handOn(links, columns_.col(k));
    if (!(columns_.col(k).norm() > kNoArm)) columns_.col(k).setZero();
  }
  for (size_t l = 0; l < links.size(); ++l) sums_[l] = links[l].sum;
  handOn(links, rows_);
  rows_ = -rows_;
  for (int row = 0; const Known& known : known_)
    for (int i = 0; i < known.count; ++i)
      rows_[row++] += known.trust * (known.turns[i] ? known.does[i] / length_ : known.does[i]);
  impact::LeastNorm factor;
  factor.factor(columns_, kNoArm);
  factor.solve(rows_, found_);
  for (int k = 0; k < n; ++k) {
    Wrench& wrench = wrenches_[unknowns_[k].loop];
    if (unknowns_[k].turns) wrench.moment += length_ * found_[k] * unknowns_[k].axis;
    else wrench.P += found_[k] * unknowns_[k].axis;
  }
  return wrenches_;
}

}  // namespace rigor::sim
