// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/step/runge_kutta.h"

namespace rigor::sim {

/// Steps of eighth order of a robot that touches nothing; of sixth order where its joints' damping is stiff.
class FlightIntegrator {
 public:
  FlightIntegrator(StepContext& context, EndPlacement& ends) : x_(context), placement_(ends) {}

  /// Extrapolation of the explicit midpoint rule (Gragg 1965; Bulirsch and Stoer 1966): a flight is smooth, so a high
  /// order takes steps as long as anything else allows. The error is the difference to the order below, six.
  ///
  /// Where damping would turn a velocity within the step, of the linearly implicit Euler rule (Deuflhard 1983; Hairer
  /// and Wanner, Solving Ordinary Differential Equations II, IV.9), damping implicit: sixth order, and stable whatever
  /// the damping. What dies out within such a step is not resolved: its end is accurate, the curve that is published
  /// joins both ends smoothly.
  ///
  /// Friction of joints is constant while they slide: the step ends where the first of them stops.
  [[nodiscard]] Integrated integrate(double h, Trial& trial);

 private:
  struct Rate {
    Eigen::VectorXd q, v;
  };
  void evaluate(Rate& rate);
  void brake(SystemRobot& robot) const;
  void startFromCoordinates();
  void integrateOnce(Trial& trial);
  double firstStop(const Trial& trial);
  void extrapolate(double h, const Rate& first);
  void extrapolateStiff(double h);
  void moveImplicitly(int steps, double small);
  void addRow(int row, bool even, int left);
  void missOnCurve(const Rate& first, const Trial& trial);
  void joinEnds(const Rate& first, Trial& trial);
  double fastestLink(const Trial& trial, const Eigen::VectorXd& v);
  void estimateError(double h, Trial& trial);

  StepContext& x_;
  EndPlacement& placement_;
  SystemState stage_;
  std::vector<Rate> table_;  // By column, results of the last row; then the rates at the start.
  Rate rate_;
  dynamics::ArticulatedState before_, between_;
  Eigen::VectorXd difference_, earlier_;  // Of the velocities of the last two orders, and the same a row before.
  Eigen::VectorXd beside_;  // Velocities by which a curve that joins the ends misses what the forces ask for.
};

}  // namespace rigor::sim
