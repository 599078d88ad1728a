// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/resolver.h"

namespace rigor::impact {

/// The contact rows of an ImpactProblem, three a contact: 3i normal, 3i + 1 and 3i + 2 tangential; a tangential row
/// that the contact does not have (planar or frictionless) is zero. Velocities and impulses are in units of the
/// problem's own scales: u = J v / velocityScale(), p = impulse / impulseScale(), A = J M^-1 J' impulseScale() /
/// velocityScale(), so that all are of order one and u changes by A p. No allocation once it has seen the largest
/// problem.
class PlusRows {
 public:
  /// @throws std::invalid_argument for sizes that do not fit, NaN, friction below 0, restitution outside [0, 1] or a
  /// mass matrix that is not symmetric and positive definite.
  void prepare(const ImpactProblem& problem);

  int numContacts() const { return m_; }
  const Eigen::MatrixXd& A() const { return A_; }              ///< 3m x 3m, scaled.
  double friction(int i) const { return mu_[i]; }              ///< Finite: kNoSlip became kNoSlipFriction.
  int numTangents(int i) const { return tangents_[i]; }        ///< Rows with friction: 0, 1 or 2.
  double velocityScale() const { return velocity_scale_; }     ///< Largest |J v| before the impact [m/s].
  double impulseScale() const { return velocity_scale_ / inverse_mass_scale_; }  ///< [N s]

  const Eigen::VectorXd& velocity() const { return v_; }       ///< n, present, the caller's units.
  const Eigen::VectorXd& contactVelocity() const { return u_; }  ///< 3m, present, scaled.
  double energy() const;                                       ///< v'M v / 2 [J].
  double energyBefore() const { return energy_before_; }       ///< [J]
  /// Applies the scaled impulse p (3m); the contact velocities are computed anew from v, so that they do not drift.
  void apply(const Eigen::VectorXd& p);
  /// Velocity and accumulated impulses in the caller's form.
  void publish(ImpactOutcome& outcome) const;

 private:
  const ImpactProblem* problem_ = nullptr;
  int m_ = 0;
  Eigen::MatrixXd mass_factor_, J_, mass_inverse_Jt_, A_;
  Eigen::VectorXd v_, u_, total_, step_;
  std::vector<double> mu_;
  std::vector<int> tangents_;
  double velocity_scale_ = 1, inverse_mass_scale_ = 1, energy_before_ = 0;
};

}  // namespace rigor::impact
