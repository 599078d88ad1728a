// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <csignal>

namespace rigor::cli {

/// While it lives, the first SIGINT or SIGTERM sets a flag instead of ending the program; a second one ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& flag() const;
  bool interrupted() const { return flag(); }

 private:
  void (*old_int_)(int);
  void (*old_term_)(int);
};

}  // namespace rigor::cli
