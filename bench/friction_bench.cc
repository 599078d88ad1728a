// SPDX-License-Identifier: MIT
// Cost of contact problems of many bodies (docs/contact-solver.md): cold, from the problem's data to the impulses; the
// graph is known.
#include <benchmark/benchmark.h>

#include <cmath>

#include "friction/solver.h"
#include "tests/friction/contact_scenes.h"

namespace {

using namespace rigor::friction;
using test::ContactScene;

constexpr double kFine = 1e-9, kTick = 2e-7;  // [m/s]

void frictionCold(benchmark::State& state, const ContactScene& scene, double tolerance) {
  Problem problem;
  scene.fill(problem);
  Solver solver;
  const SolverOptions options{tolerance, 800, false};
  bool solved = solver.solve(problem, options);
  const auto steps = [&] {
    long sum = 0;
    for (const AttemptRow& row : attempts()) sum += solver.count(row.attempt).iterations;
    return sum;
  };
  const long before = steps();
  for (auto _ : state) {
    scene.fill(problem);
    solved = solver.solve(problem, options);
  }
  state.counters["contacts"] = problem.numContacts();
  state.counters["newton_steps"] = static_cast<double>(steps() - before) / static_cast<double>(state.iterations());
  state.counters["residual"] = solver.residual();
  if (!solved) state.SkipWithError("not solved");
}

#define FRICTION_CASE(name, scene, tolerance) \
  BENCHMARK_CAPTURE(frictionCold, name, scene, tolerance)->Unit(benchmark::kMicrosecond)

FRICTION_CASE(10_cubes, test::cubeStack(10, 1, .5, 0), kFine);
FRICTION_CASE(10_cubes_1e4, test::cubeStack(10, 1e4, .5, 0), kFine);
FRICTION_CASE(10_cubes_1e4_pushed, test::cubeStack(10, 1e4, .5, .1), kFine);
FRICTION_CASE(30_cubes_1e4, test::cubeStack(30, 1e4, .5, 0), kFine);
FRICTION_CASE(30_cubes_1e4_pushed, test::cubeStack(30, 1e4, .5, .1), kFine);
FRICTION_CASE(30_cubes_top_1e4, test::heavyOnLight(30, 1e4, .5), kFine);
FRICTION_CASE(card_house_8, test::cardHouse(8, 100, .6), kFine);
FRICTION_CASE(wall_10x10, test::brickWall(10, 10, .5, 0), kFine);
FRICTION_CASE(wall_20x20, test::brickWall(20, 20, .5, 0), kFine);
FRICTION_CASE(wall_10x10_pushed, test::brickWall(10, 10, .5, .1), kFine);
FRICTION_CASE(10_cubes_no_slip_1e4_pushed, test::cubeStack(10, 1e4, kNoSlip, .1), kFine);
FRICTION_CASE(pile_100, test::randomPile(100, .5, .1, 1), kFine);
FRICTION_CASE(pile_100_tick, test::randomPile(100, .5, 2, 2), kTick);
FRICTION_CASE(pile_100_friction_1_tick, test::randomPile(100, 1, .1, 1), kTick);
FRICTION_CASE(pile_360_tick, test::randomPile(360, .5, .1, 1), kTick);
FRICTION_CASE(pile_1000_tick, test::randomPile(1000, .5, .1, 1), kTick);

}  // namespace
