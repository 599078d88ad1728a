// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "friction/coulomb.h"
#include "impact/models/least_squares_impulse.h"

namespace rigor::impact {

enum class IntervalStatus {
  kSolved,  ///< Every condition of Table 1 holds up to rounding.
  kNone,    ///< No solution was found: p must not be used. With sliding contacts there may be none (a jam).
};

/// Who pushes, who rolls and who begins to slip in one interval (Uchida, Sherman and Delp, Section 3b, Algorithm 1).
///
/// Guarantee on kSolved: the conditions of Table 1 for the given roles and the given sliding directions, each to 1e-10
/// of the scale of the data. The search is the paper's - all constraints active, the largest violation dropped - made
/// two-sided: a contact that was dropped and approaches, or slips against its friction, comes back. Contacts that
/// violate equally change together, so that symmetric problems have symmetric answers. Where the search cycles, the
/// smooth Coulomb problem (coulomb.h) gives the set to start from. One per thread.
class IntervalSolver {
 public:
  /// @param points  In: role and expansion of each; slip kSlides with its direction, or anything else for contacts that
  ///     may roll. Out: the slip and active of each. @param p  3m, out, scaled as in PlusRows.
  [[nodiscard]] IntervalStatus solve(const PlusRows& rows, const Eigen::VectorXd& u, std::span<ImpactPoint> points,
                                     Eigen::VectorXd& p);

  double residual() const { return residual_; }  ///< Largest violation by the last answer, in units of u.

 private:
  enum class Ties { kTogether, kOneByOne };
  bool search(const PlusRows& rows, const Eigen::VectorXd& u, std::span<ImpactPoint> points, Eigen::VectorXd& p,
              Ties ties, int limit);
  bool relax(const PlusRows& rows, std::span<ImpactPoint> points, const Eigen::VectorXd& p, Ties ties);
  int turn(const PlusRows& rows, std::span<ImpactPoint> points, const Eigen::VectorXd& p);
  bool restore(const PlusRows& rows, std::span<ImpactPoint> points, Ties ties);
  bool startFromCoulomb(const PlusRows& rows, const Eigen::VectorXd& u, std::span<ImpactPoint> points,
                        Eigen::VectorXd& p);

  double violation(const PlusRows& rows, const Eigen::VectorXd& u, std::span<const ImpactPoint> points,
                   const Eigen::VectorXd& p);

  LeastSquaresImpulse least_squares_;
  friction::CoulombSolver coulomb_;
  Eigen::VectorXd end_, b_, f_;
  Eigen::MatrixXd matrix_;
  std::vector<ImpactPoint> start_;
  std::vector<int> who_;
  std::vector<double> mu_;
  std::vector<unsigned char> slides_;
  std::vector<Eigen::Vector2d> direction_, direction_out_;
  std::vector<friction::ContactMode> modes_;
  std::vector<unsigned char> slid_;  // contacts whose sliding was given
  double scale_ = 1, residual_ = 0;
};

}  // namespace rigor::impact
