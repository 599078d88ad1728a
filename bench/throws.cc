// SPDX-License-Identifier: MIT
// Random throws: steps per manifold change, steps per simulated second, time per step, share of the certificate,
// whether all came to rest, and with --record whether all verify and what recording and verifying cost.
//
// Prints one line of JSON with the totals; `--scene K` prints throw K as a scene file instead.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bench/processor_time.h"
#include "bench/runs.h"
#include "geom/polytope.h"
#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/simulation.h"
#include "sim/trace.h"
#include "verify/verify.h"

namespace {

using Eigen::Vector3d;

/// Time spent on certificates, as the event loop tells those who listen.
struct CertificateMeter : rigor::sim::Trace {
  long calls = 0;
  double seconds = 0;
  void entry(const rigor::sim::TraceEntry&) override {}
  void certificate(double time, bool) override { ++calls, seconds += time; }
};

struct RestSink : rigor::sim::Sink {
  bool rest = false;
  double rest_time = 0;
  rigor::geom::Pose end;  ///< Of the centre of the first thrown body.
  long bounces = 0;       ///< Contacts made and broken by the same impact: two manifold changes each.
  void event(const rigor::sim::EventRecord& e) override {
    if (e.kind == "rest") rest = true, rest_time = e.time;
    bounces += e.kind == "contact-made" && e.detail.ends_with("\"touching\":0}");
  }
  void piece(const rigor::sim::PieceRecord& record) override {
    if (record.body == 1) end = record.piece.end();
  }
};

/// At least three vertices are as low as the lowest, up to 1e-6 of the size, 0.1 m.
bool onFace(const rigor::sim::Body& body, const rigor::geom::Pose& centre) {
  const auto& solid = std::get<rigor::geom::Polytope>(body.parts.front());
  const Eigen::Matrix3d R = centre.rotation();
  auto height = [&](int v) { return R.row(2).dot(solid.vertex(v) - body.centre); };
  double lowest = std::numeric_limits<double>::infinity();
  for (int v = 0; v < solid.numVertices(); ++v) lowest = std::min(lowest, height(v));
  int count = 0;
  for (int v = 0; v < solid.numVertices(); ++v) count += height(v) - lowest < 1e-7;
  return count >= 3;
}

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

std::string text(const Vector3d& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); }

std::string randomShape(std::mt19937_64& random, int vertices) {
  std::string result;
  for (int count = 0; count < vertices;) {
    const Vector3d x(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    if (!(x.norm() > 0.1 && x.norm() < 1)) continue;
    result += (count++ ? ", " : "") + text(0.0866 * x.normalized());
  }
  return fmt::format("{{hull: {{vertices: [{}]}}}}", result);
}

std::string thrownBody(const std::string& name, const std::string& shape, std::mt19937_64& random,
                       const Vector3d& at) {
  Eigen::Vector4d q;
  do {
    for (int i = 0; i < 4; ++i) q[i] = uniform(random, -1, 1);
  } while (q.norm() > 1 || q.norm() < 0.1);
  const double vx = uniform(random, -1, 1), vy = uniform(random, -1, 1), vz = uniform(random, -2, 0);
  const double wx = uniform(random, -10, 10), wy = uniform(random, -10, 10), wz = uniform(random, -10, 10);
  return fmt::format("  - name: {}\n    shape: {}\n    mass: 1\n    position: {}\n    orientation: [{}, {}, {}, {}]\n"
                     "    velocity: {}\n    angular_velocity: {}\n",
                     name, shape, text(at), q[0], q[1], q[2], q[3], text({vx, vy, vz}), text({wx, wy, wz}));
}

/// Throw k as a scene file: bodies of 1 kg and 0.1 m over a plane, the second of a pair above the first.
std::string throwScene(const std::string& kind, double friction, double until, long k) {
  std::mt19937_64 random(1000 + static_cast<unsigned long>(k));
  const std::string shape = kind == "polytope20" ? randomShape(random, 20) : "{box: {size: [0.1, 0.1, 0.1]}}";
  std::string scene = fmt::format(
      "name: throw-{}\ndescription: A random throw.\nuntil: {}\ncontact: {{friction: {}, restitution: 0}}\nbodies:\n"
      "  - name: table\n    fixed: true\n    shape: {{halfspace: {{normal: [0, 0, 1], offset: 0}}}}\n",
      k, until, friction);
  scene += thrownBody("die", shape, random, Vector3d(0, 0, uniform(random, 0.2, 0.6)));
  if (kind == "pair") {
    const double x = uniform(random, -0.05, 0.05), y = uniform(random, -0.05, 0.05);
    scene += thrownBody("second", shape, random, Vector3d(x, y, 0.9));
  }
  return scene;
}

struct Totals {
  long steps = 0, changes = 0, bounces = 0, impacts = 0, false_liftoffs = 0;
  long failed = 0, awake = 0, off_face = 0, verified = 0, unverified = 0;
  double cpu = 0, wall = 0, simulated = 0, recorded_cpu = 0, verify_cpu = 0, gain = 0;
  double min_gap = std::numeric_limits<double>::infinity();
  std::vector<double> steps_per_change;  ///< By throw.
  CertificateMeter meter;
};

/// Processor time of simulating all throws once more, each into a record of its own [s]. No name is used twice: file
/// systems take long to create what was just removed.
double recordAll(const std::vector<rigor::sim::Scene>& scenes, unsigned long first, double until,
                 const std::vector<std::string>& paths) {
  double cpu = 0;
  for (size_t i = 0; i < scenes.size(); ++i) {
    rigor::sim::Simulation simulation(scenes[i], first + i);  // Before the clock runs, as simulate() does.
    const double start = cpuSeconds();
    {
      rigor::record::Writer writer(paths[i], scenes[i],
                                   {.seed = first + i,
                                    .build = "bench",
                                    .gap_nominal = simulation.gapNominal(),
                                    .gap_floor = simulation.gapFloor(),
                                    .until = until});
      writer.finish(simulation.run(until, writer), "{}");
    }
    cpu += cpuSeconds() - start;
  }
  return cpu;
}

/// Processor time of proving all records [s]; counts what is proved up to the end.
double verifyAll(const std::vector<std::string>& paths, double until, Totals& totals) {
  totals.verified = totals.unverified = 0;
  double cpu = 0;
  for (const std::string& path : paths) {
    const double start = cpuSeconds();
    const auto report = rigor::verify::verifyRecord(path, {.threads = 1});
    cpu += cpuSeconds() - start;
    const bool complete = report.verified && report.notes.empty() && report.horizon >= until;
    ++(complete ? totals.verified : totals.unverified);
    if (!complete)
      fmt::print(stderr, "{}: {}: {}\n", path, report.status(),
                 report.failures.empty() ? "" : report.failures.front().reason);
  }
  return cpu;
}

/// The least of a few passes: the passes do the same, and what else runs on the machine only adds to it.
template <typename Pass>
double leastOf(int passes, const Pass& pass) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < passes; ++k) least = std::min(least, pass());
  return least;
}

