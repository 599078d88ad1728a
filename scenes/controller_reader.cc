// SPDX-License-Identifier: MIT
#include "scenes/controller_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "dynamics/controllers/joint_pd.h"
#include "dynamics/controllers/script.h"
#include "dynamics/controllers/trot.h"
#include "scenes/nearest_word.h"

namespace rigor::scenes {
namespace {

using dynamics::ArticulatedModel;

std::string suggestion(const std::string& word, const ArticulatedModel& model, bool links) {
  std::vector<std::string_view> names;
  for (int i = 0; i < (links ? model.numLinks() : model.numJoints()); ++i) {
    if (links)
      names.push_back(model.link(i).name);
    else if (model.joint(i).num_v > 0)
      names.push_back(model.joint(i).name);
  }
  const std::string nearest = nearestWord(word, names);
  return (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
         fmt::format("the {} are {}", links ? "links" : "joints that move", fmt::join(names, ", "));
}

/// -1 and a reason where the name is none of a joint with one coordinate.
int dofOf(const std::string& name, const ArticulatedModel& model, std::string& reason) {
  const int j = model.findJoint(name);
  if (j < 0)
    reason = suggestion(name, model, false);
  else if (model.joint(j).num_v != 1)
    reason = fmt::format("a joint with one coordinate; {} has {}", name, model.joint(j).num_v);
  else
    return model.joint(j).v;
  return -1;
}

/// Time between samples from `rate` [1/s].
double readPeriod(const Value& map) {
  const auto rate = map.find("rate");
  return 1 / (rate ? rate->positive("1/s") : 1000.0);
}

double readGain(const Value& map, std::string_view field, double normally) {
  const auto value = map.find(field);
  return value ? value->notNegative("") : normally;
}

/// A gain of every velocity: one number, or a map of joints where others have none.
Eigen::VectorXd readGains(const Value& map, std::string_view field, double normally, const ArticulatedModel& model) {
  Eigen::VectorXd gains = Eigen::VectorXd::Constant(model.numVelocities(), normally);
  const auto value = map.find(field);
  if (!value) return gains;
  if (!value->isMap()) return gains.setConstant(value->notNegative("")), gains;
  gains.setZero();
  for (const std::string& joint : value->keys()) {
    const Value entry = value->at(joint);
    gains[findJointDof(entry, joint, model)] = entry.notNegative("");
  }
  return gains;
}

std::shared_ptr<const dynamics::Controller> readPd(const Value& map, const dynamics::Robot& robot) {
  map.fields({"type", "rate", "kp", "kd", "target"});
  const ArticulatedModel& model = *robot.model;
  dynamics::JointPdOptions options;
  options.period = readPeriod(map);
  options.kp = readGains(map, "kp", 20, model);
  options.kd = readGains(map, "kd", 0.1, model);
  options.target = Eigen::VectorXd::Zero(model.numVelocities());
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    if (model.positionOf(dof) >= 0) options.target[dof] = robot.start.q[model.positionOf(dof)];
  }
  if (const auto target = map.find("target")) {
    if (!target->isMap()) target->refuse("a map of joint names and positions");
    for (const std::string& joint : target->keys()) {
      const Value entry = target->at(joint);
      options.target[findJointDof(entry, joint, model)] = entry.number();
    }
  }
  return std::make_shared<dynamics::JointPd>(robot.model, options);
}

std::shared_ptr<const dynamics::Controller> readTrot(const Value& map, const dynamics::Robot& robot, int base_link,
                                                     const Eigen::Vector3d& gravity) {
  map.fields({"type", "rate", "period", "duty_factor", "phases", "step_height", "footprint", "height", "velocity",
              "turn_rate", "heading", "stand", "feet", "kp", "kd", "torque"});
  const ArticulatedModel& model = *robot.model;
  dynamics::TrotOptions options;
  dynamics::Gait& gait = options.gait;
  options.period = readPeriod(map);
  options.gravity = gravity;
  if (const auto value = map.find("period")) gait.period = value->positive("s");
  if (const auto value = map.find("duty_factor")) {
    gait.duty = value->number();
    if (!(gait.duty > 0 && gait.duty < 1)) value->refuse("a number between 0 and 1");
  }
  if (const auto value = map.find("phases")) {
    const std::vector<double> phases =
        value->numbers(4, "phases of touch-down: left front, right front, left hind, right hind");
    std::copy(phases.begin(), phases.end(), gait.touch_down.begin());
  }
  if (const auto value = map.find("step_height")) gait.step_height = value->notNegative("m");
  if (const auto value = map.find("velocity")) {
    const std::vector<double> v = value->numbers(2, "numbers [forward, left] in m/s");
    gait.velocity = {v[0], v[1]};
  }
  if (const auto value = map.find("turn_rate")) gait.turn = value->number();
  if (const auto value = map.find("stand")) gait.stand = value->notNegative("s");
  options.kp = readGain(map, "kp", options.kp);
  options.kd = readGain(map, "kd", options.kd);
  if (const auto value = map.find("heading")) options.heading = value->notNegative("1/s");
  if (const auto value = map.find("torque")) {
    const std::string text = value->text();
    if (text != "pd" && text != "inverse-dynamics") value->refuse("pd or inverse-dynamics");
    options.inverse_dynamics = text == "inverse-dynamics";
  }
  std::array<int, 4> feet{};
  std::vector<std::string> names{"lf_foot", "rf_foot", "lh_foot", "rh_foot"};
  const auto given = map.find("feet");
  if (given) {
    names.clear();
    for (const Value& name : given->items("4 link names")) names.push_back(name.text());
    if (names.size() != 4) given->refuse("a list of 4 link names: left front, right front, left hind, right hind");
  }
  double radius = 0;
  for (int i = 0; i < 4; ++i) {
    feet[i] = model.findLink(names[i]);
    const Value& at = given ? *given : map;
    if (feet[i] < 0)
      at.fail(fmt::format("{}: no link is called {}", at.name(), names[i]), suggestion(names[i], model, true));
    for (const geom::Shape& part : robot.shapes[feet[i]]) {
      if (const auto* solid = std::get_if<geom::Polytope>(&part)) radius = std::max(radius, solid->radius());
    }
  }
  Eigen::Vector2d footprint(0.31, 0.134);
  if (const auto value = map.find("footprint")) {
    const std::vector<double> size = value->numbers(2, "numbers [length, width] in m");
    footprint = {size[0], size[1]};
    if (!(footprint.array() > 0).all()) value->refuse("two numbers > 0 [m]");
  }
  const auto height = map.find("height");
  const double above = height ? height->positive("m") : 0.17;
  for (int i = 0; i < 4; ++i) {
    gait.stance[i] = {(i < 2 ? 0.5 : -0.5) * footprint[0], (i % 2 ? -0.5 : 0.5) * footprint[1], radius - above};
  }
  try {
    auto trot = std::make_shared<dynamics::Trot>(robot.model, base_link, feet, options);
    for (int i = 0; i < 4; ++i) {
      Eigen::Vector3d start, angles;
      for (int k = 0; k < 3; ++k) start[k] = robot.start.q[trot->leg(i).position(k)];
      for (int part = 0; part < 64; ++part) {
        const double time = gait.stand + gait.period * part / 64;
        if (trot->leg(i).solve(dynamics::footTarget(gait, i, time).position, start, angles) ==
            dynamics::Reach::kReached)
          continue;
        map.fail(fmt::format("{}: {} cannot reach its place in the gait", map.name(), names[i]),
                 "a footprint, height, velocity and period that the legs can follow");
      }
    }
    return trot;
  } catch (const dynamics::ModelError& error) {
    map.fail(map.name() + ": " + error.what(), "legs that roll at the hip and pitch at thigh and knee");
  }
}

std::shared_ptr<const dynamics::Controller> readScript(const Value& map, const dynamics::Robot& robot,
                                                       const std::string& folder) {
  map.fields({"type", "rate", "file", "mode", "kp", "kd"});
  dynamics::ScriptOptions options;
  options.period = readPeriod(map);
  options.kp = readGain(map, "kp", options.kp);
  options.kd = readGain(map, "kd", options.kd);
  if (const auto mode = map.find("mode")) {
    const std::string text = mode->text();
    if (text != "torque" && text != "position") mode->refuse("torque or position");
    options.positions = text == "position";
  }
  const Value file = map.at("file");
  try {
    ScriptTable table = readScriptTable(std::filesystem::path(folder) / file.text(), *robot.model);
    options.dofs = std::move(table.dofs);
    options.times = std::move(table.times);
    options.values = std::move(table.values);
  } catch (const LoadError& broken) {
    file.fail(fmt::format("controller file: {}", broken.what()), "a table of times and joint values");
  }
  return std::make_shared<dynamics::Script>(robot.model, options);
}

}  // namespace

int findJointDof(const Value& at, const std::string& joint, const ArticulatedModel& model) {
  std::string reason;
  const int dof = dofOf(joint, model, reason);
  if (dof < 0) at.fail(at.name() + ": no such joint", reason);
  return dof;
}

ScriptTable readScriptTable(const std::string& path, const ArticulatedModel& model) {
  const std::string text = readTextFile(path, "a CSV file: time and joint names, then a row for each time");
  if (text.find('\0') != std::string::npos) throw LoadError(path, {}, "binary data", "a CSV file: time and joint names, then a row for each time");
  std::istringstream lines(text);
  std::string line;
  ScriptTable table;
  std::vector<double> numbers;
  size_t width = 0;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    size_t columns = 0, begin = 0;
    while (begin <= line.size()) {
      const size_t end = std::min(line.find(',', begin), line.size());
      size_t first = line.find_first_not_of(" \t", begin), last = end;
      first = std::min(first, end);
      while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
      const std::string cell = line.substr(first, last - first);
      const Position at{number, static_cast<int>(first) + 1};
      if (width == 0 && columns == 0) {
        if (cell != "time")
          throw LoadError(path, at, "the first column is " + cell, "a header: time, then joint names");
      } else if (width == 0) {
        std::string reason;
        const int dof = dofOf(cell, model, reason);
        if (dof < 0) throw LoadError(path, at, "the column " + cell, reason);
        if (std::count(table.dofs.begin(), table.dofs.end(), dof))
          throw LoadError(path, at, "a second column " + cell, "each joint once");
        table.dofs.push_back(dof);
      } else {
        double value = 0;
        const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (error != std::errc() || stop != cell.data() + cell.size() || !(std::abs(value) <= kLargestNumber)) {
          throw LoadError(path, at, "found " + cell.substr(0, 40), "a finite number");  // NaN -> refused
        }
        if (columns > 0) {
          numbers.push_back(value);
        } else {
          if (!table.times.empty() && !(value > table.times.back())) {
            throw LoadError(path, at, "the time " + cell, "times that ascend");
          }
          table.times.push_back(value);
        }
      }
      ++columns;
      begin = end + 1;
    }
    if (width == 0) width = columns;
    if (columns != width) {
      throw LoadError(path, {number, 1}, fmt::format("a row of {}", columns),
                      fmt::format("{} numbers, as the header has", width));
    }
    if (width < 2) throw LoadError(path, {number, 1}, "a header without joints", "time, then at least one joint name");
  }
  if (table.times.empty()) throw LoadError(path, {}, "no rows", "a header and at least one row");
  table.values = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      numbers.data(), table.times.size(), table.dofs.size());
  return table;
}

std::shared_ptr<const dynamics::Controller> readController(const Value& map, const dynamics::Robot& robot,
                                                           int base_link, const Eigen::Vector3d& gravity,
                                                           const std::string& folder) {
  if (!map.isMap()) map.refuse("a map with the field type");
  const Value type = map.at("type");
  const std::string name = type.text();
  if (name == "pd") return readPd(map, robot);
  if (name == "trot") return readTrot(map, robot, base_link, gravity);
  if (name == "script") return readScript(map, robot, folder);
  type.refuse("pd, trot or script");
}

}  // namespace rigor::scenes
