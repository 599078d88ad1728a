// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "elementary/constants.h"
#include "elementary/elementary.h"
#include "elementary/require.h"

namespace rigor::elementary {
namespace {

constexpr double kLargeAngle = 1e6;  // [rad] Up to here quadrant numbers times kHalfPiParts are exact.

/// x = quadrant pi/2 + rest, |rest| <= pi/4 (and a rounding of the quadrant).
struct Reduced {
  int quadrant = 0;
  DoubleDouble rest;
};

Reduced reduceByParts(double x) {
  const double k = std::floor(x * (2 / kPi.high) + 0.5);
  DoubleDouble r = sumOf(x, -k * kHalfPiParts[0]);
  for (int i = 1; i < 4; ++i) r = r + -k * kHalfPiParts[i];
  return {static_cast<int>(static_cast<long>(k) & 3), r};
}

/// Bits first .. first + 63 of 2/pi behind the binary point, counted from 0; those before the point are 0.
std::uint64_t twoOverPiBits(int first) {
  const auto word = [](int i) { return i < 0 ? 0 : kTwoOverPi[i]; };
  const int i = first >= 0 ? first / 64 : -((63 - first) / 64), shift = first - 64 * i;
  return shift == 0 ? word(i) : word(i) << shift | word(i + 1) >> (64 - shift);
}

/// Payne and Hanek: of x = M 2^e the product with those bits of 2/pi that matter modulo 4, as a 192-bit integer in
/// units of 2^-190.
Reduced reduceLarge(double x) {
  __extension__ using Wide = unsigned __int128;
  int e;
  const auto M = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &e), 53));
  e -= 53;
  std::uint64_t words[3], carry = 0;  // Most significant first.
  for (int i = 2; i >= 0; --i) {
    const Wide product = static_cast<Wide>(M) * twoOverPiBits(e - 2 + 64 * i) + carry;
    words[i] = static_cast<std::uint64_t>(product), carry = static_cast<std::uint64_t>(product >> 64);
  }
  int quadrant = static_cast<int>(words[0] >> 62);
  words[0] &= ~(std::uint64_t{3} << 62);
  const bool beyond_half = words[0] >> 61 & 1;  // The rest is then that to the next quadrant, from above.
  if (beyond_half) {
    ++quadrant;
    for (std::uint64_t& w : words) w = ~w;
    if (++words[2] == 0 && ++words[1] == 0) ++words[0];
    words[0] &= ~(std::uint64_t{3} << 62);
  }
  DoubleDouble share;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t half = i % 2 == 0 ? words[i / 2] >> 32 : words[i / 2] & 0xffffffffu;
    share = share + std::ldexp(static_cast<double>(half), -30 - 32 * i);
  }
  DoubleDouble rest = share * kHalfPi;
  if (beyond_half) rest = -rest;
  return {quadrant & 3, rest};
}

/// Of |x|: signs are put back at the end, so that functions are odd or even to the bit. @pre x is finite.
Reduced reduce(double x) {
  RIGOR_REQUIRE(!std::isinf(x));
  const double size = std::abs(x);
  if (size <= 0.785) return {0, {size, 0}};
  return size <= kLargeAngle ? reduceByParts(size) : reduceLarge(size);
}

/// Taylor's series for |r| <= pi/4: what follows the terms named here is below 2^-62 of the sum. The first two terms
/// (sine; three: cosine) are pairs; the others are below .004 of the sum (.0005), so that their roundings add less than
/// .02 ulp.
struct Series {
  explicit Series(const DoubleDouble& angle) : r(angle), z(productOf(angle.high, angle.high)) {
    z.low += 2 * angle.high * angle.low;
  }

  DoubleDouble sine() const {
    if (std::abs(r.high) < 0x1p-200) return r;  // productOf() would underflow.
    const double t = z.high;
    const double tail = 1 / 120. + t * (-1 / 5040. + t * (1 / 362880. + t * (-1 / 39916800. + t * (1 / 6227020800. +
                        t * (-1 / 1307674368000. + t * (1 / 355687428096000.))))));
    constexpr double kThird = -1 / 6., kThirdLow = -0x1.5555555555555p-57;  // -1/6 to 2^-110.
    DoubleDouble cube = productOf(r.high, z.high);
    cube.low += r.high * z.low + r.low * z.high;
    DoubleDouble third = productOf(cube.high, kThird);
    third.low += cube.high * kThirdLow + cube.low * kThird;
    const DoubleDouble sum = sumOfOrdered(r.high, third.high);
    return {sum.high, sum.low + (r.low + third.low + cube.high * t * tail)};
  }

