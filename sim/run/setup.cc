// SPDX-License-Identifier: MIT
#include "sim/run/run.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "sim/provable.h"
#include "sim/run/part_tree.h"
#include "sim/run/side_by_side.h"
#include "sim/start.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

bool hasPart(const Body& body, bool (*is)(const geom::Polytope&)) {
  return std::any_of(body.parts.begin(), body.parts.end(), [&](const geom::Shape& part) {
    const auto* polytope = std::get_if<geom::Polytope>(&part);
    return polytope && is(*polytope);
  });
}

bool hasAny(const Body& body) {
  return hasPart(body, [](const geom::Polytope&) { return true; });
}

bool hasRoundCylinder(const Body& body) {
  return hasPart(body, [](const geom::Polytope& part) { return part.round() && part.round()->isCylinder(); });
}

/// Contacts of round cylinders are known with half-spaces alone.
void refuseRound(const Scene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    if (!hasRoundCylinder(body)) continue;
    for (std::size_t j = 0; j < scene.bodies.size(); ++j) {
      const Body& other = scene.bodies[j];
      const auto& ignored = body.ignored;
      if (i == j || (body.fixed && other.fixed) || !hasAny(other) ||
          std::find(ignored.begin(), ignored.end(), static_cast<int>(j)) != ignored.end())
        continue;
      throw SceneError(fmt::format("body '{}' has a round cylinder, which meets half-spaces and links that it ignores, "
                                   "not '{}'; without `round: true` it has facets",
                                   body.name, other.name),
                       static_cast<int>(i));
    }
  }
}

/// How far from its centre a link has to be where its joints put it: what its joints hold, and its shape. One without a
/// shape has the size of its mass.
double reachOf(const dynamics::ArticulatedModel& model, const BodyRuntime& body) {
  double reach = std::max(body.radius, body.centre.norm());
  if (body.num_parts == 0 && body.model.mass > 0)
    reach = std::max(reach, std::sqrt(body.model.inertia.trace() / body.model.mass));
  for (int j = 0; j < model.numJoints(); ++j)
    if (model.joint(j).parent == body.link) reach = std::max(reach, (model.joint(j).origin.p - body.centre).norm());
  return reach;
}

/// What loops hold fast needs no limits, and nothing rubs or is damped there.
void leaveOutLocked(RobotRuntime& robot) {
  if (robot.model->loops().empty()) return;
  RobotEquations equations;
  equations.update(*robot.model, robot.state, true, 0);
  robot.locked = equations.lockedVelocities();
  const std::vector<char>& locked = robot.locked;
  std::erase_if(robot.limits, [&](const RobotLimit& limit) { return locked[limit.limit.dof] != 0; });
  std::erase_if(robot.brakes, [&](const RobotBrake& brake) { return locked[brake.dof] != 0; });
}

}  // namespace

Run::Run(Scene scene_to_run, std::uint64_t seed)
    : own_scene(std::make_unique<Scene>(std::move(scene_to_run))), scene(*own_scene), seed_(seed) {
  requireOneRestitution(scene);
  scales = Scales::fromScene(scene);
  requireLength(scene.until, scene, scales);
  requireSpeeds(scene, scales);
  groups_.reset(scene.bodies.size());
  refuseRound(scene);
  for (size_t i = 0; i < scene.bodies.size(); ++i) addBody(scene.bodies[i], static_cast<int>(i));
  // The links of a robot are one group.
  for (const RobotRuntime& robot : robots) {
    if (robot.links.empty()) continue;
    Group group;
    for (size_t k = 0; k < robot.links.size(); ++k)
      group.bodies.push_back(robot.bodyOf(k));
    groups_.add(std::move(group));
  }
  robot_equations_.resize(robots.size());
  addLedgers();
  for (RobotRuntime& robot : robots) startRobot(robot);
  reach_ = separateStart(scene, scales, parts, bodies, robots, warnings);
  for (size_t i = 0; i < bodies.size(); ++i) publishStart(bodies[i], own_scene->bodies[i]);
  for (RobotRuntime& robot : robots) {
    if (robot.links.empty()) continue;
    const std::span<const Body> all = scene.bodies;
    robot.carried = carriedLinks(*robot.model, robot.links, all.subspan(robot.first_body - robot.links[0]));
  }
  tree_.reset(bodies.size());
  pending_.reset(bodies);
  touching_.reset(bodies);
  for (size_t i = 0; i < bodies.size(); ++i) {
    BodyRuntime& body = bodies[i];
    constexpr double kForever = std::numeric_limits<double>::infinity();
    body.piece = advance::MotionPiece::constant(body.state.pose, 0, body.fixed ? kForever : 0);
    if (body.fixed) body.clock = kForever;
    else ++moving_;
    place(static_cast<int>(i));
  }
  stepper = std::make_unique<Stepper>(scene, scales, seed);
  summary_.min_gap = std::numeric_limits<double>::infinity();
  checkpoints_.interval = scales.time;
  divideIntoZones(0);
  groups_.each([&](const Group& group) { summary_.energy_initial += energy(group.bodies); });
  summary_.energy_final = summary_.energy_initial;
}

