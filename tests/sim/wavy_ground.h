// SPDX-License-Identifier: MIT
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "simulated_run.h"

namespace rigor::sim::test {

/// A height field of 0.8 m: waves of a height, 0.4 m long, in cells of that size [m].
inline std::string waves(double height, double cell) {
  constexpr double kSide = 0.8;
  const int count = static_cast<int>(std::lround(kSide / cell));
  std::string rows;
  for (int r = 0; r <= count; ++r) {
    rows += r ? ", [" : "[";
    for (int c = 0; c <= count; ++c) {
      const double x = kSide * c / count, y = kSide * r / count;
      rows += fmt::format("{}{:.9g}", c ? ", " : "", height * std::sin(5 * M_PI * x) * std::cos(5 * M_PI * y));
    }
    rows += "]";
  }
  return fmt::format("{{heightfield: {{size: [{0}, {0}], thickness: 0.3, heights: [{1}]}}}}", kSide, rows);
}

/// A die that falls onto a fixed shape, for 0.6 s. `die` says how it turns and moves.
inline Scene thrownOn(const std::string& shape, BodyText die) {
  die.name = "die", die.shape = kCube, die.position = {0.0137, 0.0071, 0.2};
  SceneText text;
  text.bodies = {BodyText{"ground", shape, 0}, die};
  text.until = 0.6;
  return text.parse();
}

}  // namespace rigor::sim::test
