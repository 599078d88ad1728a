// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

namespace rigor::verify {

/// Exact arithmetic of the checker: doubles as the rationals they are, scaled to integers by a power of two, and
/// polynomials over [0, 1] with integer coefficients in the scaled Bernstein form
///
///   f(u) = sum_i c_i u^i (1 - u)^(n - i)         (c_i = binomial(n, i) times the Bernstein coefficient)
///
/// in which a product is a plain convolution and f >= 0 follows from all c_i >= 0.
constexpr int kMaxDegree = 15;  ///< Position 3 + two orientations of 2 x 3.

/// Exponent of the lowest set bit of x; a large number for 0. @pre x is finite.
int lowestBit(double x);
/// out = x / 2^exponent. @pre x is finite and exponent <= lowestBit(x).
void scaled(double x, int exponent, mpz_class& out);

struct Polynomial {
  int degree = 0;
  mpz_class c[kMaxDegree + 1];

  void setZero(int new_degree);
  void setConstant(const mpz_class& value);
  /// From `control` Bezier points (already integers), n = degree.
  void fromControlPoints(const mpz_class* control, int n);
  /// The same polynomial written with a higher degree.
  void elevate(int new_degree);
  void multiplyBy(const mpz_class& factor);
  void negate();
};

/// out = a b. @pre out is neither a nor b.
void multiply(const Polynomial& a, const Polynomial& b, Polynomial& out);
/// out += sign a b, sign = +1 or -1. @pre out has degree a.degree + b.degree.
void addProduct(const Polynomial& a, const Polynomial& b, int sign, Polynomial& out);
/// out += factor a. @pre equal degrees.
void addMultiple(const mpz_class& factor, const Polynomial& a, Polynomial& out);

enum class Proof {
  kProved,   ///< Holds on all of [0, 1].
  kRefuted,  ///< False at `where`.
  kUnproved  ///< The bisection budget ran out near `where`.
};

/// Proves f >= 0 on [0, 1] (strict: f > 0): Bernstein coefficients, bisected where they are of both signs. Exact.
/// The object is the workspace: after the first use it allocates no more. One thread per object.
class SignProver {
 public:
  Proof proveNonNegative(const Polynomial& f, double& where) { return prove(f, false, where); }
  Proof provePositive(const Polynomial& f, double& where) { return prove(f, true, where); }

 private:
  static constexpr int kMaxDepth = 48;        // Bisections of one interval.
  static constexpr int kMaxIntervals = 2000;  // Intervals looked at in one proof.
  struct Interval {
    mpz_class b[kMaxDegree + 1];  // Bernstein coefficients.
    double from, to;
    int depth;
  };
  Proof prove(const Polynomial& f, bool strict, double& where);
  Proof bisect(const Polynomial& f, bool strict, double& where);
  Interval stack_[kMaxDepth + 2];
};

}  // namespace rigor::verify
