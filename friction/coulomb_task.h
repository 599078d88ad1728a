// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "friction/coulomb.h"
#include "friction/one_contact.h"
#include "friction/solver.h"

namespace rigor::friction {

// What the stages of CoulombSolver (coulomb_stages.h) share: the problem, the buffers, the residual.

/// Above this number of contacts searches are short, and redundant ones keep the forces given.
inline constexpr int kSeveralContacts = 8;
/// Above this number of contacts several signs are changed at once.
inline constexpr int kFewContacts = 6;
/// Above this number of contacts only the nonzero blocks of A are visited, in an order that keeps the factors narrow.
inline constexpr int kDenseContacts = 12;
/// Above this number of active rows a dense factorisation costs more than it gains.
inline constexpr int kMaxActiveRows = 1500;
/// The active equations are refined at most so often, until their residual relative to the scale of b is below the
/// second.
inline constexpr int kActiveRefinements = 3;
inline constexpr double kActiveRefined = 1e-14;
/// Pivots below this share of the largest diagonal entry: rows that are combinations of others.
inline constexpr double kRedundantPivot = 1e-7;
/// Newton steps with which the other searches try to finish.
inline constexpr int kFinishingChanges = 8;
/// Active sets of more rows are not searched for where these are redundant: each change factors all of them, and hardly
/// ever leads to better forces than the graph's.
inline constexpr int kRegularRows = 60;

/// One problem, its scale and the residuals asked for.
struct CoulombTask {
  const CoulombProblem& problem;
  int m;
  const double* A;
  long ld;
  double scale, target, tolerance, loose, sign;

  const double* column(int j) const { return A + j * ld; }
  double diagonal(int i) const { return A[i * (ld + 1)]; }
};

/// A column of the active system: which contact, which of its rows, and A times its force direction.
struct ActiveColumn {
  int contact;
  int row;          // 0 normal, 1 and 2 tangential (stick), 3 across the slip direction
  const double* a;  // 3m, A times the force direction
};

/// All buffers of a solver, and the state of the present solve.
struct CoulombWorkspace {
  int capacity = 0;
  std::vector<double> factor, sweep_columns, x, correction, again, a, f, best_f, c;
  std::vector<int> pivot;
  std::vector<ActiveColumn> columns;
  std::vector<double> kappa;  // |a_t| / (mu f_n) of a contact that begins to slip, < 0 unknown
  std::vector<ContactMode> modes, best_modes;
  std::vector<Eigen::Vector2d> d;
  std::vector<ContactLaw> kind;
  // Of an earlier step of a search: all that its next steps follow from.
  std::vector<double> kappa_before;
  std::vector<ContactMode> modes_before;
  std::vector<Eigen::Vector2d> d_before;
  std::vector<OneContact> local;
  std::vector<int> row_start, row_index;  // nonzero 3 x 3 blocks by columns
  std::vector<int> order, first_row;      // contacts in the order of elimination; first active row of each, -1 if free
  bool sparse = false, blocks_found = false;
  bool gaps = false;  // Whether a sparse A has blocks that are zero: else loops run over all rows, without lists.
  double residual = 0, best_residual = 0;
  bool prepared = false;
  bool settled =
      false;  // The last search ended because no sign was violated: what residual it has is that of redundant rows.
  CoulombSolver::Stats stats;
  Eigen::VectorXd given;     // Forces that a search starts from: what redundant contacts share, they keep.
  Eigen::VectorXd squeezed;  // b of a problem whose contacts approach faster.
  Problem graph_problem;
  Solver graph_solver;
  Eigen::MatrixXd rows_of_A;
  std::vector<int> order_of_A;
  int rank_of_A = -1;  // -1: rows_of_A are not those of this problem, or not all.

  /// Room for the contacts of a task, and no candidate yet.
  void begin(const CoulombTask& task);

 private:
  void grow(int m);
};

/// a += u x for a column u of A's pattern that belongs to `contact`.
inline void addColumn(const CoulombWorkspace& w, int m, int contact, const double* __restrict u, double x,
                      double* __restrict a) {
  if (!w.gaps) {
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

/// a = A f + b.
void multiply(const CoulombTask& task, const CoulombWorkspace& w, const double* f, double* a);

/// Largest natural-map residual of the contacts, relative to the scale of b: zero exactly at a solution.
double naturalResidual(const CoulombTask& task, const ContactLaw* kind, const double* a, const double* f);

/// The residual of w.f, w.a; the best of all candidates is remembered.
double noteCandidate(const CoulombTask& task, CoulombWorkspace& w);

/// Back to the best candidate.
void takeBest(const CoulombTask& task, CoulombWorkspace& w);

/// Equations of the modes at hand: three of a contact that sticks, one of one that slips.
int activeRows(const CoulombTask& task, const CoulombWorkspace& w);

/// Prepares w.local, once a solve.
void prepareLocal(const CoulombTask& task, CoulombWorkspace& w);

/// Fills w.row_start, w.row_index and w.order, once a solve.
void findBlocks(const CoulombTask& task, CoulombWorkspace& w);

/// The compliance of a contact that slips, |a_t| / (mu f_n), of the present forces; < 0 where slip is not defined.
void updateKappa(const CoulombTask& task, CoulombWorkspace& w, int i);

}  // namespace rigor::friction
