// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "verify/verify.h"

namespace rigor::viewer {

/// Runs the independent verifier on a record in the background.
class Proof {
 public:
  ~Proof();  ///< Does not wait for the end.
  void start(const std::string& path);
  bool cancel();  ///< Whether it still ran: then no report comes of it.
  double progress() const { return progress_; }  ///< Share of the branches that are done, while it runs.
  bool running() const { return running_; }
  /// The last finished report; nothing before the first.
  std::optional<verify::Report> report() const;
  std::string error() const;  ///< A record that the verifier cannot read.
  void forget();              ///< The record changed: not yet verified.

 private:
  std::atomic<bool> running_{false}, interrupt_{false};
  std::atomic<double> progress_{0};
  mutable std::mutex mutex_;
  std::optional<verify::Report> report_;
  std::string error_;
  std::thread thread_;
};

}  // namespace rigor::viewer
