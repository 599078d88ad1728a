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

/// The timeline of one frame.
class Timeline {
 public:
  Timeline(Viewer& viewer, const PanelState& state, const Rect& rect, float scale)
      : viewer_(viewer),
        axis_(viewer.axis),
        theme_(themeOf(viewer.view.dark)),
        draw_(ImGui::GetWindowDrawList()),
        rect_(rect),
        scale_(scale),
        left_(state.axis_left),
        width_(std::max(10.f, state.axis_width)),
        top_(rect.y + 8 * scale),
        base_(rect.y + rect.height - 24 * scale) {}

  void draw() {
    useMouse();
    drawBar();
    drawTicks();
    const EventMark* nearest = drawEvents();
    drawCursor();
    if (hovered_ && !ImGui::IsMouseDown(0)) describe(nearest);
  }

 private:
  float xOf(double time) const {
    return left_ + width_ * static_cast<float>(std::clamp(axis_.toUnit(time), -0.1, 1.1));
  }

  void useMouse() {
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::SetCursorScreenPos({rect_.x, rect_.y});
    ImGui::InvisibleButton("##time", {rect_.width, rect_.height});
    hovered_ = ImGui::IsItemHovered();
    unit_ = std::clamp(static_cast<double>((io.MousePos.x - left_) / width_), 0.0, 1.0);
    if (ImGui::IsItemActive() && ImGui::IsMouseDown(0)) {
      viewer_.setTime(axis_.toTime(unit_));
      if (ImGui::IsMouseClicked(0)) viewer_.playback.playing = false;
    }
    if (hovered_ && io.MouseWheel != 0) axis_.zoom(std::pow(1.25, static_cast<double>(io.MouseWheel)), unit_);
    if (hovered_ && ImGui::IsMouseDragging(1, 0) && !axis_.logarithmic) axis_.pan(-io.MouseDelta.x / width_);
    if (hovered_ && ImGui::IsMouseDoubleClicked(1))
      axis_.showAll(std::max(viewer_.endTime(), viewer_.model().header().until));
    // What plays stays in sight.
    if (viewer_.playback.playing && !axis_.logarithmic) {
      const double u = axis_.toUnit(viewer_.view.time);
      if (u > 1 || u < 0) axis_.pan(u - 0.1);
    }
  }

  /// The recorded part, and the loop.
  void drawBar() {
    const float end = left_ + width_;
    draw_->AddRectFilled({left_, base_ - 6 * scale_}, {end, base_}, ImGui::GetColorU32(ImGuiCol_FrameBg), 3 * scale_);
    const float x0 = std::max(left_, xOf(0)), x1 = std::min(end, xOf(viewer_.endTime()));
    const Color accent = theme_.accent;
    if (x1 > x0) draw_->AddRectFilled({x0, base_ - 6 * scale_}, {x1, base_}, packed(accent, 0.45f), 3 * scale_);
    const auto& playback = viewer_.playback;
    if (playback.loop && playback.loop_from < playback.loop_to)
      draw_->AddRectFilled({xOf(playback.loop_from), top_}, {xOf(playback.loop_to), base_}, packed(accent, 0.12f));
  }

  void drawTicks() {
    const ImU32 weak = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    float last_label = -1e9f;
    for (const TimeAxis::Tick& tick : axis_.ticks(static_cast<int>(width_ / (90 * scale_)))) {
      const float x = xOf(tick.time);
      if (x < left_ - 1 || x > left_ + width_ + 1) continue;
      const bool labelled = !tick.label.empty();
      draw_->AddLine({x, base_}, {x, base_ + (labelled ? 6 : 3) * scale_}, weak);
      if (!labelled) continue;
      const ImVec2 extent = ImGui::CalcTextSize(tick.label.c_str());
      const float at = std::clamp(x - extent.x / 2, left_ - 10 * scale_, left_ + width_ - extent.x + 10 * scale_);
      if (at < last_label + 8 * scale_) continue;
      draw_->AddText({at, base_ + 6 * scale_}, weak, tick.label.c_str());
      last_label = at + extent.x;
    }
  }

