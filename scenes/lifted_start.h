// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "dynamics/robot.h"

namespace rigor::scenes {

/// Trees that float and sink a little into planes that their file fixes to the world start where they touch these:
/// states of simulators with soft contacts are such. What sinks deeper than by kMostSunk of its tree's size stays, and
/// what a loop ties to anything else. @returns what was done, a line for each tree.
std::vector<std::string> liftOutOfPlanes(dynamics::Robot& robot);

constexpr double kMostSunk = 0.01;  ///< Of the diagonal of the box around a tree's shapes.

}  // namespace rigor::scenes
