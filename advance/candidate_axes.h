// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <span>

#include "advance/witness.h"
#include "geom/pose.h"
#include "geom/separation.h"
#include "geom/shape.h"

namespace rigor::advance {

/// A short list of separating axes, the most promising first.
struct CandidateAxes {
  static constexpr int kCapacity = 16;
  std::array<SeparatingAxis, kCapacity> axis;
  std::array<double, kCapacity> separation;  ///< Along each axis at the time of the query [m].
  int count = 0;

  std::span<const SeparatingAxis> span() const { return {axis.data(), static_cast<size_t>(count)}; }
};

/// Proposes axes that separate A and B at the given poses and, by continuity, around them.
///
/// Faces next to the closest features whose separation is at least kFacePreference of the distance come first, largest
/// separation first; then edge pairs next to the closest features, with their moving normals; then the direction
/// between the closest points frozen in A and in B, which serves where no feature gives the plane (vertex-vertex,
/// vertex-edge, parallel edges); then what separates by less, which lasts while the closest direction turns fast. A
/// half-space has one axis, its normal. Empty if distance <= 0 or NaN.
///
/// Guarantee: none; certify() proves or rejects. No allocation. O(vertices x faces next to the closest features).
/// @param separation  Of A and B at these poses (the half-space case does not look at it).
/// @param which  kPreferredFaces: those that come first alone, at a fraction of the cost; there may be none.
enum class Which { kAll, kPreferredFaces };
CandidateAxes candidateAxes(const geom::Shape& A, const geom::Pose& X_WA, const geom::Shape& B, const geom::Pose& X_WB,
                            const geom::Separation& separation, Which which = Which::kAll);

inline constexpr double kFacePreference = 0.7;
/// Sine of the angle below which two edges are parallel: their normal turns too fast to be of use.
inline constexpr double kParallelEdges = 1e-6;

}  // namespace rigor::advance
