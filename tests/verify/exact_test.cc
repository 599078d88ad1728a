// SPDX-License-Identifier: MIT
// Proves: the integer polynomials of the checker are the polynomials of the control points, and SignProver's answers
// are right. Oracle: evaluation in GMP rationals, term by term, at random rational points.
#include "verify/exact.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace rigor::verify {
namespace {

mpq_class power(const mpq_class& x, int n) {
  mpq_class value = 1;
  for (int i = 0; i < n; ++i) value *= x;
  return value;
}

mpq_class evaluate(const Polynomial& f, const mpq_class& u) {
  mpq_class sum = 0;
  for (int i = 0; i <= f.degree; ++i) sum += mpq_class(f.c[i]) * power(u, i) * power(1 - u, f.degree - i);
  return sum;
}

double randomDouble(std::mt19937_64& random) {
  return std::ldexp(std::uniform_real_distribution<>(-1, 1)(random), std::uniform_int_distribution<>(-30, 10)(random));
}

Polynomial randomPolynomial(std::mt19937_64& random, int degree) {
  Polynomial f;
  f.setZero(degree);
  for (int i = 0; i <= degree; ++i) f.c[i] = std::uniform_int_distribution<>(-1000, 1000)(random);
  return f;
}

mpq_class randomPoint(std::mt19937_64& random) {
  mpq_class u(std::uniform_int_distribution<>(0, 977)(random), 977);
  u.canonicalize();
  return u;
}

TEST(Exact, ScaledIsExact) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const double x = randomDouble(random);
    const int exponent = lowestBit(x) - i % 70;
    mpz_class integer;
    scaled(x, exponent, integer);
    mpq_class back(integer), unit(1);
    if (exponent >= 0)
      mpq_mul_2exp(back.get_mpq_t(), back.get_mpq_t(), exponent);
    else
      mpq_div_2exp(back.get_mpq_t(), back.get_mpq_t(), -exponent);
    EXPECT_EQ(back, mpq_class(x));
  }
  mpz_class integer;
  for (const double x : {0.0, -0.0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308}) {
    scaled(x, -1074, integer);
    mpq_class back(integer);
    mpq_div_2exp(back.get_mpq_t(), back.get_mpq_t(), 1074);
    EXPECT_EQ(back, mpq_class(x)) << x;
  }
}

TEST(Exact, ControlPointsAreTheBezierPolynomial) {
  std::mt19937_64 random(2);
  for (int n = 0; n <= 3; ++n) {
    mpz_class control[4];
    for (int i = 0; i <= n; ++i) control[i] = std::uniform_int_distribution<>(-99, 99)(random);
    Polynomial f;
    f.fromControlPoints(control, n);
    const mpq_class u = randomPoint(random);
    // De Casteljau.
    std::vector<mpq_class> b(control, control + n + 1);
    for (int level = n; level > 0; --level)
      for (int i = 0; i < level; ++i) b[i] = (1 - u) * b[i] + u * b[i + 1];
    EXPECT_EQ(evaluate(f, u), b[0]);
  }
}

TEST(Exact, ProductsSumsAndElevation) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const Polynomial a = randomPolynomial(random, i % 8), b = randomPolynomial(random, i % 5);
    const mpq_class u = randomPoint(random);
    Polynomial product, sum = a;
    multiply(a, b, product);
    EXPECT_EQ(evaluate(product, u), evaluate(a, u) * evaluate(b, u));
    addProduct(a, b, -1, product);
    EXPECT_EQ(evaluate(product, u), 0);
    sum.elevate(a.degree + i % 4);
    EXPECT_EQ(evaluate(sum, u), evaluate(a, u));
    addMultiple(mpz_class(-7), sum, sum);
    EXPECT_EQ(evaluate(sum, u), -6 * evaluate(a, u));
  }
}

// The square of a polynomial plus a constant: the sign of its minimum is the constant's where the polynomial has a
// root.
TEST(Exact, SignsOfPolynomialsWithKnownMinimum) {
  SignProver prover;
  double where;
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    // (u - r) with an inexact binary fraction r: coefficients (-r, 1 - r) of u^0 and u^1.
    const int numerator = std::uniform_int_distribution<>(1, 976)(random);
    Polynomial linear, square, shifted;
    linear.setZero(1);
    linear.c[0] = -numerator;
    linear.c[1] = 977 - numerator;
    multiply(linear, linear, square);
    for (const int extra : {0, 3, 10}) {
      shifted = square;
      Polynomial one;
      one.setConstant(1);
      one.elevate(2 + extra);
      shifted.elevate(2 + extra);
      addMultiple(mpz_class(1), one, shifted);  // Minimum 1 of values up to 10^6.
      EXPECT_EQ(prover.proveNonNegative(shifted, where), Proof::kProved);
      EXPECT_EQ(prover.provePositive(shifted, where), Proof::kProved);
      addMultiple(mpz_class(-2), one, shifted);  // Minimum -1.
      EXPECT_NE(prover.proveNonNegative(shifted, where), Proof::kProved);
      EXPECT_NE(prover.provePositive(shifted, where), Proof::kProved);
      addMultiple(mpz_class(1), one, shifted);  // A double root that no bisection hits: true, but not provable.
      EXPECT_EQ(prover.provePositive(shifted, where), Proof::kUnproved);
    }
  }
}

TEST(Exact, RefutationNamesAPlaceWhereItIsFalse) {
  SignProver prover;
  std::mt19937_64 random(5);
  int refuted = 0, proved = 0;
  for (int i = 0; i < 2000; ++i) {
    Polynomial f = randomPolynomial(random, 1 + i % 15);
    for (int k = 0; k <= f.degree; ++k) f.c[k] += i % 900;
    double where;
    const Proof proof = prover.proveNonNegative(f, where);
    if (proof == Proof::kRefuted) {
      ++refuted;
      EXPECT_LT(evaluate(f, mpq_class(where)), 0);
    } else if (proof == Proof::kProved) {
      ++proved;
      for (int k = 0; k <= 64; ++k) EXPECT_GE(evaluate(f, mpq_class(k, 64)), 0);
    }
  }
  EXPECT_GT(refuted, 100);
  EXPECT_GT(proved, 100);
}

}  // namespace
}  // namespace rigor::verify
