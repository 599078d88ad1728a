// SPDX-License-Identifier: MIT
#pragma once
#include "friction/coulomb_task.h"

namespace rigor::friction {

// The stages of CoulombSolver::solve. Each works on w.f, w.a, w.modes and w.d, and remembers its best candidate.

/// Solves the equations of the present modes. Out: w.f and w.a = A f + b; slip directions that are free to turn are
/// solved for together with the forces (Newton). @returns false for a singular or oversized system.
bool solveActive(const CoulombTask& task, CoulombWorkspace& w);

/// The same for a problem of one contact, without the overhead of many: most problems are of one. @returns false where
/// solveActive() has to decide (redundant rows, compliance).
bool solveOneActive(const CoulombTask& task, CoulombWorkspace& w);

/// Active-set search from w.modes, w.d. @returns true when the natural-map residual reached the tolerance.
bool searchActiveSet(const CoulombTask& task, CoulombWorkspace& w, int max_changes);

/// A = L L^T, to w.rows_of_A, by Cholesky with diagonal pivoting, rows scaled to a unit diagonal first. @returns the
/// rank, or `most`, where it ends. What is factored to its rank is not factored again in one solve.
int factorDelassus(const CoulombTask& task, CoulombWorkspace& w, int most);

/// Newton's method on the graph of bodies (friction/solver.h), of one body whose rows are a factor of A; then the
/// active set that it finds. `persistent`: with all its attempts, for problems that are known to have a solution.
/// @returns true when the residual reached the tolerance.
bool searchOnGraph(const CoulombTask& task, CoulombWorkspace& w, const double* guess, bool persistent);

}  // namespace rigor::friction
