// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>

#include "verify/filter/ball.h"

/// What the formulas of claims are made of, in balls. out = a b; out += a b; out -= a b.
namespace rigor::verify::filter {

inline void multiply(const Ball& a, const Ball& b, Ball& out) { out = a, out *= b; }
inline void addProduct(Ball a, const Ball& b, Ball& out) { out += a *= b; }
inline void subtractProduct(Ball a, const Ball& b, Ball& out) { out -= a *= b; }
inline void negate(Ball& x) { x.value = -x.value; }
inline Ball power(const Ball& x, int n) {
  Ball out = 1;
  for (; n > 0; --n) out *= x;
  return out;
}
/// No smaller than the root.
inline Ball upperRoot(const Ball& square) { return std::sqrt(square.upper()) * (1 + 0x1p-50); }
/// limit = max(limit, x), or more.
inline void raiseTo(const Ball& x, Ball& limit) {
  const double a = x.upper(), b = limit.upper();
  limit = std::isnan(b) || b >= a ? b : a;  // NaN stays.
}
/// Only if it is certain that it is.
inline bool isAtLeast(Ball a, const Ball& b) { return (a -= b).provedNonNegative(); }
inline void addTimes(int factor, const BallPolynomial& a, BallPolynomial& out) { addMultiple(Ball(factor), a, out); }
/// Every coefficient of `least`, whose radii are 0, down to that of f, or less.
inline void lowerTo(const BallPolynomial& f, BallPolynomial& least) {
  for (int i = 0; i <= f.degree; ++i) {
    Ball limit = -least.value[i];
    raiseTo(Ball(-f.value[i], f.radius[i]), limit);
    least.value[i] = -limit.value;
  }
}

using Ball3 = Ball[3];
using BallPolynomial3 = BallPolynomial[3];

inline void dot(const Ball3& a, const Ball3& b, Ball& out) {
  multiply(a[0], b[0], out);
  addProduct(a[1], b[1], out);
  addProduct(a[2], b[2], out);
}

inline void cross(const Ball3& a, const Ball3& b, Ball3& out) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(a[j], b[k], out[i]);
    subtractProduct(a[k], b[j], out[i]);
  }
}

/// out = a x b.
inline void cross(const BallPolynomial3& a, const Ball3& b, BallPolynomial3& out) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i].setZero(a[0].degree);
    addMultiple(b[j], a[k], out[i]);
    out[i].negate();
    addMultiple(b[k], a[j], out[i]);
  }
}

/// out = M vector.
inline void rotate(const BallPolynomial (&M)[3][3], const Ball3& vector, BallPolynomial3& out) {
  for (int i = 0; i < 3; ++i) {
    out[i].setZero(M[i][0].degree);
    for (int j = 0; j < 3; ++j) addMultiple(vector[j], M[i][j], out[i]);
  }
}

/// out = M' v.
inline void rotateBack(const BallPolynomial (&M)[3][3], const BallPolynomial3& v, BallPolynomial3& out) {
  for (int k = 0; k < 3; ++k) {
    out[k].setZero(M[0][0].degree + v[0].degree);
    for (int i = 0; i < 3; ++i) addProduct(M[i][k], v[i], 1, out[k]);
  }
}

inline void dotPolynomials(const BallPolynomial3& a, const BallPolynomial3& b, BallPolynomial& out) {
  out.setZero(a[0].degree + b[0].degree);
  for (int i = 0; i < 3; ++i) addProduct(a[i], b[i], 1, out);
}

}  // namespace rigor::verify::filter
