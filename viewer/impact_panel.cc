// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <Eigen/Core>

#include "impact/samples/outcome_set.h"
#include "viewer/panel_drawing.h"
#include "viewer/panels.h"

namespace rigor::viewer {
namespace {

const Color kBranchColor = rgb(0x1971C2), kSampleColor = rgb(0x868E96), kSetColor = rgb(0x56B4E9);

// The whole is shown again where zooming comes so near to it, as a logarithm; the room that the outer frame gets.
constexpr double kSnapsToWhole = 0.05, kRoomAroundFrame = 2;

// What a line of outcomes counts beside an area of as wide a spread.
constexpr double kAreaOfALine = 1e-6;

/// The square in which outcomes are points.
struct Scatter {
  ImVec2 at;
  float side;
  double low[2], high[2];
  int axis[2];
  ImVec2 place(double x, double y) const {
    return {at.x + side * static_cast<float>((x - low[0]) / (high[0] - low[0])),
            at.y + side * static_cast<float>(1 - (y - low[1]) / (high[1] - low[1]))};
  }
  ImVec2 place(const std::vector<double>& coordinates) const {
    return place(coordinates[axis[0]], coordinates[axis[1]]);
  }
};

/// The two axes in which the outcomes fill most: far spread, and not the same number twice (two corners of a body that
/// slides have one tangential velocity). Shown first.
void chooseAxes(const ImpactSet& set, int& x, int& y) {
  const auto axes = static_cast<Eigen::Index>(set.axes.size()), count = static_cast<Eigen::Index>(set.outcomes.size());
  Eigen::MatrixXd points(axes, count);
  for (Eigen::Index k = 0; k < count; ++k)
    points.col(k) = Eigen::Map<const Eigen::VectorXd>(set.outcomes[k].coordinates.data(), axes);
  points.colwise() -= Eigen::VectorXd(points.rowwise().mean());
  const Eigen::MatrixXd products = points.lazyProduct(points.transpose());
  // Normal velocities tell more at equal spread.
  const auto weight = [](int axis) { return axis % 3 == 0 ? 1.5 : 1; };
  const auto filled = [&](int a, int b) {
    const double square = products(a, a) * products(b, b) - products(a, b) * products(a, b);
    return weight(a) * weight(b) * std::sqrt(std::max(0.0, square));
  };
  // One number alone may differ: then the areas are rounding, and the widest come first.
  double most = 0;
  x = 0, y = std::min<int>(1, static_cast<int>(axes) - 1);
  for (int a = 0; a < axes; ++a)
    for (int b = a + 1; b < axes; ++b) {
      const double area = filled(a, b) + kAreaOfALine * (products(a, a) + products(b, b));
      if (area > most) most = area, x = a, y = b;
    }
}

/// Holds all outcomes, zero, and the way of the sample that is looked at.
Scatter makeScatter(const ImpactSet& set, const std::vector<ImpulseStep>& way, int x, int y, ImVec2 at, float side) {
  Scatter plot{at, side, {0, 0}, {0, 0}, {x, y}};
  for (int k = 0; k < 2; ++k) {
    const auto include = [&](const std::vector<double>& coordinates) {
      plot.low[k] = std::min(plot.low[k], coordinates[plot.axis[k]]);
      plot.high[k] = std::max(plot.high[k], coordinates[plot.axis[k]]);
    };
    for (const auto& outcome : set.outcomes) include(outcome.coordinates);
    for (const ImpulseStep& step : way) include(step.velocity);
    for (const auto& piece : set.proved.pieces)
      for (const auto& corner : piece) include(corner);
    const double margin = std::max(0.08 * (plot.high[k] - plot.low[k]), 1e-9);
    plot.low[k] -= margin;
    plot.high[k] += margin;
  }
  return plot;
}

/// The wheel zooms about the mouse, out to all outcomes, and beyond that to the frame that is proved to hold them.
void zoomScatter(const Scatter& whole, const ProvedSet& proved, PanelState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0) return;
  const double factor = std::pow(1.25, -static_cast<double>(io.MouseWheel));
  const double u[2] = {(io.MousePos.x - whole.at.x) / whole.side, 1 - (io.MousePos.y - whole.at.y) / whole.side};
  double most = 1;
  if (!proved.empty() && !proved.complete)
    for (int k = 0; k < 2; ++k) {
      const ProvedSet::Range& outer = proved.outer[whole.axis[k]];
      most = std::max(most, kRoomAroundFrame * (outer.high - outer.low) / (whole.high[k] - whole.low[k]));
    }
  const double range = factor * (state.scatter_high[0] - state.scatter_low[0]) / (whole.high[0] - whole.low[0]);
  state.scatter_zoomed = std::abs(std::log(range)) > kSnapsToWhole && (range < 1 || most > 1);
  if (range > most) return;
  for (int k = 0; k < 2; ++k) {
    const double wide = state.scatter_high[k] - state.scatter_low[k], anchor = state.scatter_low[k] + u[k] * wide;
    state.scatter_low[k] = anchor - u[k] * factor * wide;
    state.scatter_high[k] = state.scatter_low[k] + factor * wide;
  }
}

void drawFrame(const Scatter& plot, float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 at = plot.at;
  const float side = plot.side;
  draw->AddRectFilled(at, {at.x + side, at.y + side}, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.5f), 4 * scale);
  const ImU32 weak = ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.6f), text = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  const float zero_x = at.x + side * static_cast<float>(-plot.low[0] / (plot.high[0] - plot.low[0]));
  const float zero_y = at.y + side * static_cast<float>(1 + plot.low[1] / (plot.high[1] - plot.low[1]));
  draw->AddLine({zero_x, at.y}, {zero_x, at.y + side}, weak);
  draw->AddLine({at.x, zero_y}, {at.x + side, zero_y}, weak);
  const float line = ImGui::GetTextLineHeight();
  draw->AddText({at.x + 4 * scale, at.y + side - line - 2}, text, fmt::format("{:.2g}", plot.low[0]).c_str());
  const std::string right = fmt::format("{:.2g} m/s", plot.high[0]);
  draw->AddText({at.x + side - ImGui::CalcTextSize(right.c_str()).x - 4 * scale, at.y + side - line - 2}, text,
                right.c_str());
  draw->AddText({at.x + 4 * scale, at.y + 2}, text, fmt::format("{:.2g} m/s", plot.high[1]).c_str());
}

