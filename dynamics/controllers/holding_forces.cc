// SPDX-License-Identifier: MIT
#include "dynamics/controllers/holding_forces.h"

#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"

namespace rigor::dynamics {

void calcHoldingForces(const ArticulatedModel& model, const Eigen::VectorXd& q, const Eigen::Vector3d& gravity,
                       ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) {
  Eigen::VectorXd& rest = workspace.scratch;
  rest.setZero();
  calcPositions(model, q, workspace);
  calcVelocities(model, rest, workspace);
  calcBiasForces(model, workspace, rest, gravity, tau);
}

}  // namespace rigor::dynamics
