// SPDX-License-Identifier: MIT
#include "compare/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "record/writer.h"

namespace rigor::compare {

using Json = nlohmann::ordered_json;

namespace {

const char* kindName(Entry::Kind kind) {
  switch (kind) {
    case Entry::Kind::kCertified: return "certified";
    case Entry::Kind::kPublished: return "published";
    case Entry::Kind::kEngine: return "engine";
  }
  return "";
}

Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json entryJson(const Entry& e) {
  if (!e.refused.empty()) return {{"name", e.name}, {"kind", kindName(e.kind)}, {"refused", e.refused}};
  const sim::Summary& s = e.summary;
  Json json{{"name", e.name},
            {"kind", kindName(e.kind)},
            {"step", e.step > 0 ? Json(e.step) : Json(nullptr)},
            {"status", record::statusName(s.status)},
            {"message", s.message},
            {"time", s.time},
            {"steps", s.steps},
            {"mean_step", s.mean_step},
            {"manifold_changes", e.kind == Entry::Kind::kEngine ? Json(nullptr) : Json(s.manifold_changes)},
            {"impacts", e.kind == Entry::Kind::kEngine ? Json(nullptr) : Json(s.impacts)},
            {"verdict", e.verdict},
            {"min_gap", finite(s.min_gap)},
            {"intervals", e.intervals},
            {"overlapping", e.overlapping},
            {"tunnelling", e.tunnelling},
            {"undecided", e.undecided},
            {"deepest", nullptr},
            {"energy_initial", s.energy_initial},
            {"energy_final", s.energy_final},
            {"max_energy_increase", s.max_energy_increase},
            {"from_certified", finite(e.from_certified)},
            {"cpu_seconds", e.cpu_seconds},
            {"counters", Json::parse(e.counters)},
            {"record", e.record.empty() ? Json(nullptr) : Json(e.record)}};
  if (e.deepest > 0) json["deepest"] = {{"pair", e.deepest_pair}, {"time", e.deepest_time}, {"depth", e.deepest}};
  return json;
}

const std::vector<std::string> kColumns{"method",
                                        "step [s]",
                                        "steps",
                                        "verdict",
                                        "deepest overlap [m]",
                                        "certified gap [m]",
                                        "overlapping",
                                        "energy change [J]",
                                        "largest rise [J]",
                                        "from certified [m]",
                                        "time [s]"};

/// What a row says, a text a column.
std::vector<std::string> cells(const Entry& e) {
  std::vector<std::string> row(kColumns.size());
  row[0] = e.name;
  if (!e.refused.empty()) {
    row[3] = "not for it: " + e.refused;
    return row;
  }
  const sim::Summary& s = e.summary;
  row[1] = e.step > 0 ? fmt::format("{:.3g}", e.step) : "";
  row[2] = fmt::format("{}", s.steps);
  row[3] = s.status == sim::RunStatus::kDone
               ? e.verdict
               : fmt::format("{}, {} at {:.4g} s", e.verdict, record::statusName(s.status), s.time);
  row[4] = e.deepest > 0 ? fmt::format("{:.3g}", e.deepest) : "";
  row[5] = s.min_gap > 0 ? fmt::format("{:.3g}", s.min_gap) : "";
  row[6] = e.intervals > 0 ? fmt::format("{} of {}", e.overlapping + e.tunnelling, e.intervals) : "";
  row[7] = fmt::format("{:.4g}", s.energy_final - s.energy_initial);
  row[8] = fmt::format("{:.2g}", s.max_energy_increase);
  row[9] = std::isfinite(e.from_certified) ? fmt::format("{:.3g}", e.from_certified) : "";
  row[10] = fmt::format("{:.3g}", e.cpu_seconds);
  return row;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

record::PlotStyle styleOf(std::size_t k) {
  constexpr int kColours = 8;
  record::PlotStyle style;
  style.colour = static_cast<record::PlotColour>(k % kColours), style.dashed = k >= kColours;
  return style;
}

/// Powers of ten for an axis of logarithms.
std::vector<record::PlotTick> decades(double low, double high) {
  std::vector<record::PlotTick> ticks;
  for (int k = static_cast<int>(std::floor(low)); k <= static_cast<int>(std::ceil(high)); ++k)
    ticks.push_back({static_cast<double>(k), fmt::format("1e{}", k)});
  return ticks;
}

/// Cost over error: time against the deepest overlap, both as powers of ten.
bool costPlot(const std::vector<Entry>& entries, record::SvgPlot& plot) {
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  bool any = false;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& e = entries[k];
    if (!(e.deepest > 0) || !(e.cpu_seconds > 0)) continue;
    const record::PlotPoint at{std::log10(e.deepest), std::log10(e.cpu_seconds)};
    low[0] = std::min(low[0], at.x), high[0] = std::max(high[0], at.x), low[1] = std::min(low[1], at.y),
    high[1] = std::max(high[1], at.y);
    plot.addMarkers({at}, static_cast<record::PlotMarker>(k % 8), e.name, styleOf(k));
    any = true;
  }
  if (any) plot.setXTicks(decades(low[0], high[0])), plot.setYTicks(decades(low[1], high[1]));
  return any;
}

}  // namespace

std::string compareJson(const sim::Scene& scene, const std::vector<Entry>& entries) {
  Json json{{"scene", scene.name}, {"until", scene.until}, {"entries", Json::array()}};
  for (const Entry& e : entries) json["entries"].push_back(entryJson(e));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string compareText(const sim::Scene& scene, const std::vector<Entry>& entries) {
  std::vector<std::vector<std::string>> rows{kColumns};
  for (const Entry& e : entries) rows.push_back(cells(e));
  std::vector<std::size_t> width(kColumns.size(), 0);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      if (c != 3 || row[4] != "" || row[2] != "") width[c] = std::max(width[c], row[c].size());
  std::string text = fmt::format("{}, up to {} s\n", scene.name, scene.until);
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += fmt::format("{:<{}}  ", row[c], width[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::vector<std::pair<std::string, record::SvgPlot>> comparePlots(const sim::Scene& scene,
                                                                  const std::vector<Entry>& entries) {
  std::vector<std::pair<std::string, record::SvgPlot>> plots;
  struct Curve {
    const char *name, *title, *label;
    const std::vector<record::PlotPoint> Entry::*points;
  };
  for (const Curve& curve :
       {Curve{"depth", "Deepest overlap of a pair", "depth [m]", &Entry::depth},
        Curve{"energy", "Energy since the start", "change [J]", &Entry::energy},
        Curve{"height", "Height of the first body that moves", "z of its centre [m]", &Entry::height}}) {
    record::SvgPlot plot(scene.name + ": " + curve.title, "time [s]", curve.label);
    bool any = false;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto& points = entries[k].*curve.points;
      if (points.empty()) continue;
      plot.addLine(points, entries[k].name, styleOf(k));
      any = true;
    }
    if (any) plots.emplace_back(curve.name, std::move(plot));
  }
  record::SvgPlot cost(scene.name + ": Cost against overlap", "deepest overlap [m]", "processor time [s]");
  if (costPlot(entries, cost)) plots.emplace_back("cost", std::move(cost));
  return plots;
}

std::string comparePage(const sim::Scene& scene, const std::vector<Entry>& entries) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta "
      "charset=\"utf-8\"><title>{0}</title>\n<style>body{{font-family:sans-serif;margin:2em;max-width:75em}}"
      "table{{border-collapse:collapse}}td,th{{border-bottom:1px solid #ccc;padding:.3em "
      ".7em;text-align:left}}td{{font-variant-numeric:tabular-nums}}"
      "svg{{max-width:100%;height:auto}}</style></head><body>\n<h1>{0}</h1>\n<p>{1}</p>\n<p>Every method starts where "
      "the scene does and runs to {2} s. Overlap is "
      "what <code>rigor check</code> finds, between the samples too.</p>\n<table>\n<tr>",
      escaped(scene.name), escaped(scene.description), scene.until);
  for (const std::string& column : kColumns) html += "<th>" + escaped(column) + "</th>";
  html += "</tr>\n";
  for (const Entry& e : entries) {
    html += "<tr>";
    for (const std::string& cell : cells(e)) html += "<td>" + escaped(cell) + "</td>";
    html += "</tr>\n";
  }
  html += "</table>\n";
  for (const auto& [name, plot] : comparePlots(scene, entries)) {
    std::string svg = plot.svg();
    if (const auto begin = svg.find("<svg"); begin != std::string::npos)
      svg = svg.substr(begin);  // Without the XML declaration.
    html += "<figure>" + svg + "</figure>\n";
  }
  return html + "</body></html>\n";
}

}  // namespace rigor::compare
