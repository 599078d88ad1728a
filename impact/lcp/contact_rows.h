// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <vector>

#include "impact/lcp/contact_lcp.h"
#include "impact/problem/impact_problem.h"
#include "impact/problem/mass_factor.h"

namespace rigor::impact {

// Contact velocities closer than this, of order-one quantities, are those of one solution of a step.
inline constexpr double kSameSolution = 1e-8;

/// Jacobian and Delassus matrix of a problem, a contact after the other: its normal, then its tangents where it has
/// friction. Scaled to order one: A = J M^-1 J' / inverse_mass_scale; speeds b / V then belong to impulses f
/// inverse_mass_scale / V.
struct ContactRows {
  Eigen::MatrixXd J, A;
  std::vector<int> row, tangents;  // of each contact: its normal's row, and 0, 1 or 2 tangents
  double inverse_mass_scale = 1;   // largest diagonal entry of J M^-1 J'

  int numRows() const { return static_cast<int>(J.rows()); }

  /// @pre sizes and values were checked (ContactLcp::prepare()). @param friction  m, finite.
  void prepare(const ImpactProblem& problem, const std::vector<double>& friction) {
    const int m = problem.numContacts();
    row.resize(m);
    tangents.resize(m);
    int rows = 0;
    for (int i = 0; i < m; ++i) {
      row[i] = rows;
      tangents[i] = friction[i] > 0 ? static_cast<int>(problem.tangent[i].rows()) : 0;
      rows += 1 + tangents[i];
    }
    J.resize(rows, problem.numVelocities());
    for (int i = 0; i < m; ++i) {
      J.row(row[i]) = problem.normal.row(i);
      if (tangents[i] > 0) J.middleRows(row[i] + 1, tangents[i]) = problem.tangent[i];
    }
    response_ = J.transpose();
    if (mass_.factor(problem.mass_matrix)) mass_.solveInPlace(response_);  // ContactLcp::prepare() refused all others.
    setDelassus();
  }

  /// Of a problem that was prepared with round cones.
  void prepare(const ContactLcp& lcp) {
    const int m = lcp.numContacts(), rows = static_cast<int>(lcp.jacobian().rows());
    row.resize(m);
    tangents.resize(m);
    J.resize(rows, lcp.jacobian().cols());
    response_.resize(lcp.jacobian().cols(), rows);
    for (int i = 0, next = 0; i < m; ++i) {
      row[i] = next;
      tangents[i] = lcp.numDirections(i);
      for (int k = -1; k < tangents[i]; ++k, ++next) {
        const int from = k < 0 ? i : lcp.firstDirection(i) + k;
        J.row(next) = lcp.jacobian().row(from);
        response_.col(next) = lcp.response().col(from);
      }
    }
    setDelassus();
  }

 private:
  void setDelassus() {
    const int rows = numRows();
    A.resize(rows, rows);
    for (int j = 0; j < rows; ++j)
      for (int i = j; i < rows; ++i) A(i, j) = A(j, i) = J.row(i).dot(response_.col(j));
    inverse_mass_scale = rows > 0 ? A.diagonal().maxCoeff() : 1;
    if (!(inverse_mass_scale > 0)) inverse_mass_scale = 1;
    A /= inverse_mass_scale;
  }

  MassFactor mass_;
  Eigen::MatrixXd response_;  // M^-1 J'
};

}  // namespace rigor::impact
