// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "dynamics/robot.h"
#include "scenes/document.h"
#include "scenes/files.h"

namespace rigor::scenes {

/// What a robot takes from its scene.
struct RobotContext {
  std::string folder;                      ///< URDF files are relative to it.
  double friction = 0.3, restitution = 0;  ///< Defaults of the scene.
  Eigen::Vector3d gravity{0, 0, -9.81};    ///< For controllers [m/s^2].
  std::vector<std::string>* warnings;      ///< Never null.
  Files files = {};                        ///< Where all of them are.
  std::vector<std::string>* own = nullptr;  ///< Takes the names of joint types that another program registered.
  /// What else is in the scene that is no half-space, such as "body 'box'"; empty: nothing.
  std::string meets = "another body";
};

/// An entry of `robots:` (docs/scenes.md). Errors in a URDF or controller file are reported at the line that names it,
/// with the place in that file behind. @throws LoadError at the offending value.
dynamics::Robot readRobot(const Value& map, const RobotContext& context);

}  // namespace rigor::scenes
