// SPDX-License-Identifier: MIT
#include "dynamics/rigid_body.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "elementary/require.h"

namespace rigor::dynamics {

namespace {
/// Two principal moments closer than this (relative) turn the body's rotation by less than rounding over any step.
constexpr double kIsotropicEpsilon = 1e-15;
constexpr double kSymmetryRounding = 1e-12;  // Of the trace: what is not symmetric by the rounding of a rotation.
}  // namespace

RigidBody RigidBody::make(double mass, const Eigen::Matrix3d& inertia) {
  RIGOR_REQUIRE(mass > 0 && !(inertia.diagonal().minCoeff() <= 0));
  RIGOR_REQUIRE(!((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > kSymmetryRounding * inertia.trace()));
  RigidBody body;
  body.mass = mass;
  body.inverse_mass = 1 / mass;
  body.inertia = inertia;
  body.inverse_inertia = inertia.inverse();
  const double mean = inertia.trace() / 3;
  body.isotropic = (inertia - mean * Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kIsotropicEpsilon * mean;
  return body;
}

Eigen::Matrix3d worldInverseInertia(const RigidBody& body, const Eigen::Matrix3d& R) {
  if (body.isotropic) return body.inverse_inertia;
  return R * body.inverse_inertia * R.transpose();
}

Eigen::Vector3d gyroscopicAcceleration(const RigidBody& body, const Eigen::Matrix3d& R, const Eigen::Vector3d& w) {
  if (body.isotropic) return Eigen::Vector3d::Zero();
  const Eigen::Vector3d w_B = R.transpose() * w;
  const Eigen::Vector3d torque_B = -w_B.cross(body.inertia * w_B);
  return R * (body.inverse_inertia * torque_B);
}

Eigen::Vector4d quaternionRate(const Eigen::Vector4d& q, const Eigen::Vector3d& w) {
  const Eigen::Vector3d qv = q.tail<3>();
  Eigen::Vector4d rate;
  rate[0] = -0.5 * w.dot(qv);
  rate.tail<3>() = 0.5 * (q[0] * w + w.cross(qv));
  return rate;
}

Eigen::Vector4d rotate(const Eigen::Vector4d& q, const Eigen::Vector3d& turn) {
  const double angle = 0.5 * turn.norm();
  const elementary::SineCosine turned = elementary::sineCosine(angle);
  const double sinc = angle < 1e-4 ? 1 - angle * angle / 6 : turned.sine / angle;
  const Eigen::Vector3d half = 0.5 * sinc * turn, qv = q.tail<3>();
  const double c = turned.cosine;
  Eigen::Vector4d result;
  result[0] = c * q[0] - half.dot(qv);
  result.tail<3>() = c * qv + q[0] * half + half.cross(qv);
  return result;
}

double kineticEnergy(const RigidBody& body, const RigidBodyState& state) {
  if (body.isMassless()) return 0;
  const Eigen::Vector3d w_B = state.pose.rotation().transpose() * state.w;
  return 0.5 * (body.mass * state.v.squaredNorm() + w_B.dot(body.inertia * w_B));
}

namespace {

/// Turns the orientation q of a top, a little, so that its angular momentum L (world) and twice its energy are those
/// given, and returns the w that has both. In body axes L lies on a sphere, by its length, and on an ellipsoid, by the
/// energy: Newton's method along the sphere. Near the axes of inertia, where the two touch, what is left of the energy
/// scales w.
Eigen::Vector3d keepInvariants(const RigidBody& body, const Eigen::Vector3d& L, double twice_energy,
                               Eigen::Vector4d& q) {
  constexpr int kIterations = 4;
  constexpr double kRounding = 1e-15;
  constexpr double kLargestTurn = 0.01;  // [rad] More is no error of a step that is any good.
  const Eigen::Vector3d start = geom::quaternionMatrix(q).transpose() * L / q.squaredNorm();
  Eigen::Vector3d momentum = start;  // In body axes.
  for (int k = 0; k < kIterations; ++k) {
    const Eigen::Vector3d w = body.inverse_inertia * momentum;
    const double excess = momentum.dot(w) - twice_energy;
    if (std::abs(excess) <= kRounding * twice_energy) break;
    const Eigen::Vector3d along = 2 * (w - w.dot(momentum) / momentum.squaredNorm() * momentum);
    const Eigen::Vector3d next = momentum - excess / along.squaredNorm() * along;
    if (!((next - start).squaredNorm() <= kLargestTurn * kLargestTurn * start.squaredNorm()))
      break;  // NaN of a body at rest, too.
    momentum = next * (start.norm() / next.norm());
  }
  // The turn R' = R T with T momentum = start.
  const Eigen::Vector3d turn = momentum.cross(start) / start.squaredNorm();
  if (const double sine = turn.norm(); sine > 0)
    q = rotate(q, geom::quaternionMatrix(q) * turn * (elementary::asin(sine) / (sine * q.squaredNorm())));
  const Eigen::Matrix3d R = geom::quaternionMatrix(q) / q.squaredNorm();
  const Eigen::Vector3d w = R * (body.inverse_inertia * (R.transpose() * L));
  const double energy = w.dot(L);
  return energy > 0 ? Eigen::Vector3d(w * std::sqrt(twice_energy / energy)) : w;
}

}  // namespace

namespace {

/// The orientation after a torque-free turn from q that begins with w: Runge-Kutta in parts of at most kTurnOfPart.
Eigen::Vector4d turnFree(const RigidBody& body, Eigen::Vector4d q, Eigen::Vector3d w, double h) {
  constexpr double kTurnOfPart = 0.03;  // [rad] Off by 1e-8 of the turn, for half a microsecond a part.
  constexpr double kMostParts = 64;
  const double turn = std::abs(h) * w.norm();
  const double parts = std::ceil(std::clamp(turn / kTurnOfPart, 1.0, kMostParts));  // NaN: the loop ends at once.
  auto rate = [&](const Eigen::Vector4d& at, const Eigen::Vector3d& u, Eigen::Vector4d& dq, Eigen::Vector3d& dw) {
    dq = quaternionRate(at, u);
    dw = gyroscopicAcceleration(body, geom::quaternionMatrix(at) / at.squaredNorm(), u);
  };
  const double k = h / parts;
  Eigen::Vector4d k1q, k2q, k3q, k4q;
  Eigen::Vector3d k1w, k2w, k3w, k4w;
  for (double part = 0; part < parts; ++part) {
    rate(q, w, k1q, k1w);
    rate(q + 0.5 * k * k1q, w + 0.5 * k * k1w, k2q, k2w);
    rate(q + 0.5 * k * k2q, w + 0.5 * k * k2w, k3q, k3w);
    rate(q + k * k3q, w + k * k3w, k4q, k4w);
    q += k / 6 * (k1q + 2 * (k2q + k3q) + k4q);
    w += k / 6 * (k1w + 2 * (k2w + k3w) + k4w);
  }
  return q;
}

}  // namespace

RigidBodyState stepFree(const RigidBody& body, const RigidBodyState& s, const Eigen::Vector3d& gravity, double h) {
  RigidBodyState end;
  end.pose.p = s.pose.p + h * (s.v + 0.5 * h * gravity);
  end.v = s.v + h * gravity;
  const Eigen::Vector4d q0 = s.pose.q;
  if (body.isotropic) {
    end.pose.q = rotate(q0, h * s.w);  // Constant w: exact.
    end.w = s.w;
  } else {
    end.pose.q = turnFree(body, q0, s.w, h);
    const Eigen::Matrix3d R = s.pose.rotation();
    const Eigen::Vector3d L = R * (body.inertia * (R.transpose() * s.w));
    end.w = keepInvariants(body, L, L.dot(s.w), end.pose.q);
  }
  end.pose.q.normalize();
  return end;
}

}  // namespace rigor::dynamics
