// SPDX-License-Identifier: MIT
#include "friction/coulomb_task.h"

#include <algorithm>
#include <cmath>

namespace rigor::friction {
namespace {

using enum ContactLaw;

// Below this slip acceleration, relative to the scale of b, the direction of slip is not defined.
constexpr double kStill = 1e-10;

// Natural map of one contact, in units of a: zero exactly at a solution.
double contactResidual(const CoulombTask& task, int i, ContactLaw kind, const double* a, const double* f) {
  const double s_n = task.diagonal(3 * i), s_t = std::max(task.diagonal(3 * i + 1), task.diagonal(3 * i + 2));
  const double normal = std::abs(std::min(a[3 * i], s_n * f[3 * i]));
  const double f_n = std::max(f[3 * i], 0.0), f1 = f[3 * i + 1], f2 = f[3 * i + 2];
  double tangential = 0;
  switch (kind) {
    case kFrictionless: tangential = s_t * (std::abs(f1) + std::abs(f2)); break;
    case kSticks:
      tangential =
          f_n > 0 ? std::max(std::abs(a[3 * i + 1]), std::abs(a[3 * i + 2])) : s_t * (std::abs(f1) + std::abs(f2));
      break;
    case kSliding: {
      const double radius = task.problem.mu[i] * f_n;
      const Eigen::Vector2d& d = task.problem.direction[i];
      tangential = s_t * (std::abs(f1 + radius * d.x()) + std::abs(f2 + radius * d.y()));
      break;
    }
    case kCoulomb: {
      const double radius = task.problem.mu[i] * f_n;
      if (!(s_t > 0)) {
        tangential = std::max(0.0, std::sqrt(f1 * f1 + f2 * f2) - radius) * s_n;
        break;
      }
      double p1 = f1 - a[3 * i + 1] / s_t, p2 = f2 - a[3 * i + 2] / s_t;
      const double length_sq = p1 * p1 + p2 * p2;
      if (length_sq > radius * radius) {
        const double shrink = radius / std::sqrt(length_sq);
        p1 *= shrink, p2 *= shrink;
      }
      tangential = s_t * std::max(std::abs(f1 - p1), std::abs(f2 - p2));
      break;
    }
  }
  const double worst = std::max(normal, tangential);
  return std::isnan(normal + tangential) ? HUGE_VAL : worst;
}

}  // namespace

void CoulombWorkspace::begin(const CoulombTask& task) {
  const int m = task.m;
  prepared = blocks_found = false;
  best_residual = HUGE_VAL;
  rank_of_A = -1;
  sparse = m > kDenseContacts, gaps = false;
  if (m > capacity) grow(m);
  if (sparse) findBlocks(task, *this);
}

void CoulombWorkspace::grow(int m) {
  capacity = m;
  const std::size_t n = 3 * static_cast<std::size_t>(m), rows = std::min<std::size_t>(n, kMaxActiveRows);
  for (auto* v : {&x, &correction, &again, &a, &f, &best_f, &c}) v->resize(n);
  given.resize(static_cast<long>(n));
  factor.resize(rows * rows);
  sweep_columns.resize(2 * n * static_cast<std::size_t>(m));
  pivot.resize(n);
  columns.resize(n);
  kappa.resize(m);
  modes.resize(m);
  kappa_before.reserve(m), modes_before.reserve(m), d_before.reserve(m);
  best_modes.resize(m);
  d.resize(m);
  kind.resize(m);
  local.resize(m);
  row_start.resize(m + 1);
  order.resize(m);
  first_row.resize(m);
  row_index.resize(static_cast<std::size_t>(m) * m);
}

double naturalResidual(const CoulombTask& task, const ContactLaw* kind, const double* a, const double* f) {
  double worst = 0;
  for (int i = 0; i < task.m; ++i) worst = std::max(worst, contactResidual(task, i, kind[i], a, f));
  return worst / task.scale;
}

void multiply(const CoulombTask& task, const CoulombWorkspace& w, const double* f, double* a) {
  const int n = 3 * task.m;
  for (int i = 0; i < n; ++i) a[i] = task.problem.b[i];
  for (int j = 0; j < n; ++j) {
    if (f[j] != 0) addColumn(w, task.m, j / 3, task.column(j), f[j], a);
  }
}

double noteCandidate(const CoulombTask& task, CoulombWorkspace& w) {
  const double residual = naturalResidual(task, w.kind.data(), w.a.data(), w.f.data());
  if (residual < w.best_residual) {
    w.best_residual = residual;
    std::copy_n(w.f.data(), 3 * task.m, w.best_f.data());
    std::copy_n(w.modes.data(), task.m, w.best_modes.data());
  }
  return residual;
}

void takeBest(const CoulombTask& task, CoulombWorkspace& w) {
  std::copy_n(w.best_f.data(), 3 * task.m, w.f.data());
  std::copy_n(w.best_modes.data(), task.m, w.modes.data());
}

int activeRows(const CoulombTask& task, const CoulombWorkspace& w) {
  int rows = 0;
  for (int i = 0; i < task.m; ++i)
    rows += w.modes[i] == ContactMode::kStick ? 3 : w.modes[i] == ContactMode::kSlip ? 1 : 0;
  return rows;
}

void prepareLocal(const CoulombTask& task, CoulombWorkspace& w) {
  if (w.prepared) return;
  for (int i = 0; i < task.m; ++i) w.local[i].prepare(task.A + 3 * i * (task.ld + 1), task.ld);
  w.prepared = true;
}

void updateKappa(const CoulombTask& task, CoulombWorkspace& w, int i) {
  const double a1 = w.a[3 * i + 1], a2 = w.a[3 * i + 2];
  const double slip = std::sqrt(a1 * a1 + a2 * a2);
  const double limit = task.problem.mu[i] * w.f[3 * i];
  w.kappa[i] = slip > kStill * task.scale && limit > 0 ? slip / limit : -1;
}

// Which contacts share a body: the nonzero blocks of A, by columns; and an order of elimination, breadth first from a
// contact
// of least degree (Cuthill-McKee), which keeps stacks banded.
void findBlocks(const CoulombTask& task, CoulombWorkspace& w) {
  if (w.blocks_found) return;
  w.blocks_found = true;
  const int m = task.m;
  int count = 0;
  for (int j = 0; j < m; ++j) {
    w.row_start[j] = count;
    for (int i = 0; i < m; ++i) {
      bool nonzero = i == j;
      for (int c = 0; c < 3 && !nonzero; ++c) {
        const double* column = task.column(3 * j + c) + 3 * i;
        nonzero = column[0] != 0 || column[1] != 0 || column[2] != 0;
      }
      if (nonzero) w.row_index[count++] = i;
    }
  }
  w.row_start[m] = count;
  w.gaps = w.sparse && count < m * m;
  if (m <= kDenseContacts) return;
  const auto degree = [&w](int i) { return w.row_start[i + 1] - w.row_start[i]; };
  std::fill_n(w.first_row.begin(), m, 0);  // visited
  int placed = 0;
  while (placed < m) {
    int start = -1;
    for (int i = 0; i < m; ++i) {
      if (!w.first_row[i] && (start < 0 || degree(i) < degree(start))) start = i;
    }
    w.first_row[start] = 1;
    w.order[placed] = start;
    for (int next = placed++; next < placed; ++next) {
      const int i = w.order[next], from = placed;
      for (int e = w.row_start[i]; e < w.row_start[i + 1]; ++e) {
        const int j = w.row_index[e];
        if (!w.first_row[j]) w.first_row[j] = 1, w.order[placed++] = j;
      }
      std::sort(w.order.begin() + from, w.order.begin() + placed,
                [&](int x, int y) { return degree(x) != degree(y) ? degree(x) < degree(y) : x < y; });
    }
  }
}

}  // namespace rigor::friction
