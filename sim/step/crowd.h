// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/run/disjoint_sets.h"
#include "sim/step/proposal.h"
#include "sim/step/tick.h"
#include "sim/step/tick_ledger.h"
#include "sim/step/tick_lift.h"

namespace rigor::sim {

/// Steps of many bodies in contact whose impacts follow each other faster than they could be told apart: a tick
/// resolves all contacts that touch or close within it at velocity level, together.
class Crowd {
 public:
  Crowd(StepContext& context, EndPlacement& ends, Proposal& proposal)
      : x_(context), placement_(ends), proposal_(proposal), tick_(context, proposal), ledger_(context),
        lift_(context) {}

  /// Large groups in motion, unless something in them may rebound by the scene's model.
  bool isCrowd(const StepMemory& memory) const;
  /// One tick of the group, or its rest.
  [[nodiscard]] StepStatus step(StepMemory& memory, double reach, StepResult& result);

 private:
  bool isSlow() const;
  bool hardlyMoves() const;
  bool reboundsByModel(const StepMemory& memory) const;
  double longestTick() const;
  [[nodiscard]] bool followsRobots();
  bool startTick(double h, StepResult& result);
  bool keepsThoseAlone();
  bool endTick(StepResult& result);
  bool standStill(double h, StepMemory& memory, double reach, StepResult& result);
  void finishCrowd(StepMemory& memory, StepResult& result);

  StepContext& x_;
  EndPlacement& placement_;
  Proposal& proposal_;
  Tick tick_;
  TickLedger ledger_;
  TickLift lift_;
  /// Of keepsThoseAlone(): by body, of those that act on each other the first stands for all.
  struct Together {
    double gain = 0, unit = 0;  // Of energy [J]; m V^2 of the heaviest.
    bool robot = false, acted_on = false;
  };
  DisjointSets together_;
  std::vector<Together> group_;
};

}  // namespace rigor::sim
