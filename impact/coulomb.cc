// SPDX-License-Identifier: MIT
#include "impact/coulomb.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "impact/dense_factor.h"
#include "impact/lemke.h"
#include "impact/one_contact.h"

namespace rigor::impact {
namespace {

// Regularisation of the active system, relative to the largest diagonal entry: large against rounding, so that
// redundant
// contacts get a definite answer, small against every real eigenvalue, so that refinement removes it.
constexpr double kRegularisation = 1e-9;
constexpr int kRefinements = 3;
// Data above this, or NaN, are refused.
constexpr double kLargest = 1e300;
// Residual of the active rows, relative to the scale of b, at which refinement stops.
constexpr double kRefined = 1e-14;
// Signs are decided with this fraction of the tolerance, so that a set without a violated sign is accepted.
constexpr double kSignFraction = 0.3;
// Slip directions are iterated to this fraction of the tolerance (they converge quadratically).
constexpr double kDirectionFraction = 1e-3;
// Below this slip acceleration, relative to the scale of b, the direction of slip is not defined.
constexpr double kStill = 1e-10;
// Above this number of contacts several signs are changed at once and Gauss-Seidel precedes the second attempt.
constexpr int kFewContacts = 6;
// Most changes of one search, however many contacts there are.
constexpr int kManyChanges = 240;
// Above this number of active rows a dense factorisation costs more than it gains.
constexpr int kMaxActiveRows = 1500;
// Above this number of contacts only the nonzero blocks of A are visited, in an order that keeps the factors narrow.
constexpr int kDenseContacts = 12;
// Newton steps with which the search by compliance tries to finish.
constexpr int kFinishingChanges = 8;
// Largest tangential compliance, in units of the tangential inverse mass, before a contact is opened instead.
constexpr double kSoftest = 100;
// Largest problem that is started from polygonal cones, and how often their edges are refined.
constexpr int kPolygonContacts = 24;
constexpr int kPolygonRounds = 14;
// Repetitions with other covering vectors, which lead to other solutions of the polygonal problem.
constexpr int kPolygonSeries = 12;
// Problems with contacts that slide already may have no solution at all (Painleve): less is spent on them.
constexpr int kSlidingRounds = 4;
constexpr int kSlidingSweeps = 200;
constexpr int kLateSweeps = 4000;

// A column of the active system: which contact, which of its rows, and A times its force direction.
struct Column {
  int contact;
  int row;            // 0 normal, 1 and 2 tangential (stick), 3 across the slip direction
  const double* a;    // 3m, A times the force direction
};

}  // namespace

struct CoulombSolver::Workspace {
  int capacity = 0;
  std::vector<double> factor, sweep_columns, x, correction, a, f, best_f, c;
  std::vector<int> pivot;
  std::vector<Column> columns;
  std::vector<double> kappa;  // |a_t| / (mu f_n) of a contact that begins to slip, < 0 unknown
  std::vector<double> soft;   // > 0: the contact is solved as f_t = -a_t / soft, in any direction
  std::vector<ContactMode> modes, best_modes;
  std::vector<ContactMode> kept_modes;
  std::vector<double> kept_soft;
  std::vector<Eigen::Vector2d> d, kept_d;
  std::vector<unsigned char> kind, age;
  std::vector<OneContact> local;
  std::vector<int> row_start, row_index;  // nonzero 3 x 3 blocks by columns
  std::vector<int> order, first_row;      // contacts in the order of elimination; first active row of each, -1 if free
  bool sparse = false, blocks_found = false;
  double residual = 0, best_residual = 0;
  bool prepared = false;
  Stats stats;
  LemkeSolver lemke;
  std::vector<double> covering;
  Eigen::MatrixXd polygon_matrix;
  Eigen::VectorXd polygon_q, polygon_z;
  Eigen::MatrixXd polygon_columns;

