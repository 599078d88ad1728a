// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/sets/fan_growth.h"

namespace rigor::impact {

/// An edge of a fan and where to divide it: at (1 - part) a + part b.
struct EdgeCut {
  int a = 0, b = 0;
  double part = 0.5;
};

/// Edges whose division promises the most, the best first. A new ray w brings values W_wk. The multipliers of the
/// growths' rows, shared out anew among the halves of each cone, may leave such a value a reduced cost: by how much at
/// least, times the square of the edge's length, is what an edge is worth.
[[nodiscard]] std::vector<EdgeCut> chooseCuts(const Fan& fan, const FanGrowth& growth,
                                              const Eigen::VectorXd& multipliers, size_t count);

/// Edges of cones of outcomes whose rays meet at more than about a right angle, the widest first. Where there are none,
/// a multiple of the energy is a potential: W_jk > 0 for all pairs of rays of outcomes.
[[nodiscard]] std::vector<EdgeCut> obtuseEdges(const Fan& fan, size_t count);

}  // namespace rigor::impact
