// SPDX-License-Identifier: MIT
#include "methods/world.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "advance/heights.h"
#include "geom/separation.h"
#include "sim/contact/contact_of.h"

namespace rigor::methods {

using Eigen::Vector3d;
using sim::SystemState;

namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

}  // namespace

World::World(const sim::Scene& scene) : scene_(scene), scales_(sim::Scales::fromScene(scene)) {
  slot_of_body_.assign(scene.bodies.size(), -1);
  bodies_.reserve(scene.bodies.size());  // Slots keep pointers to the models.
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) addBody(static_cast<int>(i));
  addRobots();
  equations_.writeLinks(state);
  listPairs();
}

void World::addBody(int index) {
  const sim::Body& description = scene_.bodies[index];
  sim::BodyRuntime body;
  body.fixed = description.fixed;
  body.material = description.material;
  body.robot = description.robot, body.link = description.link;
  body.ignored = description.ignored;
  std::sort(body.ignored.begin(), body.ignored.end());
  if (!body.fixed) body.centre = description.centre;
  for (std::size_t j = 0; j < description.parts.size(); ++j) {
    sim::PartRuntime part;
    part.body = index, part.part = static_cast<int>(j), part.shape = &description.parts[j];
    const auto* polytope = std::get_if<geom::Polytope>(part.shape);
    part.radius = polytope ? (polytope->vertices().colwise() - body.centre).colwise().norm().maxCoeff() : kForever;
    body.radius = std::max(body.radius, part.radius);
    parts_.push_back(part);
  }
  const Vector3d arm = description.pose.rotation() * body.centre;
  body.state.pose = {description.pose.q, description.pose.p + arm};
  body.state.w = description.angular_velocity;
  body.state.v = description.velocity + description.angular_velocity.cross(arm);
  if (!body.fixed && body.robot < 0) body.model = dynamics::RigidBody::make(description.mass, description.inertia);
  if (body.robot >= 0) {
    const auto& link = scene_.robots[body.robot].robot.model->link(body.link);
    body.model.mass = link.mass, body.model.inertia = link.inertia;
  }
  bodies_.push_back(std::move(body));
  if (description.fixed) return;
  slot_of_body_[index] = static_cast<int>(state.bodies.size());
  body_of_slot_.push_back(index);
  sim::SystemBody& slot = state.bodies.emplace_back();
  slot.model = &bodies_.back().model, slot.state = bodies_.back().state, slot.link = bodies_.back().link;
}

void World::addRobots() {
  links_.resize(scene_.robots.size()), limits_.resize(scene_.robots.size());
  for (std::size_t r = 0; r < scene_.robots.size(); ++r) {
    const sim::SceneRobot& given = scene_.robots[r];
    sim::SystemRobot robot;
    robot.model = given.robot.model.get(), robot.state = given.robot.start, robot.id = static_cast<int>(r);
    sim::normaliseQuaternions(*robot.model, robot.state.q);
    limits_[r] = sim::robotLimits(given.robot, given.first_body, scales_.length);
    robot.first_slot = -1;
    for (int slot = 0; slot < numSlots(); ++slot) {
      if (bodies_[body_of_slot_[slot]].robot != static_cast<int>(r)) continue;
      if (robot.first_slot < 0) robot.first_slot = slot;
      links_[r].push_back(state[slot].link);
      state[slot].robot = static_cast<int>(state.robots.size());
    }
    if (links_[r].empty()) continue;
    robot.links = links_[r], robot.limits = limits_[r];
    state.robots.push_back(std::move(robot));
    if (const auto* controller = given.robot.controller.get()) {
      const sim::SystemRobot& placed = state.robots.back();
      controls_.push_back({controller, dynamics::startController(*controller, *placed.model, placed.state),
                           std::make_unique<dynamics::ArticulatedWorkspace>(*placed.model),
                           static_cast<int>(state.robots.size()) - 1});
    }
  }
}

bool World::mayCollide(int part_a, int part_b) const {
  const int a = parts_[part_a].body, b = parts_[part_b].body;
  return a != b && !(bodies_[a].fixed && bodies_[b].fixed) && bodies_[a].collidesWith(b) && bodies_[b].collidesWith(a);
}

void World::listPairs() {
  for (int b = 0; b < static_cast<int>(parts_.size()); ++b)
    for (int a = 0; a < b; ++a) {
      if (!mayCollide(a, b)) continue;
      const bool turned = std::holds_alternative<geom::HalfSpace>(*parts_[b].shape);
      pairs_.push_back({turned ? b : a, turned ? a : b, {}});
    }
}

geom::Pose World::originPose(const SystemState& at, int part) const {
  const int body = parts_[part].body, slot = slot_of_body_[body];
  if (slot < 0) return scene_.bodies[body].pose;
  const geom::Pose& centre = at[slot].state.pose;
  return {centre.q, centre.p - centre.rotation() * bodies_[body].centre};
}

/// How near a pair's features must be to matter within `ahead` [m].
double World::reachOf(const SystemState& at, const Pair& pair, double ahead) const {
  if (!(ahead > 0)) return scales_.band;
  const auto twist = [&](int part) {
    const int slot = slot_of_body_[parts_[part].body];
    return slot < 0 ? sim::Vector6d::Zero().eval() : at[slot].state.velocity();
  };
  const sim::Vector6d a = twist(pair.part_a), b = twist(pair.part_b);
  double speed = (a - b).head<3>().norm() + ahead * scene_.gravity.norm();
  for (const auto& [u, part] : {std::pair{a, pair.part_a}, std::pair{b, pair.part_b}})
    if (const double spin = u.tail<3>().norm(); spin > 0) speed += spin * parts_[part].radius;
  return scales_.band + ahead * speed;
}

