// SPDX-License-Identifier: MIT
#include "impact/models/restitution_layer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "impact/problem/matrix_factors.h"
#include "impact/problem/projection.h"

namespace rigor::impact {
namespace {

// A normal of which held contacts leave less than this share, squared in the kinetic metric, is held itself.
constexpr double kHeldShare = 1e-9;

/// Of all impulses x with A x = b, or as near to it as can be, the smallest, in rows scaled to unit normals:
/// independent of order and units.
class UnitNormals {
 public:
  explicit UnitNormals(const Eigen::MatrixXd& delassus) : root_(delassus.diagonal().cwiseMax(0).cwiseSqrt()) {
    for (double& r : root_) r = r > 0 ? 1 / r : 0;
    scaled_.factor(root_.asDiagonal() * delassus * root_.asDiagonal());
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const {
    Eigen::VectorXd x;
    scaled_.solve(root_.cwiseProduct(b), x);
    x.array() *= root_.array();
    return x;
  }

 private:
  Eigen::VectorXd root_;
  LeastNorm scaled_;
};

}  // namespace

RestitutionLayer::RestitutionLayer(const ImpactProblem& problem, const NormalResponse& response,
                                   std::vector<int> moving, double share)
    : share_(share), moving_(std::move(moving)), velocity_(problem.velocity) {
  for (const int i : response.rank) {
    const auto at = std::lower_bound(moving_.begin(), moving_.end(), i);
    if (at != moving_.end() && *at == i) rank_.push_back(static_cast<int>(at - moving_.begin()));
  }
  for (int i = 0; i < problem.numContacts(); ++i)
    if (!std::binary_search(moving_.begin(), moving_.end(), i)) held_.push_back(i);
  delassus_ = response.delassus(moving_, moving_);
  held_per_impulse_.setZero(held_.size(), moving_.size());
  if (!held_.empty()) hold(problem, response);
  approach_ = problem.normal(moving_, Eigen::all) * velocity_;
  if (held_.empty()) return;
  for (std::size_t k = 0; k < moving_.size(); ++k) {
    const bool held = !(delassus_(k, k) > kHeldShare * response.delassus(moving_[k], moving_[k]));
    if (held) delassus_.row(k).setZero(), delassus_.col(k).setZero();
    if (held || std::abs(approach_[k]) <= response.still) approach_[k] = 0;
  }
}

void RestitutionLayer::hold(const ImpactProblem& problem, const NormalResponse& response) {
  const Eigen::MatrixXd normals = problem.normal(held_, Eigen::all);
  projectVelocity(response.inverse_mass, normals, velocity_);
  const UnitNormals held(response.delassus(held_, held_));
  held_impulse_ = held.solve(-(normals * problem.velocity));
  const Eigen::MatrixXd across = response.delassus(held_, moving_);
  for (std::size_t k = 0; k < moving_.size(); ++k) held_per_impulse_.col(k) = held.solve(-across.col(k));
  delassus_ += across.transpose() * held_per_impulse_;
}

bool RestitutionLayer::approaches() const { return approach_.size() > 0 && !(approach_.minCoeff() >= 0); }

ReflectionStatus RestitutionLayer::findFirst(const ReflectionOptions& options) {
  sequences_.assign(1, {.contacts = {}, .normal_velocity = approach_, .impulse = 0 * approach_, .count = 1});
  if (!approaches()) return ReflectionStatus::kComplete;
  return findFirstReflections(delassus_, approach_, rank_, options, sequences_[0]);
}

ReflectionStatus RestitutionLayer::findAll(const ReflectionOptions& options) {
  if (!approaches()) return findFirst(options);
  return findAllReflections(delassus_, approach_, rank_, options, sequences_);
}

void RestitutionLayer::add(const ReflectionSequence& sequence, const NormalResponse& response, Eigen::VectorXd& impulse,
                           Eigen::VectorXd& velocity) const {
  Eigen::VectorXd reflections = Eigen::VectorXd::Zero(impulse.size());
  reflections(moving_) = sequence.impulse;
  if (!held_.empty()) {
    impulse(held_) += share_ * held_impulse_;
    reflections(held_) = held_per_impulse_ * sequence.impulse;
  }
  impulse += share_ * reflections;
  velocity += share_ * velocity_;
  velocity += share_ * (response.inverse_mass_Jt * reflections);
}

bool RestitutionLayer::pulls(double share) const {
  return !held_.empty() && held_impulse_.minCoeff() < -share * held_impulse_.cwiseAbs().maxCoeff();
}

}  // namespace rigor::impact
