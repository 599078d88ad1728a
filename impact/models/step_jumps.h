// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/lcp/contact_lcp.h"

namespace rigor::impact {

/// Tells steps of an impact that jump from those that are parts of an impulse history.
///
/// The LCP of a step looks at the velocities at its end alone. So contacts may push there that separated at its start,
/// and slips may have turned back while friction opposed the new slip all the way: a jump over what moves meanwhile, to
/// outcomes that no history has. Such a step is to be taken again, shorter. Step by step: begin(); take the step; where
/// shorten() says so, take it back and again.
///
/// A slip that may have stopped is looked at with friction that opposes it from the start on: where friction then has
/// more to do after the stop than the contact gives, or a contact would have separated before, the step ends there.
/// That of a spatial contact ends where another edge of the polygon opposes the slip better.
/// Turns of slow slips (kJumpSlip) remain: outcomes lie outside the set by the order of that. No allocation once sized.
class StepJumps {
 public:
  static constexpr int kCuts = 16;  ///< Steps are not shortened more often.

  /// Before a step. @param turns  Whether slips are looked at: friction has a polygon.
  void begin(const ContactLcp& lcp, bool turns);
  /// False for a step that stands. Else it is to be taken again with these smaller limits and returns.
  /// @param limit, given  m: of the step that was taken [N s].
  bool shorten(const ContactLcp& lcp, std::vector<double>& limit, std::vector<double>& given);

 private:
  struct Slip {
    int contact = -1, along = 0, against = 0;  // Of its friction directions: along the slip, and against it.
    double most = 0, opposed = 0, speed = 0;   // Friction [N s]: the most, and what opposed the slip; at the start.
  };
  double pushed(const ContactLcp& lcp, int contact) const { return lcp.impulse()[contact] - start_impulse_[contact]; }
  void findSlips(const ContactLcp& lcp, double largest);
  double partBeforeTurn(const ContactLcp& lcp, double largest, const std::vector<double>& given);

  bool turns_ = true;
  double idle_ = 0;                                   // Normal impulses of contacts that wait are no larger [N s].
  Eigen::VectorXd start_, start_impulse_, opposing_;  // J v, impulses; their change where friction opposes the slips.
  std::vector<Slip> slips_;                          // Those that friction does not oppose with all it has.
};

}  // namespace rigor::impact
