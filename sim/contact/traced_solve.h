// SPDX-License-Identifier: MIT
#pragma once
#include "friction/coulomb.h"
#include "friction/solver.h"

namespace rigor::sim {

/// The solvers' own solve(), which the trace of this thread hears of, if there is one (sim/trace.h).
[[nodiscard]] friction::CoulombStatus solveTraced(friction::CoulombSolver& solver,
                                                  const friction::CoulombProblem& problem,
                                                  std::span<friction::ContactMode> modes,
                                                  std::span<Eigen::Vector2d> directions, Eigen::Ref<Eigen::VectorXd> f,
                                                  const friction::CoulombOptions& options = {});
[[nodiscard]] bool solveTraced(friction::Solver& solver, const friction::Problem& problem,
                               const friction::SolverOptions& options);

}  // namespace rigor::sim
