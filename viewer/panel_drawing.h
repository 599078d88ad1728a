// SPDX-License-Identifier: MIT
#pragma once
#include <imgui.h>

#include "viewer/color.h"
#include "viewer/run_index.h"

namespace rigor::viewer {

/// Small helpers of the panels' drawing.
inline ImU32 packed(const Color& c) { return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, c.a}); }
inline ImU32 packed(const Color& c, float alpha) { return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, alpha}); }

inline Color eventColor(EventKind kind, const Theme& theme) {
  switch (kind) {
    case EventKind::kImpact: return theme.contact;
    case EventKind::kMade: return rgb(0x009E73);
    case EventKind::kBroken: return rgb(0xE69F00);
    case EventKind::kChanged: return rgb(0x56B4E9);
    case EventKind::kRest: return rgb(0x0072B2);
    case EventKind::kClosure: return rgb(0xCC79A7);
    case EventKind::kSlip: return rgb(0x8B6D00);
    case EventKind::kFork: return rgb(0x7048E8);
    case EventKind::kWarning: return rgb(0xD55E00);
    default: return rgb(0x868E96);
  }
}

}  // namespace rigor::viewer
