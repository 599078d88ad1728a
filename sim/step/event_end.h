// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/end_placement.h"
#include "sim/step/event_search.h"

namespace rigor::sim {

/// Ends trials at events.
class EventEnd {
 public:
  EventEnd(StepContext& context, EndPlacement& ends) : x_(context), placement_(ends) {}

  /// A new contact is put at the nominal gap there.
  [[nodiscard]] Placed truncate(Trial& trial, const Event& event);

 private:
  Placed truncateWith(const Contact& contact, const Placement& a, const Placement& b, Trial& trial, double u);
  double timeAtGap(const Trial& trial, const Event& event);
  double offAt(const Trial& trial, const Event& event, double u);
  Placement placementAt(int body, int slot, double t) const;

  StepContext& x_;
  EndPlacement& placement_;
  Trial whole_;
  SystemState between_;
};

}  // namespace rigor::sim
