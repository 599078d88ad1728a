// SPDX-License-Identifier: MIT
// The bundled robots in the event loop: one JSON line a scene. Processor time is that of simulating alone, the least of
// three runs; a run is the same bits each time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/processor_time.h"
#include "bench/runs.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace {

using namespace rigor;

/// Follows one body.
struct Follower : sim::Sink {
  explicit Follower(int index) : body(index) {}
  void piece(const sim::PieceRecord& r) override {
    ++pieces;
    if (r.body != body) return;
    if (std::isnan(first)) first = r.piece.start().p.x();
    last = r.piece.end().p.x();
    lowest = std::min(lowest, r.piece.end().p.z());
    highest = std::max(highest, r.piece.end().p.z());
  }
  int body;
  long pieces = 0;
  double first = NAN, last = 0, lowest = HUGE_VAL, highest = -HUGE_VAL;
};

void runRobot(const std::string& name) {
  constexpr int kPasses = 3;
  const sim::Scene scene = scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/scenes/" + name + ".yaml");
  // Weight times height, of which a fall makes use: what a drift is measured by. A chain falls by its length.
  double weight = 0, reach = 0;
  int base = -1;
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    const sim::Body& body = scene.bodies[i];
    if (body.fixed) continue;
    if (base < 0) base = static_cast<int>(i);
    weight += body.mass * scene.gravity.norm();
    reach = std::max(reach, body.pose.p.norm());
  }
  double cpu = HUGE_VAL;
  for (int pass = 0; pass < kPasses; ++pass) {
    sim::Simulation simulation(scene, 0);
    Follower follower(base);
    const double start = cpuSeconds();
    const sim::Summary s = simulation.run(scene.until, follower);
    cpu = std::min(cpu, cpuSeconds() - start);
    if (pass + 1 < kPasses) continue;
    fmt::print(
        R"({{"scene":"{}","failed":{},"time":{:.6g},"steps":{},)"
        R"("pieces":{},"changes":{},"impacts":{},"false_liftoffs":{},)",
        name, s.status == sim::RunStatus::kDone ? 0 : 1, s.time, s.steps, follower.pieces, s.manifold_changes,
        s.impacts, s.false_liftoffs);
    fmt::print(
        R"("min_gap":{:.6g},"energy_drift":{:.3g},"speed":{:.4f},"lowest":{:.4f},"highest":{:.4f},"cpu":{:.4g}}})"
        "\n",
        s.min_gap, std::abs(s.energy_final - s.energy_initial) / (weight * reach),
        (follower.last - follower.first) / s.time, follower.lowest, follower.highest, cpu);
  }
}

}  // namespace

int robots(int, char**) {
  for (const char* name : {"chain-20", "chain-100", "compass-gait", "quadruped-trot", "quadruped-trot-fast",
                           "quadruped-stairs", "quadruped-drop"})
    runRobot(name);
  return 0;
}
