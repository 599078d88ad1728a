// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "impact/problem/impact_problem.h"

namespace rigor::impact {

/// Whether some velocity separates all contacts at once, J_n v > 0: Assumption 2 of Halm and Posa, without which no
/// model can end every impact.
///
/// By Gordan's theorem it fails exactly where the origin lies in the convex hull of the normals n_i = J_n,i / |J_n,i|,
/// lengths in the kinetic metric |u|^2 = u M^-1 u'. Both answers come with a certificate.
struct Separability {
  bool separable = false;    ///< margin > kWedgeTolerance; a NaN makes it false.
  double margin = 0;  ///< min_i n_i v / |v| of `velocity`: at unit kinetic speed every contact separates as fast.
  Eigen::VectorXd velocity;  ///< n: separates all contacts at `margin`; meaningless where not separable.
  Eigen::VectorXd weights;   ///< m, >= 0, sum 1: |sum_i weights_i n_i| is smallest, and zero where contacts are jammed.
};

/// Normals whose hull comes this close to the origin count as opposed: data with ten digits that means them to be.
inline constexpr double kWedgeTolerance = 1e-10;

/// The point of the hull closest to the origin by Wolfe's method [Wolfe76].
/// @throws std::invalid_argument if the mass matrix is not positive definite. Cost: some m steps of O(n m + n^3).
[[nodiscard]] Separability findSeparability(const ImpactProblem& problem);

}  // namespace rigor::impact
