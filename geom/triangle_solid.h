// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "geom/triangle_tree.h"

namespace rigor::geom {

/// The solid that closed triangle surfaces enclose: the points about which they wind other than zero times. Surfaces
/// may cross each other and lie within each other; a surface that is turned the other way within another is a cavity.
class TriangleSolid {
 public:
  /// An edge at which the solid is concave, and the outward normals of its two triangles.
  struct ConcaveEdge {
    Eigen::Vector3d a, b, left, right;
  };

  /// @pre finite; each edge has as many triangles on its one side as on its other.
  TriangleSolid(std::vector<Eigen::Vector3d> points, Triangles triangles);
  TriangleSolid(const TriangleSolid&) = delete;  // The tree refers to the points.
  TriangleSolid& operator=(const TriangleSolid&) = delete;

  const std::vector<Eigen::Vector3d>& points() const { return points_; }
  const TriangleTree& surface() const { return tree_; }
  double size() const { return (high_ - low_).norm(); }  ///< Diagonal of its box [m].
  /// Whether a point lies in it or on its surface: exact for the doubles as given. O(log n) mostly.
  bool contains(const Eigen::Vector3d& point) const;
  /// Whether an edge goes through a triangle that it does not end at: exact. Where none does, what the triangles
  /// enclose is counted once. O(n log n) mostly.
  bool crossesItself() const;
  /// Where two triangles meet, in an order that depends on the mesh alone.
  std::vector<ConcaveEdge> concaveEdges() const;

 private:
  bool outwardIsPositive() const;
  std::vector<Eigen::Vector3d> points_;
  TriangleTree tree_;
  Eigen::Vector3d low_, high_;
};

}  // namespace rigor::geom
