// SPDX-License-Identifier: MIT
#include "sim/step/step_world.h"

#include <algorithm>

#include "sim/free_flight.h"

namespace rigor::sim {

namespace {

constexpr double kBackShare = 0.01;  // Of V: faster, what is near could be hit by a motion that nothing made.

}  // namespace

geom::Pose StepWorld::poseOf(int body, int slot, double t) const {
  if (slot >= 0) return t == t0 ? start[slot].state.pose : pieces[slot].at(t);
  return bodies[body].piece.at(t);
}

geom::Pose StepWorld::originPose(int part, int slot, double t) const {
  const BodyRuntime& body = bodies[parts[part].body];
  geom::Pose pose = poseOf(parts[part].body, slot, t);
  if (!body.centre.isZero(0)) pose.p -= pose.rotation() * body.centre;
  return pose;
}

dynamics::RigidBodyState StepWorld::flightOf(size_t slot) const {
  const BodyRuntime& body = bodies[island[slot]];
  const dynamics::RigidBodyState& published = start[slot].state;
  return published.w == body.state.w ? turned(published, body.beside) : published;
}

bool StepWorld::comesBackWithin(double h) const {
  return std::all_of(island.begin(), island.end(), [&](int i) {
    return 2 * bodies[i].radius * bodies[i].beside.tail<3>().norm() <= kBackShare * scales.speed * h;
  });
}

Placement StepWorld::fixedPlacement(int body, int slot) const {
  return slot >= 0 ? Placement() : Placement(poseOf(body, slot, t0));
}

void StepWorld::gather(const RunState& run, std::span<const int> group, double horizon) {
  bodies = run.bodies, parts = run.parts, robots = run.robots, tree = run.tree, island = group;
  t0 = bodies[group[0]].clock;
  t_end = horizon;
  looked = BodyBox::empty();
  gather();
}

void StepWorld::gather() {
  if (slot_of.size() != bodies.size()) slot_of.assign(bodies.size(), -1), gathered_.clear();
  for (const int body : gathered_) slot_of[body] = -1;
  gathered_.assign(island.begin(), island.end());
  start.bodies.resize(island.size());
  size_t num_robots = 0;
  for (size_t i = 0; i < island.size(); ++i) {
    const BodyRuntime& body = bodies[island[i]];
    slot_of[island[i]] = static_cast<int>(i);
    start[i].model = &body.model;
    start[i].state = body.state;
    if (!isUnit(body.state.pose.q)) start[i].state.pose.q.normalize();
    start[i].push = body.push;
    start[i].robot = -1, start[i].link = body.link;
    if (body.robot < 0) continue;
    const RobotRuntime& robot = robots[body.robot];
    if (island[i] == robot.first_body) {
      start.robots.resize(++num_robots);
      SystemRobot& r = start.robots.back();
      r.model = robot.model, r.state = robot.state, r.acceleration = robot.acceleration, r.effort = robot.effort;
      r.links = robot.links, r.carried = robot.carried;
      r.limits = robot.limits, r.brakes = robot.brakes, r.locked = robot.locked;
      r.first_slot = static_cast<int>(i), r.id = body.robot;
    }
    start[i].robot = static_cast<int>(num_robots) - 1;
  }
  start.robots.resize(num_robots);
}

}  // namespace rigor::sim
