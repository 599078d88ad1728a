// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "dynamics/controllers/controller.h"

namespace rigor::dynamics {

struct ScriptOptions {
  double period = 1e-3;       ///< [s]
  bool positions = false;     ///< The numbers are wanted positions for a joint PD; otherwise forces.
  double kp = 20, kd = 0.1;   ///< Of that PD.
  std::vector<int> dofs;      ///< Velocity that each column drives; others get no force.
  std::vector<double> times;  ///< Ascending [s].
  Eigen::MatrixXd values;     ///< A row for each time, a column for each of `dofs`.
};

/// Forces or positions from a table, linear between its times and constant before and after them.
class Script : public Controller {
 public:
  /// @throws std::invalid_argument where sizes do not fit, times do not ascend, or a number is not finite.
  Script(std::shared_ptr<const ArticulatedModel> model, ScriptOptions options);
  double period() const override { return options_.period; }
  void calcForces(double time, const ArticulatedState& state, std::vector<double>& memory,
                  ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const override;

 private:
  std::shared_ptr<const ArticulatedModel> model_;
  ScriptOptions options_;
};

}  // namespace rigor::dynamics
