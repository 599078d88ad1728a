// SPDX-License-Identifier: MIT
// Dice that are thrown beside each other on one table: what a step costs among 10, 256 and 2,000 of them. One line of
// JSON a number.
//
//   rigor_dice [--until T] [N...]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "scenes/loader.h"
#include "sim/simulation.h"

namespace {

std::string scene(int count, double until) {
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

/// Time of this process on the processor [s]: other work on the machine does not count.
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What a step of a die costs among many");
  std::vector<int> counts{10, 256, 2000};
  double until = 3;
  int threads = 1;
  app.add_option("counts", counts, "Numbers of dice");
  app.add_option("--until", until, "End of each run [s]");
  app.add_option("--threads", threads, "Threads; 0: all cores");
  CLI11_PARSE(app, argc, argv);
  for (const int count : counts) {
    const rigor::sim::Scene loaded = rigor::scenes::parseScene(scene(count, until), "dice.yaml");
    const double before = cpuSeconds();
    rigor::sim::Simulation simulation(loaded, 0);
    const double built = cpuSeconds();
    simulation.setThreads(threads);
    rigor::sim::Sink sink;
    const auto start = std::chrono::steady_clock::now();
    const rigor::sim::Summary summary = simulation.run(until, sink);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double ran = cpuSeconds();
    fmt::print(
        R"({{"dice":{},"status":{},"time":{},"steps":{},)"
        R"("build_seconds":{:.3g},"run_seconds":{:.3g},"us_per_step":{:.3g},"threads":{},"wall_seconds":{:.3g}}})"
        "\n",
        count, static_cast<int>(summary.status), summary.time, summary.steps, built - before, ran - built,
        1e6 * (ran - built) / static_cast<double>(summary.steps), threads, wall.count());
  }
  return 0;
}
