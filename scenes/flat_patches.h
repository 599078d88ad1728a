// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

namespace rigor::scenes {

/// A convex piece of a surface that is exactly flat: its corners, counter-clockwise seen from above.
struct FlatPatch {
  std::array<int, 4> corners;
  int count;     ///< Of the corners: 3 or 4.
  int triangle;  ///< The first that it is made of.
};

/// The triangles of a surface that is seen from above, put together where they lie in one plane, exactly in the doubles
/// of the points: pairs that make a convex quadrilateral, and of pairs that are rectangles along x and y the largest
/// rectangle found from each that is left, from the least y and x on.
///
/// Guarantee: patches cover what the triangles cover, each point's height unchanged. Two of them meet along whole edges
/// or along parts of edges parallel to x or y seen from above; the points between the ends of such a one lie on it,
/// exactly. No side of a patch is at the surface's rim with a part of its length only. O(n log n) but for rectangles
/// that leave most of what they were looked for in.
/// @pre triangles are counter-clockwise seen from above, equal points are one.
std::vector<FlatPatch> flatPatches(std::span<const Eigen::Vector3d> points,
                                   std::span<const std::array<int, 3>> triangles);

}  // namespace rigor::scenes
