// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "impact/resolver.h"
#include "viewer/fork_replay.h"
#include "viewer/proved_set.h"
#include "viewer/run_index.h"
#include "viewer/run_model.h"

namespace rigor::viewer {

/// Where an impact is in the branch tree.
struct ImpactPlace {
  std::string branch;  ///< The branch that is shown there,
  std::string parent;  ///< and the one that forks there; empty: no fork, a recorded impact of `branch`.
  double time = 0;     ///< [s]
  friend bool operator==(const ImpactPlace&, const ImpactPlace&) = default;
};

/// The last fork at or before `time` on the way to `branch`, or, in a record without forks, the last impact; where
/// there is none before, the first one after it.
std::optional<ImpactPlace> findImpact(const RunModel& model, RunIndex& index, int branch, double time);

/// Outcomes of one simultaneous impact as points of contact space: for each contact the normal and two tangential
/// velocities after it.
struct ImpactSet {
  enum class Kind {
    kBranch,  ///< A branch went on with it.
    kOpen,    ///< A distinct outcome of the fork that nobody has followed.
    kModel,   ///< Of a deterministic model.
    kVertex,  ///< A vertex of the exact set, or an extreme that is proved to be reached.
    kSample,  ///< Of the default model's set.
  };
  struct Outcome {
    Kind kind;
    int branch = -1;     ///< kBranch: the child that went on with it.
    std::string label;   ///< Branch, or model.
    long number = -1;    ///< kSample, kVertex: its number; kModel: which solution; kOpen: which alternative.
    std::vector<double> coordinates = {};  ///< One an axis [m/s].
    sim::ImpactChoice choice = {};         ///< To simulate on from; without velocity: nobody can.
    long sample = -1;                      ///< Number of the sample that it is; -1: none that is known.
  };
  ImpactPlace place;
  std::vector<std::string> axes;      ///< "contact 1 normal", "contact 1 along x", ...
  std::vector<std::string> contacts;  ///< "die - table"
  std::vector<Eigen::Vector3d> points, normals;  ///< Of the contacts, world.
  std::vector<Outcome> outcomes;
  std::vector<double> before;         ///< Coordinates before the impact.
  Eigen::MatrixXd rows;               ///< Velocities to coordinates.
  impact::ImpactProblem problem;
  impact::ImpactOptions options;
  impact::RandomKey sample_key;       ///< Of sample 0.
  std::shared_ptr<const ReplayedFork> replayed;  ///< Null: rebuilt from the record's masses, contacts and velocities.
  std::string note;                   ///< Why it was only rebuilt, or, if it is empty, not found.
  ProvedSet proved;                   ///< Of all outcomes; ways[k] is that of the vertex of number k.
  bool complete = false;              ///< The deterministic models have answered, and what can be proved is.
  bool empty() const { return outcomes.empty(); }
};

/// What studying an impact may take.
struct StudyEffort {
  int samples = 400;  ///< Dots of the cloud.
  double proofs = 1;  ///< As proveOutcomes takes it.
};

/// The set of an impact: what its branches took, what nobody followed, what the deterministic models say, and samples
/// of the default model, and what is proved of all of them. The impact is simulated again (ForkReplay); where that
/// cannot be, its problem is rebuilt from the record, if free bodies alone take part. Empty if there is nothing to
/// show. `early` gets it without the models and proofs, which may take long, then without the proofs. @param replay May
/// be null. @throws record::RecordError, ReplayError("interrupted").
ImpactSet collectImpactSet(RunModel& model, ForkReplay* replay, const ImpactPlace& place, const StudyEffort& effort,
                           const std::atomic<bool>* interrupt = nullptr,
                           const std::function<void(const ImpactSet&)>& early = {});

/// An instant of the impulse process of an outcome.
struct ImpulseStep {
  std::vector<double> velocity;  ///< Coordinates [m/s].
  std::vector<double> impulse;   ///< For each contact received up to here: normal, size of the tangential part [N s].
};
/// The steps by which the set's model took sample `number` through the impact, the start first.
std::vector<ImpulseStep> impulseProcess(const ImpactSet& set, long number);
/// The same along the chain of forces to vertex `number`: each of its segments in equal parts.
std::vector<ImpulseStep> chainProcess(const ImpactSet& set, long number);

/// "contact 1 slides, contact 2 separates"; letters as in the choices of a record (f, t, s).
std::string fatesText(const std::string& letters);
/// The same, shorter: "contact 2 separates; contacts 1, 3 slide".
std::string fatesSummary(const std::string& letters);
/// The letters of an outcome of the set.
std::string fateLetters(const ImpactSet& set, const ImpactSet::Outcome& outcome);

}  // namespace rigor::viewer
