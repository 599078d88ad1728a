// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>

#include "impact/resolver.h"

namespace rigor::impact {

/// Holds outcomes against the exact set of a problem, where that is found whole with little work.
class ExactGauge {
 public:
  /// Not known() for spatial contacts with friction, no-slip, restitution, more than four contacts, hard cases. Cost:
  /// some ms to some tenths of a second.
  /// @throws std::invalid_argument for a malformed problem.
  explicit ExactGauge(const ImpactProblem& problem);
  ~ExactGauge();
  ExactGauge(ExactGauge&&) noexcept;

  bool known() const { return set_ != nullptr; }
  /// How far outside the set velocity v lies: the least violation of a piece's planes, a lower bound of its distance,
  /// relative to the largest contact speed before; 0 inside, up to rounding (kInside). @pre known().
  double outside(const Eigen::Ref<const Eigen::VectorXd>& v) const;
  /// Least part of the exact range of a contact velocity that the columns of `velocities` span, of those that vary in
  /// the set; 1 where none does, 0 for no columns. @pre known().
  double coveredShare(const Eigen::Ref<const Eigen::MatrixXd>& velocities) const;

  /// Outcomes that are closer are inside: rounding of a model's solver, and speeds that were snapped at the start.
  static constexpr double kInside = 1e-7;

 private:
  struct Set;
  std::unique_ptr<Set> set_;
};

}  // namespace rigor::impact
