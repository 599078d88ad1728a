// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "methods/world.h"

namespace rigor::methods {

enum class StepStatus : unsigned char {
  kStepped,  ///< world.time and world.state are those of the end.
  kFailed,   ///< The method cannot go on, for `reason`; nothing moved.
};

struct Stepped {
  StepStatus status = StepStatus::kStepped;
  std::string reason = {};
  int impacts = 0;  ///< Contacts that were hit faster than the capture speed.
};

/// Receives what a method makes: poses at some times, velocities before and after a jump at one time.
class StateSink {
 public:
  virtual ~StateSink() = default;
  virtual void state(const World& world) = 0;
};

/// A method that moves a world from step to step, as its paper says. Deterministic: no clocks, no threads.
class Method {
 public:
  virtual ~Method() = default;
  /// One step, which ends at `until` [s] at the latest. States that it passes within the step, jumps included, go to
  /// `sink`; the last one not.
  [[nodiscard]] virtual Stepped step(World& world, double until, StateSink& sink) = 0;
  /// Contacts at the start of the last step, for counts of manifold changes; of two parts alone.
  virtual const sim::ContactList& contacts() const = 0;
  /// Counters of the method's own, a JSON object.
  virtual std::string counters() const { return "{}"; }
};

}  // namespace rigor::methods
