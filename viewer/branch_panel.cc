// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/panel_drawing.h"
#include "viewer/panels.h"

namespace rigor::viewer {
namespace {

constexpr float kLaneHeight = 18;

void drawBranchButtons(Viewer& viewer, PanelState& state, float scale) {
  const auto button = [](const char* label, const char* text) {
    const bool pressed = ImGui::SmallButton(label);
    hint(text);
    ImGui::SameLine();
    return pressed;
  };
  const int branch = viewer.view.branch;
  ImGui::Text("%s", viewer.model().branches()[branch].id.c_str());
  ImGui::SameLine();
  if (button("parent", "Page Up")) viewer.handleKey({kPageUp});
  if (button("child", "The heaviest: Page Down")) viewer.handleKey({kPageDown});
  if (button("sibling", "Up, Down")) viewer.handleKey({kDown});
  if (button("solo", "Only this, what leads to it and what comes from it (S)")) viewer.solo(branch);
  if (button(viewer.isMuted(branch) ? "unmute###mute" : "mute###mute", "Not among the ghosts (M)"))
    viewer.handleKey({'M'});
  if (button("name", "F2")) viewer.want_name = true;
  if (button("compare", "With the next sibling: ghost, first difference (K)")) viewer.handleKey({'K'});
  if (viewer.canUndo() && button("undo", "Names, mutes, added branches (Ctrl + Z)")) viewer.undo();
  ImGui::SetNextItemWidth(190 * scale);
  if (viewer.want_search) ImGui::SetKeyboardFocusHere();
  viewer.want_search = false;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {8 * scale, 0});  // As high as the buttons beside it.
  const bool entered = ImGui::InputTextWithHint("##search", "search outcomes (/)", state.search, sizeof state.search,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopStyleVar();
  if (entered && !state.found.empty()) {
    viewer.selectBranch(state.found[state.found_at % state.found.size()]);
    ++state.found_at;
    ImGui::SetKeyboardFocusHere(-1);
  }
  hint("Path, name, status, contact mode (contact 2 slides) or end (face 3 up); with commas: all of them. Enter walks through them");
  if (ImGui::IsItemEdited()) state.found_at = 0;
  if (state.search[0]) {
    // Thousands of branches are searched where something changed alone.
    const std::string key = fmt::format("{}|{}|{}|{}", state.search, viewer.generation(), viewer.model().branches().size(),
                                        viewer.finalsSeen());
    if (key != state.searched || viewer.namesChanged(state.seen_names)) {
      state.searched = key;
      state.found = searchBranches(viewer.model(), viewer.names(), state.search, &viewer.finals());
    }
    ImGui::SameLine();
    ImGui::TextDisabled("%d found", static_cast<int>(state.found.size()));
  } else {
    state.found.clear();
    state.searched.clear();
  }
}

/// A die's upper face, as an icon.
void drawDie(ImDrawList* draw, ImVec2 at, float size, int face, ImU32 ink, ImU32 paper) {
  draw->AddRectFilled(at, {at.x + size, at.y + size}, paper, size * 0.22f);
  draw->AddRect(at, {at.x + size, at.y + size}, ink, size * 0.22f);
  const auto pip = [&](float x, float y) {
    draw->AddCircleFilled({at.x + size * (0.5f + 0.26f * x), at.y + size * (0.5f + 0.26f * y)}, size * 0.105f, ink, 8);
  };
  if (face % 2) pip(0, 0);
  if (face > 1) pip(-1, 1), pip(1, -1);
  if (face > 3) pip(-1, -1), pip(1, 1);
  if (face == 6) pip(-1, 0), pip(1, 0);
}

}  // namespace

void drawBranchPanel(Viewer& viewer, PanelState& state, float scale) {
  drawBranchButtons(viewer, state, scale);
  ImGui::BeginChild("##lanes", {0, 0}, false, ImGuiWindowFlags_NoScrollWithMouse);
  const ImGuiIO& io = ImGui::GetIO();
  const auto& lanes = viewer.lanes();
  const auto& branches = viewer.model().branches();
  const Theme& theme = themeOf(viewer.view.dark);
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float row = kLaneHeight * scale;
  const float left = state.axis_left, width = std::max(10.f, state.axis_width);
  // The timeline's axis: zoomed in, or logarithmic, it tells forks apart that lie nanoseconds apart.
  TimeAxis& axis = viewer.axis;
  const auto xOf = [&](double time) {
    return left + width * static_cast<float>(std::clamp(axis.toUnit(time), -0.02, 1.02));
  };
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(at, {at.x + size.x, at.y + size.y}, true);

  const float content = row * static_cast<float>(lanes.size()), most = std::max(0.f, content - size.y);
  if (state.seen_branch != viewer.view.branch) {  // A newly chosen lane comes into sight.
    state.seen_branch = viewer.view.branch;
    for (const BranchLane& lane : lanes)
      if (lane.branch == viewer.view.branch) {
        const float y = row * static_cast<float>(lane.lane);
        if (y < state.lane_scroll || y + row > state.lane_scroll + size.y) state.lane_scroll = y - size.y / 2;
      }
  }
  ImGui::InvisibleButton("##lane area", {std::max(1.f, size.x), std::max(1.f, size.y)});
  const bool hovered = ImGui::IsItemHovered();
  const double unit = std::clamp(static_cast<double>((io.MousePos.x - left) / width), 0.0, 1.0);
  if (hovered && io.KeyCtrl && io.MouseWheel != 0) axis.zoom(std::pow(1.25, static_cast<double>(io.MouseWheel)), unit);
  else if (hovered) state.lane_scroll -= io.MouseWheel * 3 * row;
  state.lane_scroll = std::clamp(state.lane_scroll, 0.f, most);

  const int first = std::max(0, static_cast<int>(state.lane_scroll / row) - 1);
  const int last = std::min(static_cast<int>(lanes.size()) - 1, static_cast<int>((state.lane_scroll + size.y) / row) + 1);
  const auto yOf = [&](int lane) { return at.y + row * (static_cast<float>(lane) + 0.5f) - state.lane_scroll; };
  std::vector<bool> found(state.found.empty() ? 0 : branches.size(), false);
  for (const int b : state.found) found[b] = true;
  std::vector<bool> on_way(branches.size(), false);
  for (int b = viewer.view.branch; b >= 0; b = branches[b].parent) on_way[b] = true;
  const Color line = themeOf(viewer.view.dark).lane;
  const Color accent = themeOf(viewer.view.dark).accent;
  // Rows of the leaves that others join, where those can be seen.
  std::vector<int> row_of(branches.size(), -1);
  for (const BranchLane& lane : lanes) row_of[lane.branch] = lane.lane;
  int under = -1;
  for (int i = first; i <= last; ++i) {
    const BranchLane& lane = lanes[i];
    const ModelBranch& branch = branches[lane.branch];
    const float y = yOf(i);
    const bool selected = lane.branch == viewer.view.branch, muted = viewer.isMuted(lane.branch);
    if (hovered && std::abs(io.MousePos.y - y) <= row / 2) under = i;
    if (selected)
      draw->AddRectFilled({at.x, y - row / 2}, {at.x + size.x, y + row / 2}, ImGui::GetColorU32(ImGuiCol_Header), 4 * scale);
    Color color = on_way[lane.branch] ? accent : line;
    if (lane.branch == viewer.view.compared) color = theme.impulse;
    if (!found.empty() && found[lane.branch]) color = theme.selection;
    if (branch.status == "failed") color = theme.contact;
    const float alpha = muted ? 0.25f : 1;
    const float thick = (1.5f + 6 * lane.thickness) * scale;
    const float x0 = xOf(lane.from), x1 = std::max(x0 + 2, xOf(lane.to));
    if (lane.parent_lane >= 0) {
      // Forks leave the parent at the impact.
      const float py = std::max(yOf(lane.parent_lane), at.y - row);
      draw->AddLine({x0, py}, {x0, y}, packed(color, 0.5f * alpha), 1.5f * scale);
      draw->AddCircleFilled({x0, y}, std::max(2.5f * scale, thick * 0.6f), packed(color, alpha));
    }
    // A lane that ends as one above does joins it where both have come to rest.
    const FinalState* end = viewer.finals().of(lane.branch);
    const FinalState* other = end && end->joined >= 0 ? viewer.finals().of(end->joined) : nullptr;
    float stop = x1;
    if (other && row_of[end->joined] >= 0) {
      stop = std::clamp(xOf(std::max(end->since, other->since)), x0 + 2, x1);
      const float oy = std::clamp(yOf(row_of[end->joined]), at.y - row, at.y + size.y + row);
      const float bend = std::min({10 * scale, std::abs(oy - y) / 2, std::max(1.f, (x1 - stop) / 2)});
      draw->AddBezierCubic({stop, y}, {stop + bend, y}, {stop + bend, y}, {stop + bend, y + (oy > y ? bend : -bend)},
                           packed(color, 0.8f * alpha), 1.5f * scale);
      draw->AddLine({stop + bend, y + (oy > y ? bend : -bend)}, {stop + bend, oy}, packed(color, 0.8f * alpha), 1.5f * scale);
      draw->AddCircleFilled({stop + bend, oy}, 3 * scale, packed(color, alpha));
    }
    draw->AddLine({x0, y}, {stop, y}, packed(color, alpha), thick);
    if (end && !end->faces.empty() && end->faces.size() <= 6) {
      const float icon = 13 * scale;
      float x = left + width + 8 * scale;
      const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text, muted || !end->resting ? 0.4f : 1);
      for (const FinalState::UpperFace& face : end->faces) {
        if (face.number > 0 && face.die)
          drawDie(draw, {x, y - icon / 2}, icon, face.number, ink, ImGui::GetColorU32(ImGuiCol_FrameBg));
        else if (face.number > 0)
          draw->AddText({x, y - ImGui::GetTextLineHeight() / 2}, ink, faceAxis(face.number));
        x += icon + 4 * scale;
      }
    }
    if (branch.status == "running") draw->AddCircle({x1, y}, 4 * scale, packed(color, alpha), 0, 1.5f * scale);
    const bool named = lane.branch < static_cast<int>(viewer.names().size()) && !viewer.names()[lane.branch].empty();
    std::string label = named ? viewer.names()[lane.branch] : branch.id;
    if (lane.hidden > 0) label = fmt::format("+ {} ({})", label, lane.hidden);
    draw->PushClipRect({at.x, y - row}, {left - 6 * scale, y + row}, true);
    draw->AddText({at.x + 4 * scale, y - ImGui::GetTextLineHeight() / 2},
                  ImGui::GetColorU32(muted ? ImGuiCol_TextDisabled : ImGuiCol_Text), label.c_str());
    draw->PopClipRect();
  }
  const float cursor = xOf(viewer.view.time);
  draw->AddLine({cursor, at.y}, {cursor, at.y + size.y}, ImGui::GetColorU32(ImGuiCol_Text, 0.7f), 1.5f * scale);
  if (most > 0) {
    const float bar = size.y * size.y / content, y = at.y + (size.y - bar) * state.lane_scroll / most;
    draw->AddRectFilled({at.x + size.x - 6 * scale, y}, {at.x + size.x - 2 * scale, y + bar},
                        ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.6f), 3 * scale);
  }
  if (under >= 0) {
    const BranchLane& lane = lanes[under];
    const ModelBranch& branch = branches[lane.branch];
    if (ImGui::IsMouseClicked(0)) {
      if (io.MousePos.x < left && (ImGui::IsMouseDoubleClicked(0) || lane.hidden > 0)) {
        viewer.toggleCollapsed(lane.branch);
      } else if (io.KeyCtrl) {
        viewer.compareWith(lane.branch);
      } else {
        viewer.selectBranch(lane.branch);
        if (io.MousePos.x >= left) viewer.setTime(axis.toTime(unit));
      }
    } else {
      ImGui::BeginTooltip();
      ImGui::Text("%s   %s to %s, %s", branch.id.c_str(), timeText(branch.fork_time).c_str(),
                  timeText(branch.end_time).c_str(), branch.status.c_str());
      ImGui::Text("share of the samples at its fork: %.3g", branch.weight);
      if (const std::string letters = contactLetters(branch); !letters.empty())
        ImGui::TextDisabled("%s", fatesSummary(letters).c_str());
      if (const FinalState* end = viewer.finals().of(lane.branch)) {
        ImGui::Text("ends: %s", end->text.c_str());
        if (end->joined >= 0) ImGui::TextDisabled("as branch %s does", branches[end->joined].id.c_str());
      }
      ImGui::TextDisabled("click: show;  Ctrl + click: compare;  Ctrl + wheel: zoom;  double click on the name: fold");
      ImGui::EndTooltip();
    }
  }
  draw->PopClipRect();
  ImGui::EndChild();
}

}  // namespace rigor::viewer
