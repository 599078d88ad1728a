// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>
#include <vector>

#include "impact/sets/fan_growth.h"

namespace rigor::impact {

/// Where the rays of a fan go, and what the potential is expected to be there.
struct RayMoves {
  std::vector<Eigen::VectorXd> ways;
  Eigen::VectorXd values;
  double value = 0;  ///< W(start).
};

/// The moves that lower W(start) the most, to first order: the program of the values with all moves as further columns
/// (sequential linear programming, Griffith and Stewart 1961). Of each force and cone it has the rows alone that the
/// values come nearest to.
/// @param values  a potential on the fan. @param reach  how far a ray moves at most along each of its directions, as a
/// part of its shortest edge, if that is less than 1.
[[nodiscard]] RowStatus chooseMoves(const Fan& fan, const FanGrowth& growth, const std::vector<ScaledForce>& forces,
                                    const Eigen::VectorXd& goal, const Eigen::VectorXd& values, double reach,
                                    const std::function<bool()>& goes_on, std::int64_t& work, RayMoves& moves);

}  // namespace rigor::impact
