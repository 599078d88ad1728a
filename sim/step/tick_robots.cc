// SPDX-License-Identifier: MIT
// Robots in the tick of a crowd: docs/event-loop.md.
#include <Eigen/Geometry>
#include <algorithm>
#include <optional>

#include "sim/step/locked_motion.h"
#include "sim/step/tick.h"

namespace rigor::sim {

using Eigen::Vector3d;

/// Of links, those that their robots' coordinates say where they were placed last.
void Tick::moveLinks(TickVelocities& velocities) {
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    const SystemRobot& robot = x_.start.robots[r];
    const auto found = x_.contacts.system().linkVelocities(x_.start, robot, velocities.robots[r]);
    std::copy_n(found.begin() + robot.first_slot, robot.links.size(), velocities.bodies.begin() + robot.first_slot);
  }
}

/// Velocities of robots without contacts at the end: those of the start, changed by accelerations in the middle of the
/// tick, whose damping acts with the mean of both.
void Tick::freeRobots(double h) {
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    middle_ = x_.start.robots[r];
    const Eigen::VectorXd& v = x_.start.robots[r].state.v;
    mean_ = 0.75 * v + 0.25 * u_.robots[r];
    dynamics::integrate(*middle_.model, x_.start.robots[r].state.q, mean_, 0.5 * h, middle_.state.q);
    middle_.implicit_time = 0.5 * h;
    x_.contacts.system().robotAcceleration(middle_, x_.scene.gravity, rate_);
    base_.robots[r] = v + h * rate_;
  }
}

/// Of a robot that floats: the velocities without contacts that leave its links the momentum and angular momentum which
/// they start with and gravity gives, by the motion of a rigid body.
/// @param turned  What the record's impulses add where they act at the start and not at the end, about the origin.
void Tick::keepRobotMomentum(double h, size_t r, const Vector3d& turned) {
  const std::optional<LockedMotion> from = lockedMotion(x_.start.robots[r], x_.start.bodies);
  if (!from) return;
  SystemRobot& robot = floating_.robots[r];
  x_.contacts.system().setRobotVelocity(floating_, static_cast<int>(r), base_.robots[r]);
  const std::optional<LockedMotion> to = lockedMotion(robot, floating_.bodies);
  if (!to) return;
  double mass = 0;
  Vector3d moment = turned;
  for (size_t i = robot.first_slot; i < robot.first_slot + robot.links.size(); ++i) {
    const SystemBody& b = x_.start[i];
    const Vector3d moved = x_.trial.ends[i].state.pose.p - b.state.pose.p,
                   integral = hermiteIntegral(moved, b.state.v, u_.bodies[i].head<3>(), h);
    mass += b.model->mass;
    moment += b.model->mass * (h * b.state.pose.p + integral).cross(x_.scene.gravity);
  }
  const Vector3d v = from->v + h * x_.scene.gravity,
                 spin = from->spin + mass * (from->centre.cross(from->v) - to->centre.cross(v)) + moment;
  to->add(v - to->v, to->inertia.inverse() * (spin - to->spin), robot, floating_.bodies);
  base_.robots[r] = robot.state.v;
}

}  // namespace rigor::sim
