// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/polytope.h"

namespace rigor::advance {

/// direction.v for every vertex v, as an expression: a plain product would be stored first, and allocate.
inline auto heights(const geom::Polytope& P, const Eigen::Vector3d& direction) {
  return direction.transpose().lazyProduct(P.vertices());
}

/// @pre of a round solid: `direction` is unit. A cylinder counts as round in all directions.
inline double lowestHeight(const geom::Polytope& P, const Eigen::Vector3d& direction) {
  if (const geom::Round* round = P.round())
    return direction.transpose().lazyProduct(round->core).minCoeff() - round->radius;
  return heights(P, direction).minCoeff();
}

/// direction.x of the lowest point of the solid; of cylinders too. @pre direction is unit.
inline double lowestOf(const geom::Polytope& P, const Eigen::Vector3d& direction) {
  const geom::Round* round = P.round();
  if (!round) return lowestHeight(P, direction);
  const double core = direction.transpose().lazyProduct(round->core).minCoeff();
  return core + direction.dot(round->reach(-direction, round->axis));
}

}  // namespace rigor::advance
