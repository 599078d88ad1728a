// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>

#include "elementary/require.h"

/// Numbers of twice a double's precision, as unevaluated sums high + low of doubles: what the functions of this folder
/// round once, at their end. Additions and products alone, without contraction (cmake/targets.cmake): the same bits on
/// every processor.
namespace rigor::elementary {

/// high + low with |low| <= ulp(high) / 2.
struct DoubleDouble {
  double high = 0, low = 0;

  double rounded() const { return high + low; }
};

/// a + b exactly, for |a| >= |b| or a == 0 (Dekker 1971).
inline DoubleDouble sumOfOrdered(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

/// a + b exactly (Knuth).
inline DoubleDouble sumOf(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// a b exactly for |a|, |b| in [2^-480, 2^480] (Dekker's splitting: a fused operation would need processors that have
/// it).
inline DoubleDouble productOf(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double ca = kSplit * a, ha = ca - (ca - a), la = a - ha;
  const double cb = kSplit * b, hb = cb - (cb - b), lb = b - hb;
  const double p = a * b;
  return {p, ((ha * hb - p) + ha * lb + la * hb) + la * lb};
}

// Relative error of each below 2^-100 unless terms cancel.
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble s = sumOf(a.high, b.high), t = sumOf(a.low, b.low);
  const DoubleDouble u = sumOfOrdered(s.high, s.low + t.high);
  return sumOfOrdered(u.high, u.low + t.low);
}
inline DoubleDouble operator+(const DoubleDouble& a, double b) {
  const DoubleDouble s = sumOf(a.high, b);
  return sumOfOrdered(s.high, s.low + a.low);
}
inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble p = productOf(a.high, b.high);
  return sumOfOrdered(p.high, p.low + (a.high * b.low + a.low * b.high));
}
inline DoubleDouble operator*(const DoubleDouble& a, double b) {
  const DoubleDouble p = productOf(a.high, b);
  return sumOfOrdered(p.high, p.low + a.low * b);
}
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double q = a.high / b.high;
  const DoubleDouble r = a - b * q;
  const DoubleDouble first = sumOfOrdered(q, r.high / b.high);
  return sumOfOrdered(first.high, first.low + (a - b * first).high / b.high);
}
/// @pre a >= 0.
inline DoubleDouble squareRoot(const DoubleDouble& a) {
  RIGOR_REQUIRE(!(a.high < 0));
  const double s = std::sqrt(a.high);
  if (!(s > 0)) return {s, 0};
  return sumOfOrdered(s, (a - productOf(s, s)).high / (2 * s));
}

}  // namespace rigor::elementary
