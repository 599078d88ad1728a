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
    const double u = logarithmic ? (std::log10(std::max(value, low)) - std::log10(low)) / (std::log10(high) - std::log10(low))
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
  if (x >= box.at.x && x <= end.x) draw->AddLine({x, box.at.y}, {x, end.y}, ImGui::GetColorU32(ImGuiCol_Text, 0.8f), 1.5f * scale);
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
  draw->AddRectFilled({at.x - 3 * scale, at.y}, {at.x + extent.x + 3 * scale, at.y + extent.y}, ImGui::GetColorU32(ImGuiCol_WindowBg, 0.8f), 3 * scale);
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

}  // namespace

void drawPlotPanel(Viewer& viewer, PanelState& state, float scale) {
  RunModel& model = viewer.model();
  if (viewer.plotted.empty()) {
    viewer.plotted.assign(kQuantities + 2, false);
    for (const Quantity q : {Quantity::kEnergy, Quantity::kKinetic, Quantity::kZ, Quantity::kContacts})
      viewer.plotted[static_cast<int>(q)] = true;
    viewer.plotted[kQuantities] = true;
  }
  if (ImGui::SmallButton("Quantities")) ImGui::OpenPopup("##quantities");
  if (ImGui::BeginPopup("##quantities")) {
    if (std::exchange(state.close_popup, false)) ImGui::CloseCurrentPopup();
    for (int q = 0; q < kQuantities + 2; ++q) {
      bool on = viewer.plotted[q];
      const char* name = q < kQuantities    ? quantityInfo(static_cast<Quantity>(q)).name
                         : q == kQuantities ? "smallest gap"
                                            : "step size";
      if (ImGui::Checkbox(name, &on)) viewer.plotted[q] = on;
    }
    ImGui::EndPopup();
  }
  ImGui::SameLine();
  const int body = viewer.view.selected >= 0 && !model.bodies()[viewer.view.selected].fixed ? viewer.view.selected : -1;
  const double from = std::max(0.0, viewer.axis.toTime(0)), to = std::min(viewer.endTime(), viewer.axis.toTime(1));
  if (from < to) viewer.plots.sample(model, viewer.view.branch, body, from, to, kBudget, viewer.losses());
  const bool comparing = from < to && viewer.view.compared >= 0 && viewer.plots.complete();
  if (comparing) viewer.compared_plots.sample(model, viewer.view.compared, body, from, to, kBudget);
  if (ImGui::SmallButton("CSV")) {
    const std::string path = freeName(model.sceneName(), ".csv");
    try {
      viewer.plots.exportCsv(model, path, {csvSeries(viewer, true, to), csvSeries(viewer, false, to)});
      viewer.say("Wrote " + path);
    } catch (const ImageError& error) {
      viewer.fail(error.what());
    }
  }
  hint("Writes the shown range of all quantities, gaps and step sizes to the next free SCENE-0001.csv in the current folder");
  ImGui::SameLine();
  if (viewer.plots.body() >= 0)
    ImGui::TextDisabled("of %s;  click sets the time, wheel zooms", model.bodies()[viewer.plots.body()].name.c_str());
  const auto& rows = viewer.plots.rows();
  if (!(from < to) || rows.empty()) return;

  const int count = static_cast<int>(std::count(viewer.plotted.begin(), viewer.plotted.end(), true));
  if (count == 0) return;
  ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const int columns = std::clamp(static_cast<int>(room.x / (300 * scale)), 1, count);
  const int lines = (count + columns - 1) / columns;
  const float gap = 6 * scale, w = (room.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
              h = (room.y - gap * static_cast<float>(lines - 1)) / static_cast<float>(lines);
  if (w < 20 || h < 16) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Color accent = themeOf(viewer.view.dark).accent;
  int slot = 0;
  std::vector<ImVec2> points, compared;
  for (int q = 0; q < kQuantities + 2; ++q) {
    if (!viewer.plotted[q]) continue;
    PlotBox box;
    box.at = {at.x + static_cast<float>(slot % columns) * (w + gap), at.y + static_cast<float>(slot / columns) * (h + gap)};
    box.size = {w, h};
    box.head = std::min(ImGui::GetTextLineHeight() + 4 * scale, h / 3);
    box.from = from;
    box.to = to;
    ++slot;
    points.clear();
    std::string title;
    if (q < kQuantities) {
      const QuantityInfo& info = quantityInfo(static_cast<Quantity>(q));
      box.low = INFINITY, box.high = -INFINITY;
      double now = rows.front().values[q];
      for (const PlotData::Row& row : rows) {
        box.low = std::min(box.low, row.values[q]);
        box.high = std::max(box.high, row.values[q]);
        if (row.time <= viewer.view.time) now = row.values[q];
      }
      if (comparing)
        for (const PlotData::Row& row : viewer.compared_plots.rows()) {
          box.low = std::min(box.low, row.values[q]);
          box.high = std::max(box.high, row.values[q]);
        }
      box.high_text = fmt::format("{:.4g}", box.high), box.low_text = fmt::format("{:.4g}", box.low);
      widen(box.low, box.high);
      for (const PlotData::Row& row : rows) points.push_back({box.x(row.time), box.y(row.values[q])});
      title = fmt::format("{} {:.5g} {}", info.name, now, info.unit);

      frameBox(box, title, viewer, scale);
    } else {
      // Of the tables: the branch and its ancestors; logarithmic, with delta and floor where gaps are plotted.
      box.logarithmic = true;
      const std::vector<BoundedSeries::Point> series = tableSeries(viewer, q == kQuantities, from, to);
      box.low = q == kQuantities ? model.gapFloor() / 2 : INFINITY, box.high = q == kQuantities ? 4 * model.gapNominal() : 0;
      double now = series.empty() ? 0 : series.front().low;
      for (const auto& point : series) {
        if (point.low > 0) box.low = std::min(box.low, point.low);
        box.high = std::max(box.high, point.high);
        if (point.time <= viewer.view.time) now = point.low;
      }
      if (!(box.low > 0 && box.low < box.high)) box.low = 1e-12, box.high = 1;
      const auto text = [&](double x) { return q == kQuantities ? lengthText(x) : timeText(x, x / 100 + 1e-15); };
      box.high_text = text(box.high), box.low_text = text(box.low);
      title = q == kQuantities ? "smallest gap " + lengthText(now) : "step " + text(now);
      frameBox(box, title, viewer, scale);
      if (q == kQuantities)
        for (const auto& [level, name] : {std::pair{model.gapNominal(), "delta"}, {model.gapFloor(), "floor"}}) {
          draw->AddLine({box.at.x, box.y(level)}, {box.at.x + w, box.y(level)}, packed(rgb(0xC8102E), 0.6f), scale);
          // Side by side: the floor lies half of delta below.
          draw->AddText({box.at.x + (level == model.gapNominal() ? 4 : 44) * scale, box.y(level) - ImGui::GetTextLineHeight()},
                        packed(rgb(viewer.view.dark ? 0xFF6B6B : 0xC8102E), 0.9f), name);
        }
      // Many pairs have a witness at one time: of a pixel's column the smallest gap, of step sizes both ends.
      for (std::size_t i = 0; i < series.size();) {
        const float x = box.x(series[i].time);
        double low = INFINITY, high = -INFINITY;
        for (; i < series.size() && box.x(series[i].time) < x + 1; ++i)
          low = std::min(low, series[i].low), high = std::max(high, series[i].high);
        points.push_back({x, box.y(low)});
        if (q != kQuantities && high > low) points.push_back({x, box.y(high)});
      }
    }
    draw->PushClipRect(box.at, {box.at.x + w, box.at.y + h}, true);
    const bool losses = q == static_cast<int>(Quantity::kLostByImpact) || q == static_cast<int>(Quantity::kLostByFriction);
    if (comparing && q < kQuantities && !losses) {  // Those are known of the shown branch alone.
      compared.clear();
      for (const PlotData::Row& row : viewer.compared_plots.rows())
        compared.push_back({box.x(row.time), box.y(row.values[q])});
      draw->AddPolyline(compared.data(), static_cast<int>(compared.size()), packed(rgb(0xD9480F), 0.85f), 0, 1.4f * scale);
    }
    draw->AddPolyline(points.data(), static_cast<int>(points.size()), packed(accent), 0, 1.6f * scale);
    draw->PopClipRect();
    labelLow(box, scale);
    boxMouse(box, fmt::format("##plot{}", q), viewer);
  }
}

}  // namespace rigor::viewer
