// SPDX-License-Identifier: MIT
#include <record/writer.h>
#include <scenes/loader.h>
#include <verify/verify.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return 2;  // client SCENE.yaml RECORD.rigor
  using namespace rigor;
  sim::Simulation simulation(scenes::loadScene(argv[1]), /*seed=*/0);

  record::RunInfo info;
  info.gap_nominal = simulation.gapNominal();  // Contacts are held at this gap ...
  info.gap_floor = simulation.gapFloor();      // ... and proved to stay above this one, half of it.
  info.until = simulation.scene().until;
  record::Writer writer(argv[2], simulation.scene(), info);
  const sim::Summary summary = simulation.run(info.until, writer);
  writer.finish(summary, "{}");

  const verify::Report report = verify::verifyRecord(argv[2]);  // Exact arithmetic, from the file alone.
  std::cout << summary.steps << " steps, " << report.status() << " to stay " << report.min_gap << " m apart\n";
  return report.verified ? 0 : 1;
}
