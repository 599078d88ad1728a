// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

namespace rigor::impact {

/// Orthogonal projection, in the kinetic metric, of a velocity onto {v : J v = 0}.
///
/// Guarantee: v'M v does not grow by more than rounding, and |J v| is at most 1e-10 of |J| |v before| (per row); rows
/// of J
/// may be redundant or zero. v <- v - W J' (J W J')^+ J v, W = M^-1, by a Gram-Schmidt with pivoting in the metric.
/// No allocation once sized. One per thread.
class VelocityProjection {
 public:
  /// @param inverse_mass  n x n, symmetric positive definite. @param J  k x n.  @returns the rank of J.
  int project(const Eigen::Ref<const Eigen::MatrixXd>& inverse_mass, const Eigen::Ref<const Eigen::MatrixXd>& J,
              Eigen::Ref<Eigen::VectorXd> v);

 private:
  std::vector<double> lambda_, dual_, norm_, done_;  // k x n covectors p, their duals W p, squared norms
};

/// The same with a workspace of the calling thread.
int projectVelocity(const Eigen::Ref<const Eigen::MatrixXd>& inverse_mass, const Eigen::Ref<const Eigen::MatrixXd>& J,
                    Eigen::Ref<Eigen::VectorXd> v);

}  // namespace rigor::impact
