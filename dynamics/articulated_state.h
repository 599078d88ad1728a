// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "dynamics/articulated_model.h"

namespace rigor::dynamics {

/// State of an ArticulatedModel: plain data that branches copy. Copies between states of one model do not allocate.
struct ArticulatedState {
  Eigen::VectorXd q;  ///< Coordinates, model.numPositions(). Quaternions are not normalised and never renormalised.
  Eigen::VectorXd v;  ///< Velocities, model.numVelocities().

  ArticulatedState() = default;
  /// The neutral configuration at rest.
  explicit ArticulatedState(const ArticulatedModel& model)
      : q(model.neutral()), v(Eigen::VectorXd::Zero(model.numVelocities())) {}
};

/// dq/dt of velocities v at q: q' = v for scalars, 1/2 (0, w) q for quaternions. `rate` has numPositions() entries; no
/// allocation. O(nv)
void calcConfigurationRate(const ArticulatedModel& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                           Eigen::VectorXd& rate);

/// The configuration that constant velocities v reach from q in time h: exact for every joint's own coordinates
/// (quaternions turn by the rotation vector h w and keep their length). `end` may be q. No allocation. O(nv)
void integrate(const ArticulatedModel& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double h,
               Eigen::VectorXd& end);

/// The velocities that lead from q0 to q1 in unit time: integrate(q0, difference, 1) is q1 (quaternions up to length
/// and sign), each turn at most pi. No allocation. O(nv)
void difference(const ArticulatedModel& model, const Eigen::VectorXd& q0, const Eigen::VectorXd& q1,
                Eigen::VectorXd& v);

/// Puts a floating link's frame at X_WL, its origin moving at v_WL [m/s] while it turns at w [rad/s], world axes: the
/// joint's coordinates are those of the centre of mass of the link and what is fixed to it. @pre its joint floats.
void setFloating(const ArticulatedModel& model, int link, const geom::Pose& X_WL, const Eigen::Vector3d& v_WL,
                 const Eigen::Vector3d& w, ArticulatedState& state);

}  // namespace rigor::dynamics
