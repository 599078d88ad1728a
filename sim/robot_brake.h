// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "dynamics/robot.h"
#include "sim/sink.h"

namespace rigor::sim {

/// Coulomb friction of one coordinate of a robot in the event loop: a contact without surfaces, like a limit. Think of
/// a pad that is pressed onto the joint by `hold` with a friction coefficient of one: the contact problem finds a
/// normal force of `hold`, and with it a force of at most that along the joint, which holds it or brakes it.
struct RobotBrake {
  int dof = 0;        ///< The velocity that it acts on.
  double length = 1;  ///< Of its row, per unit of the coordinate, as of limits: [m/rad], or 1.
  double hold = 0;    ///< The most that it bears, along that row [N].
  PairKey links;      ///< As of limits.
};

/// The brakes of a robot whose link 0 is the body `first_body`, by velocity: friction of joints that follow others acts
/// on their leaders. @param length  L [m].
std::vector<RobotBrake> robotBrakes(const dynamics::Robot& robot, int first_body, double length);

}  // namespace rigor::sim
