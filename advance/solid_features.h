// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "advance/feature_region.h"
#include "advance/heights.h"
#include "geom/polytope.h"
#include "geom/pose.h"
#include "geom/separation.h"
#include "geom/skin.h"

namespace rigor::advance {

/// Directions that enclose less than this sine count as parallel. For edges see areParallel().
inline constexpr double kParallelSine = 1e-6;
/// Corner points closer to a face's rim than this share of its size count as inside; a crossing of edges
/// there would be ill-conditioned.
inline constexpr double kRimShare = 1e-9;

/// Whether two edges count as parallel: their sine is small, and over the length of the shorter one they part by so
/// little that the corners at its ends still lie over the other one. Long edges of a smaller sine cross.
/// @param sine  Of their directions, times both lengths [m^2].  @param rim  Corners lie over an edge to twice that [m].
inline bool areParallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double sine, double rim) {
  const double longer = std::max(a.norm(), b.norm()), shorter = std::min(a.norm(), b.norm());
  // NaN counts as parallel.
  return !(sine > kParallelSine * longer * shorter) && !(sine > 2 * rim * longer);
}

/// Features given as lists of candidate faces and edges: faces that the solid has.
inline void facesOf(const geom::Polytope& P, geom::SkinPart solid, geom::Feature f, std::vector<int>& faces) {
  using Kind = geom::Feature::Kind;
  faces.clear();
  auto addEdge = [&](int e) {
    for (int face : {P.edge(e).left, P.edge(e).right})
      if (std::find(faces.begin(), faces.end(), face) == faces.end()) faces.push_back(face);
  };
  if (f.kind == Kind::kFace) faces.push_back(f.index);
  else if (f.kind == Kind::kEdge) addEdge(f.index);
  else for (int e : P.vertexEdges(f.index)) addEdge(e);
  if (solid.skin) std::erase_if(faces, [&](int face) { return solid.skin->isInside(solid.part, face); });
}

/// The outward direction nearest to n that the solid has at x, a place of a feature of a part; all in the part's frame.
inline Eigen::Vector3d outward(const geom::Polytope& P, geom::SkinPart solid, geom::Feature f,
                               const Eigen::Vector3d& n, const Eigen::Vector3d& x) {
  return solid.skin ? solid.skin->nearest(solid.part, P, f, n, x) : n;
}

/// Whether a vertex (v = w) or edge of a part is one of its solid at x: there is more than one outward direction, so
/// that which of them is nearest depends on what it is near to.
inline bool isSharp(const geom::Polytope& P, geom::SkinPart solid, int v, int w, const Eigen::Vector3d& x) {
  if (!solid.skin) return true;
  geom::Feature feature{geom::Feature::Kind::kVertex, v};
  if (v != w) feature = {geom::Feature::Kind::kEdge, edgeBetween(P, v, w)};
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d n = Eigen::Vector3d::Unit(k);
    if ((outward(P, solid, feature, n, x) - outward(P, solid, feature, -n, x)).norm() > kParallelSine) return true;
  }
  return false;
}

inline void edgesOf(const geom::Polytope& P, geom::Feature f, std::vector<int>& edges) {
  using Kind = geom::Feature::Kind;
  edges.clear();
  if (f.kind == Kind::kFace) edges.assign(P.faceEdges(f.index).begin(), P.faceEdges(f.index).end());
  else if (f.kind == Kind::kEdge) edges.push_back(f.index);
  else edges.assign(P.vertexEdges(f.index).begin(), P.vertexEdges(f.index).end());
}

struct Relative {  // Pose of frame I in frame R.
  Eigen::Matrix3d R;
  Eigen::Vector3d p;
};

inline Relative relativePose(const geom::Pose& X_WR, const geom::Pose& X_WI) {
  const Eigen::Matrix3d R_RW = X_WR.rotation().transpose();
  return {R_RW * X_WI.rotation(), R_RW * (X_WI.p - X_WR.p)};
}

/// How far the parts reach past each other along a direction n out of R, in its frame [m].
inline double overlapAlong(const geom::Polytope& R, const geom::Polytope& I, const Relative& X,
                           const Eigen::Vector3d& n) {
  return heights(R, n).maxCoeff() - n.dot(X.p) - lowestHeight(I, X.R.transpose() * n);
}

}  // namespace rigor::advance
