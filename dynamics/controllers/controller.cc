// SPDX-License-Identifier: MIT
#include "dynamics/controllers/controller.h"

#include "dynamics/joint_limits.h"

namespace rigor::dynamics {

ControllerState startController(const Controller& controller, const ArticulatedModel& model,
                                const ArticulatedState& state) {
  ControllerState result;
  controller.start(state, result.memory);
  result.tau = Eigen::VectorXd::Zero(model.numVelocities());
  return result;
}

void sampleController(const Controller& controller, const ArticulatedModel& model, const ArticulatedState& state,
                      ArticulatedWorkspace& workspace, ControllerState& controller_state) {
  const double time = nextSample(controller, controller_state);
  controller.calcForces(time, state, controller_state.memory, workspace, controller_state.tau);
  limitEffort(model, state.v, controller_state.tau);
  ++controller_state.samples;
}

}  // namespace rigor::dynamics
