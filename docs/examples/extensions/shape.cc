// SPDX-License-Identifier: MIT
// A shape of one's own: `shape: {pyramid: {edge: 1, height: 1}}`, four sides on a square, its apex up.
#include <rigor/rigor.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: shape SCENE.yaml RECORD.rigor\n";
    return 2;
  }
  try {
    rigor::registerShape(
        {"pyramid",
         {{"edge", "edge of the square", "m"}, {.name = "height", .meaning = "height", .unit = "m", .standard = 1}},
         [](const std::map<std::string, double>& values) {
           const double a = values.at("edge") / 2, h = values.at("height");
           return std::vector<rigor::Vector3>{{-a, -a, 0}, {a, -a, 0}, {a, a, 0}, {-a, a, 0}, {0, 0, h}};
         }});
    rigor::SimulationOptions options;
    options.record = argv[2];
    rigor::Simulation simulation(rigor::Scene::load(argv[1]), options);
    simulation.advance(simulation.scene().until());
    simulation.finish();
    const rigor::VerifyReport report =
        rigor::verifyRecord(argv[2]);  // Proved about the vertices, whatever the shape is called.
    std::cout << report.status << '\n';
    return report.proved() ? 0 : 1;
  } catch (const rigor::InputError& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
