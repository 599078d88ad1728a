// SPDX-License-Identifier: MIT
#include "sim/add_robot.h"

#include <stdexcept>
#include <utility>

#include "dynamics/kinematics.h"

namespace rigor::sim {

void addRobot(Scene& scene, dynamics::Robot robot) {
  const dynamics::ArticulatedModel& model = *robot.model;
  const int links = model.numLinks(), first = static_cast<int>(scene.bodies.size());
  const auto perLink = [&](const auto& list) { return static_cast<int>(list.size()) == links; };
  if (!perLink(robot.shapes) || !perLink(robot.friction) || !perLink(robot.restitution) ||
      (!robot.trees.empty() && !perLink(robot.trees)) || (!robot.masks.empty() && !perLink(robot.masks)) ||
      robot.start.q.size() != model.numPositions() || robot.start.v.size() != model.numVelocities())
    throw std::invalid_argument("robot '" + robot.name + "' does not fit its model");
  dynamics::ArticulatedWorkspace workspace(model);
  dynamics::calcKinematics(model, robot.start, workspace);
  for (int l = 0; l < links; ++l) {
    const auto& link = model.link(l);
    Body& body = scene.bodies.emplace_back();
    body.name = robot.name + "/" + link.name;
    body.fixed = link.node == 0;
    body.parts = robot.shapes[l];
    body.mass = link.mass, body.inertia = link.inertia, body.centre = link.centre;
    body.material = {robot.friction[l], robot.restitution[l]};
    body.pose = dynamics::linkPose(model, workspace, l);
    const dynamics::Vector6d twist = dynamics::linkVelocity(model, workspace, l, body.pose.p);
    body.velocity = twist.head<3>(), body.angular_velocity = twist.tail<3>();
    body.robot = static_cast<int>(scene.robots.size()), body.link = l;
    for (int other = 0; other < links; ++other)
      if (other != l && !dynamics::mayCollide(robot, l, other)) body.ignored.push_back(first + other);
  }
  scene.robots.push_back({std::move(robot), first});
}

}  // namespace rigor::sim
