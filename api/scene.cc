// SPDX-License-Identifier: MIT
#include "rigor/scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/impact_model.h"
#include "api/scene_impl.h"
#include "dynamics/joint_type_name.h"
#include "dynamics/kinematics.h"
#include "impact/resolver.h"

namespace rigor {
namespace {

/// A user's controller as the event loop sees controllers.
class ForeignController : public dynamics::Controller {
 public:
  explicit ForeignController(std::shared_ptr<const rigor::Controller> law)
      : law_(std::move(law)), period_(law_->period()) {
    if (!(period_ > 0))
      throw std::invalid_argument(fmt::format("the controller's period is {} s; allowed: more than 0", period_));
  }
  double period() const override { return period_; }
  int memorySize() const override { return static_cast<int>(law_->memorySize()); }
  void calcForces(double time, const dynamics::ArticulatedState& state, std::vector<double>& memory,
                  dynamics::ArticulatedWorkspace&, Eigen::VectorXd& tau) const override {
    tau.setZero();
    law_->forces(time, {state.q.data(), static_cast<std::size_t>(state.q.size())},
                 {state.v.data(), static_cast<std::size_t>(state.v.size())}, memory,
                 {tau.data(), static_cast<std::size_t>(tau.size())});
  }
  bool senses() const override { return law_->senses(); }
  void calcForcesSensing(double time, const dynamics::ArticulatedState& state, const dynamics::Readings& readings,
                         std::vector<double>& memory, dynamics::ArticulatedWorkspace&,
                         Eigen::VectorXd& tau) const override {
    const auto numbers = [](const Eigen::VectorXd& list) {
      return std::span<const double>(list.data(), static_cast<std::size_t>(list.size()));
    };
    std::vector<LinkReading> links;
    for (const dynamics::LinkReading& link : readings.links)
      links.push_back({link.touches, toArray(link.force), toArray(link.torque), toArray(link.specific_force),
                       toArray(link.angular_velocity)});
    tau.setZero();
    law_->forcesSensing(time, numbers(state.q), numbers(state.v), {links, numbers(readings.effort)}, memory,
                        {tau.data(), static_cast<std::size_t>(tau.size())});
  }

