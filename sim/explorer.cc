// SPDX-License-Identifier: MIT
#include "sim/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>

#include "impact/workers.h"
#include "sim/kept_rows.h"
#include "sim/separate_trees.h"

namespace rigor::sim {
namespace {

/// What the reader of a record learns of alternative number k.
std::string choiceOf(const Fork& fork, std::size_t k, double share) {
  const Alternative& alternative = fork.alternatives[k];
  std::string distances;
  for (const double d : alternative.distances) distances += fmt::format(",{:.4g}", d);
  return fmt::format(
      R"({{"outcome":{},"outcomes":{},"samples":{},"count":{},"difference":{},)"
      R"("contacts":"{}","nearest":{},"distances":[{}],"extreme":{},"share":{}}})",
      k, fork.alternatives.size(), fork.drawn, alternative.count, alternative.novelty, alternative.fates,
      alternative.nearest, distances.empty() ? distances : distances.substr(1), alternative.extreme, share);
}

std::vector<TreeNode> childrenOf(const TreeNode& parent, const Fork& fork) {
  std::vector<TreeNode> children;
  for (size_t k = 0; k < fork.alternatives.size(); ++k) {
    const Alternative& alternative = fork.alternatives[k];
    TreeNode& node = children.emplace_back();
    node.path = parent.path;
    node.path.push_back(static_cast<int>(k));
    node.id = fmt::format("{}/{}", parent.id, k);
    node.parent = parent.id;
    node.fork_time = fork.time;
    node.weight = alternative.weight;
    node.share = parent.share * std::max(alternative.weight, kLeastShare);
    node.difference = alternative.novelty;
    node.choice = choiceOf(fork, k, node.share);
    // A trajectory that was begun is followed to its end: a leaf at a fork says nothing of what comes after it.
    node.priority = k == 0 ? parent.priority : std::min(parent.priority, alternative.novelty * node.share);
    node.depth = parent.depth + 1;
    node.hash = childHash(parent.hash, node.depth, static_cast<int>(k));
    node.body = fork.body;
    node.choices = fork.before;
    node.choices.push_back(alternative.outcome);
  }
  return children;
}

/// The shared state of the threads that explore.
class Exploration {
 public:
  Exploration(const Scene& scene, const ExploreOptions& options, TreeStore& store, const std::atomic<bool>* interrupt,
              const std::function<void(const TreeSummary&, double)>& progress, const TreeSummary& explored)
      : scene_(withSeparateTrees(scene)),
        options_(options),
        store_(store),
        interrupt_(interrupt),
        progress_(progress),
        summary_(explored) {
    summary_.status = RunStatus::kDone;
  }

  void add(Frontier::Open open) { waiting_.insert(std::make_unique<Branch>(std::move(open))); }

