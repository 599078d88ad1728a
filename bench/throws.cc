// SPDX-License-Identifier: MIT
// Random throws: steps per manifold change, steps per simulated second, time per step, and whether all came to rest.
//
//   rigor_throws [--shape cube|polytope20|pair] [--friction MU] [--count N] [--seed S] [--first K] [--verbose]
//
// One line of JSON with the totals; with --verbose one line a throw.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <string>

#include "geom/mass_properties.h"
#include "sim/simulation.h"

namespace {

using Eigen::Vector3d;
using rigor::geom::Polytope;

struct RestSink : rigor::sim::Sink {
  bool rest = false;
  double rest_time = 0;
  void event(const rigor::sim::EventRecord& e) override {
    if (e.kind == "rest") rest = true, rest_time = e.time;
  }
};

/// Processor time of this thread: other work on the machine does not count.
double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

Eigen::Vector4d randomOrientation(std::mt19937_64& random) {
  Eigen::Vector4d q;
  do {
    for (int i = 0; i < 4; ++i) q[i] = uniform(random, -1, 1);
  } while (q.norm() > 1 || q.norm() < 0.1);
  return q.normalized();
}

rigor::sim::Body throwBody(const std::string& name, Polytope shape, double friction, std::mt19937_64& random,
                           const Vector3d& position) {
  rigor::sim::Body body;
  const auto properties = rigor::geom::massProperties(shape);
  body.name = name;
  body.mass = 1;
  body.inertia = properties.inertia / properties.mass;
  body.centre = properties.centre;
  body.parts.emplace_back(std::move(shape));
  body.material.friction = friction;
  body.pose.p = position;
  body.pose.q = randomOrientation(random);
  body.velocity = Vector3d(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -2, 0));
  body.angular_velocity = Vector3d(uniform(random, -10, 10), uniform(random, -10, 10), uniform(random, -10, 10));
  return body;
}

Polytope randomPolytope(std::mt19937_64& random, int vertices) {
  std::vector<Vector3d> points;
  while (static_cast<int>(points.size()) < vertices) {
    const Vector3d x(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    if (x.norm() > 0.1 && x.norm() < 1) points.push_back(0.0866 * x.normalized());
  }
  return Polytope::fromPoints(points);
}

}  // namespace

int main(int argc, char** argv) {
  std::string shape = "cube";
  double friction = 0.3, until = 20;
  long count = 100, first = 0;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    if (is("--verbose")) verbose = true;
    else if (i + 1 >= argc) return 2;
    else if (is("--shape")) shape = argv[++i];
    else if (is("--friction")) friction = std::atof(argv[++i]);
    else if (is("--count")) count = std::atol(argv[++i]);
    else if (is("--first")) first = std::atol(argv[++i]);
    else if (is("--until")) until = std::atof(argv[++i]);
    else return 2;
  }
  long steps = 0, changes = 0, impacts = 0, failed = 0, awake = 0, false_liftoffs = 0;
  double seconds = 0, simulated = 0, gain = 0, min_gap = 1e300;
  for (long k = first; k < first + count; ++k) {
    std::mt19937_64 random(1000 + static_cast<unsigned long>(k));
    rigor::sim::Scene scene;
    rigor::sim::Body table;
    table.name = "table", table.fixed = true;
    table.parts.emplace_back(rigor::geom::HalfSpace{});
    table.material.friction = friction;
    scene.bodies.push_back(table);
    const Polytope solid = shape == "polytope20" ? randomPolytope(random, 20) : Polytope::box(Vector3d::Constant(0.1));
    scene.bodies.push_back(throwBody("die", solid, friction, random, Vector3d(0, 0, uniform(random, 0.2, 0.6))));
    if (shape == "pair")
      scene.bodies.push_back(throwBody("second", solid, friction, random,
                                       Vector3d(uniform(random, -0.05, 0.05), uniform(random, -0.05, 0.05), 0.9)));
    RestSink sink;
    rigor::sim::Simulation simulation(scene, static_cast<unsigned long>(k));
    const double start = cpuSeconds();
    const auto summary = simulation.run(until, sink);
    const double wall = cpuSeconds() - start;
    const bool ok = summary.status == rigor::sim::RunStatus::kDone;
    failed += !ok;
    awake += ok && !sink.rest;
    steps += summary.steps, changes += summary.manifold_changes, impacts += summary.impacts;
    false_liftoffs += summary.false_liftoffs;
    seconds += wall;
    simulated += sink.rest ? sink.rest_time : summary.time;
    gain = std::max(gain, summary.max_energy_increase);
    min_gap = std::min(min_gap, summary.min_gap);
    if (verbose || !ok)
      fmt::print(stderr, "{}: {} steps {} changes {} impacts {} rest {} at {:.3f} gap {:.3g} gain {:.2g} us/step {:.1f} {}\n", k,
                 ok ? "ok" : "FAILED", summary.steps, summary.manifold_changes, summary.impacts, sink.rest, sink.rest_time,
                 summary.min_gap, summary.max_energy_increase, 1e6 * wall / static_cast<double>(summary.steps), summary.message);
  }
  fmt::print("{{\"shape\":\"{}\",\"friction\":{},\"throws\":{},\"failed\":{},\"awake\":{},\"steps\":{},\"changes\":{},"
             "\"steps_per_change\":{:.3f},\"steps_per_second\":{:.1f},\"impacts\":{},\"false_liftoffs\":{},"
             "\"us_per_step\":{:.2f},\"min_gap\":{:.3g},\"max_energy_increase\":{:.3g}}}\n",
             shape, friction, count, failed, awake, steps, changes,
             static_cast<double>(steps) / std::max(1.0, static_cast<double>(changes)), static_cast<double>(steps) / simulated,
             impacts, false_liftoffs, 1e6 * seconds / static_cast<double>(steps), min_gap, gain);
  return failed || awake ? 1 : 0;
}
