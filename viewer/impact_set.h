// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "impact/resolver.h"
#include "viewer/run_model.h"

namespace rigor::viewer {

/// Outcomes of one simultaneous impact as points of contact space: for each contact the normal and two tangential
/// velocities after it.
struct ImpactSet {
  enum class Kind { kBranch, kModel, kSample };
  struct Outcome {
    Kind kind;
    int branch = -1;  ///< kBranch: the child that went on with it.
    std::string label;
    std::vector<double> coordinates;  ///< One an axis [m/s].
  };
  double time = 0;
  int parent = -1;  ///< Branch that forks here; -1: no fork, one recorded impact.
  std::vector<std::string> axes;  ///< "contact 1 normal", "contact 1 along x", ...
  std::vector<Outcome> outcomes;
  impact::ImpactProblem problem;
  bool empty() const { return outcomes.empty(); }
};

/// The impact at the last fork at or before `time` on the way to `branch`, or else, in a branch without one, the impact at
/// `last_impact`: what its branches took, what the deterministic models say, and a sample of the set (`samples` of the default model, keyed
/// by their number). Empty if there is none. The impact problem is rebuilt from the record's masses, contacts and
/// velocities. @throws record::RecordError.
ImpactSet collectImpactSet(RunModel& model, record::Reader& reader, int branch, double time,
                           double last_impact, int samples);

}  // namespace rigor::viewer