  void ensure(int m) {
    if (m <= capacity) return;
    capacity = m;
    const std::size_t n = 3 * static_cast<std::size_t>(m), rows = std::min<std::size_t>(n, kMaxActiveRows);
    for (auto* v : {&x, &correction, &a, &f, &best_f, &c}) v->resize(n);
    factor.resize(rows * rows);
    sweep_columns.resize(2 * n * static_cast<std::size_t>(m));
    pivot.resize(n);
    columns.resize(n);
    kappa.resize(m);
    soft.assign(m, 0.0);
    modes.resize(m);
    best_modes.resize(m);
    d.resize(m);
    kept_modes.resize(m);
    kept_soft.resize(m);
    kept_d.resize(m);
    kind.resize(m);
    age.resize(m);
    local.resize(m);
    row_start.resize(m + 1);
    order.resize(m);
    first_row.resize(m);
    row_index.resize(static_cast<std::size_t>(m) * m);
  }
};

namespace {

// What friction allows at a contact, whatever the forces are.
enum Kind : unsigned char { kFrictionless, kCoulomb, kSliding, kNeverSlips };

// The pieces of one solve that all stages share.
struct Task {
  const CoulombProblem& problem;
  int m;
  const double* A;
  long ld;
  double scale, target, tolerance, loose, sign;

