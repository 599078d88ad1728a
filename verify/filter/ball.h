// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>

namespace rigor::verify::filter {

constexpr int kMaxDegree = 18;  ///< Position 3 + two orientations of 2 x 3; a cylinder's height squared, 2 x 9.

constexpr double kToNearest = 0x1p-53;  ///< A rounding to nearest, relative to the result.
/// More than an underflow loses, in a value or in a radius.
constexpr double kBallUnderflow = 0x1p-1000;
/// Of radii, by fewer than 2^20 operations one after the other.
constexpr double kRadiusRounding = 0x1p-30;

/// A number known to a rounding: its distance from `value` is at most radius (1 + kRadiusRounding). Every operation
/// adds what it rounds off to the radius; radii are rounded to nearest themselves, for which that last factor has room.
/// Overflow makes the radius infinite or NaN, and then nothing is proved.
struct Ball {
  double value = 0, radius = 0;

  Ball() = default;
  Ball(double exact, double rounding = 0) : value(exact), radius(rounding) {}
  Ball& operator+=(const Ball& b) {
    value += b.value;
    radius += b.radius + kToNearest * std::abs(value);
    return *this;
  }
  Ball& operator-=(const Ball& b) {
    value -= b.value;
    radius += b.radius + kToNearest * std::abs(value);
    return *this;
  }
  Ball& operator*=(const Ball& b) {
    radius = std::abs(value) * b.radius + radius * (std::abs(b.value) + b.radius);
    value *= b.value;
    radius += kToNearest * std::abs(value) + kBallUnderflow;
    return *this;
  }
  Ball operator-() const { return {-value, radius}; }
  /// It is certainly not negative. Infinity less infinity is not.
  bool provedNonNegative() const { return value - radius * (1 + 2 * kRadiusRounding) >= 0; }
  /// No less than the number, whatever the rounding.
  double upper() const {
    const double sum = value + radius * (1 + 2 * kRadiusRounding);
    return sum + 2 * kToNearest * std::abs(sum) + kBallUnderflow;
  }
};

/// A polynomial over [0, 1] in the form of kernel::Polynomial, each coefficient a ball.
struct BallPolynomial {
  int degree = 0;
  double value[kMaxDegree + 1], radius[kMaxDegree + 1];

  void setZero(int new_degree);
  void fromControlPoints(const Ball* control, int n);
  void elevate(int new_degree);
  void multiplyBy(const Ball& factor);
  void negate();
  /// Every coefficient is certainly not negative, and with it the polynomial on [0, 1].
  bool provedNonNegative() const;
};
void multiply(const BallPolynomial& a, const BallPolynomial& b, BallPolynomial& out);
void addProduct(const BallPolynomial& a, const BallPolynomial& b, int sign, BallPolynomial& out);
void addMultiple(const Ball& factor, const BallPolynomial& a, BallPolynomial& out);

}  // namespace rigor::verify::filter
