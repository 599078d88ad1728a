// SPDX-License-Identifier: MIT
// Whole scenes of boxes in rigor, Bullet and ODE: processor time per simulated second, and the deepest penetration of
// any pair after a step (at most every 4 ms), measured by geom::separation() on the poses that each engine reports. One
// JSON object a line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/Geometry>
#include <atomic>
#include <cmath>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compare/peer_engine.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace {

using Eigen::Vector3d;
using namespace rigor::compare;
using rigor::sim::Scene;

double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr double kLookEvery = 4e-3;  ///< Looking for penetration takes longer than a step [s].

struct Run {
  double cpu = 0, depth = 0;
};

Run run(const std::string& name, const std::vector<Part>& parts, const Scene& scene, double h, double until) {
  const auto engine = makePeer(name, parts, scene.gravity);
  Run result;
  const long steps = std::lround(until / h), stride = std::max(1L, std::lround(kLookEvery / h));
  for (long k = 0; k < steps; ++k) {
    const double start = cpuSeconds();
    engine->step(h);
    result.cpu += cpuSeconds() - start;
    if (k % stride == 0) result.depth = std::max(result.depth, penetration(parts, *engine));
  }
  return result;
}

/// How far rigor gets in `budget` seconds of processor time, without recording.
void runRigor(Scene scene, double until, double budget) {
  std::atomic<bool> interrupt{false};
  rigor::sim::Sink sink;
  rigor::sim::Simulation simulation(std::move(scene), 0);
  const double start = cpuSeconds();
  const auto summary = simulation.run(until, sink, &interrupt,
                                      [&](double, long) { interrupt = cpuSeconds() - start > budget; });
  const double cpu = cpuSeconds() - start;
  fmt::print("{{\"scene\":\"pile-100\",\"engine\":\"rigor\",\"h\":null,\"reached\":{:.4f},\"cpu\":{:.2f},\"steps\":{},"
             "\"cpu_per_second\":{:.4g},\"penetration\":0,\"min_gap\":{:.3g},\"failed\":{}}}\n",
             summary.time, cpu, summary.steps, summary.time > 0 ? cpu / summary.time : 0, summary.min_gap,
             summary.status == rigor::sim::RunStatus::kFailed);
  if (!summary.message.empty()) fmt::print(stderr, "pile-100: {}\n", summary.message);
}

void turnAtRandom(Scene& scene, std::mt19937_64& random) {
  auto uniform = [&] { return 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1; };
  auto& die = scene.bodies[1];
  for (int i = 0; i < 4; ++i) die.pose.q[i] = uniform();
  die.velocity = {uniform(), uniform(), uniform() - 1};
  die.angular_velocity = 10 * Vector3d(uniform(), uniform(), uniform());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Whole scenes in rigor, Bullet and ODE: time per simulated second, penetration. One line of JSON each."};
  double budget = 20, until = 5;
  int count = 100;
  app.add_option("--budget", budget, "Processor time that rigor gets for the pile [s]; 0: none")->capture_default_str();
  app.add_option("--until", until, "Simulated time of the pile [s]")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--count", count, "Throws of the die, of 3 s each")->check(CLI::PositiveNumber)->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const std::vector<std::string> engines = peerNames();
  const std::string folder = RIGOR_SOURCE_DIR "/scenes/";
  const Scene pile = rigor::scenes::loadScene(folder + "pile-100.yaml");
  if (budget > 0) runRigor(pile, until, budget);
  for (const auto& engine : engines)
    for (const double h : {1. / 60, 1e-3}) {
      const Run result = run(engine, partsOf(pile), pile, h, until);
      fmt::print("{{\"scene\":\"pile-100\",\"engine\":\"{}\",\"h\":{:.6g},\"reached\":{},\"cpu_per_second\":{:.4g},"
                 "\"penetration\":{:.3g}}}\n",
                 engine, h, until, result.cpu / until, result.depth);
      std::fflush(stdout);
    }
  for (const auto& engine : engines)
    for (const double h : {1. / 60, 1e-3}) {
      std::mt19937_64 random(1);
      Scene die = rigor::scenes::loadScene(folder + "die.yaml");
      double cpu = 0, depth = 0, sum = 0;
      for (int k = 0; k < count; ++k) {
        turnAtRandom(die, random);
        const Run result = run(engine, partsOf(die), die, h, die.until);
        cpu += result.cpu, depth = std::max(depth, result.depth), sum += result.depth;
      }
      fmt::print("{{\"scene\":\"die\",\"engine\":\"{}\",\"h\":{:.6g},\"throws\":{},\"cpu_per_second\":{:.4g},"
                 "\"penetration\":{:.3g},\"mean_penetration\":{:.3g}}}\n",
                 engine, h, count, cpu / (count * die.until), depth, sum / count);
      std::fflush(stdout);
    }
}
