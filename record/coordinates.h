// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "dynamics/robot.h"

namespace rigor::record {

/// A coordinate of a robot that is a number of its own: what the table `joints` holds. Quaternions have none for each velocity; the
/// links' poses show them.
struct Coordinate {
  std::string name;  ///< The joint's; of several, `joint.0`, ...
  int position = 0, velocity = 0;  ///< Places in the state's q and v.
};

std::vector<Coordinate> scalarCoordinates(const dynamics::ArticulatedModel& model);

}  // namespace rigor::record
