// SPDX-License-Identifier: MIT
#include "impact/samples/coverage.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "elementary/elementary.h"
#include "impact/problem/kinetic_metric.h"

namespace rigor::impact {
namespace {

constexpr double kCheckpointRatio = 1.25;
constexpr int kCells = 1 << 14;  // of the hash grid, a power of two
constexpr int kLimitBisections = 60;

double riskOf(double risk, int check) { return risk / (static_cast<double>(check) * (check + 1)); }

int cellOf(long a, long b) {
  const unsigned long h =
      static_cast<unsigned long>(a) * 0x9e3779b97f4a7c15UL ^ static_cast<unsigned long>(b) * 0xc2b2ae3d27d4eb4fUL;
  return static_cast<int>((h >> 40) & (kCells - 1));
}

}  // namespace

double clopperPearsonLower(long hits, long trials, double risk) {
  if (hits <= 0 || trials <= 0) return 0;
  const long misses = trials - hits;
  double low = 0, high = 1;
  for (int step = 0; step < kLimitBisections; ++step) {
    const double p = 0.5 * (low + high);
    // P(X >= hits) = sum over i <= misses of C(trials, i) p^(trials - i) (1 - p)^i, in logarithms.
    const double odds = elementary::log1p(-p) - elementary::log(p);
    double term = static_cast<double>(trials) * elementary::log(p), sum = elementary::exp(term);
    for (long i = 1; i <= misses; ++i) {
      term += elementary::log(static_cast<double>(trials - i + 1) / static_cast<double>(i)) + odds;
      sum += elementary::exp(term);
    }
    (sum < risk ? low : high) = p;
  }
  return low;
}

CoverageRule::CoverageRule(const ImpactProblem& problem, double radius, double probability, double risk)
    : radius_(radius), probability_(probability), risk_(risk), cell_head_(kCells, -1) {
  if (!(radius > 0)) throw std::invalid_argument("coverage must be positive");
  if (!(probability > 0 && probability < 1)) throw std::invalid_argument("confidence must be between 0 and 1");
  if (!(risk > 0 && risk < 1)) throw std::invalid_argument("coverage risk must be between 0 and 1");
  const double size_sq = problem.velocity.dot(problem.mass_matrix * problem.velocity);
  factor_ = KineticMetric(problem.mass_matrix).upper();
  if (size_sq > 0) factor_ /= std::sqrt(size_sq);
  x_.resize(problem.numVelocities());
  // Without a miss among B = N / 2 the limit is risk^(1 / B).
  next_check_ = 2 * static_cast<long>(std::ceil(elementary::log(riskOf(risk, 1)) / elementary::log(probability)));
}

bool CoverageRule::add(const Eigen::Ref<const Eigen::VectorXd>& velocity) {
  x_.noalias() = factor_ * velocity;
  const long n = x_.size();
  // The grid has cells of the radius over the last two coordinates; where they are huge the cast would overflow.
  const auto coordinate = [&](long k) {
    return k < 0 ? 0L : static_cast<long>(std::floor(std::clamp(x_[k] / radius_, -1e15, 1e15)));
  };
  const long a = coordinate(n - 1), b = coordinate(n - 2);
  bool hit = false;
  for (long da = -1; da <= 1 && !hit; ++da) {
    for (long db = -1; db <= 1 && !hit; ++db) {
      for (int k = cell_head_[cellOf(a + da, b + db)]; k >= 0; k = cell_next_[k]) {
        const Eigen::Map<const Eigen::VectorXd> known(points_.data() + k * n, n);
        if ((known - x_).squaredNorm() <= radius_ * radius_) {
          hit = true;
          break;
        }
      }
    }
  }
  if (!hit) {
    points_.insert(points_.end(), x_.data(), x_.data() + n);
    int& head = cell_head_[cellOf(a, b)];
    cell_next_.push_back(head);
    head = static_cast<int>(kept_++);
  }
  hit_.push_back(hit);
  if (!met_ && outcomes() >= next_check_) check();
  return met_;
}

bool CoverageRule::finish() {
  if (!met_ && outcomes() > 1) check();
  return met_;
}

void CoverageRule::check() {
  const long window = outcomes() / 2;
  const long hits = std::count(hit_.end() - window, hit_.end(), 1);
  lower_limit_ = clopperPearsonLower(hits, window, riskOf(risk_, ++checks_));
  met_ = lower_limit_ >= probability_;
  next_check_ = static_cast<long>(std::ceil(kCheckpointRatio * static_cast<double>(outcomes())));
}

}  // namespace rigor::impact
