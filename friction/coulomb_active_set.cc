// SPDX-License-Identifier: MIT
#include "friction/coulomb_stages.h"

#include <algorithm>
#include <cmath>

#include "friction/dense_factor.h"

namespace rigor::friction {
namespace {

using enum ContactLaw;

// Regularisation of the active system, relative to the largest diagonal entry: large against rounding, so that
// redundant
// contacts get a definite answer, small against every real eigenvalue, so that refinement removes it.
constexpr double kRegularisation = 1e-9;
// Systems up to this size are tried as they are first: most have no redundant rows. Two contacts of one body that stick
// have.
constexpr int kSmallSystem = 5;

// target = p u + q v + r y on the rows that share a body with `contact`.
void combine(const CoulombWorkspace& w, int m, int contact, double* __restrict target, const double* u, double p,
             const double* v, double q, const double* y, double r) {
  if (!w.sparse) {
    for (int i = 0; i < 3 * m; ++i) target[i] = p * u[i] + q * v[i] + r * y[i];
    return;
  }
  for (int e = w.row_start[contact]; e < w.row_start[contact + 1]; ++e) {
    const int first = 3 * w.row_index[e];
    for (int i = first; i < first + 3; ++i) target[i] = p * u[i] + q * v[i] + r * y[i];
  }
}

// Mode and direction that contact i takes by itself while the other forces stand.
void chooseLocally(const CoulombTask& task, CoulombWorkspace& w, int i) {
  prepareLocal(task, w);
  const double* block = task.A + 3 * i * (task.ld + 1);
  double f[3] = {w.f[3 * i], w.f[3 * i + 1], w.f[3 * i + 2]}, c[3];
  for (int r = 0; r < 3; ++r) {
    c[r] = w.a[3 * i + r] - block[r] * f[0] - block[r + task.ld] * f[1] - block[r + 2 * task.ld] * f[2];
  }
  w.kappa[i] = -1;
  w.modes[i] = w.local[i].solve(c, task.problem.mu[i], nullptr, f);
  const double length = std::sqrt(f[1] * f[1] + f[2] * f[2]);
  if (w.modes[i] != ContactMode::kSlip || !(length > 0)) return;
  w.d[i] = Eigen::Vector2d(-f[1] / length, -f[2] / length);
  double a_sq = 0;
  for (int r = 1; r < 3; ++r) {
    const double a = c[r] + block[r] * f[0] + block[r + task.ld] * f[1] + block[r + 2 * task.ld] * f[2];
    a_sq += a * a;
  }
  w.kappa[i] = std::sqrt(a_sq) / length;
}

}  // namespace

bool solveActive(const CoulombTask& task, CoulombWorkspace& w) {
  const int m = task.m, rows = 3 * m;
  if (m == 1 && solveOneActive(task, w)) return true;
  const double* b = task.problem.b.data();
  double* __restrict a = w.a.data();
  double* __restrict f = w.f.data();
  int n = 0;
  bool symmetric = true;
  double* next_column = w.sweep_columns.data();
  for (int k = 0; k < m; ++k) {
    const int i = w.sparse ? w.order[k] : k;
    w.first_row[i] = -1;
    if (w.modes[i] == ContactMode::kFree) continue;
    w.first_row[i] = n;
    const double *an = task.column(3 * i), *a1 = task.column(3 * i + 1), *a2 = task.column(3 * i + 2);
    if (w.modes[i] == ContactMode::kStick) {
      w.columns[n++] = {i, 0, an};
      w.columns[n++] = {i, 1, a1};
      w.columns[n++] = {i, 2, a2};
      continue;
    }
    if (w.kind[i] == kFrictionless) {
      w.columns[n++] = {i, 0, an};
      continue;
    }
    const double mu = task.problem.mu[i], m1 = mu * w.d[i].x(), m2 = mu * w.d[i].y();
    combine(w, m, i, next_column, an, 1, a1, -m1, a2, -m2);
    w.columns[n++] = {i, 0, next_column};
    next_column += rows;
    symmetric = false;
    if (w.kappa[i] >= 0) {
      const double e1 = -w.d[i].y(), e2 = w.d[i].x();
      combine(w, m, i, next_column, an, 0, a1, e1, a2, e2);
      w.columns[n++] = {i, 3, next_column};
      next_column += rows;
    }
  }
  for (int i = 0; i < rows; ++i) a[i] = b[i], f[i] = 0;
  if (n == 0) return true;
  if (n > kMaxActiveRows) return false;

  const auto rowOf = [&w](const ActiveColumn& column, const double* u) {
    if (column.row < 3) return u[3 * column.contact + column.row];
    const Eigen::Vector2d& d = w.d[column.contact];
    return -d.y() * u[3 * column.contact + 1] + d.x() * u[3 * column.contact + 2];
  };
  const auto diagonalOf = [&w](const ActiveColumn& column) { return column.row == 3 ? w.kappa[column.contact] : 0.0; };
  // All rows of a full column, without a question for each: rows of a contact follow one another.
  const auto rowsOf = [&w, n](const double* __restrict u, double* __restrict out) {
    for (int i = 0; i < n;) {
      const int contact = w.columns[i].contact;
      const double* v = u + 3 * contact;
      out[i++] = v[0];
      if (i == n || w.columns[i].contact != contact) continue;
      if (w.columns[i].row == 3) {
        const Eigen::Vector2d& d = w.d[contact];
        out[i++] = -d.y() * v[1] + d.x() * v[2];
      } else {
        out[i] = v[1], out[i + 1] = v[2];
        i += 2;
      }
    }
  };
  double largest = 0;
  for (int j = 0; j < n; ++j) {
    const int row = w.columns[j].row == 3 ? 1 : w.columns[j].row;
    largest = std::max(largest, task.diagonal(3 * w.columns[j].contact + row));
  }
  double* g = w.factor.data();
  // @returns the smallest pivot; 0: none can be had.
  const auto factor = [&](double regularisation) {
    for (int j = 0; j < n; ++j) {
      const double* u = w.columns[j].a;
      double* column = g + static_cast<std::size_t>(j) * n;
      if (!w.sparse) {
        rowsOf(u, column);
      } else {
        std::fill_n(column, n, 0.0);
        const int contact = w.columns[j].contact;
        for (int e = w.row_start[contact]; e < w.row_start[contact + 1]; ++e) {
          const int other = w.row_index[e];
          if (w.first_row[other] < 0) continue;
          for (int i = w.first_row[other]; i < n && w.columns[i].contact == other; ++i)
            column[i] = rowOf(w.columns[i], u);
        }
      }
      column[j] += diagonalOf(w.columns[j]) + regularisation;
    }
    if (!(symmetric ? factorLdlt(g, n) : factorLu(g, n, w.pivot.data()))) return 0.0;
    double inverse = 0;  // Both keep pivots inverted.
    for (int i = 0; i < n; ++i) inverse = std::max(inverse, std::abs(g[static_cast<std::size_t>(i) * (n + 1)]));
    return 1 / inverse;
  };
  const auto backSubstitute = [&](double* r) { symmetric ? solveLdlt(g, n, r) : solveLu(g, n, w.pivot.data(), r); };
  const double redundant = kRedundantPivot * largest;
  double regularisation = 0, pivot = n <= kSmallSystem ? factor(0) : 0;
  if (!(pivot > redundant)) regularisation = kRegularisation * largest, pivot = factor(regularisation);
  if (!(pivot > 0)) return false;
  const bool filtered = !w.sparse && !(pivot > redundant);

  double* x = w.x.data();
  double* dx = w.correction.data();
  for (int i = 0; i < n; ++i) x[i] = 0;
  for (int refinement = 0; refinement <= kActiveRefinements; ++refinement) {
    double worst = 0;
    rowsOf(a, dx);
    for (int i = 0; i < n; ++i) {
      const double r = dx[i] + diagonalOf(w.columns[i]) * x[i];
      dx[i] = -r;
      worst = std::max(worst, std::abs(r));
    }
    if (worst <= kActiveRefined * task.scale) break;
    backSubstitute(dx);
    if (filtered) {
      // What redundant rows contradict each other in would grow into internal forces with every pass; this leaves them
      // none.
      double* __restrict again = w.again.data();
      for (int i = 0; i < n; ++i) again[i] = dx[i];
      backSubstitute(again);
      for (int i = 0; i < n; ++i) dx[i] -= regularisation * again[i];
    }
    for (int j = 0; j < n; ++j) {
      x[j] += dx[j];
      addColumn(w, m, w.columns[j].contact, w.columns[j].a, dx[j], a);
    }
  }
  for (int j = 0; j < n; ++j) {
    const ActiveColumn& column = w.columns[j];
    double* fi = f + 3 * column.contact;
    if (column.row == 3) {
      fi[1] -= w.d[column.contact].y() * x[j];
      fi[2] += w.d[column.contact].x() * x[j];
    } else {
      fi[column.row] += x[j];
      if (column.row == 0 && w.modes[column.contact] == ContactMode::kSlip && w.kind[column.contact] != kFrictionless) {
        const double t = task.problem.mu[column.contact] * x[j];
        fi[1] -= t * w.d[column.contact].x();
        fi[2] -= t * w.d[column.contact].y();
      }
    }
  }
  return true;
}

bool searchActiveSet(const CoulombTask& task, CoulombWorkspace& w, int max_changes) {
  const int m = task.m;
  w.settled = false;
  for (int change = 0; change <= max_changes; ++change) {
    ++w.stats.set_changes;
    if (!solveActive(task, w)) return false;
    const double* a = w.a.data();
    const double* f = w.f.data();
    const double residual = noteCandidate(task, w);
    if (residual <= task.target) return true;
    // Many contacts: change all violated signs at once while that makes progress, then one at a time.
    const bool bulk = m > kFewContacts && change < max_changes / 2;
    int worst = -1;
    double value = -task.sign;
    for (int i = 0; i < m; ++i) {
      if (w.modes[i] == ContactMode::kFree) continue;
      const double v = task.diagonal(3 * i) * f[3 * i];
      if (v < value) value = v, worst = i;
    }
    if (worst >= 0) {
      for (int i = 0; i < m; ++i) {
        if (i == worst || (bulk && w.modes[i] != ContactMode::kFree && task.diagonal(3 * i) * f[3 * i] < 0.3 * value)) {
          // A stick force that pulls may only mean that the contact slips.
          if (w.kind[i] == kCoulomb && w.modes[i] == ContactMode::kStick) {
            chooseLocally(task, w, i);
            if (w.modes[i] != ContactMode::kStick) continue;
          }
          w.modes[i] = ContactMode::kFree;
        }
      }
      continue;
    }
    for (int i = 0; i < m; ++i) {
      if (w.modes[i] == ContactMode::kFree && a[3 * i] < value) value = a[3 * i], worst = i;
    }
    if (worst >= 0) {
      for (int i = 0; i < m; ++i) {
        if (i == worst || (bulk && w.modes[i] == ContactMode::kFree && a[3 * i] < 0.3 * value)) {
          w.modes[i] = w.kind[i] == kFrictionless || w.kind[i] == kSliding ? ContactMode::kSlip : ContactMode::kStick;
          w.kappa[i] = -1;
          if (w.kind[i] == kCoulomb) chooseLocally(task, w, i);
        }
      }
      continue;
    }
    bool changed = false;
    for (int i = 0; i < m; ++i) {
      if (w.kind[i] != kCoulomb || w.modes[i] == ContactMode::kFree) continue;
      const double s_t = std::max(task.diagonal(3 * i + 1), task.diagonal(3 * i + 2));
      const double f1 = f[3 * i + 1], f2 = f[3 * i + 2], limit = task.problem.mu[i] * f[3 * i];
      const double length = std::sqrt(f1 * f1 + f2 * f2);
      if (w.modes[i] == ContactMode::kStick) {
        if (s_t * (length - limit) > task.sign) {
          w.modes[i] = ContactMode::kSlip;
          w.d[i] = Eigen::Vector2d(-f1 / length, -f2 / length);
          w.kappa[i] = -1;
          changed = true;
        }
        continue;
      }
      // What the natural map predicts: stick inside the disc, else slip against it.
      const double p1 = -f1 + a[3 * i + 1] / s_t, p2 = -f2 + a[3 * i + 2] / s_t;
      const double predicted = std::sqrt(p1 * p1 + p2 * p2);
      if (s_t * (limit - predicted) > task.sign) {
        w.modes[i] = ContactMode::kStick;
        changed = true;
        continue;
      }
      const Eigen::Vector2d before = w.d[i];
      if (w.kappa[i] >= 0 && length > 0) {
        w.d[i] = Eigen::Vector2d(-f1 / length, -f2 / length);
      } else if (predicted > 0) {
        w.d[i] = Eigen::Vector2d(p1 / predicted, p2 / predicted);
      }
      const double had = w.kappa[i];
      updateKappa(task, w, i);
      if (had != w.kappa[i] || before != w.d[i]) changed = true;
    }
    if (!changed) {
      w.settled = true;
      return residual <= task.tolerance;
    }
  }
  if (!(w.best_residual <= task.tolerance)) return false;
  takeBest(task, w);
  return true;
}

}  // namespace rigor::friction
