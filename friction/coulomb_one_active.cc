// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "friction/coulomb_stages.h"
#include "friction/dense_factor.h"

namespace rigor::friction {
namespace {

using enum ContactLaw;

// a = b + U x with R (U x + b) + D x = 0: U the columns of A times the force directions, R the active rows, D what is
// added to the diagonal of the last one.
template <int kRows>
struct OneSystem {
  double u[kRows][3], rows[kRows][3], added = 0;

  // @returns false where the matrix is singular or nearly so.
  bool solve(const CoulombTask& task, double largest, double* __restrict a, double* __restrict x) const {
    double g[kRows * kRows];
    int pivot[kRows];
    for (int j = 0; j < kRows; ++j)
      for (int i = 0; i < kRows; ++i) g[i + kRows * j] = rowOf(i, u[j]);
    g[kRows * kRows - 1] += added;
    if (!factorLu<kRows>(g, kRows, pivot)) return false;
    for (int i = 0; i < kRows; ++i)  // Pivots are kept inverted.
      if (!(std::abs(g[i * (kRows + 1)]) * kRedundantPivot * largest < 1)) return false;
    for (int i = 0; i < 3; ++i) a[i] = task.problem.b[i];
    for (int j = 0; j < kRows; ++j) x[j] = 0;
    for (int refinement = 0; refinement <= kActiveRefinements; ++refinement) {
      double dx[kRows], worst = 0;
      for (int i = 0; i < kRows; ++i) {
        dx[i] = -rowOf(i, a);
        if (i + 1 == kRows) dx[i] -= added * x[i];
        worst = std::max(worst, std::abs(dx[i]));
      }
      if (worst <= kActiveRefined * task.scale) break;
      solveLu<kRows>(g, kRows, pivot, dx);
      for (int j = 0; j < kRows; ++j) {
        x[j] += dx[j];
        for (int i = 0; i < 3; ++i) a[i] += u[j][i] * dx[j];
      }
    }
    return true;
  }

 private:
  double rowOf(int i, const double* v) const { return rows[i][0] * v[0] + rows[i][1] * v[1] + rows[i][2] * v[2]; }
};

}  // namespace

bool solveOneActive(const CoulombTask& task, CoulombWorkspace& w) {
  const double *an = task.column(0), *a1 = task.column(1), *a2 = task.column(2);
  double *a = w.a.data(), *f = w.f.data();
  f[0] = f[1] = f[2] = 0;
  if (w.modes[0] == ContactMode::kFree) {
    for (int i = 0; i < 3; ++i) a[i] = task.problem.b[i];
    return true;
  }
  if (w.modes[0] == ContactMode::kStick) {
    OneSystem<3> system;
    for (int i = 0; i < 3; ++i) {
      system.u[0][i] = an[i], system.u[1][i] = a1[i], system.u[2][i] = a2[i];
      for (int j = 0; j < 3; ++j) system.rows[j][i] = i == j;
    }
    return system.solve(task, std::max({an[0], a1[1], a2[2]}), a, f);
  }
  const double mu = w.kind[0] == kFrictionless ? 0 : task.problem.mu[0], dx = w.d[0].x(), dy = w.d[0].y();
  double x[2] = {0, 0}, slip[3], across[3];
  for (int i = 0; i < 3; ++i) slip[i] = an[i] - mu * (dx * a1[i] + dy * a2[i]), across[i] = dx * a2[i] - dy * a1[i];
  if (mu > 0 && w.kappa[0] >= 0) {
    OneSystem<2> system{
        {{slip[0], slip[1], slip[2]}, {across[0], across[1], across[2]}}, {{1, 0, 0}, {0, -dy, dx}}, w.kappa[0]};
    if (!system.solve(task, std::max(an[0], a1[1]), a, x)) return false;
  } else {
    OneSystem<1> system{{{slip[0], slip[1], slip[2]}}, {{1, 0, 0}}};
    if (!system.solve(task, an[0], a, x)) return false;
  }
  f[0] = x[0];
  f[1] = -mu * x[0] * dx - dy * x[1];
  f[2] = -mu * x[0] * dy + dx * x[1];
  return true;
}

}  // namespace rigor::friction
