// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "dynamics/quaternion.h"
#include "impact/problem/matrix_factors.h"
#include "methods/free_motion.h"
#include "methods/step_turns.h"

namespace rigor::methods {

using dynamics::ArticulatedModel;
using dynamics::ArticulatedWorkspace;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr int kNewtonSteps = 50;       // Of the rotation of a free body: it takes five.
constexpr int kFixedPointSteps = 500;  // Of a robot's middle velocity; each gains a factor of about h times its speed.
constexpr double kConverged = 4e-16;   // Relative change: rounding.
constexpr double kStagnates = 1e-9;    // The same times the condition of a long chain's mass matrix: 1e-11 of 20 links.

Matrix3d crossMatrix(const Vector3d& s) {
  return (Matrix3d() << 0, -s[2], s[1], s[2], 0, -s[0], -s[1], s[0], 0).finished();
}

/// s = h W / 2 with Pi h / 2 = J s + s x J s + (s.J s) s. @returns false where Newton's method does not settle.
bool solveCayley(const Matrix3d& J, const Vector3d& half_momentum, Vector3d& s) {
  s = J.inverse() * half_momentum;
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Vector3d Js = J * s;
    const Vector3d f = Js + s.cross(Js) + s.dot(Js) * s - half_momentum;
    const Matrix3d D =
        J + crossMatrix(s) * J - crossMatrix(Js) + s.dot(Js) * Matrix3d::Identity() + 2 * s * Js.transpose();
    const Vector3d change = D.inverse() * f;
    s -= change;
    if (!(change.norm() > kConverged * s.norm())) return s.allFinite();
  }
  return s.allFinite();  // To rounding: the last changes no longer shrink.
}

bool advanceBody(sim::SystemBody& body, const Vector3d& gravity, const sim::Vector6d& load, double h) {
  dynamics::RigidBodyState& x = body.state;
  const Vector3d v1 = x.v + h * (gravity + load.head<3>() / body.model->mass);
  x.pose.p += h / 2 * (x.v + v1);
  x.v = v1;
  const Matrix3d& J = body.model->inertia;
  const Matrix3d R0 = x.pose.rotation();
  const Vector3d L = R0 * (J * (R0.transpose() * x.w)) + h / 2 * load.tail<3>();
  Vector3d s;
  if (!solveCayley(J, h / 2 * (R0.transpose() * L), s)) return false;
  x.pose.q = dynamics::multiply(x.pose.q, Eigen::Vector4d(1, s[0], s[1], s[2])).normalized();
  const Matrix3d R1 = x.pose.rotation();
  x.w = R1 * (body.model->inverse_inertia * (R1.transpose() * (L + h / 2 * load.tail<3>())));
  return true;
}

/// Momenta of everything behind each node: linear, and angular about the world's origin. @pre calcKinematics.
void subtreeMomenta(const ArticulatedModel& model, const ArticulatedWorkspace& w, std::vector<sim::Vector6d>& momenta) {
  momenta.assign(model.nodes().size(), sim::Vector6d::Zero());
  for (int l = 0; l < model.numLinks(); ++l) {
    const auto& link = model.link(l);
    const Vector3d c = dynamics::linkCentre(model, w, l);
    const sim::Vector6d u = dynamics::linkVelocity(model, w, l, c);
    const Matrix3d R = dynamics::linkPose(model, w, l).rotation();
    const Vector3d P = link.mass * u.head<3>();
    momenta[link.node].head<3>() += P;
    momenta[link.node].tail<3>() += c.cross(P) + R * (link.inertia * (R.transpose() * u.tail<3>()));
  }
  for (std::size_t n = model.nodes().size(); n-- > 1;) momenta[model.nodes()[n].parent] += momenta[n];
}

/// dT/dq: what hangs on a node, with momentum (P, L) about the joint, turns as a whole with its coordinate; the
/// velocity that the node itself has does not turn with it. For an axis a through the joint, which moves at v and turns
/// at w: L.(w x a) + P.(v x a); for a shift P.(w x a). And the damping of the joints.
void addKineticGradient(const ArticulatedModel& model, const ArticulatedWorkspace& w,
                        std::vector<sim::Vector6d>& momenta, VectorXd& force) {
  subtreeMomenta(model, w, momenta);
  for (std::size_t n = 1; n < model.nodes().size(); ++n) {
    const ArticulatedModel::Node& node = model.nodes()[n];
    const auto &own = w.nodes[n], &parent = w.nodes[node.parent];
    const Vector3d P = momenta[n].head<3>(), L = momenta[n].tail<3>() - own.p.cross(P);
    // (w x a).L + (v x a).P as a vector whose product with `a` it is.
    const Vector3d turned = L.cross(own.w) + P.cross(own.v);
    switch (node.kind) {
      case ArticulatedModel::Node::kFloating:
        force.segment<3>(node.v + 3) += turned;  // A shift turns nothing.
        break;
      case ArticulatedModel::Node::kSpherical: {
        const auto& block = w.spherical[static_cast<std::size_t>(own.block)];
        const Vector3d rate = block.axes.transpose() * (own.w - parent.w);
        force.segment<3>(node.v) += block.axes.transpose() * turned - node.damping * rate;
        break;
      }
      default: {
        const double gradient =
            node.kind == ArticulatedModel::Node::kRevolute ? own.axis.dot(turned) : P.dot(parent.w.cross(own.axis));
        force[node.v] += node.ratio * (gradient - w.dissipation(node, own) * own.rate);
      }
    }
  }
}

