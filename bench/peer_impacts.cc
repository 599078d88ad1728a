// SPDX-License-Identifier: MIT
// The bundled scenes with ambiguous impacts in Bullet and ODE: what each makes of the first impact, how far that
// depends on what no user means to say (the order in which bodies are added, a tilt of 1e-6 rad), how deep bodies
// overlap, and how far the outcome is from rigor's set. One JSON object a line, velocities in m/s and rad/s.
//
// The time of the impact is that of rigor's run with seed 0; an engine's outcome are the velocities at the end of its
// fifth step after it. rigor's set are the velocities right after the impact of runs with seeds 0, 1, ... Differences
// of velocities are kinetic, as a speed of the whole scene: |dv|_M / sqrt(total mass), as in docs/exploration.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "compare/peer_engine.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace {

using Eigen::Vector3d;
using namespace rigor::compare;
using rigor::geom::Pose;
using rigor::sim::Scene;

constexpr double kTilt = 1e-6;         ///< [rad]
constexpr double kImpactShare = 0.05;  ///< An impact changes the scene's velocity by more than this share of it.
constexpr int kStepsAfter = 5;
constexpr double kLookEvery = 4e-3,
                 kLookClosely = 0.02;  ///< For penetration; at every step so long after the impact [s].

/// (v, w) of the centre, for each moving body.
using Velocities = Eigen::Matrix<double, 6, Eigen::Dynamic>;

struct Masses {
  std::vector<double> mass;
  std::vector<Eigen::Matrix3d> inertia;  ///< World, at the start: bodies turn little until the first impact.
  double total = 0;
};

double distance(const Masses& masses, const Velocities& a, const Velocities& b) {
  double sum = 0;
  for (long i = 0; i < a.cols(); ++i) {
    const Vector3d v = a.col(i).head<3>() - b.col(i).head<3>(), w = a.col(i).tail<3>() - b.col(i).tail<3>();
    sum += masses.mass[i] * v.squaredNorm() + w.dot(masses.inertia[i] * w);
  }
  return std::sqrt(sum / masses.total);
}

/// The velocities of moving bodies right after the first impact that counts.
class FirstImpact : public rigor::sim::Sink {
 public:
  FirstImpact(const std::vector<int>& column, const Masses& masses, Velocities start)
      : column_(column), masses_(masses), after_(std::move(start)) {}
  void impact(const rigor::sim::ImpactRecord& r) override {
    if (found_ && r.time > time_) return;
    Velocities before = after_;
    for (std::size_t k = 0; k < r.bodies.size(); ++k) before.col(column_[r.bodies[k]]) = r.before[k];
    Velocities after = before;
    for (std::size_t k = 0; k < r.bodies.size(); ++k) after.col(column_[r.bodies[k]]) = r.after[k];
    const double speed = distance(masses_, before, Velocities::Zero(6, before.cols()));
    if (found_ || distance(masses_, before, after) > kImpactShare * speed) {
      if (!found_) before_ = before;
      found_ = true, time_ = r.time;
      after_ = after;
    }
  }
  bool found() const { return found_; }
  double time() const { return time_; }
  const Velocities& before() const { return before_; }
  const Velocities& after() const { return after_; }

 private:
  const std::vector<int>& column_;
  const Masses& masses_;
  Velocities before_, after_;
  bool found_ = false;
  double time_ = 0;
};

struct Outcome {
  Velocities velocity;
  double depth = 0, depth_of_impact = 0;
};

Outcome simulate(const std::string& name, const std::vector<Part>& parts, const Scene& scene, double h, double impact,
                 double until, const std::vector<std::size_t>& order) {
  const auto engine = makePeer(name, parts, scene.gravity, order);
  Outcome result;
  const long steps = std::lround(until / h), stride = std::max(1L, std::lround(kLookEvery / h));
  const long end = static_cast<long>(std::ceil(impact / h)) + kStepsAfter;
  for (long k = 1; k <= std::max(steps, end); ++k) {
    engine->step(h);
    const double since = static_cast<double>(k) * h - impact;
    const bool closely = since > -h && since < kLookClosely + h;
    if (closely || k % stride == 0) {
      const double depth = penetration(parts, *engine);
      result.depth = std::max(result.depth, depth);
      if (closely) result.depth_of_impact = std::max(result.depth_of_impact, depth);
    }
    if (k != end) continue;
    result.velocity.resize(6, 0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].fixed) continue;
      Vector3d v, w;
      engine->velocity(i, v, w);
      result.velocity.conservativeResize(6, result.velocity.cols() + 1);
      result.velocity.rightCols<1>() << v, w;
    }
  }
  return result;
}

