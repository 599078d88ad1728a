// SPDX-License-Identifier: MIT
// What a throw of a die costs through the public headers, records off: the C++ side of bench/python_throw.py.
//
//   rigor_api_throw SCENE COUNT      processor time a throw, one line of JSON
#include <rigor/rigor.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: rigor_api_throw SCENE COUNT\n");
    return 2;
  }
  const rigor::Scene scene = rigor::Scene::load(argv[1]);
  const int count = std::atoi(argv[2]);
  long steps = 0;
  const std::clock_t start = std::clock();
  for (int seed = 0; seed < count; ++seed) {
    rigor::SimulationOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    rigor::Simulation simulation(scene, options);
    simulation.advance(scene.until());
    steps += simulation.finish().steps;
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("{\"throws\":%d,\"steps\":%ld,\"seconds_a_throw\":%.9g}\n", count, steps, seconds / count);
}
