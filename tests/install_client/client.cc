// SPDX-License-Identifier: MIT
#include <rigor/rigor.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: client SCENE.yaml RECORD.rigor\n";
    return 2;
  }
  try {
    rigor::SimulationOptions options;
    options.record = argv[2];
    rigor::Simulation simulation(rigor::Scene::load(argv[1]), options);
    simulation.advance(simulation.scene().until());
    const rigor::Summary summary = simulation.finish();

    const rigor::VerifyReport report = rigor::verifyRecord(argv[2]);  // Exact arithmetic, from the file alone.
    std::cout << summary.steps << " steps, " << report.status << " to stay " << report.min_gap << " m apart\n";
    return report.proved() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';  // FILE:LINE:COL: what was found; what is allowed.
    return 3;
  }
}
