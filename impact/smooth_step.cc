// SPDX-License-Identifier: MIT
#include "impact/smooth_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "impact/dense_factor.h"

namespace rigor::impact {
namespace {

constexpr int kNewtonSteps = 40, kHalvings = 10, kSweeps = 60, kRounds = 8;
// Added to the diagonal in Newton's matrix, relative: redundant contacts make it singular. The residual is not touched.
constexpr double kDamping = 1e-11;
constexpr double kLeastScale = 1e-3;
// Residual below which nothing is left to gain.
constexpr double kSolved = 1e-14;

}  // namespace

void SmoothStep::prepare(const ImpactProblem& problem, const std::vector<double>& friction) {
  rows_.prepare(problem, friction);
  mu_ = friction;
}

// The natural map of f; y_ = A f + b. Returns its largest entry.
double SmoothStep::evaluate(const Eigen::VectorXd& f, Eigen::VectorXd& map) {
  const Eigen::Index n = b_.size();
  double* __restrict y = y_.data();
  for (Eigen::Index i = 0; i < n; ++i) y[i] = b_[i];
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* __restrict a = rows_.A.data() + j * n;
    for (Eigen::Index i = 0; i < n; ++i) y[i] += a[i] * f[j];
  }
  double worst = 0;
  for (std::size_t i = 0; i < mu_.size(); ++i) {
    const int r = rows_.row[i], k = rows_.tangents[i];
    map[r] = f[r] - std::clamp(f[r] - y_[r], 0.0, limit_[i]);
    worst = std::max(worst, std::abs(map[r]));
    if (k == 0) continue;
    const double radius = mu_[i] * (given_[i] + std::max(0.0, f[r]));
    double s[2] = {0, 0}, length_sq = 0;
    for (int j = 0; j < k; ++j) s[j] = f[r + 1 + j] - y_[r + 1 + j], length_sq += s[j] * s[j];
    const double share = length_sq > radius * radius ? radius / std::sqrt(length_sq) : 1;
    for (int j = 0; j < k; ++j) {
      map[r + 1 + j] = f[r + 1 + j] - share * s[j];
      worst = std::max(worst, std::abs(map[r + 1 + j]));
    }
  }
  return std::isfinite(worst) ? worst : HUGE_VAL;
}

bool SmoothStep::newton(double tolerance) {
  const int n = rows_.numRows();
  const double* A = rows_.A.data();
  const double damping = kDamping;
  double worst = evaluate(f_, map_);
  bool polished = false;
  for (int step = 0; step < kNewtonSteps; ++step) {
    residual_ = worst / scale_;
    if (residual_ <= kSolved || (polished && residual_ <= tolerance)) return true;
    polished = residual_ <= tolerance;  // One more step: it converges quadratically, and impacts follow one another.
    for (std::size_t i = 0; i < mu_.size(); ++i) {
      const int r = rows_.row[i], k = rows_.tangents[i];
      const double reach = f_[r] - y_[r];
      const bool inside = reach > 0 && reach < limit_[i];
      for (int j = 0; j < n; ++j) lu_[r + j * n] = inside ? A[r + j * n] : 0;
      lu_[r + r * n] += inside ? damping : 1;
      if (k == 0) continue;
      const double radius = mu_[i] * (given_[i] + std::max(0.0, f_[r]));
      double s[2] = {0, 0}, length_sq = 0;
      for (int a = 0; a < k; ++a) s[a] = f_[r + 1 + a] - y_[r + 1 + a], length_sq += s[a] * s[a];
      if (length_sq <= radius * radius) {
        for (int a = 0; a < k; ++a) {
          for (int j = 0; j < n; ++j) lu_[r + 1 + a + j * n] = A[r + 1 + a + j * n];
          lu_[r + 1 + a + (r + 1 + a) * n] += damping;
        }
        continue;
      }
      // d/df of t - radius s/|s|, s = t - y_t.
      const double length = std::sqrt(length_sq), ratio = radius / length;
      for (int a = 0; a < k; ++a) s[a] /= length;
      for (int a = 0; a < k; ++a) {
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int c = 0; c < k; ++c) sum += ((a == c) - s[a] * s[c]) * A[r + 1 + c + j * n];
          lu_[r + 1 + a + j * n] = ratio * sum;
        }
        for (int c = 0; c < k; ++c) lu_[r + 1 + a + (r + 1 + c) * n] += (a == c) - ratio * ((a == c) - s[a] * s[c]);
        if (f_[r] > 0) lu_[r + 1 + a + r * n] -= mu_[i] * s[a];
      }
    }
    if (!factorLu(lu_.data(), n, pivot_.data())) return false;
    step_ = map_;
    solveLu(lu_.data(), n, pivot_.data(), step_.data());
    double share = 1;
    bool better = false;
    for (int half = 0; half < kHalvings && !better; ++half, share *= 0.5) {
      trial_ = f_ - share * step_;
      const double trial = evaluate(trial_, trial_map_);
      better = trial < (1 - 0.1 * share) * worst;
      if (!better) continue;
      worst = trial;
      f_.swap(trial_);
      map_.swap(trial_map_);
    }
    if (!better) {
      worst = evaluate(f_, map_);
      residual_ = worst / scale_;
      return residual_ <= tolerance;
    }
  }
  return false;
}

