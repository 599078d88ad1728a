// SPDX-License-Identifier: MIT
#include "impact/problem/problem_check.h"

#include <stdexcept>

namespace rigor::impact {
namespace {

// Asymmetry of the mass matrix, relative to its largest entry, that is rounding of the caller's.
constexpr double kAsymmetry = 1e-9;

void demand(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

void checkProblem(const ImpactProblem& problem) {
  const int n = problem.numVelocities(), m = problem.numContacts();
  const Eigen::MatrixXd& M = problem.mass_matrix;
  demand(M.rows() == n && M.cols() == n, "mass matrix must be n x n");
  demand(problem.normal.cols() == n || m == 0, "normal must have n columns");
  demand(static_cast<int>(problem.friction.size()) == m, "friction must have an entry per contact");
  demand(problem.restitution.empty() || static_cast<int>(problem.restitution.size()) == m,
         "restitution must have an entry per contact");
  demand(problem.velocity.allFinite() && problem.normal.allFinite() && M.allFinite(), "numbers must be finite");
  demand(n == 0 || (M - M.transpose()).cwiseAbs().maxCoeff() <= kAsymmetry * M.cwiseAbs().maxCoeff(),
         "mass matrix must be symmetric");
  for (int i = 0; i < m; ++i) {
    demand(problem.friction[i] >= 0, "friction must not be negative");
    demand(problem.restitution.empty() || (problem.restitution[i] >= 0 && problem.restitution[i] <= 1),
           "restitution must lie in [0, 1]");
    if (problem.friction[i] == 0) continue;
    demand(i < static_cast<int>(problem.tangent.size()), "a contact with friction needs tangent rows");
    const Eigen::MatrixXd& T = problem.tangent[i];
    demand(T.cols() == n && (T.rows() == 1 || T.rows() == 2) && T.allFinite(),
           "tangent must have 1 or 2 rows and n columns");
  }
}

}  // namespace rigor::impact
