// SPDX-License-Identifier: MIT
#include "cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace rigor::cli {

using namespace std::chrono_literals;

ProgressBar::ProgressBar(bool wanted) : active_(wanted && isatty(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(double time, double until, long steps) {
  if (!active_) return;
  const auto now = Clock::now();
  if (now - start_ < 1s || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr int kWidth = 30;
  const double part = until > 0 ? std::clamp(time / until, 0.0, 1.0) : 1.0;
  const int filled = static_cast<int>(part * kWidth);
  fmt::print(stderr, "\r[{}{}] {:.3f} of {:g} s, {} steps\033[K", std::string(filled, '#'),
             std::string(kWidth - filled, ' '), time, until, steps);
  std::fflush(stderr);
}

}  // namespace rigor::cli
