// SPDX-License-Identifier: MIT
// Proves: coefficients that are computed in doubles are as near to the exact ones as their one bound says, after sums,
// products, multiples and elevations, underflow and cancellation included; ratios are no less and lower values no more
// than the truth; nothing is known of what overflows. Oracle: rational arithmetic (GMP).
#include "verify/filter/rounded_polynomial.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace rigor::verify::filter {
namespace {

struct Twin {
  RoundedPolynomial rounded;
  std::vector<mpq_class> exact;
};

mpq_class binomial(int n, int k) {
  mpz_class result;
  mpz_bin_uiui(result.get_mpz_t(), static_cast<unsigned long>(n), static_cast<unsigned long>(k));
  return result;
}

void expectNear(const Twin& x, const char* what) {
  const int n = x.rounded.degree;
  ASSERT_EQ(static_cast<std::size_t>(n), x.exact.size() - 1);
  ASSERT_TRUE(std::isfinite(x.rounded.radius)) << what;
  for (int i = 0; i <= n; ++i) {
    const mpq_class off = abs(mpq_class(x.rounded.c[i]) - x.exact[static_cast<std::size_t>(i)]);
    EXPECT_LE(off, mpq_class(x.rounded.radius) * binomial(n, i) * (1 + mpq_class(kRadiusRounding))) << what << ' ' << i;
    EXPECT_LE(abs(mpq_class(x.rounded.c[i])), mpq_class(x.rounded.size) * binomial(n, i) * (1 + mpq_class(1e-12)));
  }
}

class RoundedPolynomials : public testing::Test {
 protected:
  double number() { return std::normal_distribution<>()(generator_); }
  unsigned long pick(unsigned long n) { return generator_() % n; }

  Twin draw(int degree, double size) {
    Twin x;
    double control[4];
    for (int i = 0; i <= degree; ++i) {
      control[i] = size * number();
      x.exact.push_back(mpq_class(control[i]) * binomial(degree, i));
    }
    x.rounded.fromControlPoints(control, 1, degree);
    return x;
  }
  static Twin product(const Twin& a, const Twin& b) {
    Twin x;
    multiply(a.rounded, b.rounded, x.rounded);
    x.exact.resize(a.exact.size() + b.exact.size() - 1);
    for (std::size_t i = 0; i < a.exact.size(); ++i)
      for (std::size_t j = 0; j < b.exact.size(); ++j) x.exact[i + j] += a.exact[i] * b.exact[j];
    return x;
  }
  static void elevate(Twin& x, int degree) {
    x.rounded.elevate(degree);
    while (x.exact.size() <= static_cast<std::size_t>(degree)) {
      x.exact.push_back(x.exact.back());
      for (std::size_t i = x.exact.size() - 2; i >= 1; --i) x.exact[i] += x.exact[i - 1];
    }
  }

  std::mt19937_64 generator_{1};
};

TEST_F(RoundedPolynomials, WhateverIsComputedIsNearTheExactResult) {
  for (int round = 0; round < 2000; ++round) {
    const double size = std::ldexp(1.0, static_cast<int>(pick(5)) * (round % 7 == 0 ? -130 : -10));
    Twin x = draw(static_cast<int>(pick(4)), size);
    expectNear(x, "control points");
    for (int step = 0; step < 6 && x.rounded.degree <= 9; ++step) {
      const Twin y = draw(static_cast<int>(pick(4)), size);
      switch (pick(3)) {
        case 0: x = product(x, y); break;
        case 1: elevate(x, x.rounded.degree + 2); break;
        default: {  // (1 - 2) x y + f (x y), with what f was rounded off.
          Twin z = product(x, y);
          addProduct(x.rounded, y.rounded, -2, z.rounded);
          Ball f = number();
          const mpq_class exact = mpq_class(f.value) * mpq_class(f.value);
          f *= f;
          addMultiple(f, product(x, y).rounded, z.rounded);
          for (mpq_class& c : z.exact) c *= exact - 1;
          x = z;
        }
      }
      expectNear(x, "step");
    }
  }
}

TEST_F(RoundedPolynomials, ProductsOfCubicsProductsAreNearTheExactOnes) {
  for (int round = 0; round < 300; ++round) {
    const Twin a = product(draw(3, 1), draw(3, 1)), b = product(draw(3, 1), draw(3, 1)), c = draw(3, 10);
    const Twin whole = product(product(a, b), c);
    expectNear(a, "6");
    expectNear(whole, "15");
    EXPECT_LT(whole.rounded.radius, 1e-12 * whole.rounded.size);
  }
}

TEST_F(RoundedPolynomials, RatiosAreNoLessAndValuesNoMoreThanTheTruth) {
  for (int round = 0; round < 500; ++round) {
    const Twin f = product(draw(3, 1), draw(2, 1));
    Twin scale = draw(3, 0.1);
    for (int i = 0; i <= 3; ++i) scale.rounded.c[i] += 2, scale.exact[static_cast<std::size_t>(i)] += 2;
    scale.rounded.size += 2, scale.rounded.radius += 1e-15;
    elevate(scale, 5);
    const double ratio = largestRatio(f.rounded, scale.rounded), least = lowerValue(scale.rounded);
    mpq_class truth, lowest = 100;
    for (int i = 0; i <= 5; ++i) {
      const auto k = static_cast<std::size_t>(i);
      truth = std::max(truth, mpq_class(abs(f.exact[k]) / scale.exact[k]));
      lowest = std::min(lowest, mpq_class(scale.exact[k] / binomial(5, i)));
    }
    EXPECT_GE(mpq_class(ratio), truth);
    EXPECT_LE(mpq_class(ratio), truth + 1e-12);
    EXPECT_LE(mpq_class(least), lowest);
    EXPECT_GE(mpq_class(least), lowest - 1e-12);
  }
}

TEST_F(RoundedPolynomials, NothingIsKnownOfWhatOverflows) {
  RoundedPolynomial one;
  one.setZero(3);
  for (double& c : one.c) c = 1;
  one.size = 1;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e308}) {
    for (int at = 0; at < 4; ++at) {
      double control[4] = {1, 1, 1, 1};
      control[at] = bad;
      RoundedPolynomial x, square;
      x.fromControlPoints(control, 1, 3);
      multiply(x, x, square);
      RoundedPolynomial scale = one;
      scale.elevate(6);
      EXPECT_FALSE(largestRatio(square, scale) < 1e300) << bad << ' ' << at;
      EXPECT_FALSE(lowerValue(square) > 0) << bad << ' ' << at;
    }
  }
  EXPECT_FALSE(largestRatio(one, RoundedPolynomial{.degree = 3, .c = {}}) < 1e300);
}

}  // namespace
}  // namespace rigor::verify::filter
