// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "rigor/types.h"

namespace rigor {

/// The convex hull of some points, at a pose.
struct Hull {
  std::vector<Vector3> vertices;  ///< Body frame [m]; flat, straight and single-point sets are valid.
  Vector3 position{};
  Quaternion orientation{1, 0, 0, 0};
};

struct Separation {
  double distance = 0;          ///< [m]; 0 touching; negative: minus the penetration depth.
  Vector3 point_a{}, point_b{};  ///< Closest (overlap: deepest) points, world.
  Vector3 normal{};             ///< Unit, from B to A.
  std::string kind_a, kind_b;   ///< "vertex", "edge" or "face"
  std::vector<int> feature_a, feature_b;  ///< by indices into the vertices.
};

/// The distance of two convex hulls. @throws InputError for numbers that are not finite, no vertices, or q = 0.
Separation distance(const Hull& a, const Hull& b);

}  // namespace rigor
