// SPDX-License-Identifier: MIT
#include "sim/robot_equations.h"

#include <Eigen/Geometry>

#include "dynamics/forward_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop_constraints.h"
#include "dynamics/mass_matrix.h"
#include "impact/problem/matrix_factors.h"

namespace rigor::sim {

void RobotEquations::use(const dynamics::ArticulatedModel& model) {
  if (model_ == &model) return;
  model_ = &model;
  workspace_ = std::make_unique<dynamics::ArticulatedWorkspace>(*model_);
  other_ = std::make_unique<dynamics::ArticulatedWorkspace>(*model_);
  row_.resize(model_->numVelocities());
  effort_.setZero(model_->numVelocities());
  twists_.resize(model_->nodes().size());
  centres_.clear();
  for (int link = 0; link < model_->numLinks(); ++link) centres_.push_back(dynamics::centreInNode(*model_, link));
}

void RobotEquations::constrain(const dynamics::ArticulatedModel& model, dynamics::ArticulatedState& state) {
  normaliseQuaternions(model, state.q);
  if (model.loops().empty()) return;
  use(model);
  dynamics::closeLoops(model, *other_, state);
}

void RobotEquations::constrainPositions(const dynamics::ArticulatedModel& model, Eigen::VectorXd& q) {
  normaliseQuaternions(model, q);
  if (model.loops().empty()) return;
  use(model);
  dynamics::closePositions(model, *other_, q);
}

Eigen::MatrixXd RobotEquations::closedVelocities() const {
  return model_->loops().empty() ? Eigen::MatrixXd() : dynamics::closedVelocities(*model_, *workspace_);
}

void RobotEquations::update(const dynamics::ArticulatedModel& model, const dynamics::ArticulatedState& state,
                            bool inertia, double implicit_time) {
  use(model);
  using Workspace = dynamics::ArticulatedWorkspace;
  const bool placed = workspace_->has(Workspace::kPositions) && q_ == state.q,  // NaN is computed again.
      moves = placed && workspace_->has(Workspace::kVelocities) && v_ == state.v;
  if (!placed) dynamics::calcPositions(*model_, state.q, *workspace_), q_ = state.q;
  if (!moves) dynamics::calcVelocities(*model_, state.v, *workspace_), v_ = state.v;
  // Damping that acts at the end of a step may depend on velocities.
  const bool factored = placed && workspace_->has(Workspace::kFactored) && implicit_time_ == implicit_time &&
                        (implicit_time == 0 || moves) && model_->loops().empty();
  if (!inertia || factored) return;
  dynamics::factorInertia(*model_, *workspace_, implicit_time);
  implicit_time_ = implicit_time;
}

void RobotEquations::update(const SystemRobot& robot, bool inertia) {
  use(*robot.model);
  workspace_->friction_apart = !robot.brakes.empty();
  update(*robot.model, robot.state, inertia, robot.implicit_time);
}

void RobotEquations::returnTo(const dynamics::ArticulatedState& state) {
  if (workspace_->has(dynamics::ArticulatedWorkspace::kFactored) && q_ == state.q) return;
  update(*model_, state, true, implicit_time_);
}

double RobotEquations::fastestDecay(std::span<const char> locked) const {
  return model_ ? dynamics::fastestDecay(*model_, *workspace_, locked) : 0;
}

void RobotEquations::writeLinks(const SystemRobot& robot, std::span<SystemBody> bodies,
                                std::span<const unsigned char> asked) const {
  const auto own = [&](SystemBody& body) {
    placeLink(body);
    body.state.setVelocity(dynamics::linkVelocity(*model_, *workspace_, body.link, body.state.pose.p));
  };
  const auto isAsked = [&](size_t place) {
    return asked.empty() || asked[static_cast<size_t>(robot.first_slot) + place];
  };
  const std::span<SystemBody> links = bodies.subspan(static_cast<size_t>(robot.first_slot), robot.links.size());
  for (size_t i = 0; i < links.size() && robot.carried.empty(); ++i)
    if (isAsked(i)) own(links[i]);
  for (const CarriedLink& link : robot.carried) {
    if (!isAsked(static_cast<size_t>(link.place))) continue;
    if (link.carrier < 0) own(links[link.place]);
    else carryLink(link, robot.state, links[link.carrier].state, links[link.place].state);
  }
}

/// By its own joint, not by what carries it.
void RobotEquations::placeLink(SystemBody& body) const {
  body.state.pose.q = dynamics::linkPose(*model_, *workspace_, body.link).q;
  body.state.pose.p = centreOf(body.link);
}

void RobotEquations::placeLinks(const SystemRobot& robot, std::span<SystemBody> bodies) const {
  const auto own = [&](SystemBody& body) { placeLink(body); };
  const std::span<SystemBody> links = bodies.subspan(static_cast<size_t>(robot.first_slot), robot.links.size());
  if (robot.carried.empty()) return std::for_each(links.begin(), links.end(), own), void();
  for (const CarriedLink& link : robot.carried)
    if (link.carrier < 0) own(links[link.place]);
    else carryPose(link, robot.state, links[link.carrier].state.pose, links[link.place].state.pose);
}

void RobotEquations::linkVelocities(const SystemRobot& robot, const Eigen::VectorXd& v,
                                    std::span<Vector6d> velocities) {
  dynamics::calcTwists(*model_, *workspace_, v, twists_);
  for (size_t i = 0; i < robot.links.size(); ++i) {
    const int link = robot.links[i], node = model_->link(link).node;
    const dynamics::NodeTwist& twist = twists_[node];
    velocities[robot.first_slot + i] =
        dynamics::stacked(twist.v + twist.w.cross(centreOf(link) - workspace_->nodes[node].p), twist.w);
  }
}

void RobotEquations::accelerate(const Eigen::VectorXd& dv) { dynamics::calcAccelerations(*model_, dv, *workspace_); }

Vector6d RobotEquations::linkAcceleration(int link) const {
  return dynamics::linkAcceleration(*model_, *workspace_, link, centreOf(link));
}

void RobotEquations::linkAccelerations(const SystemRobot& robot, const Eigen::VectorXd& dv,
                                       std::span<Vector6d> accelerations, std::span<Vector6d> bias) {
  accelerate(dv);
  for (size_t i = 0; i < robot.links.size(); ++i) {
    const int link = robot.links[i];
    const Eigen::Vector3d centre = centreOf(link);
    accelerations[robot.first_slot + i] = dynamics::linkAcceleration(*model_, *workspace_, link, centre);
    if (!bias.empty())
      bias[robot.first_slot + i] = dynamics::linkBiasAcceleration(*model_, *workspace_, link, centre);
  }
}

Eigen::Vector3d RobotEquations::centreOf(int link) const {
  const auto& node = workspace_->nodes[model_->link(link).node];
  return node.p + node.R * centres_[link];
}

void RobotEquations::expandRow(int link, const Eigen::Vector3d& centre, const Vector6d& twist_row) {
  row_.setZero();
  dynamics::addLinkForce(*model_, *workspace_, link, centre, twist_row, row_);
}

void RobotEquations::jointAxis(int dof, int child, Eigen::Vector3d& axis, Eigen::Vector3d& point) const {
  point = dynamics::linkCentre(*model_, *workspace_, child);
  axis.setZero();
  const auto nodes = model_->nodes();
  using Node = dynamics::ArticulatedModel::Node;
  for (size_t n = 1; n < nodes.size(); ++n) {
    const bool simple = nodes[n].kind == Node::kRevolute || nodes[n].kind == Node::kPrismatic;
    if (nodes[n].v == dof && simple && !model_->joint(nodes[n].joint).follows()) axis = workspace_->nodes[n].axis;
  }
}

void RobotEquations::respondColumns(Eigen::Ref<Eigen::MatrixXd> columns) {
  dynamics::solveMassMatrixColumns(*model_, *workspace_, columns);
}

void RobotEquations::respond(Eigen::Ref<Eigen::VectorXd> row) {
  dynamics::solveMassMatrix(*model_, *workspace_, row, row);
}

void RobotEquations::takeEffort(const SystemRobot& robot) {
  if (robot.effort.size() > 0) effort_ = robot.effort;
  else effort_.setZero();
}

void RobotEquations::freeAcceleration(const SystemRobot& robot, const Eigen::Vector3d& gravity, Eigen::VectorXd& dv,
                                      const Eigen::VectorXd& force) {
  takeEffort(robot);
  if (force.size() > 0) effort_ += force;
  dv.resize(model_->numVelocities());
  dynamics::calcForwardDynamics(*model_, *workspace_, robot.state.v, effort_, gravity, dv);
}

void RobotEquations::accelerationThere(const SystemRobot& robot, const Eigen::Vector3d& gravity, Eigen::VectorXd& dv) {
  use(*robot.model);
  other_->friction_apart = !robot.brakes.empty();
  dynamics::calcPositions(*model_, robot.state.q, *other_);
  dynamics::calcVelocities(*model_, robot.state.v, *other_);
  dynamics::factorInertia(*model_, *other_, robot.implicit_time);
  takeEffort(robot);
  dv.resize(model_->numVelocities());
  dynamics::calcForwardDynamics(*model_, *other_, robot.state.v, effort_, gravity, dv);
}

void RobotEquations::respondingInertia(const SystemRobot& robot, Eigen::MatrixXd& M) {
  const int n = model_->numVelocities();
  M.resize(n, n);
  if (implicit_time_ == 0) return massMatrix(robot, M);
  M.setIdentity();
  for (int i = 0; i < n; ++i) respond(M.col(i));
  Eigen::MatrixXd factor = M;
  (void)impact::choleskyInPlace(factor);  // It responds as a body does: NaN alone is not positive definite.
  M.setIdentity();
  impact::solveCholesky(factor, M);
  M = (0.5 * (M + M.transpose())).eval();
}

void RobotEquations::massMatrix(const SystemRobot&, Eigen::Ref<Eigen::MatrixXd> M) {
  dynamics::calcMassMatrix(*model_, *workspace_, M);
}

double RobotEquations::energy(const Eigen::Vector3d& gravity) const {
  return dynamics::kineticEnergy(*model_, *workspace_, v_) +
         dynamics::potentialEnergy(*model_, *workspace_, gravity);
}

void normaliseQuaternions(const dynamics::ArticulatedModel& model, Eigen::VectorXd& q) {
  for (int j = 0; j < model.numJoints(); ++j) {
    const auto& joint = model.joint(j);
    if (joint.type == dynamics::JointType::kSpherical) q.segment<4>(joint.q).normalize();
    if (joint.type == dynamics::JointType::kFloating) q.segment<4>(joint.q + 3).normalize();
  }
}

}  // namespace rigor::sim
