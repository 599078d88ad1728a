// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/sets/directed_search.h"
#include "impact/sets/potential.h"
#include "impact/sets/scaled_force.h"

namespace rigor::impact {

/// The state of an impact scaled so that its kinetic energy is x'x, 1 at the start; in doubles. c = size root x.
class KineticScale {
 public:
  using Rationals = BoundProof::Rationals;

  /// valid() is false where nothing moves that contacts can change.
  KineticScale(const ImpactProblem& problem, const ExactProblem& exact);

  bool valid() const { return size_ > 0; }
  const Eigen::VectorXd& start() const { return start_; }
  /// A linear form of the coordinates, of the scaled ones.
  Eigen::VectorXd form(const Rationals& form) const;
  /// A form of the scaled ones times size(), as one of the coordinates.
  Eigen::VectorXd formBack(const Eigen::VectorXd& form) const;
  /// A change of the coordinates, in scaled ones, times size().
  Eigen::VectorXd change(const Rationals& change) const;
  /// The inverse of change().
  Eigen::VectorXd changeBack(const Eigen::VectorXd& change) const;
  /// All forces, contact by contact. @param once  Those of a contact that is listed again not again.
  std::vector<ScaledForce> forces(bool once = false) const;
  double size() const { return size_; }
  double energy() const { return energy_; }  ///< Root of v'Mv, of all velocities.

  /// Problem, coordinates, quantity, side, and a direction against all forces with the limit of weights. @returns false
  /// where there is none: forces may press against each other without limit.
  bool begin(const ExactQuantity& quantity, int side, BoundProof& proof) const;

 private:
  bool point(BoundProof& proof) const;

  const ImpactProblem& problem_;
  const ExactProblem& exact_;
  Eigen::MatrixXd root_;
  Eigen::VectorXd start_;
  double size_ = 0, energy_ = 0;
};

/// Exactly.
[[nodiscard]] BoundProof::Rationals asRationals(const Eigen::VectorXd& row);

/// x >= 0 with A x = b, in doubles; with the least c.x. @returns false where there is none.
[[nodiscard]] bool solveRounded(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::VectorXd& c,
                                Eigen::VectorXd& x);

}  // namespace rigor::impact
