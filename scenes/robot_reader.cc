// SPDX-License-Identifier: MIT
#include "scenes/robot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "dynamics/kinematics.h"
#include "dynamics/loop_constraints.h"
#include "dynamics/rigid_loops.h"
#include "scenes/controller_reader.h"
#include "scenes/impact_fields.h"
#include "scenes/joint_types_reader.h"
#include "scenes/lifted_start.h"
#include "scenes/model_file.h"
#include "scenes/model_reader.h"
#include "scenes/nearest_word.h"
#include "scenes/rolling_links.h"
#include "scenes/shape_reader.h"

namespace rigor::scenes {
namespace {

void warnAt(const Value& at, const RobotContext& context, const std::string& what) {
  context.warnings->push_back(fmt::format("{}:{}:{}: {}", at.path(), at.position().line, at.position().column, what));
}

/// A loop counts as closed where lengths [m] and angles [rad] are open by less.
constexpr double kClosed = 1e-9;

RobotBase readBase(const Value& map) {
  const auto base = map.find("base");
  if (!base) return RobotBase::kAuto;
  const std::string text = base->text();
  if (text == "fixed") return RobotBase::kFixed;
  if (text == "floating") return RobotBase::kFloating;
  base->refuse("fixed or floating");
}

/// A state that the file names becomes the start.
void takeKeyframe(const Value& keyframe, FileModel& file) {
  const auto found = file.keyframes.find(keyframe.text());
  if (const auto unfit = file.unfit_keyframes.find(keyframe.text());
      unfit != file.unfit_keyframes.end() && found == file.keyframes.end())
    keyframe.fail(fmt::format("keyframe {}: {}", keyframe.text(), unfit->second), "a key that fits the model");
  if (file.keyframes.empty()) keyframe.refuse("no keyframe: the file has none that fits");
  if (found == file.keyframes.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, unused] : file.keyframes) names.push_back(name);
    const std::string nearest = nearestWord(keyframe.text(), names);
    keyframe.refuse((nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                    fmt::format("the file's keyframes: {}", fmt::join(names, ", ")));
  }
  for (size_t j = 0; j < file.joints.size(); ++j)
    if (!found->second[j].empty()) file.joints[j].start = found->second[j];
}

/// Loops of the file that the scene does not ask for.
void leaveLoopsOpen(FileModel& file) {
  for (const FileLoop& loop : file.loops)
    file.warn(loop.at,
              fmt::format("loop {} stays open; `close_loops: true` of the scene's robot closes it", loop.name));
  file.loops.clear();
}

/// `loops`: constraints between links that the file does not state.
void readLoops(const Value& list, FileModel& file) {
  for (const Value& item : list.items("loops")) {
    item.fields({"name", "type", "a", "b"});
    FileLoop loop;
    loop.of_scene = true;
    const auto name = item.find("name"), type = item.find("type");
    loop.name = name ? name->text() : fmt::format("loop{}", file.loops.size() + 1);
    const std::string kind = type ? type->text() : "point";
    if (kind == "hinge") loop.type = dynamics::LoopType::kHinge;
    else if (kind == "weld") loop.type = dynamics::LoopType::kWeld;
    else if (kind != "point") type->refuse("point, hinge or weld");
    const auto readSide = [&](const char* field, int& link, geom::Pose& frame) {
      const Value side = item.at(field);
      side.fields({"link", "position", "orientation", "rpy"});
      frame = readPose(side);
      const auto given = side.find("link");
      if (!given) return;  // The world.
      const auto found = std::find_if(file.links.begin(), file.links.end(),
                                      [&](const FileLink& one) { return one.name == given->text(); });
      if (found == file.links.end()) given->refuse("a link of the robot's file, or no link for the world");
      link = static_cast<int>(found - file.links.begin());
    };
    readSide("a", loop.link_a, loop.frame_a), readSide("b", loop.link_b, loop.frame_b);
    file.loops.push_back(loop);
  }
}

/// Holds joints that cannot move although loops let them to first order: a straight bridge.
void holdRigid(const Value& at, const RobotContext& context, dynamics::Robot& robot) {
  const std::vector<int> held = dynamics::jointsHeldBySecondOrder(*robot.model, robot.start.q);
  if (held.empty()) return;
  std::vector<std::string_view> names;
  std::vector<dynamics::LoopDescription> welds;
  for (const int j : held) {
    names.push_back(robot.model->joint(j).name);
    welds.push_back(dynamics::weldOf(*robot.model, robot.start.q, j));
  }
  warnAt(at, context, fmt::format("robot {}: its loops hold {} where they start: {}", robot.name,
                                  held.size() == 1 ? "a joint" : "joints", fmt::join(names, ", ")));
  robot.model = std::make_shared<dynamics::ArticulatedModel>(dynamics::withLoops(*robot.model, welds));
  for (const int j : held) robot.start.v.segment(robot.model->joint(j).v, robot.model->joint(j).num_v).setZero();
}

/// Moves the start to where the robot's loops are closed.
void closeStart(const Value& at, const RobotContext& context, dynamics::Robot& robot) {
  const dynamics::ArticulatedModel& model = *robot.model;
  if (model.loops().empty()) return;
  dynamics::ArticulatedWorkspace workspace(model);
  dynamics::calcPositions(model, robot.start.q, workspace);
  const double open = dynamics::largestLoopGap(model, workspace), left = closeLoops(model, workspace, robot.start);
  if (!(left <= kClosed))  // NaN -> refused
    at.fail(fmt::format("robot {}: its loops cannot be closed from where it starts; {:.2g} m (or rad) is left",
                        robot.name, left),
            "`joints` or a `keyframe` from which they can");
  if (open > kClosed)
    warnAt(at, context,
           fmt::format("robot {}: its loops were open by up to {:.2g} m (or rad); its joints start where they are "
                       "closed",
                       robot.name, open));
  holdRigid(at, context, robot);
}

bool touchesItself(const Value& map) {
  const auto value = map.find("self_collision");
  return value && value->boolean();
}

/// What stands for round shapes. Where nobody says, all are round that can be: balls and capsules, and cylinders where
/// they meet half-spaces alone.
Facets facetsOf(const Value& map, bool rims) {
  if (const auto given = map.find("facets")) return readFacets(*given);
  Facets facets;
  facets.makeRound(rims ? Facets::Solids::kAll : Facets::Solids::kWithoutRims);
  return facets;
}

/// Says where wheels are braked because nobody said what stands for them.
void warnOfFacets(const Value& map, const RobotContext& context, const RollingLinks& rolling, bool floats) {
  if (map.find("facets") || rolling.names.empty() || (rolling.if_floats && !floats)) return;
  const std::string reason = context.meets.empty() ? "its links may touch each other"
                                                   : fmt::format("it may meet {}, no half-space", context.meets);
  warnAt(map, context,
         fmt::format("robot {}: cylinders of {} have {} sides, since {}; their edges brake what rolls. `facets: "
                     "{{sides: {}}}` brakes a fourth as much; wheels are round on half-spaces alone, and as spheres or "
                     "capsules",
                     map.at("name").text(), fmt::join(rolling.names, ", "), rolling.sides, reason, 4 * rolling.sides));
}

bool holds(const std::vector<geom::Shape>& shapes, bool (*is)(const geom::Polytope&)) {
  return std::ranges::any_of(shapes, [&](const geom::Shape& shape) {
    const auto* solid = std::get_if<geom::Polytope>(&shape);
    return solid && is(*solid);
  });
}

/// Whether a round cylinder of one link may meet more of another than its half-spaces.
bool rimsMeetSolids(const dynamics::Robot& robot) {
  const int links = robot.model->numLinks();
  for (int a = 0; a < links; ++a) {
    if (!holds(robot.shapes[a], [](const geom::Polytope& p) { return p.round() && p.round()->isCylinder(); })) continue;
    for (int b = 0; b < links; ++b)
      if (b != a && holds(robot.shapes[b], [](const geom::Polytope&) { return true; }) && mayCollide(robot, a, b))
        return true;
  }
  return false;
}

ShapeOptions shapeOptionsOf(const Value& map, bool rims) {
  ShapeOptions options = facetsOf(map, rims);
  if (const auto error = map.find("decompose")) options.decompose = error->positive("m");
  return options;
}

/// The robot's file, of whatever format.
RobotModel readRobotFile(const Value& map, const RobotContext& context, bool rims) {
  std::vector<std::pair<std::string, Value>> files;
  for (const std::string field : {"urdf", "mjcf", "sdf"})
    if (const auto file = map.find(field)) files.emplace_back(field, *file);
  if (files.empty()) map.fail(map.name() + ": no field urdf, mjcf or sdf", "one of them");
  if (files.size() > 1)
    files[1].second.fail(files[1].second.name() + " beside " + files[0].second.name(), "one file a robot");
  const auto& [format, file] = files[0];
  const RobotBase base = readBase(map);
  const geom::Pose pose = readPose(map);
  const ShapeOptions options = shapeOptionsOf(map, rims);
  const std::string path = std::filesystem::path(context.folder) / file.text();
  FileModel read;
  try {
    read = readModelFile(path, format, *context.warnings, context.files, options);
  } catch (const LoadError& broken) {
    file.fail(fmt::format("{}: {}", format, broken.what()), "");
  }
  if (const auto keyframe = map.find("keyframe")) takeKeyframe(*keyframe, read);
  if (const auto close = map.find("close_loops"); !close || !close->boolean()) leaveLoopsOpen(read);
  if (const auto loops = map.find("loops")) readLoops(*loops, read);
  if (const auto types = map.find("joint_types")) readJointTypes(*types, read, context.own);
  if (const auto density = map.find("density")) read.density = density->positive("kg/m^3");
  const RollingLinks rolling = linksRollingOnFacets(read);
  try {
    RobotModel robot = makeRobotModel(std::move(read), base, pose);
    warnOfFacets(map, context, rolling, robot.floating);
    return robot;
  } catch (const LoadError& broken) {
    file.fail(fmt::format("{}: {}", format, broken.what()), "");
  }
}

[[noreturn]] void refuseFollower(const Value& map, const std::string& name,
                                 const dynamics::ArticulatedModel::Joint& joint) {
  throw LoadError(map.path(), map.keyPosition(name),
                  fmt::format("{}: joint {} follows joint {}", map.name(), name, joint.leader),
                  "the joint that it follows");
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
    if (j >= 0 && model.joint(j).follows()) refuseFollower(map, name, model.joint(j));
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
    for (int k = 0; k < count; ++k) (positions ? state.q[joint.q + k] : state.v[joint.v + k]) = numbers[k];
    if (positions && joint.type == dynamics::JointType::kSpherical) {
      auto q = state.q.segment<4>(joint.q);
      const double length = q.stableNorm();
      if (!(length > 0)) value.refuse("a quaternion [w, x, y, z] that is not zero");
      q /= length;
    }
  }
}

