// SPDX-License-Identifier: MIT
#pragma once
#include <limits>
#include <variant>

#include "geom/pose.h"
#include "geom/shape.h"

namespace rigor::sim {

/// The corners that carry a part: of a round one its core's.
inline const Eigen::Matrix3Xd& pointsOf(const geom::Polytope& part) {
  return part.round() ? part.round()->core : part.vertices();
}

/// The largest height of a part along a unit vector, both in the same frame [m], rounded; infinity for a half-space.
inline double supportAlong(const geom::Shape& shape, const Eigen::Vector3d& n) {
  const auto* part = std::get_if<geom::Polytope>(&shape);
  if (!part) return std::numeric_limits<double>::infinity();
  // Lazy: a plain product would be stored first, and allocate.
  return n.transpose().lazyProduct(pointsOf(*part)).maxCoeff() + (part->round() ? part->round()->radius : 0);
}

/// The least height of a part along a unit vector n of another frame F, over F's origin [m], rounded.
inline double lowestHeight(const geom::Shape& shape, const geom::Pose& X_W, const geom::Pose& X_WF,
                           const Eigen::Vector3d& n) {
  const auto& part = std::get<geom::Polytope>(shape);
  const Eigen::Vector3d n_W = X_WF.rotation() * n, own = X_W.rotation().transpose() * n_W;
  return n_W.dot(X_W.p - X_WF.p) + own.transpose().lazyProduct(pointsOf(part)).minCoeff() -
         (part.round() ? part.round()->radius : 0);
}

}  // namespace rigor::sim
