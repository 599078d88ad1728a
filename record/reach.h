// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "record/reader.h"

namespace rigor::record {

/// Where a body's centre of mass is over [t0, t1], in any branch.
struct Reach {
  double t0 = 0, t1 = 0;  ///< [s]
  int body = 0;
  Eigen::AlignedBox3d centre;  ///< [m], world
  double radius =
      0;  ///< Of the smallest ball about the centre of mass that holds the body [m]: it lies within that of the box.
  long leaves = 0;  ///< Trajectories that last to t1, of all.
};

/// Bounds of where every moving body can be, for `windows` equal parts of the recorded time, over all outcomes that
/// were followed.
///
/// Guarantee: at each instant of [t0, t1] and in each branch, the published motion has the centre of mass in `centre`,
/// and every point of the body within `radius` of that (control points bound a polynomial; outward by its rounding).
/// Outcomes that were not followed, and trajectories that end before, are not in it. Sorted by time, then body.
/// O(pieces + windows * bodies).
[[nodiscard]] std::vector<Reach> reachOf(Reader& reader, int windows);

inline constexpr int kReachWindows = 100;

/// As CSV: `t0,t1,body,x_min,x_max,y_min,y_max,z_min,z_max,radius,leaves`. @throws ExportError.
void writeReach(Reader& reader, const std::string& path, int windows = kReachWindows);

}  // namespace rigor::record
