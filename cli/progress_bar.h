// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

namespace rigor::cli {

/// A bar on stderr for runs that take longer than a second; nothing where stderr is no terminal.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();  ///< Wipes the line.
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double time, double until, long steps);
  void showPart(double part, const std::string& text);  ///< part of 1.

 private:
  using Clock = std::chrono::steady_clock;
  bool active_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace rigor::cli