/// What becomes of joints that start outside their limits.
enum class Outside {
  kRefused,
  kMoved,         ///< To the nearest limit, with a warning: the scene wants it.
  kRefusedClosed  ///< As kRefused; closing the robot's loops put them there.
};

/// Joints that start outside their limits: all in one message, at the first of them that the scene's `joints` names.
/// `slack`: what counts as inside [rad] or [m].
void keepInsideLimits(const Value& map, Outside outside, double slack, const RobotContext& context,
                      dynamics::Robot& robot) {
  const dynamics::ArticulatedModel& model = *robot.model;
  const bool moves = outside == Outside::kMoved, closed = outside == Outside::kRefusedClosed;
  const auto joints = map.find("joints");
  std::optional<Value> at;
  std::vector<std::string> found, allowed;
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    const auto& joint = model.joint(model.jointOf(dof));
    if (model.positionOf(dof) < 0) continue;
    double& q = robot.start.q[model.positionOf(dof)];
    if (q >= joint.lower - slack && q <= joint.upper + slack) continue;
    const double inside = q < joint.lower ? joint.lower : joint.upper;
    found.push_back(moves    ? fmt::format("{} from {} to {}", joint.name, q, inside)
                    : closed ? fmt::format("{} to {}", joint.name, q)
                             : fmt::format("{} starts at {}", joint.name, q));
    allowed.push_back(fmt::format("{}: a number from {} to {}", joint.name, joint.lower, joint.upper));
    if (const auto given = joints ? joints->find(joint.name) : std::nullopt; given && !at) at = given;
    if (moves) q = inside;
  }
  if (found.empty()) return;
  const Value place = at ? *at : joints ? *joints : map;
  const std::string kind = found.size() > 1 ? "joints" : "joint", whose = found.size() > 1 ? "their" : "its";
  if (closed)
    place.fail(fmt::format("robot {}: closing its loops moves {} {}, outside {} limits", robot.name, kind,
                           fmt::join(found, ", "), whose),
               fmt::format("`joints` or a `keyframe` from which they close inside: {{{}}}", fmt::join(allowed, ", ")));
  if (!moves)
    place.fail(fmt::format("{} {}, outside {} limits", kind, fmt::join(found, ", "), whose),
               fmt::format("joints: {{{}}}, or move_inside_limits: true", fmt::join(allowed, ", ")));
  warnAt(place, context,
         fmt::format("joints that started outside their limits were moved to them: {}", fmt::join(found, ", ")));
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

