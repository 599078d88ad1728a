// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "viewer/image.h"
#include "viewer/panel_drawing.h"
#include "viewer/panels.h"

namespace rigor::viewer {
namespace {

constexpr int kQuantities = static_cast<int>(Quantity::kCount);
constexpr double kBudget = 0.004;  ///< Sampling a frame [s].

/// One plot box: frame, title, cursor; the caller draws lines with xy().
struct PlotBox {
  ImVec2 at, size;
  double from, to, low, high;
  bool logarithmic = false;
  std::string high_text, low_text;  // Of the data.
  float head = 0;  // Height of the title [pixels].
  float x(double time) const { return at.x + size.x * static_cast<float>((time - from) / (to - from)); }
  float y(double value) const {
    const double u = logarithmic
                         ? (std::log10(std::max(value, low)) - std::log10(low)) / (std::log10(high) - std::log10(low))
                         : (value - low) / (high - low);
    // Below the title, above the frame.
    return at.y + head + (size.y - head - 3) * (1 - static_cast<float>(std::clamp(u, -0.02, 1.02)));
  }
};

void frameBox(const PlotBox& box, const std::string& title, Viewer& viewer, float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 end{box.at.x + box.size.x, box.at.y + box.size.y};
  draw->AddRectFilled(box.at, end, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.5f), 4 * scale);
  const ImU32 weak = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  draw->AddText({box.at.x + 6 * scale, box.at.y + 2 * scale}, ImGui::GetColorU32(ImGuiCol_Text), title.c_str());
  const float wide = ImGui::CalcTextSize(box.high_text.c_str()).x;
  draw->AddText({end.x - wide - 4 * scale, box.at.y + 2 * scale}, weak, box.high_text.c_str());
  const float x = box.x(viewer.view.time);
  if (x >= box.at.x && x <= end.x)
    draw->AddLine({x, box.at.y}, {x, end.y}, ImGui::GetColorU32(ImGuiCol_Text, 0.8f), 1.5f * scale);
}

/// The box's mouse: click sets the time, wheel zooms the common axis.
void boxMouse(const PlotBox& box, const std::string& id, Viewer& viewer) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos(box.at);
  ImGui::InvisibleButton(id.c_str(), box.size);
  const double unit = std::clamp(static_cast<double>((io.MousePos.x - box.at.x) / box.size.x), 0.0, 1.0);
  if (ImGui::IsItemActive()) viewer.setTime(box.from + unit * (box.to - box.from));
  if (ImGui::IsItemHovered() && io.MouseWheel != 0 && !viewer.axis.logarithmic)
    viewer.axis.zoom(std::pow(1.25, static_cast<double>(io.MouseWheel)), unit);
}

/// The lower end, over the curves.
void labelLow(const PlotBox& box, float scale) {
  const ImVec2 extent = ImGui::CalcTextSize(box.low_text.c_str());
  const ImVec2 at{box.at.x + box.size.x - extent.x - 4 * scale, box.at.y + box.size.y - extent.y - 1};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled({at.x - 3 * scale, at.y}, {at.x + extent.x + 3 * scale, at.y + extent.y},
                      ImGui::GetColorU32(ImGuiCol_WindowBg, 0.8f), 3 * scale);
  draw->AddText(at, ImGui::GetColorU32(ImGuiCol_TextDisabled), box.low_text.c_str());
}

void widen(double& low, double& high) {
  if (!(low <= high)) low = 0, high = 1;
  const double margin = std::max((high - low) * 0.08, std::max(std::abs(high), 1e-12) * 1e-6);
  low -= margin;
  high += margin;
}

