// SPDX-License-Identifier: MIT
#include "impact/problem_check.h"

#include <stdexcept>

namespace rigor::impact {
namespace {

// Asymmetry of the mass matrix, relative to its largest entry, that is rounding of the caller's.
constexpr double kAsymmetry = 1e-9;

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

void checkProblem(const ImpactProblem& problem) {
  const int n = problem.numVelocities(), m = problem.numContacts();
  const Eigen::MatrixXd& M = problem.mass_matrix;
  require(M.rows() == n && M.cols() == n, "mass matrix must be n x n");
  require(problem.normal.cols() == n || m == 0, "normal must have n columns");
  require(static_cast<int>(problem.friction.size()) == m, "friction must have an entry per contact");
  require(problem.restitution.empty() || static_cast<int>(problem.restitution.size()) == m,
          "restitution must have an entry per contact");
  require(problem.velocity.allFinite() && problem.normal.allFinite() && M.allFinite(), "numbers must be finite");
  require(n == 0 || (M - M.transpose()).cwiseAbs().maxCoeff() <= kAsymmetry * M.cwiseAbs().maxCoeff(),
          "mass matrix must be symmetric");
  for (int i = 0; i < m; ++i) {
    require(problem.friction[i] >= 0, "friction must not be negative");
    require(problem.restitution.empty() || (problem.restitution[i] >= 0 && problem.restitution[i] <= 1),
            "restitution must lie in [0, 1]");
    if (problem.friction[i] == 0) continue;
    require(i < static_cast<int>(problem.tangent.size()), "a contact with friction needs tangent rows");
    const Eigen::MatrixXd& T = problem.tangent[i];
    require(T.cols() == n && (T.rows() == 1 || T.rows() == 2) && T.allFinite(),
            "tangent must have 1 or 2 rows and n columns");
  }
}

}  // namespace rigor::impact
