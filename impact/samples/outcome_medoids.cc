// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "elementary/require.h"
#include "impact/problem/kinetic_metric.h"
#include "impact/samples/outcome_set.h"

namespace rigor::impact {
namespace {

// Rounds of nearest representatives and their medoids (Lloyd's); the first ones gain nearly all there is.
constexpr int kMedoidRounds = 5;

// A cluster of more than this part of all outcomes, and of enough of them, is split, each time with half the tolerance,
// at most so often.
constexpr double kHeavyCluster = 1.0 / 32;
constexpr long kSplitCount = 20;
constexpr int kSplits = 3;

/// Number of the nearest of `chosen`, of every column; the earlier one of two.
void findNearest(const Eigen::MatrixXd& x, const std::vector<long>& chosen, std::vector<int>& nearest) {
  nearest.assign(static_cast<size_t>(x.cols()), 0);
  for (long k = 0; k < x.cols(); ++k) {
    double least = HUGE_VAL;
    for (size_t c = 0; c < chosen.size(); ++c) {
      const double sq = k == chosen[c] ? 0 : (x.col(k) - x.col(chosen[c])).squaredNorm();
      if (sq < least) least = sq, nearest[static_cast<size_t>(k)] = static_cast<int>(c);
    }
  }
}

/// Moves every representative but the first to the medoid of its cluster. @returns whether one moved.
bool moveToMedoids(const Eigen::MatrixXd& x, const std::vector<int>& nearest, std::vector<long>& chosen) {
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(x.rows(), static_cast<long>(chosen.size()));
  std::vector<long> count(chosen.size(), 0);
  for (long k = 0; k < x.cols(); ++k)
    mean.col(nearest[static_cast<size_t>(k)]) += x.col(k),
        ++count[static_cast<size_t>(nearest[static_cast<size_t>(k)])];
  // The sum of squared distances to all members is least for the member next to their mean.
  std::vector<double> least(chosen.size(), HUGE_VAL);
  bool moved = false;
  std::vector<long> medoid = chosen;
  for (long k = 0; k < x.cols(); ++k) {
    const auto c = static_cast<size_t>(nearest[static_cast<size_t>(k)]);
    if (c == 0) continue;
    const double sq = (x.col(k) - mean.col(static_cast<long>(c)) / static_cast<double>(count[c])).squaredNorm();
    if (sq < least[c]) least[c] = sq, medoid[c] = k;
  }
  for (size_t c = 1; c < chosen.size(); ++c) moved = moved || medoid[c] != chosen[c];
  chosen = std::move(medoid);
  return moved;
}

/// Medoids of clusters of the columns `among`; the first of these stays the representative of its own.
std::vector<long> medoidsAmong(const Eigen::MatrixXd& x, const std::vector<long>& among, double tolerance) {
  Eigen::MatrixXd own(x.rows(), static_cast<long>(among.size()));
  for (size_t k = 0; k < among.size(); ++k) own.col(static_cast<long>(k)) = x.col(among[k]);
  std::vector<long> all(among.size());
  std::iota(all.begin(), all.end(), 0L);
  std::vector<long> chosen = farthestFirst(own, all, tolerance);
  std::vector<int> nearest;
  for (int round = 0; round < kMedoidRounds; ++round) {
    findNearest(own, chosen, nearest);
    if (!moveToMedoids(own, nearest, chosen)) break;
  }
  for (long& k : chosen) k = among[static_cast<size_t>(k)];
  return chosen;
}

/// Splits clusters that stand for many outcomes. @returns whether one was.
bool splitHeavy(const Eigen::MatrixXd& x, double tolerance, std::vector<long>& chosen) {
  std::vector<int> nearest;
  findNearest(x, chosen, nearest);
  std::vector<std::vector<long>> members(chosen.size());
  for (size_t c = 0; c < chosen.size(); ++c) members[c].push_back(chosen[c]);
  for (long k = 0; k < x.cols(); ++k) {
    const auto c = static_cast<size_t>(nearest[static_cast<size_t>(k)]);
    if (k != chosen[c]) members[c].push_back(k);
  }
  const size_t before = chosen.size();
  for (size_t c = 0; c < before; ++c) {
    const auto count = static_cast<long>(members[c].size());
    if (count < kSplitCount || static_cast<double>(count) <= kHeavyCluster * static_cast<double>(x.cols())) continue;
    const std::vector<long> parts = medoidsAmong(x, members[c], tolerance);
    chosen.insert(chosen.end(), parts.begin() + 1, parts.end());
  }
  return chosen.size() > before;
}

}  // namespace

std::vector<long> farthestFirst(const Eigen::Ref<const Eigen::MatrixXd>& x, const std::vector<long>& candidates,
                                double tolerance) {
  RIGOR_REQUIRE(!candidates.empty());
  std::vector<double> distance_sq(candidates.size(), HUGE_VAL);
  std::vector<long> chosen;
  size_t next = 0;
  while (true) {
    chosen.push_back(candidates[next]);
    const size_t last = next;
    double farthest_sq = -1;
    for (size_t k = 0; k < candidates.size(); ++k) {
      const double sq = k == last ? 0 : (x.col(candidates[k]) - x.col(chosen.back())).squaredNorm();
      if (sq < distance_sq[k]) distance_sq[k] = sq;
      if (distance_sq[k] > farthest_sq) farthest_sq = distance_sq[k], next = k;
    }
    if (!(farthest_sq > tolerance * tolerance)) return chosen;  // NaN ends the search.
  }
}

std::vector<DistinctOutcome> mergeIntoMedoids(const ImpactProblem& problem,
                                              const Eigen::Ref<const Eigen::MatrixXd>& velocities, double tolerance) {
  if (!(tolerance >= 0)) throw std::invalid_argument("tolerance of a merge must not be negative");
  if (velocities.cols() == 0) return {};
  if (velocities.rows() != problem.numVelocities())
    throw std::invalid_argument("outcomes must have a row per velocity");
  const KineticMetric metric(problem.mass_matrix);
  const double speed = metric.coordinates(problem.velocity).norm();
  const Eigen::MatrixXd x = metric.coordinates(velocities) / (speed > 0 ? speed : 1);
  std::vector<long> all(static_cast<size_t>(x.cols()));
  std::iota(all.begin(), all.end(), 0L);
  std::vector<long> chosen = farthestFirst(x, medoidsAmong(x, all, tolerance), tolerance);
  double least = tolerance;
  for (int split = 0; split < kSplits && splitHeavy(x, least / 2, chosen); ++split) least /= 2;
  chosen = farthestFirst(x, chosen, 0);
  std::vector<int> nearest;
  findNearest(x, chosen, nearest);

  std::vector<DistinctOutcome> distinct(chosen.size());
  for (const int c : nearest) ++distinct[static_cast<size_t>(c)].count;
  for (size_t c = 0; c < chosen.size(); ++c) {
    distinct[c].velocity = velocities.col(chosen[c]);
    distinct[c].representative = static_cast<int>(chosen[c]);
    distinct[c].weight = static_cast<double>(distinct[c].count) / static_cast<double>(x.cols());
    findFates(problem, distinct[c].velocity, kFateTolerance, distinct[c].fates);
  }
  return distinct;
}

}  // namespace rigor::impact
