// SPDX-License-Identifier: MIT
#include "cli/robot_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
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
  for (size_t part = 0; part < robot.shapes[l].size(); ++part) {
    const geom::Shape& shape = robot.shapes[l][part];
    Json object = {{"kind", robot.origins[l][part].kind}};
    if (const auto* solid = std::get_if<geom::Polytope>(&shape)) {
      object.update({{"round", solid->round() != nullptr},
                     {"vertices", solid->numVertices()},
                     {"faces", solid->numFaces()},
                     {"size", solid->size()}});
      if (solid->round()) object["radius"] = solid->round()->radius;
    } else {
      object["halfspace"] = true;
    }
    parts.push_back(std::move(object));
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

/// What a file states beside links and joints.
struct FileExtras {
  struct Loop {
    std::string name, type, link_a, link_b;  ///< No link: the world.
  };
  std::vector<Loop> loops;
  std::map<std::string, std::map<std::string, std::vector<double>>> keyframes;  ///< Coordinates of joints by name.
  std::vector<std::pair<std::string, std::string>> excluded;  ///< Links that never collide.
};

FileExtras extrasOf(const scenes::FileModel& file) {
  const auto link = [&](int l) { return l == dynamics::kWorld ? std::string() : file.links[l].name; };
  FileExtras extras;
  for (const scenes::FileLoop& loop : file.loops)
    extras.loops.push_back({loop.name,
                            loop.type == dynamics::LoopType::kPoint   ? "point"
                            : loop.type == dynamics::LoopType::kHinge ? "hinge"
                                                                      : "weld",
                            link(loop.link_a), link(loop.link_b)});
  for (const auto& [name, states] : file.keyframes) {
    auto& keyframe = extras.keyframes[name];
    for (size_t j = 0; j < states.size(); ++j)
      if (!states[j].empty()) keyframe[file.joints[j].name] = states[j];
  }
  for (const auto& [a, b] : file.ignored) extras.excluded.emplace_back(link(a), link(b));
  return extras;
}

Json nameOrNull(const std::string& link) { return link.empty() ? Json(nullptr) : Json(link); }

void printJson(const std::string& path, const std::string& format, const scenes::RobotModel& robot,
               const FileExtras& extras, const std::vector<std::string>& warnings, std::ostream& out) {
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
                 {"loops", Json::array()},
                 {"keyframes", extras.keyframes},
                 {"excluded", extras.excluded},
                 {"warnings", warnings}};
  for (const auto& [name, type, a, b] : extras.loops)
    object["loops"].push_back({{"name", name}, {"type", type}, {"link_a", nameOrNull(a)}, {"link_b", nameOrNull(b)}});
  for (int l = 0; l < model.numLinks(); ++l) object["links"].push_back(linkJson(robot, l));
  for (int j = 0; j < model.numJoints(); ++j) object["joints"].push_back(jointJson(robot, j));
  out << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string limitsOf(const ArticulatedModel::Joint& joint) {
  std::string text;
  if (std::isfinite(joint.lower) || std::isfinite(joint.upper))
    text += fmt::format("  limits {:.6g} .. {:.6g}", joint.lower, joint.upper);
  if (std::isfinite(joint.effort)) text += fmt::format("  effort {:.6g}", joint.effort);
  if (std::isfinite(joint.speed)) text += fmt::format("  velocity {:.6g}", joint.speed);
  if (joint.damping > 0) text += fmt::format("  damping {:.6g}", joint.damping);
  if (joint.friction > 0) text += fmt::format("  friction {:.6g}", joint.friction);
  if (joint.armature > 0) text += fmt::format("  armature {:.6g}", joint.armature);
  if (joint.stiffness > 0) text += fmt::format("  spring {:.6g} at {:.6g}", joint.stiffness, joint.rest);
  if (joint.follows()) text += fmt::format("  follows {}: {:.6g} q {:+.6g}", joint.leader, joint.ratio, joint.offset);
  return text;
}

/// Such as "2 parts, 140 vertices: box, sphere (round)"; parts that are alike are counted.
std::string shapesOf(const scenes::RobotModel& robot, int l) {
  if (robot.shapes[l].empty()) return "no shape";
  size_t vertices = 0;
  std::vector<std::pair<std::string, int>> kinds;
  for (size_t part = 0; part < robot.shapes[l].size(); ++part) {
    std::string kind = robot.origins[l][part].kind;
    if (const auto* solid = std::get_if<geom::Polytope>(&robot.shapes[l][part])) {
      vertices += static_cast<size_t>(solid->numVertices());
      if (solid->round()) kind += " (round)";
    }
    const auto known =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == kind; });
    if (known != kinds.end()) ++known->second;
    else kinds.emplace_back(kind, 1);
  }
  std::string text = fmt::format("{} part{}, {} vertices:", robot.shapes[l].size(),
                                 robot.shapes[l].size() > 1 ? "s" : "", vertices);
  for (const auto& [kind, count] : kinds) {
    text += (&kind == &kinds[0].first ? " " : ", ") + kind;
    if (count > 1) text += fmt::format(" x {}", count);
  }
  return text;
}

