// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <functional>

#include "methods/registry.h"
#include "sim/simulation.h"

namespace rigor::methods {

struct RunOptions {
  double until = 1;    ///< [s]
  long max_steps = 0;  ///< 0: none.
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double time, long steps)> progress = {};
};

/// Figures of a run by a method. `summary.min_gap` is left at 0: what can be proved of the motion is found by looking
/// at it (compare/motion_record.h).
struct RunResult {
  sim::Summary summary;
  double cpu_seconds = 0;  ///< Of this thread, what the sink takes left out.
  std::string counters;    ///< Method::counters()
};

/// Runs a world to `until`. The sink gets the start, every state that the method passes, and the end. Manifold changes
/// are counted as a run of the event loop counts them, from step to step.
RunResult run(const MethodInfo& info, const Choice& choice, World& world, StateSink& sink, const RunOptions& options);

}  // namespace rigor::methods
