// SPDX-License-Identifier: MIT
#include "record/following_wrenches.h"

#include <algorithm>
#include <utility>

namespace rigor::record {
namespace {

using sim::ImpulseRecord;
using verify::recorded::JointWrenches;

// Of the sums that a wrench comes from: what the order of operations may change.
constexpr double kRounding = 1e-12;
// Places in FollowingWrenches::said_.
constexpr int kNothing = -1, kOfNoInterest = -2;

}  // namespace

FollowingWrenches::FollowingWrenches(verify::kernel::Model links) : links_(std::move(links)), wrenches_(links_) {
  for (const verify::kernel::Robot& robot : links_.robots) said_.emplace_back(robot.joints.size(), kOfNoInterest);
}

int& FollowingWrenches::said(int robot, int joint) {
  return said_[static_cast<std::size_t>(robot)][static_cast<std::size_t>(joint)];
}

void FollowingWrenches::act(const ImpulseRecord& row, const ImpulseRecord::Wrench& wrench) {
  for (int k = wrench.first; k < wrench.first + wrench.count; ++k) {
    const auto& impulse = row.impulses[static_cast<std::size_t>(k)];
    wrenches_.act({wrench.robot, wrench.joint}, impulse.time, impulse.P, impulse.moment);
  }
}

bool FollowingWrenches::leaveOut(const ImpulseRecord& row, const JointWrenches::PieceOf& piece_of,
                                 ImpulseRecord& rest) {
  if (wrenches_.joints().empty() || !(row.t0 < row.t1)) return false;
  for (const auto& [robot, joint] : wrenches_.joints()) said(robot, joint) = kNothing;
  wrenches_.start(row.t0, row.t1, piece_of);
  for (const ImpulseRecord::Contact& contact : row.contacts)
    wrenches_.touch(contact.pair.body_a), wrenches_.touch(contact.pair.body_b);
  for (std::size_t w = 0; w < row.wrenches.size(); ++w) {
    const ImpulseRecord::Wrench& wrench = row.wrenches[w];
    int& place = said(wrench.robot, wrench.joint);
    if (place == kNothing && wrench.source == ImpulseRecord::Wrench::Source::kJoint && wrench.count == 1)
      place = static_cast<int>(w);
    else act(row, wrench);
  }
  left_out_.assign(row.wrenches.size(), 0);
  const ImpulseRecord::Impulse none{wrenches_.middle(), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  for (const JointWrenches::JointNumber n : wrenches_.joints()) {
    const int place = said(n.robot, n.joint);
    const auto wrench = static_cast<std::size_t>(place);
    const auto& impulse =
        place == kNothing ? none : row.impulses[static_cast<std::size_t>(row.wrenches[wrench].first)];
    JointWrenches::Wrench found;
    const bool follows = wrenches_.balance(n, found);
    const bool agrees = follows && impulse.time == wrenches_.middle() &&
                        (found.P - impulse.P).norm() <= kRounding * found.force_scale &&
                        (found.moment - impulse.moment).norm() <= kRounding * found.moment_scale;
    if (follows && !agrees && place == kNothing) return false;  // A reader would find one.
    wrenches_.act(n, impulse.time, impulse.P, impulse.moment);
    if (agrees && place != kNothing) left_out_[wrench] = 1;
  }
  if (std::find(left_out_.begin(), left_out_.end(), 1) == left_out_.end()) return false;
  rest.clear();
  rest.t0 = row.t0, rest.t1 = row.t1, rest.step = row.step;
  const auto withImpulses = [&](auto acting) {
    const auto from = row.impulses.begin() + acting.first;
    acting.first = static_cast<int>(rest.impulses.size());
    rest.impulses.insert(rest.impulses.end(), from, from + acting.count);
    return acting;
  };
  for (const ImpulseRecord::Contact& contact : row.contacts) rest.contacts.push_back(withImpulses(contact));
  for (std::size_t w = 0; w < row.wrenches.size(); ++w)
    if (!left_out_[w]) rest.wrenches.push_back(withImpulses(row.wrenches[w]));
  return true;
}

namespace {

verify::kernel::JointType typeOf(dynamics::JointType type) {
  using enum dynamics::JointType;
  using Known = verify::kernel::JointType;
  switch (type) {
    case kFixed: return Known::kFixed;
    case kRevolute: return Known::kRevolute;
    case kPrismatic: return Known::kPrismatic;
    case kSpherical: return Known::kSpherical;
    case kUniversal: return Known::kUniversal;
    case kPlanar: return Known::kPlanar;
    case kFloating: break;
  }
  return Known::kOther;
}

}  // namespace

verify::kernel::Model linksOf(const sim::Scene& scene) {
  verify::kernel::Model model;
  std::copy_n(scene.gravity.data(), 3, model.gravity.data());
  for (const sim::Body& description : scene.bodies) {
    verify::kernel::Body& body = model.bodies.emplace_back();
    const Eigen::Matrix3d& I = description.inertia;
    body.fixed = description.fixed, body.robot = description.robot, body.mass = description.mass;
    body.inertia = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    std::copy_n(description.pose.p.data(), 3, body.position.data());
    std::copy_n(description.pose.q.data(), 4, body.orientation.data());
    if (!body.fixed) std::copy_n(description.centre.data(), 3, body.centre.data());
  }
  for (const sim::SceneRobot& robot : scene.robots) {
    verify::kernel::Robot& links = model.robots.emplace_back();
    for (int j = 0; j < robot.robot.model->numJoints(); ++j) {
      const auto& description = robot.robot.model->joint(j);
      verify::kernel::Joint& joint = links.joints.emplace_back();
      joint.type = typeOf(description.type);
      const bool in_world =
          description.parent == dynamics::kWorld || joint.type == verify::kernel::JointType::kOther;
      joint.parent = in_world ? -1 : robot.first_body + description.parent;
      joint.child = robot.first_body + description.child;
      std::copy_n(description.origin.p.data(), 3, joint.parent_point.data());
      std::copy_n(description.origin.q.data(), 4, joint.parent_frame.data());
      std::copy_n(description.axis.data(), 3, joint.axis.data());
    }
    for (const dynamics::LoopDescription& loop : robot.robot.model->loops()) {
      verify::kernel::Joint& joint = links.joints.emplace_back();
      const auto bodyOf = [&](int link) { return link == dynamics::kWorld ? -1 : robot.first_body + link; };
      joint.loop = true, joint.parent = bodyOf(loop.link_a), joint.child = bodyOf(loop.link_b);
      const bool swapped = joint.child < 0 || model.bodies[static_cast<std::size_t>(joint.child)].fixed;
      if (swapped) std::swap(joint.parent, joint.child);
      std::copy_n((swapped ? loop.frame_a : loop.frame_b).p.data(), 3, joint.child_point.data());
    }
  }
  return model;
}

}  // namespace rigor::record
