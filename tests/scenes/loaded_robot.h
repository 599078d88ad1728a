// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/load_error.h"
#include "scenes/robot_reader.h"

namespace rigor::scenes {

/// A robot file as a scene gets it, and what its reader had to say.
struct Loaded {
  RobotModel robot;
  std::vector<std::string> warnings;
  const dynamics::ArticulatedModel& model() const { return *robot.model; }
};

/// What `load()` is refused with.
template <typename Load>
std::string refusalBy(const Load& load) {
  try {
    load();
  } catch (const LoadError& error) {
    return error.what();
  }
  return "(accepted)";
}

}  // namespace rigor::scenes