/// Whether joints join a link to the world itself, with nothing of mass between.
bool hangsOnWorld(const dynamics::ArticulatedModel& model, int link) {
  for (int node = model.link(link).node;;) {
    const auto& joint = model.joint(model.nodes()[node].joint);
    if (joint.type == dynamics::JointType::kFloating) return false;
    if (joint.parent == dynamics::kWorld) return true;
    node = model.link(joint.parent).node;
    if (node == 0 || model.nodes()[node].mass > 0) return false;
  }
}

void takeModel(const Value& map, RobotModel& read, dynamics::Robot& robot) {
  robot.model = read.model, robot.start = read.start;
  robot.shapes = std::move(read.shapes), robot.trees = std::move(read.trees), robot.masks = std::move(read.masks);
  robot.ignored = std::move(read.ignored), robot.paired = std::move(read.paired);
  robot.self_collision = touchesItself(map);
  if (const auto value = map.find("ignore_collisions")) readIgnored(*value, robot);
}

/// The model, and what of it may collide.
RobotModel readModel(const Value& map, const RobotContext& context, dynamics::Robot& robot) {
  const bool rims = context.meets.empty() && !touchesItself(map);
  const size_t warned = context.warnings->size(), types = context.own ? context.own->size() : 0;
  RobotModel read = readRobotFile(map, context, rims);
  takeModel(map, read, robot);
  if (rims && !map.find("facets") && rimsMeetSolids(robot)) {  // Known only now: read again, with facets.
    context.warnings->resize(warned);
    if (context.own) context.own->resize(types);
    read = readRobotFile(map, context, false);
    takeModel(map, read, robot);
  }
  return read;
}

