// SPDX-License-Identifier: MIT
#include "advance/bounds.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace rigor::advance {

double approachSpeed(const Eigen::Vector3d& d, const Twist& A, double radius_a, const Twist& B, double radius_b) {
  // μ = |d̂·(v_A − v_B)| + |ω_A×d̂| r_A + |ω_B×d̂| r_B      [Drumwright16, Eq. (4)]
  return std::abs(d.dot(A.velocity - B.velocity)) + A.angular_velocity.cross(d).norm() * radius_a +
         B.angular_velocity.cross(d).norm() * radius_b;
}

double pivotSpeed(const Eigen::Vector3d& n, const Eigen::Vector3d& w_a, const Eigen::Vector3d& w_b, double reach) {
  // (|ω_A×n̂| + |ω_B×n̂|) |r − ξ|      [Drumwright16, Eq. (7)]
  return (w_a.cross(n).norm() + w_b.cross(n).norm()) * reach;
}

double chainSpeed(const Eigen::Vector3d& d, const Twist& base, std::span<const ChainJoint> joints, double radius) {
  // From the link inwards, so that γ_j is a running sum.      [Drumwright16, Eq. (11)-(14)]
  double gamma = 2 * radius, speed = 0;
  for (size_t j = joints.size(); j-- > 0;) {
    const ChainJoint& joint = joints[j];
    if (j + 1 < joints.size())
      gamma += joint.prismatic ? std::abs(joint.position) + std::abs(joint.speed) : joint.length;
    speed += joint.prismatic ? std::abs(joint.speed) : std::abs(joint.speed) * gamma;
  }
  return std::abs(base.velocity.dot(d)) + base.angular_velocity.norm() * gamma + speed;
}

double chainPivotSpeed(const Eigen::Vector3d& n, double base_angular_speed, std::span<const ChainJoint> joints,
                       const Eigen::Vector3d& w_b, double reach) {
  double rate = base_angular_speed;
  for (const ChainJoint& joint : joints) rate += joint.prismatic ? 0 : std::abs(joint.speed);
  return (rate + w_b.cross(n).norm()) * reach;  // [Drumwright16, Eq. (15)]
}

VertexPlaneBound::VertexPlaneBound(const Eigen::Vector3d& n, double offset, const Eigen::Vector3d& vertex,
                                   const Twist& A, const Eigen::Vector3d& centre_a, const Twist& B,
                                   const Eigen::Vector3d& centre_b, double H, const Eigen::Vector3d& da)
    : horizon(H) {
  const Eigen::Vector3d &wa = A.angular_velocity, &wb = B.angular_velocity;
  g0 = n.dot(vertex) - offset;
  const Eigen::Vector3d foot = vertex - g0 * n;
  const Eigen::Vector3d ua = wa.cross(vertex - centre_a), ub = wb.cross(foot - centre_b);
  const Eigen::Vector3d dz = A.velocity + ua - B.velocity - ub;
  const Eigen::Vector3d ddz = wa.cross(ua) - wb.cross(ub) + da;
  const Eigen::Vector3d dn = wb.cross(n), ddn = wb.cross(dn);
  g1 = n.dot(dz);  // n'·z = 0: z is along n
  g2 = g0 * ddn.dot(n) + 2 * dn.dot(dz) + n.dot(ddz);

  const double a = wa.norm(), b = wb.norm(), turn = dn.norm();
  const double Z2 = a * ua.norm() + b * ub.norm() + da.norm();
  const double Z3 = a * a * ua.norm() + b * b * ub.norm();
  const double z1 = dz.norm() + Z2 * H, z = std::abs(g0) + (dz.norm() + 0.5 * Z2 * H) * H;
  K3 = b * b * turn * z + 3 * b * turn * z1 + 3 * turn * Z2 + Z3;
  const double direct = b * turn * z + 2 * turn * z1 + Z2, taylor = -g2 + K3 * H;
  K2 = taylor < direct ? taylor : direct;
}

}  // namespace rigor::advance
