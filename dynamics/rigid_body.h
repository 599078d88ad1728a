// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "geom/pose.h"

namespace rigor::dynamics {

/// Velocity or acceleration of a rigid body: (v of the centre of mass, w), both in the world.
using Vector6d = Eigen::Matrix<double, 6, 1>;

/// (v, w); Eigen's comma initialiser is slow, and this is done for every body in every step.
inline Vector6d stacked(const Eigen::Vector3d& v, const Eigen::Vector3d& w) {
  Vector6d u;
  u.head<3>() = v, u.tail<3>() = w;
  return u;
}

/// Constant inertial data of a free rigid body. A fixed body has inverse mass and inverse inertia zero.
struct RigidBody {
  double mass = 0;                                              ///< [kg]
  double inverse_mass = 0;                                      ///< [1/kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();            ///< About the centre of mass, body axes [kg m^2].
  Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero();    ///< [1/(kg m^2)]
  bool isotropic = false;                                       ///< inertia = i 1: no gyroscopic torque, R drops out.

  /// @pre mass > 0 and `inertia` symmetric positive definite.
  static RigidBody make(double mass, const Eigen::Matrix3d& inertia);
  /// As links that are mere frames.
  bool isMassless() const { return mass == 0 && inertia.isZero(0); }
};

/// State of a free rigid body. q is un-normalised (geom::Pose); pose.p is the centre of mass.
struct RigidBodyState {
  geom::Pose pose;
  Eigen::Vector3d v{0, 0, 0};  ///< Velocity of the centre of mass, world [m/s].
  Eigen::Vector3d w{0, 0, 0};  ///< Angular velocity, world [rad/s].

  Vector6d velocity() const { return stacked(v, w); }
  void setVelocity(const Vector6d& u) { v = u.head<3>(), w = u.tail<3>(); }
};

/// Inverse inertia in the world, R I^-1 R^T.
Eigen::Matrix3d worldInverseInertia(const RigidBody& body, const Eigen::Matrix3d& R);

/// Angular acceleration without torque: w' = -I_W^-1 (w x I_W w), Euler's equation. Zero for isotropic inertia.
Eigen::Vector3d gyroscopicAcceleration(const RigidBody& body, const Eigen::Matrix3d& R, const Eigen::Vector3d& w);

/// q' = 1/2 (0, w) q for w in the world [1/s].
Eigen::Vector4d quaternionRate(const Eigen::Vector4d& q, const Eigen::Vector3d& w);

/// q turned by the rotation vector `turn` (world) [rad], |q| unchanged up to rounding.
Eigen::Vector4d rotate(const Eigen::Vector4d& q, const Eigen::Vector3d& turn);

/// m v.v / 2 + w.I_W w / 2 [J].
double kineticEnergy(const RigidBody& body, const RigidBodyState& state);

/// One step of torque-free flight under constant acceleration `gravity`: the centre of mass moves on the exact
/// parabola, the orientation by classical Runge-Kutta of order 4, after which rotational kinetic energy and angular
/// momentum about the centre are restored, both to rounding. The end quaternion has unit length. O(1), no allocation.
RigidBodyState stepFree(const RigidBody& body, const RigidBodyState& state, const Eigen::Vector3d& gravity, double h);

}  // namespace rigor::dynamics
