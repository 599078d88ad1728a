// SPDX-License-Identifier: MIT
#include "cli/interrupt.h"

namespace rigor::cli {
namespace {

std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

void (*old_hangup)(int) = SIG_DFL;  // As signals, one for the program.
void (*old_limit)(int) = SIG_DFL;

void onSignal(int signal) {
  signalled = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signalled = false;
  // A terminal that is closed interrupts, too; a file that may not grow is a write that fails, and is said as one.
  old_hangup = std::signal(SIGHUP, onSignal);
  old_limit = std::signal(SIGXFSZ, SIG_IGN);
  old_int_ = std::signal(SIGINT, onSignal);
  old_term_ = std::signal(SIGTERM, onSignal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, old_int_);
  std::signal(SIGTERM, old_term_);
  std::signal(SIGHUP, old_hangup);
  std::signal(SIGXFSZ, old_limit);
}

const std::atomic<bool>& InterruptGuard::flag() const { return signalled; }

}  // namespace rigor::cli
