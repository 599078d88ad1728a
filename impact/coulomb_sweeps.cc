// SPDX-License-Identifier: MIT
#include "elementary/elementary.h"
#include "impact/coulomb_stages.h"

#include <algorithm>
#include <cmath>

namespace rigor::impact {

double sweep(const CoulombTask& task, CoulombWorkspace& w, int sweeps, double goal) {
  const int m = task.m;
  double* f = w.f.data();
  double* a = w.a.data();
  multiply(task, w, f, a);
  double residual = naturalResidual(task, w.kind.data(), a, f);
  for (int s = 0; s < sweeps && residual > goal; ++s) {
    ++w.stats.sweeps;
    for (int k = 0; k < m; ++k) {
      const int i = s % 2 ? m - 1 - k : k;  // symmetric sweeps: no preferred direction through a stack
      const double* block = task.A + 3 * i * (task.ld + 1);
      const double old[3] = {f[3 * i], f[3 * i + 1], f[3 * i + 2]};
      double c[3];
      for (int r = 0; r < 3; ++r) {
        c[r] = a[3 * i + r] - block[r] * old[0] - block[r + task.ld] * old[1] - block[r + 2 * task.ld] * old[2];
      }
      const bool slides = w.kind[i] == kSliding;
      const double mu = w.kind[i] == kNeverSlips ? kNoSlip : task.problem.mu[i];
      w.modes[i] = w.local[i].solve(c, mu, slides ? task.problem.direction[i].data() : nullptr, f + 3 * i);
      const double d0 = f[3 * i] - old[0], d1 = f[3 * i + 1] - old[1], d2 = f[3 * i + 2] - old[2];
      if (d0 == 0 && d1 == 0 && d2 == 0) continue;
      const double *c0 = task.column(3 * i), *c1 = task.column(3 * i + 1), *c2 = task.column(3 * i + 2);
      for (int e = w.row_start[i]; e < w.row_start[i + 1]; ++e) {
        const int r = 3 * w.row_index[e];
        for (int q = r; q < r + 3; ++q) a[q] += c0[q] * d0 + c1[q] * d1 + c2[q] * d2;
      }
    }
    if (s % 8 == 7 || s + 1 == sweeps) {
      multiply(task, w, f, a);  // also removes the rounding of the updates
      residual = noteCandidate(task, w);
    }
  }
  for (int i = 0; i < m; ++i) {
    w.kappa[i] = -1;
    if (w.kind[i] != kCoulomb || w.modes[i] != ContactMode::kSlip) continue;
    const double length = elementary::hypot(f[3 * i + 1], f[3 * i + 2]);
    if (length > 0) w.d[i] = Eigen::Vector2d(-f[3 * i + 1] / length, -f[3 * i + 2] / length);
    updateKappa(task, w, i);
  }
  return residual;
}

}  // namespace rigor::impact
