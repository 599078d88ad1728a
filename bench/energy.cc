// SPDX-License-Identifier: MIT
// The energy of long motions by one method: one line of JSON with the smallest and largest change since the start [J]
// in each of so many parts of the time. Nothing is recorded or proved, so that a million steps take no room.
//
//   rigor_energy SCENE METHOD --step H --until T [--samples N]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "methods/run.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace {

using namespace rigor;

/// Extremes of the energy, by part of the time.
struct Extremes {
  double until;
  std::vector<double> low, high;

  Extremes(double end, int samples) : until(end), low(samples, 0), high(samples, 0) {}
  void add(double time, double change) {
    const auto k = std::min(static_cast<std::size_t>(time / until * static_cast<double>(low.size())), low.size() - 1);
    low[k] = std::min(low[k], change), high[k] = std::max(high[k], change);
  }
};

/// Kinetic and potential energy of a world's states as they come.
class EnergySink : public methods::StateSink {
 public:
  EnergySink(methods::World& world, Extremes& extremes)
      : world_(world), extremes_(extremes), start_(world.energy(world.state)) {}
  void state(const methods::World& world) override {
    extremes_.add(world.time, world_.energy(world_.state) - start_);
  }

 private:
  methods::World& world_;
  Extremes& extremes_;
  double start_;
};

/// The event loop says its energy where it stops: at the end of each part.
long runCertified(const sim::Scene& scene, Extremes& extremes, int samples) {
  sim::Simulation simulation(scene, 0);
  sim::Sink sink;
  sim::Summary summary;
  double start = 0;
  for (int k = 1; k <= samples; ++k) {
    const double time = extremes.until * k / samples;
    summary = simulation.run(time, sink);
    if (k == 1) start = summary.energy_initial;
    if (summary.status != sim::RunStatus::kDone) throw std::runtime_error(summary.message);
    extremes.add(extremes.until * (k - 0.5) / samples, summary.energy_final - start);
  }
  return summary.steps;
}

long runMethod(const std::string& name, double step, const sim::Scene& scene, Extremes& extremes) {
  const methods::MethodInfo* method = methods::findMethod(name);
  if (!method) throw std::runtime_error(name + " is no method");
  const sim::Simulation start(scene, 0);
  if (const std::string why = method->refuses(start.scene()); !why.empty()) throw std::runtime_error(why);
  methods::World world(start.scene());
  EnergySink sink(world, extremes);
  methods::Choice choice;
  choice.advance = name, choice.step = step;
  const methods::RunResult result = methods::run(*method, choice, world, sink, {.until = extremes.until});
  if (result.summary.status != sim::RunStatus::kDone) throw std::runtime_error(result.summary.message);
  return result.summary.steps;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The energy of long motions by one method"};
  std::string path, method;
  double step = 0, until = 100;
  int samples = 100;
  app.add_option("scene", path)->required();
  app.add_option("method", method, "certified: the event loop")->required();
  app.add_option("--step", step, "[s]")->check(CLI::PositiveNumber);
  app.add_option("--until", until, "[s]")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--samples", samples, "Parts of the time")->check(CLI::PositiveNumber)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    sim::Scene scene = scenes::loadScene(path);
    scene.until = until;
    Extremes extremes(until, samples);
    const std::clock_t start = std::clock();
    const long steps =
        method == "certified" ? runCertified(scene, extremes, samples) : runMethod(method, step, scene, extremes);
    const double cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{{\"method\":\"{}\",\"step\":{},\"until\":{},\"steps\":{},\"cpu\":{:.3g},\"low\":[{:.6g}],"
               "\"high\":[{:.6g}]}}\n",
               method, step, until, steps, cpu, fmt::join(extremes.low, ","), fmt::join(extremes.high, ","));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rigor_energy: {}\n", error.what());
    return 1;
  }
}
