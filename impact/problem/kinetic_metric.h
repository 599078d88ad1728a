// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::impact {

/// The metric of kinetic energy, |v|_M^2 = v' M v. With M = L L' it is Euclid's of L' v.
class KineticMetric {
 public:
  /// @throws std::invalid_argument unless M is positive definite. O(n^3).
  explicit KineticMetric(const Eigen::MatrixXd& M);

  /// M^-1 B: velocities of impulses.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& B) const;
  /// L' v: Euclidean coordinates of velocities.
  Eigen::MatrixXd coordinates(const Eigen::MatrixXd& velocities) const;
  /// L^-1 J': Euclidean coordinates of M^-1 J'.
  Eigen::MatrixXd dualCoordinates(const Eigen::MatrixXd& Jt) const;
  /// The velocity of Euclidean coordinates x.
  Eigen::VectorXd velocity(const Eigen::VectorXd& x) const;
  /// L', zero below the diagonal.
  Eigen::MatrixXd upper() const;

 private:
  Eigen::MatrixXd factor_;  // L in the lower triangle.
};

}  // namespace rigor::impact
