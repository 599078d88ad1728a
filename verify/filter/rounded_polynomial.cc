// SPDX-License-Identifier: MIT
#include "verify/filter/rounded_polynomial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rigor::verify::filter {
namespace {

constexpr auto kBinomials = [] {
  std::array<std::array<double, kMaxDegree + 1>, kMaxDegree + 1> C{};
  for (int n = 0; n <= kMaxDegree; ++n) {
    C[n][0] = 1;
    for (int i = 1; i <= n; ++i) C[n][i] = C[n - 1][i - 1] + C[n - 1][i];
  }
  return C;
}();

// Called with the degrees of cubics' products as constants, of which it unrolls the inner loop.
inline void convolve(const double* a, int degree, const double* b, int n, double factor, double* out) {
  for (int i = 0; i <= degree; ++i) {
    const double scaled = factor * a[i];
    for (int j = 0; j <= n; ++j) out[i + j] += scaled * b[j];
  }
}

}  // namespace

void RoundedPolynomial::setZero(int new_degree) {
  degree = new_degree;
  size = radius = 0;
  std::fill_n(c, degree + 1, 0.0);
}

void RoundedPolynomial::fromControlPoints(const double* control, int stride, int n) {
  degree = n;
  size = 0;
  for (int i = 0; i <= n; ++i) {
    c[i] = kBinomials[n][i] * control[stride * i];
    size = std::max(size, std::abs(control[stride * i]));  // NaN stays in c.
  }
  radius = kToNearest * size + kBallUnderflow;
}

void RoundedPolynomial::elevate(int new_degree) {
  for (; degree < new_degree; ++degree) {
    c[degree + 1] = c[degree];
    for (int i = degree; i >= 1; --i) c[i] += c[i - 1];
    radius += kToNearest * size;
  }
}

// Each of at most min + 1 terms of a coefficient is rounded twice: as a product, and as a sum.
void addProduct(const RoundedPolynomial& a, const RoundedPolynomial& b, double factor, RoundedPolynomial& out) {
  const RoundedPolynomial &low = a.degree <= b.degree ? a : b, &high = a.degree <= b.degree ? b : a;
  switch (low.degree) {
    case 3: convolve(high.c, high.degree, low.c, 3, factor, out.c); break;
    case 6: convolve(high.c, high.degree, low.c, 6, factor, out.c); break;
    default: convolve(high.c, high.degree, low.c, low.degree, factor, out.c);
  }
  const double product = a.size * b.size * std::abs(factor);
  out.size += product;
  out.radius += std::abs(factor) * (a.size * b.radius + a.radius * b.size + a.radius * b.radius) +
                kToNearest * (product + (low.degree + 1) * out.size) + (low.degree + 1) * kBallUnderflow;
}

void multiply(const RoundedPolynomial& a, const RoundedPolynomial& b, RoundedPolynomial& out) {
  out.setZero(a.degree + b.degree);
  addProduct(a, b, 1, out);
}

void addMultiple(const Ball& factor, const RoundedPolynomial& a, RoundedPolynomial& out) {
  for (int i = 0; i <= a.degree; ++i) out.c[i] += factor.value * a.c[i];
  const double product = std::abs(factor.value) * a.size;
  out.size += product + factor.radius * a.size;
  out.radius += std::abs(factor.value) * a.radius + factor.radius * (a.size + a.radius) +
                kToNearest * (product + out.size) + kBallUnderflow;
}

double largestRatio(const RoundedPolynomial& a, const RoundedPolynomial& scale) {
  double largest = 0;
  for (int i = 0; i <= a.degree; ++i) {
    const double binomial = kBinomials[a.degree][i];
    const double up = Ball(std::abs(a.c[i]), a.radius * binomial).upper(),
                 down = -Ball(-scale.c[i], scale.radius * binomial).upper();
    const double ratio = up / down * (1 + 0x1p-50);
    if (!(down > 0 && ratio < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, ratio);
  }
  return largest;
}

double lowerValue(const RoundedPolynomial& a) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= a.degree; ++i) {
    const double value = -Ball(-a.c[i] / kBinomials[a.degree][i], a.radius).upper();
    if (!(value >= least)) least = value;  // NaN stays: no comparison with it is true.
    if (std::isnan(least)) break;
  }
  return least - std::abs(least) * 0x1p-50;
}

}  // namespace rigor::verify::filter
