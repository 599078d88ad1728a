// SPDX-License-Identifier: MIT
#pragma once
#include <span>

#include "sim/runtime.h"

namespace rigor::sim {

/// Velocity at the end of a body's piece that was cut, as the laws of momentum give it from the velocity at its start,
/// what acted on contacts up to there, and what is applied from outside. Its curve has it to third order only.
/// @pre `acted` is what acted over the cut piece, and the pieces of all bodies that it names hold its instants.
Vector6d velocityOfCut(int body, const ImpulseRecord& acted, std::span<const BodyRuntime> bodies,
                       std::span<const PartRuntime> parts, const Eigen::Vector3d& gravity);

/// The same of a body in free flight: its energy and the size of its angular momentum are those of the start, to
/// rounding. The momentum's direction is off by as much as the curve's orientation, to fourth order of the turn
/// (limitTurn()).
Vector6d velocityOfCutFlight(const BodyRuntime& body, const Eigen::Vector3d& gravity);

}  // namespace rigor::sim
