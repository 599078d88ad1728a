// SPDX-License-Identifier: MIT
// Proves: vectors of balls, and where a body is at an instant, enclose the exact results, and are not much wider than
// their roundings. Oracle: the kernel's rational numbers.
#include "verify/filter/ball_vector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "verify/kernel/rational.h"

namespace rigor::verify {
namespace {

using filter::Ball;
using filter::BallVector;
using kernel::Rational;
using kernel::Rational3;

bool encloses(const Ball& x, const Rational& exact) {
  return abs(exact - Rational(x.value)) <= Rational(x.radius) * (1 + Rational(filter::kRadiusRounding));
}

class RationalDraw {
 public:
  explicit RationalDraw(unsigned seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double number() { return std::ldexp(normal_(random_), below(40) - 20); }
  double share() { return std::uniform_real_distribution<>(0, 1)(random_); }
  BallVector vector(Rational3& exact) {
    BallVector x;
    kernel::Vector3 near;
    for (int k = 0; k < 3; ++k) x.x[k] = number();
    x.radius = below(2) ? std::abs(number()) * 1e-12 : 0;
    for (int k = 0; k < 3; ++k) near[k] = x.x[k];
    exact = Rational3(near);  // Within the radius of it, in some direction.
    for (int k = 0; k < 3; ++k) near[k] = (2 * share() - 1) * x.radius;
    exact += Rational3(near);
    return x;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
};

void expectEnclosed(const BallVector& x, const Rational3& exact, const char* what) {
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(encloses(x[k], exact[k])) << what << ' ' << k;
}

TEST(BallVector, EnclosesSumsAndProducts) {
  RationalDraw draw(7);
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE(i);
    Rational3 a, b;
    const BallVector x = draw.vector(a), y = draw.vector(b);
    const double factor = draw.number();
    expectEnclosed(x + y, a + b, "sum");
    expectEnclosed(x - y, a - b, "difference");
    expectEnclosed(x * Ball(factor), a * Rational(factor), "multiple");
    expectEnclosed(cross(x, y), cross(a, b), "cross");
    EXPECT_TRUE(encloses(dot(x, y), dot(a, b)));
    double rows[3][3];
    for (auto& row : rows)
      for (double& entry : row) entry = draw.number();
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(encloses(product(rows, x)[k], dot(Rational3(rows[k]), a)));
  }
}

kernel::Piece drawPiece(RationalDraw& draw) {
  kernel::Piece piece{};
  piece.t0 = draw.share(), piece.t1 = piece.t0 + std::ldexp(0.1 + draw.share(), -draw.below(30));
  piece.p_degree = draw.below(4), piece.q_degree = draw.below(4);
  const double far = draw.number(), size = 0.5 + draw.share(), wobble = std::ldexp(draw.share(), -draw.below(40));
  double q[4];
  for (double& x : q) x = size * (2 * draw.share() - 1);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) piece.p[i][k] = far * (1 + 0.1 * draw.share());
    for (int k = 0; k < 4; ++k) piece.q[i][k] = q[k] + wobble * (2 * draw.share() - 1);
  }
  return piece;
}

TEST(BallVector, EnclosesWhereABodyIsAndHowItMoves) {
  RationalDraw draw(11);
  int sharp = 0;
  constexpr int kDraws = 3000;
  for (int i = 0; i < kDraws; ++i) {
    SCOPED_TRACE(i);
    const kernel::Piece piece = drawPiece(draw);
    const double t = i % 4 == 0 ? piece.t0 : i % 4 == 1 ? piece.t1 : piece.t0 + draw.share() * (piece.t1 - piece.t0);
    const filter::BallInstant at = filter::ballInstantOf(piece, t);
    const kernel::Instant exact = kernel::instantOf(piece, t);
    expectEnclosed(at.p, exact.p, "p");
    expectEnclosed(at.v, exact.v, "v");
    expectEnclosed(at.w, exact.w, "w");
    for (int k = 0; k < 3; ++k) {
      kernel::Vector3 axis{};
      axis[k] = 1;
      const Rational3 column = exact.turn(Rational3(axis));
      for (int j = 0; j < 3; ++j) EXPECT_TRUE(encloses({at.R[k][j], at.R_radius}, column[j])) << "R " << j << k;
    }
    Rational3 arm;
    const BallVector x = draw.vector(arm);
    expectEnclosed(at.turn(x), exact.turn(arm), "turn");
    expectEnclosed(at.turnBack(x), exact.turnBack(arm), "turn back");
    sharp += at.p.radius <= 1e-14 * at.p.reach() && at.R_radius <= 1e-13;
  }
  EXPECT_GT(sharp, kDraws * 9 / 10);
}

TEST(BallVector, KnowsNothingOfWhatVanishesOrOverflows) {
  RationalDraw draw(13);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, 1e308}) {
    kernel::Piece piece = drawPiece(draw);
    piece.q_degree = 3;
    piece.q[1][2] = bad;
    const auto at = filter::ballPoseOf(piece, (piece.t0 + piece.t1) / 2);
    EXPECT_FALSE(std::isfinite(dot(at.turn(kernel::Vector3{1, 1, 1}), kernel::Vector3{1, 1, 1}).upper())) << bad;
  }
  kernel::Piece piece{};  // No orientation.
  piece.t1 = 1;
  EXPECT_FALSE(std::isfinite(filter::ballPoseOf(piece, 0.5).turn(kernel::Vector3{1, 0, 0})[0].upper()));
}

}  // namespace
}  // namespace rigor::verify