/// By bounding spheres. NaN is near.
bool World::isFar(const SystemState& at, const Pair& pair, double reach) const {
  const sim::PartRuntime &A = parts_[pair.part_a], &B = parts_[pair.part_b];
  const auto centre = [&](const sim::PartRuntime& part) {
    const int slot = slot_of_body_[part.body];
    return slot < 0 ? scene_.bodies[part.body].pose.p : at[slot].state.pose.p;
  };
  if (const auto* plane = std::get_if<geom::HalfSpace>(A.shape)) {
    const geom::Pose X = originPose(at, pair.part_a);
    const double length = plane->normal.norm();
    return (X.rotation() * plane->normal).dot(centre(B) - X.p) / length - plane->offset / length > B.radius + reach;
  }
  return (centre(A) - centre(B)).norm() > A.radius + B.radius + reach;
}

void World::findContacts(SystemState& at, double ahead, sim::ContactList& contacts) {
  contacts.clear();
  const auto placement = [&](int part) { return sim::Placement(scene_.bodies[parts_[part].body].pose); };
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    Pair& pair = pairs_[p];
    const double reach = reachOf(at, pair, ahead);
    if (isFar(at, pair, reach)) continue;
    const sim::PartRuntime &A = parts_[pair.part_a], &B = parts_[pair.part_b];
    features_.clear();
    manifold_.find(*A.shape, originPose(at, pair.part_a), *B.shape, originPose(at, pair.part_b), reach, pair.cache,
                   features_, scales_.band);
    for (const auto& feature : features_) {
      sim::Contact c = sim::contactOf(feature, A, bodies_[A.body], B, bodies_[B.body]);
      c.pair_index = static_cast<int>(p);
      c.slot_a = slot_of_body_[A.body], c.slot_b = slot_of_body_[B.body];
      contacts.add(c, c.slot_a < 0 ? placement(pair.part_a) : sim::Placement(),
                   c.slot_b < 0 ? placement(pair.part_b) : sim::Placement());
    }
  }
  addLimits(at, ahead, contacts);
  contacts.place(at);
}

void World::addLimits(const SystemState& at, double ahead, sim::ContactList& contacts) const {
  for (std::size_t r = 0; r < at.robots.size(); ++r) {
    const sim::SystemRobot& robot = at.robots[r];
    const double fastest = robot.state.v.size() > 0 ? robot.state.v.cwiseAbs().maxCoeff() : 0;
    for (std::size_t k = 0; k < robot.limits.size(); ++k) {
      if (robot.limits[k].gap(robot.state) > scales_.band + 2 * ahead * fastest * robot.limits[k].length)
        continue;  // NaN is in it.
      sim::Contact c;
      c.pair = robot.limits[k].links;
      c.robot = static_cast<int>(r), c.limit = static_cast<int>(k);
      c.restitution = robot.limits[k].restitution;
      c.held = true;
      contacts.add(c);
    }
  }
}

void World::freeVelocities(SystemState& at, double h, std::vector<sim::Vector6d>& bodies,
                           std::vector<Eigen::VectorXd>& robots) {
  bodies.resize(at.size()), robots.resize(at.robots.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    bodies[i] = at[i].state.velocity();
    if (at[i].robot >= 0) continue;
    bodies[i].head<3>() += h * scene_.gravity;
    bodies[i].tail<3>() +=
        h * dynamics::gyroscopicAcceleration(*at[i].model, at[i].state.pose.rotation(), at[i].state.w);
  }
  equations_.accelerateRobots(at, scene_.gravity);
  for (std::size_t r = 0; r < at.robots.size(); ++r) robots[r] = at.robots[r].state.v + h * at.robots[r].acceleration;
}

void World::setVelocities(SystemState& at, const std::vector<sim::Vector6d>& bodies,
                          const std::vector<Eigen::VectorXd>& robots) {
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i].robot < 0) at[i].state.setVelocity(bodies[i]);
  for (std::size_t r = 0; r < at.robots.size(); ++r) at.robots[r].state.v = robots[r];
  if (!at.robots.empty()) equations_.writeLinks(at);
}

void World::drift(SystemState& at, double h) {
  for (sim::SystemBody& body : at) {
    if (body.robot >= 0) continue;
    body.state.pose.p += h * body.state.v;
    body.state.pose.q = dynamics::rotate(body.state.pose.q, h * body.state.w);
  }
  for (sim::SystemRobot& robot : at.robots)
    dynamics::integrate(*robot.model, robot.state.q, robot.state.v, h, robot.state.q);
  if (!at.robots.empty()) equations_.writeLinks(at);
}

double World::control(double now) {
  double next = kForever;
  for (Control& c : controls_) {
    sim::SystemRobot& robot = state.robots[c.robot];
    while (dynamics::nextSample(*c.controller, c.state) <= now) {
      dynamics::sampleController(*c.controller, *robot.model, robot.state, *c.workspace, c.state);
      robot.effort = c.state.tau;
    }
    next = std::min(next, dynamics::nextSample(*c.controller, c.state));
  }
  return next;
}

}  // namespace rigor::methods
