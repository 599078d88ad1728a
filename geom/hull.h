// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

namespace rigor::geom {

/// Rounding of n.(v - w) for unit n, relative to the size: a dozen operations of 2^-53 each.
inline constexpr double kPlaneRounding = 0x1p-49;

/// Face loops of a convex hull: indices into the points, counter-clockwise seen from outside.
using FaceLoops = std::vector<std::vector<int>>;

/// Indices of the distinct points, the first of equal ones kept, in input order. O(n log n).
std::vector<int> distinctPoints(std::span<const Eigen::Vector3d> points);

/// Convex hull of points that span space, by Qhull, coplanar facets merged.
///
/// Guarantee: the loops are a closed orientable surface (every edge has one twin, V - E + F = 2, every vertex in at
/// least three faces), and every point lies below every face plane up to `tolerance` [m]; where Qhull's own result does
/// not pass that check, the exact hull (exactHull) is taken, its facets merged only as far as the check still holds.
/// @pre no duplicates, finite, not flat. O(n log n). @throws GeometryError if no hull passes.
FaceLoops convexHull(std::span<const Eigen::Vector3d> points, double tolerance);

/// Triangles of the exact hull: signs of orientations in exact arithmetic; points on the boundary that are not needed
/// to span it may be missing. @pre no duplicates, finite, not all in a plane (exactly). O(n^2) at worst.
FaceLoops exactHull(std::span<const Eigen::Vector3d> points);

/// Of each half-edge, numbered along the loops, the number of its twin, which runs the other way. Empty where one has
/// none, or two do the same. O(n log n) @pre indices from 0 to `num_points` - 1.
std::vector<int> twinsOf(const FaceLoops& loops, int num_points);

/// Newell normal of a loop and twice its area [m^2], in wide precision: right to rounding even for slivers.
struct LoopArea {
  Eigen::Vector3d normal;  ///< Unit; zero where the loop has no area.
  double twice_area;
};
LoopArea loopArea(std::span<const Eigen::Vector3d> points, std::span<const int> loop);

/// The outward normal of an upright wall below the edge from a to b, the inside on its left seen from above: as
/// loopArea() has it, for lengths between 1e-40 and 1e40 m.
Eigen::Vector3d wallNormal(const Eigen::Vector3d& a, const Eigen::Vector3d& b);

}  // namespace rigor::geom
