// SPDX-License-Identifier: MIT
// Proves the error bound that elementary/elementary.h states, its special values, and the constants it works with.
// Oracles: the C library's functions of long double (64 bits of mantissa on x86: errors are known to 2^-10 ulp), which
// share no code with ours; series in integers (GMP) for the constants; exact products for power().
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "elementary/constants.h"
#include "elementary/elementary.h"

namespace rigor::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max(), kTiny = std::numeric_limits<double>::denorm_min();
constexpr int kArguments = 1000000;

/// |value - truth| in units of the last place of a double at the truth.
double errorOf(double value, long double truth) {
  if (std::isinf(value)) return std::abs(truth) >= static_cast<long double>(kLargest) ? 0 : kInfinity;
  const int exponent = truth == 0 ? -1074 : std::max(std::ilogb(truth) - 52, -1074);
  return static_cast<double>(std::abs(std::ldexp(static_cast<long double>(value) - truth, -exponent)));
}

struct Range {
  double low, high;
  bool logarithmic = false;  ///< Uniform in the exponent, both signs where low < 0 (then from 2^-1074 on).
};

class Arguments {
 public:
  double from(const Range& range) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    if (!range.logarithmic) return range.low + u * (range.high - range.low);
    const double from = range.low > 0 ? std::log2(range.low) : -1074, to = std::log2(range.high);
    const double size = std::min(std::exp2(from + u * (to - from)), range.high);
    return range.low < 0 && random_() & 1 ? -size : size;
  }

 private:
  std::mt19937_64 random_{5};
};

void expectAccurate(const std::string& name, const std::function<double(double)>& ours,
                    const std::function<long double(long double)>& truth, const std::vector<Range>& ranges,
                    const std::vector<double>& more = {}) {
  Arguments arguments;
  double worst = 0, where = 0;
  const auto check = [&](double x) {
    const double value = ours(x);
    const long double exact = truth(x);
    const double error = errorOf(value, exact);
    // A subnormal result may be rounded twice.
    const double bound = std::abs(exact) < std::numeric_limits<double>::min() ? 1 : kLargestError;
    if (!(error < bound))
      ADD_FAILURE() << name << '(' << std::hexfloat << x << ") = " << value << ", not " << exact << ": " << error
                    << " ulp";
    if (error > worst) worst = error, where = x;
  };
  for (const Range& range : ranges)
    for (int i = 0; i < kArguments / static_cast<int>(ranges.size()) && !testing::Test::HasFailure(); ++i)
      check(arguments.from(range));
  for (const double x : more) check(x), check(std::nextafter(x, kInfinity)), check(std::nextafter(x, -kInfinity));
  std::printf("%s: %.4f ulp at %a\n", name.c_str(), worst, where);
}

TEST(Elementary, SineAndCosine) {
  const std::vector<Range> ranges{{-0.8, 0.8}, {-7, 7}, {-1e6, 1e6}, {-1, kLargest, true}};
  std::vector<double> special{
      0.785,    -0.785,   M_PI / 4, M_PI / 2, M_PI,         3 * M_PI / 2,
      2 * M_PI, 1e6,      -1e6,     1e22,     kLargest / 2, 0x1.6ac5b262ca1ffp+849 /* closest to a multiple of pi/2 */,
      5e-324,   0x1p-200, 0x1p-27};
  for (int k = 1; k < 2000; ++k) special.push_back(k * M_PI / 2), special.push_back((k + 0.5) * M_PI / 2);
  expectAccurate("sin", sin, sinl, ranges, special);
  expectAccurate("cos", cos, cosl, ranges, special);
  expectAccurate("tan", tan, tanl, ranges, special);
  for (const double x : special) {
    EXPECT_EQ(sineCosine(x).sine, sin(x));
    EXPECT_EQ(sineCosine(x).cosine, cos(x));
    EXPECT_EQ(sin(-x), -sin(x));
    EXPECT_EQ(cos(-x), cos(x));
  }
}