  /// The loop of one thread: takes the next branch that nobody has, and hands on what is due. Ends when the tree is
  /// done.
  void work() {
    std::unique_lock lock(mutex_);
    // The root is always begun, and what another thread is handing on is ended by that thread.
    if (interrupt_ && *interrupt_ && summary_.branches > 0 && !handing_) interrupted_ = !waiting_.empty();
    while (!stopped()) {
      Branch* const branch = nextUnstarted();
      if (!branch) {
        changed_.wait(lock);  // Another thread simulates: it will add children or end the tree.
        continue;
      }
      branch->started = true;
      // The branch whose turn it is needs no buffer.
      const bool first = branch == waiting_.begin()->get() && !handing_;
      handing_ |= first;
      lock.unlock();
      std::exception_ptr error;
      try {
        simulate(*branch, first);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      branch->simulated = true;
      if (first) handing_ = false;
      if (error && !error_) error_ = error;
      handOn();
      if (stopped()) stop_ = true;  // What others simulate ahead is not needed any more.
      changed_.notify_all();
    }
  }

  TreeSummary finish() {
    if (error_) std::rethrow_exception(error_);
    if (partial_) {
      // An interrupted branch is recorded up to where it got, and still open.
      const Summary part = *partial_;
      ++summary_.branches;
      summary_.forks += waiting_.begin()->get()->open.node.id.ends_with("/0");
      summary_.time = std::max(summary_.time, part.time);
      summary_.min_gap = summary_.branches == 1 ? part.min_gap : std::min(summary_.min_gap, part.min_gap);
    }
    summary_.open = static_cast<long>(waiting_.size());
    summary_.open_difference = 0;
    for (const auto& branch : waiting_)
      summary_.open_difference = std::max(summary_.open_difference, branch->open.node.difference);
    if (interrupted_) summary_.status = RunStatus::kInterrupted;
    else if (summary_.failed > 0) summary_.status = RunStatus::kFailed;
    else if (!waiting_.empty() || out_of_steps_) summary_.status = RunStatus::kBudget;
    return summary_;
  }

 private:
  struct Branch {
    explicit Branch(Frontier::Open o) : open(std::move(o)) {}
    Frontier::Open open;
    bool started = false, simulated = false;
    std::unique_ptr<KeptRows> rows;  // Null for rows that were handed on at once.
    Summary summary;
    Fork fork;
    std::shared_ptr<const std::vector<unsigned char>> end;
  };
  struct Order {
    bool operator()(const std::unique_ptr<Branch>& a, const std::unique_ptr<Branch>& b) const {
      return exploredBefore(a->open.node, b->open.node);
    }
  };

  bool stopped() const {
    return error_ || interrupted_ || waiting_.empty() || summary_.branches >= options_.max_branches;
  }

  /// The first branch that is not being simulated, within what the budget may still take.
  Branch* nextUnstarted() {
    long ahead = options_.max_branches - summary_.branches;
    for (const auto& branch : waiting_) {
      if (ahead-- <= 0) return nullptr;
      if (!branch->started) return branch.get();
    }
    return nullptr;
  }

  void simulate(Branch& branch, bool direct) {
    const TreeNode& node = branch.open.node;
    Simulation simulation(scene_, options_.seed);
    ForkOptions fork = options_.fork;
    fork.gives_up = [this] { return stop_ || (interrupt_ && *interrupt_); };
    simulation.findForks(fork, node.hash);
    if (branch.open.state) {
      simulation.restore(*branch.open.state);
      simulation.choose(node.body, node.choices);
    }
    Sink* sink = direct ? &store_.beginBranch(node) : (branch.rows = std::make_unique<KeptRows>(scene_)).get();
    const auto progress = [&](double time, long) {
      if (direct && progress_) progress_(summary_, time);
      if (interrupt_ && *interrupt_) stop_ = true;
    };
    branch.summary = simulation.run(options_.until, *sink, &stop_, progress);
    if (branch.summary.status == RunStatus::kForked) {
      branch.fork = simulation.fork();
      branch.end = std::make_shared<const std::vector<unsigned char>>(simulation.snapshot());
    }
  }

  /// Hands the branches whose turn it is to the store, as far as they are simulated.
  void handOn() {
    while (!stopped() && !handing_ && (*waiting_.begin())->simulated) {
      Branch& branch = **waiting_.begin();
      const TreeNode& node = branch.open.node;
      try {
        // What was simulated ahead and interrupted has not begun, as far as the store is concerned.
        interrupted_ = branch.summary.status == RunStatus::kInterrupted;
        if (interrupted_ && branch.rows) return;
        if (branch.rows) branch.rows->replay(store_.beginBranch(node));
        std::vector<TreeNode> children;
        long merged = 0;
        if (branch.summary.status == RunStatus::kForked) {
          children = childrenOf(node, branch.fork);
          merged = branch.fork.drawn - static_cast<long>(children.size());
        }
        store_.endBranch(node, branch.summary, children);
        if (interrupted_) {
          partial_ = branch.summary;
          return;
        }
        count(branch, merged);
        for (TreeNode& child : children) add({std::move(child), branch.end});
      } catch (...) {
        error_ = std::current_exception();
        return;
      }
      const double time = branch.summary.time;
      // Its children are behind it: their priorities are not larger, their paths longer.
      waiting_.erase(waiting_.begin());
      summary_.open = static_cast<long>(waiting_.size());
      if (progress_) progress_(summary_, time);
      if (interrupt_ && *interrupt_) interrupted_ = !waiting_.empty();
    }
  }

  void count(const Branch& branch, long merged) {
    const Summary& s = branch.summary;
    const bool only = summary_.branches == 0;
    ++summary_.branches;
    // The first child of a fork makes its parent a fork; it is always explored before the others.
    if (branch.open.node.id.ends_with("/0")) ++summary_.forks;
    summary_.merged += merged;
    summary_.time = std::max(summary_.time, s.time);
    summary_.min_gap = only ? s.min_gap : std::min(summary_.min_gap, s.min_gap);
    summary_.steps += s.steps;
    summary_.plastic_impacts += s.plastic_impacts;
    out_of_steps_ |= s.status == RunStatus::kBudget;
    if (s.status != RunStatus::kFailed) return;
    if (++summary_.failed == 1) summary_.message = fmt::format("branch {}: {}", branch.open.node.id, s.message);
  }

  const Scene scene_;  // As all simulations of it have it.
  const ExploreOptions& options_;
  TreeStore& store_;
  const std::atomic<bool>* interrupt_;
  const std::function<void(const TreeSummary&, double)>& progress_;
  TreeSummary summary_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::unique_ptr<Branch>, Order> waiting_;
  bool handing_ = false;  // A thread hands the rows of the first branch on as it simulates them.
  bool interrupted_ = false, out_of_steps_ = false;
  std::atomic<bool> stop_{false};  // Ends the simulations at their next step.
  std::optional<Summary> partial_;
  std::exception_ptr error_;
};

}  // namespace

bool exploredBefore(const TreeNode& a, const TreeNode& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.path < b.path;
}

TreeSummary explore(const Scene& scene, const ExploreOptions& options, TreeStore& store, Frontier start,
                    const TreeSummary& explored, const std::atomic<bool>* interrupt,
                    const std::function<void(const TreeSummary&, double)>& progress) {
  Exploration exploration(scene, options, store, interrupt, progress, explored);
  for (Frontier::Open& open : start.open) exploration.add(std::move(open));
  impact::Workers workers(options.threads);
  workers.run(workers.size(), 1, [&](long, long, int) { exploration.work(); });
  return exploration.finish();
}

}  // namespace rigor::sim
