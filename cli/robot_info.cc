// SPDX-License-Identifier: MIT
#include "cli/robot_info.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "cli/exit_code.h"
#include "dynamics/joint_type_name.h"
#include "scenes/model_reader.h"

namespace rigor::cli {
namespace {

using dynamics::ArticulatedModel;
using Json = nlohmann::ordered_json;

std::string parentName(const ArticulatedModel& model, const ArticulatedModel::Joint& joint) {
  return joint.parent == dynamics::kWorld ? "(world)" : model.link(joint.parent).name;
}

Json listOf(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json linkJson(const scenes::RobotModel& robot, int l) {
  const ArticulatedModel::Link& link = robot.model->link(l);
  Json parts = Json::array();
  for (const geom::Shape& shape : robot.shapes[l]) {
    if (const auto* solid = std::get_if<geom::Polytope>(&shape))
      parts.push_back({{"vertices", solid->numVertices()}, {"faces", solid->numFaces()}, {"size", solid->size()}});
    else parts.push_back({{"halfspace", true}});
  }
  const Eigen::Matrix3d& I = link.inertia;
  return {{"name", link.name},
          {"mass", link.mass},
          {"centre", listOf(link.centre)},
          {"inertia", {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}},
          {"moves", link.node != 0},
          {"parts", parts}};
}

Json jointJson(const scenes::RobotModel& robot, int j) {
  const ArticulatedModel& model = *robot.model;
  const ArticulatedModel::Joint& joint = model.joint(j);
  Json result = {{"name", joint.name},
                 {"type", dynamics::jointTypeName(joint.type)},
                 {"parent", joint.parent == dynamics::kWorld ? Json(nullptr) : Json(parentName(model, joint))},
                 {"child", model.link(joint.child).name},
                 {"coordinates", joint.num_q},
                 {"velocities", joint.num_v},
                 {"axis", listOf(joint.axis)},
                 {"lower", finite(joint.lower)},
                 {"upper", finite(joint.upper)},
                 {"effort", finite(joint.effort)},
                 {"velocity", finite(joint.speed)},
                 {"damping", joint.damping},
                 {"friction", joint.friction},
                 {"armature", joint.armature},
                 {"stiffness", joint.stiffness},
                 {"rest", joint.rest}};
  if (joint.follows()) result["follows"] = {{"joint", joint.leader}, {"ratio", joint.ratio}, {"offset", joint.offset}};
  return result;
}

void printJson(const std::string& path, const std::string& format, const scenes::RobotModel& robot,
               const std::vector<std::string>& warnings, std::ostream& out) {
  const ArticulatedModel& model = *robot.model;
  Json object = {{"model", robot.name},
                 {"format", format},
                 {"file", path},
                 {"base", robot.floating ? "floating" : "fixed"},
                 {"mass", model.mass()},
                 {"coordinates", model.numPositions()},
                 {"velocities", model.numVelocities()},
                 {"links", Json::array()},
                 {"joints", Json::array()},
                 {"warnings", warnings}};
  for (int l = 0; l < model.numLinks(); ++l) object["links"].push_back(linkJson(robot, l));
  for (int j = 0; j < model.numJoints(); ++j) object["joints"].push_back(jointJson(robot, j));
  out << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string limitsOf(const ArticulatedModel::Joint& joint) {
  std::string text;
  if (std::isfinite(joint.lower) || std::isfinite(joint.upper))
    text += fmt::format("  limits {:.6g} .. {:.6g}", joint.lower, joint.upper);
  if (std::isfinite(joint.effort)) text += fmt::format("  effort {:.6g}", joint.effort);
  if (joint.damping > 0) text += fmt::format("  damping {:.6g}", joint.damping);
  if (joint.friction > 0) text += fmt::format("  friction {:.6g}", joint.friction);
  if (joint.armature > 0) text += fmt::format("  armature {:.6g}", joint.armature);
  if (joint.stiffness > 0) text += fmt::format("  spring {:.6g} at {:.6g}", joint.stiffness, joint.rest);
  if (joint.follows()) text += fmt::format("  follows {}: {:.6g} q {:+.6g}", joint.leader, joint.ratio, joint.offset);
  return text;
}

void printText(const std::string& path, const std::string& format, const scenes::RobotModel& robot, std::ostream& out) {
  const ArticulatedModel& model = *robot.model;
  out << fmt::format(
      "model     {}\nfile      {} ({})\nbase      {}\nmass      {:.6g} kg of {} links\nvelocities {}\n\nlinks\n",
      robot.name, path, format, robot.floating ? "floating" : "fixed", model.mass(), model.numLinks(),
      model.numVelocities());
  for (int l = 0; l < model.numLinks(); ++l) {
    size_t vertices = 0;
    for (const geom::Shape& shape : robot.shapes[l])
      if (const auto* solid = std::get_if<geom::Polytope>(&shape))
        vertices += static_cast<size_t>(solid->numVertices());
    out << fmt::format("  {:<28} {:>10.5g} kg  {}\n", model.link(l).name, model.link(l).mass,
                       robot.shapes[l].empty() ? "no shape"
                                               : fmt::format("{} part{}, {} vertices", robot.shapes[l].size(),
                                                             robot.shapes[l].size() > 1 ? "s" : "", vertices));
  }
  out << "\njoints\n";
  for (int j = 0; j < model.numJoints(); ++j) {
    const ArticulatedModel::Joint& joint = model.joint(j);
    out << fmt::format("  {:<28} {:<10} {} -> {}{}\n", joint.name, dynamics::jointTypeName(joint.type),
                       parentName(model, joint), model.link(joint.child).name, limitsOf(joint));
  }
}

}  // namespace

int robotInfo(const std::string& path, const std::string& format, bool json, std::ostream& out, std::ostream& err) {
  std::vector<std::string> warnings;
  try {
    const scenes::RobotModel robot =
        scenes::makeRobotModel(scenes::readModelFile(path, format, warnings), scenes::RobotBase::kAuto, {});
    for (const std::string& warning : warnings) err << "rigor: " << warning << '\n';
    if (json) printJson(path, format, robot, warnings, out);
    else printText(path, format, robot, out);
    return kDone;
  } catch (const scenes::LoadError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  }
}

}  // namespace rigor::cli
