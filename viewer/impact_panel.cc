// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/panel_drawing.h"
#include "viewer/panels.h"

namespace rigor::viewer {

void drawImpactPanel(Viewer& viewer, PanelState& state, float scale) {
  const ImpactSet& set = viewer.impactSet();
  const Theme& theme = viewer.view.dark ? darkTheme() : lightTheme();
  if (set.empty()) {
    ImGui::TextWrapped("No impact up to the shown time. Several contacts that are hit at once have several outcomes that "
                       "mechanics allows: the set of them is shown here.");
    return;
  }
  ImGui::Text("%s at %s", set.parent >= 0 ? "Fork" : "Impact", timeText(set.time, 1e-6).c_str());
  ImGui::SameLine();
  if (ImGui::SmallButton("go there")) viewer.playback.playing = false, viewer.setTime(set.time);
  ImGui::TextDisabled("%d contacts; velocities after the impact [m/s]", set.problem.numContacts());
  const int axes = static_cast<int>(set.axes.size());
  state.inspector_x = std::clamp(state.inspector_x, 0, axes - 1);
  state.inspector_y = std::clamp(state.inspector_y, 0, axes - 1);
  const auto choose = [&](const char* label, int& axis) {
    ImGui::SetNextItemWidth(-30 * scale);
    if (ImGui::BeginCombo(label, set.axes[axis].c_str())) {
      for (int i = 0; i < axes; ++i)
        if (ImGui::Selectable(set.axes[i].c_str(), i == axis)) axis = i;
      ImGui::EndCombo();
    }
  };
  choose("x", state.inspector_x);
  choose("y", state.inspector_y);

  const float side = std::min(ImGui::GetContentRegionAvail().x, std::max(60.f, ImGui::GetContentRegionAvail().y - 90 * scale));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, {at.x + side, at.y + side}, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.5f), 4 * scale);
  double low[2] = {0, 0}, high[2] = {0, 0};  // Zero is always in sight.
  const int chosen[2] = {state.inspector_x, state.inspector_y};
  for (const auto& outcome : set.outcomes)
    for (int k = 0; k < 2; ++k) {
      low[k] = std::min(low[k], outcome.coordinates[chosen[k]]);
      high[k] = std::max(high[k], outcome.coordinates[chosen[k]]);
    }
  for (int k = 0; k < 2; ++k) {
    const double margin = std::max(0.08 * (high[k] - low[k]), 1e-9);
    low[k] -= margin;
    high[k] += margin;
  }
  const auto place = [&](const ImpactSet::Outcome& outcome) {
    const double x = (outcome.coordinates[chosen[0]] - low[0]) / (high[0] - low[0]);
    const double y = (outcome.coordinates[chosen[1]] - low[1]) / (high[1] - low[1]);
    return ImVec2{at.x + side * static_cast<float>(x), at.y + side * static_cast<float>(1 - y)};
  };
  const ImU32 weak = ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.6f);
  const float zero_x = at.x + side * static_cast<float>(-low[0] / (high[0] - low[0]));
  const float zero_y = at.y + side * static_cast<float>(1 + low[1] / (high[1] - low[1]));
  draw->AddLine({zero_x, at.y}, {zero_x, at.y + side}, weak);
  draw->AddLine({at.x, zero_y}, {at.x + side, zero_y}, weak);
  draw->AddText({at.x + 4 * scale, at.y + side - ImGui::GetTextLineHeight() - 2}, weak, fmt::format("{:.3g}", low[0]).c_str());
  const std::string right = fmt::format("{:.3g}", high[0]);
  draw->AddText({at.x + side - ImGui::CalcTextSize(right.c_str()).x - 4 * scale, at.y + side - ImGui::GetTextLineHeight() - 2},
                weak, right.c_str());
  draw->AddText({at.x + 4 * scale, at.y + 2}, weak, fmt::format("{:.3g}", high[1]).c_str());

  ImGui::InvisibleButton("##scatter", {side, side});
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImpactSet::Outcome* nearest = nullptr;
  float best = 12 * scale;
  for (const auto& outcome : set.outcomes) {
    const ImVec2 p = place(outcome);
    const bool shown = outcome.branch >= 0 && outcome.branch == viewer.model().ownerAt(viewer.view.branch, set.time);
    switch (outcome.kind) {
      case ImpactSet::Kind::kSample:
        draw->AddCircleFilled(p, 2 * scale, packed(rgb(0x868E96), 0.45f));
        break;
      case ImpactSet::Kind::kModel: {
        const float r = 6 * scale;
        draw->AddLine({p.x - r, p.y - r}, {p.x + r, p.y + r}, packed(theme.normal), 2 * scale);
        draw->AddLine({p.x - r, p.y + r}, {p.x + r, p.y - r}, packed(theme.normal), 2 * scale);
        break;
      }
      case ImpactSet::Kind::kBranch:
        draw->AddCircleFilled(p, (shown ? 7 : 5) * scale, packed(shown ? theme.selection : rgb(0x1971C2)));
        draw->AddCircle(p, (shown ? 7 : 5) * scale, ImGui::GetColorU32(ImGuiCol_WindowBg), 0, 1.5f * scale);
        break;
    }
    // Branches win over the cloud, since they can be chosen.
    const float away = std::hypot(p.x - mouse.x, p.y - mouse.y) + (outcome.kind == ImpactSet::Kind::kSample ? 6 * scale : 0);
    if (hovered && away < best) nearest = &outcome, best = away;
  }
  if (nearest) {
    ImGui::BeginTooltip();
    ImGui::Text("%s %s", nearest->kind == ImpactSet::Kind::kBranch ? "branch" : nearest->kind == ImpactSet::Kind::kModel ? "model" : "",
                nearest->label.c_str());
    ImGui::Text("%s %.4g", set.axes[chosen[0]].c_str(), nearest->coordinates[chosen[0]]);
    ImGui::Text("%s %.4g", set.axes[chosen[1]].c_str(), nearest->coordinates[chosen[1]]);
    ImGui::EndTooltip();
    if (ImGui::IsMouseClicked(0) && nearest->branch >= 0) viewer.selectBranch(viewer.model().heaviestLeaf(nearest->branch));
  }
  ImGui::TextColored({theme.normal.r, theme.normal.g, theme.normal.b, 1}, "x");
  ImGui::SameLine();
  ImGui::TextDisabled("deterministic models");
  ImGui::TextColored({0.1f, 0.44f, 0.76f, 1}, "o");
  ImGui::SameLine();
  ImGui::TextDisabled("branches: click shows one;  dots: the set");
}

}  // namespace rigor::viewer
