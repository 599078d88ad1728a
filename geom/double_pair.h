// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>

namespace rigor::geom {

/// A sum of two doubles, high the rounded one: about 104 bits, some dozen operations each [Dekker71, Knuth98]. Exact
/// transformations as long as nothing over- or underflows: for numbers between 1e-60 and 1e60, or 0.
struct DoublePair {
  double high = 0, low = 0;

  static DoublePair sumOf(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
  }
  static DoublePair productOf(double a, double b) {
    constexpr double kSplit = 134217729;  // 2^27 + 1
    const double p = a * b, ca = kSplit * a, cb = kSplit * b;
    const double a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
  }
  friend DoublePair operator-(DoublePair a) { return {-a.high, -a.low}; }
  friend DoublePair operator+(DoublePair a, DoublePair b) {
    const DoublePair s = sumOf(a.high, b.high), t = sumOf(a.low, b.low);
    const DoublePair u = sumOf(s.high, s.low + t.high);
    return sumOf(u.high, u.low + t.low);
  }
  friend DoublePair operator-(DoublePair a, DoublePair b) { return a + -b; }
  friend DoublePair operator*(DoublePair a, DoublePair b) {
    const DoublePair p = productOf(a.high, b.high);
    return sumOf(p.high, p.low + (a.high * b.low + a.low * b.high));
  }
  /// a / b, rounded to double but for 2^-52 of its last place.
  friend double quotient(DoublePair a, DoublePair b) {
    const double q = a.high / b.high;
    const DoublePair rest = a - b * DoublePair{q, 0};
    return q + rest.high / b.high;
  }
  friend DoublePair squareRoot(DoublePair a) {
    const double root = std::sqrt(a.high);
    const DoublePair rest = a - productOf(root, root);
    return sumOf(root, rest.high / (2 * root));
  }
};

}  // namespace rigor::geom
