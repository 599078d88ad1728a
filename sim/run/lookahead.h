// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "impact/workers.h"
#include "sim/run/body_tree.h"
#include "sim/run/groups.h"
#include "sim/step/body_box.h"
#include "sim/stepper.h"

namespace rigor::sim {

/// What a step of a group depends on, beside the group and what is near it.
struct StepRequest {
  int group = -1;    ///< Its number.
  double end = 0;    ///< No step goes beyond [s].
  double reach = 0;  ///< See Stepper::step().
  std::uint64_t path = 0;

  bool operator==(const StepRequest&) const = default;
};

/// Steps of groups that are apart, computed side by side on several threads, ahead of their turns.
///
/// Guarantee: a run does the same with and without it, bit for bit, for any number of threads. A step that was computed
/// ahead takes its turn only if nothing that it depends on has changed: its group, its request, and all motions in the
/// box in which it looked for others. Else it is thrown away, and made when it is its turn.
///
/// How far it looks follows from how many of its steps are of use.
class Lookahead {
 public:
  /// @param threads  0: all cores that the process may use.
  Lookahead(const Scene& scene, const Scales& scales, std::uint64_t seed, int threads);

  int threads() const { return workers_.size(); }
  /// Forgets all steps.
  void clear();
  /// The box of a body's motion is that from now on.
  void moved(int body, const BodyBox& box);
  /// The group has changed by what another one did, or is no more.
  void drop(int group);

  /// Whether the group's next step was computed ahead and is what it would be now. @post If so: its outcome, in
  /// `memory` and `result`; if not, nothing is known of steps of the group any more.
  bool take(const Group& group, const StepRequest& request, StepMemory& memory, StepResult& result);
  /// How many steps to compute next, 0: none now. To be asked once a step that was not taken.
  int wanted();
  /// Up to when steps are computed, from a group's clock on [s].
  double window() const { return window_; }
  /// So many are in it, or can be computed with it.
  void found(std::size_t count);
  bool has(int group) const { return group < static_cast<int>(chain_of_.size()) && chain_of_[group] >= 0; }
  /// Computes steps of groups, each its own ones one after another until its clock passes `until`. @pre has() none of
  /// them. Allocates while their number grows.
  void make(const RunState& run, Groups& groups, std::span<const StepRequest> requests, double until);

 private:
  struct Step {
    StepRequest request;
    StepMemory memory;
    StepResult result;
  };
  /// Steps of one group that follow each other.
  struct Chain {
    std::vector<int> bodies;  // Of the group, ascending.
    std::vector<std::unique_ptr<Step>> steps;  // Those from `next` on, `end` excluded, are still to be taken;
    std::size_t next = 0, end = 0;             // the others keep their room.
    std::vector<int> root;  // Scratch of extend().
  };

  int open(const StepRequest& request, const Group& group);
  void extend(const RunState& run, double until, Stepper& stepper, Chain& chain) const;
  void shorten(Chain& chain, const BodyBox& changed, int body);
  void close(int group);
  void adapt(int used, int wasted);

  const Scene& scene_;
  const Scales scales_;
  const std::uint64_t seed_;
  impact::Workers workers_;
  std::vector<std::unique_ptr<Stepper>> steppers_;  // One a worker.
  std::vector<std::unique_ptr<Chain>> chains_;
  std::vector<int> free_;      // Those of them that keep nothing.
  std::vector<int> chain_of_;  // By number of the group; -1: none.
  std::vector<int> made_;      // Scratch of make().
  std::vector<BodyBox> boxes_;
  BodyTree looked_;              // By chain, of what is kept: where its steps looked for others.
  std::vector<int> hit_;         // Scratch of moved().
  double window_;                // [s]
  int width_;                    // Steps to be computed at a time,
  int paused_ = 0;               // and how often not, where that is none.
  int used_ = 0, wasted_ = 0;    // Of the last ones.
};

}  // namespace rigor::sim
