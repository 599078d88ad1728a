// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "viewer/impact_set.h"

namespace rigor::viewer {

/// Simulates on from an outcome of an impact that no branch of a record has, on a thread of its own.
///
/// Guarantee: `record` itself is never written to. The branch goes to `copy`, a complete record that verifies like any
/// other: a tree gets one branch more; of a record of one trajectory, `copy` is the tree that forks at the impact, its
/// first branch the trajectory as it was.
class Continuation {
 public:
  /// @param outcome  Of `set`, with a choice. @pre set.replayed.
  Continuation(std::string record, std::string copy, std::shared_ptr<const ImpactSet> set,
               const ImpactSet::Outcome& outcome);
  ~Continuation();  ///< Stops it; `copy` is then to be thrown away.
  Continuation(const Continuation&) = delete;
  Continuation& operator=(const Continuation&) = delete;

  bool done() const { return done_; }
  double time() const { return time_; }  ///< Simulated so far [s].
  double until() const { return until_; }
  const std::string& copy() const { return copy_; }
  long sample() const { return outcome_.sample; }  ///< That it went on with; -1 for none.
  /// Known once done(): the new branch, or what went wrong.
  const std::string& branch() const { return branch_; }
  const std::string& error() const { return error_; }
  /// What the user should know of the branch: that it failed early. Empty for nothing.
  const std::string& note() const { return note_; }
  void wait();

 private:
  void run();
  void addToTree(ForkReplay& replay, const std::string& parent);
  void makeTree(ForkReplay& replay);

  std::string record_, copy_, branch_, error_, note_;
  std::shared_ptr<const ImpactSet> set_;
  ImpactSet::Outcome outcome_;
  std::atomic<bool> interrupt_{false}, done_{false};
  std::atomic<double> time_{0}, until_{0};
  std::thread thread_;
};

}  // namespace rigor::viewer
