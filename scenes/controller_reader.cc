// SPDX-License-Identifier: MIT
#include "scenes/controller_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "dynamics/controllers/joint_pd.h"
#include "dynamics/controllers/quadruped.h"
#include "dynamics/controllers/sampled_feedback.h"
#include "dynamics/controllers/script.h"
#include "dynamics/controllers/trot.h"
#include "scenes/nearest_word.h"

namespace rigor::scenes {
namespace {

using dynamics::ArticulatedModel;

constexpr double kStepShare = 0.1;           // Of the leg's length: how high feet swing.
constexpr double kStableShare = 2 * (1 + 1e-9);  // Of a velocity, in a sample: beyond it, it grows.
constexpr double kStandardGravity = 9.80665;  // [m/s^2], for gains where the scene has none.

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
  else if (model.joint(j).follows())
    reason = fmt::format("the joint that it follows, {}", model.joint(j).leader);
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

bool readHolds(const Value& map) {
  const auto value = map.find("gravity_compensation");
  return value && value->boolean();
}

std::shared_ptr<const dynamics::JointPd> readPd(const Value& map, const dynamics::Robot& robot,
                                                const Eigen::Vector3d& gravity) {
  map.fields({"type", "rate", "kp", "kd", "target", "gravity_compensation"});
  const ArticulatedModel& model = *robot.model;
  dynamics::JointPdOptions options;
  options.period = readPeriod(map);
  options.kp = readGains(map, "kp", 20, model);
  options.kd = readGains(map, "kd", 0.1, model);
  options.holds = readHolds(map), options.gravity = gravity;
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

/// The robot's legs: those that end in the links named, or the four that it has.
dynamics::Quadruped findQuadruped(const Value& map, const dynamics::Robot& robot, int base_link,
                                  const Eigen::Vector3d& gravity) {
  const ArticulatedModel& model = *robot.model;
  const auto given = map.find("feet");
  std::vector<dynamics::Foot> feet;
  if (given) {
    for (const Value& name : given->items("4 link names")) {
      const int link = model.findLink(name.text());
      if (link < 0)
        given->fail(fmt::format("{}: no link is called {}", given->name(), name.text()),
                    suggestion(name.text(), model, true));
      feet.push_back(dynamics::footOf(model, robot.shapes, link));
    }
    if (feet.size() != 4) given->refuse("a list of 4 link names: left front, right front, left hind, right hind");
  } else {
    feet = dynamics::findFeet(model, robot.shapes, base_link);
    if (feet.size() != 4) {
      map.fail(fmt::format("{}: the robot has {} legs of three joints that end in a foot with a shape", map.name(),
                           feet.size()),
               "four, or feet: [...] that names their links");
    }
  }
  for (const dynamics::Foot& foot : feet) {
    const ArticulatedModel::Link& link = model.link(foot.link);
    if (link.node == 0 || model.nodes()[link.node].parent == 0)
      (given ? *given : map)
          .fail(fmt::format("{}: {} ends no leg of three joints", map.name(), link.name), "feet of legs");
  }
  try {
    const double g = gravity.norm() > 0 ? gravity.norm() : kStandardGravity;
    dynamics::Quadruped body = dynamics::describeQuadruped(model, base_link, feet, robot.start, g);
    if (given) std::copy(feet.begin(), feet.end(), body.feet.begin());  // The user's order.
    return body;
  } catch (const dynamics::ModelError& error) {
    map.fail(map.name() + ": " + error.what(), "four legs");
  }
}

void warnOfStiffGains(const Value& map, const dynamics::Robot& robot, const Eigen::VectorXd& kp,
                      const Eigen::VectorXd& kd, double period, std::vector<std::string>& warnings) {
  const dynamics::StiffestMode mode = dynamics::findStiffestMode(*robot.model, robot.start, kp, kd, period);
  if (!(mode.share > kStableShare)) return;
  std::vector<std::string> joints;
  for (const int dof : mode.dofs) {
    const std::string& name = robot.model->joint(robot.model->jointOf(dof)).name;
    if (joints.empty() || joints.back() != name) joints.push_back(name);
  }
  warnings.push_back(
      fmt::format("{}:{}:{}: {}: gains times the time between samples exceed twice the inertia that these joints move "
                  "({:.2g} times): {}; lower kd or kp, or a higher rate",
                  map.path(), map.position().line, map.position().column, map.name(), mode.share,
                  fmt::join(joints, ", ")));
}

/// 1 at the joints of the legs that end in `feet`, by velocity; 0 elsewhere.
Eigen::VectorXd drivenByLegs(const ArticulatedModel& model, int base_link, const std::array<dynamics::Foot, 4>& feet) {
  Eigen::VectorXd driven = Eigen::VectorXd::Zero(model.numVelocities());
  for (const dynamics::Foot& foot : feet) {
    const dynamics::Leg leg(model, base_link, foot);
    for (int k = 0; k < 3; ++k) driven[leg.dof(k)] = 1;
  }
  return driven;
}

std::shared_ptr<const dynamics::Trot> readTrot(const Value& map, const dynamics::Robot& robot, int base_link,
                                               const Eigen::Vector3d& gravity, std::vector<std::string>& warnings) {
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
  options.inverse_dynamics = true;
  if (const auto value = map.find("heading")) options.heading = value->notNegative("1/s");
  if (const auto value = map.find("torque")) {
    const std::string text = value->text();
    if (text != "pd" && text != "inverse-dynamics") value->refuse("pd or inverse-dynamics");
    options.inverse_dynamics = text == "inverse-dynamics";
  }
  const dynamics::Quadruped body = findQuadruped(map, robot, base_link, gravity);
  options.kp = readGain(map, "kp", body.kp), options.kd = readGain(map, "kd", body.kd);
  if (!map.find("step_height")) gait.step_height = kStepShare * body.leg;
  gait.stance = body.stance;
  if (const auto value = map.find("footprint")) {
    const std::vector<double> size = value->numbers(2, "numbers [length, width] in m");
    if (!(size[0] > 0 && size[1] > 0)) value->refuse("two numbers > 0 [m]");
    for (int i = 0; i < 4; ++i)
      gait.stance[i].head<2>() << (i < 2 ? 0.5 : -0.5) * size[0], (i % 2 ? -0.5 : 0.5) * size[1];
  }
  if (const auto height = map.find("height")) {
    const double above = height->positive("m");
    for (Eigen::Vector3d& stance : gait.stance) stance[2] = body.radius - above;
  }
  try {
    const Eigen::VectorXd driven = drivenByLegs(model, base_link, body.feet), kp = options.kp * driven,
                          kd = options.kd * driven;
    if (!map.find("rate")) options.period = 1 / dynamics::calmRate(model, robot.start, kp, kd);
    auto trot = std::make_shared<dynamics::Trot>(robot.model, base_link, body.feet, options);
    for (int i = 0; i < 4; ++i) {
      Eigen::Vector3d start, angles;
      for (int k = 0; k < 3; ++k) start[k] = robot.start.q[trot->leg(i).position(k)];
      for (int part = 0; part < 64; ++part) {
        const double time = gait.stand + gait.period * part / 64;
        if (trot->leg(i).solve(dynamics::footTarget(gait, i, time).position, start, angles) ==
            dynamics::Reach::kReached)
          continue;
        const std::string& foot = model.link(body.feet[i].link).name;
        map.fail(fmt::format("{}: {} cannot reach its place in the gait", map.name(), foot),
                 "a footprint, height, velocity and period that the legs can follow");
      }
    }
    warnOfStiffGains(map, robot, kp, kd, options.period, warnings);
    return trot;
  } catch (const dynamics::ModelError& error) {
    map.fail(map.name() + ": " + error.what(), "legs that roll at the hip and pitch at thigh and knee");
  }
}

std::shared_ptr<const dynamics::Script> readScript(const Value& map, const dynamics::Robot& robot,
                                                   const Eigen::Vector3d& gravity, const std::string& folder,
                                                   const Files& files) {
  map.fields({"type", "rate", "file", "mode", "kp", "kd", "gravity_compensation"});
  dynamics::ScriptOptions options;
  options.period = readPeriod(map);
  options.kp = readGains(map, "kp", 20, *robot.model);
  options.kd = readGains(map, "kd", 0.1, *robot.model);
  options.holds = readHolds(map), options.gravity = gravity;
  if (const auto mode = map.find("mode")) {
    const std::string text = mode->text();
    if (text != "torque" && text != "position") mode->refuse("torque or position");
    options.positions = text == "position";
  }
  const Value file = map.at("file");
  try {
    ScriptTable table = readScriptTable(std::filesystem::path(folder) / file.text(), *robot.model, files);
    options.dofs = std::move(table.dofs);
    options.times = std::move(table.times);
    options.values = std::move(table.values);
  } catch (const LoadError& broken) {
    file.fail(fmt::format("controller file: {}", broken.what()), "a table of times and joint values");
  }
  return std::make_shared<dynamics::Script>(robot.model, options);
}

/// What a reader of a controller may ask: the arguments of readController().
struct Asked {
  const Value& map;
  const dynamics::Robot& robot;
  int base_link;
  const Eigen::Vector3d& gravity;
  const std::string& folder;
  std::vector<std::string>& warnings;
  const Files& files;
};
using ControllerPointer = std::shared_ptr<const dynamics::Controller>;

ControllerPointer readCheckedPd(const Asked& asked) {
  const auto pd = readPd(asked.map, asked.robot, asked.gravity);
  warnOfStiffGains(asked.map, asked.robot, pd->options().kp, pd->options().kd, pd->period(), asked.warnings);
  return pd;
}

ControllerPointer readCheckedTrot(const Asked& asked) {
  return readTrot(asked.map, asked.robot, asked.base_link, asked.gravity, asked.warnings);
}

ControllerPointer readCheckedScript(const Asked& asked) {
  const auto script = readScript(asked.map, asked.robot, asked.gravity, asked.folder, asked.files);
  const dynamics::ScriptOptions& options = script->options();
  if (options.positions)
    warnOfStiffGains(asked.map, asked.robot, script->drivenGains(options.kp), script->drivenGains(options.kd),
                     script->period(), asked.warnings);
  return script;
}

/// The types that scenes name; docs/scenes.md has their fields.
struct ControllerType {
  const char* name;
  ControllerPointer (*read)(const Asked& asked);
};
constexpr ControllerType kControllerTypes[] = {
    {"pd", readCheckedPd}, {"trot", readCheckedTrot}, {"script", readCheckedScript}};

}  // namespace

int findJointDof(const Value& at, const std::string& joint, const ArticulatedModel& model) {
  std::string reason;
  const int dof = dofOf(joint, model, reason);
  if (dof >= 0) return dof;
  const int j = model.findJoint(joint);
  if (j >= 0 && model.joint(j).follows())
    at.fail(fmt::format("{}: joint {} follows joint {}", at.name(), joint, model.joint(j).leader), reason);
  at.fail(at.name() + ": no such joint", reason);
}

ScriptTable readScriptTable(const std::string& path, const ArticulatedModel& model, const Files& files) {
  const std::string& text = files.read(path, "a CSV file: time and joint names, then a row for each time");
  if (text.find('\0') != std::string::npos)
    throw LoadError(path, {}, "binary data", "a CSV file: time and joint names, then a row for each time");
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
        if (dof < 0) {
          const int j = model.findJoint(cell);
          const bool follows = j >= 0 && model.joint(j).follows();
          throw LoadError(path, at, "the column " + cell + (follows ? ", a joint that follows another" : ""), reason);
        }
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
                                                           const std::string& folder,
                                                           std::vector<std::string>& warnings, const Files& files) {
  if (!map.isMap()) map.refuse("a map with the field type");
  const Asked asked{map, robot, base_link, gravity, folder, warnings, files};
  const Value type = map.at("type");
  const std::string name = type.text();
  std::string known;
  for (const ControllerType& one : kControllerTypes) {
    if (name == one.name) return one.read(asked);
    known += (known.empty() ? "" : &one == std::end(kControllerTypes) - 1 ? " or " : ", ") + std::string(one.name);
  }
  type.refuse(known);
}

}  // namespace rigor::scenes