/// Smallest gaps or step sizes of the shown branch and its ancestors, in order of time.
std::vector<BoundedSeries::Point> tableSeries(Viewer& viewer, bool gaps, double from, double to) {
  const RunModel& model = viewer.model();
  std::vector<BoundedSeries::Point> series;
  double limit = INFINITY;
  for (int b = viewer.view.branch; b >= 0; b = model.branches()[b].parent) {
    const BoundedSeries own = gaps ? viewer.index().gaps(b) : viewer.index().steps(b);
    for (const auto& point : own.points())
      if (point.time >= from && point.time <= std::min(to, limit)) series.push_back(point);
    limit = model.branches()[b].fork_time;
  }
  std::sort(series.begin(), series.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return series;
}

PlotData::Series csvSeries(Viewer& viewer, bool gaps, double to) {
  PlotData::Series result{gaps ? "smallest gap" : "step size", {}};
  for (const auto& point : tableSeries(viewer, gaps, 0, to)) {
    // Of one time, as in the plot: the smallest.
    if (!result.values.empty() && result.values.back().first == point.time)
      result.values.back().second = std::min(result.values.back().second, point.low);
    else result.values.emplace_back(point.time, point.low);
  }
  return result;
}

/// Which quantities are drawn; the last two are of the tables.
constexpr int kGaps = kQuantities, kSteps = kQuantities + 1, kPlotKinds = kQuantities + 2;

/// The range of time that plots show, and what is shown over it.
struct PlotRange {
  double from, to;
  bool comparing;  ///< With the samples of Viewer::compared_plots.
};

void chooseAtFirst(Viewer& viewer) {
  if (!viewer.plotted.empty()) return;
  viewer.plotted.assign(kPlotKinds, false);
  for (const Quantity q : {Quantity::kEnergy, Quantity::kKinetic, Quantity::kZ, Quantity::kContacts})
    viewer.plotted[static_cast<int>(q)] = true;
  viewer.plotted[kGaps] = true;
}

void drawQuantityMenu(Viewer& viewer, PanelState& state) {
  if (ImGui::SmallButton("Quantities")) ImGui::OpenPopup("##quantities");
  if (!ImGui::BeginPopup("##quantities")) return;
  if (std::exchange(state.close_popup, false)) ImGui::CloseCurrentPopup();
  for (int q = 0; q < kPlotKinds; ++q) {
    bool on = viewer.plotted[q];
    const char* name = q == kGaps    ? "smallest gap"
                       : q == kSteps ? "step size"
                                     : quantityInfo(static_cast<Quantity>(q)).name;
    if (ImGui::Checkbox(name, &on)) viewer.plotted[q] = on;
  }
  ImGui::EndPopup();
}

PlotRange samplePlots(Viewer& viewer) {
  RunModel& model = viewer.model();
  const int body = viewer.view.selected >= 0 && !model.bodies()[viewer.view.selected].fixed ? viewer.view.selected : -1;
  const double from = std::max(0.0, viewer.axis.toTime(0)), to = std::min(viewer.endTime(), viewer.axis.toTime(1));
  if (from < to) viewer.plots.sample(model, viewer.view.branch, body, from, to, kBudget, viewer.losses());
  const bool comparing = from < to && viewer.view.compared >= 0 && viewer.plots.complete();
  if (comparing) viewer.compared_plots.sample(model, viewer.view.compared, body, from, to, kBudget);
  return {from, to, comparing};
}

void drawCsvButton(Viewer& viewer, double to) {
  if (ImGui::SmallButton("CSV")) {
    const std::string path = freeName(viewer.model().sceneName(), ".csv");
    try {
      viewer.plots.exportCsv(viewer.model(), path, {csvSeries(viewer, true, to), csvSeries(viewer, false, to)});
      viewer.say("Wrote " + path);
    } catch (const ImageError& error) {
      viewer.fail(error.what());
    }
  }
  hint(
      "Writes the shown range of all quantities, gaps and step sizes to the next free SCENE-0001.csv in the current "
      "folder");
}

/// Plots are tiles of one size. None where there is no room.
struct PlotGrid {
  ImVec2 at;
  int count, columns;
  float gap, width, height;

  PlotGrid(int plots, float scale) : at(ImGui::GetCursorScreenPos()), count(plots), gap(6 * scale) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    columns = std::clamp(static_cast<int>(room.x / (300 * scale)), 1, count);
    const int lines = (count + columns - 1) / columns;
    width = (room.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    height = (room.y - gap * static_cast<float>(lines - 1)) / static_cast<float>(lines);
  }
  bool hasRoom() const { return width >= 20 && height >= 16; }
  PlotBox box(int slot, const PlotRange& range, float scale) const {
    PlotBox box;
    box.at = {at.x + static_cast<float>(slot % columns) * (width + gap),
              at.y + static_cast<float>(slot / columns) * (height + gap)};
    box.size = {width, height};
    box.head = std::min(ImGui::GetTextLineHeight() + 4 * scale, height / 3);
    box.from = range.from, box.to = range.to;
    return box;
  }
};

/// Frame and points of a quantity that is sampled.
void plotSampled(int q, PlotBox& box, bool comparing, Viewer& viewer, float scale, std::vector<ImVec2>& points) {
  const auto& rows = viewer.plots.rows();
  box.low = INFINITY, box.high = -INFINITY;
  const auto include = [&](const PlotData::Row& row) {
    box.low = std::min(box.low, row.values[q]);
    box.high = std::max(box.high, row.values[q]);
  };
  double now = rows.front().values[q];
  for (const PlotData::Row& row : rows) {
    include(row);
    if (row.time <= viewer.view.time) now = row.values[q];
  }
  if (comparing)
    for (const PlotData::Row& row : viewer.compared_plots.rows()) include(row);
  box.high_text = fmt::format("{:.4g}", box.high), box.low_text = fmt::format("{:.4g}", box.low);
  widen(box.low, box.high);
  for (const PlotData::Row& row : rows) points.push_back({box.x(row.time), box.y(row.values[q])});
  const QuantityInfo& info = quantityInfo(static_cast<Quantity>(q));
  frameBox(box, fmt::format("{} {:.5g} {}", info.name, now, info.unit), viewer, scale);
}

/// Where gaps are held, and the floor that they are proved to stay above.
void drawGapLevels(const PlotBox& box, Viewer& viewer, float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const double nominal = viewer.model().gapNominal();
  for (const auto& [level, name] : {std::pair{nominal, "delta"}, {viewer.model().gapFloor(), "floor"}}) {
    draw->AddLine({box.at.x, box.y(level)}, {box.at.x + box.size.x, box.y(level)}, packed(rgb(0xC8102E), 0.6f), scale);
    // Side by side: the floor lies half of delta below.
    draw->AddText({box.at.x + (level == nominal ? 4 : 44) * scale, box.y(level) - ImGui::GetTextLineHeight()},
                  packed(rgb(viewer.view.dark ? 0xFF6B6B : 0xC8102E), 0.9f), name);
  }
}

/// Frame and points of gaps or steps, of the branch and its ancestors; logarithmic.
void plotTable(bool gaps, PlotBox& box, Viewer& viewer, float scale, std::vector<ImVec2>& points) {
  const RunModel& model = viewer.model();
  box.logarithmic = true;
  const std::vector<BoundedSeries::Point> series = tableSeries(viewer, gaps, box.from, box.to);
  box.low = gaps ? model.gapFloor() / 2 : INFINITY, box.high = gaps ? 4 * model.gapNominal() : 0;
  double now = series.empty() ? 0 : series.front().low;
  for (const auto& point : series) {
    if (point.low > 0) box.low = std::min(box.low, point.low);
    box.high = std::max(box.high, point.high);
    if (point.time <= viewer.view.time) now = point.low;
  }
  if (!(box.low > 0 && box.low < box.high)) box.low = 1e-12, box.high = 1;
  const auto text = [&](double x) { return gaps ? lengthText(x) : timeText(x, x / 100 + 1e-15); };
  box.high_text = text(box.high), box.low_text = text(box.low);
  frameBox(box, gaps ? "smallest gap " + lengthText(now) : "step " + text(now), viewer, scale);
  if (gaps) drawGapLevels(box, viewer, scale);
  // Many pairs have a witness at one time: of a pixel's column the smallest gap, of step sizes both ends.
  for (std::size_t i = 0; i < series.size();) {
    const float x = box.x(series[i].time);
    double low = INFINITY, high = -INFINITY;
    for (; i < series.size() && box.x(series[i].time) < x + 1; ++i)
      low = std::min(low, series[i].low), high = std::max(high, series[i].high);
    points.push_back({x, box.y(low)});
    if (!gaps && high > low) points.push_back({x, box.y(high)});
  }
}

void drawCompared(int q, const PlotBox& box, Viewer& viewer, float scale) {
  if (q >= kQuantities) return;
  // Losses are known of the shown branch alone.
  if (q == static_cast<int>(Quantity::kLostByImpact) || q == static_cast<int>(Quantity::kLostByFriction)) return;
  std::vector<ImVec2> points;
  for (const PlotData::Row& row : viewer.compared_plots.rows())
    points.push_back({box.x(row.time), box.y(row.values[q])});
  ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), packed(rgb(0xD9480F), 0.85f),
                                          0, 1.4f * scale);
}

}  // namespace

