// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "geom/polytope.h"
#include "geom/separation.h"

namespace rigor::geom {

/// The surface of a solid that is put together from convex parts: faces that two parts share, bit for bit, are inside,
/// and so are upright walls across x or y that walls of other parts cover piece by piece, exactly. What slides over the
/// seam between two parts meets no edge there.
///
/// Guarantee: for solids whose parts meet in whole faces or such walls (grids of prisms, blocks among them), allowed
/// directions at a place of a feature are those of the solid's surface; other parts are as if they were alone. It says
/// how contacts are to be understood; proofs that parts are apart do not depend on it.
class Skin {
 public:
  Skin() = default;
  /// @param parts  Not null; only read here. O(n log n)
  explicit Skin(std::span<const Polytope* const> parts);

  /// Whether a face of a part is inside the solid.
  bool isInside(int part, int face) const { return hidden_[static_cast<std::size_t>(first_face_[part] + face)]; }
  /// Whether any is.
  bool hidesFaces() const { return hides_; }
  /// The unit vector nearest to the unit vector n among the combinations of the outward normals that the solid has at
  /// a feature of a part, as far as the part faces that way itself; n where the solid has none there, and where it is
  /// one of them already.
  /// @param x  Where on the feature, part's frame: an edge may have other neighbours along each piece of it.
  Eigen::Vector3d nearest(int part, const Polytope& polytope, Feature feature, const Eigen::Vector3d& n,
                          const Eigen::Vector3d& x) const;

 private:
  struct Joint {  // A corner of other parts between the ends of a part's edge.
    int part, edge, point;
    double share;  // Of the way from tail to head.
  };
  void hideWalls(std::span<const Polytope* const> parts);
  std::array<int, 2> endsAround(int part, const Polytope& polytope, int edge, const Eigen::Vector3d& x) const;

  std::vector<int> first_vertex_, first_face_;  // Of each part, among all parts' vertices and faces.
  std::vector<int> point_;                      // Of each part's vertex: equal ones have the same number.
  std::vector<char> hidden_;                    // Of each part's face.
  bool hides_ = false;
  std::vector<Joint> joints_;                   // By part, edge and share.
  std::vector<Eigen::Vector3d> normals_;        // Of the faces that are not hidden.
  std::vector<int> first_normal_, normal_at_;   // Those around point i: normal_at_[first_normal_[i]] and on.
};

/// One part of such a solid; without a skin a part is a solid of its own.
struct SkinPart {
  const Skin* skin = nullptr;
  int part = 0;
};

}  // namespace rigor::geom
