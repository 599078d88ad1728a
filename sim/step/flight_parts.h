// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/proposal.h"

namespace rigor::sim {

enum class PartResult {
  kPublished,         ///< The next part is proved,
  kPublishedToEvent,  ///< up to an event, which ends the flight.
  kNone,              ///< There is none that can be proved: what is left of the flight is integrated anew.
};

/// Publishes flights of robots in parts, where one cubic a link cannot follow its joints.
class FlightParts {
 public:
  FlightParts(StepContext& context, EndPlacement& ends, Proposal& proposal)
      : x_(context), placement_(ends), proposal_(proposal) {}

  /// Makes the trial a flight if its links cannot follow their joints in one piece; else stops the one there was.
  void start(Flight& flight);
  /// The next part of the flight, which ends with its last part or at an event.
  [[nodiscard]] PartResult publish(Flight& flight, double reach, StepResult& result);

 private:
  void take(const Flight& flight, double length);
  void limitEnergy(const Flight& flight, double length);

  StepContext& x_;
  EndPlacement& placement_;
  Proposal& proposal_;
};

}  // namespace rigor::sim