using Shadow = std::vector<std::array<double, 2>>;

double turn(const std::array<double, 2>& o, const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/// What a polytope looks like in the plane of two axes: its convex outline (Andrew's monotone chain).
Shadow shadowOf(const std::vector<std::vector<double>>& vertices, const int axis[2]) {
  Shadow points, outline;
  for (const auto& vertex : vertices) points.push_back({vertex[axis[0]], vertex[axis[1]]});
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  for (int side = 0; side < 2; ++side) {
    const std::size_t begin = outline.size();
    for (const auto& point : points) {
      while (outline.size() >= begin + 2 && turn(outline[outline.size() - 2], outline.back(), point) <= 0)
        outline.pop_back();
      outline.push_back(point);
    }
    outline.pop_back();  // The first of the other side.
    std::reverse(points.begin(), points.end());
  }
  return outline;
}

void drawRange(const Scatter& plot, const std::vector<ProvedSet::Range>& ranges, bool dashed, float scale) {
  if (ranges.empty()) return;
  const ProvedSet::Range &x = ranges[plot.axis[0]], &y = ranges[plot.axis[1]];
  const ImVec2 corners[] = {plot.place(x.low, y.low), plot.place(x.high, y.low), plot.place(x.high, y.high),
                            plot.place(x.low, y.high)};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (int k = 0; k < 4; ++k) {
    const ImVec2 a = corners[k], b = corners[(k + 1) % 4];
    const float length = std::hypot(b.x - a.x, b.y - a.y), dash = dashed ? 6 * scale : length;
    for (float at = 0; at < length; at += 2 * dash) {
      const float to = std::min(at + dash, length);
      draw->AddLine({a.x + (b.x - a.x) * at / length, a.y + (b.y - a.y) * at / length},
                    {a.x + (b.x - a.x) * to / length, a.y + (b.y - a.y) * to / length}, packed(kSetColor),
                    1.5f * scale);
    }
  }
}

/// The exact set as the shadows of its polytopes, under everything else; where it is not known whole, what is known of
/// it, and two frames: outcomes reach the sides of the inner one, and none lies outside the outer one.
void drawProvedSet(const Scatter& plot, const ProvedSet& proved, float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(plot.at, {plot.at.x + plot.side, plot.at.y + plot.side}, true);
  for (const auto& piece : proved.pieces) {
    std::vector<ImVec2> outline;
    for (const auto& [x, y] : shadowOf(piece, plot.axis)) outline.push_back(plot.place(x, y));
    const int count = static_cast<int>(outline.size());
    if (count > 2) draw->AddConvexPolyFilled(outline.data(), count, packed(kSetColor, 0.3f));
    draw->AddPolyline(outline.data(), count, packed(kSetColor), count > 2 ? ImDrawFlags_Closed : 0,
                      (count > 2 ? 1.2f : 3.f) * scale);
  }
  if (!proved.complete) {
    drawRange(plot, proved.inner, false, scale);
    drawRange(plot, proved.outer, true, scale);
  }
  draw->PopClipRect();
}

/// The way of a sample from before the impact to its outcome, step by step.
void drawWay(const Scatter& plot, const std::vector<ImpulseStep>& steps, int reached, const Theme& theme, float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(plot.at, {plot.at.x + plot.side, plot.at.y + plot.side}, true);
  for (std::size_t i = 1; i < steps.size(); ++i)
    draw->AddLine(plot.place(steps[i - 1].velocity), plot.place(steps[i].velocity),
                  packed(theme.impulse, static_cast<int>(i) <= reached ? 0.95f : 0.35f), 1.6f * scale);
  for (std::size_t i = 0; i < steps.size(); ++i)
    draw->AddCircleFilled(plot.place(steps[i].velocity), (static_cast<int>(i) == reached ? 4.5f : 2.2f) * scale,
                          packed(theme.impulse));
  if (!steps.empty()) {
    const ImVec2 start = plot.place(steps[0].velocity);
    draw->AddCircle(start, 4.5f * scale, packed(theme.impulse), 0, 1.5f * scale);
    const float wide = ImGui::CalcTextSize("before").x, line = ImGui::GetTextLineHeight();
    draw->AddText({std::min(start.x + 7 * scale, plot.at.x + plot.side - wide),
                   start.y - (start.y > plot.at.y + 3 * line ? line : -2 * scale)},
                  packed(theme.impulse), "before");
  }
  draw->PopClipRect();
}

void drawOutcome(const Scatter& plot, const ImpactSet::Outcome& outcome, bool shown, bool inspected, const Theme& theme,
                 float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 p = plot.place(outcome.coordinates);
  const float r = 6 * scale;
  switch (outcome.kind) {
    case ImpactSet::Kind::kSample:
      draw->AddCircleFilled(p, (inspected ? 4 : 2) * scale,
                            packed(inspected ? theme.impulse : kSampleColor, inspected ? 1 : 0.45f));
      break;
    case ImpactSet::Kind::kVertex:
      draw->AddRectFilled({p.x - r / 2, p.y - r / 2}, {p.x + r / 2, p.y + r / 2},
                          packed(inspected ? theme.impulse : kSetColor));
      draw->AddRect({p.x - r / 2, p.y - r / 2}, {p.x + r / 2, p.y + r / 2}, ImGui::GetColorU32(ImGuiCol_WindowBg));
      break;
    case ImpactSet::Kind::kModel:
      draw->AddLine({p.x - r, p.y - r}, {p.x + r, p.y + r}, packed(theme.normal), 2 * scale);
      draw->AddLine({p.x - r, p.y + r}, {p.x + r, p.y - r}, packed(theme.normal), 2 * scale);
      break;
    case ImpactSet::Kind::kOpen:
      draw->AddCircle(p, 5 * scale, packed(kBranchColor), 0, 1.8f * scale);
      break;
    case ImpactSet::Kind::kBranch:
      draw->AddCircleFilled(p, (shown ? 7 : 5) * scale, packed(shown ? theme.selection : kBranchColor));
      draw->AddCircle(p, (shown ? 7 : 5) * scale, ImGui::GetColorU32(ImGuiCol_WindowBg), 0, 1.5f * scale);
      break;
  }
}

void drawTooltip(const ImpactSet& set, const ImpactSet::Outcome& outcome, const Scatter& plot) {
  ImGui::BeginTooltip();
  const char* kind = outcome.kind == ImpactSet::Kind::kBranch  ? "branch "
                     : outcome.kind == ImpactSet::Kind::kModel ? "model "
                                                               : "";
  ImGui::Text("%s%s", kind, outcome.label.c_str());
  ImGui::TextDisabled("%s", fatesSummary(fateLetters(set, outcome)).c_str());
  double largest = 0;
  for (const double c : set.before) largest = std::max(largest, std::abs(c));
  for (const int axis : plot.axis) {
    const double velocity = outcome.coordinates[axis];
    ImGui::Text("%s %.4g m/s", set.axes[axis].c_str(),
                std::abs(velocity) > impact::kFateTolerance * largest ? velocity : 0.0);
  }
  const bool can = set.replayed && outcome.choice.velocity.size() > 0;
  if (outcome.branch >= 0) ImGui::TextDisabled("click: show this branch");
  else if (can) ImGui::TextDisabled("click: simulate on from here");
  if (outcome.sample >= 0 || outcome.kind == ImpactSet::Kind::kVertex)
    ImGui::TextDisabled("right click: how its impulses grew");
  ImGui::EndTooltip();
}

void drawLegend(const Theme& theme, float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const auto entry = [&](const char* text, auto&& mark) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    mark(ImVec2{at.x + 7 * scale, at.y + line / 2});
    ImGui::Dummy({12 * scale, line});
    ImGui::SameLine();
    ImGui::TextDisabled("%s", text);
  };
  entry("branches", [&](ImVec2 p) { draw->AddCircleFilled(p, 5 * scale, packed(kBranchColor)); });
  ImGui::SameLine();
  entry("not followed", [&](ImVec2 p) { draw->AddCircle(p, 4.5f * scale, packed(kBranchColor), 0, 1.8f * scale); });
  entry("samples", [&](ImVec2 p) { draw->AddCircleFilled(p, 2.5f * scale, packed(kSampleColor)); });
  ImGui::SameLine();
  entry("other models", [&](ImVec2 p) {
    const float r = 5 * scale;
    draw->AddLine({p.x - r, p.y - r}, {p.x + r, p.y + r}, packed(theme.normal), 2 * scale);
    draw->AddLine({p.x - r, p.y + r}, {p.x + r, p.y - r}, packed(theme.normal), 2 * scale);
  });
  entry("proved, with vertices", [&](ImVec2 p) {
    const float r = 3 * scale;
    draw->AddRectFilled({p.x - 2 * r, p.y - 2 * r}, {p.x + 2 * r, p.y + 2 * r}, packed(kSetColor, 0.3f));
    draw->AddRectFilled({p.x - r, p.y - r}, {p.x + r, p.y + r}, packed(kSetColor));
  });
}

