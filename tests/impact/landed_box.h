// SPDX-License-Identifier: MIT
#pragma once
#include "impact/resolver.h"

namespace rigor::impact::test {

/// A box that lands flat on the four corners of a face, sliding (x, y, z; turning).
inline ImpactProblem landedBox(double friction) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(6, 6);
  problem.mass_matrix.diagonal() << 1, 1, 1, 0.010833333333333334, 0.01666666666666667, 0.020833333333333332;
  problem.normal.resize(4, 6);
  for (int i = 0; i < 4; ++i) {
    const double x = i < 2 ? -0.2 : 0.2, y = i % 2 == 0 ? -0.15 : 0.15, z = -0.1;
    problem.normal.row(i) << 0, 0, 1, y, -x, 0;
    problem.tangent.push_back((Eigen::MatrixXd(2, 6) << 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x).finished());
  }
  problem.friction.assign(4, friction);
  problem.restitution = {0, 0, 0, 0};
  problem.velocity = (Eigen::VectorXd(6) << 0.3, 0.1, -1.4, 0, 0, 0).finished();
  return problem;
}

}  // namespace rigor::impact::test
