// SPDX-License-Identifier: MIT
#include "friction/coulomb_stages.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "friction/dense_factor.h"
#include "friction/wide.h"

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
// Steps of a search before it is looked for cycles: most take fewer.
constexpr int kFirstKept = 8;
// Of the worst violated sign: contacts that are worse than this share of it change with it.
constexpr double kBulkShare = 0.3;

// target = p u + q v + r y on the rows that share a body with `contact`.
void combine(const CoulombWorkspace& w, int m, int contact, double* __restrict target, const double* u, double p,
             const double* v, double q, const double* y, double r) {
  if (!w.gaps) {
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

/// The equations of the present modes: an unknown and a row for each direction in which a contact may push.
class ActiveSystem {
 public:
  ActiveSystem(const CoulombTask& task, CoulombWorkspace& w) : task_(task), w_(w) {}

  /// The columns of the active contacts. @returns how many.
  int gather() {
    double* next_column = w_.sweep_columns.data();
    for (int k = 0; k < task_.m; ++k) {
      const int i = w_.sparse ? w_.order[k] : k;
      w_.first_row[i] = -1;
      if (w_.modes[i] == ContactMode::kFree) continue;
      w_.first_row[i] = n_;
      addColumns(i, next_column);
    }
    return n_;
  }

  /// Unknowns of least residual, in w.x. @returns false for a singular system.
  bool solve() {
    for (int j = 0; j < n_; ++j) {
      const int row = w_.columns[j].row == 3 ? 1 : w_.columns[j].row;
      largest_ = std::max(largest_, task_.diagonal(3 * w_.columns[j].contact + row));
    }
    const double redundant = kRedundantPivot * largest_;
    double pivot = n_ <= kSmallSystem ? factor(0) : 0;
    if (!(pivot > redundant)) regularisation_ = kRegularisation * largest_, pivot = factor(regularisation_);
    if (!(pivot > 0)) return false;
    filtered_ = !(pivot > redundant);
    if (filtered_ && task_.m > kSeveralContacts) keepGiven();
    refine();
    return true;
  }

  /// Forces of the unknowns, to w.f.
  void collectForces() {
    double* __restrict f = w_.f.data();
    const double* x = w_.x.data();
    for (int j = 0; j < n_; ++j) {
      const ActiveColumn& column = w_.columns[j];
      const Eigen::Vector2d& d = w_.d[column.contact];
      double* fi = f + 3 * column.contact;
      if (column.row == 3) {
        fi[1] -= d.y() * x[j];
        fi[2] += d.x() * x[j];
        continue;
      }
      fi[column.row] += x[j];
      if (column.row != 0 || w_.modes[column.contact] != ContactMode::kSlip || w_.kind[column.contact] == kFrictionless)
        continue;
      const double t = task_.problem.mu[column.contact] * x[j];
      fi[1] -= t * d.x();
      fi[2] -= t * d.y();
    }
  }

 private:
  /// Equations do not tell how redundant contacts share what they bear. The least forces of all may pull where those
  /// given do not: what is solved for is the least change of these, as far as the modes have them.
  void keepGiven() {
    for (int i = 0; i < task_.m; ++i) {
      const double* given = w_.given.data() + 3 * i;
      if (w_.first_row[i] < 0 || !(given[0] > 0)) continue;
      double* f = w_.f.data() + 3 * i;
      const bool sticks = w_.modes[i] == ContactMode::kStick;
      if (sticks && w_.columns[w_.first_row[i]].row == 1) continue;  // Of one tangent: it is regular.
      const double mu = w_.kind[i] == kFrictionless ? 0 : task_.problem.mu[i];
      f[0] = given[0];
      f[1] = sticks ? given[1] : -mu * given[0] * w_.d[i].x();
      f[2] = sticks ? given[2] : -mu * given[0] * w_.d[i].y();
    }
    multiply(task_, w_, w_.f.data(), w_.a.data());
  }

  void addColumns(int i, double*& next_column) {
    const double *an = task_.column(3 * i), *a1 = task_.column(3 * i + 1), *a2 = task_.column(3 * i + 2);
    if (w_.modes[i] == ContactMode::kStick && !task_.problem.one_tangent.empty() && task_.problem.one_tangent[i]) {
      w_.columns[n_++] = {i, 1, a1};
      pressAlone(i);
      return;
    }
    if (w_.modes[i] == ContactMode::kStick) {
      w_.columns[n_++] = {i, 0, an};
      w_.columns[n_++] = {i, 1, a1};
      w_.columns[n_++] = {i, 2, a2};
      return;
    }
    if (w_.kind[i] == kFrictionless) {
      w_.columns[n_++] = {i, 0, an};
      return;
    }
    const double mu = task_.problem.mu[i], m1 = mu * w_.d[i].x(), m2 = mu * w_.d[i].y();
    combine(w_, task_.m, i, next_column, an, 1, a1, -m1, a2, -m2);
    w_.columns[n_++] = {i, 0, next_column};
    next_column += 3 * task_.m;
    symmetric_ = false;
    if (!(w_.kappa[i] >= 0)) return;
    combine(w_, task_.m, i, next_column, an, 0, a1, -w_.d[i].y(), a2, w_.d[i].x());
    w_.columns[n_++] = {i, 3, next_column};
    next_column += 3 * task_.m;
  }

  /// Rows that are coupled to nothing, solved at once.
  void pressAlone(int i) {
    for (const int row : {3 * i, 3 * i + 2}) {
      if (!(task_.diagonal(row) > 0)) continue;
      w_.f[row] = -task_.problem.b[row] / task_.diagonal(row);
      w_.a[row] = 0;
    }
  }

  double rowOf(const ActiveColumn& column, const double* u) const {
    if (column.row < 3) return u[3 * column.contact + column.row];
    const Eigen::Vector2d& d = w_.d[column.contact];
    return -d.y() * u[3 * column.contact + 1] + d.x() * u[3 * column.contact + 2];
  }
  double diagonalOf(const ActiveColumn& column) const { return column.row == 3 ? w_.kappa[column.contact] : 0.0; }

  /// All rows of a full column, without a question for each: rows of a contact follow one another.
  void rowsOf(const double* __restrict u, double* __restrict out) const {
    for (int i = 0; i < n_;) {
      const int contact = w_.columns[i].contact;
      const double* v = u + 3 * contact;
      if (w_.columns[i].row == 1) {  // Of one tangent, alone.
        out[i++] = v[1];
        continue;
      }
      out[i++] = v[0];
      if (i == n_ || w_.columns[i].contact != contact) continue;
      if (w_.columns[i].row == 3) {
        const Eigen::Vector2d& d = w_.d[contact];
        out[i++] = -d.y() * v[1] + d.x() * v[2];
      } else {
        out[i] = v[1], out[i + 1] = v[2];
        i += 2;
      }
    }
  }

  /// @returns the smallest pivot; 0: none can be had.
  double factor(double regularisation) {
    double* g = w_.factor.data();
    for (int j = 0; j < n_; ++j) {
      const double* u = w_.columns[j].a;
      double* column = g + static_cast<std::size_t>(j) * n_;
      if (!w_.gaps) {
        rowsOf(u, column);
      } else {
        std::fill_n(column, n_, 0.0);
        const int contact = w_.columns[j].contact;
        for (int e = w_.row_start[contact]; e < w_.row_start[contact + 1]; ++e) {
          const int other = w_.row_index[e];
          if (w_.first_row[other] < 0) continue;
          for (int i = w_.first_row[other]; i < n_ && w_.columns[i].contact == other; ++i)
            column[i] = rowOf(w_.columns[i], u);
        }
      }
      column[j] += diagonalOf(w_.columns[j]) + regularisation;
    }
    if (!(symmetric_ ? factorLdlt(g, n_) : factorLu(g, n_, w_.pivot.data()))) return 0.0;
    double inverse = 0;  // Both keep pivots inverted.
    for (int i = 0; i < n_; ++i) inverse = std::max(inverse, std::abs(g[static_cast<std::size_t>(i) * (n_ + 1)]));
    return 1 / inverse;
  }

  void backSubstitute(double* r) {
    symmetric_ ? solveLdlt(w_.factor.data(), n_, r) : solveLu(w_.factor.data(), n_, w_.pivot.data(), r);
  }

  /// a += the columns from j on times dx, four of them, one after the other: a is read and written once.
  void addFour(int j, const double* dx, double* __restrict a) const {
    const double *u0 = w_.columns[j].a, *u1 = w_.columns[j + 1].a, *u2 = w_.columns[j + 2].a, *u3 = w_.columns[j + 3].a;
    const double x0 = dx[0], x1 = dx[1], x2 = dx[2], x3 = dx[3];
    for (int i = 0; i < 3 * task_.m; ++i) a[i] = (((a[i] + u0[i] * x0) + u1[i] * x1) + u2[i] * x2) + u3[i] * x3;
  }

  void refine() {
    double* x = w_.x.data();
    double* dx = w_.correction.data();
    double* __restrict a = w_.a.data();
    for (int i = 0; i < n_; ++i) x[i] = 0;
    for (int refinement = 0; refinement <= kActiveRefinements; ++refinement) {
      double worst = 0;
      rowsOf(a, dx);
      for (int i = 0; i < n_; ++i) {
        const double r = dx[i] + diagonalOf(w_.columns[i]) * x[i];
        dx[i] = -r;
        worst = std::max(worst, std::abs(r));
      }
      if (worst <= kActiveRefined * task_.scale) break;
      backSubstitute(dx);
      if (filtered_) {
        // What redundant rows contradict each other in would grow into internal forces with every pass; this leaves
        // them none.
        double* __restrict again = w_.again.data();
        for (int i = 0; i < n_; ++i) again[i] = dx[i];
        backSubstitute(again);
        for (int i = 0; i < n_; ++i) dx[i] -= regularisation_ * again[i];
      }
      for (int j = 0; j < n_; ++j) x[j] += dx[j];
      int j = 0;
      for (; j + 4 <= n_ && !w_.gaps; j += 4) addFour(j, dx + j, a);
      for (; j < n_; ++j) addColumn(w_, task_.m, w_.columns[j].contact, w_.columns[j].a, dx[j], a);
    }
  }

  const CoulombTask& task_;
  CoulombWorkspace& w_;
  int n_ = 0;
  bool symmetric_ = true, filtered_ = false;
  double largest_ = 0, regularisation_ = 0;
};

/// Contacts that pull, the worst first, let go: in bulk all that pull nearly as much. @returns whether one did.
bool dropPulling(const CoulombTask& task, CoulombWorkspace& w, bool bulk) {
  const double* f = w.f.data();
  int worst = -1;
  double value = -task.sign;
  for (int i = 0; i < task.m; ++i) {
    if (w.modes[i] == ContactMode::kFree) continue;
    const double v = task.diagonal(3 * i) * f[3 * i];
    if (v < value) value = v, worst = i;
  }
  if (worst < 0) return false;
  for (int i = 0; i < task.m; ++i) {
    const bool pulls = bulk && w.modes[i] != ContactMode::kFree && task.diagonal(3 * i) * f[3 * i] < kBulkShare * value;
    if (i != worst && !pulls) continue;
    // A stick force that pulls may only mean that the contact slips.
    if (w.kind[i] == kCoulomb && w.modes[i] == ContactMode::kStick) {
      chooseLocally(task, w, i);
      if (w.modes[i] != ContactMode::kStick) continue;
    }
    w.modes[i] = ContactMode::kFree;
  }
  return true;
}

/// The same of free contacts that approach: they hold.
bool takeApproaching(const CoulombTask& task, CoulombWorkspace& w, bool bulk) {
  const double* a = w.a.data();
  int worst = -1;
  double value = -task.sign;
  for (int i = 0; i < task.m; ++i)
    if (w.modes[i] == ContactMode::kFree && a[3 * i] < value) value = a[3 * i], worst = i;
  if (worst < 0) return false;
  for (int i = 0; i < task.m; ++i) {
    if (i != worst && !(bulk && w.modes[i] == ContactMode::kFree && a[3 * i] < kBulkShare * value)) continue;
    w.modes[i] = w.kind[i] == kFrictionless || w.kind[i] == kSliding ? ContactMode::kSlip : ContactMode::kStick;
    w.kappa[i] = -1;
    if (w.kind[i] == kCoulomb) chooseLocally(task, w, i);
  }
  return true;
}

/// Stick outside the disc slips, slip inside it sticks, and slip directions turn. @returns whether anything changed.
bool changeFriction(const CoulombTask& task, CoulombWorkspace& w) {
  const double *a = w.a.data(), *f = w.f.data();
  bool changed = false;
  for (int i = 0; i < task.m; ++i) {
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
  return changed;
}

/// Notices that a search is where it was before: from there on it repeats itself.  [Brent80]
class Cycle {
 public:
  Cycle(const CoulombTask& task, CoulombWorkspace& w) : m_(task.m), w_(w) {}

  /// @returns the number of steps since the search was here; 0 where that is not known.
  int look() {
    if (kept_ && std::equal(w_.modes_before.begin(), w_.modes_before.end(), w_.modes.begin()) &&
        std::equal(w_.d_before.begin(), w_.d_before.end(), w_.d.begin()) &&
        std::equal(w_.kappa_before.begin(), w_.kappa_before.end(), w_.kappa.begin()))
      return std::exchange(steps_, 1);
    if (steps_ == next_) {
      w_.modes_before.assign(w_.modes.begin(), w_.modes.begin() + m_);
      w_.d_before.assign(w_.d.begin(), w_.d.begin() + m_);
      w_.kappa_before.assign(w_.kappa.begin(), w_.kappa.begin() + m_);
      next_ *= 2, steps_ = 0, kept_ = true;
    }
    ++steps_;
    return 0;
  }

 private:
  int m_;
  CoulombWorkspace& w_;
  int steps_ = 0, next_ = kFirstKept;  // Since the state that is kept, and after how many another one is.
  bool kept_ = false;
};

RIGOR_WIDE __attribute__((flatten)) bool solveSeveral(const CoulombTask& task, CoulombWorkspace& w) {
  std::copy_n(task.problem.b.data(), 3 * task.m, w.a.data());
  std::fill_n(w.f.data(), 3 * task.m, 0.0);
  ActiveSystem system(task, w);
  const int unknowns = system.gather();
  if (unknowns == 0) return true;
  if (unknowns > kMaxActiveRows || !system.solve()) return false;
  system.collectForces();
  return true;
}

}  // namespace

bool solveActive(const CoulombTask& task, CoulombWorkspace& w) {
  return (task.m == 1 && solveOneActive(task, w)) || solveSeveral(task, w);
}

namespace {

/// Steps of a search that changes all violated signs at once (`bulk`), or one at a time. @returns whether it has found
/// a solution, where it is at its end.
std::optional<bool> searchPhase(const CoulombTask& task, CoulombWorkspace& w, bool bulk, int steps) {
  Cycle cycle(task, w);
  for (int step = 0; step < steps; ++step) {
    if (const int length = cycle.look(); length > 0) step += (steps - step) / length * length;  // They lead nowhere.
    if (step >= steps) break;
    ++w.stats.set_changes;
    if (!solveActive(task, w)) return false;
    const double residual = noteCandidate(task, w);
    if (residual <= task.target) return true;
    if (dropPulling(task, w, bulk) || takeApproaching(task, w, bulk) || changeFriction(task, w)) continue;
    w.settled = true;
    return residual <= task.tolerance;
  }
  return {};
}

}  // namespace

bool searchActiveSet(const CoulombTask& task, CoulombWorkspace& w, int max_changes) {
  w.settled = false;
  // Many contacts: change all violated signs at once while that makes progress, then one at a time.
  const int bulk = task.m > kFewContacts ? max_changes / 2 : 0;
  std::optional<bool> found = searchPhase(task, w, true, bulk);
  if (!found) found = searchPhase(task, w, false, max_changes + 1 - bulk);
  if (found) return *found;
  if (!(w.best_residual <= task.tolerance)) return false;
  takeBest(task, w);
  return true;
}

}  // namespace rigor::friction
