// SPDX-License-Identifier: MIT
#include "dynamics/joint_limits.h"

#include <algorithm>
#include <cmath>

namespace rigor::dynamics {

std::vector<JointLimit> jointLimits(const ArticulatedModel& model) {
  std::vector<JointLimit> limits;
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    const int position = model.positionOf(dof);
    if (position < 0) continue;
    const JointDescription& joint = model.joint(model.jointOf(dof));
    if (std::isfinite(joint.lower)) limits.push_back({dof, position, 1, joint.lower});
    if (std::isfinite(joint.upper)) limits.push_back({dof, position, -1, joint.upper});
  }
  return limits;
}

void limitEffort(const ArticulatedModel& model, const Eigen::VectorXd& v, Eigen::VectorXd& tau) {
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    const JointDescription& joint = model.joint(model.jointOf(dof));
    double& force = tau[dof];
    const bool drives = std::abs(v[dof]) >= joint.speed && force * v[dof] > 0;
    if (joint.type == JointType::kFloating || drives || !std::isfinite(force)) force = 0;  // NaN -> no force
    force = std::clamp(force, -joint.effort, joint.effort);
  }
}

}  // namespace rigor::dynamics
