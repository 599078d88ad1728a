// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "methods/run.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace rigor::test {

/// Every state that a method passed: of the first body that moves.
struct Passed : methods::StateSink {
  struct Sample {
    double time;
    dynamics::RigidBodyState body;
    Eigen::VectorXd q, v;  ///< Of the first robot.
  };
  void state(const methods::World& world) override {
    Sample sample{world.time, world.state[0].state, {}, {}};
    if (!world.state.robots.empty()) sample.q = world.state.robots[0].state.q, sample.v = world.state.robots[0].state.v;
    samples.push_back(sample);
  }
  std::vector<Sample> samples;
};

struct MethodRun {
  methods::RunResult result;
  std::vector<Passed::Sample> samples;
  std::vector<double> energy;  ///< At the end of each step [J].

  const dynamics::RigidBodyState& end() const { return samples.back().body; }
};

/// @param step  [s]; 0: the method's own.
inline MethodRun runMethod(const std::string& name, const sim::Scene& scene, double step, double until) {
  const sim::Simulation start(scene, 0);
  methods::World world(start.scene());
  Passed passed;
  methods::Choice choice;
  choice.advance = name, choice.step = step;
  MethodRun run;
  run.result = methods::run(*methods::findMethod(name), choice, world, passed, {.until = until});
  run.samples = std::move(passed.samples);
  return run;
}

inline MethodRun runMethod(const std::string& name, const std::string& scene_text, double step, double until) {
  return runMethod(name, scenes::parseScene(scene_text, "test.yaml"), step, until);
}

/// Slope of log(error) over log(step), by least squares.
inline double slopeOf(const std::vector<double>& steps, const std::vector<double>& errors) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double a = std::log(steps[k]), b = std::log(errors[k]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace rigor::test
