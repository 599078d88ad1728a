// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/pose.h"
#include "geom/separation.h"
#include "geom/wide_real.h"

namespace rigor::geom {

/// Points whose convex hull is meant, and what a run asks of all of them. Refers to the points.
struct GjkPoints {
  GjkPoints(const Eigen::Matrix3Xd& of);  ///< O(points)
  GjkPoints(const Polytope& of);          ///< Its vertices; the core of a round one.
  const Eigen::Matrix3Xd& points;
  double reach;          ///< Largest distance of a point from the local origin [m].
  Eigen::Vector3d mean;  ///< Any point of the hull: a run starts in its direction.
  const Polytope* solid = nullptr;  ///< Whose vertices the points are, where climbing is faster than to look at all.
};

/// Closest points of the convex hulls of two vertex arrays, and the simplex of vertices that spans them.
struct GjkResult {
  enum class Status : unsigned char {
    kSeparated,  ///< `distance` > 0 and certified by the support planes along `normal`.
    kTouching,   ///< The hulls meet, or their distance is below the precision of the arithmetic; vertices only are set.
    kUncertain,  ///< Bounds did not meet (in double: take wide precision); everything is set, `distance` from above.
  };
  Status status;
  double distance;                   ///< [m]
  Eigen::Vector3d point_a, point_b;  ///< World [m].
  Eigen::Vector3d normal;            ///< Unit, from B to A, world.
  int count = 0;                     ///< Vertices of the simplex, 1 .. 4.
  int vertex_a[4], vertex_b[4];      ///< Its k-th point is vertex_a[k] - vertex_b[k]; repetitions are usual.
  int iterations = 0;
};

/// GJK [Gilbert, Johnson, Keerthi 1988] on the Minkowski difference; the closest point of each simplex by trying all
/// its faces, so that no case distinction can go wrong on flat simplices. Works on any non-empty sets: duplicates,
/// collinear, coplanar, single points. Supports by scanning, O(points) an iteration; of polytopes with many vertices by
/// climbing, until what comes out is confirmed by scanning.
/// In double: `distance` is certified to 1e-15 * (sizes + |t|) or kUncertain.
/// In WideReal: exact to the last digits of a double, except that a distance below 1e-16 of the size counts as
/// touching.
GjkResult gjk(const GjkPoints& A, const Pose& X_WA, const GjkPoints& B, const Pose& X_WB);
GjkResult gjkWide(const GjkPoints& A, const Pose& X_WA, const GjkPoints& B, const Pose& X_WB);

/// Separation of two polytopes from a finished GJK run; penetration where they touch.
Separation gjkSeparation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB,
                         const GjkResult& found);

/// The smallest feature of P that holds all of the given vertices (a face that holds most of them if none holds all).
Feature carrierFeature(const Polytope& P, const int* vertices, int count);

}  // namespace rigor::geom
