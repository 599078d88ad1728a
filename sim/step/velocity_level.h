// SPDX-License-Identifier: MIT
#pragma once
#include <functional>

#include "sim/step/runge_kutta.h"

namespace rigor::sim {

/// Steps at velocity level with step doubling, for slow slip and inconsistent forces: first order, and always with a
/// solution.
class VelocityLevel {
 public:
  VelocityLevel(StepContext& context, EndPlacement& ends, const RungeKutta& stages)
      : x_(context), placement_(ends), stages_(stages) {}

  /// @param jumps  Velocities jump: that the halves of the step take another jump than the whole is no error.
  [[nodiscard]] Integrated integrate(double h, bool jumps, Trial& trial);
  /// Energy that bodies gained over the last trial beyond the work of actuators, of what is granted; 0 without them.
  double gainError(const Trial& trial);

 private:
  template <typename Guess>
  bool step(const SystemState& start, double h, const Guess& guess, SystemState& end);
  template <typename Guess>
  void predict(const SystemState& start, double h, const Guess& guess, SystemState& end);
  double advance(const SystemState& start, double h, SystemState& end);
  void move(const SystemRobot& start, const Eigen::VectorXd& v, double h, SystemRobot& end);
  bool isHopeless(const SystemState& half) const;
  double damperError(double h, const Trial& trial) const;
  template <typename Difference>
  double farthest(Difference&& difference) const;

  StepContext& x_;
  EndPlacement& placement_;
  const RungeKutta& stages_;
  SystemState coarse_, half_;
  Eigen::VectorXd mean_velocity_;
};

}  // namespace rigor::sim
