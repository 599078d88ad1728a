// SPDX-License-Identifier: MIT
#include "viewer/event_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/event_kinds.h"

namespace rigor::viewer {
namespace {

constexpr EventInfo kInfos[kEventKinds] = {
    {"impact", "Impacts", "Velocities jump"},
    {"contact-made", "Contacts made", "A pair touches that did not"},
    {"contact-broken", "Contacts broken", "A pair no longer touches"},
    {"contact-changed", "Contacts changed", "Other corners or edges of a pair touch"},
    {"rest", "Rest", "A group of bodies lies still for good"},
    {"closure", "Closures", "A cluster of impacts taken as one, or one that no model resolved"},
    {"slip-stop", "Slip stops", "A contact that slid sticks"},
    {"slip-start", "Slip starts", "A contact that stuck begins to slide"},
    {"fork", "Forks", "An ambiguous impact: the run branches"},
    {"limit-reached", "Joint limits reached", "A joint comes to its limit and is held there"},
    {"limit-left", "Joint limits left", "A joint moves away from its limit"},
    {"velocity-set", "Velocities set", "A body got a velocity from outside"},
    {"wrench-set", "Forces set", "A body got a force from outside"},
    {"other", "Others", "Of kinds that this version does not know"},
};

/// Whether every kind that a run can have is among them.
constexpr bool knowsAll() {
  return std::all_of(std::begin(sim::kEventKinds), std::end(sim::kEventKinds), [](std::string_view kind) {
    return std::any_of(std::begin(kInfos), std::end(kInfos), [&](const EventInfo& info) { return kind == info.name; });
  });
}
static_assert(knowsAll(), "sim/event_kinds.h has a kind that the viewer does not know");

std::string plain(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

const EventInfo& eventInfo(EventKind kind) { return kInfos[static_cast<int>(kind)]; }

EventKind eventKind(const std::string& name) {
  for (int k = 0; k < static_cast<int>(EventKind::kOther); ++k)
    if (name == kInfos[k].name) return static_cast<EventKind>(k);
  return EventKind::kOther;
}

Color eventColor(EventKind kind, const Theme& theme) {
  switch (kind) {
    case EventKind::kImpact: return theme.contact;
    case EventKind::kMade: return rgb(0x009E73);
    case EventKind::kBroken: return rgb(0xE69F00);
    case EventKind::kChanged: return rgb(0x56B4E9);
    case EventKind::kRest: return rgb(0x0072B2);
    case EventKind::kClosure: return rgb(0xCC79A7);
    case EventKind::kSlip: return rgb(0x8B6D00);
    case EventKind::kSlipStart: return rgb(0xB59B2B);
    case EventKind::kFork: return rgb(0x7048E8);
    case EventKind::kLimitReached: return theme.joint;
    case EventKind::kLimitLeft: return mix(theme.joint, theme.background_bottom, 0.4f);
    case EventKind::kVelocitySet: return rgb(0xD55E00);
    case EventKind::kWrenchSet: return rgb(0xB8530C);
    default: return rgb(0x868E96);
  }
}

std::string eventDetail(EventKind kind, const std::string& json) {
  const nlohmann::json detail = nlohmann::json::parse(json, nullptr, false);
  if (!detail.is_object()) return json;
  const auto count = [&](const char* key) {
    const auto value = detail.find(key);
    return value != detail.end() && value->is_number_integer() ? value->get<int>() : 0;
  };
  switch (kind) {
    case EventKind::kMade:
    case EventKind::kBroken:
    case EventKind::kChanged: {
      std::string text = fmt::format("{} {} touch{}", count("touching"), count("touching") == 1 ? "point" : "points",
                                     count("touching") == 1 ? "es" : "");
      if (count("made")) text += fmt::format(", {} new", count("made"));
      if (count("broken")) text += fmt::format(", {} gone", count("broken"));
      return text;
    }
    case EventKind::kSlip:
    case EventKind::kSlipStart:
      if (const auto slip = detail.find("slip"); slip != detail.end() && slip->is_array() && slip->size() == 3 &&
                                                 slip->at(0).is_number() && slip->at(1).is_number() &&
                                                 slip->at(2).is_number())
        return fmt::format("slip of {:.3g} m/s",
                           std::hypot(slip->at(0).get<double>(), slip->at(1).get<double>(), slip->at(2).get<double>()));
      break;
    case EventKind::kFork: return fmt::format("{} outcomes in {} samples", count("outcomes"), count("samples"));
    case EventKind::kLimitReached:
    case EventKind::kLimitLeft:
      if (detail.contains("joint") && detail.contains("end"))
        return fmt::format("{}, {} limit", plain(detail["joint"]), plain(detail["end"]));
      break;
    default: break;
  }
  std::string text;
  for (const auto& [key, value] : detail.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, plain(value));
  return text;
}

}  // namespace rigor::viewer
