// SPDX-License-Identifier: MIT
#pragma once
#include "sim/step/certifier.h"
#include "sim/step/event_end.h"
#include "sim/step/publisher.h"

namespace rigor::sim {

enum class Proposed {
  kProved,         ///< StepContext::pieces are proved, to the end of the trial.
  kProvedToEvent,  ///< The same, to the first event within it: the trial is that long now.
  kMeets,          ///< The first event is with another group's flight, StepContext::met: the two are to step as one.
  kShorter,        ///< The trial has to be integrated anew, shorter by StepContext::shrink.
};

/// Publishes trials, ended at their first events, and proves them.
class Proposal {
 public:
  explicit Proposal(StepContext& context, EndPlacement& ends)
      : publisher(context),
        events(context),
        certifier(context),
        x_(context),
        placement_(ends),
        event_end_(context, ends) {}

  /// A trial of the step size h; `cut`: it was ended at an event of its own already.
  [[nodiscard]] Proposed propose(Trial& trial, double h, double reach, bool cut, StepResult& result);
  /// Publishes that nothing moves, until something in flight may hit. `hit`: that it may, before the horizon.
  [[nodiscard]] Certified stay(double reach, bool& hit, StepResult& result);

  Publisher publisher;
  EventSearch events;
  Certifier certifier;

 private:
  Event firstEvent(const Trial& trial, bool lenient);
  bool isOfLifts(const Trial& trial, const Event& event, bool lenient);
  bool meetsFlight(const Trial& trial, const Event& event);

  StepContext& x_;
  EndPlacement& placement_;
  EventEnd event_end_;
};

}  // namespace rigor::sim
