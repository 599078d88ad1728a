// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/panel_drawing.h"
#include "viewer/panels.h"

namespace rigor::viewer {

namespace {

/// Row of a kind's marks above the bar, so that what happens at one time does not hide itself.
int laneOf(EventKind kind) {
  switch (kind) {
    case EventKind::kImpact: return 0;
    case EventKind::kMade:
    case EventKind::kBroken:
    case EventKind::kChanged:
    case EventKind::kSlip:
    case EventKind::kSlipStart: return 1;
    default: return 2;
  }
}

}  // namespace

void drawTimeline(Viewer& viewer, PanelState& state, const Rect& rect, float scale) {
  ImGui::SetNextWindowPos({rect.x, rect.y});
  ImGui::SetNextWindowSize({rect.width, rect.height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##timeline", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  const ImGuiIO& io = ImGui::GetIO();
  const Theme& theme = themeOf(viewer.view.dark);
  TimeAxis& axis = viewer.axis;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float left = state.axis_left, width = std::max(10.f, state.axis_width);
  const float top = rect.y + 8 * scale, base = rect.y + rect.height - 24 * scale;
  const auto xOf = [&](double time) {
    return left + width * static_cast<float>(std::clamp(axis.toUnit(time), -0.1, 1.1));
  };

  ImGui::SetCursorScreenPos({rect.x, rect.y});
  ImGui::InvisibleButton("##time", {rect.width, rect.height});
  const bool hovered = ImGui::IsItemHovered();
  const double unit = std::clamp(static_cast<double>((io.MousePos.x - left) / width), 0.0, 1.0);
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(0)) {
    viewer.setTime(axis.toTime(unit));
    if (ImGui::IsMouseClicked(0)) viewer.playback.playing = false;
  }
  if (hovered && io.MouseWheel != 0) axis.zoom(std::pow(1.25, static_cast<double>(io.MouseWheel)), unit);
  if (hovered && ImGui::IsMouseDragging(1, 0) && !axis.logarithmic) axis.pan(-io.MouseDelta.x / width);
  if (hovered && ImGui::IsMouseDoubleClicked(1)) axis.showAll(std::max(viewer.endTime(), viewer.model().header().until));
  // What plays stays in sight.
  if (viewer.playback.playing && !axis.logarithmic) {
    const double u = axis.toUnit(viewer.view.time);
    if (u > 1 || u < 0) axis.pan(u - 0.1);
  }

  // The recorded part, the loop, ticks.
  draw->AddRectFilled({left, base - 6 * scale}, {left + width, base}, ImGui::GetColorU32(ImGuiCol_FrameBg), 3 * scale);
  const float x0 = std::max(left, xOf(0)), x1 = std::min(left + width, xOf(viewer.endTime()));
  const Color accent = themeOf(viewer.view.dark).accent;
  if (x1 > x0) draw->AddRectFilled({x0, base - 6 * scale}, {x1, base}, packed(accent, 0.45f), 3 * scale);
  if (viewer.playback.loop && viewer.playback.loop_from < viewer.playback.loop_to)
    draw->AddRectFilled({xOf(viewer.playback.loop_from), top}, {xOf(viewer.playback.loop_to), base}, packed(accent, 0.12f));
  float last_label = -1e9f;
  for (const TimeAxis::Tick& tick : axis.ticks(static_cast<int>(width / (90 * scale)))) {
    const float x = xOf(tick.time);
    if (x < left - 1 || x > left + width + 1) continue;
    const bool labelled = !tick.label.empty();
    draw->AddLine({x, base}, {x, base + (labelled ? 6 : 3) * scale}, ImGui::GetColorU32(ImGuiCol_TextDisabled));
    if (!labelled) continue;
    const ImVec2 extent = ImGui::CalcTextSize(tick.label.c_str());
    const float at = std::clamp(x - extent.x / 2, left - 10 * scale, left + width - extent.x + 10 * scale);
    if (at < last_label + 8 * scale) continue;
    draw->AddText({at, base + 6 * scale}, ImGui::GetColorU32(ImGuiCol_TextDisabled), tick.label.c_str());
    last_label = at + extent.x;
  }

  // Event marks; at most one of a kind a pixel, so that a million cost no more than a screen's width.
  float drawn[kEventKinds];
  std::fill(drawn, drawn + kEventKinds, -1e9f);
  const auto& marks = viewer.index().eventsOn(viewer.model(), viewer.view.branch);
  const double from = axis.toTime(0), to = axis.toTime(1);
  auto mark = std::lower_bound(marks.begin(), marks.end(), from,
                               [](const EventMark& m, double t) { return m.time < t; });
  const EventMark* nearest = nullptr;
  float nearest_distance = 6 * scale;
  for (; mark != marks.end() && mark->time <= to; ++mark) {
    if (!viewer.view.events.shows(mark->kind)) continue;
    const int kind = static_cast<int>(mark->kind);
    const float x = xOf(mark->time);
    const float away = std::abs(x - io.MousePos.x);
    if (hovered && away < nearest_distance) nearest = &*mark, nearest_distance = away;
    if (x - drawn[kind] < 1) continue;
    drawn[kind] = x;
    drawEventMark(draw, mark->kind, x, base - (14 + 13 * static_cast<float>(laneOf(mark->kind))) * scale, scale, theme);
  }
  // How long it is shown at what speed, where the lanes have their names.
  draw->AddText({rect.x + 10 * scale, base - 16 * scale}, ImGui::GetColorU32(ImGuiCol_TextDisabled),
                viewer.playback.speed == 1 ? "real time" : fmt::format("{:.3g} x", viewer.playback.speed).c_str());
  // The cursor.
  const float x = xOf(viewer.view.time);
  draw->AddLine({x, top}, {x, base + 2 * scale}, ImGui::GetColorU32(ImGuiCol_Text), 2 * scale);
  draw->AddTriangleFilled({x - 5 * scale, top - 4 * scale}, {x + 5 * scale, top - 4 * scale}, {x, top + 4 * scale},
                          ImGui::GetColorU32(ImGuiCol_Text));
  if (axis.logarithmic)
    draw->AddText({rect.x + 10 * scale, rect.y + 8 * scale}, ImGui::GetColorU32(ImGuiCol_TextDisabled), "log scale (Z)");
  if (hovered && !ImGui::IsMouseDown(0)) {
    ImGui::BeginTooltip();
    const double resolution = std::abs(axis.toTime(std::min(1.0, unit + 1 / width)) - axis.toTime(unit)) + 1e-15;
    if (nearest) ImGui::Text("%s at %s", eventInfo(nearest->kind).name, timeText(nearest->time, resolution / 10).c_str());
    else ImGui::Text("%s", timeText(axis.toTime(unit), resolution).c_str());
    if (!nearest) ImGui::TextDisabled("wheel zooms, right drag pans, double right click shows all;  Z: logarithmic around the cursor");
    ImGui::EndTooltip();
  }
  ImGui::End();
}

}  // namespace rigor::viewer