TEST(Elementary, ArcFunctions) {
  const std::vector<Range> ranges{{-1, 1}, {-1, 1, true}};
  std::vector<double> special{0.5, -0.5, 0.70710678118654752, 0x1p-28, 0x1p-80, 1e-300, 1 - 1e-9, -1 + 1e-9};
  for (int k = 1; k < 32; ++k) special.push_back(k / 32.);
  expectAccurate("asin", asin, asinl, ranges, special);
  expectAccurate("acos", acos, acosl, ranges, special);
  for (const double x : {1.0, -1.0}) {
    EXPECT_LT(errorOf(asin(x), asinl(x)), kLargestError);
    EXPECT_LT(errorOf(acos(x), acosl(x)), kLargestError);
  }
  Arguments arguments;
  for (const Range& range : {Range{-1, 1}, Range{-1, kLargest, true}, Range{-1, 4, true}}) {
    double worst = 0;
    for (int i = 0; i < kArguments / 3; ++i) {
      const double y = arguments.from(range), x = arguments.from(range);
      const long double truth = atan2l(y, x);
      const double error = errorOf(atan2(y, x), truth);
      ASSERT_LT(error, std::abs(truth) < std::numeric_limits<double>::min() ? 1 : kLargestError)
          << std::hexfloat << y << ' ' << x;
      worst = std::max(worst, error);
    }
    std::printf("atan2: %.4f ulp\n", worst);
  }
}

TEST(Elementary, ExponentialsAndLogarithms) {
  std::vector<double> near_one, exponents;
  for (int k = 1; k < 60; ++k) near_one.push_back(1 + std::ldexp(1, -k)), near_one.push_back(1 - std::ldexp(1, -k));
  for (int k = -1400; k < 1400; ++k) exponents.push_back((k + 0.5) * std::log(2.) / 64);
  expectAccurate("exp", exp, expl, {{-1, 1}, {-746, 710}, {-1, 700, true}}, exponents);
  expectAccurate("exp2", exp2, exp2l, {{-1, 1}, {-1076, 1025}, {-1, 1000, true}}, {0, 1, -1, 1023.999, -1022, -1074});
  near_one.insert(near_one.end(), {M_SQRT1_2, M_SQRT2, kLargest / 2, 1e-310});
  expectAccurate("log", log, logl, {{0.5, 2}, {0.99, 1.01}, {kTiny, kLargest, true}}, near_one);
  expectAccurate("log1p", log1p, log1pl, {{-0.999999, 1}, {-1e-3, 1e-3}, {kTiny, kLargest, true}, {-1, 0.99, true}},
                 {-0.5, 0.5, 1e-16, -1e-16});
  near_one.clear();
  for (int k = 1; k < 50; ++k) near_one.push_back(1 + std::ldexp(1, -k));
  expectAccurate("acosh", acosh, acoshl, {{1, 2}, {1, 1e10}, {1, kLargest, true}}, near_one);
}

TEST(Elementary, HypotenusesPowersAndRoots) {
  Arguments arguments;
  for (const Range& range : {Range{-1, 1}, Range{-1, 1e308, true}, Range{0.5, 2}}) {
    double worst = 0;
    for (int i = 0; i < kArguments / 3; ++i) {
      const double x = arguments.from(range), y = arguments.from(range);
      const long double truth = sqrtl(static_cast<long double>(x) * x + static_cast<long double>(y) * y);
      const double error = errorOf(hypot(x, y), truth);
      ASSERT_LT(error, truth < std::numeric_limits<double>::min() ? 1 : kLargestError)
          << std::hexfloat << x << ' ' << y;
      EXPECT_EQ(hypot(y, -x), hypot(x, y));
      worst = std::max(worst, error);
    }
    std::printf("hypot: %.4f ulp\n", worst);
  }
  EXPECT_EQ(power(3, 30), 205891132094649.0);
  EXPECT_EQ(power(-1.5, 3), -3.375);
  EXPECT_EQ(power(2, -1022), std::numeric_limits<double>::min());
  EXPECT_EQ(power(0, 0), 1);
  for (int i = 0; i < 100000; ++i) {
    const double x = arguments.from({0.5, 2});
    const int n = static_cast<int>(arguments.from({-30, 31}));
    EXPECT_NEAR(power(x, n), std::pow(static_cast<long double>(x), n),
                (std::abs(n) + 1) * 0x1p-53 * std::pow(static_cast<long double>(x), n));
    EXPECT_LT(errorOf(fourthRoot(x), sqrtl(sqrtl(x))), 1.3);
  }
}

