// SPDX-License-Identifier: MIT
#include "sim/contact/traced_solve.h"

#include <array>
#include <chrono>

#include "sim/trace.h"

namespace rigor::sim {
namespace {

/// Time since it was made [s].
class SolveClock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

friction::CoulombStatus solveTraced(friction::CoulombSolver& solver, const friction::CoulombProblem& problem,
                                    std::span<friction::ContactMode> modes, std::span<Eigen::Vector2d> directions,
                                    Eigen::Ref<Eigen::VectorXd> f, const friction::CoulombOptions& options) {
  if (!active_trace) return solver.solve(problem, modes, directions, f, options);
  const friction::CoulombSolver::Stats before = solver.stats();
  const SolveClock clock;
  const friction::CoulombStatus status = solver.solve(problem, modes, directions, f, options);
  const double seconds = clock.seconds();
  const friction::CoulombSolver::Stats& after = solver.stats();
  const char* strategy = "none";
  for (const friction::CoulombAttemptRow& row : friction::coulombAttempts())
    if (after.of(row.attempt).tried != before.of(row.attempt).tried) strategy = row.name;
  active_trace->solve({strategy, static_cast<int>(modes.size()), after.set_changes - before.set_changes, seconds,
                       status != friction::CoulombStatus::kFailed});
  return status;
}

bool solveTraced(friction::Solver& solver, const friction::Problem& problem, const friction::SolverOptions& options) {
  if (!active_trace) return solver.solve(problem, options);
  std::array<friction::Solver::Count, friction::kNumAttempts> before;
  for (const friction::AttemptRow& row : friction::attempts())
    before[static_cast<std::size_t>(row.attempt)] = solver.count(row.attempt);
  const SolveClock clock;
  const bool solved = solver.solve(problem, options);
  const double seconds = clock.seconds();
  SolveEntry entry{"none", problem.numContacts(), 0, seconds, solved};
  for (const friction::AttemptRow& row : friction::attempts()) {
    const friction::Solver::Count& now = solver.count(row.attempt);
    const friction::Solver::Count& then = before[static_cast<std::size_t>(row.attempt)];
    if (now.tried != then.tried) entry.strategy = row.name;
    entry.iterations += now.iterations - then.iterations;
  }
  active_trace->solve(entry);
  return solved;
}

}  // namespace rigor::sim
