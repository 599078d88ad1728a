// SPDX-License-Identifier: MIT
#include "dynamics/scalar_coordinates.h"

namespace rigor::dynamics {

std::vector<ScalarCoordinate> scalarCoordinates(const ArticulatedModel& model) {
  std::vector<ScalarCoordinate> list;
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    if (model.positionOf(dof) < 0) continue;
    const auto& joint = model.joint(model.jointOf(dof));
    if (joint.type == JointType::kFloating) continue;
    list.push_back(
        {joint.num_v > 1 ? joint.name + "." + std::to_string(dof - joint.v) : joint.name, model.positionOf(dof), dof});
  }
  return list;
}

}  // namespace rigor::dynamics