// Gauss-Seidel: every contact's normal, then a projected step of its tangents.
void SmoothStep::sweep() {
  for (const std::size_t i : order_) {
    const int r = rows_.row[i], k = rows_.tangents[i];
    const auto velocity = [&](int row) { return b_[row] + rows_.A.col(row).dot(f_); };
    if (rows_.A(r, r) > 0) f_[r] = std::clamp(f_[r] - velocity(r) / rows_.A(r, r), 0.0, limit_[i]);
    if (k == 0) continue;
    double largest = 0;
    for (int j = 0; j < k; ++j) largest += rows_.A(r + 1 + j, r + 1 + j);
    if (!(largest > 0)) continue;
    double s[2] = {0, 0}, length_sq = 0;
    for (int j = 0; j < k; ++j) s[j] = f_[r + 1 + j] - velocity(r + 1 + j) / largest;
    for (int j = 0; j < k; ++j) length_sq += s[j] * s[j];
    const double radius = mu_[i] * (given_[i] + f_[r]);
    const double share = length_sq > radius * radius ? radius / std::sqrt(length_sq) : 1;
    for (int j = 0; j < k; ++j) f_[r + 1 + j] = share * s[j];
  }
}

LcpStatus SmoothStep::solve(const double* b, const double* limit, const double* given, double tolerance,
                            const double* start, RandomStream& random) {
  const int n = rows_.numRows();
  const std::size_t m = mu_.size();
  for (Eigen::VectorXd* v : {&b_, &f_, &trial_, &y_, &map_, &trial_map_, &step_}) v->resize(n);
  lu_.resize(static_cast<std::size_t>(n) * n);
  pivot_.resize(n);
  order_.resize(m);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  limit_ = limit;
  given_ = given;
  b_ = Eigen::Map<const Eigen::VectorXd>(b, n);
  for (std::size_t i = 0; i < m; ++i) {
    if (given[i] != 0) b_ += rows_.A.col(rows_.row[i]) * given[i];
  }
  scale_ = std::max(kLeastScale, b_.cwiseAbs().maxCoeff());
  bool solved = false;
  for (int round = 0; round < kRounds && !solved; ++round) {
    for (std::size_t i = 0; i < m && (start == nullptr || round > 0); ++i) {
      const int r = rows_.row[i];
      f_[r] = limit[i] * random.uniform();
      const double radius = mu_[i] * (given[i] + f_[r]);
      if (rows_.tangents[i] == 1) {
        f_[r + 1] = radius * (2 * random.uniform() - 1);
      } else if (rows_.tangents[i] == 2) {
        const double angle = 2 * 3.141592653589793 * random.uniform(), reach = radius * std::sqrt(random.uniform());
        f_[r + 1] = reach * std::cos(angle);
        f_[r + 2] = reach * std::sin(angle);
      }
    }
    if (start && round == 0) f_ = Eigen::Map<const Eigen::VectorXd>(start, n);
    // The sweeps' order prefers solutions, so it is drawn, too.
    for (std::size_t i = m; i > 1; --i)
      std::swap(order_[i - 1], order_[std::min(i - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(i)))]);
    // Large impulses of a random start lead Newton's method astray; a few sweeps bring it near.
    for (int k = 0; k < (round == 0 ? 3 : kSweeps); ++k) sweep();
    solved = newton(tolerance);
  }
  for (std::size_t i = 0; i < m; ++i) f_[rows_.row[i]] += given[i];
  return solved ? LcpStatus::kSolved : LcpStatus::kFailed;
}

}  // namespace rigor::impact
