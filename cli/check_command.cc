// SPDX-License-Identifier: MIT
#include "cli/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "check/check.h"
#include "check/second_opinion.h"
#include "check/trajectory_file.h"
#include "cli/check_record.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "cli/scene_loading.h"
#include "record/svg_plot.h"
#include "scenes/loader.h"

namespace rigor::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const char* name(check::Interpolation interpolation) {
  return interpolation == check::Interpolation::kHermite ? "hermite" : "linear";
}

check::Interpolation choose(const std::string& asked, const std::vector<check::Trajectory>& trajectories) {
  if (asked == "linear") return check::Interpolation::kLinear;
  if (asked == "hermite") return check::Interpolation::kHermite;
  for (const check::Trajectory& trajectory : trajectories)
    for (const check::Track& track : trajectory.tracks)
      if (!track.empty() && track.velocity.empty()) return check::Interpolation::kLinear;
  return check::Interpolation::kHermite;
}

Json reportJson(const CheckArguments& arguments, const sim::Scene& scene, const check::Report& report,
                check::Interpolation interpolation) {
  const auto pairOf = [&](const check::PairReport& p) {
    return Json{scene.bodies[p.body_a].name, scene.bodies[p.body_b].name};
  };
  Json json{{"scene", scene.name},
            {"trajectory", arguments.trajectory},
            {"status", report.status()},
            {"interpolation", name(interpolation)},
            {"allow", arguments.allow},
            {"intervals", report.intervals},
            {"apart", report.apart},
            {"overlapping", report.overlapping},
            {"tunnelling", report.tunnelling},
            {"undecided", report.undecided},
            {"deepest", nullptr},
            {"pairs", Json::array()},
            {"wall_seconds", report.wall_seconds}};
  if (const check::PairReport* p = report.deepest())
    json["deepest"] = {{"pair", pairOf(*p)}, {"time", p->deepest.time}, {"depth", p->deepest.depth}};
  for (const check::PairReport& p : report.pairs) {
    const bool overlaps = p.overlapping + p.tunnelling > 0;
    json["pairs"].push_back(
        {{"pair", pairOf(p)},
         {"first", overlaps ? Json(p.first) : Json(nullptr)},
         {"last", overlaps ? Json(p.last) : Json(nullptr)},
         {"deepest", overlaps ? Json{{"time", p.deepest.time}, {"depth", p.deepest.depth}} : Json(nullptr)},
         {"overlapping", p.overlapping},
         {"tunnels", p.tunnelling},
         {"undecided", p.undecided}});
  }
  return json;
}

constexpr long kMostAsked = 1000;  ///< Instants of a pair at which libccd is asked: a twentieth of a second.

Json opinionJson(const sim::Scene& scene, const check::SecondOpinions& opinions) {
  Json json{{"asked", opinions.asked}, {"agree", opinions.agree}, {"differ", Json::array()}};
  for (const check::Difference& d : opinions.differ)
    json["differ"].push_back({{"pair", {scene.bodies[d.body_a].name, scene.bodies[d.body_b].name}},
                              {"time", d.time},
                              {"distance", d.ours},
                              {"libccd", d.other}});
  return json;
}

void printOpinions(const sim::Scene& scene, const check::SecondOpinions& opinions, std::ostream& out) {
  for (const check::Difference& d : opinions.differ)
    out << fmt::format("{} and {} at {:.9g} s: the distance is {:.9g} m, and libccd finds {:.9g} m\n",
                       scene.bodies[d.body_a].name, scene.bodies[d.body_b].name, d.time, d.ours, d.other);
  out << fmt::format("libccd was asked {} times and agrees {} times\n", opinions.asked, opinions.agree);
}

void printReport(const CheckArguments& arguments, const sim::Scene& scene, const check::Report& report,
                 check::Interpolation interpolation, std::ostream& out) {
  for (const check::PairReport& p : report.pairs) {
    const std::string pair = fmt::format("{} and {}", scene.bodies[p.body_a].name, scene.bodies[p.body_b].name);
    if (p.overlapping + p.tunnelling > 0)
      out << fmt::format("{}: overlap by up to {:.4g} m, at {:.9g} s; from {:.9g} to {:.9g} s\n", pair, p.deepest.depth,
                         p.deepest.time, p.first, p.last);
    if (p.tunnelling > 0)
      out << fmt::format("{}: tunnel in {} interval{}: apart at both samples, not between them\n", pair, p.tunnelling,
                         p.tunnelling == 1 ? "" : "s");
    if (p.undecided > 0)
      out << fmt::format("{}: {} interval{} undecided: too close to {} m to tell\n", pair, p.undecided,
                         p.undecided == 1 ? "" : "s", arguments.allow);
  }
  out << fmt::format(
      "{}: {}: {} intervals of pairs, {} apart, {} overlapping, {} tunnelling, {} undecided ({} motion between "
      "samples, {:.3g} s)\n",
      arguments.trajectory, report.status(), report.intervals, report.apart, report.overlapping, report.tunnelling,
      report.undecided, interpolation == check::Interpolation::kHermite ? "cubic" : "straight", report.wall_seconds);
}

std::string escapeXml(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return out;
}

