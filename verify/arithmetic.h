// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "verify/ball.h"
#include "verify/exact.h"
#include "verify/vertex_set.h"

namespace rigor::verify {

/// Integers: every double is a multiple of a common unit.
struct ExactArithmetic {
  static constexpr bool kUnits = true;
  using Number = mpz_class;
  using Polynomial = verify::Polynomial;
  using Signs = SignProver;
};
/// Doubles that enclose them: proves most claims at a tenth of the cost, and refutes none.
struct BallArithmetic {
  static constexpr bool kUnits = false;
  using Number = Ball;
  using Polynomial = BallPolynomial;
  struct Signs {
    Proof proveNonNegative(const Polynomial& f, double&) const {
      return f.provedNonNegative() ? Proof::kProved : Proof::kUnproved;
    }
  };
};

// What the formulas of both are made of. out = a b; out += a b; out -= a b.
inline void multiply(const mpz_class& a, const mpz_class& b, mpz_class& out) {
  mpz_mul(out.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
}
inline void addProduct(const mpz_class& a, const mpz_class& b, mpz_class& out) {
  mpz_addmul(out.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
}
inline void subtractProduct(const mpz_class& a, const mpz_class& b, mpz_class& out) {
  mpz_submul(out.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
}
inline void multiply(const Ball& a, const Ball& b, Ball& out) { out = a, out *= b; }
inline void addProduct(Ball a, const Ball& b, Ball& out) { out += a *= b; }
inline void subtractProduct(Ball a, const Ball& b, Ball& out) { out -= a *= b; }
inline void scaled(double x, int, Ball& out) { out = x; }  // Balls have no unit.
inline void negate(mpz_class& x) { mpz_neg(x.get_mpz_t(), x.get_mpz_t()); }
inline void negate(Ball& x) { x.value = -x.value; }
inline void power(const mpz_class& x, int n, mpz_class& out) { mpz_pow_ui(out.get_mpz_t(), x.get_mpz_t(), n); }
inline void power(const Ball& x, int n, Ball& out) {
  for (out = 1; n > 0; --n) out *= x;
}
// No smaller than the root; that of integers is the least such integer. @pre square >= 0
inline void ceilingRoot(const mpz_class& square, mpz_class& root, mpz_class& remainder) {
  mpz_sqrtrem(root.get_mpz_t(), remainder.get_mpz_t(), square.get_mpz_t());
  if (sgn(remainder) > 0) mpz_add_ui(root.get_mpz_t(), root.get_mpz_t(), 1);
}
inline void ceilingRoot(const Ball& square, Ball& root, Ball&) { root = std::sqrt(square.upper()) * (1 + 0x1p-50); }
// limit = max(limit, x), or more.
inline void raiseTo(const mpz_class& x, mpz_class& limit) {
  if (x > limit) limit = x;
}
inline void raiseTo(const Ball& x, Ball& limit) {
  const double a = x.upper(), b = limit.upper();
  limit = std::isnan(b) || b >= a ? b : a;  // NaN stays.
}
// Only if it is certain that it is.
inline bool isAtLeast(const mpz_class& a, const mpz_class& b) { return a >= b; }
inline bool isAtLeast(Ball a, const Ball& b) { return (a -= b).provedNonNegative(); }
inline void findUndecided(const VertexSet& set, const Polynomial& base, const Polynomial (&weight)[3], int unit,
                          std::vector<int>& open) {
  set.findUndecided(base, weight, unit, open);
}
inline void findUndecided(const VertexSet& set, const BallPolynomial& base, const BallPolynomial (&weight)[3], int,
                          std::vector<int>& open) {
  set.findUndecided(base, weight, open);
}
inline bool seemsNegative(const Polynomial& f) { return sgn(f.c[0]) < 0; }
inline bool seemsNegative(const BallPolynomial& f) { return f.value[0] < 0; }
inline void addTimes(int factor, const Polynomial& a, Polynomial& out) {
  const auto step = factor > 0 ? mpz_addmul_ui : mpz_submul_ui;
  for (int i = 0; i <= a.degree; ++i) step(out.c[i].get_mpz_t(), a.c[i].get_mpz_t(), std::abs(factor));
}
inline void addTimes(int factor, const BallPolynomial& a, BallPolynomial& out) { addMultiple(Ball(factor), a, out); }

// Every coefficient of `least` down to that of f, or less.
inline void lowerTo(const Polynomial& f, Polynomial& least) {
  for (int i = 0; i <= f.degree; ++i)
    if (f.c[i] < least.c[i]) least.c[i] = f.c[i];
}
inline void lowerTo(const BallPolynomial& f, BallPolynomial& least) {
  for (int i = 0; i <= f.degree; ++i) {
    Ball limit = -least.value[i];  // least.radius is 0.
    raiseTo(Ball(-f.value[i], f.radius[i]), limit);
    least.value[i] = -limit.value;
  }
}

template <typename Number>
void dot(const Number (&a)[3], const Number (&b)[3], Number& out) {
  multiply(a[0], b[0], out);
  addProduct(a[1], b[1], out);
  addProduct(a[2], b[2], out);
}

template <typename Number>
void cross(const Number (&a)[3], const Number (&b)[3], Number (&out)[3]) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(a[j], b[k], out[i]);
    subtractProduct(a[k], b[j], out[i]);
  }
}

// out = M vector.
template <typename Number, typename Poly>
void rotate(const Poly (&M)[3][3], const Number (&vector)[3], Poly (&out)[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i].setZero(M[i][0].degree);
    for (int j = 0; j < 3; ++j) addMultiple(vector[j], M[i][j], out[i]);
  }
}

// out = M' v.
template <typename Poly>
void rotateBack(const Poly (&M)[3][3], const Poly (&v)[3], Poly (&out)[3]) {
  for (int k = 0; k < 3; ++k) {
    out[k].setZero(M[0][0].degree + v[0].degree);
    for (int i = 0; i < 3; ++i) addProduct(M[i][k], v[i], 1, out[k]);
  }
}

// out = a x b.
template <typename Number, typename Poly>
void cross(const Poly (&a)[3], const Number (&b)[3], Poly (&out)[3]) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i].setZero(a[0].degree);
    addMultiple(b[j], a[k], out[i]);
    out[i].negate();
    addMultiple(b[k], a[j], out[i]);
  }
}

template <typename Poly>
void dotPolynomials(const Poly (&a)[3], const Poly (&b)[3], Poly& out) {
  out.setZero(a[0].degree + b[0].degree);
  for (int i = 0; i < 3; ++i) addProduct(a[i], b[i], 1, out);
}

}  // namespace rigor::verify
