// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <vector>

#include "impact/sets/exact_faces.h"

namespace rigor::impact {

/// Motions that go round the same faces for ever, each turn by the same part of the one before, and their limit.
///
/// One turn leads a point b to limit + ratio (b - limit). Turns form a convex cone: (from, to) of motions over given
/// faces add up. So from the points between b and its image the turns lead to all points between b and the limit; mixed
/// with points that rest on all the faces, too. (docs/impact-sets.md, "Spirals".)
struct ExactSpiral {
  /// A move to a face: from the points on `plane` (all: -1).
  struct Move {
    int face = 0, plane = -1;
    bool operator==(const Move&) const = default;
  };
  std::vector<Move> turn;
  std::vector<ExactVector> turning;  ///< Points b.
  std::vector<ExactVector> resting;  ///< Points in the closure of every face of the turn.
  ExactVector limit;
  mpq_class ratio;
};

/// Is the point in the closure of every face of the turn?
[[nodiscard]] bool restsOn(const ExactFaces& faces, const std::vector<ExactSpiral::Move>& turn, const ExactVector& x);

/// The spiral on which vertices of three polytopes of one face lie, each reached from the one before by one turn; none
/// where there is none. Exact. @pre `third` holds `second`.
[[nodiscard]] std::optional<ExactSpiral> findSpiral(const ExactFaces& faces, std::vector<ExactSpiral::Move> turn,
                                                    const ExactCone& first, const ExactCone& second,
                                                    const ExactCone& third);

}  // namespace rigor::impact