void drawWhatIsProved(const ProvedSet& proved) {
  const std::string friction =
      proved.cone_edges > 0 ? fmt::format(" Of friction in {} directions of the plane.", proved.cone_edges) : "";
  if (proved.complete) {
    const std::size_t count = proved.pieces.size();
    ImGui::TextDisabled("The exact set: %zu polytope%s, proved", count, count == 1 ? "" : "s");
    hint(("All that mechanics allows." + friction).c_str());
  } else if (!proved.empty()) {
    ImGui::TextDisabled("The set: between two frames, proved");
    hint((proved.note +
          " Outcomes reach every side of the solid frame, and none lies outside the dashed one: zoom "
          "out to see it." +
          friction)
             .c_str());
  } else if (!proved.note.empty()) {
    ImGui::TextDisabled("Nothing is proved of the set (why?)");
    hint(proved.note.c_str());
  }
}

/// When the impact was, and of what contacts.
void drawPlaceOfImpact(Viewer& viewer, const ImpactSet& set) {
  ImGui::Text("%s at %s", set.place.parent.empty() ? "Impact" : "Fork", timeText(set.place.time, 1e-6).c_str());
  ImGui::SameLine();
  if (ImGui::SmallButton("go there")) viewer.playback.playing = false, viewer.setTime(set.place.time);
  ImGui::SameLine();
  ImGui::TextDisabled("%s", set.complete ? "" : "...");
  drawWhatIsProved(set.proved);
  const int contacts = set.problem.numContacts();
  ImGui::TextDisabled("%d %s: velocities after it", contacts, contacts == 1 ? "contact" : "contacts");
  if (ImGui::IsItemHovered()) {
    ImGui::BeginTooltip();
    for (std::size_t k = 0; k < set.contacts.size() && k < 12; ++k)
      ImGui::Text("contact %zu: %s", k + 1, set.contacts[k].c_str());
    ImGui::EndTooltip();
  }
}

