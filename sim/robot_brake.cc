// SPDX-License-Identifier: MIT
#include "sim/robot_brake.h"

#include <cmath>

namespace rigor::sim {

std::vector<RobotBrake> robotBrakes(const dynamics::Robot& robot, int first_body, double length) {
  using Node = dynamics::ArticulatedModel::Node;
  const dynamics::ArticulatedModel& model = *robot.model;
  std::vector<RobotBrake> brakes;
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    const auto& joint = model.joint(model.jointOf(dof));
    double force = 0;
    bool turns = true;
    for (const Node& node : model.nodes()) {
      if ((node.kind != Node::kRevolute && node.kind != Node::kPrismatic) || node.v != dof) continue;
      force += std::abs(node.ratio) * node.friction;
      if (!model.joint(node.joint).follows()) turns = node.kind == Node::kRevolute;
    }
    if (!(force > 0)) continue;
    const double scale = turns ? length : 1;
    const int child = first_body + joint.child, parent = joint.parent < 0 ? child : first_body + joint.parent;
    brakes.push_back({dof, scale, force / scale, {parent, -1, child, -1}});
  }
  return brakes;
}

}  // namespace rigor::sim
