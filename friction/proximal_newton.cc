// SPDX-License-Identifier: MIT
#include "friction/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "friction/contact_rows.h"

namespace rigor::friction {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr int kInnerSteps = 8;         // Newton steps for one set of anchors,
constexpr int kHalvings = 4;           // each halved so often at most.
constexpr int kFruitless = 2;          // So many of them that reduce nothing: this stiffness will not be solved.
constexpr double kInnerShare = 0.1;    // Of the best residual, and of the tolerance: where an inner problem is solved.
constexpr double kStiffest = 1e8;      // Beyond it, rounding takes over.
constexpr double kSoftest = 1e-4;      // Below it, nothing converges any more.
constexpr double kSlowGrowth = 0.6, kLeastGrowth = 2;
constexpr double kProgress = 0.5;      // Of the best residual: impulses this good are anchors, solved for or not.

/// G = rho dP/dz of the projection.
void derivative(const Problem::Contact& c, const Vector3d& z, double rho, Matrix3d& G) {
  G.setZero();
  if (!(z[0] > 0)) return;
  G(0, 0) = rho;
  switch (c.law) {
    case ContactLaw::kFrictionless: break;
    case ContactLaw::kSliding: G.block<2, 1>(1, 0) = -rho * c.mu * c.direction; break;
    case ContactLaw::kSticks: G(1, 1) = G(2, 2) = rho; break;
    case ContactLaw::kCoulomb: {
      const double radius = c.mu * z[0], length = std::sqrt(z[1] * z[1] + z[2] * z[2]);
      if (length <= radius) {
        G(1, 1) = G(2, 2) = rho;
        break;
      }
      const Eigen::Vector2d t(z[1] / length, z[2] / length);
      G.block<2, 1>(1, 0) = rho * c.mu * t;
      G.block<2, 2>(1, 1) = rho * radius / length * (Eigen::Matrix2d::Identity() - t * t.transpose());
      break;
    }
  }
}

}  // namespace

/// F at v. @returns |F|^2.
RIGOR_WIDE double ProximalNewton::evaluate(const Problem& problem, double rho, const std::vector<double>& v,
                                           std::vector<Vector3d>& z, std::vector<Vector3d>& p,
                                           std::vector<double>& F) const {
  const auto contacts = problem.contacts();
  const auto free = problem.freeVelocity();
  for (std::size_t i = 0; i < F.size(); ++i) F[i] = free[i] - v[i];
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!(contacts[c].unit > 0)) {
      z[c].setZero(), p[c].setZero();
      continue;
    }
    const Vector3d to = backward(problem, contacts[c], a_[c], rho, v.data()), f = projected(contacts[c], to);
    z[c] = to, p[c] = f;
    if (f[0] > 0) addRows(problem, contacts[c], f, F.data());
  }
  double sum = 0;
  for (double& x : F) sum += x * x;
  return sum;
}

/// The largest contact velocity that F stands for [m/s], or the first one found above `goal`.
RIGOR_WIDE double ProximalNewton::largestChange(const Problem& problem, const std::vector<double>& F,
                                                double goal) const {
  double worst = 0;
  for (const auto& c : problem.contacts()) {
    const double size = c.unit * std::sqrt(timesRows(problem, c, F.data()).squaredNorm());
    if (!(size <= worst)) worst = std::isnan(size) ? HUGE_VAL : size;
    if (worst > goal) break;
  }
  return worst;
}

/// Newton steps from v_, where F is known and |F|^2 is `size`. @returns the largest contact velocity left over if it is
/// within the goal, else one above it.
double ProximalNewton::inner(const Problem& problem, BodyGraph& graph, double rho, double size, double goal,
                             int max_steps, int& steps) {
  const auto contacts = problem.contacts();
  double left = largestChange(problem, F_, goal);
  int fruitless = 0;
  for (int k = 0; k < max_steps && left > goal; ++k) {
    ++steps;
    for (std::size_t c = 0; c < contacts.size(); ++c) derivative(contacts[c], z_[c], rho, S_[c]);
    if (!graph.factor(S_)) return HUGE_VAL;
    step_ = F_;
    graph.solve(step_.data());
    double share = 1, best = HUGE_VAL;
    for (int half = 0; half <= kHalvings; ++half, share /= 2) {
      for (std::size_t i = 0; i < v_.size(); ++i) trial_[i] = v_[i] + share * step_[i];
      const double now = evaluate(problem, rho, trial_, z_trial_, p_trial_, F_trial_);
      if (now < best) {
        best = now;
        std::swap(best_v_, trial_), std::swap(F_best_, F_trial_), std::swap(z_best_, z_trial_),
            std::swap(p_best_, p_trial_);
      }
      if (best < size) break;
    }
    if (!(best < HUGE_VAL) || (best >= size && ++fruitless == kFruitless)) return HUGE_VAL;
    size = best;
    std::swap(v_, best_v_), std::swap(F_, F_best_), std::swap(z_, z_best_), std::swap(p_, p_best_);
    left = largestChange(problem, F_, goal);
  }
  return left;
}

