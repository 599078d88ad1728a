// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/panel_drawing.h"
#include "viewer/panels.h"

namespace rigor::viewer {
namespace {

constexpr std::size_t kNamedBodies = 3;

void updateList(EventList& list, Viewer& viewer, const std::vector<EventMark>& marks) {
  if (list.seen == marks.size() && list.branch == viewer.view.branch && list.generation == viewer.generation() &&
      list.filter == viewer.view.events)
    return;
  list = {{}, {}, marks.size(), viewer.view.branch, viewer.generation(), viewer.view.events};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    ++list.counts[static_cast<int>(marks[i].kind)];
    if (list.filter.shows(marks[i].kind)) list.shown.push_back(static_cast<int>(i));
  }
}

/// The kinds that occur, as the timeline's legend and filter.
void drawKinds(Viewer& viewer, const EventList& list, float scale) {
  const Theme& theme = themeOf(viewer.view.dark);
  EventFilter& filter = viewer.view.events;
  if (ImGui::SmallButton("all")) filter = {};
  hint("Show every kind, in the list and on the timeline");
  ImGui::SameLine();
  if (ImGui::SmallButton("none"))
    for (int k = 0; k < kEventKinds; ++k) filter.set(static_cast<EventKind>(k), false);
  for (int k = 0; k < kEventKinds; ++k) {
    const auto kind = static_cast<EventKind>(k);
    if (list.counts[k] == 0) continue;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    drawEventMark(ImGui::GetWindowDrawList(), kind, at.x + 7 * scale, at.y + ImGui::GetFrameHeight() / 2, scale, theme);
    ImGui::SetCursorScreenPos({at.x + 18 * scale, at.y});
    bool on = filter.shows(kind);
    if (ImGui::Checkbox(eventInfo(kind).text, &on)) {
      filter.set(kind, on);
      if (ImGui::GetIO().KeyCtrl)
        for (int other = 0; other < kEventKinds; ++other) filter.set(static_cast<EventKind>(other), other == k);
    }
    hint(fmt::format("{}. With Ctrl: this kind alone", eventInfo(kind).hint).c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%d", list.counts[k]);
  }
}

std::string bodyNames(const RunModel& model, const std::vector<int>& bodies) {
  std::string names;
  std::size_t named = 0;
  for (const int b : bodies) {
    if (b < 0 || b >= static_cast<int>(model.bodies().size())) continue;
    if (named++ < kNamedBodies) names += (names.empty() ? "" : ", ") + model.bodies()[b].name;
  }
  return named > kNamedBodies ? fmt::format("{} + {}", names, named - kNamedBodies) : names;
}

}  // namespace

void drawEventMark(ImDrawList* draw, EventKind kind, float x, float y, float scale, const Theme& theme) {
  const ImU32 ink = packed(eventColor(kind, theme), 0.92f);
  switch (kind) {
    case EventKind::kImpact:
      draw->AddTriangleFilled({x, y + 6 * scale}, {x - 4 * scale, y - 6 * scale}, {x + 4 * scale, y - 6 * scale}, ink);
      break;
    case EventKind::kFork: draw->AddCircleFilled({x, y}, 4.5f * scale, ink); break;
    case EventKind::kRest:
      draw->AddRectFilled({x - 3.5f * scale, y - 3.5f * scale}, {x + 3.5f * scale, y + 3.5f * scale}, ink);
      break;
    case EventKind::kClosure:
      draw->AddQuadFilled({x, y - 5 * scale}, {x + 5 * scale, y}, {x, y + 5 * scale}, {x - 5 * scale, y}, ink);
      break;
    case EventKind::kLimitReached:
    case EventKind::kLimitLeft: {
      // A stop; a hook to the left where the joint comes, to the right where it goes.
      const float way = (kind == EventKind::kLimitReached ? -5 : 5) * scale;
      draw->AddLine({x, y - 5 * scale}, {x, y + 5 * scale}, ink, 2 * scale);
      draw->AddLine({x, y}, {x + way, y}, ink, 2 * scale);
      break;
    }
    default: draw->AddLine({x, y - 5 * scale}, {x, y + 5 * scale}, ink, 2 * scale);
  }
}

void drawEventPanel(Viewer& viewer, PanelState& state, float scale) {
  RunModel& model = viewer.model();
  const auto& marks = viewer.index().eventsOn(model, viewer.view.branch);
  EventList& list = state.events;
  updateList(list, viewer, marks);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {3 * scale, 2 * scale});
  ImGui::BeginChild("##kinds", {230 * scale, 0});
  drawKinds(viewer, list, scale);
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::SameLine();
  if (marks.empty())
    return ImGui::TextDisabled("%s", viewer.index().complete() ? "nothing has happened" : "reading ...");
  if (!ImGui::BeginTable("##events", 4,
                         ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Time", ImGuiTableColumnFlags_WidthFixed, 110 * scale);
  ImGui::TableSetupColumn("Event", ImGuiTableColumnFlags_WidthFixed, 130 * scale);
  ImGui::TableSetupColumn("Bodies", 0, 1.2f);
  ImGui::TableSetupColumn("What", 0, 1.0f);
  ImGui::TableHeadersRow();

  // The last event up to the shown time; the list follows it.
  const auto past = std::upper_bound(list.shown.begin(), list.shown.end(), viewer.view.time,
                                     [&](double t, int i) { return t < marks[i].time; });
  const int current = static_cast<int>(past - list.shown.begin()) - 1;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  if (state.events_time != viewer.view.time) {
    state.events_time = viewer.view.time;
    const float room = ImGui::GetWindowHeight();
    ImGui::SetScrollY(std::max(0.f, row * (static_cast<float>(current) + 1) - room / 2));
  }
  const Theme& theme = themeOf(viewer.view.dark);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(list.shown.size()), row);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const EventMark& mark = marks[list.shown[i]];
      EventRow what;
      try {
        what = viewer.index().describe(mark);
      } catch (const record::RecordError& error) {
        what.detail = error.what();
      }
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      if (ImGui::Selectable(fmt::format("{:.9g} s", mark.time).c_str(), i == current,
                            ImGuiSelectableFlags_SpanAllColumns)) {
        viewer.playback.playing = false;
        viewer.setTime(mark.time);
        state.events_time = viewer.view.time;  // The row under the mouse stays there.
      }
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorScreenPos();
      drawEventMark(ImGui::GetWindowDrawList(), mark.kind, at.x + 5 * scale, at.y + ImGui::GetTextLineHeight() / 2,
                    scale, theme);
      ImGui::SetCursorScreenPos({at.x + 15 * scale, at.y});
      ImGui::TextUnformatted(eventInfo(mark.kind).name);
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(bodyNames(model, what.bodies).c_str());
      ImGui::TableNextColumn();
      ImGui::TextDisabled("%s", what.detail.c_str());
      ImGui::PopID();
    }
  ImGui::EndTable();
}

}  // namespace rigor::viewer
