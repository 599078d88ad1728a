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
                      ArticulatedWorkspace& workspace, ControllerState& controller_state, const Readings& readings) {
  const double time = nextSample(controller, controller_state);
  std::vector<double>& memory = controller_state.memory;
  if (controller.senses())
    controller.calcForcesSensing(time, state, readings, memory, workspace, controller_state.tau);
  else
    controller.calcForces(time, state, memory, workspace, controller_state.tau);
  limitEffort(model, state.v, controller_state.tau);
  ++controller_state.samples;
}

}  // namespace rigor::dynamics