/// One Newton step for new anchors and stiffness, from the branches of P at z_solved_, where the anchors come from: at
/// the velocities at hand the new z is beyond them, by as much as rho grew, and Newton's method would find its way back
/// in many short steps. v_, where F is known and |F|^2 is `size`, becomes what the step gives if that is better.
/// @returns |F|^2 there.
RIGOR_WIDE double ProximalNewton::predict(const Problem& problem, BodyGraph& graph, double rho, double size) {
  const auto contacts = problem.contacts();
  const auto free = problem.freeVelocity();
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = free[i] - v_[i];
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    derivative(contacts[c], z_solved_[c], rho, S_[c]);
    if (S_[c](0, 0) == 0 || !(contacts[c].unit > 0)) continue;
    addRows(problem, contacts[c], a_[c] + S_[c] * (z_[c] - z_solved_[c]) / rho, step_.data());
  }
  if (!graph.factor(S_)) return size;
  graph.solve(step_.data());
  for (std::size_t i = 0; i < v_.size(); ++i) trial_[i] = v_[i] + step_[i];
  const double now = evaluate(problem, rho, trial_, z_trial_, p_trial_, F_trial_);
  if (!(now < size)) return size;
  std::swap(v_, trial_), std::swap(F_, F_trial_), std::swap(z_, z_trial_), std::swap(p_, p_trial_);
  return now;
}

ProximalNewton::Result ProximalNewton::solve(const Problem& problem, BodyGraph& graph, std::span<Vector3d> f,
                                             const ProximalOptions& options) {
  const std::size_t n = problem.numVelocities(), m = problem.numContacts();
  for (auto* x : {&v_, &trial_, &best_v_, &F_, &F_trial_, &F_best_, &step_, &room_, &start_}) x->resize(n);
  for (auto* x : {&a_, &z_, &p_, &z_trial_, &p_trial_, &z_best_, &p_best_, &best_, &z_solved_}) x->resize(m);
  S_.resize(m);
  std::copy(f.begin(), f.end(), a_.begin());
  best_ = a_;
  double best = problem.residual(a_, v_.data());
  double rho = options.stiffness, growth = options.growth;
  int steps = 0;
  bool follows = false;
  double before_halving = best;
  int halved_at = 0;
  while (best > options.tolerance && steps < options.iterations && rho >= kSoftest) {
    if (best <= 0.5 * before_halving) before_halving = best, halved_at = steps;
    if (steps - halved_at >= options.patience) break;
    start_ = v_;
    const double goal = kInnerShare * std::max(options.tolerance, std::min(best, 1e300));
    const int before = steps;
    double size = evaluate(problem, rho, v_, z_, p_, F_);
    if (follows) size = predict(problem, graph, rho, size), ++steps;
    const double left =
        inner(problem, graph, rho, size, goal, std::min(kInnerSteps, options.iterations - steps), steps);
    if (steps == before) ++steps;  // New anchors alone: they may move for ever where there is no solution.
    const double residual = problem.residual(p_, room_.data());
    follows = left <= goal;
    if (residual < (follows ? best : kProgress * best)) best = residual, best_ = p_, std::swap(a_, p_);
    else if (follows) std::swap(a_, p_);
    else v_ = start_;
    if (follows) {
      std::swap(z_solved_, z_);
      rho = std::min(rho * growth, kStiffest);
    } else {
      rho /= growth;
      growth = std::max(kLeastGrowth, kSlowGrowth * growth);
    }
  }
  std::copy(best_.begin(), best_.end(), f.begin());
  return {best, steps};
}

}  // namespace rigor::friction
