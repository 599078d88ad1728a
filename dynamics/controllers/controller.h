// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "dynamics/articulated_state.h"
#include "dynamics/articulated_workspace.h"
#include "dynamics/controllers/readings.h"

namespace rigor::dynamics {

/// What a controller remembers from sample to sample: plain data that branches copy and records hold.
struct ControllerState {
  std::vector<double> memory;  ///< Controller::memorySize() numbers.
  Eigen::VectorXd tau;         ///< Forces of the last sample, held until the next, [N m] or [N]; nv entries.
  long samples = 0;            ///< Samples taken; the next is due at samples * period().
};

/// A law that turns the state of a robot into joint forces, sampled at its own rate; between samples the forces are
/// held. To bring one's own, derive and override calcForces().
///
/// Contract: const and thread-safe; the forces depend on the arguments alone, so that runs repeat to the bit and
/// branches continue independently; no allocation in calcForces().
class Controller {
 public:
  virtual ~Controller() = default;
  virtual double period() const = 0;            ///< Time between samples [s], > 0.
  virtual int memorySize() const { return 0; }  ///< Numbers that it keeps.
  /// Memory before the first sample; zeros unless overridden.
  virtual void start(const ArticulatedState&, std::vector<double>& memory) const { memory.assign(memorySize(), 0.0); }
  /// Writes the forces wanted at `time` [s] into all nv entries of `tau`; those of floating joints are ignored.
  /// `workspace` is scratch of the robot's model.
  virtual void calcForces(double time, const ArticulatedState& state, std::vector<double>& memory,
                          ArticulatedWorkspace& workspace, Eigen::VectorXd& tau) const = 0;
  /// Whether it reads sensors: then this is called in place of calcForces().
  virtual bool senses() const { return false; }
  virtual void calcForcesSensing(double time, const ArticulatedState& state, const Readings& /*readings*/,
                                 std::vector<double>& memory, ArticulatedWorkspace& workspace,
                                 Eigen::VectorXd& tau) const {
    calcForces(time, state, memory, workspace, tau);
  }
};

/// State before the first sample, which is due at time 0.
ControllerState startController(const Controller& controller, const ArticulatedModel& model,
                                const ArticulatedState& state);

/// Time of the next sample [s].
inline double nextSample(const Controller& controller, const ControllerState& state) {
  return static_cast<double>(state.samples) * controller.period();
}

/// Takes the sample that is due: new forces in `controller_state.tau`, within the actuators' effort and speed limits
/// (limitEffort). `readings`: for one that senses; none where nobody measures. No allocation.
void sampleController(const Controller& controller, const ArticulatedModel& model, const ArticulatedState& state,
                      ArticulatedWorkspace& workspace, ControllerState& controller_state,
                      const Readings& readings = {});

}  // namespace rigor::dynamics
