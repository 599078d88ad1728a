// SPDX-License-Identifier: MIT
#include "impact/models/kinetic_angle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "elementary/elementary.h"
#include "impact/problem/kinetic_metric.h"

namespace rigor::impact {
namespace {

constexpr int kMaxReflections = 1000000;
// Speeds below this fraction of the larger one before do not approach.
constexpr double kApproach = 1e-12;

PairUniqueness classify(double cosine) {
  if (std::abs(cosine) <= kKineticAngleTolerance) return PairUniqueness::kOrthogonal;
  if (std::abs(cosine + 0.5) <= kKineticAngleTolerance) return PairUniqueness::kThreeStage;
  if (cosine > -0.5 || !(cosine > -1 + kKineticAngleTolerance)) return PairUniqueness::kNone;
  const double k = std::round(std::numbers::pi / elementary::acos(-cosine));
  return std::abs(cosine + elementary::cos(std::numbers::pi / k)) <= kKineticAngleTolerance ? PairUniqueness::kDihedral
                                                                                     : PairUniqueness::kNone;
}

// Sums of the impulses on both contacts after alternate reflections from `first` on, unit normals.
// @returns false if they do not end.
bool alternate(std::array<double, 2> w, double cosine, int first, std::array<double, 2>& impulse) {
  impulse = {0, 0};
  const double least = -kApproach * std::max(std::abs(w[0]), std::abs(w[1]));
  int side = w[first] < least ? first : 1 - first;
  for (int k = 0; k < kMaxReflections; ++k, side = 1 - side) {
    if (!(w[side] < least)) return w[0] >= least && w[1] >= least;  // NaN -> false
    const double push = -2 * w[side];
    impulse[side] += push;
    w[side] = -w[side];
    w[1 - side] += push * cosine;
  }
  return false;
}

}  // namespace

KineticDiagnosis diagnoseKineticAngles(const ImpactProblem& problem) {
  const int n = problem.numVelocities(), m = problem.numContacts();
  if (problem.mass_matrix.rows() != n || problem.mass_matrix.cols() != n || (m > 0 && problem.normal.cols() != n)) {
    throw std::invalid_argument("sizes of the impact problem do not match");
  }
  const Eigen::MatrixXd A = problem.normal * KineticMetric(problem.mass_matrix).solve(problem.normal.transpose());
  const Eigen::VectorXd w = problem.normal * problem.velocity;
  const double momentum = std::sqrt(problem.velocity.dot(problem.mass_matrix * problem.velocity));

  KineticDiagnosis diagnosis;
  diagnosis.unique = true;
  for (int a = 0; a < m; ++a) {
    for (int b = a + 1; b < m; ++b) {
      ContactPair pair{.a = a, .b = b};
      const double root_a = std::sqrt(std::max(A(a, a), 0.0)), root_b = std::sqrt(std::max(A(b, b), 0.0));
      if (root_a > 0 && root_b > 0) pair.cosine = std::clamp(A(a, b) / (root_a * root_b), -1.0, 1.0);
      // <r, u> = sqrt((1 + <u, v>) / 2)                                   [Lemma 4: <u, v> = -cos 2 gamma]
      pair.gamma = elementary::asin(std::sqrt(0.5 * (1 + pair.cosine)));
      pair.bound = pair.gamma > 0 ? std::ceil(std::numbers::pi / pair.gamma - kKineticAngleTolerance)
                                  : std::numeric_limits<double>::infinity();
      pair.uniqueness = classify(pair.cosine);
      if (root_a > 0 && root_b > 0 && momentum > 0) {
        const std::array<double, 2> speed = {w[a] / root_a, w[b] / root_b};
        std::array<double, 2> ab{}, ba{};
        if (alternate(speed, pair.cosine, 0, ab) && alternate(speed, pair.cosine, 1, ba)) {
          // |x u + y v|^2 = x^2 + 2 x y <u, v> + y^2
          const double x = ab[0] - ba[0], y = ab[1] - ba[1];
          pair.indeterminacy = std::sqrt(std::max(0.0, x * x + 2 * x * y * pair.cosine + y * y)) / momentum;
        } else {
          pair.indeterminacy = std::numeric_limits<double>::quiet_NaN();
        }
      }
      diagnosis.unique = diagnosis.unique && (pair.uniqueness == PairUniqueness::kOrthogonal ||
                                              (m == 2 && pair.uniqueness != PairUniqueness::kNone));
      if (!(diagnosis.indeterminacy >= pair.indeterminacy)) diagnosis.indeterminacy = pair.indeterminacy;  // keeps NaN
      diagnosis.pairs.push_back(pair);
    }
  }
  return diagnosis;
}

}  // namespace rigor::impact
