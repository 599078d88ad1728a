// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "dynamics/controllers/controller.h"

namespace rigor::dynamics {

struct ScriptOptions {
  double period = 1e-3;       ///< [s]
  bool positions = false;     ///< The numbers are wanted positions for a joint PD; otherwise forces.
  Eigen::VectorXd kp, kd;     ///< Of that PD, by velocity, nv entries; empty: 20 and 0.1.
  bool holds = false;         ///< Adds calcHoldingForces() for `gravity`.
  Eigen::Vector3d gravity{0, 0, 0};  ///< [m/s^2]
  std::vector<int> dofs;      ///< Velocity that each column drives; others get no force.
  std::vector<double> times;  ///< Ascending [s].
  Eigen::MatrixXd values;     ///< A row for each time, a column for each of `dofs`.
};

/// Forces or positions from a table, linear between its times and constant before and after them.
class Script : public Controller {
 public:
  /// @throws std::invalid_argument where sizes do not fit, times do not ascend, or a number is not finite or a gain
  /// negative.
  Script(std::shared_ptr<const ArticulatedModel> model, ScriptOptions options);
  double period() const override { return options_.period; }
  void calcForces(double time, const ArticulatedState& state, std::vector<double>& memory,
                  ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const override;
  const ScriptOptions& options() const { return options_; }
  /// Of `gains`, those of the columns' velocities; 0 elsewhere.
  Eigen::VectorXd drivenGains(const Eigen::VectorXd& gains) const;

 private:
  std::shared_ptr<const ArticulatedModel> model_;
  ScriptOptions options_;
};

}  // namespace rigor::dynamics
