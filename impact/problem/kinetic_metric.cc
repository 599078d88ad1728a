// SPDX-License-Identifier: MIT
#include "impact/problem/kinetic_metric.h"

#include <stdexcept>

#include "impact/problem/matrix_factors.h"

namespace rigor::impact {

using Eigen::MatrixXd;
using Eigen::VectorXd;

KineticMetric::KineticMetric(const MatrixXd& M) : factor_(M) {
  if (!choleskyInPlace(factor_)) throw std::invalid_argument("mass matrix must be positive definite");
}

MatrixXd KineticMetric::solve(const MatrixXd& B) const {
  MatrixXd X = B;
  solveCholesky(factor_, X);
  return X;
}

MatrixXd KineticMetric::coordinates(const MatrixXd& velocities) const {
  return factor_.triangularView<Eigen::Lower>().transpose() * velocities;
}

MatrixXd KineticMetric::dualCoordinates(const MatrixXd& Jt) const {
  MatrixXd X = Jt;
  factor_.triangularView<Eigen::Lower>().solveInPlace(X);
  return X;
}

VectorXd KineticMetric::velocity(const VectorXd& x) const {
  VectorXd v = x;
  factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(v);
  return v;
}

MatrixXd KineticMetric::upper() const { return factor_.triangularView<Eigen::Lower>().transpose(); }

}  // namespace rigor::impact
