// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/step/end_placement.h"

namespace rigor::sim {

enum class Integrated {
  kDone,        ///< The trial is made; its error says whether it may be used.
  kNoSolution,  ///< The contact problem, or the end on its constraints, has none that the method can follow.
};

/// Classical Runge-Kutta steps with the contact problem solved at every stage, and an embedded third-order error.
class RungeKutta {
 public:
  RungeKutta(StepContext& context, EndPlacement& ends) : x_(context), placement_(ends) {}

  /// A step starts: nothing is known of it.
  void begin(bool ends_at_releases) {
    start_rates_ = StartRates::kUnknown, contacts_moved_ = false, releases_ = 0;
    ends_at_releases_ = ends_at_releases;
  }
  /// Another method has had the contacts elsewhere in this step.
  void noteContactsMoved() { contacts_moved_ = true; }
  /// `settles`: the trial's end is put on the constraints at once, for the error that shows in it.
  [[nodiscard]] Integrated integrate(double h, Trial& trial, bool settles);
  /// Whether the contact problem at the start of the step was solved,
  bool knowsStart() const { return start_rates_ == StartRates::kKnown; }
  /// and the acceleration of body i that it gave.
  const Vector6d& startAcceleration(size_t i) const { return rate_[i].a; }

 private:
  /// Velocity and acceleration of a body at a stage; q: of the quaternion.
  struct StageRate {
    Eigen::Vector3d v;
    Eigen::Vector4d q;
    Vector6d a;
  };
  struct RobotRate {
    Eigen::VectorXd q, v;
  };
  /// Of the contact problem at the first stage.
  struct Solution {
    friction::ContactMode mode;
    Eigen::Vector2d direction;
    Eigen::Vector3d force;
  };
  bool startRates();
  bool evaluate(SystemState& state, bool placed = false, bool links = true);
  void noteRates(int stage);
  void moveStage(int stage, double h);
  void sumStages(double h, Trial& trial);
  void estimateError(double h, Trial& trial);
  double release(const Trial& trial);
  double slipStop(Trial& trial, int& contact);
  bool slipTurnsBack(const Trial& trial) const;
  bool frictionTurns(Trial& trial);
  double locateStop(const Trial& trial, size_t contact, double end);
  Eigen::Vector2d slipOf(const SystemState& state, size_t c) const { return x_.contacts.velocity(state, c).tail<2>(); }

  StepContext& x_;
  EndPlacement& placement_;
  SystemState stage_, unsettled_;
  enum class StartRates { kUnknown, kKnown, kNone } start_rates_ = StartRates::kUnknown;
  bool contacts_moved_ = false;
  int releases_ = 0;  // Trials of the step that end where a contact lets go,
  bool ends_at_releases_ = true;  // if they do.
  std::vector<Solution> start_solution_;
  std::vector<StageRate> rate_;  // By stage and body.
  std::vector<RobotRate> robot_rate_;
  std::vector<size_t> released_;  // Contacts that carried load at the start of a trial and none at its end.
  std::vector<Eigen::Vector2d> start_slip_, end_slip_;  // Slip velocities at the ends of a trial.
};

/// Counts the rotation of a body in one step [rad] as error where a cubic would follow it badly.
void limitTurn(double turn, double tolerance, Trial& trial);

}  // namespace rigor::sim
