// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/polytope.h"

namespace rigor::advance {

/// direction.v for every vertex v, as an expression: a plain product would be stored first, and allocate.
inline auto heights(const geom::Polytope& P, const Eigen::Vector3d& direction) {
  return direction.transpose().lazyProduct(P.vertices());
}

inline double lowestHeight(const geom::Polytope& P, const Eigen::Vector3d& direction) {
  return heights(P, direction).minCoeff();
}

}  // namespace rigor::advance
