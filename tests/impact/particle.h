// SPDX-License-Identifier: MIT
#pragma once
#include "impact/resolver.h"

namespace rigor::impact::test {

/// A particle of 1 kg on a plane with the normal z, without restitution.
inline ImpactProblem particle(double mu, const Eigen::Vector3d& velocity) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix3d::Identity();
  problem.normal = Eigen::RowVector3d(0, 0, 1);
  problem.tangent = {(Eigen::MatrixXd(2, 3) << 1, 0, 0, 0, 1, 0).finished()};
  problem.friction = {mu};
  problem.restitution = {0};
  problem.velocity = velocity;
  return problem;
}

}  // namespace rigor::impact::test
