// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>

namespace rigor::impact {

/// Linear complementarity problem: find z >= 0 with w = M z + q >= 0 and z'w = 0.

/// max_i |min(z_i, w_i)|, relative to the larger of |q| and the terms of M z: zero exactly at a solution, and about the
/// machine epsilon at a solution found in rounding arithmetic. NaN gives infinity. O(n^2).
[[nodiscard]] double lcpResidual(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                                 const Eigen::Ref<const Eigen::VectorXd>& z);

/// All solutions that are basic: every complementary basis is tried (2^n of them), singular ones are skipped.
/// @param visit  Called with each solution whose residual is at most `tolerance`; returning false ends the search.
/// @returns the number of solutions visited. Equal solutions may come from several bases. @pre n <= 20.
int enumerateLcp(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                 double tolerance, const std::function<bool(const Eigen::VectorXd& z)>& visit);

}  // namespace rigor::impact