/// All throws one after the other; throw k with seed k.
Totals simulate(const std::vector<rigor::sim::Scene>& scenes, long first, double until, const std::string& shape,
                bool verbose) {
  Totals totals;
  CertificateMeter meter;
  for (size_t i = 0; i < scenes.size(); ++i) {
    RestSink sink;
    rigor::sim::Simulation simulation(scenes[i], static_cast<unsigned long>(first) + i);
    const auto wall_start = std::chrono::steady_clock::now();
    const double start = cpuSeconds();
    const auto summary = [&] {
      const rigor::sim::TraceScope scope(&meter);
      return simulation.run(until, sink);
    }();
    const double cpu = cpuSeconds() - start;
    totals.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();

    const bool ok = summary.status == rigor::sim::RunStatus::kDone;
    const double changes = static_cast<double>(std::max(1L, summary.manifold_changes));
    totals.failed += !ok;
    totals.awake += ok && !sink.rest;
    totals.off_face += shape != "pair" && ok && sink.rest && !onFace(scenes[i].bodies[1], sink.end);
    totals.steps += summary.steps, totals.changes += summary.manifold_changes, totals.impacts += summary.impacts;
    totals.bounces += sink.bounces;
    totals.false_liftoffs += summary.false_liftoffs;
    totals.cpu += cpu;
    totals.simulated += sink.rest ? sink.rest_time : summary.time;
    totals.gain = std::max(totals.gain, summary.max_energy_increase / summary.energy_initial);
    totals.min_gap = std::min(totals.min_gap, summary.min_gap);
    totals.steps_per_change.push_back(static_cast<double>(summary.steps) / changes);
    if (verbose || !ok)
      fmt::print(stderr, "{} {}: {} {} steps {} changes {} impacts, rest {} at {:.3f}, gap {:.3g}, {:.1f} us/step {}\n",
                 shape, scenes[i].name, ok ? "ok" : "FAILED", summary.steps, summary.manifold_changes, summary.impacts,
                 sink.rest, sink.rest_time, summary.min_gap, 1e6 * cpu / static_cast<double>(summary.steps),
                 summary.message);
  }
  totals.meter = meter;
  return totals;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}

}  // namespace