/// The two velocities that are shown: those of the set's widest spread at first.
void chooseScatterAxes(const Viewer& viewer, const ImpactSet& set, PanelState& state, float scale) {
  const int axes = static_cast<int>(set.axes.size());
  if (const std::string key =
          fmt::format("{} {} {}", viewer.originalPath(), set.place.parent.empty() ? set.place.branch : set.place.parent,
                      set.place.time);
      key != state.inspected_impact) {
    state.inspected_impact = key;
    state.scatter_zoomed = false;
    chooseAxes(set, state.inspector_x, state.inspector_y);
  }
  state.inspector_x = std::clamp(state.inspector_x, 0, axes - 1);
  state.inspector_y = std::clamp(state.inspector_y, 0, axes - 1);
  const auto choose = [&](const char* label, int& axis) {
    ImGui::SetNextItemWidth(-22 * scale);
    if (ImGui::BeginCombo(label, set.axes[axis].c_str())) {
      for (int i = 0; i < axes; ++i)
        if (ImGui::Selectable(set.axes[i].c_str(), i == axis)) axis = i, state.scatter_zoomed = false;
      ImGui::EndCombo();
    }
  };
  choose("x", state.inspector_x);
  choose("y", state.inspector_y);
}

bool isInspected(const Viewer& viewer, const ImpactSet::Outcome& outcome) {
  const Viewer::Inspected& inspected = viewer.inspected();
  if (outcome.kind == ImpactSet::Kind::kVertex) return outcome.number == inspected.vertex;
  return outcome.sample >= 0 && outcome.sample == inspected.sample;
}