  const double* column(int j) const { return A + j * ld; }
  double diagonal(int i) const { return A[i * (ld + 1)]; }
};

// Natural map of one contact, in units of a: zero exactly at a solution.
double contactResidual(const Task& task, int i, Kind kind, const double* a, const double* f) {
  const double s_n = task.diagonal(3 * i), s_t = std::max(task.diagonal(3 * i + 1), task.diagonal(3 * i + 2));
  const double normal = std::abs(std::min(a[3 * i], s_n * f[3 * i]));
  const double f_n = std::max(f[3 * i], 0.0), f1 = f[3 * i + 1], f2 = f[3 * i + 2];
  double tangential = 0;
  switch (kind) {
    case kFrictionless:
      tangential = s_t * (std::abs(f1) + std::abs(f2));
      break;
    case kNeverSlips:
      tangential = f_n > 0 ? std::max(std::abs(a[3 * i + 1]), std::abs(a[3 * i + 2]))
                           : s_t * (std::abs(f1) + std::abs(f2));
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

double naturalResidual(const Task& task, const unsigned char* kind, const double* a, const double* f) {
  double worst = 0;
  for (int i = 0; i < task.m; ++i) worst = std::max(worst, contactResidual(task, i, Kind(kind[i]), a, f));
  return worst / task.scale;
}

// a += u x for a column u of A's pattern that belongs to `contact`.
template <class Workspace>
void addColumn(const Workspace& w, int m, int contact, const double* __restrict u, double x, double* __restrict a) {
  if (!w.sparse) {
    for (int i = 0; i < 3 * m; ++i) a[i] += u[i] * x;
    return;
  }
  for (int e = w.row_start[contact]; e < w.row_start[contact + 1]; ++e) {
    const int r = 3 * w.row_index[e];
    a[r] += u[r] * x;
    a[r + 1] += u[r + 1] * x;
    a[r + 2] += u[r + 2] * x;
  }
}

template <class Workspace>
void multiply(const Task& task, const Workspace& w, const double* f, double* a) {
  const int n = 3 * task.m;
  for (int i = 0; i < n; ++i) a[i] = task.problem.b[i];
  for (int j = 0; j < n; ++j) {
    if (f[j] != 0) addColumn(w, task.m, j / 3, task.column(j), f[j], a);
  }
}

}  // namespace

namespace {

// target = p u + q v + r y on the rows that share a body with `contact`.
template <class Workspace>
void combine(const Workspace& w, int m, int contact, double* __restrict target, const double* u, double p,
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

// Solves the equations of the present modes. Out: w.f and w.a = A f + b; slip directions that are free to turn are
// solved for together with the forces (Newton). @returns false for a singular or oversized system.
template <class Workspace>
bool solveActive(const Task& task, Workspace& w) {
  const int m = task.m, rows = 3 * m;
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
    if (w.modes[i] == ContactMode::kStick || w.soft[i] > 0) {
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

  const auto rowOf = [&w](const Column& column, const double* u) {
    if (column.row < 3) return u[3 * column.contact + column.row];
    const Eigen::Vector2d& d = w.d[column.contact];
    return -d.y() * u[3 * column.contact + 1] + d.x() * u[3 * column.contact + 2];
  };
  const auto diagonalOf = [&w](const Column& column) {
    return column.row == 3 ? w.kappa[column.contact] : column.row > 0 ? w.soft[column.contact] : 0.0;
  };
  double largest = 0;
  for (int j = 0; j < n; ++j) {
    const double* u = w.columns[j].a;
    double* g = &w.factor[static_cast<std::size_t>(j) * n];
    if (!w.sparse) {
      for (int i = 0; i < n; ++i) g[i] = rowOf(w.columns[i], u);
    } else {
      std::fill_n(g, n, 0.0);
      const int contact = w.columns[j].contact;
      for (int e = w.row_start[contact]; e < w.row_start[contact + 1]; ++e) {
        const int other = w.row_index[e];
        if (w.first_row[other] < 0) continue;
        for (int i = w.first_row[other]; i < n && w.columns[i].contact == other; ++i) g[i] = rowOf(w.columns[i], u);
      }
    }
    g[j] += diagonalOf(w.columns[j]);
    const int row = w.columns[j].row == 3 ? 1 : w.columns[j].row;
    largest = std::max(largest, task.diagonal(3 * w.columns[j].contact + row));
  }
  double* g = w.factor.data();
  for (int i = 0; i < n; ++i) g[static_cast<std::size_t>(i) * (n + 1)] += kRegularisation * largest;
  if (!(symmetric ? factorLdlt(g, n) : factorLu(g, n, w.pivot.data()))) return false;

  double* x = w.x.data();
  double* dx = w.correction.data();
  for (int i = 0; i < n; ++i) x[i] = 0;
  for (int refinement = 0; refinement <= kRefinements; ++refinement) {
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      double r = rowOf(w.columns[i], a);
      r += diagonalOf(w.columns[i]) * x[i];
      dx[i] = -r;
      worst = std::max(worst, std::abs(r));
    }
    if (worst <= kRefined * task.scale) break;
    symmetric ? solveLdlt(g, n, dx) : solveLu(g, n, w.pivot.data(), dx);
    for (int j = 0; j < n; ++j) {
      x[j] += dx[j];
      addColumn(w, m, w.columns[j].contact, w.columns[j].a, dx[j], a);
    }
  }
  for (int j = 0; j < n; ++j) {
    const Column& column = w.columns[j];
    double* fi = f + 3 * column.contact;
    if (column.row == 3) {
      fi[1] -= w.d[column.contact].y() * x[j];
      fi[2] += w.d[column.contact].x() * x[j];
    } else {
      fi[column.row] += x[j];
      if (column.row == 0 && w.modes[column.contact] == ContactMode::kSlip && w.soft[column.contact] == 0 &&
          w.kind[column.contact] != kFrictionless) {
        const double t = task.problem.mu[column.contact] * x[j];
        fi[1] -= t * w.d[column.contact].x();
        fi[2] -= t * w.d[column.contact].y();
      }
    }
  }
  return true;
}

// Turns the slip direction of a contact that begins to slip to the one its force and acceleration ask for.
template <class Workspace>
void updateKappa(const Task& task, Workspace& w, int i) {
  const double a1 = w.a[3 * i + 1], a2 = w.a[3 * i + 2];
  const double slip = std::sqrt(a1 * a1 + a2 * a2);
  const double limit = task.problem.mu[i] * w.f[3 * i];
  w.kappa[i] = slip > kStill * task.scale && limit > 0 ? slip / limit : -1;
}

// The residual of w.f, w.a; the best of all candidates is remembered.
template <class Workspace>
double noteCandidate(const Task& task, Workspace& w) {
  const double residual = naturalResidual(task, w.kind.data(), w.a.data(), w.f.data());
  if (residual < w.best_residual) {
    w.best_residual = residual;
    std::copy_n(w.f.data(), 3 * task.m, w.best_f.data());
    std::copy_n(w.modes.data(), task.m, w.best_modes.data());
  }
  return residual;
}

template <class Workspace>
void takeBest(const Task& task, Workspace& w) {
  std::copy_n(w.best_f.data(), 3 * task.m, w.f.data());
  std::copy_n(w.best_modes.data(), task.m, w.modes.data());
}

template <class Workspace>
void prepareLocal(const Task& task, Workspace& w) {
  if (w.prepared) return;
  for (int i = 0; i < task.m; ++i) w.local[i].prepare(task.A + 3 * i * (task.ld + 1), task.ld);
  w.prepared = true;
}

// Mode and direction that contact i takes by itself while the other forces stand.
template <class Workspace>
void chooseLocally(const Task& task, Workspace& w, int i) {
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

// Active-set search from w.modes, w.d. @returns true when the natural-map residual reached the tolerance.
template <class Workspace>
bool searchActiveSet(const Task& task, Workspace& w, int max_changes) {
  const int m = task.m;
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
    if (!changed) return residual <= task.tolerance;
  }
  if (!(w.best_residual <= task.tolerance)) return false;
  takeBest(task, w);
  return true;
}

// Search with slip as a tangential compliance: f_t = -a_t / soft_i, soft_i >= 0 adjusted until |f_t| = mu f_n. For
// given
// compliances the system is symmetric semidefinite, so that no direction of slip can make it inconsistent; it converges
// more slowly than the Newton steps of searchActiveSet, which finish it.
template <class Workspace>
bool searchByCompliance(const Task& task, Workspace& w, int max_changes) {
  const int m = task.m;
  for (int i = 0; i < m; ++i) {
    w.soft[i] = 0;
    w.age[i] = 0;
    w.modes[i] = w.kind[i] == kFrictionless || w.kind[i] == kSliding ? ContactMode::kSlip : ContactMode::kStick;
  }
  bool solved = false;
  for (int change = 0, settled = 0; change < max_changes; ++change) {
    ++w.stats.set_changes;
    if (!solveActive(task, w)) break;
    const double* a = w.a.data();
    const double* f = w.f.data();
    const bool bulk = m > kFewContacts && change < max_changes / 4;
    int worst = -1;
    double value = -task.sign;
    for (int i = 0; i < m; ++i) {
      const double v = w.modes[i] == ContactMode::kFree ? a[3 * i] : task.diagonal(3 * i) * f[3 * i];
      if (v < value) value = v, worst = i;
    }
    if (worst >= 0) {
      for (int i = 0; i < m; ++i) {
        const bool free = w.modes[i] == ContactMode::kFree;
        const double v = free ? a[3 * i] : task.diagonal(3 * i) * f[3 * i];
        if (i != worst && !(bulk && v < 0.3 * value)) continue;
        if (!free) {
          // Friction that pulls the contact away must yield before the contact may open.
          const double s_t = w.local[i].lambda[0];
          if (w.kind[i] == kCoulomb && w.soft[i] < kSoftest * s_t) {
            w.soft[i] = 10 * std::max(w.soft[i], 0.3 * s_t);
            w.modes[i] = ContactMode::kSlip;
            w.age[i] = 1;
          } else {
            w.modes[i] = ContactMode::kFree;
          }
        } else {
          w.modes[i] = w.kind[i] == kFrictionless || w.kind[i] == kSliding ? ContactMode::kSlip : ContactMode::kStick;
          w.soft[i] = 0;
        }
      }
      continue;
    }
    double largest_change = 0;
    for (int i = 0; i < m; ++i) {
      if (w.kind[i] != kCoulomb || w.modes[i] == ContactMode::kFree) continue;
      const double f1 = f[3 * i + 1], f2 = f[3 * i + 2], limit = task.problem.mu[i] * std::max(f[3 * i], 0.0);
      const double length = std::sqrt(f1 * f1 + f2 * f2), s_t = w.local[i].lambda[1];
      // Exact for one contact with one tangential direction: f_t = q / (S + soft).
      const double ratio = std::min(limit > 0 ? length / limit : 1e3, 1e3);
      const double next = w.soft[i] + (ratio - 1) * (s_t + w.soft[i]);
      double soft = next > 0 && length > 0 ? next : 0;
      if (w.age[i]) soft = std::max(soft, 0.25 * w.soft[i]);
      largest_change = std::max(largest_change, std::abs(soft - w.soft[i]) / (soft + w.soft[i] + s_t));
      w.soft[i] = soft;
      w.modes[i] = soft > 0 ? ContactMode::kSlip : ContactMode::kStick;
      if (soft > 0) w.d[i] = Eigen::Vector2d(-f1 / length, -f2 / length);
    }
    if (largest_change > 0.1 && ++settled % 8 != 0) continue;
    // Finish by Newton; from its failure the compliances continue.
    for (int i = 0; i < m; ++i) {
      w.kept_soft[i] = w.soft[i];
      w.kept_modes[i] = w.modes[i];
      w.kept_d[i] = w.d[i];
      w.kappa[i] = -1;
      if (w.modes[i] == ContactMode::kSlip && w.kind[i] == kCoulomb) w.kappa[i] = w.soft[i];
      w.soft[i] = 0;
    }
    solved = searchActiveSet(task, w, kFinishingChanges + std::min(m, kFewContacts * 4));
    if (solved) break;
    for (int i = 0; i < m; ++i) {
      w.soft[i] = w.kept_soft[i];
      w.modes[i] = w.kept_modes[i];
      w.d[i] = w.kept_d[i];
    }
  }
  for (int i = 0; i < m; ++i) w.soft[i] = 0;
  return solved;
}

// Which contacts share a body: the nonzero blocks of A, by columns; and an order of elimination, breadth first from a
// contact
// of least degree (Cuthill-McKee), which keeps stacks banded.
template <class Workspace>
void findBlocks(const Task& task, Workspace& w) {
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
      std::sort(w.order.begin() + from, w.order.begin() + placed, [&](int x, int y) {
        return degree(x) != degree(y) ? degree(x) < degree(y) : x < y;
      });
    }
  }
}

// Block Gauss-Seidel with exact one-contact solves, on w.f and w.a. @returns the residual reached.
template <class Workspace>
double sweep(const Task& task, Workspace& w, int sweeps, double goal) {
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
    const double length = std::hypot(f[3 * i + 1], f[3 * i + 2]);
    if (length > 0) w.d[i] = Eigen::Vector2d(-f[3 * i + 1] / length, -f[3 * i + 2] / length);
    updateKappa(task, w, i);
  }
  return residual;
}

// Sets w.f, w.a, w.modes, w.d to a solution of the problem with polygonal cones, which Lemke's method always finds for
// velocity-level problems. Round 0 uses regular polygons, later rounds turn towards the directions of w.d: edges at w.d
// and at +-angle around it, the angle shrinking with the round.
template <class Workspace>
bool startFromPolygon(const Task& task, Workspace& w, int round, int series) {
  const int m = task.m, rows = 3 * m;
  constexpr int kRegular = 6, kAround = 3;
  const double spread = std::numbers::pi / kRegular / std::pow(3.0, round - 1);
  // Unknowns: normals, then friction directions, then one slip speed per contact with friction.
  int n = m, cones = 0;
  for (int i = 0; i < m; ++i) {
    if (w.kind[i] == kCoulomb || w.kind[i] == kNeverSlips) ++cones, n += kRegular + (round > 0 ? kAround : 0);
  }
  const int directions = n - m;
  w.polygon_columns.setZero(rows, n);
  w.polygon_matrix.setZero(n + cones, n + cones);
  w.polygon_q.setZero(n + cones);
  w.polygon_z.setZero(n + cones);
  auto& U = w.polygon_columns;  // force per unknown
  std::vector<int>& first = w.pivot;
  int next = m;
  for (int i = 0; i < m; ++i) {
    U(3 * i, i) = 1;
    first[i] = next;
    if (w.kind[i] == kSliding) {
      U(3 * i + 1, i) = -task.problem.mu[i] * task.problem.direction[i].x();
      U(3 * i + 2, i) = -task.problem.mu[i] * task.problem.direction[i].y();
    }
    if (w.kind[i] != kCoulomb && w.kind[i] != kNeverSlips) continue;
    const double centre = std::atan2(-w.d[i].y(), -w.d[i].x());
    for (int k = 0; k < kRegular; ++k, ++next) {
      const double angle = centre + 2 * std::numbers::pi * k / kRegular;
      U(3 * i + 1, next) = std::cos(angle), U(3 * i + 2, next) = std::sin(angle);
    }
    for (int k = 0; round > 0 && k < kAround; ++k, ++next) {
      const double angle = centre + spread * (k == 0 ? 1 : k == 1 ? -1 : 0.5);
      U(3 * i + 1, next) = std::cos(angle), U(3 * i + 2, next) = std::sin(angle);
    }
  }
  double largest = 0;
  for (int i = 0; i < rows; ++i) largest = std::max(largest, task.diagonal(i));
  if (!(largest > 0)) return false;
  // Rows: normal accelerations and those along the friction directions.
  Eigen::MatrixXd& G = w.polygon_matrix;
  G.topLeftCorner(n, n).noalias() = U.transpose() * (task.problem.A * U) / largest;
  w.polygon_q.head(n).noalias() = U.transpose() * task.problem.b / task.scale;
  for (int i = 0; i < m; ++i) {
    if (w.kind[i] != kSliding) continue;  // its equation is that of the normal alone
    G.row(i).head(n) = (task.problem.A.row(3 * i) * U) / largest;
    w.polygon_q[i] = task.problem.b[3 * i] / task.scale;
  }
  int cone = n;
  for (int i = 0; i < m; ++i) {
    if (w.kind[i] != kCoulomb && w.kind[i] != kNeverSlips) continue;
    const double mu = std::min(task.problem.mu[i], 1e6), damp = 1 / std::max(1.0, mu);
    const int count = directions / cones;
    for (int k = first[i]; k < first[i] + count; ++k) G(k, cone) = damp, G(cone, k) = -damp;
    G(cone, i) = mu * damp;
    ++cone;
  }
  w.covering.resize(n + cones);
  std::uint64_t state = static_cast<std::uint64_t>(series);
  for (double& c : w.covering) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    c = series == 0 ? 1 : 0.1 + static_cast<double>(state >> 40) / (1 << 24);
  }
  LemkeOptions lemke_options;
  lemke_options.covering = w.covering.data();
  if (w.lemke.solve(G, w.polygon_q, w.polygon_z, lemke_options) != LcpStatus::kSolved) return false;
  Eigen::Map<Eigen::VectorXd> f(w.f.data(), rows);
  f.noalias() = U * w.polygon_z.head(n) * (task.scale / largest);
  multiply(task, w, w.f.data(), w.a.data());
  cone = n;
  for (int i = 0; i < m; ++i) {
    w.kappa[i] = -1;
    w.modes[i] = w.f[3 * i] > 0 ? ContactMode::kSlip : ContactMode::kFree;
    const bool has_cone = w.kind[i] == kCoulomb || w.kind[i] == kNeverSlips;
    const bool slips = has_cone && w.polygon_z[cone] > 0;
    if (has_cone) ++cone;
    if (!has_cone || w.modes[i] == ContactMode::kFree) continue;
    if (w.kind[i] == kNeverSlips || !slips) {
      w.modes[i] = ContactMode::kStick;
      continue;
    }
    const double s_t = std::max(task.diagonal(3 * i + 1), task.diagonal(3 * i + 2));
    const double p1 = -s_t * w.f[3 * i + 1] + w.a[3 * i + 1], p2 = -s_t * w.f[3 * i + 2] + w.a[3 * i + 2];
    const double length = std::sqrt(p1 * p1 + p2 * p2);
    if (length > 0) w.d[i] = Eigen::Vector2d(p1 / length, p2 / length);
    updateKappa(task, w, i);
  }
  return true;
}

}  // namespace

