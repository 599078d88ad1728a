// SPDX-License-Identifier: MIT
// Proved: corners of terrain read back as they are; the canonical model says every option of the scene's impact model,
// those that models register themselves included, and says nothing of options that the scene does not give: models of
// records made before stay what their scenes are loaded as.
#include "sim/canonical_model.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <variant>

#include "scenes/loader.h"
#include "sim/simulation.h"
#include "tests/json_text.h"
#include "verify/record/model.h"

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

std::string hills(int count) {
  std::string rows;
  for (int r = 0; r < count; ++r) {
    rows += r ? ", [" : "[";
    for (int c = 0; c < count; ++c) rows += (c ? ", " : "") + std::to_string(r * r * c * 7 % 5);
    rows += "]";
  }
  return "{heightfield: {size: [1, 1], thickness: 1, heights: [" + rows + "]}}";
}

/// Oracle: the vertices of the scene's parts, bit for bit.
TEST(CanonicalModel, PartsOfTerrainNameTheirCornersAmongPoints) {
  for (const int count : {3, 8}) {
    const Scene scene = scenes::parseScene("name: s\nbodies:\n  - {name: ground, fixed: true, shape: " + hills(count) +
                                               "}\n  - {name: die, mass: 1, shape: {box: {size: [1, 1, 1]}}, "
                                               "position: [0, 0, 9]}\n",
                                           "s.yaml");
    const std::string text = canonicalModel(Simulation(scene, 0).scene());
    const nlohmann::json json = parsedJson(text);
    const bool many = scene.bodies[0].parts.size() > 16;
    EXPECT_EQ(json["bodies"][0].contains("points"), many);
    EXPECT_FALSE(json["bodies"][1].contains("points"));
    EXPECT_EQ(many, count == 8);
    const verify::kernel::Model model = verify::recorded::parseModel(text).model;
    ASSERT_EQ(model.bodies[0].parts.size(), scene.bodies[0].parts.size());
    for (std::size_t part = 0; part < scene.bodies[0].parts.size(); ++part) {
      const Eigen::Matrix3Xd& expected = std::get<geom::Polytope>(scene.bodies[0].parts[part]).vertices();
      const auto& read = model.bodies[0].parts[part].vertices;
      ASSERT_EQ(std::ssize(read), expected.cols());
      for (std::size_t v = 0; v < read.size(); ++v)
        for (int k = 0; k < 3; ++k) EXPECT_EQ(read[v][k], expected(k, static_cast<long>(v)));
    }
    if (!many) continue;
    const auto isRefused = [&](const nlohmann::json& corners) {
      nlohmann::json altered = json;
      altered["bodies"][0]["parts"][0]["corners"] = corners;
      try {
        verify::recorded::parseModel(altered.dump());
      } catch (const std::exception&) {
        return true;
      }
      return false;
    };
    const auto points = json["bodies"][0]["points"].size();
    EXPECT_FALSE(isRefused({0, 1, 2, points - 1}));
    EXPECT_TRUE(isRefused({0, 1, 2, points}));
    EXPECT_TRUE(isRefused({0, 1, 2, -1}));
    EXPECT_TRUE(isRefused({0, 1, 2, 3.0}));
    EXPECT_TRUE(isRefused({0, 1, 2, "3"}));
    EXPECT_TRUE(isRefused({0, 1, 2}));
    EXPECT_TRUE(isRefused({0, 1, 2, 18446744073709551615ull}));
  }
}

}  // namespace
}  // namespace rigor::sim::test
