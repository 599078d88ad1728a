// SPDX-License-Identifier: MIT
#include "verify/filter/vertex_set.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace rigor::verify::filter {
namespace {

/// Of b + y.w, y and seven operations to nearest (2^-53 each): less than this, relative to |b| + |y|.|w|.
constexpr double kSumRounding = 8 * 0x1p-53;
constexpr double kSumUnderflow = 0x1p-960;
constexpr std::size_t kCluster = 16;

}  // namespace

VertexSet::VertexSet(const kernel::Part& part, const kernel::Vector3& centre) {
  const std::vector<kernel::Vector3>& points = part.core.empty() ? part.vertices : part.core;
  for (int k = 0; k < 3; ++k) {
    y_[k].reserve(points.size());
    for (const kernel::Vector3& v : points) {
      y_[k].push_back(v[k] - centre[k]);
      reach_[k] = std::max(reach_[k], std::abs(y_[k].back()));
    }
  }
  number_.resize(points.size());
  std::iota(number_.begin(), number_.end(), 0);
  if (!points.empty()) cluster(0, points.size());
  for (std::vector<double>& y : y_) {
    const std::vector<double> by_vertex = y;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = by_vertex[number_[i]];
  }
}

// Halves across the longest edge of their box. y_ is by vertex yet.
void VertexSet::cluster(std::size_t first, std::size_t last) {
  Cluster all{first, last, {}, {}};
  int longest = 0;
  for (int k = 0; k < 3; ++k) {
    all.low[k] = all.high[k] = y_[k][number_[first]];
    for (std::size_t i = first; i < last; ++i) {
      const double y = y_[k][number_[i]];
      all.low[k] = std::isnan(y) ? -INFINITY : std::min(all.low[k], y);
      all.high[k] = std::max(all.high[k], y);
    }
    if (all.high[k] - all.low[k] > all.high[longest] - all.low[longest]) longest = k;
  }
  if (last - first <= kCluster) return clusters_.push_back(all);
  const std::size_t middle = first + (last - first) / 2;
  const auto at = [&](std::size_t i) { return number_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(first), at(middle), at(last), [&](int a, int b) { return y_[longest][a] < y_[longest][b]; });
  cluster(first, middle), cluster(middle, last);
}

bool VertexSet::isAbove(const Cluster& cluster, const double* low, const BallPolynomial (&weight)[3], int terms) {
  for (int c = 0; c < terms; ++c) {
    double least = low[c];
    for (int k = 0; k < 3; ++k) {
      const double w = weight[k].value[c];
      least += (w < 0 ? cluster.high[k] : cluster.low[k]) * w;
    }
    if (!(least > 0)) return false;
  }
  return true;
}

void VertexSet::findUndecided(const BallPolynomial& base, const BallPolynomial (&weight)[3],
                              std::vector<int>& undecided) const {
  undecided.clear();
  const int terms = base.degree + 1;
  double low[kMaxDegree + 1];
  for (int c = 0; c < terms; ++c) {
    double magnitude = std::abs(base.value[c]), radius = base.radius[c];
    for (int k = 0; k < 3; ++k) {
      magnitude += reach_[k] * std::abs(weight[k].value[c]);
      radius += reach_[k] * weight[k].radius[c];
    }
    low[c] = base.value[c] - radius * (1 + 4 * kRadiusRounding) - kSumRounding * magnitude -
             kSumUnderflow * (1 + reach_[0] + reach_[1] + reach_[2]);
  }
  for (const Cluster& cluster : clusters_) {
    if (isAbove(cluster, low, weight, terms)) continue;
    const int size = static_cast<int>(cluster.last - cluster.first);
    const double *x = &y_[0][cluster.first], *y = &y_[1][cluster.first], *z = &y_[2][cluster.first];
    std::int64_t positive[kCluster];
    std::fill_n(positive, size, 1);
    for (int c = 0; c < terms; ++c)
      for (int i = 0; i < size; ++i)
        positive[i] &= low[c] + x[i] * weight[0].value[c] + y[i] * weight[1].value[c] + z[i] * weight[2].value[c] > 0;
    for (int i = 0; i < size; ++i)
      if (!positive[i]) undecided.push_back(number_[cluster.first + static_cast<std::size_t>(i)]);
  }
  std::sort(undecided.begin(), undecided.end());
}

void VertexSet::findFarthest(const kernel::Vector3& axis, std::vector<int>& farthest) const {
  farthest.clear();
  const std::size_t count = y_[0].size();
  double margin = kSumUnderflow;
  for (int k = 0; k < 3; ++k) margin += kSumRounding * reach_[k] * std::abs(axis[k]);
  double best = -INFINITY;  // Infinite where a sum overflows: then nothing is left out.
  const auto along = [&](std::size_t i) { return y_[0][i] * axis[0] + y_[1][i] * axis[1] + y_[2][i] * axis[2]; };
  for (std::size_t i = 0; i < count; ++i) best = std::max(best, along(i));
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::isfinite(best) && along(i) < best - 2 * margin)) farthest.push_back(number_[i]);
  std::sort(farthest.begin(), farthest.end());
}

}  // namespace rigor::verify::filter