int throws(int argc, char** argv) {
  CLI::App app{"Random throws: steps, time and proofs, as one line of JSON. Exit 1 if a throw fails, is not at rest "
               "on a face at the end, or does not verify."};
  std::string shape = "cube", folder;
  double friction = 0.3, until = 20;
  long count = 100, first = 0, print = -1;
  int repeat = 3;
  bool verbose = false;
  app.add_option("--shape", shape, "What is thrown: one cube, a hull of 20 vertices, or two cubes")
      ->check(CLI::IsMember({"cube", "polytope20", "pair"}))->capture_default_str();
  app.add_option("--friction", friction)->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--count", count, "Throws")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--first", first, "Number of the first throw")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--until", until, "Simulated time [s]")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--repeat", repeat, "Passes over the throws, of which the fastest counts")
      ->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--record", folder, "Run every throw again, recording into this folder, and verify the records")
      ->check(CLI::ExistingDirectory);
  app.add_option("--scene", print, "Print this throw as a scene file, and nothing else");
  app.add_flag("--verbose", verbose, "A line a throw on stderr");
  CLI11_PARSE(app, argc, argv);
  if (print >= 0) {
    fmt::print("{}", throwScene(shape, friction, until, print));
    return 0;
  }

  // Loaded before the clock runs, and simulated one after the other: neither loading nor verifying disturbs the times.
  std::vector<rigor::sim::Scene> scenes;
  for (long k = first; k < first + count; ++k)
    scenes.push_back(rigor::scenes::parseScene(throwScene(shape, friction, until, k), "throw.yaml"));
  // The least of a few passes: the passes do the same, and what else runs on the machine only adds to it.
  Totals totals = simulate(scenes, first, until, shape, verbose);
  for (int pass = 1; pass < repeat; ++pass) {
    const Totals again = simulate(scenes, first, until, shape, false);
    if (again.cpu < totals.cpu) totals = again;
  }
  if (!folder.empty()) {
    const auto start = static_cast<unsigned long>(first);
    const auto root = std::filesystem::path(folder) / fmt::format("throws-{}", ::getpid());
    std::filesystem::create_directory(root);
    std::vector<std::string> paths(scenes.size());
    int pass = 0;
    totals.recorded_cpu = leastOf(repeat, [&] {
      for (size_t i = 0; i < paths.size(); ++i) paths[i] = (root / fmt::format("{}-{}.rigor", pass, i)).string();
      ++pass;
      return recordAll(scenes, start, until, paths);
    });
    totals.verify_cpu = leastOf(repeat, [&] { return verifyAll(paths, until, totals); });
    std::filesystem::remove_all(root);
  }

  const auto& meter = totals.meter;
  const double steps = static_cast<double>(totals.steps);
  auto per = [](double a, double b) { return b > 0 ? a / b : 0; };
  fmt::print("{{\"shape\":\"{}\",\"friction\":{},\"throws\":{},\"failed\":{},\"awake\":{},\"off_face\":{}", shape,
             friction, count, totals.failed, totals.awake, totals.off_face);
  fmt::print(",\"steps\":{},\"changes\":{},\"impacts\":{},\"false_liftoffs\":{},\"steps_per_change\":{:.3f}",
             totals.steps, totals.changes, totals.impacts, totals.false_liftoffs,
             per(steps, static_cast<double>(totals.changes)));
  // Every bounce counted as one change.
  fmt::print(",\"bounces\":{},\"steps_per_change_bounce_once\":{:.3f}", totals.bounces,
             per(steps, static_cast<double>(totals.changes - totals.bounces)));
  fmt::print(",\"steps_per_change_p99\":{:.3f},\"steps_per_impact\":{:.3f},\"steps_per_second\":{:.1f}",
             quantile(totals.steps_per_change, 0.99), per(steps, static_cast<double>(totals.impacts)),
             per(steps, totals.simulated));
  fmt::print(",\"us_per_step\":{:.2f},\"min_gap\":{:.3g},\"max_energy_increase\":{:.3g}", 1e6 * per(totals.cpu, steps),
             totals.min_gap, totals.gain);
  if (meter.calls > 0)
    fmt::print(",\"filter_share\":{:.4f},\"filter_calls_per_step\":{:.3f}", per(meter.seconds, totals.wall),
               static_cast<double>(meter.calls) / steps);
  if (!folder.empty())
    fmt::print(",\"verified\":{},\"verify_ratio\":{:.3f},\"record_ratio\":{:.3f},\"verify_us_per_step\":{:.2f},"
               "\"record_us_per_step\":{:.2f}",
               totals.verified, per(totals.verify_cpu, totals.cpu), per(totals.recorded_cpu - totals.cpu, totals.cpu),
               1e6 * per(totals.verify_cpu, steps), 1e6 * per(totals.recorded_cpu - totals.cpu, steps));
  fmt::print("}}\n");
  return totals.failed || totals.awake || totals.off_face || totals.unverified ? 1 : 0;
}