/// The links of one robot that would collide if what is simulated were as fine as what its file says.
void warnOfCollisions(const Value& map, const RobotContext& context, const dynamics::Robot& robot) {
  const dynamics::ArticulatedModel& model = *robot.model;
  const auto meetsInPart = [&](int a, int b) {
    if (robot.masks[a].size() < 2 || robot.masks[b].empty()) return false;
    const auto meets = [&](const dynamics::CollisionMask& mask) {
      return std::ranges::all_of(robot.masks[b],
                                 [&](const dynamics::CollisionMask& other) { return mask.mayMeet(other); });
    };
    return !std::ranges::all_of(robot.masks[a], meets) && mayCollide(robot, a, b) && masksMeet(robot, a, b);
  };
  std::vector<std::string_view> mixed, hung;
  bool world_has_shapes = false;
  for (int b = 0; b < model.numLinks(); ++b)
    world_has_shapes |= robot.trees[b] == dynamics::kWorld && !robot.shapes[b].empty();
  for (int a = 0; a < model.numLinks(); ++a) {
    if (robot.shapes[a].empty()) continue;
    bool in_part = false;
    for (int b = 0; b < model.numLinks() && !in_part; ++b) in_part = b != a && meetsInPart(a, b);
    if (in_part) mixed.push_back(model.link(a).name);
    if (world_has_shapes && model.link(a).node != 0 && hangsOnWorld(model, a)) hung.push_back(model.link(a).name);
  }
  const auto warn = [&](const char* what, const std::vector<std::string_view>& links) {
    if (links.empty()) return;
    warnAt(map, context, fmt::format("robot {}: {}: {}", robot.name, what, fmt::join(links, ", ")));
  };
  warn("links whose geoms differ in what they meet by contype and conaffinity; all of them meet what one of them does",
       mixed);
  warn("links that joints join to the world do not collide with what its file fixes there", hung);
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
    if (j >= 0 && model.joint(j).follows()) refuseFollower(value, name, model.joint(j));
    if (j < 0 || !limited(j)) {
      const std::string nearest = nearestWord(name, names);
      throw LoadError(value.path(), value.keyPosition(name),
                      fmt::format("{}: no joint with limits is called {}", value.name(), name),
                      (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                          fmt::format("these are {}", fmt::join(names, ", ")));
    }
    robot.limit_restitution[j] = value.at(name).between(0, 1);
  }
}

}  // namespace