void printExtras(const FileExtras& extras, std::ostream& out) {
  const auto link = [](const std::string& name) { return name.empty() ? std::string("(world)") : name; };
  if (!extras.loops.empty()) out << "\nloops\n";
  for (const auto& [name, type, a, b] : extras.loops)
    out << fmt::format("  {:<28} {:<10} {} - {}\n", name, type, link(a), link(b));
  if (!extras.keyframes.empty()) out << "\nkeyframes\n";
  for (const auto& [name, joints] : extras.keyframes) out << fmt::format("  {:<28} {} joints\n", name, joints.size());
  if (!extras.excluded.empty()) out << "\nlinks that never collide\n";
  for (const auto& [a, b] : extras.excluded) out << fmt::format("  {} - {}\n", link(a), link(b));
}

void printText(const std::string& path, const std::string& format, const scenes::RobotModel& robot,
               const FileExtras& extras, std::ostream& out) {
  const ArticulatedModel& model = *robot.model;
  out << fmt::format(
      "model     {}\nfile      {} ({})\nbase      {}\nmass      {:.6g} kg of {} links\nvelocities {}\n\nlinks\n",
      robot.name, path, format, robot.floating ? "floating" : "fixed", model.mass(), model.numLinks(),
      model.numVelocities());
  for (int l = 0; l < model.numLinks(); ++l)
    out << fmt::format("  {:<28} {:>10.5g} kg  {}\n", model.link(l).name, model.link(l).mass, shapesOf(robot, l));
  out << "\njoints\n";
  for (int j = 0; j < model.numJoints(); ++j) {
    const ArticulatedModel::Joint& joint = model.joint(j);
    out << fmt::format("  {:<28} {:<10} {} -> {}{}\n", joint.name, dynamics::jointTypeName(joint.type),
                       parentName(model, joint), model.link(joint.child).name, limitsOf(joint));
  }
  printExtras(extras, out);
}

}  // namespace

int robotInfo(const std::string& path, const std::string& format, bool json, std::ostream& out, std::ostream& err) {
  std::vector<std::string> warnings;
  try {
    scenes::Facets facets;  // As in a scene of half-spaces.
    facets.makeRound(scenes::Facets::Solids::kAll);
    scenes::FileModel file = scenes::readModelFile(path, format, warnings, {}, facets);
    const FileExtras extras = extrasOf(file);
    const scenes::RobotModel robot = scenes::makeRobotModel(std::move(file), scenes::RobotBase::kAuto, {});
    for (const std::string& warning : warnings) err << "rigor: " << warning << '\n';
    if (json) printJson(path, format, robot, extras, warnings, out);
    else printText(path, format, robot, extras, out);
    return kDone;
  } catch (const scenes::LoadError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  }
}

}  // namespace rigor::cli
