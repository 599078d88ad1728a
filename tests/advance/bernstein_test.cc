// SPDX-License-Identifier: MIT
// Proved here: the operations agree with exact arithmetic up to a few roundings; firstRoot() finds the first crossing,
// misses none that goes deeper than its noise, and behaves as documented on double roots, roots at 0, zero polynomials
// and NaN. Oracle: exact rationals in the power basis, and exact Bernstein bisection on [0, root].
#include "advance/bernstein.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "exact_motion.h"

namespace rigor::advance {
namespace {

using namespace oracle;  // For its operators: its types are standard ones.
using Status = FirstRoot::Status;

constexpr double kRounding = 0x1p-53;

BernsteinPolynomial randomPolynomial(std::mt19937& rng, int n) {
  std::normal_distribution<double> normal;
  BernsteinPolynomial f;
  f.degree = n;
  for (int k = 0; k <= n; ++k) f.c[k] = normal(rng);
  return f;
}

Power power(const BernsteinPolynomial& f) {
  Power sum{{Q(0)}};
  const Power u{{Q(0), Q(1)}}, v{{Q(1), Q(-1)}};
  for (int k = 0; k <= f.degree; ++k) {
    Power term{{choose(f.degree, k) * Q(f.c[k])}};
    for (int i = 0; i < f.degree; ++i) term = term * (i < k ? u : v);
    sum = sum + term;
  }
  return sum;
}

/// Rounded Bernstein form of degree n.
BernsteinPolynomial rounded(const Power& f, int n) {
  BernsteinPolynomial r;
  r.degree = n;
  const auto b = bernstein(f, n);
  for (int k = 0; k <= n; ++k) r.c[k] = b[k].get_d();
  return r;
}

/// f(a + s (b - a)).
Power restricted(const Power& f, const Q& a, const Q& b) {
  Power r{{Q(0)}};
  const Power u{{a, b - a}};
  for (size_t k = f.c.size(); k-- > 0;) r = r * u + Power{{f.c[k]}};
  return r;
}

Power derivative(const Power& f) {
  Power d{{Q(0)}};
  d.c.resize(std::max<size_t>(f.c.size(), 2) - 1);
  for (size_t k = 1; k < f.c.size(); ++k) d.c[k - 1] = Q(k) * f.c[k];
  return d;
}

TEST(Bernstein, OperationsAgreeWithExactArithmetic) {
  std::mt19937 rng(1);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = int(rng() % 9), m = int(rng() % 7);
    const BernsteinPolynomial f = randomPolynomial(rng, n), g = randomPolynomial(rng, m);
    const Power pf = power(f), pg = power(g);
    const double size = f.maxAbsCoefficient(), product_size = size * g.maxAbsCoefficient();
    for (double u : {0.0, 0.1, 0.5, 0.77, 1.0}) {
      EXPECT_NEAR(f(u), pf(Q(u)).get_d(), (4 * n + 4) * kRounding * size);
      double slope;
      EXPECT_NEAR(f.at(u, slope), pf(Q(u)).get_d(), (4 * n + 4) * kRounding * size);
      EXPECT_NEAR(slope, derivative(pf)(Q(u)).get_d(), 2 * n * (4 * n + 4) * kRounding * size);
    }
    const BernsteinPolynomial product = f * g;
    const auto exact_product = bernstein(pf * pg, n + m);
    for (int k = 0; k <= n + m; ++k) EXPECT_NEAR(product.c[k], exact_product[k].get_d(), 20 * kRounding * product_size);
    const BernsteinPolynomial sum = f + g;
    const auto exact_sum = bernstein(pf + pg, sum.degree);
    for (int k = 0; k <= sum.degree; ++k)
      EXPECT_NEAR(sum.c[k], exact_sum[k].get_d(), 60 * kRounding * (size + g.maxAbsCoefficient()));
    const auto exact_elevated = bernstein(pf, 15);
    for (int k = 0; k <= 15; ++k) EXPECT_NEAR(f.elevated(15).c[k], exact_elevated[k].get_d(), 60 * kRounding * size);
    const auto exact_part = bernstein(restricted(pf, Q(0.25), Q(0.8125)), n);
    const BernsteinPolynomial part = f.restricted(0.25, 0.8125);
    for (int k = 0; k <= n; ++k) EXPECT_NEAR(part.c[k], exact_part[k].get_d(), 60 * kRounding * size);
    BernsteinPolynomial left, right;
    f.halves(left, right);
    const auto exact_left = bernstein(restricted(pf, Q(0), Q(0.5)), n),
               exact_right = bernstein(restricted(pf, Q(0.5), Q(1)), n);
    for (int k = 0; k <= n; ++k) {
      EXPECT_NEAR(left.c[k], exact_left[k].get_d(), (n + 1) * kRounding * size);
      EXPECT_NEAR(right.c[k], exact_right[k].get_d(), (n + 1) * kRounding * size);
    }
  }
}

/// The guarantee of firstRoot, checked exactly on the coefficients as given.
void expectGuarantee(const BernsteinPolynomial& f, const FirstRoot& root, int trial) {
  const Power exact = power(f);
  const Q noise = Q((kRootNoise + 40 * f.degree * kRounding) * f.maxAbsCoefficient());
  if (root.status == Status::kStartsBelow) {
    EXPECT_LT(exact(Q(0)), 0) << trial;
    EXPECT_EQ(root.root, 0);
    return;
  }
  EXPECT_TRUE(notNegative(restricted(exact, Q(0), Q(root.root)) + Power{{noise}}))
      << trial << ": a crossing was missed";
  if (root.status == Status::kCrosses) {
    EXPECT_LE(root.root, root.beyond);
    EXPECT_LE(exact(Q(root.root)), Q(1e-9 * f.maxAbsCoefficient())) << trial;
    EXPECT_LT(exact(Q(root.beyond)), noise) << trial;
  } else {
    EXPECT_EQ(root.root, 1);
  }
}

TEST(FirstRoot, RandomPolynomials) {
  std::mt19937 rng(2);
  int crossing = 0, none = 0, below = 0, evaluations = 0;
  for (int trial = 0; trial < 400; ++trial) {
    BernsteinPolynomial f = randomPolynomial(rng, 1 + int(rng() % 15));
    if (trial % 2) f.c[0] = std::abs(f.c[0]);
    if (trial % 5 == 0)
      for (double& c : f.c) c += 0.7;
    const FirstRoot root = firstRoot(f);
    expectGuarantee(f, root, trial);
    crossing += root.status == Status::kCrosses;
    none += root.status == Status::kNone;
    below += root.status == Status::kStartsBelow;
    if (root.status == Status::kCrosses) {
      evaluations += root.evaluations;
      EXPECT_LE(root.beyond - root.root, 1e-12);
    }
  }
  EXPECT_GT(crossing, 150);
  EXPECT_GT(none, 30);
  EXPECT_GT(below, 50);
  EXPECT_LE(evaluations, 7 * crossing);
}

TEST(FirstRoot, KnownRootsToFullAccuracy) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  for (int trial = 0; trial < 60; ++trial) {
    const double r = uniform(rng);
    // (r - u) (1 + u^2) (2 - u)^4: one simple root.
    Power f = Power{{Q(r), Q(-1)}} * Power{{Q(1), Q(0), Q(1)}};
    for (int i = 0; i < 4; ++i) f = f * Power{{Q(2), Q(-1)}};
    const FirstRoot root = firstRoot(rounded(f, 15));
    ASSERT_EQ(root.status, Status::kCrosses);
    EXPECT_NEAR(root.root, r, 4e-15);
    EXPECT_LE(root.evaluations, 10);
  }
  // Two crossings 1e-3 apart after a far rise: the first is found.
  const Power pair = Power{{Q(0.7), Q(-1)}} * Power{{Q(0.701), Q(-1)}} * Power{{Q(1), Q(1)}};
  const FirstRoot first = firstRoot(rounded(pair, 9));
  ASSERT_EQ(first.status, Status::kCrosses);
  EXPECT_NEAR(first.root, 0.7, 1e-12);
}

