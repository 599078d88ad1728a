// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "elementary/constants.h"
#include "elementary/elementary.h"

namespace rigor::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// 2^(k/32) e^r for |r| <= ln 2 / 64 (and a rounding). What the series of e^r - 1 <= .011 rounds is below .03 ulp of
/// the result.
double scaledExponential(long k, double r) {
  const double p =
      r + r * r * (1 / 2. + r * (1 / 6. + r * (1 / 24. + r * (1 / 120. + r * (1 / 720. + r * (1 / 5040.))))));
  const DoubleDouble& T = kPowersOfTwo[k & 31];
  return std::ldexp(T.high + (T.low + T.high * p), static_cast<int>(k >> 5));
}

/// log of v > 0. With v = 2^e m, sqrt(1/2) <= m < sqrt(2): log m = 2 artanh s, s = (m - 1)/(m + 1), |s| <= .172; what
/// follows 2 s is below .01 of it and needs no pair.
DoubleDouble logarithm(const DoubleDouble& v) {
  int e;
  double m = std::frexp(v.high, &e);
  if (m < std::numbers::sqrt2 / 2) m *= 2, --e;
  const DoubleDouble scaled{m, std::ldexp(v.low, -e)};
  const DoubleDouble s = (scaled + -1.0) / (scaled + 1.0);
  const double z = s.high * s.high;
  const double tail = 2 * s.high * z * (1 / 3. + z * (1 / 5. + z * (1 / 7. + z * (1 / 9. + z * (1 / 11. + z * (1 / 13. +
                      z * (1 / 15. + z * (1 / 17. + z * (1 / 19. + z * (1 / 21.))))))))));
  return kLn2 * static_cast<double>(e) + (s * 2.0 + tail);
}

}  // namespace

double exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return kInfinity;
  if (x < -745.14) return 0;
  const double k = std::floor(x * (32 / kLn2.high) + 0.5);
  return scaledExponential(static_cast<long>(k), (x - k * kLn2Over32Parts[0]) - k * kLn2Over32Parts[1]);
}

double exp2(double x) {
  if (std::isnan(x)) return x;
  if (x >= 1024) return kInfinity;
  if (x < -1075) return 0;
  const double k = std::floor(32 * x + 0.5);
  return scaledExponential(static_cast<long>(k), (x - k / 32) * kLn2.high);
}

double log(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return -kInfinity;
  return std::isinf(x) ? x : logarithm({x, 0}).rounded();
}

double log1p(double x) {
  if (!(x >= -1)) return kNaN;
  if (x == -1) return -kInfinity;
  if (std::isinf(x) || std::abs(x) < 0x1p-54) return x;
  return logarithm(sumOf(1, x)).rounded();
}

double acosh(double x) {
  if (!(x >= 1)) return kNaN;
  if (std::isinf(x)) return x;
  if (x > 0x1p60) return (logarithm({x, 0}) + kLn2).rounded();
  return logarithm(squareRoot(sumOf(x, -1) * sumOf(x, 1)) + x).rounded();
}

double hypot(double x, double y) {
  if (std::isinf(x) || std::isinf(y)) return kInfinity;
  double a = std::abs(x), b = std::abs(y);
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  if (a < b) std::swap(a, b);
  if (b <= 0x1p-54 * a) return a + b;
  int e = 0;
  if (!(a < 0x1p400 && a > 0x1p-400)) std::frexp(a, &e), a = std::ldexp(a, -e), b = std::ldexp(b, -e);
  const double length = squareRoot(productOf(a, a) + productOf(b, b)).rounded();
  return e == 0 ? length : std::ldexp(length, e);
}

double power(double x, int n) {
  double result = 1, square = x;
  for (unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n); left != 0; left >>= 1) {
    if (left & 1) result *= square;
    if (left > 1) square *= square;
  }
  return n < 0 ? 1 / result : result;
}

double fourthRoot(double x) { return std::sqrt(std::sqrt(x)); }

}  // namespace rigor::elementary
