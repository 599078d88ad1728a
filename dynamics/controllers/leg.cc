// SPDX-License-Identifier: MIT
#include "dynamics/controllers/leg.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dynamics/kinematics.h"
#include "elementary/elementary.h"

namespace rigor::dynamics {
namespace {

constexpr double kAxisTolerance = 1e-9;  // Sine of the angle by which axes may miss being parallel or normal.

/// The same angle within pi of another.
double nearest(double angle, double reference) {
  return reference + std::remainder(angle - reference, 2 * std::numbers::pi);
}

/// Angle of a vector of the leg's plane, from c towards a: turning about b adds to it.
double planeAngle(double a, double c) { return elementary::atan2(a, c); }

}  // namespace

Eigen::Vector3d footPoint(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const Foot& foot) {
  return linkPose(model, workspace, foot.link) * foot.point;
}

Leg::Leg(const ArticulatedModel& model, int base_link, const Foot& end) : end_(end) {
  const std::string element = "link " + model.link(end.link).name;
  const std::span<const int> all = model.support(end.link), base = model.support(base_link);
  if (all.size() != base.size() + 3) throw ModelError(element, "a leg has three joints: hip, thigh and knee");
  ArticulatedWorkspace workspace(model);
  calcPositions(model, model.neutral(), workspace);
  const geom::Pose X_WB = linkPose(model, workspace, base_link);
  const Eigen::Matrix3d R_BW = X_WB.rotation().transpose();
  std::array<Eigen::Vector3d, 3> axis, at;
  for (int k = 0; k < 3; ++k) {
    dof_[k] = all[base.size() + k];
    const ArticulatedModel::Joint& joint = model.joint(model.jointOf(dof_[k]));
    if (joint.type != JointType::kRevolute) throw ModelError("joint " + joint.name, "a leg has revolute joints");
    position_[k] = joint.q;
    const ArticulatedWorkspace::NodeData& node = workspace.nodes[joint.node];
    axis[k] = R_BW * node.axis;
    at[k] = R_BW * (node.p - X_WB.p);
  }
  const Eigen::Vector3d foot = R_BW * (footPoint(model, workspace, end) - X_WB.p);
  const auto knee = [&](int k) { return "joint " + model.joint(model.jointOf(dof_[k])).name; };
  if (!(std::abs(axis[0].dot(axis[1])) <= kAxisTolerance)) {
    throw ModelError(knee(1), "the thigh's axis is not normal to the hip's");
  }
  if (!(axis[1].cross(axis[2]).norm() <= kAxisTolerance)) {
    throw ModelError(knee(2), "the knee's axis is not parallel to the thigh's");
  }
  knee_sign_ = axis[1].dot(axis[2]) > 0 ? 1 : -1;
  hip_ = at[0];
  axes_ << axis[0], axis[1], axis[0].cross(axis[1]);
  thigh_ = axes_.transpose() * (at[1] - at[0]);
  shank_ = axes_.transpose() * (at[2] - at[1]);
  heel_ = axes_.transpose() * (foot - at[2]);
  shank_length_ = elementary::hypot(shank_[0], shank_[2]), heel_length_ = elementary::hypot(heel_[0], heel_[2]);
  if (!(shank_length_ > 0 && heel_length_ > 0)) throw ModelError(element, "a thigh or shank of length zero");
  shank_angle_ = planeAngle(shank_[0], shank_[2]), heel_angle_ = planeAngle(heel_[0], heel_[2]);
}

Reach Leg::solve(const Eigen::Vector3d& target, const Eigen::Vector3d& reference, Eigen::Vector3d& angles) const {
  const Eigen::Vector3d x = axes_.transpose() * (target - hip_);
  // Roll: the part of the target along b after the roll back is that of the leg, whatever its pitch angles.
  const double sideways = thigh_[1] + shank_[1] + heel_[1], rho = elementary::hypot(x[1], x[2]);
  const bool rolls = rho >= std::abs(sideways);  // NaN -> out of reach
  const double across = elementary::acos(std::clamp(rho > 0 ? sideways / rho : 1.0, -1.0, 1.0));
  const double direction = elementary::atan2(x[2], x[1]);
  const double L1 = shank_length_, L2 = heel_length_;
  double best = std::numeric_limits<double>::infinity();
  Reach reach = Reach::kOutOfReach;
  angles = reference;
  const double rolled[2] = {nearest(direction + across, reference[0]), nearest(direction - across, reference[0])};
  const auto turns = [&](int side) { return (rolled[side] - reference[0]) * (rolled[side] - reference[0]); };
  const int nearer = turns(1) < turns(0) ? 1 : 0;
  for (const int side : {nearer, 1 - nearer}) {
    if (reach == Reach::kReached && turns(side) >= best) break;  // The roll alone is farther off.
    const double roll = rolled[side];
    const auto [sine, cosine_of_roll] = elementary::sineCosine(roll);
    const double c = cosine_of_roll * x[2] - sine * x[1];
    const double pa = x[0] - thigh_[0], pc = c - thigh_[2], distance_sq = pa * pa + pc * pc;
    const double cosine = (distance_sq - L1 * L1 - L2 * L2) / (2 * L1 * L2);
    const Reach here = rolls && std::abs(cosine) <= 1 ? Reach::kReached : Reach::kOutOfReach;
    if (here == Reach::kOutOfReach && reach == Reach::kReached) continue;
    const double gamma = elementary::acos(std::clamp(cosine, -1.0, 1.0)), towards = planeAngle(pa, pc);
    const elementary::SineCosine knee = elementary::sineCosine(gamma);
    const double before = elementary::atan2(L2 * knee.sine, L1 + L2 * knee.cosine);  // The thigh, of that direction.
    for (const double bend : {1.0, -1.0}) {
      const Eigen::Vector3d candidate(
          roll, nearest(towards - bend * before - shank_angle_, reference[1]),
          nearest(knee_sign_ * (bend * gamma - heel_angle_ + shank_angle_), reference[2]));
      const double distance = (candidate - reference).squaredNorm();
      if (distance < best || (here == Reach::kReached && reach == Reach::kOutOfReach)) {
        best = distance, angles = candidate, reach = here;
      }
    }
  }
  return reach;
}

}  // namespace rigor::dynamics