  /// At most one mark of a kind a pixel, so that a million cost no more than a screen's width. @returns the one under
  /// the mouse, or null.
  const EventMark* drawEvents() {
    float drawn[kEventKinds];
    std::fill(drawn, drawn + kEventKinds, -1e9f);
    const auto& marks = viewer_.index().eventsOn(viewer_.model(), viewer_.view.branch);
    const double from = axis_.toTime(0), to = axis_.toTime(1);
    auto mark =
        std::lower_bound(marks.begin(), marks.end(), from, [](const EventMark& m, double t) { return m.time < t; });
    const EventMark* nearest = nullptr;
    float nearest_distance = 6 * scale_;
    for (; mark != marks.end() && mark->time <= to; ++mark) {
      if (!viewer_.view.events.shows(mark->kind)) continue;
      const int kind = static_cast<int>(mark->kind);
      const float x = xOf(mark->time), away = std::abs(x - ImGui::GetIO().MousePos.x);
      if (hovered_ && away < nearest_distance) nearest = &*mark, nearest_distance = away;
      if (x - drawn[kind] < 1) continue;
      drawn[kind] = x;
      const float y = base_ - (14 + 13 * static_cast<float>(laneOf(mark->kind))) * scale_;
      drawEventMark(draw_, mark->kind, x, y, scale_, theme_);
    }
    return nearest;
  }

  /// The shown time, and how fast it runs, where the lanes have their names.
  void drawCursor() {
    const ImU32 weak = ImGui::GetColorU32(ImGuiCol_TextDisabled), ink = ImGui::GetColorU32(ImGuiCol_Text);
    const double speed = viewer_.playback.speed;
    draw_->AddText({rect_.x + 10 * scale_, base_ - 16 * scale_}, weak,
                   speed == 1 ? "real time" : fmt::format("{:.3g} x", speed).c_str());
    const float x = xOf(viewer_.view.time);
    draw_->AddLine({x, top_}, {x, base_ + 2 * scale_}, ink, 2 * scale_);
    draw_->AddTriangleFilled({x - 5 * scale_, top_ - 4 * scale_}, {x + 5 * scale_, top_ - 4 * scale_},
                             {x, top_ + 4 * scale_}, ink);
    if (axis_.logarithmic) draw_->AddText({rect_.x + 10 * scale_, rect_.y + 8 * scale_}, weak, "log scale (Z)");
  }

  void describe(const EventMark* nearest) {
    ImGui::BeginTooltip();
    const double resolution = std::abs(axis_.toTime(std::min(1.0, unit_ + 1 / width_)) - axis_.toTime(unit_)) + 1e-15;
    if (nearest)
      ImGui::Text("%s at %s", eventInfo(nearest->kind).name, timeText(nearest->time, resolution / 10).c_str());
    else ImGui::Text("%s", timeText(axis_.toTime(unit_), resolution).c_str());
    if (!nearest)
      ImGui::TextDisabled(
          "wheel zooms, right drag pans, double right click shows all;  Z: logarithmic around the cursor");
    ImGui::EndTooltip();
  }

  Viewer& viewer_;
  TimeAxis& axis_;
  const Theme& theme_;
  ImDrawList* draw_;
  Rect rect_;
  float scale_, left_, width_, top_, base_;
  bool hovered_ = false;
  double unit_ = 0;  // Of the mouse, on the axis.
};

}  // namespace

void drawTimeline(Viewer& viewer, PanelState& state, const Rect& rect, float scale) {
  ImGui::SetNextWindowPos({rect.x, rect.y});
  ImGui::SetNextWindowSize({rect.width, rect.height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##timeline", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  Timeline(viewer, state, rect, scale).draw();
  ImGui::End();
}

}  // namespace rigor::viewer
