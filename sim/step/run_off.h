// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Finds where held contacts leave what they touch: a vertex or ball the face that it slides on, the crossing of two
/// edges an end of one of them, a ball the edge or vertex that is nearest. Beyond it their gap is still that of a plane
/// or of lines, with no body there to push against: a step has to end there. Contacts with half-spaces, of two balls,
/// and along a direction that was frozen where features touch that carry no face, have no such end.
class RunOff {
 public:
  explicit RunOff(StepContext& context) : x_(context) {}

  /// Share of the trial at which the first of them is so far off that it is none any more (at rims of the contact
  /// band, as ContactFinder sees them), at its end or in its middle; 1: none is, or it is as good as there. Costs an
  /// interpolation of the trial and a few dot products a contact, and 40 of both where there is one.
  [[nodiscard]] double first(const Trial& trial);
  /// Whether a contact is that far off at t, with the group's bodies as in `state`.
  bool isOff(const Contact& contact, const SystemState& state, double t) const;

 private:
  double beyond(const Contact& contact, const SystemState& state, double t) const;
  double farthest(const SystemState& state, double t) const;

  StepContext& x_;
  SystemState between_;
};

}  // namespace rigor::sim
