// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "impact/lcp/contact_lcp.h"

namespace rigor::impact {

/// Restitution by energy (Stronge 1990), kept for each contact while impulses act in steps of any size and order.
///
/// While contact i approaches, its normal impulse takes the work -integral vn_i dp_i; e_i^2 of it is stored. Once it
/// does not approach it owes what is stored, and pushes until it has returned that: integral vn_i dp_i. Along a step
/// velocities change in proportion to the impulses, so these are exact. Without friction the kinetic energy and what is
/// stored are constant for e = 1. Step by step: begin(); take the step; where shorten() says so, take it back and
/// again; account().
class EnergyReturns {
 public:
  static constexpr int kHeldSteps = 10;  ///< Steps without motion after which isHeld().

  /// @param capture  Contacts whose whole compression was that of a hit slower than this owe nothing [m/s].
  /// @param least    Normal velocity (< 0) from which on a contact does not approach [m/s].
  void start(const ImpactProblem& problem, const ContactLcp& lcp, double capture, double least);
  /// As after start().
  void restart();
  void begin(const ContactLcp& lcp);
  /// Does contact i owe, and does it not approach?
  bool returns(int i) const { return owes(i) && speed_[static_cast<std::size_t>(i)] >= least_; }
  bool owesAny() const;
  /// Impulse with which contact i would return alone what it owes [N s].
  double wholeReturn(int i) const;
  /// False for a step that may stand. Else it is to be taken again with these smaller limits and returns: up to where a
  /// contact has returned what it owed, where one that owes nothing and separated is met again, or half of it where
  /// friction would let energy grow.
  /// @param limit, given  m: of the step that was taken [N s].
  bool shorten(const ContactLcp& lcp, std::vector<double>& limit, std::vector<double>& given) const;
  void account(const ContactLcp& lcp);
  /// Contacts push and nothing has moved for a while: friction holds what is owed (wedged bodies at rest).
  bool isHeld() const { return idle_steps_ >= kHeldSteps; }
  /// Books the step that was taken, then takes out all that is owed [J], less the work that contacts did in it.
  /// @param weights  m: impulses in proportion to which contacts may return it together.
  double takeAll(const ContactLcp& lcp, std::vector<double>& weights);
  /// Nothing is owed any longer.
  void forgive();

 private:
  struct Work {
    double in = 0, out = 0;  // >= 0
  };
  bool owes(int i) const;
  double shareThatStands(const ContactLcp& lcp, const std::vector<double>& given) const;
  Work workOf(const ContactLcp& lcp, int i) const;

  std::vector<double> e_, inverse_mass_, stored_, compression_, speed_, impulse_;
  double capture_ = 0, least_ = 0, rounding_ = 0, largest_ = 0;  // largest_: of e_
  int idle_steps_ = 0;
};

}  // namespace rigor::impact
