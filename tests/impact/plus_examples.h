// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/impact/contact_sets.h"
#include "impact/resolver.h"

/// The examples of Uchida, Sherman and Delp (Proc. R. Soc. A 471, 2015), Section 4 and table S1.
namespace rigor::impact::test {

/// A rigid body, v = (velocity of the centre, angular velocity), that hits a floor at points r from its centre.
inline ImpactProblem bodyOnFloor(double mass, const Eigen::Matrix3d& inertia_W,
                                 const std::vector<Eigen::Vector3d>& points, double mu, double e,
                                 const Eigen::Vector3d& v) {
  ImpactProblem problem;
  const int m = static_cast<int>(points.size());
  problem.mass_matrix = Eigen::MatrixXd::Zero(6, 6);
  problem.mass_matrix.topLeftCorner<3, 3>() = mass * Eigen::Matrix3d::Identity();
  problem.mass_matrix.bottomRightCorner<3, 3>() = 0.5 * (inertia_W + inertia_W.transpose());
  problem.normal = Eigen::MatrixXd::Zero(m, 6);
  for (int i = 0; i < m; ++i) {
    Eigen::MatrixXd J(3, 6);
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d axis = Eigen::Vector3d::Unit(k);
      J.row(k) << axis.transpose(), points[i].cross(axis).transpose();
    }
    problem.normal.row(i) = J.row(2);
    problem.tangent.push_back(J.topRows(2));
  }
  problem.friction.assign(m, mu);
  problem.restitution.assign(m, e);
  problem.velocity.resize(6);
  problem.velocity << v, Eigen::Vector3d::Zero();
  return problem;
}

inline const Eigen::Vector3d kBrick(0.4, 0.6, 0.8);  // m
inline constexpr double kBrickMass = 2, kBrickSphere = 0.1;

/// Example 1: the sphere at the brick's lowest vertex; body-fixed rotations pi/4 about x, then pi/6 about y.
inline ImpactProblem brickOnVertex(double mu, double e) {
  const Eigen::Matrix3d R = (Eigen::AngleAxisd(std::numbers::pi / 4, Eigen::Vector3d::UnitX()) *
                             Eigen::AngleAxisd(std::numbers::pi / 6, Eigen::Vector3d::UnitY())).toRotationMatrix();
  Eigen::Vector3d lowest = Eigen::Vector3d::Zero();
  for (int c = 0; c < 8; ++c) {
    const Eigen::Vector3d p =
        R * (0.5 * Eigen::Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1).cwiseProduct(kBrick));
    if (p.z() < lowest.z()) lowest = p;
  }
  return bodyOnFloor(kBrickMass, R * boxInertia(kBrickMass, kBrick) * R.transpose(),
                     {lowest - kBrickSphere * Eigen::Vector3d::UnitZ()}, mu, e, {-5, 0, -5.74});
}

/// Example 2: the brick flat, on four vertices.
inline ImpactProblem brickOnFace(double mu, double e, const Eigen::Vector3d& v) {
  std::vector<Eigen::Vector3d> corners;
  for (int c = 0; c < 4; ++c)
    corners.push_back(0.5 * Eigen::Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, -1).cwiseProduct(kBrick) -
                      kBrickSphere * Eigen::Vector3d::UnitZ());
  return bodyOnFloor(kBrickMass, boxInertia(kBrickMass, kBrick), corners, mu, e, v);
}

/// Example 3: a row of touching balls on a line, the first moves; normal velocities are those of neighbours.
inline ImpactProblem ballRow(int balls, double mass, double speed, double e) {
  ImpactProblem problem;
  problem.mass_matrix = mass * Eigen::MatrixXd::Identity(balls, balls);
  problem.normal = Eigen::MatrixXd::Zero(balls - 1, balls);
  for (int i = 0; i + 1 < balls; ++i) problem.normal(i, i) = -1, problem.normal(i, i + 1) = 1;
  problem.friction.assign(balls - 1, 0.0);
  problem.restitution.assign(balls - 1, e);
  problem.velocity = speed * Eigen::VectorXd::Unit(balls, 0);
  return problem;
}

/// Example 4: a triple pendulum (cylinders of length 1 and radius 0.1 and a ball of radius 0.25 at the end, 1 kg each,
/// hung at 2 m) when the ball meets the floor. Angles from the vertical, absolute, released at rest from pi/4, 3 pi/4,
/// 5 pi/6; the fall is integrated here with Runge and Kutta's method.
inline ImpactProblem triplePendulum(double mu, double e) {
  using Eigen::Matrix3d, Eigen::Vector3d;
  constexpr double g = 9.81, r = 0.1, ball = 0.25, height = 2;
  Eigen::Matrix<double, 4, 3> lever;  // of mass k about the axis of angle i
  lever << .5, 0, 0, 1, .5, 0, 1, 1, .5, 1, 1, 1;
  const Vector3d inertia = Vector3d::Constant((3 * r * r + 1) / 12) + 0.4 * ball * ball * Vector3d::UnitZ();
  const auto mass = [&](const Vector3d& q) {
    Matrix3d M = inertia.asDiagonal();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M(i, j) += lever.col(i).dot(lever.col(j)) * std::cos(q[i] - q[j]);
    return M;
  };
  const auto acceleration = [&](const Vector3d& q, const Vector3d& w) {
    Vector3d f = Vector3d::Zero();
    for (int i = 0; i < 3; ++i) {
      f[i] = -g * lever.col(i).sum() * std::sin(q[i]);
      for (int j = 0; j < 3; ++j) f[i] -= lever.col(i).dot(lever.col(j)) * std::sin(q[i] - q[j]) * w[j] * w[j];
    }
    return Vector3d(mass(q).inverse() * f);
  };
  const auto gap = [&](const Vector3d& q) { return height - q.array().cos().sum() - ball; };
  const auto advance = [&](Vector3d& q, Vector3d& w, double h) {
    const Vector3d a1 = acceleration(q, w), w2 = w + h / 2 * a1, a2 = acceleration(q + h / 2 * w, w2),
                   w3 = w + h / 2 * a2, a3 = acceleration(q + h / 2 * w2, w3), w4 = w + h * a3,
                   a4 = acceleration(q + h * w3, w4);
    q += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  };
  constexpr double pi = std::numbers::pi;
  Vector3d q(pi / 4, 3 * pi / 4, 5 * pi / 6), w = Vector3d::Zero();
  for (double h = 1e-4; h > 1e-15;) {
    Vector3d q1 = q, w1 = w;
    advance(q1, w1, h);
    if (gap(q1) < 0) h /= 2;
    else q = q1, w = w1;
  }
  ImpactProblem problem;
  problem.mass_matrix = mass(q);
  problem.normal = q.array().sin().matrix().transpose();
  problem.tangent = {q.array().cos().matrix().transpose() + ball * Eigen::RowVector3d::UnitZ()};
  problem.friction = {mu};
  problem.restitution = {e};
  problem.velocity = w;
  return problem;
}

}  // namespace rigor::impact::test
