// SPDX-License-Identifier: MIT
#include "impact/samples/outcome_set.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "impact/problem/kinetic_metric.h"

namespace rigor::impact {
namespace {

/// |v| in the kinetic metric; 1 for a body at rest, so that distances stay finite.
double kineticScale(const ImpactProblem& problem) {
  const double sq = problem.velocity.dot(problem.mass_matrix * problem.velocity);
  return sq > 0 ? std::sqrt(sq) : 1;
}

double tangentSpeed(const ImpactProblem& problem, int contact, const Eigen::Ref<const Eigen::VectorXd>& v) {
  if (contact >= static_cast<int>(problem.tangent.size())) return 0;
  const Eigen::MatrixXd& T = problem.tangent[contact];
  double sq = 0;
  for (int k = 0; k < T.rows(); ++k) {
    const double speed = T.row(k).dot(v);
    sq += speed * speed;
  }
  return std::sqrt(sq);
}

}  // namespace

std::vector<DistinctOutcome> mergeOutcomes(const ImpactProblem& problem,
                                           const Eigen::Ref<const Eigen::MatrixXd>& velocities, double tolerance,
                                           int limit) {
  const long count = velocities.cols();
  if (!(tolerance >= 0)) throw std::invalid_argument("tolerance of a merge must not be negative");
  if (limit < 0) throw std::invalid_argument("limit of a merge must not be negative");
  if (count > 0 && velocities.rows() != problem.numVelocities()) {
    throw std::invalid_argument("outcomes must have a row per velocity");
  }
  std::vector<DistinctOutcome> distinct;
  if (count == 0) return distinct;
  const Eigen::MatrixXd x = KineticMetric(problem.mass_matrix).coordinates(velocities) / kineticScale(problem);

  Eigen::VectorXd distance_sq = Eigen::VectorXd::Constant(count, HUGE_VAL);
  std::vector<int> nearest(count, 0);
  long next = 0;
  do {
    const int number = static_cast<int>(distinct.size());
    DistinctOutcome& outcome = distinct.emplace_back();
    outcome.representative = static_cast<int>(next);
    outcome.velocity = velocities.col(next);
    double farthest_sq = -1;
    const long chosen = next;
    for (long k = 0; k < count; ++k) {
      const double sq = k == chosen ? 0 : (x.col(k) - x.col(chosen)).squaredNorm();
      if (sq < distance_sq[k]) distance_sq[k] = sq, nearest[k] = number;
      if (distance_sq[k] > farthest_sq) farthest_sq = distance_sq[k], next = k;
    }
    if (!(farthest_sq > tolerance * tolerance)) break;  // NaN ends the search
  } while (limit == 0 || static_cast<int>(distinct.size()) < limit);

  for (long k = 0; k < count; ++k) ++distinct[nearest[k]].count;
  for (DistinctOutcome& outcome : distinct) {
    outcome.weight = static_cast<double>(outcome.count) / static_cast<double>(count);
    findFates(problem, outcome.velocity, kFateTolerance, outcome.fates);
  }
  return distinct;
}

void findFates(const ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& v, double tolerance,
               std::vector<ContactFate>& fates) {
  const int m = problem.numContacts();
  double scale = 0;
  for (int i = 0; i < m; ++i) {
    scale = std::max(scale, std::abs(problem.normal.row(i).dot(problem.velocity)));
    scale = std::max(scale, tangentSpeed(problem, i, problem.velocity));
  }
  const double rest = tolerance * scale;
  fates.resize(m);
  for (int i = 0; i < m; ++i) {
    if (problem.normal.row(i).dot(v) > rest) {
      fates[i] = ContactFate::kSeparates;
    } else {
      fates[i] = tangentSpeed(problem, i, v) <= rest ? ContactFate::kSticks : ContactFate::kSlides;
    }
  }
}

double kineticDistance(const ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& a,
                       const Eigen::Ref<const Eigen::VectorXd>& b) {
  double sq = 0;
  for (int j = 0; j < problem.numVelocities(); ++j) {
    double row = 0;
    for (int i = 0; i < problem.numVelocities(); ++i) row += problem.mass_matrix(i, j) * (a[i] - b[i]);
    sq += row * (a[j] - b[j]);
  }
  return std::sqrt(std::max(0.0, sq)) / kineticScale(problem);
}

}  // namespace rigor::impact
