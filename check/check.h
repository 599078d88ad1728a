// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "check/interval_proof.h"
#include "check/trajectory.h"
#include "sim/world.h"

namespace rigor::check {

/// Receives the motions that are checked, for a record of them. Called in order of time, from the thread that checks.
class MotionSink {
 public:
  virtual ~MotionSink() = default;
  /// The motion of a body over [piece.t0, piece.t1], between two of its samples.
  virtual void piece(int body, const advance::MotionPiece& piece) = 0;
  /// Two parts whose boxes are not `reach()` apart over an interval; `motions` have its times. A half-space is A.
  virtual void near(int body_a, int part_a, int body_b, int part_b, const advance::MovingPart& A,
                    const advance::MovingPart& B, const PairMemory& memory) = 0;
  /// Everything before `time` was handed over.
  virtual void done(double time) = 0;
  virtual double reach() const = 0;  ///< [m] >= 0.
};

struct CheckOptions {
  double allow = 0;  ///< Depth of overlap that counts as apart [m], >= 0.
  Interpolation interpolation = Interpolation::kLinear;  ///< Between samples. kHermite needs velocities.
  bool curves = false;                                   ///< Fill PairReport::curve.
  MotionSink* sink = nullptr;
  const std::atomic<bool>* interrupt = nullptr;          ///< Set: checkTrajectory() throws Interrupted soon.
  std::function<void(double)> progress;                  ///< Called now and then with the share that is done.
};

/// Thrown where `interrupt` was set: nothing is known.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("the check was interrupted") {}
};

struct DepthPoint {
  double time, depth;  ///< [s], [m]; depth 0: apart.
};

/// A pair of bodies that is not proved apart everywhere.
struct PairReport {
  int body_a = -1, body_b = -1;
  long overlapping = 0;  ///< Intervals that overlap at one of their ends at least.
  long tunnelling = 0;   ///< Apart at both ends, and not between them.
  long undecided = 0;
  double first = 0, last = 0;  ///< Earliest and latest instant found deeper than allowed [s], to 1e-12 of an interval.
  DepthPoint deepest{0, 0};      ///< Located to 1e-6 of its interval.
  std::vector<DepthPoint> curve; ///< Depth at ends of intervals that overlap, and their deepest; ascending in time.
};

struct Report {
  /// Pairs of bodies times intervals between two samples (of any body): the sum of the next four. A trajectory of one
  /// instant is one interval.
  long intervals = 0, apart = 0, overlapping = 0, tunnelling = 0, undecided = 0;
  std::vector<PairReport> pairs;  ///< By body numbers, without those that are apart throughout.
  double wall_seconds = 0;

  const PairReport* deepest() const;  ///< Null: none overlaps.
  /// "apart", "penetrates" or "undecided".
  const char* status() const;
};

/// Are the motions of all bodies free of overlap deeper than `allow`, at every instant from the first sample to the
/// last?
///
/// Guarantee: `apart` intervals are proved, as decideInterval() says, or by boxes that enclose both bodies over the
/// interval; overlaps are certain beyond rounding; what is neither is `undecided`. Pairs of fixed bodies and pairs that
/// the scene exempts (links next to each other) are not looked at. Bodies may have samples at times of their own.
/// @pre matchScene() accepted each trajectory. @throws TrajectoryError where kHermite lacks velocities; Interrupted.
/// About 1 us a body, pair near each other and interval.
Report checkTrajectories(const sim::Scene& scene, std::span<const Trajectory> trajectories,
                         const CheckOptions& options = {});

}  // namespace rigor::check
