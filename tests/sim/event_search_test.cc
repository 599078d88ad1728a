// SPDX-License-Identifier: MIT
// Proves that no point begins a step on its own safety level, where roundings would make it an event at once: it stays
// above by a thousandth, unless it is at the floor, whether a contact holds it or not. Oracle: the definition of a
// level.
#include "sim/step/event_search.h"

#include <gtest/gtest.h>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

TEST(EventSearch, PointsBeginAboveTheirLevels) {
  SceneText text;
  text.bodies = {ground(), {"die", kCube}};
  const Scene scene = text.parse();
  const Scales scales = Scales::fromScene(scene);
  StepContext context(scene, scales, 0);
  const EventSearch search(context);
  for (const double share : {0.55, 0.6, 0.75, 0.9, 1.0, 1.5, 1e3}) {
    for (const double off : {-1e-9, 0.0, 1e-16, 1e-9, 1e-4}) {
      const double gap = share * (1 + off) * scales.gap, level = search.level(gap, false);
      EXPECT_TRUE(level == scales.floor || level <= gap / 1.0005) << share << ", " << off;
      EXPECT_GE(level, scales.floor);
      EXPECT_LE(level, scales.gap);
      const double held = Levels{scales.gap, scales.floor, false}.ofHeld(gap);
      EXPECT_TRUE(held == scales.floor || held <= gap / 1.0005) << share << ", " << off;
      EXPECT_DOUBLE_EQ(held, share > 0.6 ? 0.6 * scales.gap : scales.floor) << share << ", " << off;
    }
    // What is clearly above has the highest level below it.
    const double above = search.level(1.01 * share * scales.gap, false);
    EXPECT_DOUBLE_EQ(above, share >= 1 ? scales.gap : share >= 0.75 ? 0.75 * scales.gap
                            : share >= 0.6 ? 0.6 * scales.gap : scales.floor) << share;
  }
}

}  // namespace
}  // namespace rigor::sim::test
