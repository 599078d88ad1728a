// SPDX-License-Identifier: MIT
#include "record/coordinates.h"

namespace rigor::record {

std::vector<Coordinate> scalarCoordinates(const dynamics::ArticulatedModel& model) {
  std::vector<Coordinate> list;
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    if (model.positionOf(dof) < 0) continue;
    const auto& joint = model.joint(model.jointOf(dof));
    if (joint.type == dynamics::JointType::kFloating) continue;
    list.push_back({joint.num_v > 1 ? joint.name + "." + std::to_string(dof - joint.v) : joint.name, model.positionOf(dof), dof});
  }
  return list;
}

}  // namespace rigor::record
