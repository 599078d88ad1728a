// SPDX-License-Identifier: MIT
#include "methods/cone_solver.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "friction/contact_rows.h"

namespace rigor::methods {

using Eigen::Vector3d;

namespace {

constexpr int kPowerIterations = 60;
constexpr double kEigenvalueMargin = 1.05;  // Power iteration comes from below.
constexpr double kGrown = 1e3;              // Times the best residual: the step is too long.
constexpr int kLookEvery = 20;              // Iterations between two residuals.

/// v += J^T f, whatever the signs of f.
void addTransposed(const friction::Problem& problem, std::span<const Vector3d> f, double* v) {
  for (std::size_t c = 0; c < f.size(); ++c) friction::addRows(problem, problem.contacts()[c], f[c], v);
}

}  // namespace

Vector3d nearestOfCone(const Vector3d& z, double mu) {
  if (std::isinf(mu)) return {std::max(z[0], 0.0), z[1], z[2]};
  const double t = z.tail<2>().norm();
  if (t <= mu * z[0]) return z;
  if (z[0] + mu * t <= 0 || !(t > 0)) return Vector3d::Zero();  // In the polar cone.
  const double n = (z[0] + mu * t) / (1 + mu * mu);
  return {n, mu * n * z[1] / t, mu * n * z[2] / t};
}

/// v = v0 + J^T f.
void ConeSolver::velocities(std::span<const Vector3d> f) {
  v_.assign(problem_->freeVelocity().begin(), problem_->freeVelocity().end());
  addTransposed(*problem_, f, v_.data());
}

double ConeSolver::residualAt(std::span<const Vector3d> f) {
  velocities(f);
  double worst = 0;
  for (std::size_t c = 0; c < f.size(); ++c) {
    const auto& contact = problem_->contacts()[c];
    const Vector3d w = friction::contactVelocity(*problem_, contact, v_.data());
    const double r = contact.unit * (f[c] - nearestOfCone(f[c] - w, contact.mu)).norm();
    if (!(r <= worst)) worst = std::isnan(r) ? HUGE_VAL : r;
  }
  return worst;
}

double ConeSolver::largestEigenvalue() {
  const auto contacts = problem_->contacts();
  y_.resize(contacts.size());
  for (std::size_t c = 0; c < y_.size(); ++c)  // Of no symmetry that contacts have.
    for (int k = 0; k < 3; ++k) y_[c][k] = elementary::sineCosine(1 + 2.3 * static_cast<double>(3 * c) + 1.7 * k).sine;
  double value = 1;
  for (int k = 0; k < kPowerIterations; ++k) {
    v_.assign(v_.size(), 0.0);
    addTransposed(*problem_, y_, v_.data());
    double sum = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c)
      y_[c] = friction::timesRows(*problem_, contacts[c], v_.data()), sum += y_[c].squaredNorm();
    if (!(sum > 0)) break;
    value = std::sqrt(sum);
    for (Vector3d& y : y_) y /= value;
  }
  return kEigenvalueMargin * value;
}

bool ConeSolver::solve(const friction::Problem& problem, double tolerance, int iterations) {
  problem_ = &problem;
  const auto contacts = problem.contacts();
  f_.assign(contacts.size(), Vector3d::Zero());
  v_.assign(problem.numVelocities(), 0.0);
  residual_ = 0;
  if (!problem.valid()) return residual_ = HUGE_VAL, false;
  residual_ = residualAt(f_);
  best_ = f_;
  if (residual_ <= tolerance) return true;
  double L = largestEigenvalue(), theta = 1;
  y_ = f_, next_ = f_;
  for (int k = 1; k <= iterations && residual_ > tolerance; ++k) {
    velocities(y_);
    double uphill = 0;
    for (std::size_t c = 0; c < f_.size(); ++c) {
      next_[c] = nearestOfCone(y_[c] - friction::contactVelocity(problem, contacts[c], v_.data()) / L, contacts[c].mu);
      uphill += (y_[c] - next_[c]).dot(next_[c] - f_[c]);
    }
    const double root = (-theta * theta + theta * std::sqrt(theta * theta + 4)) / 2;
    const double beta =
        uphill > 0 ? 0 : theta * (1 - theta) / (theta * theta + root);  // Restart where momentum leads uphill.
    theta = uphill > 0 ? 1 : root;
    for (std::size_t c = 0; c < f_.size(); ++c) y_[c] = next_[c] + beta * (next_[c] - f_[c]);
    f_.swap(next_);
    if (k % kLookEvery != 0) continue;
    if (const double r = residualAt(f_); r < residual_) {
      residual_ = r, best_ = f_;
    } else if (!(r < kGrown * residual_)) {  // The bound was none.
      L *= 2, theta = 1;
      f_ = best_, y_ = best_;
    }
  }
  f_ = best_;
  velocities(f_);
  return residual_ <= tolerance;
}

}  // namespace rigor::methods