std::string listOf(const Velocities& velocities) {
  std::string text;
  for (long i = 0; i < velocities.cols(); ++i) {
    const auto x = velocities.col(i);
    text +=
        fmt::format("{}[{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}]", i ? "," : "", x[0], x[1], x[2], x[3], x[4], x[5]);
  }
  return "[" + text + "]";
}

void compare(const std::string& path, int seeds) {
  const Scene scene = rigor::scenes::loadScene(path);
  const std::vector<Part> parts = partsOf(scene);
  std::vector<int> column(scene.bodies.size(), -1);
  Masses masses;
  Velocities start(6, 0);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& body = scene.bodies[b];
    if (body.fixed) continue;
    column[b] = static_cast<int>(masses.mass.size());
    Pose pose = body.pose;
    pose.q.normalize();
    masses.mass.push_back(body.mass);
    masses.inertia.push_back(pose.rotation() * body.inertia * pose.rotation().transpose());
    masses.total += body.mass;
    start.conservativeResize(6, start.cols() + 1);
    start.rightCols<1>() << body.velocity, body.angular_velocity;
  }

  std::vector<Velocities> set;
  double time = 0, change = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    rigor::sim::Simulation simulation(scene, static_cast<std::uint64_t>(seed));
    FirstImpact impact(column, masses, start);
    // Until the impact has been handed over; the time is known after the first run.
    const double until = seed == 0 ? scene.until : time * (1 + 1e-6) + 1e-6;
    std::atomic<bool> enough{false};
    (void)simulation.run(until, impact, &enough, [&](double, long) { enough = impact.found(); });
    if (!impact.found()) continue;
    if (seed == 0) time = impact.time(), change = distance(masses, impact.before(), impact.after());
    set.push_back(impact.after());
  }
  double diameter = 0;
  for (std::size_t i = 0; i < set.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) diameter = std::max(diameter, distance(masses, set[i], set[j]));
  fmt::print(
      "{{\"scene\":\"{}\",\"engine\":\"rigor\",\"h\":null,\"impact\":{:.6g},\"change\":{:.4g},\"samples\":{},"
      "\"diameter\":{:.4g},"
      "\"velocity\":{}}}\n",
      scene.name, time, change, set.size(), diameter, set.empty() ? "[]" : listOf(set[0]));

  for (const std::string& engine : peerNames())
    for (const double h : {1. / 60, 1e-3, 1e-4}) {
      const Outcome plain = simulate(engine, parts, scene, h, time, scene.until, {});
      const double soon = time + kStepsAfter * h;
      std::vector<std::size_t> reversed(parts.size());
      std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
      const double by_order =
          distance(masses, plain.velocity, simulate(engine, parts, scene, h, time, soon, reversed).velocity);
      double by_tilt = 0;
      for (const Vector3d& axis : {Vector3d(1, 0, 0), Vector3d(-1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, -1, 0)}) {
        std::vector<Part> tilted = parts;
        for (Part& part : tilted) {
          if (part.fixed) continue;
          const Eigen::Quaterniond q =
              Eigen::Quaterniond(Eigen::AngleAxisd(kTilt, axis)) *
              Eigen::Quaterniond(part.start.q[0], part.start.q[1], part.start.q[2], part.start.q[3]);
          part.start.q = {q.w(), q.x(), q.y(), q.z()};
        }
        by_tilt = std::max(
            by_tilt, distance(masses, plain.velocity, simulate(engine, tilted, scene, h, time, soon, {}).velocity));
      }
      double nearest = HUGE_VAL;
      for (const Velocities& v : set) nearest = std::min(nearest, distance(masses, plain.velocity, v));
      fmt::print(
          "{{\"scene\":\"{}\",\"engine\":\"{}\",\"h\":{:.6g},\"by_order\":{:.3g},\"by_tilt\":{:.3g},\"from_set\":{:.3g}"
          ","
          "\"penetration_of_impact\":{:.3g},\"penetration\":{:.3g},\"velocity\":{}}}\n",
          scene.name, engine, h, by_order, by_tilt, nearest, plain.depth_of_impact, plain.depth,
          listOf(plain.velocity));
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The bundled scenes with ambiguous impacts in Bullet and ODE. One line of JSON each."};
  std::vector<std::string> scenes{"rocking-block-flat", "box-and-wall",   "stacked-cylinders",
                                  "billiard-break",     "newtons-cradle", "brick-one-corner",
                                  "brick-four-corners", "die-on-face",    "cubes-30"};
  int seeds = 100;
  app.add_option("scenes", scenes, "Names of bundled scenes")->capture_default_str();
  app.add_option("--seeds", seeds, "Runs whose first impacts sample rigor's set")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  for (const std::string& name : scenes) compare(RIGOR_SOURCE_DIR "/scenes/" + name + ".yaml", seeds);
}
