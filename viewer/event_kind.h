// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "viewer/color.h"

namespace rigor::viewer {

/// Kinds of events, for marks, filters and rows; kOther for what this version does not know.
enum class EventKind : unsigned char {
  kImpact,
  kMade,
  kBroken,
  kChanged,
  kRest,
  kClosure,
  kSlip,
  kSlipStart,
  kFork,
  kLimitReached,
  kLimitLeft,
  kVelocitySet,
  kWrenchSet,
  kOther,
  kCount
};
constexpr int kEventKinds = static_cast<int>(EventKind::kCount);

struct EventInfo {
  const char* name;  ///< In records (docs/record-format.md, sim/event_kinds.h).
  const char* text;  ///< For the user.
  const char* hint;
};
const EventInfo& eventInfo(EventKind kind);
EventKind eventKind(const std::string& name);
Color eventColor(EventKind kind, const Theme& theme);

/// The field `detail` of an event, as a person reads it; what is no JSON object stays as it is.
std::string eventDetail(EventKind kind, const std::string& json);

/// A set of kinds that timeline, list and jumps leave out.
class EventFilter {
 public:
  bool shows(EventKind kind) const { return !(hidden_ >> static_cast<int>(kind) & 1); }
  void set(EventKind kind, bool shown) {
    const unsigned bit = 1u << static_cast<int>(kind);
    hidden_ = shown ? hidden_ & ~bit : hidden_ | bit;
  }
  friend bool operator==(const EventFilter&, const EventFilter&) = default;

 private:
  unsigned hidden_ = 0;
};

}  // namespace rigor::viewer
