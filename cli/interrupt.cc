// SPDX-License-Identifier: MIT
#include "cli/interrupt.h"

namespace rigor::cli {
namespace {

std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

void onSignal(int signal) {
  signalled = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signalled = false;
  old_int_ = std::signal(SIGINT, onSignal);
  old_term_ = std::signal(SIGTERM, onSignal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, old_int_);
  std::signal(SIGTERM, old_term_);
}

const std::atomic<bool>& InterruptGuard::flag() const { return signalled; }

}  // namespace rigor::cli