/// A test case for the whole trajectory and one for each pair that is not apart, as continuous integration reads them.
std::string junit(const CheckArguments& arguments, const sim::Scene& scene, const check::Report& report) {
  const std::string suite = escapeXml(scene.name);
  std::string cases;
  for (const check::PairReport& p : report.pairs) {
    const std::string message =
        p.overlapping + p.tunnelling > 0
            ? fmt::format("overlap by {} m at {} s, from {} to {} s; {} intervals overlap, {} tunnel", p.deepest.depth,
                          p.deepest.time, p.first, p.last, p.overlapping, p.tunnelling)
            : fmt::format("{} intervals undecided", p.undecided);
    cases +=
        fmt::format("  <testcase classname=\"{}\" name=\"{} - {}\">\n    <failure message=\"{}\"/>\n  </testcase>\n",
                    suite, escapeXml(scene.bodies[p.body_a].name), escapeXml(scene.bodies[p.body_b].name), message);
  }
  cases +=
      fmt::format("  <testcase classname=\"{}\" name=\"all other pairs\" time=\"{}\"/>\n", suite, report.wall_seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"rigor check {}\" tests=\"{}\" failures=\"{}\" "
      "errors=\"0\" "
      "time=\"{}\">\n{}</testsuite>\n",
      escapeXml(arguments.trajectory), report.pairs.size() + 1, report.pairs.size(), report.wall_seconds, cases);
}

/// Depth over time of the deepest pairs.
void plotDepths(const std::string& path, const sim::Scene& scene, const check::Report& report) {
  constexpr std::size_t kMostCurves = 8;
  std::vector<const check::PairReport*> deepest;
  for (const check::PairReport& p : report.pairs)
    if (!p.curve.empty()) deepest.push_back(&p);
  std::stable_sort(deepest.begin(), deepest.end(),
                   [](const auto* a, const auto* b) { return a->deepest.depth > b->deepest.depth; });
  deepest.resize(std::min(deepest.size(), kMostCurves));
  record::SvgPlot plot("Overlap: " + scene.name, "time [s]", "depth [m]");
  plot.includeY(0);
  for (std::size_t i = 0; i < deepest.size(); ++i) {
    std::vector<record::PlotPoint> points;
    for (const check::DepthPoint& point : deepest[i]->curve) points.push_back({point.time, point.depth});
    record::PlotStyle style;
    style.colour = static_cast<record::PlotColour>(i);
    plot.addLine(points, scene.bodies[deepest[i]->body_a].name + ", " + scene.bodies[deepest[i]->body_b].name, style);
  }
  plot.write(path);
}

}  // namespace

int checkCommand(const CheckArguments& arguments, std::ostream& out, std::ostream& err) {
  try {
    scenes::SceneSource source;
    methods::Choice unused;  // Motions are given.
    const sim::Scene scene = loadShown(resolveScene(arguments.scene), source, unused, false);
    for (const std::string& warning : source.warnings) err << warning << '\n';
    std::vector<check::Trajectory> trajectories = check::readTrajectories(arguments.trajectory, scene);
    check::CheckOptions options;
    options.allow = arguments.allow;
    options.interpolation = choose(arguments.interpolation, trajectories);
    options.curves = !arguments.plot.empty();
    const InterruptGuard guard;
    options.interrupt = &guard.flag();
    ProgressBar bar(true);
    options.progress = [&](double share) { bar.showPart(share, "checked"); };
    std::unique_ptr<CheckRecord> record;
    if (!arguments.output.empty()) {
      if (trajectories.size() != 1) {
        err << fmt::format("rigor: {} holds {} branches; -o takes a trajectory of one\n", arguments.trajectory,
                           trajectories.size());
        return kUsage;
      }
      std::string refused = CheckRecord::refusal(scene, trajectories[0]);
      if (refused.empty()) refused = refuseOutput(arguments.output, arguments.force);
      if (!refused.empty()) {
        err << "rigor: " << refused << '\n';
        return kUsage;
      }
      record = std::make_unique<CheckRecord>(arguments.output, arguments.force, arguments.trajectory, scene,
                                             trajectories[0], options.interpolation);
      options.sink = record.get();
    }
    const check::Report report = check::checkTrajectories(scene, trajectories, options);
    Json json = reportJson(arguments, scene, report, options.interpolation);
    check::SecondOpinions opinions;
    if (arguments.second_opinion) {
      opinions = check::askSecondOpinion(scene, trajectories, kMostAsked);
      json["second_opinion"] = opinionJson(scene, opinions);
    }
    if (record) record->finish(dump(json));
    if (arguments.json) out << dump(json) << '\n';
    else printReport(arguments, scene, report, options.interpolation, out);
    if (arguments.second_opinion && !arguments.json) printOpinions(scene, opinions, out);
    if (!arguments.plot.empty()) plotDepths(arguments.plot, scene, report);
    if (!arguments.junit.empty()) {
      std::ofstream file(arguments.junit, std::ios::binary);
      file << junit(arguments, scene, report);
      file.flush();
      if (!file) throw std::runtime_error(arguments.junit + " cannot be written");
    }
    if (!opinions.differ.empty()) return kFailure;
    return report.overlapping + report.tunnelling + report.undecided == 0 ? kDone : kNotProved;
  } catch (const scenes::LoadError& error) {
    err << error.what() << '\n';
    return kBadInput;
  } catch (const check::TrajectoryError& error) {
    err << error.what() << '\n';
    return kBadInput;
  } catch (const check::Interrupted&) {
    err << "rigor: interrupted\n";
    return kInterrupted;
  }
}

}  // namespace rigor::cli
