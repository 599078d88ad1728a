// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "impact/resolver.h"
#include "sim/sink.h"

namespace rigor::sim {

/// How ambiguous impacts are found.
struct ForkOptions {
  long samples =
      1000;  ///< Outcomes drawn of an ambiguous impact that a random model resolves, the trajectory's own included.
  double tolerance = 0.05;  ///< Outcomes this close are one, relative to the largest change of velocity among them [-].
  double from = 0;          ///< Impacts before this time do not fork [s].
  std::function<bool()> gives_up = {};  ///< Asked between samples: true interrupts the run before the impact.
};

/// What an impact did, so that it can be done again.
struct ImpactChoice {
  impact::ImpactStatus status = impact::ImpactStatus::kFailed;
  Eigen::VectorXd velocity;               ///< Of the group's bodies, (v, w) each; empty if the model gave no answer.
  std::vector<Eigen::VectorXd> impulses;  ///< Of the contacts [N s].
};

/// As bytes, and back; throws std::invalid_argument for bytes that are damaged.
std::vector<unsigned char> packChoices(const std::vector<ImpactChoice>& choices);
std::vector<ImpactChoice> unpackChoices(const std::vector<unsigned char>& bytes);

/// One of the outcomes that an impact may have.
struct Alternative {
  ImpactChoice outcome;
  long count = 0;      ///< Draws of the model that it stands for,
  double weight = 0;   ///< and their share of all: the model's law, no probability of nature.
  double novelty = 0;  ///< Kinetic distance to the nearest alternative before it, as a speed of the whole scene [m/s],
  int nearest = 0;     ///< and that alternative's number, among those with a weight.
  std::vector<double> distances;  ///< To each alternative before it that has a weight, as novelty [m/s].
  bool extreme =
      false;  ///< An outcome of the set that lasting rates reach, far from all draws of the model: without weight.
  std::string fates;   ///< What the contacts do, a letter each: f (separates), t (sticks), s (slides).
};

/// An impact with several outcomes: where a trajectory branches.
struct Fork {
  double time = 0;                        ///< [s]
  int body = -1;                          ///< First body of the group in which it happens.
  std::vector<ImpactChoice> before;       ///< Impacts of the same decision before this one.
  /// At least two: the trajectory's own outcome at 0, then medoids of the draws, then extremes; in both farthest points
  /// first.
  std::vector<Alternative> alternatives;
  long drawn = 0;                         ///< Outcomes that were merged into them.

  // What was resolved, so that others can look at the whole set: sample k of a random model has the key
  // {sample_key.seed, sample_key.path + k}.
  impact::ImpactProblem problem;
  impact::ImpactOptions options;
  impact::RandomKey sample_key;
  std::vector<ImpactContactRecord> contacts;  ///< Of the problem, in its order; without impulses.
};

/// Finds the ambiguous impacts of one branch; the event loop asks it at every impact.
///
/// An impact is ambiguous if at least two contacts take part, one of them approaches faster than the capture speed, and
/// two outcomes of the model differ by more than the tolerance and by more than the capture speed of the lightest body.
/// The first alternative is the outcome that a run without forks would take, bit for bit.
///
/// Weights are those of medoids (mergeIntoMedoids()) of draws by the model's own law, as runs draw: so the weighted
/// leaves of a tree are distributed as independent runs are, up to the tolerance. An inelastic impact of `routh` has
/// extremes beside them: the vertices of the exact set where it is found with little work (cornerOutcomes()), else what
/// a quarter of the samples with lasting rates reach.
class ForkFinder {
 public:
  /// @param branch  Hash of the branch's path, 0 for the first child of the first child ... of the root: keys the
  /// samples.
  /// @param scene_mass  Of all moving bodies [kg]: scale of Alternative::novelty.
  ForkFinder(const ForkOptions& options, std::uint64_t branch, double scene_mass)
      : options_(options), branch_(branch), scene_mass_(scene_mass) {}

  std::uint64_t branch() const { return branch_; }
  double from() const { return options_.from; }

  /// The next decision repeats these impacts before it resolves others.
  void repeatFirst(std::vector<ImpactChoice> choices) { repeated_ = std::move(choices); }
  /// The step with the repeated impacts was accepted.
  void forgetRepeated() { repeated_.clear(); }
  /// A decision starts.
  void begin() { taken_.clear(); }
  /// The impact at hand, if it is a repeated one; else null.
  const ImpactChoice* repeat() const { return taken_.size() < repeated_.size() ? &repeated_[taken_.size()] : nullptr; }
  /// The impact at hand is done.
  void took(ImpactChoice choice) { taken_.push_back(std::move(choice)); }

  /// @param first  The model's outcome with `key`, which run() would take.
  /// @param capture_speed [m/s]; lightest: mass of the group's lightest body [kg].
  /// @returns true if the impact is ambiguous: fork() then has its alternatives. Cost: `samples` outcomes.
  /// @throws impact::GivenUp where ForkOptions::gives_up says so.
  bool isAmbiguous(const impact::ImpactProblem& problem, const impact::ImpactOptions& options, const std::string& model,
                   impact::RandomKey key, const impact::ImpactOutcome& first, double capture_speed, double lightest);
  Fork& fork() { return fork_; }

 private:
  struct Draws;
  bool draw(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
            const impact::ImpactOutcome& first, Draws& draws);
  void drawExtremes(const impact::ImpactProblem& problem, const impact::ImpactOptions& options, Draws& draws);
  bool describe(const impact::ImpactProblem& problem, const impact::ImpactOptions& options, double tolerance,
                Draws& draws);
  ForkOptions options_;
  std::uint64_t branch_;
  double scene_mass_;
  std::vector<ImpactChoice> repeated_, taken_;
  Fork fork_;
};

/// Hash of the child number `child` at depth `depth` of a branch with hash `parent`; that of child 0 is its parent's.
std::uint64_t childHash(std::uint64_t parent, int depth, int child);

}  // namespace rigor::sim
