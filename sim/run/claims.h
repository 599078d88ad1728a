// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "advance/motion_piece.h"
#include "advance/witness.h"
#include "sim/runtime.h"
#include "sim/sink.h"

namespace rigor::sim {

/// What a cut of a piece at a rounded point may take from a claim, relative to the coordinates: a control point moves
/// by a few units in the last place of the largest one.
inline constexpr double kCutEpsilon = 1e-14;

/// By how much a claim about a piece that was cut gives way [m]: rounding the control points turns and moves the body
/// by parts in 1e16.
inline double cutSlack(const advance::MotionPiece& piece, double radius) {
  return kCutEpsilon * (piece.end().p.norm() + piece.p[0].norm() + 2 * radius);
}

/// Lowers a claim by that.
inline void lowerClaim(double slack, advance::Witness& witness) {
  const double L = witness.cross, cosine = witness.cosine;
  witness.cosine = std::max(0.0, cosine - kCutEpsilon * (cosine + L));
  witness.cross = std::sqrt(L * L + (cosine - witness.cosine) * (cosine + witness.cosine)) * (1 + kCutEpsilon);
  if (L > 0) witness.gap *= L / witness.cross;
  witness.gap -= slack;
}

/// Proves a claim anew along its own axis, of these motions of its two bodies, at the first of `levels` [m] that can be
/// proved. Appends to `found`. @pre The motions cover the claim's interval.
bool provesAnew(const WitnessRecord& claim, const advance::MotionPiece& motion_a, const advance::MotionPiece& motion_b,
                std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, std::span<const double> levels,
                std::vector<advance::Witness>& found);

}  // namespace rigor::sim