void drawPlotPanel(Viewer& viewer, PanelState& state, float scale) {
  chooseAtFirst(viewer);
  drawQuantityMenu(viewer, state);
  ImGui::SameLine();
  const PlotRange range = samplePlots(viewer);
  drawCsvButton(viewer, range.to);
  ImGui::SameLine();
  if (viewer.plots.body() >= 0)
    ImGui::TextDisabled("of %s;  click sets the time, wheel zooms",
                        viewer.model().bodies()[viewer.plots.body()].name.c_str());
  const int count = static_cast<int>(std::count(viewer.plotted.begin(), viewer.plotted.end(), true));
  if (!(range.from < range.to) || viewer.plots.rows().empty() || count == 0) return;
  const PlotGrid grid(count, scale);
  if (!grid.hasRoom()) return;

  ImDrawList* draw = ImGui::GetWindowDrawList();
  std::vector<ImVec2> points;
  int slot = 0;
  for (int q = 0; q < kPlotKinds; ++q) {
    if (!viewer.plotted[q]) continue;
    PlotBox box = grid.box(slot++, range, scale);
    points.clear();
    if (q < kQuantities) plotSampled(q, box, range.comparing, viewer, scale, points);
    else plotTable(q == kGaps, box, viewer, scale, points);
    draw->PushClipRect(box.at, {box.at.x + box.size.x, box.at.y + box.size.y}, true);
    if (range.comparing) drawCompared(q, box, viewer, scale);
    draw->AddPolyline(points.data(), static_cast<int>(points.size()), packed(themeOf(viewer.view.dark).accent), 0,
                      1.6f * scale);
    draw->PopClipRect();
    labelLow(box, scale);
    boxMouse(box, fmt::format("##plot{}", q), viewer);
  }
}

}  // namespace rigor::viewer
