// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string_view>

namespace rigor::sim {

/// What the event of a run can be (EventRecord::kind). The viewer has a name, a mark and a text for each
/// (viewer/event_kind.cc), the checker a list of its own, as it shares no code (verify/record/schema.h): a kind that
/// one of them lacks does not compile, or fails a test.
inline constexpr std::string_view kEventKinds[] = {"contact-made", "contact-broken", "contact-changed", "slip-start",
                                                   "slip-stop",    "rest",           "closure",         "fork",
                                                   "velocity-set", "wrench-set",     "limit-reached",   "limit-left"};

constexpr bool isEventKind(std::string_view kind) {
  return std::find(std::begin(kEventKinds), std::end(kEventKinds), kind) != std::end(kEventKinds);
}

}  // namespace rigor::sim
