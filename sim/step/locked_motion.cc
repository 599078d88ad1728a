// SPDX-License-Identifier: MIT
#include "sim/step/locked_motion.h"

#include <Eigen/LU>

namespace rigor::sim {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::optional<LockedMotion> lockedMotion(const SystemRobot& robot, std::span<const SystemBody> bodies) {
  const int root = robot.model->freeRoot();
  if (root < 0) return {};
  const auto links = bodies.subspan(robot.first_slot, robot.links.size());
  const Vector3d none = Vector3d::Zero();
  LockedMotion motion{none, none, none, none, Matrix3d::Zero(), 0, root};
  double mass = 0;
  for (const SystemBody& b : links) {
    mass += b.model->mass;
    motion.centre += b.model->mass * b.state.pose.p, motion.v += b.model->mass * b.state.v;
  }
  if (!(mass > 0)) return {};
  motion.centre /= mass, motion.v /= mass;
  for (const SystemBody& b : links) {
    const Matrix3d R = b.state.pose.rotation(), own = R * b.model->inertia * R.transpose();
    const Vector3d arm = b.state.pose.p - motion.centre;
    motion.inertia += own + b.model->mass * (arm.squaredNorm() * Matrix3d::Identity() - arm * arm.transpose());
    motion.spin += own * b.state.w + b.model->mass * arm.cross(b.state.v - motion.v);
  }
  if (!(motion.inertia.determinant() > 0)) return {};
  motion.w = motion.inertia.inverse() * motion.spin;
  motion.kinetic = 0.5 * (mass * motion.v.squaredNorm() + motion.w.dot(motion.spin));
  return motion;
}

Vector6d LockedMotion::velocityAt(const Vector3d& point) const {
  return dynamics::stacked(v + w.cross(point - centre), w);
}

void LockedMotion::scaleOthers(double factor, SystemRobot& robot, std::span<SystemBody> bodies) const {
  const dynamics::ArticulatedModel::Node& base = robot.model->nodes()[root];
  const Vector3d own = velocityAt(robot.state.q.segment<3>(base.q)).head<3>();
  robot.state.v *= factor;
  robot.state.v.segment<3>(base.v) += (1 - factor) * own;
  robot.state.v.segment<3>(base.v + 3) += (1 - factor) * w;
  for (SystemBody& b : bodies.subspan(robot.first_slot, robot.links.size())) {
    b.state.v = factor * b.state.v + (1 - factor) * velocityAt(b.state.pose.p).head<3>();
    b.state.w = factor * b.state.w + (1 - factor) * w;
  }
}

void LockedMotion::add(const Vector3d& dv, const Vector3d& dw, SystemRobot& robot,
                       std::span<SystemBody> bodies) const {
  const dynamics::ArticulatedModel::Node& base = robot.model->nodes()[root];
  const auto at = [&](const Vector3d& point) -> Vector3d { return dv + dw.cross(point - centre); };
  robot.state.v.segment<3>(base.v) += at(robot.state.q.segment<3>(base.q));
  robot.state.v.segment<3>(base.v + 3) += dw;
  for (SystemBody& b : bodies.subspan(robot.first_slot, robot.links.size()))
    b.state.v += at(b.state.pose.p), b.state.w += dw;
}

}  // namespace rigor::sim
