// SPDX-License-Identifier: MIT
#include <record/writer.h>
#include <scenes/loader.h>
#include <sim/simulation.h>
#include <verify/verify.h>

int main(int, char** argv) {  // client SCENE RECORD
  rigor::sim::Simulation simulation(rigor::scenes::loadScene(argv[1]), /*seed=*/0);
  rigor::record::Writer writer(argv[2], simulation.scene(), {.gap_nominal = simulation.gapNominal(), .gap_floor = simulation.gapFloor(), .until = 0.1});
  const auto summary = simulation.run(0.1, writer);
  writer.finish(summary, "{}");
  return rigor::verify::verifyRecord(argv[2]).verified ? 0 : 1;
}
