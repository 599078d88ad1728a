// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/step/balance.h"

namespace rigor::sim {

/// State at the share u of a trial: positions on the published cubic, velocities from the accelerations at its
/// instants. Free flight is evaluated exactly.
void interpolateTrial(StepContext& context, const Trial& trial, double u, SystemState& state);

/// Of robots alone; of their links, poses alone. @pre `state` has the bodies and robots of the trial.
void interpolateLinks(StepContext& context, const Trial& trial, double u, SystemState& state);

enum class Placed {
  kDone,           ///< The end is on its constraints. What had to be moved counts as error.
  kContradiction,  ///< The gaps cannot be reached together: the trial is not to be used.
};

/// Puts the ends of trials on their constraints.
class EndPlacement {
 public:
  explicit EndPlacement(StepContext& context) : x_(context), balance_(context) {}

  /// Loaded contacts at their gaps, no velocity against them, and no more energy than at the start. `placed`: the
  /// contact equations are at the end already.
  [[nodiscard]] Placed settle(Trial& trial, bool placed);
  /// The same for a trial that was left without.
  [[nodiscard]] Placed settleEnd(Trial& trial);
  /// Ends the trial at the share u of it instead. `stop` (or -1): contact whose slip has come to rest there.
  [[nodiscard]] Placed truncate(Trial& trial, double u, int stop);
  /// Scales the end velocities so that the mechanical energy does not exceed that of the start; keeps J u = 0. Bodies
  /// that touch nothing fixed keep their common momentum: only velocities relative to their centre of mass are scaled;
  /// of a robot that floats, those relative to its locked motion.
  /// @post trial.gains_energy
  void limitEnergy(Trial& trial);

 private:
  [[nodiscard]] Placed settleCut(Trial& trial);
  double apartFromJoints(const Trial& trial) const;
  double apartFromCurve(const Trial& trial, double u) const;
  double withoutFriction(const Trial& trial) const;
  double balanceEnds(Trial& trial);
  bool placeEnds(Trial& trial, double back, bool placed);
  void setTargets(double back);
  double press(const Trial& trial, int iteration);
  bool keepsLowPoints() const;
  bool losesLowPoints() const;
  bool mayMove(const Trial& trial, const SystemState& before, double off) const;
  void raiseLowPoints(Trial& trial);
  double largestMove(const SystemState& ends, const SystemState& before) const;

  StepContext& x_;
  SystemState before_projection_, cut_, unclosed_, low_;
  std::vector<char> saved_held_;
  std::vector<char> approaches_;  // By contact: the motion takes it to an event, which ends the step earlier.
  Balance balance_;
  std::vector<Eigen::Vector3d> closing_;  // By contact.
  double robots_off_ = 0;  // Balance::robotsOffBy() [m/s].
  double cut_off_ = 0;     // kCutShare of Balance::cutOffBy() [m/s].
  double unbalanced_ = 0;  // What is left of Balance::offBy() [m/s].
};

}  // namespace rigor::sim
