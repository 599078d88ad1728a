// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

/// `rigor trace FILE`: sums up what `rigor run --trace FILE` wrote as JSON lines: steps, trials, refusals by reason,
/// methods, events, and the steps that took longest. @returns kDone, or kBadInput (said on `err` with FILE:LINE).
int traceCommand(const std::string& path, bool json, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
