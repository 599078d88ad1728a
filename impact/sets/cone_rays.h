// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

namespace rigor::impact {

/// A cone {x: H x >= 0} as what generates it, in doubles.
struct ConeRays {
  std::vector<Eigen::VectorXd> rays;   ///< Unit vectors; the extreme ones of the part across `lines`.
  std::vector<Eigen::VectorXd> lines;  ///< An orthonormal basis of {x: H x = 0}.
};

/// @param H  rows of length one. Cost: every choice of rank - 1 rows; for some ten rows.
[[nodiscard]] ConeRays coneRays(const Eigen::MatrixXd& H);

}  // namespace rigor::impact
