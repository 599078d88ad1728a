// SPDX-License-Identifier: MIT
// Proves: the kernel's fractions, which are never reduced, are those of GMP's canonical ones through long chains of
// random operations, signs, orders and ceilings included; and instants are taken where they are, to rounding.
#include "verify/kernel/rational.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/verify/exact_number.h"

namespace rigor::verify::kernel {
namespace {

struct Twin {
  Rational ours;
  mpq_class oracle;
};

Twin numberTwin(std::mt19937_64& random) {
  const int kind = static_cast<int>(random() % 4);
  const double mantissa = std::uniform_real_distribution<>(-1, 1)(random);
  const double number = kind == 0   ? static_cast<double>(static_cast<int>(random() % 7) - 3)
                        : kind == 1 ? std::ldexp(mantissa, static_cast<int>(random() % 400) - 200)
                                    : mantissa;
  return {Rational(number), mpq_class(number)};
}

void expectSame(const Twin& x) {
  const double size = x.oracle.get_d();
  EXPECT_EQ(sgn(x.ours), sgn(x.oracle));
  if (std::isnormal(size)) {
    EXPECT_NEAR(x.ours.get_d(), size, std::abs(size) * Rational::kRounding);
  }
  for (int place = -3; place <= 1; ++place) {
    const mpz_class step = mpz_class(1) << (64 * std::abs(place));
    const mpq_class unit = place < 0 ? mpq_class(1, step) : mpq_class(step), steps = x.oracle / unit;
    mpz_class whole;
    mpz_cdiv_q(whole.get_mpz_t(), steps.get_num_mpz_t(), steps.get_den_mpz_t());
    EXPECT_EQ(exactOf(ceiling(x.ours, place)), whole * unit);
  }
}

TEST(Rational, LongChainsAreThoseOfCanonicalFractions) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 300; ++run) {
    std::vector<Twin> numbers;
    for (int i = 0; i < 6; ++i) numbers.push_back(numberTwin(random));
    for (int step = 0; step < 25; ++step) {
      Twin& x = numbers[random() % numbers.size()];
      const Twin y = numbers[random() % numbers.size()];
      switch (random() % 6) {
        case 0: x = {x.ours + y.ours, x.oracle + y.oracle}; break;
        case 1: x = {x.ours - y.ours, x.oracle - y.oracle}; break;
        case 2: x = {x.ours * y.ours, x.oracle * y.oracle}; break;
        case 3:
          if (sgn(y.oracle) != 0) x = {x.ours / y.ours, x.oracle / y.oracle};
          break;
        case 4: x = {-x.ours, -x.oracle}; break;
        case 5: x.ours += x.ours, x.oracle += x.oracle; break;
      }
      EXPECT_EQ(compare(x.ours, y.ours), sgn(mpq_class(x.oracle - y.oracle)));
      EXPECT_EQ(x.ours == y.ours, x.oracle == y.oracle);
      EXPECT_EQ(x.ours < y.ours, x.oracle < y.oracle);
      EXPECT_EQ(sgn(abs(x.ours) - abs(y.ours)), sgn(mpq_class(abs(x.oracle) - abs(y.oracle))));
      expectSame(x);
      if (mpz_sizeinbase(x.oracle.get_num_mpz_t(), 2) > 8000) x = numberTwin(random);
    }
  }
}

TEST(Rational, AnInstantIsTakenWithinRoundingOfItsTime) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    Piece piece;
    piece.p_degree = 1;
    piece.t0 = std::uniform_real_distribution<>(0, 100)(random);
    piece.t1 = piece.t0 + std::ldexp(1.0, -static_cast<int>(random() % 40));
    const double t = piece.t0 + (piece.t1 - piece.t0) * std::uniform_real_distribution<>(0, 1)(random);
    const mpq_class start = piece.t0, share = (mpq_class(t) - start) / (mpq_class(piece.t1) - start);
    EXPECT_LE(abs(mpq_class(shareOf(piece, t)) - share), std::ldexp(1.0, -50));
    EXPECT_EQ(shareOf(piece, piece.t0), 0);
    EXPECT_EQ(shareOf(piece, piece.t1), 1);
  }
}

TEST(Rational, ADoubleIsTheNumberItIs) {
  for (const double number : {0.0, -0.0, 1.0, -3.0, 0.1, 1e308, -1e308, 5e-324, 2.2250738585072014e-308}) {
    const Rational x(number);
    EXPECT_EQ(x.get_d(), number);
    EXPECT_EQ(sgn(x), number > 0 ? 1 : number < 0 ? -1 : 0);
  }
}

}  // namespace
}  // namespace rigor::verify::kernel
