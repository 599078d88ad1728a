// SPDX-License-Identifier: MIT
#include "impact/models/smooth_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elementary/elementary.h"
#include "friction/dense_factor.h"

namespace rigor::impact {
namespace {

constexpr int kNewtonSteps = 40, kHalvings = 10, kFirstSweeps = 3, kSweeps = 60, kRounds = 8;
// Added to the diagonal in Newton's matrix, relative: redundant contacts make it singular. The residual is not touched.
constexpr double kDamping = 1e-11;
constexpr double kLeastScale = 1e-3;
// Residual below which nothing is left to gain.
constexpr double kSolved = 1e-14;

}  // namespace

void SmoothStep::prepare(const ContactLcp& lcp) {
  rows_.prepare(lcp);
  mu_ = lcp.friction();
}

// What a contact asks of its tangential impulse: the disc's radius, and the point s = t - y_t that is projected on it.
struct SmoothStep::Disc {
  double radius, length, s[2];
  bool holds() const { return length <= radius; }
};

SmoothStep::Disc SmoothStep::disc(std::size_t i, const double* f) const {
  const int r = rows_.row[i], k = rows_.tangents[i];
  Disc d{mu_[i] * (given_[i] + std::max(0.0, f[r])), 0, {0, 0}};
  for (int j = 0; j < k; ++j) d.s[j] = f[r + 1 + j] - y_[r + 1 + j];
  d.length = std::sqrt(d.s[0] * d.s[0] + d.s[1] * d.s[1]);
  return d;
}

// The natural map of f; y_ = A f + b. Returns its largest entry.
template <int kRows>
double SmoothStep::evaluate(const double* __restrict f, double* __restrict map) {
  const int n = kRows > 0 ? kRows : rows_.numRows();
  double* __restrict y = y_.data();
  for (int i = 0; i < n; ++i) y[i] = b_[i];
  for (int j = 0; j < n; ++j) {
    const double* __restrict a = rows_.A.data() + static_cast<std::size_t>(j) * n;
    for (int i = 0; i < n; ++i) y[i] += a[i] * f[j];
  }
  double worst = 0;
  for (std::size_t i = 0; i < mu_.size(); ++i) {
    const int r = rows_.row[i], k = rows_.tangents[i];
    map[r] = f[r] - std::clamp(f[r] - y[r], 0.0, limit_[i]);
    worst = std::max(worst, std::abs(map[r]));
    if (k == 0) continue;
    const Disc d = disc(i, f);
    const double share = d.holds() ? 1 : d.radius / d.length;
    for (int j = 0; j < k; ++j) {
      map[r + 1 + j] = f[r + 1 + j] - share * d.s[j];
      worst = std::max(worst, std::abs(map[r + 1 + j]));
    }
  }
  return std::isfinite(worst) ? worst : HUGE_VAL;
}

// The equations of a Newton step at f_, into lu_ and right_: an element of the map's generalised Jacobian, and the map.
// Contacts that are open step by the map itself, and have no rows. @returns the number of rows.
int SmoothStep::linearise() {
  const int m = static_cast<int>(mu_.size()), n = rows_.numRows();
  const double* __restrict f = f_.data();
  int size = 0;
  for (int i = 0; i < m; ++i) {
    const int r = rows_.row[i];
    const bool open = f[r] <= 0 && f[r] <= y_[r] && given_[i] == 0;
    place_[i] = open ? -1 : size;
    if (!open) size += 1 + rows_.tangents[i];
  }
  for (int i = 0; i < m; ++i) {
    if (place_[i] < 0) continue;
    const int r = rows_.row[i], k = rows_.tangents[i], p = place_[i];
    const double reach = f[r] - y_[r], inside = reach > 0 && reach < limit_[i] ? 1 : 0;
    // Rows of the tangents: d/df of t - radius s/|s| where the disc ends, ratio (I - s s') A + I - ratio (I - s s'),
    // else A.
    double xx = 1, xy = 0, yy = 1, pull[2] = {0, 0};
    if (k > 0) {
      const Disc d = disc(i, f);
      if (!d.holds()) {
        const double ratio = d.radius / d.length, sx = d.s[0] / d.length, sy = d.s[1] / d.length;
        xx = ratio * (1 - sx * sx), xy = -ratio * sx * sy, yy = ratio * (1 - sy * sy);
        if (f[r] > 0) pull[0] = mu_[i] * sx, pull[1] = mu_[i] * sy;
      }
    }
    double* const right = right_.data() + p;
    for (int a = 0; a <= k; ++a) right[a] = map_[r + a];
    for (int other = 0; other < m; ++other) {
      for (int c = 0; c <= rows_.tangents[other]; ++c) {
        const int column = rows_.row[other] + c;
        const double* __restrict a = rows_.A.data() + static_cast<std::size_t>(column) * n + r;
        const double row[3] = {inside * a[0],
                               k == 2   ? xx * a[1] + xy * a[2]
                               : k == 1 ? xx * a[1]
                                        : 0,
                               k == 2 ? xy * a[1] + yy * a[2] : 0};
        if (place_[other] < 0) {
          for (int b = 0; b <= k; ++b) right[b] -= row[b] * map_[column];
        } else {
          double* __restrict to = lu_.data() + static_cast<std::size_t>(place_[other] + c) * size + p;
          for (int b = 0; b <= k; ++b) to[b] = row[b];
        }
      }
    }
    double* const own = lu_.data() + static_cast<std::size_t>(p) * size + p;  // Of this contact, column by column.
    own[0] += inside > 0 ? kDamping : 1;
    for (int j = 0; j < k; ++j) own[1 + j] -= pull[j];
    if (k > 0) own[size + 1] += std::max(kDamping, 1 - xx);
    if (k == 2) own[size + 2] -= xy, own[2 * size + 1] -= xy, own[2 * size + 2] += std::max(kDamping, 1 - yy);
  }
  return size;
}

// Whether contacts that are open in the factors of the last step are at rest there: the map alone is then the
// right-hand side.
bool SmoothStep::isSettled() const {
  for (std::size_t i = 0; i < mu_.size(); ++i)
    for (int k = 0; place_[i] < 0 && k <= rows_.tangents[i]; ++k)
      if (map_[rows_.row[i] + k] != 0) return false;
  return true;
}

template <int kRows>
bool SmoothStep::newton(double tolerance) {
  const int n = kRows > 0 ? kRows : rows_.numRows();
  double worst = evaluate<kRows>(f_.data(), map_.data());
  bool polished = false;
  int size = -1;  // Of the factored system.
  for (int step = 0; step < kNewtonSteps; ++step) {
    residual_ = worst / scale_;
    if (residual_ <= kSolved || (polished && residual_ <= tolerance)) return true;
    polished = residual_ <= tolerance;  // One more step: it converges quadratically, and impacts follow one another.
    if (polished && size >= 0 && isSettled()) {
      // So close to the solution the factors of the step before serve as well: they are off by as little as that step
      // was long.
      for (std::size_t i = 0; i < mu_.size(); ++i)
        for (int k = 0; place_[i] >= 0 && k <= rows_.tangents[i]; ++k) right_[place_[i] + k] = map_[rows_.row[i] + k];
    } else {
      size = linearise();
      if (!friction::factorLu(lu_.data(), size, pivot_.data())) return false;
    }
    friction::solveLu(lu_.data(), size, pivot_.data(), right_.data());
    for (std::size_t i = 0; i < mu_.size(); ++i) {
      const int r = rows_.row[i];
      for (int k = 0; k <= rows_.tangents[i]; ++k) step_[r + k] = place_[i] < 0 ? map_[r + k] : right_[place_[i] + k];
    }
    double share = 1;
    bool better = false;
    for (int half = 0; half < kHalvings && !better; ++half, share *= 0.5) {
      for (int i = 0; i < n; ++i) trial_[i] = f_[i] - share * step_[i];
      const double trial = evaluate<kRows>(trial_.data(), trial_map_.data());
      better = trial < (1 - 0.1 * share) * worst;
      if (!better) continue;
      worst = trial;
      f_.swap(trial_);
      map_.swap(trial_map_);
    }
    if (!better) {
      worst = evaluate<kRows>(f_.data(), map_.data());
      residual_ = worst / scale_;
      return residual_ <= tolerance;
    }
  }
  return false;
}

// Gauss-Seidel: every contact's normal, then a projected step of its tangents.
template <int kRows>
void SmoothStep::sweep() {
  const int n = kRows > 0 ? kRows : rows_.numRows();
  double* __restrict f = f_.data();
  const auto column = [&](int row) { return rows_.A.data() + static_cast<std::size_t>(row) * n; };
  const auto velocity = [&](int row) {
    const double* __restrict a = column(row);
    double even = b_[row], odd = 0;
    int j = 0;
    for (; j + 1 < n; j += 2) even += a[j] * f[j], odd += a[j + 1] * f[j + 1];
    if (j < n) even += a[j] * f[j];
    return even + odd;
  };
  for (const std::size_t i : order_) {
    const int r = rows_.row[i], k = rows_.tangents[i];
    const double own = column(r)[r];
    if (own > 0) f[r] = std::clamp(f[r] - velocity(r) / own, 0.0, limit_[i]);
    if (k == 0) continue;
    double largest = 0;
    for (int j = 0; j < k; ++j) largest += column(r + 1 + j)[r + 1 + j];
    if (!(largest > 0)) continue;
    double s[2] = {0, 0}, length_sq = 0;
    for (int j = 0; j < k; ++j) s[j] = f[r + 1 + j] - velocity(r + 1 + j) / largest;
    for (int j = 0; j < k; ++j) length_sq += s[j] * s[j];
    const double radius = mu_[i] * (given_[i] + f[r]);
    const double share = length_sq > radius * radius ? radius / std::sqrt(length_sq) : 1;
    for (int j = 0; j < k; ++j) f[r + 1 + j] = share * s[j];
  }
}

template <int kRows>
bool SmoothStep::descend(int sweeps, double tolerance) {
  for (int k = 0; k < sweeps; ++k) sweep<kRows>();
  return newton<kRows>(tolerance);
}

LcpStatus SmoothStep::solve(const double* b, const double* limit, const double* given, double tolerance,
                            const double* start, RandomStream& random) {
  const int n = rows_.numRows();
  const std::size_t m = mu_.size();
  for (std::vector<double>* v : {&f_, &trial_, &y_, &map_, &trial_map_, &step_, &right_}) v->resize(n);
  lu_.resize(static_cast<std::size_t>(n) * n);
  pivot_.resize(n);
  order_.resize(m);
  place_.resize(m);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  limit_ = limit;
  given_ = given;
  b_.assign(b, b + n);
  for (std::size_t i = 0; i < m; ++i) {
    for (int r = 0; given[i] != 0 && r < n; ++r) b_[r] += rows_.A(r, rows_.row[i]) * given[i];
  }
  scale_ = kLeastScale;
  for (const double v : b_) scale_ = std::max(scale_, std::abs(v));
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
        f_[r + 1] = reach * elementary::cos(angle);
        f_[r + 2] = reach * elementary::sin(angle);
      }
    }
    if (start && round == 0) f_.assign(start, start + n);
    // The sweeps' order prefers solutions, so it is drawn, too.
    for (std::size_t i = m; i > 1; --i)
      std::swap(order_[i - 1],
                order_[std::min(i - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(i)))]);
    // Large impulses of a random start lead Newton's method astray; a few sweeps bring it near.
    const int sweeps = round == 0 ? kFirstSweeps : kSweeps;
    switch (n) {  // Up to four contacts in space: sizes that the compiler knows.
      case 3: solved = descend<3>(sweeps, tolerance); break;
      case 6: solved = descend<6>(sweeps, tolerance); break;
      case 9: solved = descend<9>(sweeps, tolerance); break;
      case 12: solved = descend<12>(sweeps, tolerance); break;
      default: solved = descend<0>(sweeps, tolerance);
    }
  }
  for (std::size_t i = 0; i < m; ++i) f_[rows_.row[i]] += given[i];
  return solved ? LcpStatus::kSolved : LcpStatus::kFailed;
}

}  // namespace rigor::impact
