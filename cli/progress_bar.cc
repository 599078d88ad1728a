// SPDX-License-Identifier: MIT
#include "cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace rigor::cli {

using namespace std::chrono_literals;

ProgressBar::ProgressBar(bool wanted) : active_(wanted && isatty(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(double time, double until, long steps) {
  if (!active_) return;
  showPart(until > 0 ? time / until : 1.0, fmt::format("{:.3f} of {:g} s, {} steps", time, until, steps));
}

void ProgressBar::showPart(double part, const std::string& text) {
  if (!active_) return;
  const auto now = Clock::now();
  if (now - start_ < 1s || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(std::clamp(part, 0.0, 1.0) * kWidth);
  fmt::print(stderr, "\r[{}{}] {}\033[K", std::string(filled, '#'), std::string(kWidth - filled, ' '), text);
  std::fflush(stderr);
}

}  // namespace rigor::cli
