// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <memory>

#include "impact/problem/impact_problem.h"

namespace rigor::impact {

/// Holds outcomes against the exact set of a problem, where that is found whole with little work.
class ExactGauge {
 public:
  /// How much is tried.
  struct Effort {
    std::int64_t work = 3'000'000;  ///< ExactSetLimits::work of the set.
    int exact_contacts = 4;         ///< Contacts beyond which the set is not tried.
    int bounded_contacts = 0;       ///< Up to which there are bounds where the set is not known (boundOutside()).
    int cone_edges = 0;             ///< Of spatial contacts with friction; 0: these are not tried.
  };

  /// Not known() for spatial contacts with friction, no-slip, restitution, more than four contacts, hard cases. Cost:
  /// some ms to some tenths of a second.
  /// @throws std::invalid_argument for a malformed problem.
  explicit ExactGauge(const ImpactProblem& problem);
  /// The same with another effort. Restitution is refused as before.
  ExactGauge(const ImpactProblem& problem, const Effort& effort);
  ~ExactGauge();
  ExactGauge(ExactGauge&&) noexcept;

  bool known() const;
  /// Not known(), but its contact velocities have proved bounds.
  bool bounded() const;
  /// How far outside the set velocity v lies: the least violation of a piece's planes, a lower bound of its distance,
  /// relative to the largest contact speed before; 0 inside, up to rounding (kInside). Where the set is bounded(): the
  /// worst violation of a bound. @pre known() or bounded().
  double outside(const Eigen::Ref<const Eigen::VectorXd>& v) const;
  /// Least part of the exact range of a contact velocity that the columns of `velocities` span, of those that vary in
  /// the set; 1 where none does, 0 for no columns. @pre known().
  double coveredShare(const Eigen::Ref<const Eigen::MatrixXd>& velocities) const;
  /// Largest normal velocity of a contact in the set, or its bound [m/s]. @pre known() or bounded().
  double mostLift() const;
  int pieces() const;     ///< Polytopes; 0 where the set is not known.
  int dimension() const;  ///< Largest of a polytope; -1 where the set is not known.
  double speed() const;   ///< Largest contact speed before the impact, 1 where all are 0 [m/s].

  /// Outcomes that are closer are inside: rounding of a model's solver, and speeds that were snapped at the start.
  static constexpr double kInside = 1e-7;

 private:
  struct Set;
  void findSet(const ImpactProblem& problem, const Effort& effort);
  void findBounds(const ImpactProblem& problem, const Effort& effort);
  std::unique_ptr<Set> set_;
};

}  // namespace rigor::impact
