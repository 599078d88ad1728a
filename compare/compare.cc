// SPDX-License-Identifier: MIT
#include "compare/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "check/trajectory_file.h"
#include "compare/motion_record.h"
#include "compare/peers.h"
#include "compare/tracks.h"
#include "methods/run.h"
#include "record/summary_json.h"

namespace rigor::compare {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kCurvePoints = 400;    // Of curves over time.
constexpr double kReachShare = 0.1;  // Of the smallest body: pairs that stay farther apart need no figure of their gap.
constexpr double kTouchShare =
    1e-12;  // Of the smallest body: what methods that may touch claim is above the rounding of poses.
constexpr double kPeerStep = 1e-3;  // Of engines [s].

double cpuSecondsNow() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

record::RunInfo infoOf(const sim::Scene& scene, const sim::Simulation& scales, double floor, const Options& options,
                       const Json& made) {
  record::RunInfo info = record::runInfo(scales, options.seed, scene.until, options.build, made);
  info.gap_floor = floor;
  info.bounds = "{}";  // It does not say what acted.
  return info;
}

int firstMoving(const sim::Scene& scene) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (!scene.bodies[b].fixed) return static_cast<int>(b);
  return -1;
}

void addCurves(const sim::Scene& scene, const Tracks& tracks, Entry& entry) {
  const int body = firstMoving(scene);
  if (body < 0 || tracks.trajectory().tracks[body].empty()) return;
  const double start = tracks.energy(0);
  for (int k = 0; k <= kCurvePoints; ++k) {
    const double t = tracks.end() * k / kCurvePoints;
    entry.energy.push_back({t, tracks.energy(t) - start});
    entry.height.push_back({t, tracks.pose(body, t).p.z()});
  }
}

/// What `rigor check` says of the motion; its record gets what can be proved of it.
void judge(const sim::Scene& scene, const Tracks& tracks, bool cubic, MotionRecord& record, const Options& options,
           Entry& entry) {
  check::CheckOptions check_options;
  check_options.interpolation = cubic ? check::Interpolation::kHermite : check::Interpolation::kLinear;
  check_options.curves = true;
  check_options.sink = &record;
  check_options.interrupt = options.interrupt;
  const check::Report report = check::checkTrajectories(scene, {&tracks.trajectory(), 1}, check_options);
  entry.verdict = report.status();
  entry.intervals = report.intervals, entry.overlapping = report.overlapping, entry.tunnelling = report.tunnelling,
  entry.undecided = report.undecided;
  entry.summary.min_gap = record.provedGap();
  const check::PairReport* deepest = report.deepest();
  if (!deepest) return;
  entry.deepest = deepest->deepest.depth, entry.deepest_time = deepest->deepest.time;
  entry.deepest_pair = scene.bodies[deepest->body_a].name + " and " + scene.bodies[deepest->body_b].name;
  entry.summary.min_gap = -entry.deepest;
  for (const check::DepthPoint& point : deepest->curve) entry.depth.push_back({point.time, point.depth});
}

Entry runCertified(const sim::Scene& given, const Options& options, Tracks& tracks) {
  Entry entry;
  entry.name = "certified", entry.kind = Entry::Kind::kCertified;
  sim::Simulation simulation(given, options.seed);
  const sim::Scene& scene = simulation.scene();
  std::unique_ptr<record::Writer> writer;
  if (!options.folder.empty()) {
    entry.record = options.folder + "/certified.rigor";
    record::WriterOptions writer_options;
    writer_options.replace = true;
    const record::RunInfo info = record::runInfo(simulation, options.seed, scene.until, options.build);
    writer = std::make_unique<record::Writer>(entry.record, scene, info, writer_options);
  }
  tracks.passTo(writer.get());
  const double start = cpuSecondsNow();
  entry.summary = simulation.run(scene.until, tracks, options.interrupt, [&](double t, long) {
    if (options.progress) options.progress(entry.name, t);
  });
  entry.cpu_seconds = cpuSecondsNow() - start;
  tracks.passTo(nullptr);
  if (writer)
    writer->finish(entry.summary,
                   record::summaryJson(scene.name, entry.summary, entry.cpu_seconds, options.seed, entry.record));
  entry.verdict = "apart";  // What is not proved is not published.
  addCurves(scene, tracks, entry);
  return entry;
}

/// Where bodies are at the end, against the event loop's. NaN where one of the two did not get there.
double differenceAtEnd(const sim::Scene& scene, const Tracks& a, const Tracks& b) {
  double largest = 0;
  const double end = scene.until, slack = 1e-9 * scene.until;
  if (!(a.end() >= end - slack) || !(b.end() >= end - slack)) return std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (a.trajectory().tracks[i].empty() || b.trajectory().tracks[i].empty()) continue;
    largest = std::max(
        largest, (a.pose(static_cast<int>(i), end + slack).p - b.pose(static_cast<int>(i), end + slack).p).norm());
  }
  return largest;
}