Run::~Run() = default;

void Run::addLedgers() {
  for (size_t r = 0; r < robots.size(); ++r)
    joint_ledgers_.emplace_back(scene.robots[r].robot, static_cast<int>(r), scene.robots[r].first_body);
  std::size_t wrenches = 0;  // Of a joint, its actuator and its limits at both ends, each.
  for (const RobotRuntime& robot : robots) wrenches += 4 * static_cast<std::size_t>(robot.model->numJoints());
  result_.jump.wrenches.reserve(wrenches);
  rests_.reserve(bodies.size());
}

namespace {

Eigen::AlignedBox3d boxOf(const geom::Polytope& part) {
  Eigen::AlignedBox3d box;
  for (int c = 0; c < part.numCorners(); ++c) {
    const double reach = part.isRound(c) ? part.round()->radius : 0;
    box.extend((part.corner(c).array() - reach).matrix()).extend((part.corner(c).array() + reach).matrix());
  }
  return box;
}

}  // namespace

void Run::addBody(const Body& description, int index) {
  BodyRuntime body;
  body.fixed = description.fixed;
  body.material = description.material;
  body.centre = description.fixed ? Vector3d(0, 0, 0) : description.centre;
  body.first_part = static_cast<int>(parts.size());
  body.num_parts = static_cast<int>(description.parts.size());
  for (size_t j = 0; j < description.parts.size(); ++j) {
    PartRuntime part;
    part.body = index, part.part = static_cast<int>(j);
    part.shape = &description.parts[j];
    if (const auto* polytope = std::get_if<geom::Polytope>(part.shape))
      part.radius = polytope->radiusAbout(body.centre), part.box = boxOf(*polytope);
    else
      part.radius = std::numeric_limits<double>::infinity();
    body.radius = std::max(body.radius, part.radius);
    parts.push_back(part);
  }
  body.robot = description.robot, body.link = description.link;
  body.ignored = description.ignored;
  std::sort(body.ignored.begin(), body.ignored.end());
  if (body.robot >= 0) {
    addLink(index, body);
  } else if (!body.fixed) {
    if (!(description.mass > 0))
      throw SceneError(fmt::format("body '{}' has no mass; a moving body needs mass > 0", description.name), index);
    body.model = dynamics::RigidBody::make(description.mass, description.inertia);
    groups_.add({{index}, 0, {}, false});
  }
  const Eigen::Matrix3d R = description.pose.rotation();
  const Vector3d arm = R * body.centre;
  body.state.pose = {description.pose.q,
                     body.centre.isZero(0) ? description.pose.p : Vector3d(description.pose.p + arm)};
  if (body.fixed && body.num_parts > kFewParts)
    body.part_tree = treeOfParts(std::span(parts).subspan(body.first_part), description.pose);
  if (body.fixed && body.num_parts > 1)
    body.skin = std::make_shared<LazySkin>(std::span(parts).subspan(body.first_part));
  body.state.w = description.angular_velocity;
  body.state.v = description.velocity + description.angular_velocity.cross(arm);
  body.v_start = body.v_end = body.v_back = body.state.velocity();
  bodies.push_back(body);
}

