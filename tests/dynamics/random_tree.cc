// SPDX-License-Identifier: MIT
#include "random_tree.h"

#include <Eigen/Geometry>

namespace rigor::dynamics {

LinkDescription RandomTree::link(const std::string& name) {
  LinkDescription result;
  result.name = name;
  std::vector<std::pair<double, Eigen::Vector3d>> points;
  for (int i = 0; i < 6; ++i) {
    points.emplace_back(number(0.1, 1), vector(0.4));
    result.mass += points.back().first;
    result.centre += points.back().first * points.back().second;
  }
  result.centre /= result.mass;
  for (const auto& [mass, at] : points) {
    const Eigen::Vector3d d = at - result.centre;
    result.inertia += mass * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
  }
  return result;
}

ArticulatedModel RandomTree::model(const Wishes& wishes) {
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  for (int i = 0; i < wishes.links; ++i) {
    links.push_back(link("link" + std::to_string(i)));
    JointDescription joint;
    joint.name = "joint" + std::to_string(i);
    joint.child = i;
    joint.parent = i == 0 ? kWorld : integer(std::max(0, i - 3), i - 1);
    constexpr JointType kTypes[] = {JointType::kRevolute,  JointType::kPrismatic, JointType::kSpherical,
                                    JointType::kUniversal, JointType::kPlanar,    JointType::kRevolute,
                                    JointType::kFixed};
    const int last_type = wishes.simple ? 1 : wishes.fixed_joints ? 6 : 5;
    joint.type = i == 0 && wishes.floating ? JointType::kFloating : kTypes[integer(0, last_type)];
    if (i == 0 && joint.type == JointType::kFixed) joint.type = JointType::kSpherical;
    joint.origin = {quaternion(), vector(0.5)};
    joint.axis = vector(1);
    joint.axis2 = joint.axis.unitOrthogonal();
    if (joint.type != JointType::kFloating && joint.type != JointType::kFixed) {
      if (wishes.damping) joint.damping = number(0, 1);
      if (wishes.armature) joint.armature = number(0, 0.5);
    }
    joints.push_back(joint);
  }
  return ArticulatedModel(links, joints);
}

ArticulatedState RandomTree::state(const ArticulatedModel& model, double speed) {
  ArticulatedState s(model);
  s.v = numbers(model.numVelocities(), speed);
  Eigen::VectorXd away = numbers(model.numVelocities(), 1.5);
  integrate(model, s.q, away, 1, s.q);
  for (const auto& node : model.nodes()) {
    const bool spherical = node.kind == ArticulatedModel::Node::kSpherical;
    if (!spherical && node.kind != ArticulatedModel::Node::kFloating) continue;
    s.q.segment<4>(spherical ? node.q : node.q + 3) *= number(0.5, 2);
  }
  return s;
}

}  // namespace rigor::dynamics
