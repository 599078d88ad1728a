// SPDX-License-Identifier: MIT
#include "verify/vertex_set.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>

namespace rigor::verify {
namespace {

/// Of b + y.w with b and w rounded towards zero (2^-52), y to nearest and seven operations (2^-53 each): less than a
/// quarter of this, relative to |b| + |y|.|w|.
constexpr double kSumRounding = 64 * 0x1p-53;
/// Absorbs underflow, whose error is absolute; b or w is about 1.
constexpr double kSumUnderflow = 0x1p-960;
constexpr int kBlock = 64;

struct Float {
  double mantissa;
  long exponent;
};

Float toFloat(const mpz_class& x) {
  Float f;
  f.mantissa = mpz_get_d_2exp(&f.exponent, x.get_mpz_t());
  return f;
}

double atUnit(const Float& f, long unit) {
  return std::ldexp(f.mantissa, static_cast<int>(std::clamp(f.exponent - unit, -5000L, 5000L)));
}

}  // namespace

VertexSet::VertexSet(const Part& part, const Vector3& centre) : lowest_bit_(INT_MAX) {
  for (const double x : centre) lowest_bit_ = std::min(lowest_bit_, verify::lowestBit(x));
  for (int k = 0; k < 3; ++k) y_[k].reserve(part.vertices.size());
  for (const Vector3& v : part.vertices)
    for (int k = 0; k < 3; ++k) {
      lowest_bit_ = std::min(lowest_bit_, verify::lowestBit(v[k]));
      y_[k].push_back(v[k] - centre[k]);
      reach_[k] = std::max(reach_[k], std::abs(y_[k].back()));
    }
}

void VertexSet::findUndecided(const Polynomial& base, const Polynomial (&weight)[3], int unit,
                              std::vector<int>& undecided) const {
  undecided.clear();
  const int terms = base.degree + 1;
  // Everything in units of the largest coefficient, so that nothing overflows.
  Float b[kMaxDegree + 1], w[3][kMaxDegree + 1];
  long scale = LONG_MIN / 2;
  const auto include = [&](const mpz_class& x, Float& f, int shift) {
    f = toFloat(x);
    f.exponent += shift;
    if (f.mantissa != 0) scale = std::max(scale, f.exponent);
  };
  for (int c = 0; c < terms; ++c) {
    include(base.c[c], b[c], 0);
    for (int k = 0; k < 3; ++k) include(weight[k].c[c], w[k][c], -unit);
  }
  double low[kMaxDegree + 1], slope[3][kMaxDegree + 1];
  for (int c = 0; c < terms; ++c) {
    const double value = atUnit(b[c], scale);
    double magnitude = std::abs(value);
    for (int k = 0; k < 3; ++k) {
      slope[k][c] = atUnit(w[k][c], scale);
      magnitude += reach_[k] * std::abs(slope[k][c]);
    }
    low[c] = value - kSumRounding * magnitude - kSumUnderflow * (1 + reach_[0] + reach_[1] + reach_[2]);
  }
  const std::size_t count = y_[0].size();
  for (std::size_t first = 0; first < count; first += kBlock) {
    const int size = static_cast<int>(std::min<std::size_t>(kBlock, count - first));
    const double *x = &y_[0][first], *y = &y_[1][first], *z = &y_[2][first];
    std::int64_t positive[kBlock];
    std::fill_n(positive, size, 1);
    for (int c = 0; c < terms; ++c)
      for (int i = 0; i < size; ++i)
        positive[i] &= low[c] + x[i] * slope[0][c] + y[i] * slope[1][c] + z[i] * slope[2][c] > 0;
    for (int i = 0; i < size; ++i)
      if (!positive[i]) undecided.push_back(static_cast<int>(first) + i);
  }
}

void VertexSet::findFarthest(const Vector3& axis, std::vector<int>& farthest) const {
  farthest.clear();
  const std::size_t count = y_[0].size();
  double margin = kSumUnderflow;
  for (int k = 0; k < 3; ++k) margin += kSumRounding * reach_[k] * std::abs(axis[k]);
  double best = -INFINITY;
  const auto along = [&](std::size_t i) { return y_[0][i] * axis[0] + y_[1][i] * axis[1] + y_[2][i] * axis[2]; };
  for (std::size_t i = 0; i < count; ++i) best = std::max(best, along(i));
  for (std::size_t i = 0; i < count; ++i)
    if (!(along(i) < best - 2 * margin)) farthest.push_back(static_cast<int>(i));
}

}  // namespace rigor::verify