dynamics::Robot readRobot(const Value& map, const RobotContext& context) {
  map.fields({"name",
              "urdf",
              "mjcf",
              "sdf",
              "keyframe",
              "position",
              "orientation",
              "rpy",
              "velocity",
              "angular_velocity",
              "joints",
              "joint_velocities",
              "base",
              "self_collision",
              "ignore_collisions",
              "friction",
              "restitution",
              "limit_restitution",
              "move_inside_limits",
              "facets",
              "decompose",
              "density",
              "loops",
              "close_loops",
              "joint_types",
              "controller"});
  dynamics::Robot robot;
  robot.name = readName(map.at("name"), "robot");
  RobotModel read = readModel(map, context, robot);
  const dynamics::ArticulatedModel& model = *robot.model;

  Eigen::Vector3d velocity(0, 0, 0), angular_velocity(0, 0, 0);
  for (const char* field : {"velocity", "angular_velocity"}) {
    const auto value = map.find(field);
    if (!value) continue;
    if (!read.floating) value->fail(value->name() + " of a robot whose base is fixed", "joint_velocities");
    (std::string_view(field) == "velocity" ? velocity : angular_velocity) = value->vector3();
  }
  if (read.floating) {
    dynamics::ArticulatedWorkspace workspace(model);
    dynamics::calcPositions(model, robot.start.q, workspace);
    setFloating(model, read.root, dynamics::linkPose(model, workspace, read.root), velocity, angular_velocity,
                robot.start);
  }
  const auto inside = map.find("move_inside_limits");
  const auto joints = map.find("joints");
  if (joints) readJoints(*joints, model, true, robot.start);
  if (const auto velocities = map.find("joint_velocities")) readJoints(*velocities, model, false, robot.start);
  keepInsideLimits(map, inside && inside->boolean() ? Outside::kMoved : Outside::kRefused, 0, context, robot);
  closeStart(joints ? *joints : map, context, robot);
  if (!model.loops().empty()) keepInsideLimits(map, Outside::kRefusedClosed, kClosed, context, robot);

  warnOfCollisions(map, context, robot);
  for (const std::string& lifted : liftOutOfPlanes(robot))
    warnAt(map, context, fmt::format("robot {}: {}", robot.name, lifted));
  const auto friction = map.find("friction"), restitution = map.find("restitution");
  robot.friction.assign(model.numLinks(), friction ? readFriction(*friction) : context.friction);
  for (int l = 0; l < model.numLinks() && !friction; ++l)
    robot.friction[l] = read.friction[l].value_or(context.friction);
  robot.restitution.assign(model.numLinks(), restitution ? restitution->between(0, 1) : context.restitution);
  if (const auto value = map.find("limit_restitution")) readLimitRestitution(*value, robot);
  if (const auto controller = map.find("controller")) {
    robot.controller = readController(*controller, robot, read.root, context.gravity, context.folder, *context.warnings,
                                      context.files);
  }
  return robot;
}

}  // namespace rigor::scenes