/// The equations of motion in the middle of a step.
class MiddleOfStep {
 public:
  MiddleOfStep(const sim::SystemRobot& robot, const Vector3d& gravity, const VectorXd& load)
      : robot_(robot), gravity_(gravity), load_(load), workspace_(*robot.model) {}
  /// G and M at the configuration q and the velocities u.
  void update(const VectorXd& q, const VectorXd& u) {
    const ArticulatedModel& model = *robot_.model;
    ArticulatedWorkspace& w = workspace_;
    const VectorXd zero = VectorXd::Zero(u.size());
    weight_.resize(u.size()), mass.resize(u.size(), u.size());
    dynamics::calcPositions(model, q, w);
    dynamics::calcMassMatrix(model, w, mass);
    dynamics::calcVelocities(model, zero, w);
    dynamics::calcBiasForces(model, w, zero, gravity_, weight_);
    dynamics::calcVelocities(model, u, w);
    force = load_ - weight_;
    if (robot_.effort.size() > 0) force += robot_.effort;
    addKineticGradient(model, w, momenta_, force);
  }
  VectorXd force;
  Eigen::MatrixXd mass;

 private:
  const sim::SystemRobot& robot_;
  const Vector3d gravity_;
  const VectorXd& load_;
  ArticulatedWorkspace workspace_;
  std::vector<sim::Vector6d> momenta_;
  VectorXd weight_;
};

void calcMassAt(const ArticulatedModel& model, const VectorXd& q, Eigen::MatrixXd& M) {
  ArticulatedWorkspace w(model);
  dynamics::calcPositions(model, q, w);
  M.resize(model.numVelocities(), model.numVelocities());
  dynamics::calcMassMatrix(model, w, M);
}

bool advanceRobot(sim::SystemRobot& robot, const Vector3d& gravity, const VectorXd& load, double h) {
  const ArticulatedModel& model = *robot.model;
  StepTurns turns(model, h);
  MiddleOfStep middle(robot, gravity, load);
  Eigen::MatrixXd M;
  calcMassAt(model, robot.state.q, M);
  const VectorXd p0 = M * robot.state.v;
  VectorXd u = robot.state.v, q(robot.state.q.size());
  double before = HUGE_VAL;
  for (int k = 0; k < kFixedPointSteps; ++k) {
    if (!turns.set(u)) return false;
    turns.middle(robot.state.q, q);
    middle.update(q, u);
    VectorXd next = turns.middleMomenta(p0, middle.force);
    if (!impact::choleskyInPlace(middle.mass)) return false;
    impact::solveCholesky(middle.mass, next);
    const double change = (next - u).norm();
    u = next;
    if (!(change > kConverged * u.norm()) || (k > 20 && change >= before && change <= kStagnates * u.norm())) break;
    if (!std::isfinite(change) || k + 1 == kFixedPointSteps) return false;
    before = change;
  }
  if (!turns.set(u)) return false;
  const VectorXd p1 = turns.endMomenta(turns.middleMomenta(p0, middle.force), middle.force);
  turns.end(robot.state.q, robot.state.q);
  calcMassAt(model, robot.state.q, M);
  robot.state.v = p1;
  if (!impact::choleskyInPlace(M)) return false;
  impact::solveCholesky(M, robot.state.v);
  return robot.state.v.allFinite();
}

}  // namespace

bool VariationalMidpoint::advance(const World& world, sim::SystemState& state, double h, const Loads& loads) {
  for (std::size_t i = 0; i < state.size(); ++i)
    if (state[i].robot < 0 && !advanceBody(state[i], world.scene().gravity, loads.bodies[i], h)) return false;
  for (std::size_t r = 0; r < state.robots.size(); ++r)
    if (!advanceRobot(state.robots[r], world.scene().gravity, loads.robots[r], h)) return false;
  if (!state.robots.empty()) {
    sim::ContactSystem equations;
    equations.writeLinks(state);
  }
  return true;
}

std::string VariationalMidpoint::refuses(const sim::Scene& scene) {
  for (const sim::SceneRobot& robot : scene.robots)
    if (!robot.robot.model->loops().empty())
      return fmt::format("robot {} closes loops; robots that are trees", robot.robot.name);
  return {};
}

}  // namespace rigor::methods
