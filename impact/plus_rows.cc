// SPDX-License-Identifier: MIT
#include "impact/plus_rows.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>

#include "impact/contact_lcp.h"

namespace rigor::impact {
namespace {

// Asymmetry of the mass matrix, relative to its largest entry, that is rounding of the caller's.
constexpr double kAsymmetry = 1e-9;

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

void PlusRows::prepare(const ImpactProblem& problem) {
  problem_ = &problem;
  m_ = problem.numContacts();
  const int n = problem.numVelocities();
  const Eigen::MatrixXd& M = problem.mass_matrix;
  require(M.rows() == n && M.cols() == n, "mass matrix must be n x n");
  require(problem.normal.cols() == n || m_ == 0, "normal must have n columns");
  require(static_cast<int>(problem.friction.size()) == m_, "friction must have an entry per contact");
  require(problem.restitution.empty() || static_cast<int>(problem.restitution.size()) == m_,
          "restitution must have an entry per contact");
  require(problem.velocity.allFinite() && problem.normal.allFinite() && M.allFinite(), "numbers must be finite");
  require(n == 0 || (M - M.transpose()).cwiseAbs().maxCoeff() <= kAsymmetry * M.cwiseAbs().maxCoeff(),
          "mass matrix must be symmetric");
  J_.setZero(3 * m_, n);
  mu_.assign(m_, 0);
  tangents_.assign(m_, 0);
  for (int i = 0; i < m_; ++i) {
    require(problem.friction[i] >= 0, "friction must not be negative");
    require(problem.restitution.empty() || (problem.restitution[i] >= 0 && problem.restitution[i] <= 1),
            "restitution must be in [0, 1]");
    J_.row(3 * i) = problem.normal.row(i);
    if (problem.friction[i] == 0) continue;
    require(i < static_cast<int>(problem.tangent.size()), "a contact with friction needs tangent rows");
    const Eigen::MatrixXd& T = problem.tangent[i];
    require(T.cols() == n && (T.rows() == 1 || T.rows() == 2) && T.allFinite(),
            "tangent must have 1 or 2 rows and n columns");
    mu_[i] = std::isinf(problem.friction[i]) ? kNoSlipFriction : problem.friction[i];
    tangents_[i] = static_cast<int>(T.rows());
    J_.middleRows(3 * i + 1, tangents_[i]) = T;
  }
  mass_factor_ = M;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(mass_factor_);
  require(llt.info() == Eigen::Success, "mass matrix must be positive definite");
  mass_inverse_Jt_ = J_.transpose();
  llt.solveInPlace(mass_inverse_Jt_);
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
