// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "record/reader.h"
#include "sim/fork.h"
#include "sim/world.h"

namespace rigor::viewer {

/// An ambiguous impact as the simulation met it.
struct ReplayedFork {
  sim::Fork fork;
  std::vector<unsigned char> state;  ///< What each of its alternatives continues from.
  std::uint64_t hash = 0;            ///< Of the branch that ends there.
};

/// Why an impact cannot be looked at by simulating it again; what() is for the user.
struct ReplayError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Simulates a record up to one of its impacts again, from the nearest stored state: the impact problem itself, with
/// its contacts and samples, which a record does not hold. Writes nothing. One thread.
///
/// Guarantee: what it returns happens at the recorded time, to the bit; else it throws.
class ForkReplay {
 public:
  /// @throws record::RecordError; ReplayError if the scene of the record cannot be had again (a missing mesh or URDF).
  explicit ForkReplay(const std::string& record);

  /// The fork at the end of a branch of an explored record. @throws ReplayError.
  ReplayedFork atEndOf(const std::string& branch, const std::atomic<bool>* interrupt = nullptr);
  /// The impact at `time` of a record of one trajectory. @throws ReplayError, also where the impact has one outcome.
  ReplayedFork atImpact(double time, const std::atomic<bool>* interrupt = nullptr);

  /// With the recorded options; what a simulation of the record starts from.
  const sim::Scene& scene() const { return scene_; }
  const sim::ForkOptions& forkOptions() const { return options_; }
  record::Reader& reader() { return reader_; }

 private:
  record::Reader reader_;
  sim::Scene scene_;
  sim::ForkOptions options_;
};

/// Hash of the path "0.2.1", as the explorer gives it to the branch. @throws ReplayError for what is no path.
std::uint64_t branchHash(const std::string& id);

}  // namespace rigor::viewer
