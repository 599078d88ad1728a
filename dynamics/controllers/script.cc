// SPDX-License-Identifier: MIT
#include "dynamics/controllers/script.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dynamics/controllers/holding_forces.h"
#include "dynamics/controllers/joint_pd.h"

namespace rigor::dynamics {

Script::Script(std::shared_ptr<const ArticulatedModel> model, ScriptOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  for (auto [gain, normally] : {std::pair{&options_.kp, 20.0}, {&options_.kd, 0.1}})
    if (gain->size() == 0) gain->setConstant(model_->numVelocities(), normally);
  const auto& o = options_;
  const bool fits = !o.times.empty() && o.values.rows() == static_cast<Eigen::Index>(o.times.size()) &&
                    o.values.cols() == static_cast<Eigen::Index>(o.dofs.size());
  if (!fits) throw std::invalid_argument("script: a row for each time, a column for each joint");
  for (size_t i = 1; i < o.times.size(); ++i) {
    if (!(o.times[i] > o.times[i - 1])) throw std::invalid_argument("script: times that ascend");
  }
  if (o.kp.size() != model_->numVelocities() || o.kd.size() != model_->numVelocities())
    throw std::invalid_argument("script: gains for every velocity");
  const bool gains = o.kp.allFinite() && o.kd.allFinite() && (o.kp.array() >= 0).all() && (o.kd.array() >= 0).all();
  if (!o.values.allFinite() || !(o.period > 0) || !gains) {
    throw std::invalid_argument("script: finite numbers, gains >= 0, a period > 0");
  }
  for (int dof : o.dofs) {
    const bool known = dof >= 0 && dof < model_->numVelocities();
    if (!known || model_->positionOf(dof) < 0) throw std::invalid_argument("script: coordinates of simple joints");
  }
}

Eigen::VectorXd Script::drivenGains(const Eigen::VectorXd& gains) const {
  Eigen::VectorXd driven = Eigen::VectorXd::Zero(gains.size());
  for (const int dof : options_.dofs) driven[dof] = gains[dof];
  return driven;
}

void Script::calcForces(double time, const ArticulatedState& state, std::vector<double>&,
                        ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const {
  if (options_.holds) calcHoldingForces(*model_, state.q, options_.gravity, workspace, tau);
  else tau.setZero();
  const std::vector<double>& times = options_.times;
  const size_t after = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  const size_t next = std::min(after, times.size() - 1), last = after == 0 ? 0 : after - 1;
  const double share = next == last ? 0 : (time - times[last]) / (times[next] - times[last]);
  for (size_t c = 0; c < options_.dofs.size(); ++c) {
    const double value = options_.values(last, c) + share * (options_.values(next, c) - options_.values(last, c));
    const int dof = options_.dofs[c];
    if (!options_.positions)
      tau[dof] += value;
    else
      addPd(options_.kp[dof], options_.kd[dof], state.q[model_->positionOf(dof)] - value, state.v[dof], tau[dof]);
  }
}

}  // namespace rigor::dynamics
