// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <compare>

#include "verify/kernel/motion.h"

namespace rigor::verify::kernel {

double ratioOf(const Number& x, const Number& over);

/// A number, or a triple of numbers, over one denominator. Nothing is reduced, since greatest common divisors took most
/// of the time: what doubles make has no denominator, and sums look for the larger of two first.
template <typename T>
struct Fraction {
  T x;
  Number over = 1;  ///< Positive.
  Fraction() = default;
  Fraction(T numerator, Number denominator) : x(std::move(numerator)), over(std::move(denominator)) {}
  /// Of doubles: @pre finite.
  Fraction(const auto& number) requires requires { T(number); } : x(number) {
  }
  static constexpr double kRounding = 0x1p-50;       ///< Of get_d() of a number that does not underflow.
  double get_d() const { return ratioOf(x, over); }  ///< Near it: for people, guesses and filters.
  Fraction<Number> operator[](int i) const { return {x[i], over}; }
  Fraction& add(const Fraction& b, int sign = 1) {
    Number times;
    if (over == b.over) x.add(b.x, sign);
    else if (over.isMultiple(b.over, times)) x.add(b.x * times, sign);
    else if (b.over.isMultiple(over, times)) x = (x * times).add(b.x, sign), over = b.over;
    else x = (x * b.over).add(b.x * over, sign), over = over * b.over;
    return *this;
  }
  Fraction& operator+=(const Fraction& b) { return add(b); }
  friend Fraction operator+(Fraction a, const Fraction& b) { return std::move(a.add(b)); }
  friend Fraction operator-(Fraction a, const Fraction& b) { return std::move(a.add(b, -1)); }
};
using Rational = Fraction<Number>;
using Rational3 = Fraction<Number3>;
/// The next multiple of 2^(64 place).
Number ceiling(const Rational& x, int place);

inline int sgn(const Rational& x) { return sgn(x.x); }
inline int compare(const Rational& a, const Rational& b) {
  return sgn(a.over == b.over ? a.x - b.x : a.x * b.over - b.x * a.over);
}
inline Rational operator-(const Rational& a) { return {Number() - a.x, a.over}; }
inline Rational operator*(const Rational& a, const Rational& b) { return {a.x * b.x, a.over * b.over}; }
/// @pre b is not 0.
inline Rational operator/(const Rational& a, const Rational& b) {
  return a * Rational(sgn(b) < 0 ? Number() - b.over : b.over, sgn(b) < 0 ? Number() - b.x : b.x);
}
inline bool operator==(const Rational& a, const Rational& b) { return compare(a, b) == 0; }
inline auto operator<=>(const Rational& a, const Rational& b) { return compare(a, b) <=> 0; }
inline Rational abs(const Rational& x) { return sgn(x) < 0 ? -x : x; }
inline Rational square(const Rational& x) { return x * x; }
inline Rational3 operator*(const Rational3& a, const Rational& s) { return {a.x * s.x, a.over * s.over}; }
inline Rational dot(const Rational3& a, const Rational3& b) { return {dot(a.x, b.x), a.over * b.over}; }
inline Rational3 cross(const Rational3& a, const Rational3& b) { return {cross(a.x, b.x), a.over * b.over}; }

/// No less than the root of what is not negative: Newton's step from a guess.
inline Rational rootAbove(const Rational& square) {
  const double guess = std::sqrt(square.get_d());
  const Rational root = guess < HUGE_VAL ? std::max(guess, 0x1p-530) : 1.0;
  return sgn(square) == 0 ? Rational(0) : Rational((root + square / root) / 2);
}

/// No more than that.
inline Rational rootBelow(const Rational& square) { return sgn(square) == 0 ? square : square / rootAbove(square); }

/// Where a body is at an instant, and how it moves: x = p + R (body point - centre).
struct Instant {
  Rational3 p;
  Rotation<Number> R;
  Rational3 v, w;  ///< Of the centre, of the published motion.
  Rational3 turn(const Rational3& arm) const { return {R.turn(arm.x), R.norm * arm.over}; }
  Rational3 turnBack(const Rational3& u) const { return {R.turnBack(u.x), R.norm * u.over}; }
  Rational3 velocityOf(const Rational3& point) const { return v + cross(w, point - p); }
};
/// (t - t0) / (t1 - t0), rounded to a double: where the instant t is taken to be, so that numbers stay short. It is at
/// most 2^-50 of the piece's length from t, and the ends are exact. @pre t in [piece.t0, piece.t1].
double shareOf(const Piece& piece, double t);
/// @pre t in [piece.t0, piece.t1]; the quaternion does not vanish there.
Instant instantOf(const Piece& piece, double t);

}  // namespace rigor::verify::kernel