CoulombSolver::CoulombSolver() : work_(new Workspace) {}
CoulombSolver::~CoulombSolver() { delete work_; }
double CoulombSolver::residual() const { return work_->residual; }
const CoulombSolver::Stats& CoulombSolver::stats() const { return work_->stats; }

CoulombStatus CoulombSolver::solve(const CoulombProblem& problem, std::span<ContactMode> modes,
                                   std::span<Eigen::Vector2d> direction_out, Eigen::Ref<Eigen::VectorXd> f,
                                   const CoulombOptions& options) {
  Workspace& w = *work_;
  const int m = static_cast<int>(problem.mu.size());
  ++w.stats.solves;
  w.residual = 0;
  double scale = 0, lowest = HUGE_VAL;
  bool finite = true;
  for (int i = 0; i < 3 * m; ++i) {
    const double v = std::abs(problem.b[i]);
    if (!(v <= kLargest && problem.A(i, i) >= 0 && problem.A(i, i) <= kLargest)) finite = false;
    scale = std::max(scale, v);
    if (i % 3 == 0) lowest = std::min(lowest, problem.b[i]);
  }
  if (!finite) {
    ++w.stats.failures;
    w.residual = HUGE_VAL;
    return CoulombStatus::kFailed;
  }
  if (lowest >= 0 || m == 0) {
    f.setZero();
    for (int i = 0; i < m; ++i) modes[i] = ContactMode::kFree;
    return CoulombStatus::kSolved;
  }
  w.ensure(m);
  w.prepared = w.blocks_found = false;
  w.sparse = m > kDenseContacts;
  const Task task{problem, m, problem.A.data(), static_cast<long>(problem.A.outerStride()), scale,
                  kDirectionFraction * options.tolerance, options.tolerance, options.loose_tolerance,
                  kSignFraction * options.tolerance * scale};

  if (w.sparse) findBlocks(task, w);
  bool onset = false;
  for (int i = 0; i < m; ++i) {
    const double mu = problem.mu[i];
    w.kind[i] = mu == kNoSlip ? kNeverSlips : mu == 0 ? kFrictionless : problem.slides[i] ? kSliding : kCoulomb;
    w.kappa[i] = -1;
    w.modes[i] = modes[i];
    if (modes[i] == ContactMode::kFree) continue;
    if (w.kind[i] == kNeverSlips) w.modes[i] = ContactMode::kStick;
    if (w.kind[i] == kFrictionless || w.kind[i] == kSliding) w.modes[i] = ContactMode::kSlip;
  }
  for (int i = 0; i < m; ++i) {
    w.d[i] = Eigen::Vector2d(1, 0);
    if (w.kind[i] == kSliding) w.d[i] = problem.direction[i];
    if (w.kind[i] != kCoulomb) continue;
    double x = -f[3 * i + 1], y = -f[3 * i + 2], length = std::sqrt(x * x + y * y);
    if (w.modes[i] == ContactMode::kSlip && length > 0) onset = true;
    if (!(length > 0)) x = problem.b[3 * i + 1], y = problem.b[3 * i + 2], length = std::sqrt(x * x + y * y);
    if (length > 0 && std::isfinite(length)) w.d[i] = Eigen::Vector2d(x / length, y / length);
  }
  if (onset) {
    // The guessed forces give the first Newton step its slip speeds.
    std::copy_n(f.data(), 3 * m, w.f.data());
    multiply(task, w, w.f.data(), w.a.data());
    for (int i = 0; i < m; ++i) {
      if (w.kind[i] == kCoulomb && w.modes[i] == ContactMode::kSlip) updateKappa(task, w, i);
    }
  }

  w.best_residual = HUGE_VAL;
  const int max_changes = std::max(options.max_set_changes, m > kFewContacts ? std::min(8 * m, kManyChanges) : 0);
  const auto finish = [&](CoulombStatus status) {
    for (int i = 0; i < m; ++i) {
      // Signs that are negative by less than the tolerance: the answer obeys f_n >= 0 exactly.
      if (w.f[3 * i] <= 0 || w.modes[i] == ContactMode::kFree) w.f[3 * i] = w.f[3 * i + 1] = w.f[3 * i + 2] = 0;
    }
    multiply(task, w, w.f.data(), w.a.data());
    w.residual = naturalResidual(task, w.kind.data(), w.a.data(), w.f.data());
    for (int i = 0; i < m; ++i) {
      modes[i] = w.modes[i];
      f[3 * i] = w.f[3 * i], f[3 * i + 1] = w.f[3 * i + 1], f[3 * i + 2] = w.f[3 * i + 2];
      if (modes[i] != ContactMode::kSlip) continue;
      Eigen::Vector2d d = w.d[i];
      if (w.kind[i] == kFrictionless && !problem.slides[i]) d = Eigen::Vector2d(w.a[3 * i + 1], w.a[3 * i + 2]);
      if (w.kind[i] == kFrictionless && problem.slides[i]) d = problem.direction[i];
      if (w.kind[i] == kCoulomb) d = Eigen::Vector2d(-f[3 * i + 1], -f[3 * i + 2]);
      const double length = d.norm();
      direction_out[i] = length > 0 ? Eigen::Vector2d(d / length) : w.d[i];
    }
    // Cutting tiny negative forces may have cost something.
    if (w.residual > options.tolerance) status = CoulombStatus::kApproximate;
    return w.residual <= options.loose_tolerance ? status : CoulombStatus::kFailed;
  };

  if (searchActiveSet(task, w, max_changes)) return finish(CoulombStatus::kSolved);
  ++w.stats.fallbacks;
  // A guess that solves the problem already, but not as the regular solution of its modes.
  for (int i = 0; i < 3 * m; ++i) w.f[i] = std::isfinite(f[i]) ? f[i] : 0;
  for (int i = 0; i < m; ++i) w.modes[i] = modes[i];
  multiply(task, w, w.f.data(), w.a.data());
  if (noteCandidate(task, w) <= task.tolerance) return finish(CoulombStatus::kSolved);
  const bool sliding = std::find(w.kind.begin(), w.kind.begin() + m, kSliding) != w.kind.begin() + m;
  if (sliding && m == 1) {  // The search tried both modes.
    ++w.stats.failures;
    w.residual = w.best_residual;
    return CoulombStatus::kFailed;
  }
  findBlocks(task, w);
  prepareLocal(task, w);
  if (searchByCompliance(task, w, std::min(4 * max_changes, 2 * kManyChanges))) return finish(CoulombStatus::kSolved);
  ++w.stats.sweep_fallbacks;
  if (m <= kPolygonContacts) {
    const int rounds = sliding ? kSlidingRounds : kPolygonRounds, all = sliding ? 1 : kPolygonSeries;
    for (int round = 0, series = 0; series < all; ++round) {
      if (round == rounds && ++series == all) break;
      if (round == rounds) round = 0;
      if (!startFromPolygon(task, w, round, series)) {
        round = -1, ++series;
        continue;
      }
      // The polygons are inscribed: where nothing slips their solution is exact.
      if (noteCandidate(task, w) <= task.target) return finish(CoulombStatus::kSolved);
      std::copy_n(w.d.data(), m, w.kept_d.data());
      if (searchActiveSet(task, w, kFinishingChanges + std::min(m, kFewContacts * 4))) {
        return finish(CoulombStatus::kSolved);
      }
      std::copy_n(w.kept_d.data(), m, w.d.data());
    }
  }
  if (w.best_residual <= task.tolerance) {
    takeBest(task, w);
    return finish(CoulombStatus::kSolved);
  }
  ++w.stats.polygon_failures;
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < 3; ++k) w.f[3 * i + k] = 0;
  }
  const auto continueFrom = [&] {
    std::copy_n(w.f.data(), 3 * m, w.c.data());
    const bool solved = searchActiveSet(task, w, std::max(options.max_set_changes, std::min(2 * m, kManyChanges / 4)));
    if (!solved) std::copy_n(w.c.data(), 3 * m, w.f.data());
    return solved;
  };
  const int first_sweeps = sliding ? std::min(options.max_sweeps, kSlidingSweeps) : options.max_sweeps;
  for (int done = 0, batch = 16; done < first_sweeps; done += batch, batch *= 2) {
    if (sweep(task, w, batch, task.target) <= task.target) return finish(CoulombStatus::kSolved);
    if (continueFrom()) return finish(CoulombStatus::kSolved);
  }
  const double reached = sweep(task, w, sliding ? kSlidingSweeps : kLateSweeps, task.tolerance);
  if (reached <= task.tolerance) return finish(CoulombStatus::kSolved);
  if (continueFrom()) return finish(CoulombStatus::kSolved);
  w.residual = w.best_residual;
  if (w.best_residual <= options.loose_tolerance) {
    takeBest(task, w);
    return finish(CoulombStatus::kApproximate);
  }
  ++w.stats.failures;
  return CoulombStatus::kFailed;
}

}  // namespace rigor::impact
