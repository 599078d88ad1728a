// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/document.h"
#include "scenes/model_file.h"

namespace rigor::scenes {

/// `joint_types` of a robot: `{JOINT: {TYPE: {FIELD: VALUE}}}`, types of joint_kinds.h. Each joint becomes a chain of
/// joints with links without mass between, all of which coincide where the coordinates are zero.
///
/// The first axis that does what the file's joint does, turn or shift, keeps the joint's name, and with it limits,
/// start, actuator, friction, and who follows it; the others are called JOINT.AXIS. Of a fixed joint all are.
/// @param own  Takes the names of types that another program registered; may be null.
/// @throws LoadError at the offending value.
void readJointTypes(const Value& map, FileModel& file, std::vector<std::string>* own);

}  // namespace rigor::scenes
