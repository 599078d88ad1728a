// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/robot.h"
#include "sim/world.h"

namespace rigor::sim {

/// Adds a robot, and a body for each of its links, to the scene. @throws std::invalid_argument where the sizes of its
/// lists do not fit its model.
void addRobot(Scene& scene, dynamics::Robot robot);

}  // namespace rigor::sim