/// @returns the outcome under the pointer; null: none.
const ImpactSet::Outcome* drawOutcomes(Viewer& viewer, const ImpactSet& set, const Scatter& plot, bool hovered,
                                       float scale) {
  const Theme& theme = themeOf(viewer.view.dark);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int owner = viewer.model().ownerAt(viewer.view.branch, set.place.time);
  const ImpactSet::Outcome* nearest = nullptr;
  float best = 12 * scale;
  ImGui::GetWindowDrawList()->PushClipRect(plot.at, {plot.at.x + plot.side, plot.at.y + plot.side}, true);
  for (const auto& outcome : set.outcomes) {
    const bool inspected = isInspected(viewer, outcome);
    drawOutcome(plot, outcome, outcome.branch >= 0 && outcome.branch == owner, inspected, theme, scale);
    // Branches win over models, and these over the cloud: they are fewer.
    const ImVec2 p = plot.place(outcome.coordinates);
    const float handicap = static_cast<float>(outcome.kind == ImpactSet::Kind::kSample   ? 4
                                              : outcome.kind == ImpactSet::Kind::kVertex ? 3
                                              : outcome.kind == ImpactSet::Kind::kModel  ? 2
                                                                                         : 0);
    const float away = std::hypot(p.x - mouse.x, p.y - mouse.y) + handicap * scale;
    if (hovered && away <= best) nearest = &outcome, best = away;
  }
  ImGui::GetWindowDrawList()->PopClipRect();
  return nearest;
}

}  // namespace

