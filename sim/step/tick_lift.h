// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "friction/interior_point.h"
#include "geom/pose.h"
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Lifts the inner control points of a tick's pieces where contacts dip between two good ends.
class TickLift {
 public:
  explicit TickLift(StepContext& context) : x_(context) {}

  /// Moves bodies by as little as what dips asks for: least squares over all bodies, for a stack passes a lift on from
  /// body to body. Links stay on the motion of their joints.
  /// @returns false where contacts dip all the same, or the lift needed is too large.
  [[nodiscard]] bool lift();
  /// How many times as long a tick may be for the largest lift of the last one, as gaps bend with its square.
  double room() const;
  /// Of a tick that was not lifted: the share of its length to try.
  double shorter() const;

 private:
  struct Row {
    double need = 0;  // Raise of the inner control points that the contact asks for [m].
    Eigen::Vector3d normal;
  };
  double findNeeds();
  void leaveHighest();
  int bodyOf(int slot);
  void findBumps();

  StepContext& x_;
  std::vector<geom::Pose> poses_;
  std::vector<Row> rows_;       // By contact.
  std::vector<int> body_;       // By slot: the body of the problem, -1 where nothing asks it to move.
  friction::Problem problem_;   // Bodies of mass 1 that contacts without friction push by what they need.
  friction::BodyGraph graph_;
  friction::InteriorPoint interior_;
  std::vector<Eigen::Vector3d> multipliers_, bump_;  // Of the problem's contacts; by slot [m].
  std::vector<double> moved_;
  double largest_ = 0;  // Lift of a body [m].
};

}  // namespace rigor::sim
