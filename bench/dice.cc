// SPDX-License-Identifier: MIT
// Dice that are thrown beside each other on one table: what a step costs among 10, 256 and 2,000 of them. One line of
// JSON a number.
//
//   rigor_runs dice [--until T] [N...]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "bench/processor_time.h"
#include "bench/runs.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace {

std::string diceScene(int count, double until) {
  constexpr double kApart = 0.35;  // [m] Dice of 0.1 m seldom meet.
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::string text = fmt::format("name: dice-{}\nuntil: {}\nbodies:\n", count, until);
  text += "  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n";
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  - {{name: d{}, shape: {{box: {{size: [0.1, 0.1, 0.1]}}}}, mass: 1, position: [{}, {}, {}], ",
                        i, kApart * (i % side), kApart * (i / side), 0.35 + 0.1 * uniform(engine));
    text += fmt::format("orientation: [{}, {}, {}, {}], velocity: [0, 0, -1], ", normal(engine), normal(engine),
                        normal(engine), normal(engine));
    text +=
        fmt::format("angular_velocity: [{}, {}, {}]}}\n", 4 * normal(engine), 4 * normal(engine), 4 * normal(engine));
  }
  return text;
}

}  // namespace

int dice(int argc, char** argv) {
  CLI::App app("What a step of a die costs among many");
  std::vector<int> counts{10, 256, 2000};
  double until = 3;
  app.add_option("counts", counts, "Numbers of dice");
  app.add_option("--until", until, "End of each run [s]");
  CLI11_PARSE(app, argc, argv);
  for (const int count : counts) {
    const rigor::sim::Scene loaded = rigor::scenes::parseScene(diceScene(count, until), "dice.yaml");
    const double before = cpuSeconds();
    rigor::sim::Simulation simulation(loaded, 0);
    const double built = cpuSeconds();
    rigor::sim::Sink sink;
    const rigor::sim::Summary summary = simulation.run(until, sink);
    const double ran = cpuSeconds();
    fmt::print(
        R"({{"dice":{},"status":{},"time":{},"steps":{},)"
        R"("build_seconds":{:.3g},"run_seconds":{:.3g},"us_per_step":{:.3g}}})"
        "\n",
        count, static_cast<int>(summary.status), summary.time, summary.steps, built - before, ran - built,
        1e6 * (ran - built) / static_cast<double>(summary.steps));
  }
  return 0;
}
