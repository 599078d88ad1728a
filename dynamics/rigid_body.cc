// SPDX-License-Identifier: MIT
#include "dynamics/rigid_body.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

namespace rigor::dynamics {

namespace {
/// Two principal moments closer than this (relative) turn the body's rotation by less than rounding over any step.
constexpr double kIsotropicEpsilon = 1e-15;
}  // namespace

RigidBody RigidBody::make(double mass, const Eigen::Matrix3d& inertia) {
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
  const double sinc = angle < 1e-4 ? 1 - angle * angle / 6 : std::sin(angle) / angle;
  const Eigen::Vector3d half = 0.5 * sinc * turn, qv = q.tail<3>();
  const double c = std::cos(angle);
  Eigen::Vector4d result;
  result[0] = c * q[0] - half.dot(qv);
  result.tail<3>() = c * qv + q[0] * half + half.cross(qv);
  return result;
}

double kineticEnergy(const RigidBody& body, const RigidBodyState& state) {
  const Eigen::Vector3d w_B = state.pose.rotation().transpose() * state.w;
  return 0.5 * (body.mass * state.v.squaredNorm() + w_B.dot(body.inertia * w_B));
}

RigidBodyState stepFree(const RigidBody& body, const RigidBodyState& s, const Eigen::Vector3d& gravity, double h) {
  RigidBodyState end;
  end.pose.p = s.pose.p + h * (s.v + 0.5 * h * gravity);
  end.v = s.v + h * gravity;
  const Eigen::Vector4d q0 = s.pose.q;
  if (body.isotropic) {
    end.pose.q = rotate(q0, h * s.w);  // Constant w: exact.
    end.w = s.w;
  } else {
    auto rate = [&](const Eigen::Vector4d& q, const Eigen::Vector3d& w, Eigen::Vector4d& dq, Eigen::Vector3d& dw) {
      dq = quaternionRate(q, w);
      dw = gyroscopicAcceleration(body, geom::quaternionMatrix(q) / q.squaredNorm(), w);
    };
    Eigen::Vector4d k1q, k2q, k3q, k4q;
    Eigen::Vector3d k1w, k2w, k3w, k4w;
    rate(q0, s.w, k1q, k1w);
    rate(q0 + 0.5 * h * k1q, s.w + 0.5 * h * k1w, k2q, k2w);
    rate(q0 + 0.5 * h * k2q, s.w + 0.5 * h * k2w, k3q, k3w);
    rate(q0 + h * k3q, s.w + h * k3w, k4q, k4w);
    end.pose.q = q0 + h / 6 * (k1q + 2 * (k2q + k3q) + k4q);
    end.w = s.w + h / 6 * (k1w + 2 * (k2w + k3w) + k4w);
    // L = R I R^T w is constant: take w from it, which also keeps the error of w from adding up over steps.
    const Eigen::Matrix3d R0 = s.pose.rotation(), R1 = end.pose.rotation();
    const Eigen::Vector3d L = R0 * (body.inertia * (R0.transpose() * s.w));
    end.w = R1 * (body.inverse_inertia * (R1.transpose() * L));
    // Scaling restores w.I w exactly; the change of L it makes is of the order of the step's own error.
    const double e0 = L.dot(s.w), e1 = L.dot(end.w);
    if (e1 > 0) end.w *= std::sqrt(e0 / end.w.dot(R1 * (body.inertia * (R1.transpose() * end.w))));
  }
  end.pose.q.normalize();
  return end;
}

}  // namespace rigor::dynamics
