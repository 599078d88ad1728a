// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "dynamics/articulated_model.h"

namespace rigor::methods {

/// The step of a robot's variational midpoint rule from q0 to q1 at the velocities u in the middle: joints move by h u;
/// what turns freely, a base that floats or a spherical joint, goes from R0 to R1 = cay(c) R0 by way of cay(c/2) R0, at
/// the angular velocity u = k c / h, k = 2 / (1 + c.c / 4). cay(c) is the quaternion (1, c), normalised.
///
/// L_d(q0, q1) = h L in the middle does not change when the world turns: angular momentum is conserved to rounding.
/// With G the force dL/dq there, forces from outside included, pi = dL/du, and S(c) = 2 (1 + [c]x) / (1 + c.c), the
/// velocity with which cay(c) turns over dc/dt:
///
///   pi0 = S(c)^-1 D - h cay(c/2)^T G,   pi1 = S(c)^-T D,
///   D = dL_d/dc = h/2 S(c/2)^T G + k pi - k^2/4 (pi.c) c,
///
/// where elsewhere pi0 = pi - h/2 G and pi1 = pi + h/2 G. O(nv) each.
class StepTurns {
 public:
  /// @param model  Must outlive this.
  StepTurns(const dynamics::ArticulatedModel& model, double h);

  /// Takes velocities in the middle. @returns false where something turns further than a step can: by pi.
  [[nodiscard]] bool set(const Eigen::VectorXd& u);
  /// The configuration in the middle, or at the end, of the step from q0. `to` may be q0.
  void middle(const Eigen::VectorXd& q0, Eigen::VectorXd& to) const { move(q0, 0.5, to); }
  void end(const Eigen::VectorXd& q0, Eigen::VectorXd& to) const { move(q0, 1, to); }
  /// pi for the momenta pi0 at the start.
  Eigen::VectorXd middleMomenta(const Eigen::VectorXd& start, const Eigen::VectorXd& G) const;
  /// pi1 for the momenta pi in the middle.
  Eigen::VectorXd endMomenta(const Eigen::VectorXd& middle, const Eigen::VectorXd& G) const;

 private:
  struct Turn {  // Of a quaternion: its place in q, and in v.
    int q, v;
    Eigen::Vector3d c{0, 0, 0};
  };
  void move(const Eigen::VectorXd& q0, double share, Eigen::VectorXd& to) const;

  const dynamics::ArticulatedModel& model_;
  const double h_;
  Eigen::VectorXd u_;
  std::vector<Turn> turns_;
};

}  // namespace rigor::methods
