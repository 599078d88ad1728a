// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "geom/pose.h"
#include "geom/separation.h"

namespace rigor::geom {

/// Any finite set of points, of which the convex hull is meant, at a pose.
struct PlacedPoints {
  std::vector<Eigen::Vector3d> vertices;  ///< Body frame [m]; at least one.
  Pose pose;                              ///< q of any length but zero.
};

/// A feature as users know it: by indices into the vertices that they gave.
struct NamedFeature {
  Feature::Kind kind;
  std::vector<int> vertices;
};

/// "vertex", "edge" or "face".
const char* featureKindName(Feature::Kind kind);

struct NamedSeparation {
  Separation separation;  ///< Its features are not set.
  NamedFeature feature_a, feature_b;
};

/// The distance of two sets of points: solid ones as separation(), flat, straight and single-point ones too. Numbers of
/// any magnitude from 1e-300 to 1e100: lengths are scaled by a power of two, exactly. @throws GeometryError for sets
/// that are not finite.
NamedSeparation namedSeparation(PlacedPoints a, PlacedPoints b);

}  // namespace rigor::geom
