// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "dynamics/controllers/controller.h"

namespace rigor::dynamics {

/// Proportional and damping forces of single coordinates: tau = -kp (q - target) - kd v. Coordinates of quaternions get
/// the damping alone. Vectors have nv entries, by velocity.
struct JointPdOptions {
  double period = 1e-3;    ///< [s]
  Eigen::VectorXd kp, kd;  ///< [N m/rad, N/m], [N m s/rad, N s/m], >= 0
  Eigen::VectorXd target;  ///< [rad] or [m]
  bool holds = false;      ///< Adds calcHoldingForces() for `gravity`.
  Eigen::Vector3d gravity{0, 0, 0};  ///< [m/s^2]
};

/// Adds the forces of one coordinate to tau. O(1)
inline void addPd(double kp, double kd, double position_error, double velocity_error, double& tau) {
  tau -= kp * position_error + kd * velocity_error;
}

/// Holds every joint at its target.
class JointPd : public Controller {
 public:
  /// @throws std::invalid_argument where a vector has not nv entries, or a number is negative or not finite.
  JointPd(std::shared_ptr<const ArticulatedModel> model, JointPdOptions options);
  double period() const override { return options_.period; }
  void calcForces(double time, const ArticulatedState& state, std::vector<double>& memory,
                  ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const override;
  const JointPdOptions& options() const { return options_; }

 private:
  std::shared_ptr<const ArticulatedModel> model_;
  JointPdOptions options_;
};

}  // namespace rigor::dynamics
