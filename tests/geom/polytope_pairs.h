// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geom/pose.h"

/// Pairs of vertex sets in every configuration that distance codes are known to fail on. For tests, fuzzing, benches.
namespace rigor::geom::oracle {

enum class PairCategory {
  kRandom,         ///< 4 .. 1000 random vertices, gap 1e-10 .. 10 sizes.
  kBoxes,          ///< Two boxes, random sizes and orientations.
  kSeparated,      ///< Known features facing each other, gap 1e-10 .. 10 sizes.
  kFaceFace,       ///< Kissing (gap 1e-10 .. 1e-6 sizes) by two faces,
  kVertexFace,     ///< ... a vertex over a face,
  kEdgeEdge,       ///< ... two crossing edges, down to angles of 1e-9,
  kEdgeFace,       ///< ... an edge flat on a face,
  kVertexVertex,   ///< ... two vertices,
  kVertexEdge,     ///< ... a vertex on an edge,
  kParallelEdges,  ///< ... two parallel edges.
  kParallel,       ///< Boxes of one orientation: parallel faces and edges everywhere.
  kDuplicates,     ///< Vertices repeated, exactly or up to an ulp.
  kCoplanar,       ///< Faces covered with further points.
  kCollinear,      ///< Edges covered with further points.
  kNeedles,        ///< One or both 1e2 .. 1e4 times longer than wide.
  kPlates,         ///< One or both 1e2 .. 1e4 times wider than thick.
  kFar,            ///< 1e3 sizes from the world's origin.
  kFarLocal,       ///< Vertices 1e3 sizes from the origin of their own frame.
  kTiny,           ///< Sizes of 1e-3.
  kHuge,           ///< Sizes of 1e3.
  kMixedScale,     ///< 1e-3 against 1e3.
  kTouching,       ///< Exactly touching, in exact arithmetic.
  kOverlapping,    ///< Penetrating by 1e-10 .. 1 sizes; at most 8 vertices each.
  kIdentical,      ///< The same set twice, in the same or nearly the same pose.
  kFlat,           ///< One or both sets flat,
  kStraight,       ///< ... straight,
  kPoint,          ///< ... a single point. The three include touching and crossing pairs.
};
inline constexpr int kNumPairCategories = static_cast<int>(PairCategory::kPoint) + 1;
const char* nameOf(PairCategory category);

struct PolytopePair {
  std::string id;  ///< "category/seed", enough to make it again.
  std::vector<Eigen::Vector3d> a, b;
  Pose X_WA, X_WB;
};

/// Pair number `seed` of a category: the same in every run of one build (a compiler may order the draws its own way;
/// the corpus keeps whole pairs). Quaternions are un-normalised, |q| in 1e-3 .. 1e3.
PolytopePair makePair(PairCategory category, std::uint64_t seed);

/// `count` points on the unit sphere: all of them are vertices of their hull.
std::vector<Eigen::Vector3d> spherePoints(int count, std::uint64_t seed);

/// Diagonal of the bounding box of the local points [m]; of a single point, its distance from its own origin: that is
/// the scale on which its coordinates are rounded.
double sizeOf(std::span<const Eigen::Vector3d> points);

/// The scale that the error of a distance is relative to: sizes + distance of the origins [m].
double scaleOf(const PolytopePair& pair);

/// A pair as one line of a `rigor distance` pairs file, and back. @throws std::runtime_error for a bad line.
std::string toLine(const PolytopePair& pair);
PolytopePair fromLine(const std::string& line);

}  // namespace rigor::geom::oracle