 private:
  std::shared_ptr<const rigor::Controller> law_;
  double period_;
};

BodyInfo infoOf(const sim::Scene& scene, const sim::Body& body) {
  BodyInfo info;
  info.name = body.name, info.fixed = body.fixed, info.mass = body.mass;
  info.start = {toArray(body.pose.p), toArray(body.pose.q), toArray(body.velocity), toArray(body.angular_velocity)};
  if (body.robot >= 0) info.robot = scene.robots[body.robot].robot.name;
  return info;
}

RobotInfo infoOf(const dynamics::Robot& robot) {
  RobotInfo info;
  info.name = robot.name, info.num_q = robot.model->numPositions(), info.num_v = robot.model->numVelocities();
  for (int i = 0; i < robot.model->numLinks(); ++i) info.links.push_back(robot.model->link(i).name);
  for (int j = 0; j < robot.model->numJoints(); ++j) {
    const auto& joint = robot.model->joint(j);
    info.joints.push_back(
        {joint.name, std::string(dynamics::jointTypeName(joint.type)), joint.q, joint.num_q, joint.v, joint.num_v});
  }
  return info;
}

/// @throws InputError that lists the names.
const dynamics::Robot& robotNamed(const sim::Scene& scene, const std::string& name) {
  std::vector<std::string> names;
  for (const sim::SceneRobot& each : scene.robots) {
    if (each.robot.name == name) return each.robot;
    names.push_back(each.robot.name);
  }
  throw InputError(
      fmt::format("no robot '{}'; allowed: {}", name,
                  names.empty() ? "none, the scene has no robots" : fmt::format("{}", fmt::join(names, ", "))));
}

std::shared_ptr<Scene::Impl> describe(std::shared_ptr<Scene::Impl> impl) {
  for (const sim::Body& body : impl->scene.bodies) impl->bodies.push_back(infoOf(impl->scene, body));
  for (const sim::SceneRobot& robot : impl->scene.robots) impl->robots.push_back(infoOf(robot.robot));
  return impl;
}

}  // namespace

Scene Scene::load(const std::string& path) {
  return withUserErrors([&] {
    auto impl = std::make_shared<Impl>();
    impl->scene = scenes::loadScene(path, &impl->source);
    return Scene(describe(std::move(impl)));
  });
}

Scene Scene::parse(const std::string& text, const std::string& path) {
  return withUserErrors([&] {
    auto impl = std::make_shared<Impl>();
    impl->scene = scenes::parseScene(text, path, &impl->source);
    return Scene(describe(std::move(impl)));
  });
}

const std::string& Scene::name() const { return impl_->scene.name; }
const std::string& Scene::description() const { return impl_->scene.description; }
const std::string& Scene::text() const { return impl_->scene.text; }
const std::string& Scene::path() const { return impl_->scene.path; }
const std::string& Scene::impactModel() const { return impl_->scene.impact_model; }
double Scene::until() const { return impl_->scene.until; }
Vector3 Scene::gravity() const { return toArray(impl_->scene.gravity); }
const std::vector<BodyInfo>& Scene::bodies() const { return impl_->bodies; }
const std::vector<RobotInfo>& Scene::robots() const { return impl_->robots; }
const std::vector<std::string>& Scene::warnings() const { return impl_->source.warnings; }

int Scene::body(const std::string& name) const {
  const auto& bodies = impl_->bodies;
  const auto found =
      std::find_if(bodies.begin(), bodies.end(), [&](const BodyInfo& body) { return body.name == name; });
  if (found != bodies.end()) return static_cast<int>(found - bodies.begin());
  std::vector<std::string> names;
  for (const BodyInfo& body : bodies) names.push_back(body.name);
  throw InputError(fmt::format("no body '{}'; allowed: {}", name, fmt::join(names, ", ")));
}

Scene Scene::withUntil(double until) const {
  if (!(until >= 0 && until <= 1e100)) throw InputError(fmt::format("until is {} s; allowed: 0 to 1e100", until));
  auto impl = std::make_shared<Impl>(*impl_);
  impl->scene.until = until;
  return Scene(std::move(impl));
}

Scene Scene::withImpactModel(const std::string& name) const {
  const auto names = impact::runResolverNames();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw InputError(fmt::format("impact model '{}' is no model for runs; allowed: {}", name, fmt::join(names, ", ")));
  auto impl = std::make_shared<Impl>(*impl_);
  impl->scene.impact_model = name;
  return Scene(std::move(impl));
}

Scene Scene::withController(const std::string& robot, std::shared_ptr<const Controller> controller) const {
  return withUserErrors([&] {
    auto impl = std::make_shared<Impl>(*impl_);
    const dynamics::Robot& chosen = robotNamed(impl->scene, robot);
    for (sim::SceneRobot& each : impl->scene.robots)
      if (&each.robot == &chosen)
        each.robot.controller = controller ? std::make_shared<ForeignController>(controller) : nullptr;
    impl->own_controller = true;
    return Scene(std::move(impl));
  });
}

sim::Scene startOf(const Scene& scene) {
  sim::Scene start = scene.impl().scene;
  const bool own_kinds = !scene.impl().source.own_kinds.empty();
  if (scene.impl().own_controller || own_kinds || isForeignModel(start.impact_model))
    start.files.clear(), start.text.clear();
  return start;
}

std::size_t Scene::configurationSize(const std::string& robot) const {
  const dynamics::ArticulatedModel& model = *robotNamed(impl_->scene, robot).model;
  std::size_t size = 0;
  for (int j = 0; j < model.numJoints(); ++j) size += static_cast<std::size_t>(model.joint(j).num_q);
  return size;
}

std::vector<std::vector<double>> Scene::linkPoses(const std::string& robot, std::span<const double> q,
                                                  std::size_t n) const {
  const dynamics::ArticulatedModel& model = *robotNamed(impl_->scene, robot).model;
  const std::size_t size = configurationSize(robot);
  if (q.size() != n * size)
    throw InputError(
        fmt::format("{} numbers for {} configurations of '{}'; allowed: {} each", q.size(), n, robot, size));
  dynamics::ArticulatedState state(model);
  dynamics::ArticulatedWorkspace workspace(model);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(model.numLinks()));
  const double* at = q.data();
  for (std::size_t i = 0; i < n; ++i) {
    for (int j = 0; j < model.numJoints(); ++j) {
      const auto& joint = model.joint(j);
      if (joint.type == dynamics::JointType::kFloating)
        dynamics::setFloating(model, joint.child, {{at[3], at[4], at[5], at[6]}, {at[0], at[1], at[2]}},
                              Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), state);
      else
        for (int k = 0; k < joint.num_q; ++k) state.q[joint.q + k] = at[k];
      at += joint.num_q;
    }
    dynamics::calcPositions(model, state.q, workspace);
    for (int l = 0; l < model.numLinks(); ++l) {
      const geom::Pose pose = dynamics::linkPose(model, workspace, l);
      std::vector<double>& row = rows[static_cast<std::size_t>(l)];
      for (int k = 0; k < 3; ++k) row.push_back(pose.p[k]);
      for (int k = 0; k < 4; ++k) row.push_back(pose.q[k]);
    }
  }
  return rows;
}

}  // namespace rigor