  DoubleDouble cosine() const {
    const double t = z.high;
    const double tail =
        -1 / 720. +
        t * (1 / 40320. +
             t * (-1 / 3628800. + t * (1 / 479001600. + t * (-1 / 87178291200. + t * (1 / 20922789888000. +
                                                                                      t * (-1 / 6402373705728000.))))));
    constexpr double kFourth = 1 / 24., kFourthLow = 0x1.5555555555555p-59;  // 1/24 to 2^-112.
    const DoubleDouble square = productOf(t, t);
    DoubleDouble fourth = productOf(square.high, kFourth);
    fourth.low += square.high * kFourthLow + (square.low + 2 * t * z.low) * kFourth;
    const DoubleDouble first = sumOfOrdered(1, -0.5 * z.high), sum = sumOfOrdered(first.high, fourth.high);
    return {sum.high, sum.low + (first.low + fourth.low - 0.5 * z.low + square.high * t * tail)};
  }

  DoubleDouble r, z;
};

DoubleDouble sineOf(int quadrant, const Series& series) {
  const DoubleDouble value = quadrant & 1 ? series.cosine() : series.sine();
  return quadrant & 2 ? -value : value;
}

double withSign(double value, double x) { return std::signbit(x) ? -value : value; }

/// atan(y/x) for x, y >= 0, not both 0, the smaller not below 2^-100 of the larger unless it is 0.
DoubleDouble arcTangent(const DoubleDouble& y, const DoubleDouble& x) {
  const bool steep = y.high > x.high;
  const DoubleDouble &low = steep ? x : y, &high = steep ? y : x;
  // atan t = atan c + atan((t - c)/(1 + t c)), c = j/16: what is left is at most 1/32, and its cube is below 2^-11 of
  // it.
  const int j = static_cast<int>(16 * (low.high / high.high) + 0.5);
  const double c = j / 16.;
  const DoubleDouble t = (low - high * c) / (high + low * c);
  const double s = t.high * t.high;
  const double tail = t.high * s * (-1 / 3. + s * (1 / 5. + s * (-1 / 7. + s * (1 / 9. + s * (-1 / 11.)))));
  const DoubleDouble angle = kArcTangents[j] + (t + tail);
  return steep ? kHalfPi - angle : angle;
}

/// sqrt(1 - x^2), |x| <= 1.
DoubleDouble cosineOfSine(double x) { return squareRoot(sumOf(1, -x) * sumOf(1, x)); }

}  // namespace

double sin(double x) {
  if (!std::isfinite(x)) return kNaN;
  const Reduced reduced = reduce(x);
  return withSign(sineOf(reduced.quadrant, Series(reduced.rest)).rounded(), x);
}

double cos(double x) {
  if (!std::isfinite(x)) return kNaN;
  const Reduced reduced = reduce(x);
  return sineOf(reduced.quadrant + 1, Series(reduced.rest)).rounded();
}

SineCosine sineCosine(double x) {
  if (!std::isfinite(x)) return {kNaN, kNaN};
  const Reduced reduced = reduce(x);
  const Series series(reduced.rest);
  return {withSign(sineOf(reduced.quadrant, series).rounded(), x), sineOf(reduced.quadrant + 1, series).rounded()};
}

double tan(double x) {
  if (!std::isfinite(x)) return kNaN;
  if (std::abs(x) < 0x1p-28) return x + x * x * x / 3;
  const Reduced reduced = reduce(x);
  const Series series(reduced.rest);
  const DoubleDouble sine = sineOf(reduced.quadrant, series), cosine = sineOf(reduced.quadrant + 1, series);
  return withSign((sumOfOrdered(sine.high, sine.low) / sumOfOrdered(cosine.high, cosine.low)).rounded(), x);
}

double asin(double x) {
  if (!(std::abs(x) <= 1)) return kNaN;
  if (std::abs(x) < 0x1p-28) return x + x * x * x / 6;
  const double angle = arcTangent({std::abs(x), 0}, cosineOfSine(x)).rounded();
  return std::copysign(angle, x);
}

double acos(double x) {
  if (!(std::abs(x) <= 1)) return kNaN;
  if (std::abs(x) < 0x1p-80) return kHalfPi.rounded();
  const DoubleDouble angle = arcTangent(cosineOfSine(x), {std::abs(x), 0});
  return (x < 0 ? kPi - angle : angle).rounded();
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  double a = std::abs(y), b = std::abs(x);
  DoubleDouble angle;
  if (std::isinf(a) && std::isinf(b)) a = b = 1;
  if (std::isinf(b)) a = 0, b = 1;
  if (std::isinf(a)) a = 1, b = 0;
  int e;
  std::frexp(std::max(a, b), &e);
  if (a < 0x1p-70 * b || a == 0) {
    if (!std::signbit(x)) return std::copysign(b > 0 ? a / b : 0, y);  // One rounding, also where it underflows.
    angle = {a > 0 ? std::ldexp(a, -e) / std::ldexp(b, -e) : 0, 0};
  } else if (b < 0x1p-70 * a) {
    angle = kHalfPi - DoubleDouble{std::ldexp(b, -e) / std::ldexp(a, -e), 0};
  } else {
    angle = arcTangent({std::ldexp(a, -e), 0}, {std::ldexp(b, -e), 0});
  }
  return std::copysign((std::signbit(x) ? kPi - angle : angle).rounded(), y);
}

}  // namespace rigor::elementary