/// A link of a robot: massless links move as well.
void Run::addLink(int index, BodyRuntime& body) {
  const dynamics::Robot& description = scene.robots[body.robot].robot;
  if (robots.size() <= static_cast<size_t>(body.robot)) {
    RobotRuntime& robot = robots.emplace_back();
    robot.model = description.model.get();
    robot.state = description.start;
    normaliseQuaternions(*robot.model, robot.state.q);
    robot.limits = robotLimits(description, index - body.link, scales.length);
    robot.brakes = robotBrakes(description, index - body.link, scales.length);
    separateFromLimits(description, robot.limits, scales.gap, robot.state, warnings);
    RobotEquations().constrain(*robot.model, robot.state);
    leaveOutLocked(robot);
    if (description.controller) {
      robot.controller = description.controller.get();
      robot.control = dynamics::startController(*robot.controller, *robot.model, robot.state);
      robot.workspace = std::make_shared<dynamics::ArticulatedWorkspace>(*robot.model);
      if (robot.controller->senses()) robot.loads.resize(robot.model->numLinks());
    }
  }
  if (body.fixed) return;
  const auto& link = description.model->link(body.link);
  body.model.mass = link.mass;
  body.model.inertia = link.inertia;
  body.reach = reachOf(*description.model, body);
  RobotRuntime& robot = robots[body.robot];
  if (robot.links.empty()) robot.first_body = index;
  robot.links.push_back(body.link);
}

/// Poses and velocities of the links from the robot's coordinates.
void Run::startRobot(RobotRuntime& robot) {
  if (robot.links.empty()) return;
  SystemState state = robotState(robot);
  RobotEquations& equations = robot_equations_[&robot - robots.data()];
  equations.update(state.robots[0]);
  equations.writeLinks(state.robots[0], state.bodies);
  equations.freeAcceleration(state.robots[0], scene.gravity, robot.acceleration);
  robot.start = robot.state;
  robot.start_acceleration = robot.acceleration;
  for (size_t k = 0; k < robot.links.size(); ++k) {
    BodyRuntime& body = bodies[robot.bodyOf(k)];
    body.state = state[k].state;
    body.v_start = body.v_end = body.state.velocity();
  }
}

/// The scene says where bodies start: links were placed by their robot, and others may have been moved apart.
void Run::publishStart(const BodyRuntime& body, Body& description) {
  if (body.fixed) return;
  const Eigen::Matrix3d R = description.pose.rotation();
  const Vector3d given = body.centre.isZero(0) ? description.pose.p : Vector3d(description.pose.p + R * body.centre);
  if (body.robot < 0 && body.state.pose.p == given) return;
  const Vector3d arm = body.state.pose.rotation() * body.centre;
  description.pose = {body.state.pose.q, body.centre.isZero(0) ? body.state.pose.p : Vector3d(body.state.pose.p - arm)};
  if (body.robot < 0) return;
  description.velocity = body.state.v - body.state.w.cross(arm);
  description.angular_velocity = body.state.w;
}

/// The robot alone, its links in slots 0, 1, ...
SystemState Run::robotState(const RobotRuntime& robot) const {
  SystemState state;
  state.robots.resize(1);
  SystemRobot& r = state.robots[0];
  r.model = robot.model, r.state = robot.state, r.links = robot.links, r.carried = robot.carried,
  r.limits = robot.limits, r.brakes = robot.brakes, r.locked = robot.locked;
  for (size_t k = 0; k < robot.links.size(); ++k) {
    SystemBody& body = state.bodies.emplace_back();
    body.robot = 0, body.link = robot.links[k];
  }
  return state;
}

double Run::movingMass() const {
  double sum = 0;
  for (const BodyRuntime& body : bodies)
    if (!body.fixed) sum += body.model.mass;
  return sum;
}

}  // namespace rigor::sim
