// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/fork.h"
#include "sim/simulation.h"
#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::sim {

struct ExploreOptions {
  ForkOptions fork;
  long max_branches = 100;  ///< Branches that the tree may have; more are left in the frontier (kBudget).
  double until = 1;         ///< [s]
  std::uint64_t seed = 0;
  int threads = 0;          ///< 0: all cores. Does not change the tree.
};

/// A branch of the tree: the world from a fork, with one of its alternatives, to the next fork or the end.
struct TreeNode {
  std::vector<int> path;         ///< Alternatives taken from the root on; empty for the root.
  std::string id = "0", parent;  ///< The same for records: "0/2/1" is alternative 1 of the fork at the end of "0/2".
  double fork_time = 0;          ///< [s]
  double weight = 1;             ///< Share of the samples of the fork: no probability of nature.
  double share = 1;              ///< Product of the weights on the way to it, each at least kLeastShare: see explore().
  double difference = 0;  ///< Kinetic distance to the alternatives before it, as a speed of the whole scene [m/s].
  std::string choice;            ///< JSON: what was chosen, for the reader of a record.
  double priority = HUGE_VAL;    ///< Larger ones are explored first; see explore(). Depends on the path alone.
  std::uint64_t hash = 0;        ///< Of the path, keys the samples.
  int depth = 0;                 ///< Forks above it.
  int body = -1;                 ///< First body of the group that forked; -1: no fork, the start of the scene.
  std::vector<ImpactChoice> choices;  ///< The impacts of its first decision, the alternative last.
};

/// What is left to explore of a tree, and what it started from.
struct Frontier {
  struct Open {
    TreeNode node;
    std::shared_ptr<const std::vector<unsigned char>> state;  ///< Of the fork; null for the start of the scene.
  };
  std::vector<Open> open;
};

/// Weights below this count as much where branches are put in order: rare outcomes and extremes have their turn too.
inline constexpr double kLeastShare = 0.05;

/// Figures of a tree.
struct TreeSummary {
  RunStatus status = RunStatus::kDone;
  std::string message;       ///< The first failure of a branch, in the order of exploration.
  double time = 0;           ///< Latest end of a branch [s].
  double min_gap = 0;        ///< Certified, of any pair, in any branch, at any instant [m].
  long branches = 0;         ///< Explored ones.
  long forks = 0;            ///< Branches that have children.
  long merged = 0;           ///< Sampled outcomes that fell together with an alternative of their fork.
  long plastic_impacts = 0;  ///< See Summary; of all branches: impacts that would have to be asked whether they fork.
  long open = 0;             ///< Alternatives that were found and not explored.
  double open_difference = 0;  ///< Largest difference of those from alternatives before them [m/s].
  long steps = 0, failed = 0;
  long leaves() const { return branches - forks; }
};

/// Receives a tree, branch after branch, always in the same order. Calls come from several threads, one at a time.
class TreeStore {
 public:
  virtual ~TreeStore() = default;
  /// The rows of this branch follow, and no others until endBranch(). What it throws ends the exploration.
  virtual Sink& beginBranch(const TreeNode& node) = 0;
  /// `children`: the alternatives of the fork at its end, which are now open; empty for a leaf.
  /// An interrupted branch ends early and stays open: it will be explored again, from its start.
  virtual void endBranch(const TreeNode& node, const Summary& summary, const std::vector<TreeNode>& children) = 0;
};

/// Explores the tree of trajectories of a scene: every ambiguous impact (sim/fork.h) forks into its distinct outcomes.
///
/// Guarantee: what `store` receives depends on the scene, the options but `threads`, and the frontier alone: the same
/// bits for any number of threads. An interrupted tree continued from its frontier becomes the tree that was never
/// interrupted. The branch of first alternatives (0, 0/0, 0/0/0, ...) is the trajectory of Simulation::run() up to the
/// rounding of the cuts at forks, and bit for bit where one group of bodies moves; a scene without ambiguous impacts is
/// one branch, that of run().
///
/// Order: the branch with the largest priority next, ties by path. A fork's first alternative has its parent's
/// priority: a trajectory that was begun goes on to its end, as an independent run would. Another's is its difference
/// times its share (what leaving it out may move of the distribution of trajectories), at most its parent's. Branches
/// are simulated ahead of their turn on other threads; what the budget then leaves out is thrown away.
///
/// @param start  What to explore: {} for the scene's start; the frontier of an unfinished tree to continue it.
/// @param explored  Figures of the unfinished tree; {} for a new one. max_branches counts its branches too.
/// @throws SceneError, and what the store throws.
TreeSummary explore(const Scene& scene, const ExploreOptions& options, TreeStore& store, Frontier start = {},
                    const TreeSummary& explored = {}, const std::atomic<bool>* interrupt = nullptr,
                    const std::function<void(const TreeSummary&, double time)>& progress = {});

/// True if `a` is explored before `b`.
bool exploredBefore(const TreeNode& a, const TreeNode& b);

}  // namespace rigor::sim
