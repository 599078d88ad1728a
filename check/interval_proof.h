// SPDX-License-Identifier: MIT
#pragma once
#include "advance/piece_polynomials.h"
#include "advance/witness.h"
#include "geom/separation.h"

namespace rigor::check {

/// What is remembered of a pair of parts from interval to interval: it changes the cost, never the verdict.
struct PairMemory {
  advance::SeparatingAxis axis;  ///< That last separated.
  bool has_axis = false;
  geom::SeparationCache cache;
};

enum class IntervalVerdict : unsigned char {
  kApart,      ///< Proved: at every instant the parts overlap by no more than the allowed depth.
  kOverlaps,   ///< At `time` they overlap by `depth`, more than allowed, and beyond the rounding of the distance.
  kUndecided,  ///< Neither within the limits of work; the safe branch of everything that is not finite.
};

struct IntervalResult {
  IntervalVerdict verdict = IntervalVerdict::kUndecided;
  double time = 0;   ///< kOverlaps: where an overlap was found [s].
  double depth = 0;  ///< kOverlaps: there [m].
};

/// Signed distance of two parts at time t of their motions' pieces [m]; negative: minus the penetration depth.
/// Error at most distanceError(). For a half-space A: of the lowest vertex of B.
double distanceAt(const advance::MovingPart& A, const advance::MovingPart& B, double t, PairMemory& memory,
                  geom::Separation* found = nullptr);

/// Bound of the rounding error of distanceAt() [m], anywhere on the two motions.
double distanceError(const advance::MovingPart& A, const advance::MovingPart& B);

/// Decides whether two convex parts stay apart, but for overlaps up to `allow`, over the whole interval of their
/// motions.
///
/// kApart is proved: some axis n, fixed in A or B (or an edge pair's normal), has n.(y - x) >= -allow |n| for all
/// points x of A and y of B at all times of a sub-interval, by the coefficients of its Bernstein polynomial less a
/// bound on every rounding, or in exact arithmetic; the sub-intervals cover the interval. A depth is the shortest
/// translation that separates, so each such axis bounds it. kOverlaps is certain: the depth exceeds `allow` by more
/// than its rounding error.
///
/// @param A,B    Their motions must have the same [ta, tb]. A half-space is A.
/// @param allow  [m] >= 0.
/// Some 0.5 us where the axis of the interval before still separates; a few us where axes must be found anew.
[[nodiscard]] IntervalResult decideInterval(const advance::MovingPart& A, const advance::MovingPart& B, double allow,
                                            PairMemory& memory);

}  // namespace rigor::check
