// SPDX-License-Identifier: MIT
#include "methods/step_turns.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "dynamics/articulated_state.h"
#include "dynamics/quaternion.h"

namespace rigor::methods {

using dynamics::ArticulatedModel;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

double turnScale(const Vector3d& c) { return 2 / (1 + c.squaredNorm()); }

/// S(c)
Matrix3d turnJacobian(const Vector3d& c) {
  return turnScale(c) * (Matrix3d() << 1, -c[2], c[1], c[2], 1, -c[0], -c[1], c[0], 1).finished();
}

/// cay(c)
Matrix3d cayley(const Vector3d& c) { return Eigen::Quaterniond(1, c[0], c[1], c[2]).normalized().toRotationMatrix(); }

}  // namespace

StepTurns::StepTurns(const ArticulatedModel& model, double h) : model_(model), h_(h) {
  for (const ArticulatedModel::Node& node : model.nodes().subspan(1)) {
    if (node.kind == ArticulatedModel::Node::kFloating) turns_.push_back({node.q + 3, node.v + 3});
    if (node.kind == ArticulatedModel::Node::kSpherical) turns_.push_back({node.q, node.v});
  }
}

bool StepTurns::set(const VectorXd& u) {
  u_ = u;
  for (Turn& t : turns_) {
    const Vector3d turn = h_ * u.segment<3>(t.v);  // k c, of length at most 2.
    const double rest = 4 - turn.squaredNorm();
    if (!(rest > 0)) return false;
    t.c = 2 / (2 + std::sqrt(rest)) * turn;
  }
  return true;
}

void StepTurns::move(const VectorXd& q0, double share, VectorXd& to) const {
  std::vector<Eigen::Vector4d> turned;  // `to` may be q0.
  for (const Turn& t : turns_) {
    const Eigen::Vector4d turn(1, share * t.c[0], share * t.c[1], share * t.c[2]);
    turned.push_back(dynamics::multiply(turn, q0.segment<4>(t.q)).normalized());
  }
  dynamics::integrate(model_, q0, u_, share * h_, to);
  for (std::size_t i = 0; i < turns_.size(); ++i) to.segment<4>(turns_[i].q) = turned[i];
}

VectorXd StepTurns::middleMomenta(const VectorXd& start, const VectorXd& G) const {
  VectorXd pi = start + h_ / 2 * G;
  for (const Turn& t : turns_) {
    const Vector3d force = G.segment<3>(t.v), half = t.c / 2;
    const Vector3d D = turnJacobian(t.c) * (start.segment<3>(t.v) + h_ * (cayley(half).transpose() * force));
    const double k = turnScale(half);
    const Matrix3d scale = k * Matrix3d::Identity() - k * k * half * half.transpose();
    pi.segment<3>(t.v) = scale.inverse() * (D - h_ / 2 * (turnJacobian(half).transpose() * force));
  }
  return pi;
}

VectorXd StepTurns::endMomenta(const VectorXd& middle, const VectorXd& G) const {
  VectorXd end = middle + h_ / 2 * G;
  for (const Turn& t : turns_) {
    const Vector3d pi = middle.segment<3>(t.v), half = t.c / 2;
    const double k = turnScale(half);
    const Vector3d D =
        h_ / 2 * (turnJacobian(half).transpose() * G.segment<3>(t.v)) + k * pi - k * k * pi.dot(half) * half;
    end.segment<3>(t.v) = turnJacobian(t.c).transpose().inverse() * D;
  }
  return end;
}

}  // namespace rigor::methods
