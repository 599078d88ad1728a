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
  hint(
      "Path, name, status, contact mode (contact 2 slides) or end (face 3 up); with commas: all of them. Enter walks "
      "through them");
  if (ImGui::IsItemEdited()) state.found_at = 0;
  if (state.search[0]) {
    // Thousands of branches are searched where something changed alone.
    const std::string key = fmt::format("{}|{}|{}|{}", state.search, viewer.generation(),
                                        viewer.model().branches().size(), viewer.finalsSeen());
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

/// The lanes of the branches, one panel for one frame.
class Lanes {
 public:
  Lanes(Viewer& viewer, PanelState& state, float scale)
      : viewer_(viewer), state_(state), scale_(scale), lanes_(viewer.lanes()), branches_(viewer.model().branches()),
        theme_(themeOf(viewer.view.dark)), draw_(ImGui::GetWindowDrawList()), at_(ImGui::GetCursorScreenPos()),
        size_(ImGui::GetContentRegionAvail()), row_(kLaneHeight * scale), left_(state.axis_left),
        width_(std::max(10.f, state.axis_width)), content_(row_ * static_cast<float>(lanes_.size())),
        most_(std::max(0.f, content_ - size_.y)), found_(branches_.size(), false), on_way_(branches_.size(), false),
        row_of_(branches_.size(), -1) {
    for (const int b : state.found) found_[b] = true;
    for (int b = viewer.view.branch; b >= 0; b = branches_[b].parent) on_way_[b] = true;
    for (const BranchLane& lane : lanes_) row_of_[lane.branch] = lane.lane;
  }

  void draw() {
    draw_->PushClipRect(at_, {at_.x + size_.x, at_.y + size_.y}, true);
    showChosen();
    scroll();
    const int first = std::max(0, static_cast<int>(state_.lane_scroll / row_) - 1);
    const int last =
        std::min(static_cast<int>(lanes_.size()) - 1, static_cast<int>((state_.lane_scroll + size_.y) / row_) + 1);
    int under = -1;
    for (int i = first; i <= last; ++i) {
      if (hovered_ && std::abs(ImGui::GetIO().MousePos.y - yOf(i)) <= row_ / 2) under = i;
      drawLane(lanes_[i], yOf(i));
    }
    drawCursorAndBar();
    if (under >= 0) useLane(lanes_[under]);
    draw_->PopClipRect();
  }

 private:
  // The timeline's axis: zoomed in, or logarithmic, it tells forks apart that lie nanoseconds apart.
  float xOf(double time) const {
    return left_ + width_ * static_cast<float>(std::clamp(viewer_.axis.toUnit(time), -0.02, 1.02));
  }
  float yOf(int lane) const { return at_.y + row_ * (static_cast<float>(lane) + 0.5f) - state_.lane_scroll; }

  /// A newly chosen lane comes into sight.
  void showChosen() {
    if (state_.seen_branch == viewer_.view.branch) return;
    state_.seen_branch = viewer_.view.branch;
    for (const BranchLane& lane : lanes_) {
      if (lane.branch != viewer_.view.branch) continue;
      const float y = row_ * static_cast<float>(lane.lane);
      if (y < state_.lane_scroll || y + row_ > state_.lane_scroll + size_.y) state_.lane_scroll = y - size_.y / 2;
    }
  }

  void scroll() {
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::InvisibleButton("##lane area", {std::max(1.f, size_.x), std::max(1.f, size_.y)});
    hovered_ = ImGui::IsItemHovered();
    unit_ = std::clamp(static_cast<double>((io.MousePos.x - left_) / width_), 0.0, 1.0);
    if (hovered_ && io.KeyCtrl && io.MouseWheel != 0)
      viewer_.axis.zoom(std::pow(1.25, static_cast<double>(io.MouseWheel)), unit_);
    else if (hovered_) state_.lane_scroll -= io.MouseWheel * 3 * row_;
    state_.lane_scroll = std::clamp(state_.lane_scroll, 0.f, most_);
  }

  Color colorOf(int b) const {
    if (branches_[b].status == "failed") return theme_.contact;
    if (found_[b]) return theme_.selection;
    if (b == viewer_.view.compared) return theme_.impulse;
    return on_way_[b] ? theme_.accent : theme_.lane;
  }

  void drawLane(const BranchLane& lane, float y) {
    const ModelBranch& branch = branches_[lane.branch];
    const bool muted = viewer_.isMuted(lane.branch);
    if (lane.branch == viewer_.view.branch)
      draw_->AddRectFilled({at_.x, y - row_ / 2}, {at_.x + size_.x, y + row_ / 2}, ImGui::GetColorU32(ImGuiCol_Header),
                           4 * scale_);
    const Color color = colorOf(lane.branch);
    const float alpha = muted ? 0.25f : 1, thick = (1.5f + 6 * lane.thickness) * scale_;
    const float x0 = xOf(lane.from), x1 = std::max(x0 + 2, xOf(lane.to));
    if (lane.parent_lane >= 0) {
      // Forks leave the parent at the impact.
      const float py = std::max(yOf(lane.parent_lane), at_.y - row_);
      draw_->AddLine({x0, py}, {x0, y}, packed(color, 0.5f * alpha), 1.5f * scale_);
      draw_->AddCircleFilled({x0, y}, std::max(2.5f * scale_, thick * 0.6f), packed(color, alpha));
    }
    const FinalState* end = viewer_.finals().of(lane.branch);
    const float stop = end ? joinOther(*end, y, x0, x1, color, alpha) : x1;
    draw_->AddLine({x0, y}, {stop, y}, packed(color, alpha), thick);
    if (end) drawFaces(*end, y, muted || !end->resting ? 0.4f : 1);
    if (branch.status == "running") draw_->AddCircle({x1, y}, 4 * scale_, packed(color, alpha), 0, 1.5f * scale_);
    drawName(lane, y, muted);
  }

  /// A lane that ends as one above does joins it where both have come to rest. @returns where the lane itself ends.
  float joinOther(const FinalState& end, float y, float x0, float x1, Color color, float alpha) {
    const FinalState* other = end.joined >= 0 ? viewer_.finals().of(end.joined) : nullptr;
    if (!other || row_of_[end.joined] < 0) return x1;
    const float stop = std::clamp(xOf(std::max(end.since, other->since)), x0 + 2, x1);
    const float oy = std::clamp(yOf(row_of_[end.joined]), at_.y - row_, at_.y + size_.y + row_);
    const float bend = std::min({10 * scale_, std::abs(oy - y) / 2, std::max(1.f, (x1 - stop) / 2)});
    const float turned = y + (oy > y ? bend : -bend);
    draw_->AddBezierCubic({stop, y}, {stop + bend, y}, {stop + bend, y}, {stop + bend, turned},
                          packed(color, 0.8f * alpha), 1.5f * scale_);
    draw_->AddLine({stop + bend, turned}, {stop + bend, oy}, packed(color, 0.8f * alpha), 1.5f * scale_);
    draw_->AddCircleFilled({stop + bend, oy}, 3 * scale_, packed(color, alpha));
    return stop;
  }

  /// The upper faces at the end, where they are few.
  void drawFaces(const FinalState& end, float y, float alpha) {
    if (end.faces.size() > 6) return;
    const float icon = 13 * scale_;
    float x = left_ + width_ + 8 * scale_;
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text, alpha);
    for (const FinalState::UpperFace& face : end.faces) {
      if (face.number > 0 && face.die)
        drawDie(draw_, {x, y - icon / 2}, icon, face.number, ink, ImGui::GetColorU32(ImGuiCol_FrameBg));
      else if (face.number > 0) draw_->AddText({x, y - ImGui::GetTextLineHeight() / 2}, ink, faceAxis(face.number));
      x += icon + 4 * scale_;
    }
  }

  void drawName(const BranchLane& lane, float y, bool muted) {
    const bool named = lane.branch < static_cast<int>(viewer_.names().size()) && !viewer_.names()[lane.branch].empty();
    std::string label = named ? viewer_.names()[lane.branch] : branches_[lane.branch].id;
    if (lane.hidden > 0) label = fmt::format("+ {} ({})", label, lane.hidden);
    draw_->PushClipRect({at_.x, y - row_}, {left_ - 6 * scale_, y + row_}, true);
    draw_->AddText({at_.x + 4 * scale_, y - ImGui::GetTextLineHeight() / 2},
                   ImGui::GetColorU32(muted ? ImGuiCol_TextDisabled : ImGuiCol_Text), label.c_str());
    draw_->PopClipRect();
  }

  void drawCursorAndBar() {
    const float cursor = xOf(viewer_.view.time);
    draw_->AddLine({cursor, at_.y}, {cursor, at_.y + size_.y}, ImGui::GetColorU32(ImGuiCol_Text, 0.7f), 1.5f * scale_);
    if (!(most_ > 0)) return;
    const float bar = size_.y * size_.y / content_, y = at_.y + (size_.y - bar) * state_.lane_scroll / most_;
    draw_->AddRectFilled({at_.x + size_.x - 6 * scale_, y}, {at_.x + size_.x - 2 * scale_, y + bar},
                         ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.6f), 3 * scale_);
  }

  /// The lane under the mouse.
  void useLane(const BranchLane& lane) {
    if (!ImGui::IsMouseClicked(0)) return describeLane(lane);
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MousePos.x < left_ && (ImGui::IsMouseDoubleClicked(0) || lane.hidden > 0)) {
      viewer_.toggleCollapsed(lane.branch);
    } else if (io.KeyCtrl) {
      viewer_.compareWith(lane.branch);
    } else {
      viewer_.selectBranch(lane.branch);
      if (io.MousePos.x >= left_) viewer_.setTime(viewer_.axis.toTime(unit_));
    }
  }

  void describeLane(const BranchLane& lane) {
    const ModelBranch& branch = branches_[lane.branch];
    ImGui::BeginTooltip();
    ImGui::Text("%s   %s to %s, %s", branch.id.c_str(), timeText(branch.fork_time).c_str(),
                timeText(branch.end_time).c_str(), branch.status.c_str());
    ImGui::Text("share of the samples at its fork: %.3g", branch.weight);
    if (const std::string letters = contactLetters(branch); !letters.empty())
      ImGui::TextDisabled("%s", fatesSummary(letters).c_str());
    if (const FinalState* end = viewer_.finals().of(lane.branch)) {
      ImGui::Text("ends: %s", end->text.c_str());
      if (end->joined >= 0) ImGui::TextDisabled("as branch %s does", branches_[end->joined].id.c_str());
    }
    ImGui::TextDisabled("click: show;  Ctrl + click: compare;  Ctrl + wheel: zoom;  double click on the name: fold");
    ImGui::EndTooltip();
  }

  Viewer& viewer_;
  PanelState& state_;
  float scale_;
  const std::vector<BranchLane>& lanes_;
  const std::vector<ModelBranch>& branches_;
  const Theme& theme_;
  ImDrawList* draw_;
  ImVec2 at_, size_;
  float row_, left_, width_, content_, most_;
  std::vector<bool> found_, on_way_;
  std::vector<int> row_of_;  // Of leaves that others join too, where they can be seen.
  bool hovered_ = false;
  double unit_ = 0;  // Of the mouse, on the axis.
};

}  // namespace

void drawBranchPanel(Viewer& viewer, PanelState& state, float scale) {
  drawBranchButtons(viewer, state, scale);
  ImGui::BeginChild("##lanes", {0, 0}, false, ImGuiWindowFlags_NoScrollWithMouse);
  Lanes(viewer, state, scale).draw();
  ImGui::EndChild();
}

}  // namespace rigor::viewer
