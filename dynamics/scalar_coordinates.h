// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "dynamics/articulated_model.h"

namespace rigor::dynamics {

/// A coordinate of a robot that is a number of its own: what the table `joints` holds. Quaternions have none for each
/// velocity; the links' poses show them.
struct ScalarCoordinate {
  std::string name;  ///< The joint's; of several, `joint.0`, ...
  int position = 0, velocity = 0;  ///< Places in the state's q and v.
};

std::vector<ScalarCoordinate> scalarCoordinates(const ArticulatedModel& model);

}  // namespace rigor::dynamics
