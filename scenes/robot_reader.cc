// SPDX-License-Identifier: MIT
#include "scenes/robot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scenes/controller_reader.h"
#include "scenes/impact_fields.h"
#include "scenes/nearest_word.h"
#include "scenes/shape_reader.h"
#include "scenes/urdf.h"

namespace rigor::scenes {
namespace {

UrdfBase readBase(const Value& map) {
  const auto base = map.find("base");
  if (!base) return UrdfBase::kAuto;
  const std::string text = base->text();
  if (text == "fixed") return UrdfBase::kFixed;
  if (text == "floating") return UrdfBase::kFloating;
  base->refuse("fixed or floating");
}

/// Numbers for the coordinates of joints: `joints` or `joint_velocities`.
void readJoints(const Value& map, const dynamics::ArticulatedModel& model, bool positions,
                dynamics::ArticulatedState& state) {
  if (!map.isMap()) map.refuse("a map of joint names and numbers");
  std::vector<std::string_view> names;
  for (int j = 0; j < model.numJoints(); ++j) {
    if (model.joint(j).num_v > 0 && model.joint(j).type != dynamics::JointType::kFloating)
      names.push_back(model.joint(j).name);
  }
  std::vector<std::string> seen;
  for (const std::string& name : map.keys()) {
    const Value value = map.at(name);
    const int j = model.findJoint(name);
    if (j < 0 || std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string nearest = nearestWord(name, names);
      throw LoadError(map.path(), map.keyPosition(name),
                      fmt::format("{}: no joint that moves is called {}", map.name(), name),
                      (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                          fmt::format("the joints are {}", fmt::join(names, ", ")));
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw LoadError(map.path(), map.keyPosition(name), "duplicate field " + map.name() + '.' + name,
                      "each joint once");
    }
    seen.push_back(name);
    const auto& joint = model.joint(j);
    const int count = positions ? joint.num_q : joint.num_v;
    const std::vector<double> numbers = count == 1 ? std::vector<double>{value.number()}
                                                   : value.numbers(count, positions ? "coordinates" : "velocities");
    for (int k = 0; k < count; ++k) {
      (positions ? state.q[joint.q + k] : state.v[joint.v + k]) = numbers[k];
      if (positions && !(numbers[k] >= joint.lower && numbers[k] <= joint.upper)) {
        value.refuse(fmt::format("a number from {} to {}, the limits of {}", joint.lower, joint.upper, name));
      }
    }
    if (positions && joint.type == dynamics::JointType::kSpherical) {
      auto q = state.q.segment<4>(joint.q);
      const double length = q.stableNorm();
      if (!(length > 0)) value.refuse("a quaternion [w, x, y, z] that is not zero");
      q /= length;
    }
  }
}

/// Links of `ignore_collisions`: a list of pairs of names.
void readIgnored(const Value& list, dynamics::Robot& robot) {
  std::vector<std::string_view> names;
  for (int i = 0; i < robot.model->numLinks(); ++i) names.push_back(robot.model->link(i).name);
  for (const Value& pair : list.items("pairs of link names")) {
    std::vector<int> links;
    for (const Value& name : pair.items("2 link names")) {
      links.push_back(robot.model->findLink(name.text()));
      if (links.back() >= 0) continue;
      const std::string nearest = nearestWord(name.text(), names);
      name.fail(fmt::format("{}: no link is called {}", name.name(), name.text()),
                (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                    fmt::format("the links are {}", fmt::join(names, ", ")));
    }
    if (links.size() != 2 || links[0] == links[1]) pair.refuse("two different link names");
    robot.ignored.emplace_back(links[0], links[1]);
  }
}

/// `limit_restitution`: a number, or a map of joints that have limits.
void readLimitRestitution(const Value& value, dynamics::Robot& robot) {
  const dynamics::ArticulatedModel& model = *robot.model;
  robot.limit_restitution.assign(model.numJoints(), 0);
  const auto limited = [&](int j) {
    return model.joint(j).num_v > 0 && (std::isfinite(model.joint(j).lower) || std::isfinite(model.joint(j).upper));
  };
  if (!value.isMap()) {
    robot.limit_restitution.assign(model.numJoints(), value.between(0, 1));
    return;
  }
  std::vector<std::string_view> names;
  for (int j = 0; j < model.numJoints(); ++j)
    if (limited(j)) names.push_back(model.joint(j).name);
  for (const std::string& name : value.keys()) {
    const int j = model.findJoint(name);
    if (j < 0 || !limited(j)) {
      const std::string nearest = nearestWord(name, names);
      throw LoadError(value.path(), value.keyPosition(name), fmt::format("{}: no joint with limits is called {}", value.name(), name),
                      (nearest.empty() ? "" : "did you mean " + nearest + "? ") + fmt::format("these are {}", fmt::join(names, ", ")));
    }
    robot.limit_restitution[j] = value.at(name).between(0, 1);
  }
}

}  // namespace

dynamics::Robot readRobot(const Value& map, const RobotContext& context) {
  map.fields({"name", "urdf", "position", "orientation", "rpy", "velocity", "angular_velocity", "joints",
              "joint_velocities", "base", "self_collision", "ignore_collisions", "friction", "restitution",
              "limit_restitution", "controller"});
  dynamics::Robot robot;
  robot.name = readName(map.at("name"), "robot");
  const Value file = map.at("urdf");
  const geom::Pose X_WB = readPose(map);
  const UrdfBase base = readBase(map);
  UrdfRobot urdf;
  try {
    urdf = readUrdf(std::filesystem::path(context.folder) / file.text(), base, X_WB, *context.warnings);
  } catch (const LoadError& broken) {
    file.fail(fmt::format("urdf: {}", broken.what()), "a URDF file of one tree of rigid links");
  }
  robot.model = urdf.model;
  robot.shapes = std::move(urdf.shapes);
  const dynamics::ArticulatedModel& model = *robot.model;
  robot.start = dynamics::ArticulatedState(model);

  Eigen::Vector3d velocity(0, 0, 0), angular_velocity(0, 0, 0);
  for (const char* field : {"velocity", "angular_velocity"}) {
    const auto value = map.find(field);
    if (!value) continue;
    if (!urdf.floating) value->fail(value->name() + " of a robot whose base is fixed", "joint_velocities");
    (std::string_view(field) == "velocity" ? velocity : angular_velocity) = value->vector3();
  }
  if (urdf.floating) setFloating(model, urdf.root, X_WB, velocity, angular_velocity, robot.start);
  const auto joints = map.find("joints");
  if (joints) readJoints(*joints, model, true, robot.start);
  if (const auto velocities = map.find("joint_velocities")) readJoints(*velocities, model, false, robot.start);
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    const auto& joint = model.joint(model.jointOf(dof));
    if (model.positionOf(dof) < 0) continue;
    const double q = robot.start.q[model.positionOf(dof)];
    if (!(q >= joint.lower && q <= joint.upper)) {
      (joints ? *joints : map)
          .fail(fmt::format("joint {} starts at {}, outside its limits", joint.name, q),
                fmt::format("joints: {{{}: a number from {} to {}}}", joint.name, joint.lower, joint.upper));
    }
  }

  if (const auto value = map.find("self_collision")) robot.self_collision = value->boolean();
  if (const auto value = map.find("ignore_collisions")) readIgnored(*value, robot);
  const auto friction = map.find("friction"), restitution = map.find("restitution");
  robot.friction.assign(model.numLinks(), friction ? readFriction(*friction) : context.friction);
  robot.restitution.assign(model.numLinks(), restitution ? restitution->between(0, 1) : context.restitution);
  if (const auto value = map.find("limit_restitution")) readLimitRestitution(*value, robot);
  if (const auto controller = map.find("controller")) {
    robot.controller = readController(*controller, robot, urdf.root, context.gravity, context.folder);
  }
  return robot;
}

}  // namespace rigor::scenes
