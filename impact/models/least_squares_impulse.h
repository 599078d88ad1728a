// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>

#include "impact/models/impact_point.h"
#include "impact/models/plus_rows.h"
#include "impact/problem/matrix_factors.h"

namespace rigor::impact {

/// The impulse of one interval for contacts whose roles are given: of all impulses that satisfy the equations, the one
/// of least norm, which spreads the load over redundant contacts (Uchida, Sherman and Delp, Eq. 2.10, 2.11 and Table
/// 1).
///
/// Equations: A_z p = -u_z of active compressing contacts, p_z = expansion of expanding ones, A_xy p = -u_xy of rolling
/// ones, p_xy = -mu p_z d of sliding ones. A contact in impending slip gets the part c of its friction across d as
/// well, with u_c + turning c = 0 for the slip u_c across d at the end: Newton's step of the slip's direction. One
/// complete orthogonal factorisation of the active rows, O(rows^3).
class LeastSquaresImpulse {
 public:
  /// @param u  3m, contact velocities at the start. @param p  3m, out.
  /// @returns the largest error of an equation, in units of u; NaN where the data are.
  double solve(const PlusRows& rows, const Eigen::VectorXd& u, std::span<const ImpactPoint> points,
               Eigen::VectorXd& p);

 private:
  Eigen::MatrixXd columns_, image_, equations_;  // impulse of an unknown, its velocities, the system
  Eigen::VectorXd velocity_, right_, x_, correction_;
  LeastNorm factor_;
};

}  // namespace rigor::impact
