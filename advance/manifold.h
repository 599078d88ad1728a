// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "advance/round_manifold.h"
#include "advance/witness.h"
#include "geom/separation.h"
#include "geom/shape.h"
#include "geom/skin.h"

namespace rigor::advance {

/// One point of a contact patch of two convex parts A and B, with the gap that its features define along any motion:
///
/// Vertices are corners (geom::Polytope): of a round solid, the point of its surface nearest to the plane or edge.
///
///   kFixedInA  vertex b0 of B over a plane of A:   gap = axis.(y_b0 in A's frame) - offset
///   kFixedInB  vertex a0 of A over a plane of B:   gap = offset - axis.(x_a0 in B's frame)
///   kEdges     edge a0 a1 of A over edge b0 b1 of B: gap = n.(y_b0 - x_a0), n = (R_A a) x (R_B b)/|.|
///
///   kNearest   corner or edge a0 a1 of A and b0 b1 of B, one of them of a round solid's core:
///              gap = |y - x| less the radii, x and y the nearest points of the corners and lines; of two lines the
///              order of the corners makes a x b point from A to B
///
/// The unit normal n points from A to B. The plane is a face's; for vertex-vertex, vertex-edge and parallel edges,
/// where no face carries it, it is the direction between the closest points, frozen in that body.
struct ContactFeature {
  AxisKind kind = AxisKind::kFixedInA;
  int a0 = -1, a1 = -1, b0 = -1, b1 = -1;  ///< Vertex numbers; -1 where not used.
  int face = -1;                           ///< Face of the plane's owner; -1: half-space, frozen direction, or edges.
  Eigen::Vector3d axis{0, 0, 1};           ///< Unit, body frame of the owner; kNearest: n where it was found, world.
  double offset = 0;                       ///< [m]

  /// The normal is that of the motion, of no plane.
  bool hasOwnNormal() const { return kind == AxisKind::kEdges || kind == AxisKind::kNearest; }
  /// The same vertices (edges) touch; the plane may have been frozen anew.
  bool sameVertices(const ContactFeature& other) const {
    return kind == other.kind && a0 == other.a0 && a1 == other.a1 && b0 == other.b0 && b1 == other.b1;
  }
};

/// A feature as claims and impulses name it.
inline SeparatingAxis axisOf(const ContactFeature& f) { return {f.kind, f.axis, f.a0, f.a1, f.b0, f.b1}; }

/// The axis of claims along which a contact's gap stays: its own. @returns false where there is none, as its normal
/// turns in both bodies.
inline bool hasAxis(const ContactFeature& f, SeparatingAxis& axis) {
  axis = axisOf(f);
  if (axis.kind == AxisKind::kNearest && axis.isOfTwoLines()) axis.kind = AxisKind::kEdges;
  return axis.kind != AxisKind::kNearest;
}

/// Gap [m] of a contact point at the poses of the two body origins, and its unit normal from A to B.
double contactGap(const ContactFeature& feature, const geom::Shape& A, const geom::Pose& X_WA, const geom::Shape& B,
                  const geom::Pose& X_WB, Eigen::Vector3d* normal = nullptr);

/// From corner `corner` of a part to its surface along n, world, the part turned by R [m]: reachOf().
Eigen::Vector3d reachOfCorner(const geom::Shape& shape, int corner, const Eigen::Matrix3d& R, const Eigen::Vector3d& n);

/// One side of a pair.
struct ManifoldSide {
  const geom::Shape& shape;
  const geom::Pose& X_W;    ///< Of the body's origin.
  geom::SkinPart skin = {};  ///< The solid that a polytope is part of.
};

struct Relative;

/// Finds the contact patches of pairs. Holds buffers: one per thread, no allocation in the steady state.
class ManifoldFinder {
 public:
  ManifoldFinder() { list_a_.reserve(kFeatures), list_b_.reserve(kFeatures); }
  /// Appends to `out` the points of A and B that are within `band` [m] of each other: the corners of the intersection
  /// of the two touching features (vertices of either over a face of the other, crossings of edges). Guarantee: nothing
  /// is appended if the parts are farther apart than `band`; at least one point if they are not.
  /// @param beyond  How far beyond a face's rim a corner still counts as over the face [m]; negative: `band`. Keep it
  /// at the
  ///                contact band where `band` looks ahead to contacts that are yet to close.
  /// A half-space must be A. @returns the distance of the two parts [m] (half-space: of the lowest vertex), <= 0 for
  /// overlap.
  /// Normals are such as the solids have there that A and B are part of.
  double find(const ManifoldSide& A, const ManifoldSide& B, double band, geom::SeparationCache& cache,
              std::vector<ContactFeature>& out, double beyond = -1);
  double find(const geom::Shape& A, const geom::Pose& X_WA, const geom::Shape& B, const geom::Pose& X_WB, double band,
              geom::SeparationCache& cache, std::vector<ContactFeature>& out, double beyond = -1) {
    return find({A, X_WA}, {B, X_WB}, band, cache, out, beyond);
  }

 private:
  void touchingFaces(const geom::Polytope& R, const geom::Pose& X_WR, int face, const geom::Polytope& I,
                     const geom::Pose& X_WI, double band, double beyond, bool reference_is_a,
                     std::vector<ContactFeature>& out);
  struct Reach {  // As find() has them.
    double band, beyond;
  };
  void overEdges(const ManifoldSide& side_a, const ManifoldSide& side_b, const Eigen::Vector3d& n_A,
                 const Eigen::Vector3d& n_B, const Reach& within, std::vector<ContactFeature>& out) const;
  bool touchingEdges(const ManifoldSide& side_a, const ManifoldSide& side_b, const Relative& X_AB,
                     const geom::Separation& sep, const Eigen::Vector3d& overlap, const Reach& within,
                     std::vector<ContactFeature>& out);
  static constexpr size_t kFeatures = 64;  // Around a vertex, or of a face: seldom more.
  std::vector<int> list_a_, list_b_;
  RoundContacts rounds_;
};

}  // namespace rigor::advance
