// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "sim/simulation.h"

namespace rigor::viewer {

/// Simulates a scene on a thread of its own into a record in the temporary folder, which is removed at the end.
///
/// The record exists, with its bodies, when the constructor returns; a viewer reads it while it grows.
class BackgroundRun {
 public:
  /// @throws sim::SceneError for a scene that cannot be simulated, record::RecordError.
  BackgroundRun(sim::Scene scene, std::uint64_t seed, double until);
  ~BackgroundRun();  ///< Stops it and removes the record.
  BackgroundRun(const BackgroundRun&) = delete;
  BackgroundRun& operator=(const BackgroundRun&) = delete;

  const std::string& recordPath() const { return path_; }
  double time() const { return time_; }  ///< Simulated so far [s].
  bool done() const { return done_; }
  /// What went wrong, empty for nothing; known once done().
  std::string message() const;
  void wait(const std::atomic<bool>& stop);  ///< Until it is done, or `stop` is set.

 private:
  std::string folder_, path_;
  std::atomic<bool> interrupt_{false}, done_{false};
  std::atomic<double> time_{0};
  mutable std::mutex mutex_;
  std::string message_;
  std::thread thread_;
};

}  // namespace rigor::viewer
