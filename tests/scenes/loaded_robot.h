// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/robot_reader.h"

namespace rigor::scenes {

/// A robot file as a scene gets it, and what its reader had to say.
struct Loaded {
  RobotModel robot;
  std::vector<std::string> warnings;
  const dynamics::ArticulatedModel& model() const { return *robot.model; }
};

}  // namespace rigor::scenes
