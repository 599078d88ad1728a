// SPDX-License-Identifier: MIT
#pragma once
#include "sim/world.h"

namespace rigor::sim {

/// The scene with robots of their own for the trees of a robot that nothing joins: neither a joint, a loop, a joint
/// that follows, nor a pair of links that never collides (the checker lets such pairs be of one robot alone). What
/// belongs to one robot steps together; trees of one file should do so only where they touch.
///
/// Names, bodies and their order stay, so these robots have one name. A tree of one free link becomes a body like those
/// of `bodies:`, but for the first where there are no others: one robot keeps the name. Robots with a controller, which
/// speaks of all their joints, and with Robot::steps_as_one stay whole, as do trees whose links stand between those of
/// another.
Scene withSeparateTrees(Scene scene);

}  // namespace rigor::sim
