// SPDX-License-Identifier: MIT
// A long motion by one method, unrecorded, so that a million steps take no room. One line of JSON: steps, manifold
// changes, the smallest distance from a half-space at any state [m] (null where there is none), and the smallest and
// largest change of energy since the start [J] in each of so many parts of the time. With --rest the run ends where all
// bodies have been slower than that for a hundredth of the time.
//
//   rigor_runs unrecorded SCENE METHOD --step H --until T [--samples N] [--rest SPEED]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <string>
#include <variant>
#include <vector>

#include "bench/runs.h"
#include "geom/shape.h"
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

/// What is looked at of a world's states as they come.
class StateWatch : public methods::StateSink {
 public:
  StateWatch(methods::World& world, Extremes& extremes, double rest)
      : world_(world), extremes_(extremes), start_(world.energy(world.state)), rest_(rest) {}
  void state(const methods::World& world) override {
    extremes_.add(world.time, world_.energy(world_.state) - start_);
    for (const auto& pair : world_.pairs()) closest_ = std::min(closest_, distance(world, pair));
    for (int slot = 0; slot < world.numSlots() && rest_ > 0; ++slot) {
      const auto& body = world.state[slot].state;
      if (!(body.v.norm() + body.w.norm() * world.scales().length < rest_)) still_since_ = world.time;  // NaN: it moves
    }
    rests_ = rest_ > 0 && world.time - still_since_ > extremes_.until / 100;
  }
  double closest() const { return closest_; }
  double stillSince() const { return still_since_; }
  const std::atomic<bool>& rests() const { return rests_; }

 private:
  /// Of a half-space; infinite between two polytopes.
  static double distance(const methods::World& world, const methods::World::Pair& pair) {
    const auto* plane = std::get_if<geom::HalfSpace>(world.parts()[pair.part_a].shape);
    const auto* body = std::get_if<geom::Polytope>(world.parts()[pair.part_b].shape);
    if (!plane || !body) return HUGE_VAL;
    const geom::Pose X_A = world.originPose(world.state, pair.part_a), X_B = world.originPose(world.state, pair.part_b);
    const Eigen::Vector3d n = X_A.rotation() * plane->normal / plane->normal.norm();
    return (n.transpose() * X_B.rotation() * body->vertices()).minCoeff() + n.dot(X_B.p - X_A.p) -
           plane->offset / plane->normal.norm();
  }

  methods::World& world_;
  Extremes& extremes_;
  double start_, rest_, closest_ = HUGE_VAL, still_since_ = 0;
  std::atomic<bool> rests_ = false;
};

/// What a run comes to.
struct Figures {
  sim::Summary summary;
  double closest = 0, still_since = 0;
};

/// The event loop says its energy where it stops: at the end of each part.
Figures runCertified(const sim::Scene& scene, Extremes& extremes, int samples) {
  sim::Simulation simulation(scene, 0);
  sim::Sink sink;
  Figures figures;
  double start = 0;
  for (int k = 1; k <= samples; ++k) {
    const double time = extremes.until * k / samples;
    figures.summary = simulation.run(time, sink);
    if (k == 1) start = figures.summary.energy_initial;
    if (figures.summary.status != sim::RunStatus::kDone) throw std::runtime_error(figures.summary.message);
    extremes.add(extremes.until * (k - 0.5) / samples, figures.summary.energy_final - start);
  }
  figures.closest = figures.summary.min_gap;
  return figures;
}

Figures runMethod(const methods::Choice& choice, const sim::Scene& scene, double rest, Extremes& extremes) {
  const methods::MethodInfo* method = methods::findMethod(choice.advance);
  if (!method) throw std::runtime_error(choice.advance + " is no method");
  const sim::Simulation start(scene, 0);
  if (const std::string why = method->refuses(start.scene()); !why.empty()) throw std::runtime_error(why);
  methods::World world(start.scene());
  StateWatch watch(world, extremes, rest);
  const methods::RunResult result =
      methods::run(*method, choice, world, watch, {.until = extremes.until, .interrupt = &watch.rests()});
  if (result.summary.status == sim::RunStatus::kFailed) throw std::runtime_error(result.summary.message);
  return {result.summary, watch.closest(), watch.stillSince()};
}

}  // namespace

int unrecorded(int argc, char** argv) {
  CLI::App app{"A long motion by one method, unrecorded"};
  std::string path, method;
  double step = 0, until = 100, rest = 0;
  int samples = 100;
  app.add_option("scene", path)->required();
  app.add_option("method", method, "certified: the event loop")->required();
  app.add_option("--step", step, "[s]")->check(CLI::PositiveNumber);
  app.add_option("--until", until, "[s]")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--samples", samples, "Parts of the time")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--rest", rest, "End where bodies are slower [m/s]")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    sim::Scene scene = scenes::loadScene(path);
    scene.until = until;
    Extremes extremes(until, samples);
    const std::clock_t start = std::clock();
    methods::Choice choice;
    choice.advance = method;
    if (step > 0) choice.step = step;
    const Figures figures = method == "certified" ? runCertified(scene, extremes, samples)
                                                  : runMethod(choice, scene, rest, extremes);
    const double cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const sim::Summary& s = figures.summary;
    const std::string closest = std::isfinite(figures.closest) ? fmt::format("{}", figures.closest) : "null";
    fmt::print("{{\"method\":\"{}\",\"step\":{},\"until\":{},\"time\":{},\"still_since\":{},\"steps\":{},"
               "\"manifold_changes\":{},\"min_step\":{},\"closest\":{},\"cpu\":{:.3g},\"low\":[{:.6g}],"
               "\"high\":[{:.6g}]}}\n",
               method, step, until, s.time, figures.still_since, s.steps, s.manifold_changes, s.min_step,
               closest, cpu, fmt::join(extremes.low, ","), fmt::join(extremes.high, ","));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rigor_runs: {}\n", error.what());
    return 1;
  }
}
