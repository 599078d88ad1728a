// SPDX-License-Identifier: MIT
#include "verify/record/joint_position.h"

#include <Eigen/Geometry>
#include <cmath>

namespace rigor::verify::recorded {
namespace {

using Eigen::Vector3d;

Vector3d vectorOf(const kernel::Vector3& v) { return Vector3d(v.data()); }

Eigen::Quaterniond rotationOf(const Eigen::Vector4d& q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
}

/// Angle of a turn about a unit axis that is (nearly) the rotation's own, in (-pi, pi].
double angleAbout(const Vector3d& axis, const Eigen::Quaterniond& rotation) {
  const double angle = 2 * std::atan2(rotation.vec().dot(axis), rotation.w());
  return std::remainder(angle, 2 * M_PI);
}

/// Along which a planar joint shifts: of two coordinate axes, the one farther from the joint's gives the first.
void planarAxes(const Vector3d& axis, Vector3d& first, Vector3d& second) {
  constexpr double kFar = 0.8;
  const Vector3d guide = std::abs(axis[0]) <= kFar ? Vector3d::UnitX() : Vector3d::UnitY();
  first = (guide - axis.dot(guide) * axis).normalized();
  second = axis.cross(first);
}

/// The child's joint frame as seen from the parent's.
struct Relative {
  Vector3d shift, velocity, spin;  // Parent's joint axes.
  Eigen::Quaterniond rotation;

  Relative(const kernel::Joint& joint, const LinkState& parent, const LinkState& child) {
    const Eigen::Quaterniond P = rotationOf(parent.orientation), C = rotationOf(child.orientation);
    const Eigen::Quaterniond J = P * rotationOf(Eigen::Vector4d(joint.parent_frame.data()));
    const Vector3d arm_p = P * vectorOf(joint.parent_point), arm_c = C * vectorOf(joint.child_point);
    const Vector3d gap = child.position + arm_c - parent.position - arm_p;
    const Vector3d v_c = child.velocity + child.angular_velocity.cross(arm_c);
    // Of the parent's point that is there now.
    const Vector3d v_p = parent.velocity + parent.angular_velocity.cross(arm_p + gap);
    shift = J.conjugate() * gap;
    velocity = J.conjugate() * (v_c - v_p);
    spin = J.conjugate() * (child.angular_velocity - parent.angular_velocity);
    rotation = J.conjugate() * C * rotationOf(Eigen::Vector4d(joint.child_frame.data()));
  }
};

std::vector<CoordinateState> universal(const Vector3d& a, const Vector3d& b, const Relative& relative) {
  // R = T(a, q_0) T(b, q_1): T(b, .) leaves b where it is, so q_0 turns b to R b.
  const Vector3d turned = relative.rotation * b;
  const Vector3d from = b - a.dot(b) * a, to = turned - a.dot(turned) * a;
  const double first = std::atan2(a.dot(from.cross(to)), from.dot(to));
  const Eigen::Quaterniond rest = Eigen::Quaterniond(Eigen::AngleAxisd(-first, a)) * relative.rotation;
  // w = q_0' a + q_1' R b.
  const double c = a.dot(turned), wa = relative.spin.dot(a), wb = relative.spin.dot(turned);
  const double determinant = 1 - c * c;
  return {{first, (wa - c * wb) / determinant}, {angleAbout(b, rest), (wb - c * wa) / determinant}};
}

}  // namespace

std::vector<CoordinateState> jointPosition(const kernel::Joint& joint, const LinkState& parent,
                                           const LinkState& child) {
  using kernel::JointType;
  const Relative relative(joint, parent, child);
  const Vector3d axis = vectorOf(joint.axis).normalized();
  switch (joint.type) {
    case JointType::kRevolute: return {{angleAbout(axis, relative.rotation), relative.spin.dot(axis)}};
    case JointType::kPrismatic: return {{relative.shift.dot(axis), relative.velocity.dot(axis)}};
    case JointType::kUniversal: return universal(axis, vectorOf(joint.axis2).normalized(), relative);
    case JointType::kPlanar: {
      Vector3d first, second;
      planarAxes(axis, first, second);
      return {{relative.shift.dot(first), relative.velocity.dot(first)},
              {relative.shift.dot(second), relative.velocity.dot(second)},
              {angleAbout(axis, relative.rotation), relative.spin.dot(axis)}};
    }
    default: return {};
  }
}

}  // namespace rigor::verify::recorded
