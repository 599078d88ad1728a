// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <limits>

#include "advance/gap_polynomial.h"

namespace rigor::advance {

/// Of all vertices over the face, rounded [m]: a walk over those that FaceGap tests, one by one.
inline double lowestGap(const FaceGap& gap, double s) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int vertex = gap.firstVertex(); vertex < gap.numVertices(); ++vertex)
    lowest = std::min(lowest, gap.gapAt(vertex, s));
  return lowest;
}

}  // namespace rigor::advance
