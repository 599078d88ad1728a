// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "rigor/scene.h"

namespace rigor {

/// Samples of one body's motion, as another program computed it.
struct Samples {
  std::vector<Vector3> position;        ///< Of the origin [m], one a time.
  std::vector<Quaternion> orientation;  ///< One a time, any length but zero.
  std::vector<std::array<double, 6>> velocity;  ///< v of the origin, w, world; empty: not known.
};

struct CheckOptions {
  double allow = 0;           ///< Depth of overlap that counts as apart [m].
  std::string interpolation;  ///< "linear", "hermite", or empty: hermite where all velocities are known.
  bool curves = false;        ///< Fill CheckedPair::curve.
};

struct CheckedPair {
  std::string body_a, body_b;
  long overlapping = 0, tunnelling = 0, undecided = 0;  ///< Intervals.
  double first = 0, last = 0;                           ///< Deeper than allowed [s].
  double deepest_time = 0, deepest_depth = 0;           ///< [s], [m]
  std::vector<std::array<double, 2>> curve;             ///< Time, depth.
};

/// As `rigor check --json`.
struct CheckReport {
  std::string status;  ///< "apart", "penetrates" or "undecided".
  std::string interpolation;
  long intervals = 0, apart = 0, overlapping = 0, tunnelling = 0, undecided = 0;
  std::vector<CheckedPair> pairs;  ///< Those that are not proved apart throughout.
  int deepest = -1;                ///< Of pairs; -1: none overlaps.
  double wall_seconds = 0;
};

/// Are these motions free of overlap, between the samples too? Proved, or shown where not (docs/check.md).
/// @param bodies  Every moving body of the scene by name. @throws InputError, InterruptedError.
CheckReport checkMotion(const Scene& scene, const std::vector<double>& times,
                        const std::map<std::string, Samples>& bodies, const CheckOptions& options = {},
                        const Watch& watch = {});
/// The same of a trajectory file: CSV, npz or HDF5.
CheckReport checkFile(const Scene& scene, const std::string& path, const CheckOptions& options = {},
                      const Watch& watch = {});

}  // namespace rigor
