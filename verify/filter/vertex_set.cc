// SPDX-License-Identifier: MIT
#include "verify/filter/vertex_set.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rigor::verify::filter {
namespace {

/// Of b + y.w, y and seven operations to nearest (2^-53 each): less than this, relative to |b| + |y|.|w|.
constexpr double kSumRounding = 8 * 0x1p-53;
constexpr double kSumUnderflow = 0x1p-960;
constexpr int kBlock = 64;

}  // namespace

VertexSet::VertexSet(const kernel::Part& part, const kernel::Vector3& centre) {
  const std::vector<kernel::Vector3>& points = part.core.empty() ? part.vertices : part.core;
  for (int k = 0; k < 3; ++k) y_[k].reserve(points.size());
  for (const kernel::Vector3& v : points)
    for (int k = 0; k < 3; ++k) {
      y_[k].push_back(v[k] - centre[k]);
      reach_[k] = std::max(reach_[k], std::abs(y_[k].back()));
    }
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
  const std::size_t count = y_[0].size();
  for (std::size_t first = 0; first < count; first += kBlock) {
    const int size = static_cast<int>(std::min<std::size_t>(kBlock, count - first));
    const double *x = &y_[0][first], *y = &y_[1][first], *z = &y_[2][first];
    std::int64_t positive[kBlock];
    std::fill_n(positive, size, 1);
    for (int c = 0; c < terms; ++c)
      for (int i = 0; i < size; ++i)
        positive[i] &= low[c] + x[i] * weight[0].value[c] + y[i] * weight[1].value[c] + z[i] * weight[2].value[c] > 0;
    for (int i = 0; i < size; ++i)
      if (!positive[i]) undecided.push_back(static_cast<int>(first) + i);
  }
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
    if (!(std::isfinite(best) && along(i) < best - 2 * margin)) farthest.push_back(static_cast<int>(i));
}

}  // namespace rigor::verify::filter
