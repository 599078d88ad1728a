// SPDX-License-Identifier: MIT
// Proved: what a record may be off by follows what the impact model says of itself, whatever its name. Oracle: the
// bounds of the library's model that says the same.
#include "sim/law_bounds.h"

#include <gtest/gtest.h>

#include "impact/model_registry.h"
#include "scenes/loader.h"

namespace rigor::sim {
namespace {

Scene dieWith(const std::string& model, double plastic_speed) {
  Scene scene = scenes::loadScene(RIGOR_SOURCE_DIR "/scenes/die.yaml");
  scene.impact_model = model;
  scene.impact.plus.plastic_speed = plastic_speed;
  return scene;
}

TEST(LawBounds, AModelThatReturnsMoreSaysBelowWhichSpeed) {
  for (const char* name : {"returns-more-test", "returns-less-test"}) {
    impact::Model model = *impact::findModel("plus");
    model.name = name;
    if (std::string(name) == "returns-less-test") model.plastic_speed = {};
    if (!impact::findModel(name)) impact::registerModel(model);
  }
  const std::string wide = lawBounds(dieWith("plus", 0.5)), narrow = lawBounds(dieWith("plus", 0));
  EXPECT_NE(wide, narrow);
  EXPECT_EQ(lawBounds(dieWith("returns-more-test", 0.5)), wide);
  EXPECT_EQ(lawBounds(dieWith("returns-more-test", 0)), narrow);
  EXPECT_EQ(lawBounds(dieWith("returns-less-test", 0.5)), narrow);
}

TEST(LawBounds, WhatIsNotOfEachContactHasNone) {
  if (!impact::findModel("pairwise-test")) {
    impact::Model model = *impact::findModel("anitescu-potra");
    model.name = "pairwise-test", model.by_contact = false;
    impact::registerModel(model);
  }
  EXPECT_EQ(lawBounds(dieWith("pairwise-test", 0)), "{}");
  EXPECT_NE(lawBounds(dieWith("anitescu-potra", 0)), "{}");
}

}  // namespace
}  // namespace rigor::sim
