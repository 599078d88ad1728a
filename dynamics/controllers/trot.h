// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dynamics/controllers/controller.h"
#include "dynamics/controllers/gait.h"
#include "dynamics/controllers/leg.h"

namespace rigor::dynamics {

struct TrotOptions {
  double period = 1e-3;  ///< Between samples [s]; the gait's period is in `gait`.
  Gait gait;
  double kp = 20, kd = 0.1;       ///< [N m/rad], [N m s/rad]
  double heading = 4;             ///< Turn rate per angle by which a floating base is off its heading [1/s].
  bool inverse_dynamics = false;  ///< Adds the torques that the planned motion needs, standing feet carrying the base.
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< For them [m/s^2].
};

/// Gait of a robot with four legs: foot targets, inverse kinematics, joint PD.
///
///   u = -kp (q - q_d) - kd v                       [Drumwright16, Section 5; kd acts on the joint's own velocity]
///   u = u_id - kp (q - q_d) - kd (v - v_d)         with inverse dynamics
///
/// The gait's turn rate is w = w_d - heading (psi - psi_d), within kMostTurn of w_d: psi is the heading of the base,
/// psi_d that of the start, turned by w_d. Feet in the air and on the ground follow it at once; their targets stay
/// continuous.
///
/// u_id: inverse dynamics of the planned joint accelerations; of the forces on standing feet that carry the base, the
/// smallest ones. Joints that belong to no leg get no force. Remembers the last planned angles (12 numbers), which tell
/// the knees' side from one sample to the next, and the heading of the start; a target out of reach keeps the leg
/// stretched towards it.
class Trot : public Controller {
 public:
  /// Feet in the order of Gait. @throws ModelError for legs that Leg refuses, std::invalid_argument for options.
  Trot(std::shared_ptr<const ArticulatedModel> model, int base_link, const std::array<Foot, 4>& feet,
       TrotOptions options);
  double period() const override { return options_.period; }
  int memorySize() const override { return 13; }
  void start(const ArticulatedState& state, std::vector<double>& memory) const override;
  void calcForces(double time, const ArticulatedState& state, std::vector<double>& memory,
                  ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const override;

  const Leg& leg(int i) const { return legs_[i]; }
  const TrotOptions& options() const { return options_; }

  static constexpr double kMostTurn = 1;  ///< [rad/s]

 private:
  void addInverseDynamics(const Gait& gait, double time, const ArticulatedState& state, ArticulatedWorkspace& workspace,
                          Eigen::VectorXd& tau) const;
  double heading(const ArticulatedState& state) const;
  std::shared_ptr<const ArticulatedModel> model_;
  int base_link_;
  std::vector<Leg> legs_;
  TrotOptions options_;
};

}  // namespace rigor::dynamics
