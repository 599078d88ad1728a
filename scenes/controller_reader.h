// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "dynamics/robot.h"
#include "scenes/document.h"
#include "scenes/files.h"

namespace rigor::scenes {

/// The `controller:` of a robot (docs/scenes.md): pd, trot or script. `robot` is complete but for its controller.
/// `folder`: files are relative to it. @throws LoadError at the offending value; for a script file at the line that
/// names it, the place in the file behind.
std::shared_ptr<const dynamics::Controller> readController(const Value& map, const dynamics::Robot& robot,
                                                           int base_link, const Eigen::Vector3d& gravity,
                                                           const std::string& folder,
                                                           std::vector<std::string>& warnings, const Files& files);

/// The velocity of the joint of one coordinate that a value names. @throws LoadError for others, with the nearest name.
int findJointDof(const Value& at, const std::string& joint, const dynamics::ArticulatedModel& model);

/// The table of a script: a CSV file whose first line is `time` and joint names; `columns` are the velocities they
/// name.
struct ScriptTable {
  std::vector<int> dofs;
  std::vector<double> times;
  Eigen::MatrixXd values;
};
/// @throws LoadError at the line and column of the file: no header, unknown joints, rows of another length, numbers
/// that are not finite, times that do not ascend.
ScriptTable readScriptTable(const std::string& path, const dynamics::ArticulatedModel& model, const Files& files = {});

}  // namespace rigor::scenes
