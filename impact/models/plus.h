// SPDX-License-Identifier: MIT
#pragma once
#include "impact/models/plus_interval.h"

namespace rigor::impact {

/// One interval of an impact, for reports and plots.
struct PlusInterval {
  int round = 0;                      ///< From 0.
  double length = 1;                  ///< Share of the round that was left [-].
  std::vector<ImpactPoint> points;    ///< m.
  Eigen::VectorXd velocity;           ///< n, at the interval's end.
};

/// PLUS: Uchida, Sherman and Delp, "Making a meaningful impact", Proc. R. Soc. A 471 (2015), Sections 2, 3, Algorithms
/// 1, 2.
///
/// Guarantee on kResolved: no contact approaches faster than `tolerance` of the largest contact speed before, kinetic
/// energy did not grow beyond rounding, every interval's impulse is in Coulomb's round cones. kUnfinished and kFailed
/// say why in `note`. Deterministic: one outcome.
///
/// An impact is a sequence of rounds. In each, contacts that approach compress, those that compressed in the last round
/// expand (Poisson: e times the normal impulse of their compression; none where they hit slower than capture_speed, and
/// where they hit slower than plus.plastic_speed a larger e, Uchida's capture rule) and all others observe, so that an
/// impact travels through a row of balls. A round is a sequence of intervals in which every contact slides, rolls or
/// begins to slip; one ends where a slip vanishes or has turned by plus.theta_max. Among redundant contacts the load is
/// spread by least squares (least_squares_impulse.h).
///
/// Beyond the paper, see docs/plus.md: friction follows the slip of the middle of an interval (the error is of second
/// order in theta_max); jams of Painleve's kind are integrated through; expansion stops where it would add energy;
/// after kMaxRounds rounds one plastic round of all contacts ends the impact, and `note` says so. Reads plus,
/// tolerance, capture_speed. `lcps` counts the interval problems. Cost: O(rows^3) an interval.
class Plus final : public Resolver {
 public:
  /// @throws std::invalid_argument unless 0 < theta_max < pi/2 and rolling_speed >= 0; see also PlusRows::prepare.
  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;
  std::string_view assumption() const override {
    return "contacts hit at once compress and expand together, others a round later; loads spread evenly";
  }

  /// Intervals of each later resolve(), into the caller's list; null stops it.
  void trace(std::vector<PlusInterval>* intervals) { trace_ = intervals; }

  static constexpr int kMaxRounds = 1000;

 private:
  enum class Progress { kContinues, kRoundEnds, kStuck };
  bool assignRoles(const ImpactProblem& problem, const ImpactOptions& options, int round);
  Progress interval(int round);
  double reach(bool jammed) const;
  bool bend(double length);
  double mismatch(double length) const;
  double correct(double length);
  bool solveJam();
  double spendable() const;
  ImpactStatus finish(ImpactStatus status, ImpactOutcome& outcome);

  PlusRows rows_;
  IntervalSolver solver_;
  std::vector<ImpactPoint> points_, saved_points_, start_points_;
  std::vector<double> rebound_, compression_, expansion_;  // e, scaled impulses
  Eigen::VectorXd p_, saved_p_, start_p_, change_, start_change_;
  std::vector<unsigned char> closed_;  // compressed without rebound
  double least_ = 0, rolling_speed_ = 0, tan_turn_ = 0, overshoot_ = 0;
  int solves_ = 0;
  double residual_ = 0;
  std::string_view note_;
  std::vector<PlusInterval>* trace_ = nullptr;
};

}  // namespace rigor::impact
