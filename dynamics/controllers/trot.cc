// SPDX-License-Identifier: MIT
#include "dynamics/controllers/trot.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "dynamics/controllers/joint_pd.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"
#include "elementary/elementary.h"

namespace rigor::dynamics {
namespace {

/// Share of the largest diagonal entry (of forces, of torques) that keeps the feet's problem solvable: two feet cannot
/// turn the base about the line between them.
constexpr double kFeetDamping = 1e-6;

}  // namespace

Trot::Trot(std::shared_ptr<const ArticulatedModel> model, int base_link, const std::array<Foot, 4>& feet,
           TrotOptions options)
    : model_(std::move(model)), base_link_(base_link), options_(std::move(options)) {
  for (const Foot& foot : feet) legs_.emplace_back(*model_, base_link, foot);
  const Gait& gait = options_.gait;
  if (!(options_.period > 0 && gait.period > 0)) throw std::invalid_argument("trot: periods > 0");
  if (!(gait.duty > 0 && gait.duty < 1)) throw std::invalid_argument("trot: a duty factor between 0 and 1");
  if (!(options_.kp >= 0 && options_.kd >= 0 && options_.heading >= 0)) throw std::invalid_argument("trot: gains >= 0");
}

void Trot::start(const ArticulatedState& state, std::vector<double>& memory) const {
  memory.resize(memorySize());
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) memory[3 * i + k] = state.q[legs_[i].position(k)];
  }
  memory[12] = heading(state);
}

/// Angle of the base's x axis about z [rad]; 0 of a base that does not float.
double Trot::heading(const ArticulatedState& state) const {
  const ArticulatedModel::Joint& base = model_->joint(model_->link(base_link_).joint);
  if (base.type != JointType::kFloating) return 0;
  const Eigen::Vector4d q = state.q.segment<4>(base.q + 3);
  return elementary::atan2(2 * (q[0] * q[3] + q[1] * q[2]), q[0] * q[0] + q[1] * q[1] - q[2] * q[2] - q[3] * q[3]);
}

void Trot::calcForces(double time, const ArticulatedState& state, std::vector<double>& memory,
                      ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const {
  tau.setZero();
  const bool feed_forward = options_.inverse_dynamics;
  const double h = options_.period;
  Gait gait = options_.gait;
  const double planned = memory[12] + gait.turn * std::max(0.0, time - gait.stand);
  const double off = std::remainder(heading(state) - planned, 2 * std::numbers::pi);
  gait.turn -= std::clamp(options_.heading * off, -kMostTurn, kMostTurn);
  Eigen::VectorXd& acceleration = workspace.scratch;
  acceleration.setZero();
  for (int i = 0; i < 4; ++i) {
    const Leg& leg = legs_[i];
    // Plans now and at the next two samples: their differences are the planned rates.
    Eigen::Vector3d plan[3], last = Eigen::Map<const Eigen::Vector3d>(memory.data() + 3 * i);
    for (int ahead = 0; ahead < (feed_forward ? 3 : 1); ++ahead) {
      (void)leg.solve(footTarget(gait, i, time + ahead * h).position, last, plan[ahead]);
      last = plan[ahead];
    }
    for (int k = 0; k < 3; ++k) {
      memory[3 * i + k] = plan[0][k];
      const double rate = feed_forward ? (plan[1][k] - plan[0][k]) / h : 0;
      if (feed_forward) acceleration[leg.dof(k)] = (plan[2][k] - 2 * plan[1][k] + plan[0][k]) / (h * h);
      addPd(options_.kp, options_.kd, state.q[leg.position(k)] - plan[0][k], state.v[leg.dof(k)] - rate,
            tau[leg.dof(k)]);
    }
  }
  if (feed_forward) addInverseDynamics(gait, time, state, workspace, tau);
}

void Trot::addInverseDynamics(const Gait& gait, double time, const ArticulatedState& state,
                              ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const {
  const ArticulatedModel& model = *model_;
  calcKinematics(model, state, workspace);
  // The base's part of M v' + h is the wrench that the standing feet have to give it.
  const ArticulatedModel::Joint& base = model.joint(model.link(base_link_).joint);
  const bool floating = base.type == JointType::kFloating;
  Eigen::VectorXd& forces = workspace.scratch;  // In place: the recursion reads accelerations before it writes forces.
  calcInverseDynamics(model, workspace, state.v, workspace.scratch, options_.gravity, forces);
  std::array<Eigen::Vector3d, 4> arms;
  std::array<bool, 4> stands{};
  Vector6d share = Vector6d::Zero();
  if (floating) {
    // f_i = least squares of sum (f_i, r_i x f_i) = wrench: f_i = a - r_i x b, with the 6 x 6 matrix G (a, b) = wrench.
    Eigen::Matrix<double, 6, 6> G = Eigen::Matrix<double, 6, 6>::Zero();
    const Eigen::Vector3d centre = workspace.nodes[base.node].p;
    for (int i = 0; i < 4; ++i) {
      stands[i] = footTarget(gait, i, time).stands;
      if (!stands[i]) continue;
      arms[i] = footPoint(model, workspace, legs_[i].end()) - centre;
      Eigen::Matrix<double, 6, 3> map;
      const Eigen::Vector3d& r = arms[i];
      map.topRows<3>().setIdentity();
      map.bottomRows<3>() << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
      G += map * map.transpose();
    }
    const double forward = G.diagonal().head<3>().maxCoeff(), turning = G.diagonal().tail<3>().maxCoeff();
    if (forward > 0 && turning > 0) {
      G.diagonal().head<3>().array() += kFeetDamping * forward;
      G.diagonal().tail<3>().array() += kFeetDamping * turning;
      SmallLdlt<6> ldlt;
      ldlt.factor(G);
      share = ldlt.solve(forces.segment<6>(base.v));
    }
  }
  for (const Leg& leg : legs_) {
    for (int k = 0; k < 3; ++k) tau[leg.dof(k)] += forces[leg.dof(k)];
  }
  for (int i = 0; i < 4; ++i) {
    if (!stands[i]) continue;
    const Eigen::Vector3d force = share.head<3>() - arms[i].cross(share.tail<3>());
    Vector6d wrench = Vector6d::Zero();
    wrench.head<3>() = -force;
    const Foot& foot = legs_[i].end();
    addLinkForce(model, workspace, foot.link, footPoint(model, workspace, foot), wrench, tau);
  }
}

}  // namespace rigor::dynamics
