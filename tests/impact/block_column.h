// SPDX-License-Identifier: MIT
#pragma once
#include "impact/resolver.h"

namespace rigor::impact::test {

/// Square blocks (1 m, 1 kg) on top of each other, a little narrower each, that slide and land on the floor: two planar
/// contacts each.
inline ImpactProblem columnOfBlocks(int blocks, double friction) {
  const int contacts = 2 * blocks, velocities = 3 * blocks;
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Zero(velocities, velocities);
  problem.velocity = Eigen::VectorXd::Zero(velocities);
  problem.normal = Eigen::MatrixXd::Zero(contacts, velocities);
  problem.friction.assign(static_cast<size_t>(contacts), friction);
  problem.restitution.assign(static_cast<size_t>(contacts), 0);
  for (int k = 0; k < blocks; ++k) {
    problem.mass_matrix.diagonal().segment(3 * k, 3) << 1, 1, 1. / 6;
    problem.velocity.segment(3 * k, 3) << 0.25, -1, 0;
    for (const int side : {0, 1}) {
      const int row = 2 * k + side;
      const double x = (side - 0.5) * (1 - k / 8.0);
      Eigen::MatrixXd& tangent = problem.tangent.emplace_back(Eigen::MatrixXd::Zero(1, velocities));
      problem.normal.block(row, 3 * k, 1, 3) << 0, 1, x;
      tangent.block(0, 3 * k, 1, 3) << 1, 0, 0.5;
      if (k == 0) continue;
      problem.normal.block(row, 3 * k - 3, 1, 3) << 0, -1, -x;
      tangent.block(0, 3 * k - 3, 1, 3) << -1, 0, 0.5;
    }
  }
  return problem;
}

}  // namespace rigor::impact::test
