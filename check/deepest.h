// SPDX-License-Identifier: MIT
#pragma once
#include "check/check.h"
#include "check/interval_proof.h"

namespace rigor::check {

/// How two parts overlap within one interval.
struct Overlap {
  double start_depth = 0, end_depth = 0;  ///< At the interval's ends [m]; 0: apart there.
  DepthPoint deepest{0, 0};
  double first = 0, last = 0;  ///< Deeper than allowed at both, nowhere (that was found) before or after [s].
};

/// Measures an overlap that decideInterval() found. The depth over time is sampled, and its largest sample refined by
/// golden sections to 1e-6 of the interval: depth and time of one motion between two samples have few extremes. first
/// and last are bisected. An interval that is too deep at both ends and cannot get deeper than `deepest_so_far` [m], by
/// how far points move, is measured at its ends alone.
Overlap measureOverlap(const advance::MovingPart& A, const advance::MovingPart& B, double allow,
                       const IntervalResult& found, double deepest_so_far, PairMemory& memory);

}  // namespace rigor::check
