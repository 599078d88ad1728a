// SPDX-License-Identifier: MIT
// Dice and a quadruped on a plane and on waves of 100,000 triangles: what a step costs on terrain. One line of JSON a
// scene; processor times are the least of three runs. To verify is to load the scene once more.
//
//   rigor_runs terrain --record DIR
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "bench/processor_time.h"
#include "bench/runs.h"
#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/simulation.h"
#include "verify/verify.h"

namespace {

using namespace rigor;

constexpr int kCells = 224;      // Along each side: 100,352 triangles.
constexpr double kHeight = 0.02;  // [m] Of the waves, .5 m long.

/// A plane where `cell` is 0, else waves in cells of that size [m].
std::string ground(double cell) {
  if (!(cell > 0)) return "{halfspace: {normal: [0, 0, 1], offset: 0}}";
  std::string rows;
  for (int r = 0; r <= kCells; ++r) {
    rows += r ? ", [" : "[";
    for (int c = 0; c <= kCells; ++c) {
      const double x = cell * (c - kCells / 2.0), y = cell * (r - kCells / 2.0);
      rows += fmt::format("{}{:.9f}", c ? ", " : "", kHeight * std::sin(4 * M_PI * x) * std::cos(4 * M_PI * y));
    }
    rows += "]";
  }
  return fmt::format("{{heightfield: {{size: [{0}, {0}], thickness: 0.3, heights: [{1}]}}}}", kCells * cell, rows);
}

/// Ten dice of that edge [m], thrown beside each other.
std::string dice(double edge) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += fmt::format("  - {{name: d{0}, shape: {{box: {{size: [{1}, {1}, {1}]}}}}, mass: 1, ", i, edge);
    text += fmt::format("position: [{}, {}, {}], ", 2.2 * edge * (i % 5 - 2), 2.5 * edge * (i / 5 - 0.5),
                        1.5 * edge + 0.01 * i);
    text += fmt::format("orientation: [{}, {}, {}, {}], velocity: [{}, {}, -1], ", normal(engine), normal(engine),
                        normal(engine), normal(engine), 0.3 * normal(engine), 0.3 * normal(engine));
    text +=
        fmt::format("angular_velocity: [{}, {}, {}]}}\n", 4 * normal(engine), 4 * normal(engine), 4 * normal(engine));
  }
  return text;
}

/// The bundled quadruped, bent, .2 m high; it falls and lies unless a controller is given.
std::string quadruped(const std::string& controller) {
  return "robots:\n  - name: quadruped\n    urdf: robots/quadruped.urdf\n    position: [0, 0, 0.2]\n"
         "    joints: {lf_hip: 0.2, lf_thigh: 0.8, lf_knee: 1.2, rf_hip: -0.2, rf_thigh: -0.8, rf_knee: -1.2,\n"
         "             lh_hip: -0.2, lh_thigh: -0.8, lh_knee: -1.2, rh_hip: 0.2, rh_thigh: 0.8, rh_knee: 1.2}\n" +
         controller;
}

struct Case {
  const char* name;
  double until, friction;
  std::string bodies, robots;
};

/// Of one run up to `until` [s].
struct Cost {
  sim::Summary summary;
  double run = HUGE_VAL, verify = HUGE_VAL;  ///< [s]
  uintmax_t bytes = 0;
  bool proved = true;
};

Cost costOf(const sim::Scene& scene, double until, const std::string& folder) {
  constexpr int kPasses = 3;
  static int records = 0;  // No name is used twice.
  Cost cost;
  for (int pass = 0; pass < kPasses; ++pass) {
    double start = cpuSeconds();
    sim::Simulation alone(scene, 0);
    sim::Sink sink;
    cost.summary = alone.run(until, sink);
    cost.run = std::min(cost.run, cpuSeconds() - start);

    const std::string path = fmt::format("{}/terrain-{}.rigor", folder, records++);
    sim::Simulation simulation(scene, 0);
    {
      record::Writer writer(path, simulation.scene(), record::runInfo(simulation, 0, until, "bench"));
      writer.finish(simulation.run(until, writer), "{}");
    }
    start = cpuSeconds();
    const verify::Report report = verify::verifyRecord(path, {.threads = 1});
    cost.verify = std::min(cost.verify, cpuSeconds() - start);
    if (!report.verified || report.horizon < until) {
      cost.proved = false;
      fmt::print(stderr, "{}: {}: {}\n", path, report.status(),
                 report.failures.empty() ? "" : report.failures.front().reason);
    }
    cost.bytes = std::filesystem::file_size(path);
    std::filesystem::remove(path);
  }
  return cost;
}

void measure(const Case& what, double cell, const std::string& folder) {
  const std::string text =
      fmt::format("name: terrain\nuntil: {}\ncontact: {{friction: {}, restitution: 0}}\n{}bodies:\n"
                  "  - name: ground\n    fixed: true\n    shape: {}\n{}",
                  what.until, what.friction, what.robots, ground(cell), what.bodies);
  const double started = cpuSeconds();
  const sim::Scene scene = scenes::parseScene(text, std::string(RIGOR_SOURCE_DIR) + "/scenes/terrain.yaml");
  const double loaded = cpuSeconds() - started;
  const Cost cost = costOf(scene, what.until, folder);
  fmt::print(R"({{"scene":"{}","cell":{},"failed":{},"steps":{},"impacts":{},"load":{:.3g},"run":{:.3g},)"
             R"("verify":{:.3g},"bytes":{}}})"
             "\n",
             what.name, cell, cost.proved ? 0 : 1, cost.summary.steps, cost.summary.impacts, loaded, cost.run,
             cost.verify, cost.bytes);
}

}  // namespace

int terrain(int argc, char** argv) {
  CLI::App app("What a step costs on a plane and on waves, recorded and proved");
  std::string folder;
  app.add_option("--record", folder, "Folder for the records, which are removed")->required();
  CLI11_PARSE(app, argc, argv);
  const std::string trot =
      "    controller: {type: trot, rate: 1000, period: 0.5, velocity: [0.1, 0], step_height: 0.03,\n"
      "                 footprint: [0.31, 0.134], height: 0.17, kp: 20, kd: 0.1, torque: pd}\n";
  const Case cases[] = {{"dice-10cm", 1.5, 0.5, dice(0.1), ""},
                        {"dice-5cm", 1.5, 0.5, dice(0.05), ""},
                        {"quadruped-lies", 2, 1, "", quadruped("")},
                        {"quadruped-trots", 1.5, 1, "", quadruped(trot)}};
  for (const Case& what : cases)
    for (const double cell : {0., 0.05, 0.01}) measure(what, cell, folder);
  return 0;
}