TEST(FirstRoot, DocumentedCases) {
  BernsteinPolynomial f;
  f.degree = 9;
  EXPECT_EQ(firstRoot(f).status, Status::kNone) << "identically zero";
  for (int k = 0; k <= 9; ++k) f.c[k] = (k % 2 ? 1 : -1) * 1e-19;
  EXPECT_EQ(firstRoot(f, 1e-16).status, Status::kNone) << "zero up to noise";
  EXPECT_EQ(firstRoot(f, 0).status, Status::kStartsBelow) << "no noise allowed";

  // (u - 3/8)^2, touching from above exactly.
  const Power touch = Power{{Q(-0.375), Q(1)}} * Power{{Q(-0.375), Q(1)}};
  EXPECT_EQ(firstRoot(rounded(touch, 2)).status, Status::kNone);
  EXPECT_EQ(firstRoot(rounded(touch, 15)).status, Status::kNone);
  const FirstRoot grazing = firstRoot(rounded(touch - Power{{Q(1e-10)}}, 15));
  EXPECT_EQ(grazing.status, Status::kCrosses) << "1e-10 below is no noise";
  EXPECT_NEAR(grazing.root, 0.375 - 1e-5, 1e-9);
  // (3/8 - u)^3: a triple root that crosses.
  const FirstRoot triple = firstRoot(rounded(touch * Power{{Q(0.375), Q(-1)}}, 3));
  EXPECT_EQ(triple.status, Status::kCrosses);
  EXPECT_NEAR(triple.root, 0.375, 1e-4);

  BernsteinPolynomial line;
  line.degree = 1;
  line.c = {0, 1};
  EXPECT_EQ(firstRoot(line).status, Status::kNone) << "rises from a root at 0";
  line.c = {0, -1};
  EXPECT_EQ(firstRoot(line).status, Status::kCrosses);
  EXPECT_EQ(firstRoot(line).root, 0) << "falls from a root at 0";
  line.c = {-1e-18, -1};
  EXPECT_EQ(firstRoot(line).root, 0);
  EXPECT_EQ(firstRoot(line).status, Status::kCrosses) << "starts below by noise";
  line.c = {1, 0};
  EXPECT_EQ(firstRoot(line).status, Status::kNone) << "reaches zero at 1 and does not cross";
  line.c = {-1, 1};
  EXPECT_EQ(firstRoot(line).status, Status::kStartsBelow);
  EXPECT_EQ(firstRoot(line).root, 0);

  // A root at 0, then a hill, then the crossing.
  const FirstRoot hill = firstRoot(rounded(Power{{Q(0), Q(1)}} * Power{{Q(0.5), Q(-1)}}, 4));
  EXPECT_EQ(hill.status, Status::kCrosses);
  EXPECT_NEAR(hill.root, 0.5, 1e-15);

  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k <= 3; ++k) {
    BernsteinPolynomial bad;
    bad.degree = 3;
    bad.c = {1, 1, 1, 1};
    bad.c[k] = nan;
    EXPECT_EQ(firstRoot(bad).status, Status::kStartsBelow) << k;
    bad.c[k] = -std::numeric_limits<double>::infinity();
    EXPECT_EQ(firstRoot(bad).status, Status::kStartsBelow) << k;
  }
}

TEST(FirstRoot, NoEvaluationsWhenAllCoefficientsArePositive) {
  BernsteinPolynomial f;
  f.degree = 15;
  f.c.fill(0.5);
  const FirstRoot root = firstRoot(f);
  EXPECT_EQ(root.status, Status::kNone);
  EXPECT_EQ(root.evaluations + root.splits, 0);
}

}  // namespace
}  // namespace rigor::advance
