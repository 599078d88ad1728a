// SPDX-License-Identifier: MIT
#include "dynamics/controllers/joint_pd.h"

#include <stdexcept>

#include "dynamics/controllers/holding_forces.h"

namespace rigor::dynamics {

JointPd::JointPd(std::shared_ptr<const ArticulatedModel> model, JointPdOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  const int nv = model_->numVelocities();
  if (options_.kp.size() != nv || options_.kd.size() != nv || options_.target.size() != nv) {
    throw std::invalid_argument("joint PD: gains and targets for every velocity");
  }
  const bool usable = options_.kp.allFinite() && options_.kd.allFinite() && options_.target.allFinite() &&
                      (options_.kp.array() >= 0).all() && (options_.kd.array() >= 0).all();
  if (!usable || !(options_.period > 0)) throw std::invalid_argument("joint PD: gains >= 0, a period > 0, all finite");
}

void JointPd::calcForces(double, const ArticulatedState& state, std::vector<double>&, ArticulatedWorkspace& workspace,
                         Eigen::VectorXd& tau) const {
  if (options_.holds) calcHoldingForces(*model_, state.q, options_.gravity, workspace, tau);
  else tau.setZero();
  for (int dof = 0; dof < model_->numVelocities(); ++dof) {
    const int position = model_->positionOf(dof);
    const double error = position < 0 ? 0 : state.q[position] - options_.target[dof];
    addPd(options_.kp[dof], options_.kd[dof], error, state.v[dof], tau[dof]);
  }
}

}  // namespace rigor::dynamics
