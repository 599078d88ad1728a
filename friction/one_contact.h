// SPDX-License-Identifier: MIT
#pragma once
#include "friction/contact_mode.h"

namespace rigor::friction {

/// The 3 x 3 block of one contact, prepared for many solves with changing right-hand sides.
///
/// Slip is solved exactly: with a_n = 0 and a_t = -kappa f_t the tangential force is
///   f_t(kappa) = -(S + kappa)^-1 q,   S = A_tt - A_tn A_nt / A_nn,   q = c_t - A_tn c_n / A_nn,
/// and |f_t| - mu f_n changes sign between kappa = 0 (stick, outside the cone) and infinity (f_t = 0, f_n > 0), so a
/// bracketed root always exists. The block must be positive definite up to rounding.
struct OneContact {
  double nn = 0;              ///< A_nn.
  double nt[2] = {0, 0};      ///< A_nt.
  double lambda[2] = {0, 0};  ///< Eigenvalues of S, descending.
  double axis[2] = {1, 0};    ///< Eigenvector of lambda[0].

  /// @param block  Column-major 3 x 3 with leading dimension ld.
  void prepare(const double* block, long ld);

  /// Solves 0 <= f_n complementary to a_n >= 0 with Coulomb's law for a = A_ii f + c.
  /// @param slide  Unit direction of a contact that slides already, else null. A sliding contact whose
  ///     A_nn - mu A_nt.d is not safely positive gets a damped projection step from `f` instead of an exact answer.
  /// @param f  In: the previous force. Out: the solution.
  ContactMode solve(const double c[3], double mu, const double* slide, double f[3]) const;
};

}  // namespace rigor::friction
