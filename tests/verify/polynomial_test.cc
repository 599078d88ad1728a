// SPDX-License-Identifier: MIT
// Proves: the kernel's polynomials are those of the doubles, however large or small, and its answers about signs are
// right. Oracle: evaluation in GMP rationals at random rational points.
#include "verify/kernel/polynomial.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/verify/exact_number.h"

namespace rigor::verify::kernel {
namespace {

double randomDouble(std::mt19937_64& random, int low = -30, int high = 10) {
  return std::ldexp(std::uniform_real_distribution<>(-1, 1)(random),
                    std::uniform_int_distribution<>(low, high)(random));
}

Polynomial randomPolynomial(std::mt19937_64& random, int degree, int size = 30) {
  std::vector<double> points;
  for (int i = 0; i <= degree; ++i) points.push_back(randomDouble(random, -size, size));
  return Polynomial::bezier(points.data(), 1, degree);
}

/// sum_i c_i u^i (1 - u)^(n - i), as Horner's scheme in 1 - u.
mpq_class valueAt(const Polynomial& f, const mpq_class& u) {
  mpq_class value, power = 1;
  for (const Number& c : f.coefficients()) {
    value = value * (1 - u) + exactOf(c) * power;
    power *= u;
  }
  return value;
}

mpq_class randomPoint(std::mt19937_64& random) {
  mpq_class u(std::uniform_int_distribution<>(0, 977)(random), 977);
  u.canonicalize();
  return u;
}

TEST(Polynomial, ADoubleIsTheRationalItIs) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const double x = randomDouble(random, -1060, 1020);
    EXPECT_EQ(valueAt(Polynomial(x), 0), mpq_class(x));
  }
  for (const double x : {0.0, -0.0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308})
    EXPECT_EQ(valueAt(Polynomial(x), 0), mpq_class(x)) << x;
}

TEST(Polynomial, BezierPoints) {
  std::mt19937_64 random(2);
  for (int n = 0; n <= 7; ++n) {
    std::vector<double> points;
    std::vector<mpq_class> b;
    for (int i = 0; i <= n; ++i) {
      const double x = randomDouble(random);
      points.push_back(x);
      b.emplace_back(x);
    }
    const mpq_class u = randomPoint(random);
    for (int level = n; level > 0; --level)
      for (int i = 0; i < level; ++i) b[i] = (1 - u) * b[i] + u * b[i + 1];
    EXPECT_EQ(valueAt(Polynomial::bezier(points.data(), 1, n), u), b[0]);
  }
}

TEST(Polynomial, SumsAndProductsOfAllDegreesAndSizes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const Polynomial a = randomPolynomial(random, i % 8, i % 900), b = randomPolynomial(random, i % 5, i % 30),
                     c = randomPolynomial(random, i % 12, 1);
    const mpq_class u = randomPoint(random), x = valueAt(a, u), y = valueAt(b, u), z = valueAt(c, u);
    EXPECT_EQ(valueAt(a * b, u), x * y);
    EXPECT_EQ(valueAt(a + b, u), x + y);
    EXPECT_EQ(valueAt(a - b, u), x - y);
    Polynomial sum = c;
    EXPECT_EQ(valueAt(sum.addProduct(a, b, -1), u), z - x * y);
    EXPECT_EQ(valueAt(sum.addProduct(a, b), u), z);
    EXPECT_EQ(valueAt(sum.add(Polynomial()), u), z);
    sum = a;
    sum.elevate(a.degree() + i % 4);
    EXPECT_EQ(valueAt(sum, u), x);
  }
}

TEST(Polynomial, UpperRoots) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const Polynomial x = std::abs(randomDouble(random, -1060, 1020));
    const mpq_class root = valueAt(x.coefficients()[0].upperRoot(), 0), square = valueAt(x, 0);
    EXPECT_GE(root * root, square);
    EXPECT_LE(root * root, square * (1 + mpq_class(0x1p-59)));
  }
  EXPECT_EQ(valueAt(Number(2.25).upperRoot(), 0), mpq_class(1.5));
  EXPECT_EQ(valueAt(Number(0).upperRoot(), 0), 0);
}

// The square of a polynomial plus a constant: the sign of its minimum is the constant's where the polynomial has a
// root.
TEST(Polynomial, SignsWithKnownMinimum) {
  double where;
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    const int numerator = std::uniform_int_distribution<>(1, 976)(random);  // The root is at numerator / 977.
    const double points[] = {-1.0 * numerator, 977.0 - numerator};
    const Polynomial linear = Polynomial::bezier(points, 1, 1);
    for (const int extra : {0, 3, 10}) {
      Polynomial square = linear * linear;
      square.elevate(2 + extra);
      EXPECT_EQ(isNonNegative(square + Polynomial(1), where), Answer::kYes);
      EXPECT_EQ(isNonNegative(square + Polynomial(1), where, true), Answer::kYes);
      EXPECT_NE(isNonNegative(square - Polynomial(1), where), Answer::kYes);
      EXPECT_NE(isNonNegative(square - Polynomial(1), where, true), Answer::kYes);
      // A double root that no bisection hits: true, but not provable.
      EXPECT_EQ(isNonNegative(square, where, true), Answer::kUndecided);
    }
  }
}

TEST(Polynomial, ANoNamesAPlaceWhereItIsFalse) {
  std::mt19937_64 random(6);
  int refuted = 0, proved = 0;
  for (int i = 0; i < 500; ++i) {
    const Polynomial f = randomPolynomial(random, 1 + i % 15, 1) + Polynomial(i % 9 * 0.1);
    double where;
    const Answer answer = isNonNegative(f, where);
    if (answer == Answer::kNo) {
      ++refuted;
      EXPECT_LT(valueAt(f, mpq_class(where)), 0);
    } else if (answer == Answer::kYes) {
      ++proved;
      for (int k = 0; k <= 64; ++k) EXPECT_GE(valueAt(f, mpq_class(k, 64)), 0);
    }
  }
  EXPECT_GT(refuted, 100);
  EXPECT_GT(proved, 100);
}

}  // namespace
}  // namespace rigor::verify::kernel
