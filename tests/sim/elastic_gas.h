// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "simulated_run.h"

namespace rigor::sim::test {

/// Boxes of three edges that fly and turn in a box without gravity, friction and loss: nothing of their energy is lost,
/// and with the box free to move, nothing of their momenta either.
struct ElasticGas {
  std::uint64_t seed = 1;
  bool free_box = false;
  double until = 60;

  SceneText text() const;
};

}  // namespace rigor::sim::test