/// What becomes of clicked outcomes. Below the set, which stays where the next click is aimed at.
void drawAdditions(Viewer& viewer, float scale) {
  if (const Continuation* more = viewer.continuation()) {
    const double until = std::max(more->until(), 1e-300);
    ImGui::ProgressBar(static_cast<float>(more->time() / until), {-70 * scale, 0},
                       (fmt::format("{} of {}", timeText(more->time()), timeText(until)) +
                        (viewer.waitingContinuations() ? fmt::format(", {} more", viewer.waitingContinuations()) : ""))
                           .c_str());
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) viewer.cancelContinuation();
  } else if (viewer.hasUnsavedBranches()) {
    if (ImGui::Button("Save the tree with added branches", {-1, 0})) viewer.saveCopy();
    hint("Into a new file in the current folder; the opened one stays as it is");
  }
}

void drawImpactPanel(Viewer& viewer, PanelState& state, float scale) {
  const ImpactSet& set = viewer.impactSet();
  const Theme& theme = themeOf(viewer.view.dark);
  if (set.empty()) {
    drawAdditions(viewer, scale);
    const char* const none = "No impact here. Where several contacts are hit at once, mechanics allows several "
                             "outcomes: the set of them is shown here.";
    if (!set.note.empty()) ImGui::TextWrapped("The set of outcomes was not found: %s", set.note.c_str());
    else ImGui::TextWrapped("%s", viewer.impactSetPending() ? "Computing the set of outcomes ..." : none);
    return;
  }
  drawPlaceOfImpact(viewer, set);
  chooseScatterAxes(viewer, set, state, scale);

  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float side = std::max(60.f, std::min(room.x, room.y - 208 * scale));
  Scatter plot = makeScatter(set, viewer.inspected().steps, state.inspector_x, state.inspector_y,
                             ImGui::GetCursorScreenPos(), side);
  state.scatter = {plot.at.x, plot.at.y, plot.side, plot.side};
  ImGui::InvisibleButton("##scatter", {side, side},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) zoomScatter(plot, set.proved, state);
  if (state.scatter_zoomed) {
    std::copy(state.scatter_low, state.scatter_low + 2, plot.low);
    std::copy(state.scatter_high, state.scatter_high + 2, plot.high);
  }
  std::copy(plot.low, plot.low + 2, state.scatter_low);
  std::copy(plot.high, plot.high + 2, state.scatter_high);
  drawFrame(plot, scale);
  drawProvedSet(plot, set.proved, scale);
  const ImpactSet::Outcome* nearest = drawOutcomes(viewer, set, plot, hovered, scale);
  drawWay(plot, viewer.inspected().steps, viewer.inspected().step, theme, scale);
  if (hovered && ImGui::IsMouseClicked(1)) {
    if (nearest && nearest->kind == ImpactSet::Kind::kVertex) viewer.inspectVertex(nearest->number, 1 << 20);
    else viewer.inspect(nearest ? nearest->sample : -1, 1 << 20);
  }
  if (nearest) {
    drawTooltip(set, *nearest, plot);
    if (ImGui::IsMouseClicked(0)) {
      if (nearest->branch >= 0) viewer.selectBranch(viewer.model().heaviestLeaf(nearest->branch));
      else if (set.replayed) viewer.simulateOn(*nearest);
      else viewer.say("This impact cannot be simulated on: " + set.note);
    }
  }
  drawLegend(theme, scale);
  if (!set.note.empty()) {
    ImGui::TextDisabled("rebuilt from the record (why?)");
    hint(set.note.c_str());
  }
  drawAdditions(viewer, scale);
  drawImpulseProcess(viewer, set, scale);
}

