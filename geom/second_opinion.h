// SPDX-License-Identifier: MIT
#pragma once
#include "geom/named_separation.h"

namespace rigor::geom {

/// What libccd says of the distance of two sets of points: it shares no code with separation().
struct SecondOpinion {
  double distance;   ///< [m]; negative: minus the depth of overlap; NaN: libccd finds none.
  double tolerance;  ///< How far from the truth it may be [m].
  /// Whether another answer is the same within the tolerance. NaN is not.
  bool agreesWith(double other) const;
};

/// libccd has no distance of sets that are apart, but it tells whether two sets meet. So the first set is rounded off
/// by balls of radius r: it meets the second exactly where r is at least the distance, and bisection finds that r.
/// Where they overlap libccd's expanding polytopes tell the depth, where moving the sets by it parts them.
///
/// Cost: some 30 queries of a few us. @pre finite coordinates, quaternions other than 0.
SecondOpinion secondOpinion(const PlacedPoints& a, const PlacedPoints& b);

}  // namespace rigor::geom
