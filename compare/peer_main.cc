// SPDX-License-Identifier: MIT
// rigor-peers: another engine on a scene, for `rigor compare`. A program of its own, so that rigor loads none of their
// libraries.
//
//   rigor-peers list                                       names of the engines, a line each
//   rigor-peers ENGINE SCENE STEP UNTIL STATES.csv         runs, writes states as `rigor check` reads them, prints a
//   JSON object
//   ... reversed                                           the same with the bodies added in reverse
//   ... tilted X Y                                         the same with moving bodies turned by X and Y [rad] about
//   the world's x and y axes, whatever that overlaps
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "compare/peer_engine.h"
#include "dynamics/rigid_body.h"
#include "methods/choice.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace {

using namespace rigor;

double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What the engines are given is what they can take. Empty: all of it.
std::string refusal(const sim::Scene& scene) {
  if (!scene.robots.empty()) return "robots";
  for (const sim::Body& body : scene.bodies)
    if (!body.fixed && body.parts.size() != 1)
      return fmt::format("{}, a moving body of {} parts", body.name, body.parts.size());
  return {};
}

void write(std::FILE* out, double time, const sim::Scene& scene, const compare::PeerEngine& engine) {
  std::size_t part = 0;
  for (const sim::Body& body : scene.bodies) {
    const std::size_t k = part;
    part += body.parts.size();
    if (body.fixed) continue;
    const geom::Pose X = engine.pose(k);
    Eigen::Vector3d v, w;
    engine.velocity(k, v, w);
    const Eigen::Vector3d arm = X.rotation() * body.centre, p = X.p - arm, u = v - w.cross(arm);
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", time, body.name, p[0], p[1], p[2], X.q[0], X.q[1],
               X.q[2], X.q[3], u[0], u[1], u[2], w[0], w[1], w[2]);
  }
}

/// What no user means to say of a scene.
struct Variation {
  bool reversed = false;
  Eigen::Vector3d tilt{0, 0, 0};  ///< [rad]
};

void tilt(const Eigen::Vector3d& turn, std::vector<compare::Part>& parts) {
  for (compare::Part& part : parts)
    if (!part.fixed) part.start.q = dynamics::rotate(part.start.q, turn);
}

int run(const std::string& name, const std::string& path, double h, double until, const char* file,
        const Variation& variation) {
  scenes::SceneSource source;
  methods::Choice choice;
  const sim::Simulation simulation(scenes::loadScene(path, source, choice),
                                   0);  // Its start: touching bodies moved apart.
  const sim::Scene& scene = simulation.scene();
  if (const std::string what = refusal(scene); !what.empty()) {
    fmt::print("{{\"refused\":\"the drivers take no {}\"}}\n", what);
    return 0;
  }
  std::vector<compare::Part> parts = compare::partsOf(scene);
  tilt(variation.tilt, parts);
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (variation.reversed) std::reverse(order.begin(), order.end());
  const auto engine = compare::makePeer(name, parts, scene.gravity, order);
  if (!engine) return fmt::print(stderr, "rigor-peers: {} is not built in\n", name), 2;
  std::FILE* out = std::fopen(file, "w");
  if (!out) return fmt::print(stderr, "rigor-peers: {} cannot be written\n", file), 4;
  fmt::print(out, "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
  const long steps = std::max(1L, std::lround(until / h));
  double cpu = 0;
  write(out, 0, scene, *engine);
  for (long k = 1; k <= steps; ++k) {
    const double start = cpuSeconds();
    engine->step(h);
    cpu += cpuSeconds() - start;
    write(out, h * static_cast<double>(k), scene, *engine);
  }
  if (std::fclose(out) != 0) return 4;
  fmt::print("{{\"steps\":{},\"cpu_seconds\":{}}}\n", steps, cpu);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "list") {
      for (const std::string& name : compare::peerNames()) fmt::print("{}\n", name);
      return 0;
    }
    Variation variation;
    variation.reversed = argc == 7 && std::string(argv[6]) == "reversed";
    const bool tilted = argc == 9 && std::string(argv[6]) == "tilted";
    if (tilted) variation.tilt = {std::atof(argv[7]), std::atof(argv[8]), 0};
    if (argc == 6 || variation.reversed || tilted) {
      const double h = std::atof(argv[3]), until = std::atof(argv[4]);
      if (h > 0 && until > 0) return run(argv[1], argv[2], h, until, argv[5], variation);
    }
    fmt::print(stderr, "rigor-peers: it is `rigor compare` that runs this\n");
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rigor-peers: {}\n", error.what());
    return 4;
  }
}