/// Impulse against velocity, contact by contact, of the sample that is looked at; and the slider through its steps.
void drawImpulseProcess(Viewer& viewer, const ImpactSet& set, float scale) {
  const Viewer::Inspected& inspected = viewer.inspected();
  if (inspected.steps.empty()) {
    ImGui::TextDisabled("Right click on a mark: its impulses.");
    ImGui::TextDisabled("The wheel zooms.");
    return;
  }
  const auto& steps = inspected.steps;
  const int last = static_cast<int>(steps.size()) - 1, m = set.problem.numContacts();
  int step = inspected.step;
  const bool vertex = inspected.vertex >= 0;
  ImGui::TextDisabled("%s %ld: step %d of %d", vertex ? "vertex" : "sample",
                      vertex ? inspected.vertex : inspected.sample, step, last);
  const auto own = std::find_if(set.outcomes.begin(), set.outcomes.end(),
                                [&](const auto& outcome) { return isInspected(viewer, outcome); });
  if (own != set.outcomes.end() && own->branch < 0 && set.replayed) {
    ImGui::SameLine();
    if (ImGui::SmallButton("simulate on")) viewer.simulateOn(*own);
    hint("From this outcome, as a click on it does");
  }
  ImGui::SetNextItemWidth(-1);
  if (ImGui::SliderInt("##step", &step, 0, last, "")) viewer.inspectStep(step);
  hint(vertex ? "Along the impulse: the chain of forces that leads to the vertex"
              : "Along the impulse: the steps by which the sampler took the contacts through the impact");
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x, height = std::max(50 * scale, room.y - 4 * scale);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, {at.x + width, at.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.5f), 4 * scale);
  double most = 0, low = 0, high = 0;
  for (const ImpulseStep& s : steps)
    for (int k = 0; k < m; ++k) {
      most = std::max(most, s.impulse[2 * k]);
      low = std::min(low, s.velocity[3 * k]);
      high = std::max(high, s.velocity[3 * k]);
    }
  if (!(most > 0)) most = 1;
  const double margin = std::max(0.06 * (high - low), 1e-9);
  const std::string slowest = fmt::format("{:.2g} m/s", low);
  low -= margin, high += margin;
  // Words have lines of their own above and below the curves; numbers of contacts stand to the right of their dots.
  const float line = ImGui::GetTextLineHeight(), top = at.y + line + 8 * scale,
              bottom = at.y + height - line - 2 * scale;
  const auto yOf = [&](double velocity) {
    return top + (bottom - top) * static_cast<float>((high - velocity) / (high - low));
  };
  const auto point = [&](const ImpulseStep& s, int k) {
    return ImVec2{at.x + 8 * scale + (width - 28 * scale) * static_cast<float>(s.impulse[2 * k] / most),
                  yOf(s.velocity[3 * k])};
  };
  const ImU32 weak = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  draw->AddLine({at.x, yOf(0)}, {at.x + width, yOf(0)}, ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.6f));
  draw->AddText({at.x + 4 * scale, at.y + 2}, weak, "normal velocity");
  draw->AddText({at.x + 4 * scale, at.y + height - line - 2}, weak, slowest.c_str());
  const std::string unit = fmt::format("impulse, to {:.2g} N s", most);
  draw->AddText({at.x + width - ImGui::CalcTextSize(unit.c_str()).x - 4 * scale, at.y + height - line - 2}, weak,
                unit.c_str());
  for (int k = 0; k < m; ++k) {
    const Color color = bodyColor(k, false);
    for (int i = 1; i <= last; ++i)
      draw->AddLine(point(steps[i - 1], k), point(steps[i], k), packed(color, i <= step ? 1.f : 0.3f), 2 * scale);
    const ImVec2 p = point(steps[step], k);
    draw->AddCircleFilled(p, 4.5f * scale, packed(color));
    draw->AddText({p.x + 5 * scale, p.y - ImGui::GetTextLineHeight()}, ImGui::GetColorU32(ImGuiCol_Text),
                  fmt::format("{}", k + 1).c_str());
  }
  ImGui::InvisibleButton("##process", {std::max(1.f, width), height});
  if (ImGui::IsItemHovered()) {
    ImGui::BeginTooltip();
    for (int k = 0; k < m && k < 12; ++k)
      ImGui::Text("contact %d: %.4g N s, friction %.4g N s, normal velocity %.4g m/s", k + 1,
                  steps[step].impulse[2 * k], steps[step].impulse[2 * k + 1], steps[step].velocity[3 * k]);
    ImGui::EndTooltip();
  }
}

}  // namespace rigor::viewer
