// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "friction/coulomb_stages.h"
#include "friction/solver.h"

namespace rigor::friction {
namespace {

using enum ContactLaw;

// Diagonal entries below this share of their contact's largest are combinations of rows before them.
constexpr double kDependent = 1e-13;
// Of the tolerance: its norms differ.
constexpr double kGoalShare = 0.3;
constexpr int kGraphSteps = 60;

}  // namespace

int factorDelassus(const CoulombTask& task, CoulombWorkspace& w, int most) {
  if (w.rank_of_A >= 0) return std::min(w.rank_of_A, most);
  const int n = 3 * task.m;
  Eigen::MatrixXd& L = w.rows_of_A;
  std::vector<int>& order = w.order_of_A;
  L.resize(n, n);
  order.resize(n);
  std::vector<double> scale(n), left(n);
  for (int i = 0; i < n; ++i) {
    order[i] = i;
    scale[i] = task.diagonal(i) > 0 ? std::sqrt(task.diagonal(i)) : 1;
    left[i] = task.diagonal(i) > 0 ? 1 : 0;
  }
  int rank = 0;
  L.setZero();
  for (; rank < std::min(n, most); ++rank) {
    const auto pivot =
        std::max_element(order.begin() + rank, order.end(), [&](int a, int b) { return left[a] < left[b]; });
    std::iter_swap(order.begin() + rank, pivot);
    const int k = order[rank];
    if (!(left[k] > kDependent)) break;
    const double root = std::sqrt(left[k]);
    L(k, rank) = root;
    for (int j = rank + 1; j < n; ++j) {
      const int i = order[j];
      double sum = task.column(k)[i] / (scale[i] * scale[k]);
      for (int c = 0; c < rank; ++c) sum -= L(i, c) * L(k, c);
      L(i, rank) = sum / root;
      left[i] -= L(i, rank) * L(i, rank);
    }
    left[k] = 0;
  }
  for (int i = 0; i < n; ++i) L.row(i).head(rank) *= scale[i];
  if (rank < most || rank == n) w.rank_of_A = rank;
  return rank;
}

bool searchOnGraph(const CoulombTask& task, CoulombWorkspace& w, const double* guess, bool persistent) {
  const int m = task.m, rank = factorDelassus(task, w, 3 * task.m);
  if (rank == 0) return false;
  w.graph_problem.clear();
  w.graph_problem.addBody(Eigen::MatrixXd::Identity(rank, rank), Eigen::VectorXd::Zero(rank));
  const Eigen::Matrix3Xd none(3, 0);
  for (int i = 0; i < m; ++i) {
    const double* b = task.problem.b.data() + 3 * i;
    const Eigen::Vector3d f =
        guess ? Eigen::Vector3d(guess[3 * i], guess[3 * i + 1], guess[3 * i + 2]) : Eigen::Vector3d(0, 0, 0);
    w.graph_problem.addContact(0, w.rows_of_A.block(3 * i, 0, 3, rank), -1, none, Eigen::Vector3d(b[0], b[1], b[2]),
                               w.kind[i] == kFrictionless ? 0.0 : task.problem.mu[i], f);
    if (w.kind[i] == kSliding) w.graph_problem.setSliding(task.problem.direction[i]);
  }
  const SolverOptions options{kGoalShare * task.tolerance * task.scale, kGraphSteps, persistent};
  (void)w.graph_solver.solve(w.graph_problem, options);  // The residual below decides, in this problem's own norm.
  for (int i = 0; i < m; ++i) {
    const Eigen::Vector3d f = w.graph_solver.impulse(i);
    for (int k = 0; k < 3; ++k) w.f[3 * i + k] = f[k];
    const double limit = task.problem.mu[i] * f[0], length = elementary::hypot(f[1], f[2]);
    w.kappa[i] = -1;
    w.modes[i] = ContactMode::kFree;
    if (!(f[0] > 0)) continue;
    w.modes[i] = w.kind[i] == kSticks || (w.kind[i] == kCoulomb && length < (1 - 1e-9) * limit) ? ContactMode::kStick
                                                                                                : ContactMode::kSlip;
    if (w.kind[i] == kCoulomb && length > 0) w.d[i] = Eigen::Vector2d(-f[1] / length, -f[2] / length);
  }
  multiply(task, w, w.f.data(), w.a.data());
  const double residual = noteCandidate(task, w);
  std::copy_n(w.f.begin(), 3 * m, w.given.data());
  for (int i = 0; i < m; ++i)
    if (w.kind[i] == kCoulomb && w.modes[i] == ContactMode::kSlip) updateKappa(task, w, i);
  // The active set found is solved to rounding, where it is a regular one.
  const bool redundant = activeRows(task, w) > std::max(rank, kRegularRows);
  if (!(redundant && residual <= task.tolerance) && searchActiveSet(task, w, kFinishingChanges)) return true;
  takeBest(task, w);
  return residual <= task.tolerance;
}

}  // namespace rigor::friction