TEST(Elementary, SpecialValuesAreThoseOfTheStandard) {
  const double nan = std::nan("");
  const auto same = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  };
  const double values[] = {0.0,    -0.0,     1.0,       -1.0,      2.0,        -2.0, kTiny,
                           -kTiny, kLargest, -kLargest, kInfinity, -kInfinity, nan,  0.5};
  // Exact where the standard says so: the C library must agree bit for bit there; elsewhere the accuracy tests speak.
  for (const double x : values) {
    if (x == 0 || !std::isfinite(x)) {
      EXPECT_TRUE(same(sin(x), std::sin(x)) && same(cos(x), std::cos(x)) && same(tan(x), std::tan(x))) << x;
      EXPECT_TRUE(same(asin(x), std::asin(x)) && same(log1p(x), std::log1p(x))) << x;
    }
    if (std::abs(x) > 1 || std::isnan(x)) { EXPECT_TRUE(std::isnan(acos(x)) && std::isnan(asin(x))) << x; }
    if (x == 0 || std::abs(x) > 1e3 || std::isnan(x)) {
      EXPECT_TRUE(same(exp(x), std::exp(x)) && same(exp2(x), std::exp2(x))) << x;
    }
    if (x <= 0 || !std::isfinite(x) || x == 1) { EXPECT_TRUE(same(log(x), std::log(x))) << x; }
    if (x < 1 || !std::isfinite(x) || x == 1) { EXPECT_TRUE(same(acosh(x), std::acosh(x))) << x; }
    if (x == -1 || x < -1) { EXPECT_TRUE(same(log1p(x), std::log1p(x))) << x; }
    for (const double y : values) {
      EXPECT_TRUE(same(hypot(x, y), std::hypot(x, y))) << x << ' ' << y;
      const double angle = atan2(y, x), theirs = std::atan2(y, x);
      EXPECT_TRUE(same(angle, theirs) ||
                  (std::signbit(angle) == std::signbit(theirs) && errorOf(angle, atan2l(y, x)) < kLargestError))
          << y << ' ' << x;
    }
  }
  EXPECT_EQ(acos(1), 0);
  EXPECT_EQ(exp(709.783), kInfinity);
  EXPECT_GT(exp(-745.13), 0);
  EXPECT_EQ(exp(-745.2), 0);
}

constexpr int kBits = 1400;  // Of the integers below.

/// atan(p/q) 2^kBits by its series, 0 <= p < q.
mpz_class arcTangentOf(int p, int q) {
  mpz_class power = (mpz_class(p) << kBits) / q, sum = 0;
  for (int k = 0; power != 0; ++k) {
    const mpz_class term = power / (2 * k + 1);
    sum += k % 2 == 0 ? term : mpz_class(-term);
    power = power * p * p / (mpz_class(q) * q);
  }
  return sum;
}

/// value 2^kBits, exactly (values have no bits below that).
mpz_class scaled(double value) {
  mpq_class q(value);
  q <<= kBits;
  EXPECT_EQ(q.get_den(), 1);
  return q.get_num();
}

void expectNear(const mpz_class& value, const mpz_class& truth, int bits) {
  const mpz_class off = abs(value - truth);
  EXPECT_LE(off, truth >> bits);
}

TEST(Elementary, ConstantsAreWhatTheyAreCalled) {
  const auto pair = [](const DoubleDouble& d) { return mpz_class(scaled(d.high) + scaled(d.low)); };
  const mpz_class pi = 16 * arcTangentOf(1, 5) - 4 * arcTangentOf(1, 239);
  expectNear(pair(kPi), pi, 104);
  expectNear(pair(kHalfPi), pi / 2, 104);
  mpz_class parts = 0, ln2 = 0;
  for (const double part : kHalfPiParts) parts += scaled(part);
  expectNear(parts, pi / 2, 150);
  for (int n = 1; n <= kBits; ++n) ln2 += (mpz_class(1) << (kBits - n)) / n;
  expectNear(pair(kLn2), ln2, 104);
  expectNear(scaled(kLn2Over32Parts[0]) + scaled(kLn2Over32Parts[1]), ln2 / 32, 88);
  for (int j = 1; j <= 16; ++j)
    expectNear(pair(kArcTangents[j]), j < 16 ? arcTangentOf(j, 16) : mpz_class(pi / 4), 100);
  EXPECT_EQ(kArcTangents[0].high, 0);
  for (int j = 0; j < 32; ++j) {
    mpz_class power = 1;
    for (int i = 0; i < 32; ++i)
      power = i == 0 ? pair(kPowersOfTwo[j]) : mpz_class(power * pair(kPowersOfTwo[j]) >> kBits);
    expectNear(power, mpz_class(1) << (kBits + j), 95);
  }
  const mpz_class two_over_pi = (mpz_class(2) << (2 * kBits)) / pi;
  for (int i = 0; i < 19; ++i) {
    const mpz_class word = (two_over_pi >> (kBits - 64 * (i + 1))) & ((mpz_class(1) << 64) - 1);
    EXPECT_EQ(word, mpz_class(std::to_string(kTwoOverPi[i]))) << i;
  }
}

}  // namespace
}  // namespace rigor::elementary
