// SPDX-License-Identifier: MIT
#pragma once
#include "friction/solver.h"
#include "impact/coulomb.h"

namespace rigor::sim {

/// The solvers' own solve(), which the trace of this thread hears of, if there is one (sim/trace.h).
[[nodiscard]] impact::CoulombStatus solveTraced(impact::CoulombSolver& solver, const impact::CoulombProblem& problem,
                                                std::span<impact::ContactMode> modes,
                                                std::span<Eigen::Vector2d> directions, Eigen::Ref<Eigen::VectorXd> f);
[[nodiscard]] bool solveTraced(friction::Solver& solver, const friction::Problem& problem,
                               const friction::SolverOptions& options);

}  // namespace rigor::sim
