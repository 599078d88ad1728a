// SPDX-License-Identifier: MIT
#include "impact/problem/separable.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "impact/problem/kinetic_metric.h"
#include "impact/problem/matrix_factors.h"

namespace rigor::impact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Gains below this are rounding; points are unit vectors.
constexpr double kWeightRounding = 1e-15;

/// Weights, of sum 1, of the point closest to the origin in the affine hull of some columns.
VectorXd affineMinimum(const MatrixXd& points, const std::vector<int>& chosen) {
  const int k = static_cast<int>(chosen.size());
  VectorXd weights = VectorXd::Ones(k);
  if (k == 1) return weights;
  MatrixXd edges(points.rows(), k - 1);
  for (int i = 1; i < k; ++i) edges.col(i - 1) = points.col(chosen[i]) - points.col(chosen[0]);
  LeastNorm least;
  least.factor(edges);
  VectorXd others;
  least.solve(-points.col(chosen[0]), others);
  weights.tail(k - 1) = others;
  weights[0] = 1 - weights.tail(k - 1).sum();
  return weights;
}

}  // namespace

Separability findSeparability(const ImpactProblem& problem) {
  const int m = problem.numContacts();
  const KineticMetric metric(problem.mass_matrix);
  MatrixXd points = metric.dualCoordinates(problem.normal.transpose());
  for (int i = 0; i < m; ++i) {
    const double size = points.col(i).stableNorm();
    if (size > 0) points.col(i) /= size;
  }
  Separability result;
  result.weights = VectorXd::Zero(m);
  if (m == 0) {
    result.separable = true;
    result.margin = 1;
    result.velocity = VectorXd::Zero(problem.numVelocities());
    return result;
  }

  std::vector<int> corral{0};
  VectorXd weights = VectorXd::Ones(1), x = points.col(0);
  for (int step = 0; step < 20 * (m + 10); ++step) {
    int next = 0;
    const double least = (points.transpose() * x).minCoeff(&next);
    if (!(least < x.squaredNorm() - kWeightRounding)) break;  // Optimal, or NaN.
    if (std::find(corral.begin(), corral.end(), next) != corral.end()) break;
    corral.push_back(next);
    weights.conservativeResize(weights.size() + 1);
    weights[weights.size() - 1] = 0;
    while (true) {
      const VectorXd target = affineMinimum(points, corral);
      if (target.minCoeff() > 0) {
        weights = target;
        break;
      }
      // As far as the weights stay positive; those that vanish leave.
      double part = 1;
      for (int i = 0; i < weights.size(); ++i) {
        if (!(target[i] > 0)) part = std::min(part, weights[i] / std::max(weights[i] - target[i], 1e-300));
      }
      weights += part * (target - weights);
      std::vector<int> kept;
      std::vector<double> kept_weights;
      for (int i = 0; i < weights.size(); ++i) {
        if (!(weights[i] > kWeightRounding)) continue;
        kept.push_back(corral[i]);
        kept_weights.push_back(weights[i]);
      }
      if (kept.size() == corral.size()) break;  // Rounding: nothing leaves.
      corral = kept;
      weights = Eigen::Map<const VectorXd>(kept_weights.data(), static_cast<long>(kept_weights.size()));
    }
    x.setZero();
    for (size_t i = 0; i < corral.size(); ++i) x += weights[static_cast<long>(i)] * points.col(corral[i]);
  }
  const double length = x.norm();
  if (length > 0) result.margin = (points.transpose() * x).minCoeff() / length;
  result.separable = result.margin > kWedgeTolerance;
  result.velocity = metric.velocity(x);
  for (size_t i = 0; i < corral.size(); ++i) result.weights[corral[i]] = weights[static_cast<long>(i)];
  return result;
}

}  // namespace rigor::impact
