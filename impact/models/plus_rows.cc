// SPDX-License-Identifier: MIT
#include "impact/models/plus_rows.h"

#include <cmath>
#include <stdexcept>

#include "impact/lcp/contact_lcp.h"
#include "impact/problem/matrix_factors.h"
#include "impact/problem/problem_check.h"

namespace rigor::impact {

void PlusRows::prepare(const ImpactProblem& problem) {
  checkProblem(problem);
  problem_ = &problem;
  m_ = problem.numContacts();
  const int n = problem.numVelocities();
  const Eigen::MatrixXd& M = problem.mass_matrix;
  J_.setZero(3 * m_, n);
  mu_.assign(m_, 0);
  tangents_.assign(m_, 0);
  for (int i = 0; i < m_; ++i) {
    J_.row(3 * i) = problem.normal.row(i);
    if (problem.friction[i] == 0) continue;
    const Eigen::MatrixXd& T = problem.tangent[i];
    mu_[i] = std::isinf(problem.friction[i]) ? kNoSlipFriction : problem.friction[i];
    tangents_[i] = static_cast<int>(T.rows());
    J_.middleRows(3 * i + 1, tangents_[i]) = T;
  }
  mass_factor_ = M;
  if (!choleskyInPlace(mass_factor_)) throw std::invalid_argument("mass matrix must be positive definite");
  mass_inverse_Jt_ = J_.transpose();
  solveCholesky(mass_factor_, mass_inverse_Jt_);
  A_.noalias() = J_ * mass_inverse_Jt_;
  v_ = problem.velocity;
  u_.noalias() = J_ * v_;
  total_.setZero(3 * m_);
  velocity_scale_ = m_ > 0 ? u_.cwiseAbs().maxCoeff() : 0;
  if (!(velocity_scale_ > 0)) velocity_scale_ = 1;
  inverse_mass_scale_ = m_ > 0 ? A_.diagonal().maxCoeff() : 0;
  if (!(inverse_mass_scale_ > 0)) inverse_mass_scale_ = 1;
  A_ /= inverse_mass_scale_;
  u_ /= velocity_scale_;
  energy_before_ = energy();
}

double PlusRows::energy() const { return 0.5 * v_.dot(problem_->mass_matrix * v_); }

void PlusRows::apply(const Eigen::VectorXd& p) {
  step_ = impulseScale() * p;
  total_ += step_;
  v_.noalias() += mass_inverse_Jt_ * step_;
  u_.noalias() = J_ * v_;
  u_ /= velocity_scale_;
}

void PlusRows::publish(ImpactOutcome& outcome) const {
  outcome.velocity = v_;
  outcome.impulses.resize(m_);
  for (int i = 0; i < m_; ++i) {
    const bool given = i < static_cast<int>(problem_->tangent.size());
    const int rows = given ? static_cast<int>(problem_->tangent[i].rows()) : 0;
    outcome.impulses[i].setZero(1 + rows);
    const int used = 1 + std::min(rows, tangents_[i]);
    outcome.impulses[i].head(used) = total_.segment(3 * i, used);
  }
}

}  // namespace rigor::impact
