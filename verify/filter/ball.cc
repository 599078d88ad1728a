// SPDX-License-Identifier: MIT
#include "verify/filter/ball.h"

#include <algorithm>
#include <cmath>

namespace rigor::verify::filter {
namespace {

constexpr double kBinomial[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};

// (value, radius) += (a, r) (b, s)
inline void addTerm(double a, double r, double b, double s, double& value, double& radius) {
  const double product = a * b, sum = value + product;
  radius +=
      (std::abs(a) * s + r * (std::abs(b) + s)) + (kToNearest * (std::abs(product) + std::abs(sum)) + kBallUnderflow);
  value = sum;
}

}  // namespace

void BallPolynomial::setZero(int new_degree) {
  degree = new_degree;
  std::fill_n(value, degree + 1, 0.0);
  std::fill_n(radius, degree + 1, 0.0);
}

void BallPolynomial::fromControlPoints(const Ball* control, int n) {
  degree = n;
  for (int i = 0; i <= n; ++i) {
    Ball b = control[i];
    if (kBinomial[n][i] != 1) b *= kBinomial[n][i];
    value[i] = b.value;
    radius[i] = b.radius;
  }
}

void BallPolynomial::elevate(int new_degree) {
  for (; degree < new_degree; ++degree) {
    value[degree + 1] = value[degree];
    radius[degree + 1] = radius[degree];
    for (int i = degree; i >= 1; --i) {
      value[i] += value[i - 1];
      radius[i] += radius[i - 1] + kToNearest * std::abs(value[i]);
    }
  }
}

void BallPolynomial::multiplyBy(const Ball& factor) {
  if (factor.value == 1 && factor.radius == 0) return;
  for (int i = 0; i <= degree; ++i) {
    const double v = value[i], r = radius[i];
    value[i] = radius[i] = 0;
    addTerm(factor.value, factor.radius, v, r, value[i], radius[i]);
  }
}

void BallPolynomial::negate() {
  for (int i = 0; i <= degree; ++i) value[i] = -value[i];
}

bool BallPolynomial::provedNonNegative() const {
  for (int i = 0; i <= degree; ++i)
    if (!Ball(value[i], radius[i]).provedNonNegative()) return false;
  return true;
}

void addProduct(const BallPolynomial& a, const BallPolynomial& b, int sign, BallPolynomial& out) {
  for (int i = 0; i <= a.degree; ++i) {
    const double v = sign > 0 ? a.value[i] : -a.value[i], r = a.radius[i];
    for (int j = 0; j <= b.degree; ++j) addTerm(v, r, b.value[j], b.radius[j], out.value[i + j], out.radius[i + j]);
  }
}

void multiply(const BallPolynomial& a, const BallPolynomial& b, BallPolynomial& out) {
  out.setZero(a.degree + b.degree);
  addProduct(a, b, 1, out);
}

void addMultiple(const Ball& factor, const BallPolynomial& a, BallPolynomial& out) {
  for (int i = 0; i <= a.degree; ++i)
    addTerm(factor.value, factor.radius, a.value[i], a.radius[i], out.value[i], out.radius[i]);
}

}  // namespace rigor::verify::filter
