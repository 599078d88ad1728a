// SPDX-License-Identifier: MIT
#pragma once
#include <imgui.h>

#include "viewer/color.h"
#include "viewer/run_index.h"

namespace rigor::viewer {

/// Small helpers of the panels' drawing.
inline ImU32 packed(const Color& c) { return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, c.a}); }
inline ImU32 packed(const Color& c, float alpha) { return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, alpha}); }

/// An event's mark about (x, y): triangles are impacts, circles forks, squares rest, hooks joint limits, strokes
/// contacts.
void drawEventMark(ImDrawList* draw, EventKind kind, float x, float y, float scale, const Theme& theme);

}  // namespace rigor::viewer
