// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <utility>

#include "verify/kernel/run.h"

namespace rigor::verify::kernel {

/// numerator / denominator 2^exponent. Nothing is reduced, since greatest common divisors took most of the time: what
/// doubles make has no denominator, and sums look for the larger of two first.
class Rational {
 public:
  Rational(double number = 0);  ///< @pre finite.
  explicit Rational(mpz_class whole) : numerator_(std::move(whole)) {}
  static constexpr double kRounding = 0x1p-50;  ///< Of a number that does not underflow.
  double get_d() const;  ///< Near it: for people, guesses and filters.
  mpz_class ceiling() const;
  Rational& add(const Rational& b, int sign);
  Rational& operator+=(const Rational& b) { return add(b, 1); }
  Rational& operator/=(const Rational& b);  ///< @pre b is not 0.
  Rational operator-() const;
  friend Rational operator*(const Rational& a, const Rational& b);
  friend int sgn(const Rational& x) { return sgn(x.numerator_); }

 private:
  mpz_class numerator_, denominator_;  ///< 0 stands for a denominator of 1; never negative.
  long exponent_ = 0;
};
inline Rational operator+(Rational a, const Rational& b) { return a += b; }
inline Rational operator-(Rational a, const Rational& b) { return a.add(b, -1); }
Rational operator*(const Rational& a, const Rational& b);
inline Rational operator/(Rational a, const Rational& b) { return a /= b; }
inline int compare(const Rational& a, const Rational& b) { return sgn(a - b); }
inline bool operator==(const Rational& a, const Rational& b) { return compare(a, b) == 0; }
inline auto operator<=>(const Rational& a, const Rational& b) { return compare(a, b) <=> 0; }
inline Rational abs(const Rational& x) { return sgn(x) < 0 ? -x : x; }
inline Rational square(const Rational& x) { return x * x; }

/// No less than the root of what is not negative: Newton's step from a guess.
inline Rational rootAbove(const Rational& square) {
  const double guess = std::sqrt(square.get_d());
  const Rational root = guess > 0 && guess < HUGE_VAL ? guess : 1.0;
  return sgn(square) == 0 ? Rational(0) : Rational((root + square / root) / 2);
}

/// Exact vectors for the laws of motion, which speak of instants. @pre Doubles are finite.
struct Rational3 {
  Rational x[3];
  Rational3() = default;
  Rational3(const double* v) : x{Rational(v[0]), Rational(v[1]), Rational(v[2])} {}
  Rational3(const Vector3& v) : Rational3(v.data()) {}
  Rational& operator[](int i) { return x[i]; }
  const Rational& operator[](int i) const { return x[i]; }
  Rational3& operator+=(const Rational3& b) {
    for (int i = 0; i < 3; ++i) x[i] += b[i];
    return *this;
  }
};
inline Rational3 operator+(Rational3 a, const Rational3& b) { return a += b; }
inline Rational3 operator*(const Rational3& a, const Rational& s) {
  Rational3 out;
  for (int i = 0; i < 3; ++i) out[i] = a[i] * s;
  return out;
}
inline Rational3 operator-(Rational3 a, const Rational3& b) {
  for (int i = 0; i < 3; ++i) a[i].add(b[i], -1);
  return a;
}
inline Rational dot(const Rational3& a, const Rational3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Rational3 cross(const Rational3& a, const Rational3& b) {
  Rational3 out;
  for (int i = 0; i < 3; ++i) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  return out;
}

/// Where a body is at an instant, and how it moves: x = p + R (body point - centre).
struct Instant {
  Rational3 p, R[3];  ///< R by its columns.
  Rational3 v, w;     ///< Of the centre, of the published motion.
  Rational3 turn(const Rational3& arm) const { return R[0] * arm[0] + R[1] * arm[1] + R[2] * arm[2]; }
  Rational3 turnBack(const Rational3& u) const {
    Rational3 out;
    for (int i = 0; i < 3; ++i) out[i] = dot(R[i], u);
    return out;
  }
  Rational3 velocityOf(const Rational3& point) const { return v + cross(w, point - p); }
};
/// @pre t in [piece.t0, piece.t1]; the quaternion does not vanish there.
Instant instantOf(const Piece& piece, double t);

}  // namespace rigor::verify::kernel
