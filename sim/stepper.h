// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "sim/fork.h"
#include "sim/runtime.h"
#include "sim/scales.h"
#include "sim/step/step.h"

namespace rigor::sim {

/// Makes one proved step of a group of bodies. Owns all buffers of the loop.
class Stepper {
 public:
  Stepper(const Scene& scene, const Scales& scales, std::uint64_t seed);
  ~Stepper();

  /// Advances the bodies `island` from their common clock to at most `t_end`, against all others. Pairs whose boxes
  /// stay `reach` [m] apart get no witness. The bodies' states are not changed; the caller publishes the result.
  /// `impact_path` keys the random stream of an impact in this step.
  void step(const RunState& run, std::span<const int> island, StepMemory& memory, double t_end, double reach,
            std::uint64_t impact_path, StepResult& result);

  /// Impacts that `forks` finds ambiguous end a step with kFork; null: one outcome is drawn. Must outlive this.
  void setForks(ForkFinder* forks);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::sim
