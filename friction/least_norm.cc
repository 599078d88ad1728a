// SPDX-License-Identifier: MIT
#include "friction/least_norm.h"

#include <algorithm>
#include <cmath>

#include "friction/contact_rows.h"

namespace rigor::friction {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr int kRounds = 12, kNewtonSteps = 25, kLeastNormHalvings = 8;
constexpr double kProximal =
    1e-6;  // Weight of the proximal term in the first round [-], divided by 10 in each further one,
constexpr double kLeastProximal = 1e-10;  // down to this.
constexpr double kMoves = 3;          // Contacts that move by more than so many tolerances open or slip.

enum class Set : unsigned char { kOpen, kRay, kLine, kCone, kStuck };

/// What the impulse of a contact may be, given its velocity.
struct Allowed {
  Set set;
  Vector3d ray;  // kRay: unit.
};

Allowed allowed(const Problem::Contact& c, const Vector3d& w, const Vector3d& f, double tolerance) {
  const double still = kMoves * tolerance / c.unit;
  if (!(f[0] > 0) && w[0] > still) return {Set::kOpen, {}};
  const double slip = std::sqrt(w[1] * w[1] + w[2] * w[2]);
  switch (c.law) {
    case ContactLaw::kFrictionless: return {Set::kLine, {}};
    case ContactLaw::kSliding:
      return {Set::kRay, Vector3d(1, -c.mu * c.direction.x(), -c.mu * c.direction.y()).normalized()};
    case ContactLaw::kSticks: return {Set::kStuck, {}};
    case ContactLaw::kCoulomb: break;
  }
  if (slip > still) return {Set::kRay, Vector3d(1, -c.mu * w[1] / slip, -c.mu * w[2] / slip).normalized()};
  return {Set::kCone, {}};
}

/// The nearest impulse allowed, and its derivative.
Vector3d nearest(const Problem::Contact& c, const Allowed& to, const Vector3d& x, Matrix3d& D) {
  D.setZero();
  Vector3d p(0, 0, 0);
  switch (to.set) {
    case Set::kOpen: break;
    case Set::kRay: {
      const double along = to.ray.dot(x);
      if (along > 0) p = along * to.ray, D = to.ray * to.ray.transpose();
      break;
    }
    case Set::kLine:
      if (x[0] > 0) p[0] = x[0], D(0, 0) = 1;
      break;
    case Set::kStuck:
      if (x[0] > 0) p = x, D.setIdentity();
      break;
    case Set::kCone: {
      const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
      if (t <= c.mu * x[0]) {
        p = x, D.setIdentity();
      } else if (c.mu * t > -x[0]) {  // Onto the cone's side.
        const double share = 1 / (1 + c.mu * c.mu), n = share * (x[0] + c.mu * t);
        const Eigen::Vector2d e(x[1] / t, x[2] / t);
        p << n, c.mu * n * e;
        D(0, 0) = share;
        D.block<1, 2>(0, 1) = share * c.mu * e.transpose();
        D.block<2, 1>(1, 0) = share * c.mu * e;
        D.block<2, 2>(1, 1) = share * c.mu * c.mu * e * e.transpose() +
                              c.mu * n / t * (Eigen::Matrix2d::Identity() - e * e.transpose());
      }
      break;
    }
  }
  return p;
}

}  // namespace

bool LeastNorm::project(const Problem& problem, BodyGraph& graph, std::span<const double> v, std::span<Vector3d> f,
                        double tolerance) {
  const auto contacts = problem.contacts();
  const auto free = problem.freeVelocity();
  const std::size_t n = free.size(), m = contacts.size();
  S_.resize(m), p_.resize(m), g_.resize(m);
  y_.assign(n, 0.0), rhs_.resize(n), F_.resize(n);
  std::vector<Allowed> sets(m);
  std::vector<double> anchor(n, 0.0), trial(n);
  for (std::size_t c = 0; c < m; ++c) {
    sets[c] = {Set::kOpen, {}};
    if (contacts[c].unit > 0)
      sets[c] = allowed(contacts[c], contactVelocity(problem, contacts[c], v.data()), f[c], tolerance);
  }
  double weight = kProximal;
  // F = g - J^T P(J y) - weight (y - anchor), and what it is the gradient of.
  const auto evaluate = [&](const std::vector<double>& y, double prox) {
    double value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      F_[i] = v[i] - free[i] - prox * (y[i] - anchor[i]);
      value += (v[i] - free[i]) * y[i] - 0.5 * prox * (y[i] - anchor[i]) * (y[i] - anchor[i]);
    }
    for (std::size_t c = 0; c < m; ++c) {
      p_[c] = nearest(contacts[c], sets[c], timesRows(problem, contacts[c], y.data()), S_[c]);
      value -= 0.5 * p_[c].squaredNorm();
      if (p_[c][0] > 0) addRows(problem, contacts[c], -p_[c], F_.data());
    }
    return value;
  };
  double best = HUGE_VAL;
  for (int round = 0; round < kRounds; ++round) {
    double value = evaluate(y_, weight), size = 0, first = 0;
    for (int k = 0; k < kNewtonSteps; ++k) {
      size = 0;
      for (const double x : F_) size += x * x;
      if (k == 0) first = size;
      if (!(size > 1e-28 * first)) break;
      for (auto& S : S_) S /= weight;
      if (!graph.factor(S_)) return false;
      rhs_ = F_;
      graph.solve(rhs_.data());
      double share = 1 / weight, now = -HUGE_VAL;
      for (int half = 0; half <= kLeastNormHalvings; ++half, share /= 2) {
        for (std::size_t i = 0; i < n; ++i) trial[i] = y_[i] + share * rhs_[i];
        now = evaluate(trial, weight);
        if (now > value) break;
      }
      if (!(now > value)) {
        evaluate(y_, weight);
        break;
      }
      y_ = trial, value = now;
    }
    anchor = y_;
    const double residual = problem.residual(p_, rhs_.data());
    const bool better = residual < 0.5 * best;
    if (residual < best) best = residual, g_ = p_;
    if (!better && best <= tolerance) break;
    weight = std::max(kLeastProximal, 0.1 * weight);
  }
  if (!(best <= tolerance)) return false;
  std::copy(g_.begin(), g_.end(), f.begin());
  return true;
}

}  // namespace rigor::friction
