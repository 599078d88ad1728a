// SPDX-License-Identifier: MIT
#include "viewer/session.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "viewer/viewer.h"

namespace rigor::viewer {

namespace fs = std::filesystem;

std::string sessionPath(const std::string& record) {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (!(state && *state) && !(home && *home)) return {};
  const fs::path folder = (state && *state ? fs::path(state) : fs::path(home) / ".local" / "state") / "rigor" / "view";
  std::error_code error;
  const std::string whole = fs::absolute(record, error).string();
  // FNV-1a: the same file has the same name in every version.
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : whole) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return (folder / fmt::format("{:016x}.json", hash)).string();
}

void saveSession(const Viewer& viewer) {
  Viewer& v = const_cast<Viewer&>(viewer);
  const std::string path = sessionPath(v.originalPath());
  if (path.empty()) return;
  nlohmann::ordered_json json;
  json["record"] = v.originalPath();
  json["branch"] = v.model().branches()[v.view.branch].id;
  json["time"] = v.view.time;
  const Camera& c = v.view.camera;
  json["camera"] = {c.azimuth, c.elevation, c.distance, c.target[0], c.target[1], c.target[2]};
  json["orthographic"] = c.orthographic;
  json["dark"] = v.view.dark;
  json["panels"] = v.show_panels;
  json["tabs"] = {v.side_tab, v.bottom_tab};
  for (int i = 0; i < kOverlayCount; ++i)
    json["overlays"][overlayInfo(static_cast<Overlay>(i)).key] = v.view.overlays[i];
  for (int k = 0; k < kEventKinds; ++k)
    if (!v.view.events.shows(static_cast<EventKind>(k)))
      json["hidden_events"].push_back(eventInfo(static_cast<EventKind>(k)).name);
  json["speed"] = v.playback.speed;
  json["loop"] = {v.playback.loop, v.playback.loop_from, v.playback.loop_to};
  json["axis"] = {v.axis.from, v.axis.to, v.axis.logarithmic, v.axis.centre, v.axis.least};
  if (!v.plotted.empty()) json["plotted"] = v.plotted;
  for (int b = 0; b < static_cast<int>(v.names().size()); ++b)
    if (!v.names()[b].empty()) json["names"][v.model().branches()[b].id] = v.names()[b];
  for (int b = 0; b < static_cast<int>(v.model().branches().size()); ++b)
    if (v.isMuted(b)) json["muted"].push_back(v.model().branches()[b].id);
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  std::ofstream(path) << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

namespace {

constexpr std::size_t kPlots = static_cast<std::size_t>(Quantity::kCount) + 2;

/// Loop and shown range of time, if they make sense.
void loadTimes(const nlohmann::json& json, Viewer& v) {
  const auto loop = json.value("loop", nlohmann::json::array());
  if (loop.size() == 3) {
    v.playback.loop = loop[0].get<bool>();
    v.playback.loop_from = loop[1].get<double>(), v.playback.loop_to = loop[2].get<double>();
  }
  const auto shown = json.value("axis", nlohmann::json::array());
  if (shown.size() != 5) return;
  TimeAxis axis{shown[0].get<double>(), shown[1].get<double>(), shown[2].get<bool>(), shown[3].get<double>(),
                shown[4].get<double>()};
  if (std::isfinite(axis.from) && axis.from < axis.to && std::isfinite(axis.to) && axis.least > 0 &&
      std::isfinite(axis.centre))
    v.axis = axis;
}

}  // namespace

void loadSession(Viewer& v) {
  const std::string path = sessionPath(v.originalPath());
  std::ifstream file(path);
  if (path.empty() || !file) return;
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) return;
  try {
    Camera camera = v.view.camera;
    const auto values = json.at("camera").get<std::vector<double>>();
    bool good = values.size() == 6 && values[2] > 0 && std::abs(values[1]) < 1.58;
    for (const double value : values) good = good && std::isfinite(value);
    if (good) {
      camera.azimuth = values[0], camera.elevation = values[1], camera.distance = values[2];
      camera.target = {values[3], values[4], values[5]};
      v.view.camera = camera;
    }
    v.view.camera.orthographic = json.value("orthographic", false);
    v.view.dark = json.value("dark", v.view.dark);
    v.show_panels = json.value("panels", true);
    if (const auto tabs = json.value("tabs", std::vector<int>()); tabs.size() == 2)
      v.side_tab = tabs[0], v.bottom_tab = tabs[1];
    for (int i = 0; i < kOverlayCount; ++i)
      v.view.overlays[i] =
          json.at("overlays").value(overlayInfo(static_cast<Overlay>(i)).key, static_cast<bool>(v.view.overlays[i]));
    for (const auto& name : json.value("hidden_events", std::vector<std::string>()))
      v.view.events.set(eventKind(name), false);
    v.playback.setSpeed(json.value("speed", 1.0));
    loadTimes(json, v);
    if (const auto plotted = json.value("plotted", std::vector<bool>()); plotted.size() == kPlots) v.plotted = plotted;
    if (const int branch = v.model().findBranch(json.value("branch", "")); branch >= 0) v.selectBranch(branch);
    v.setTime(json.value("time", 0.0));
    const nlohmann::json names = json.value("names", nlohmann::json::object());
    for (const auto& [id, name] : names.items())
      if (const int branch = v.model().findBranch(id); branch >= 0) v.nameBranch(branch, name.get<std::string>());
    std::vector<int> muted;
    for (const auto& id : json.value("muted", nlohmann::json::array()))
      if (const int branch = v.model().findBranch(id.get<std::string>()); branch >= 0) muted.push_back(branch);
    v.setMuted(muted, true);
    v.forgetEdits();
  } catch (const nlohmann::json::exception&) {
    // What was understood so far stays.
  }
}

}  // namespace rigor::viewer
