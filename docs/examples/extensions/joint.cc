// SPDX-License-Identifier: MIT
// A joint type of one's own: Cardan's gear. A planet wheel rolls inside a ring of twice its radius; a point of its rim
// moves on a straight line. Two axes that turn, of which the second follows the first.
#include <rigor/rigor.h>

#include <cmath>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: joint SCENE.yaml RECORD.rigor\n";
    return 2;
  }
  try {
    rigor::registerJointType({.name = "cardan-gear",
                              .gives = "its origin moves on the line x of the joint, 4 radii long, as it turns",
                              .fields = {{"radius", "radius of the planet wheel", "m"}},
                              .axes = [](const std::map<std::string, double>& values) -> std::vector<rigor::JointAxis> {
                                const double r = values.at("radius");
                                return {{.name = "carrier", .point = {-2 * r, 0, 0}},
                                        {.name = "planet", .point = {-r, 0, 0}, .follows = "carrier", .ratio = -2}};
                              }});
    rigor::SimulationOptions options;
    options.record = argv[2];
    rigor::Simulation simulation(rigor::Scene::load(argv[1]), options);
    double aside = 0, far = 0;
    for (int k = 0; k <= 100; ++k) {
      simulation.advance(simulation.scene().until() * k / 100);
      const rigor::Vector3 place = simulation.state("gear/pen").position;
      aside = std::max(aside, std::hypot(place[1], place[2])), far = std::min(far, place[0]);
    }
    simulation.finish();
    std::cout << "aside " << aside << " far " << far << '\n';
    return rigor::verifyRecord(argv[2]).proved() ? 0 : 1;
  } catch (const rigor::InputError& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