Entry runPublishedTracked(const methods::MethodInfo& method, const methods::Choice& choice, const sim::Scene& start,
                          const sim::Simulation& scales, const std::string& path, bool replace, const Options& options,
                          Tracks& tracks) {
  Entry entry;
  entry.name = method.name;
  entry.refused = method.refuses(start);
  if (!entry.refused.empty()) return entry;
  entry.record = path;
  methods::World world(start);
  methods::RunOptions run_options;
  run_options.until = start.until;
  run_options.max_steps = options.max_steps > 0 ? options.max_steps : start.solver.max_steps;
  run_options.interrupt = options.interrupt;
  run_options.progress = [&](double t, long) {
    if (options.progress) options.progress(entry.name, t);
  };
  tracks.setCubic(method.cubic);
  const methods::RunResult result = methods::run(method, choice, world, tracks, run_options);
  entry.step = choice.step > 0 ? choice.step : methods::kStep;
  entry.summary = result.summary, entry.cpu_seconds = result.cpu_seconds, entry.counters = result.counters;
  const double length = world.scales().length, floor = method.proves ? scales.gapFloor() : kTouchShare * length;
  const Json made{
      {"origin", "method"}, {"method", method.name}, {"step", choice.step}, {"distance", choice.distance}};
  MotionRecord record(path, replace, start, infoOf(start, scales, floor, options, made),
                      std::max(kReachShare * length, 2 * floor));
  judge(start, tracks, tracks.isCubic(), record, options, entry);
  record.finish(std::string(record::statusName(entry.summary.status)), entry.summary.message,
                record::summaryJson(start.name, entry.summary, entry.cpu_seconds, options.seed, path));
  addCurves(start, tracks, entry);
  return entry;
}

Entry runEngine(const std::string& name, const sim::Scene& start, const sim::Simulation& scales, const Options& options,
                Tracks& tracks) {
  Entry entry;
  entry.name = name, entry.kind = Entry::Kind::kEngine;
  entry.step = options.step > 0 ? options.step : kPeerStep;
  namespace fs = std::filesystem;
  const std::string file =
      (options.folder.empty() ? fs::temp_directory_path() / fmt::format("rigor-peers-{}-{}", getpid(), name)
                              : fs::path(options.folder) / name)
          .string() +
      ".csv";
  const Json said = Json::parse(outputOf(
      options.peers, {name, options.scene_path, fmt::format("{}", entry.step), fmt::format("{}", start.until), file}));
  if (said.contains("refused")) {
    entry.refused = said["refused"];
    return entry;
  }
  if (options.progress) options.progress(name, start.until);
  const std::vector<check::Trajectory> read = check::readTrajectories(file, start);
  if (options.folder.empty()) fs::remove(file);
  for (std::size_t b = 0; b < start.bodies.size(); ++b) {
    const check::Track& track = read.at(0).tracks[b];
    for (std::size_t k = 0; k < track.time.size(); ++k) {
      const Eigen::Vector3d arm = track.pose[k].rotation() * start.bodies[b].centre;
      check::Velocity u = track.velocity[k];
      u.head<3>() += u.tail<3>().cross(arm);
      tracks.add(static_cast<int>(b), track.time[k], {track.pose[k].q, track.pose[k].p + arm}, u);
    }
  }
  sim::Summary& s = entry.summary;
  s.steps = said["steps"], s.time = tracks.end();
  s.mean_step = s.min_step = s.max_step = entry.step;
  entry.cpu_seconds = said["cpu_seconds"];
  s.energy_initial = s.energy_final = tracks.energy(0);
  const int body = firstMoving(start);
  for (const double t : body < 0 ? std::vector<double>{} : tracks.trajectory().tracks[body].time) {
    const double energy = tracks.energy(t);
    s.max_energy_increase = std::max(s.max_energy_increase, energy - s.energy_final), s.energy_final = energy;
  }
  MotionRecord record("", false, start, infoOf(start, scales, kTouchShare, options, Json::object()), 2 * kTouchShare);
  judge(start, tracks, false, record, options, entry);
  addCurves(start, tracks, entry);
  return entry;
}

}  // namespace

Entry runPublished(const methods::MethodInfo& method, const methods::Choice& choice, const sim::Scene& start,
                   const sim::Simulation& scales, const std::string& path, bool replace, const Options& options) {
  Tracks tracks(start);
  return runPublishedTracked(method, choice, start, scales, path, replace, options, tracks);
}

std::vector<Entry> compareMethods(const sim::Scene& scene, const Options& options) {
  const auto wanted = [&](const std::string& name) {
    return options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end();
  };
  const sim::Simulation scales(scene, options.seed);
  const sim::Scene& start = scales.scene();
  std::vector<Entry> entries;
  std::unique_ptr<Tracks> certified;
  const auto add = [&](Entry entry, const Tracks& tracks) {
    entry.from_certified = certified && entry.refused.empty() ? differenceAtEnd(start, *certified, tracks)
                                                              : std::numeric_limits<double>::quiet_NaN();
    entries.push_back(std::move(entry));
  };
  if (wanted("certified")) {
    certified = std::make_unique<Tracks>(start);
    add(runCertified(scene, options, *certified), *certified);
  }
  for (const methods::MethodInfo& method : methods::methods()) {
    if (!wanted(method.name) || (options.interrupt && *options.interrupt)) continue;
    Tracks tracks(start);
    methods::Choice choice;
    choice.advance = method.name, choice.step = options.step;
    const std::string path = options.folder.empty() ? "" : options.folder + "/" + method.name + ".rigor";
    add(runPublishedTracked(method, choice, start, scales, path, true, options, tracks), tracks);
  }
  for (const std::string& engine : enginesOf(options.peers)) {
    if (!wanted(engine) || (options.interrupt && *options.interrupt)) continue;
    Tracks tracks(start);
    add(runEngine(engine, start, scales, options, tracks), tracks);
  }
  return entries;
}

}  // namespace rigor::compare
