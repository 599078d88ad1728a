// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "friction/contact_mode.h"

namespace rigor::impact {

using friction::kNoSlip;

/// One simultaneous impact in generalized coordinates: n velocities, m contacts. Knows nothing of bodies or time.
struct ImpactProblem {
  Eigen::MatrixXd mass_matrix;           ///< n x n, symmetric positive definite.
  Eigen::MatrixXd normal;                ///< m x n; J_n v is the normal velocity, positive = separating [m/s].
  std::vector<Eigen::MatrixXd> tangent;  ///< m matrices of 1 (planar) or 2 (spatial, orthonormal) rows x n.
  std::vector<double> friction;          ///< m, >= 0; kNoSlip (infinity) allowed.
  std::vector<double> restitution;       ///< m in [0, 1].
  Eigen::VectorXd velocity;              ///< n, before the impact.

  int numContacts() const { return static_cast<int>(normal.rows()); }
  int numVelocities() const { return static_cast<int>(velocity.size()); }
};

}  // namespace rigor::impact
