// SPDX-License-Identifier: MIT
// Proved: whatever is computed with balls encloses the exact result, underflow and cancellation included, and nothing
// is proved of numbers that overflow; balls prove no claim that the kernel do not, of all kinds, and most that they do.
// Oracle: rational arithmetic (GMP); claims whose true margin is known to be a rounding more or less than nothing; the
// largest gap that the kernel prove.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "tests/verify/synthetic_record.h"
#include "verify/filter/claim_filter.h"
#include "verify/kernel/claims.h"
#include "verify/recorded_run.h"

namespace rigor::verify::filter {
namespace {

using kernel::Answer;
using kernel::Claim;
using kernel::Piece;

struct Known {
  BallPolynomial ball;
  mpq_class exact[kMaxDegree + 1];
};

void expectEnclosed(const Known& x, const char* what) {
  for (int i = 0; i <= x.ball.degree; ++i) {
    ASSERT_TRUE(std::isfinite(x.ball.value[i]) && std::isfinite(x.ball.radius[i])) << what;
    const mpq_class distance = abs(mpq_class(x.ball.value[i]) - x.exact[i]);
    EXPECT_LE(distance, mpq_class(x.ball.radius[i]) * (1 + mpq_class(kRadiusRounding))) << what << ' ' << i;
  }
}

// Control points that are sums, so that they are balls of some size.
Known random(std::mt19937_64& generator, int degree, double size) {
  std::normal_distribution<> normal;
  Known x;
  Ball control[4];
  constexpr int kBinomial[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
  for (int i = 0; i <= degree; ++i) {
    const double a = size * normal(generator), b = size * 1e-3 * normal(generator),
                 c = generator() % 3 ? -a : normal(generator);
    control[i] = a;
    control[i] += b;
    control[i] -= Ball(-c);
    x.exact[i] = (mpq_class(a) + mpq_class(b) + mpq_class(c)) * kBinomial[degree][i];
  }
  x.ball.fromControlPoints(control, degree);
  return x;
}

Known product(const Known& a, const Known& b) {
  Known x;
  multiply(a.ball, b.ball, x.ball);
  for (int i = 0; i <= a.ball.degree; ++i)
    for (int j = 0; j <= b.ball.degree; ++j) x.exact[i + j] += a.exact[i] * b.exact[j];
  return x;
}

TEST(Ball, WhateverIsComputedEnclosesTheExactResult) {
  std::mt19937_64 generator(1);
  std::normal_distribution<> normal;
  for (int round = 0; round < 3000; ++round) {
    const double size = std::ldexp(1.0, static_cast<int>(generator() % 5) * (round % 7 == 0 ? -130 : -10));
    Known x = random(generator, static_cast<int>(generator() % 4), size);
    expectEnclosed(x, "control points");
    for (int step = 0; step < 6 && x.ball.degree <= 9; ++step) {
      const Known y = random(generator, static_cast<int>(generator() % 4), size);
      const double factor = normal(generator);
      switch (generator() % 5) {
        case 0:
          x = product(x, y);
          expectEnclosed(x, "product");
          break;
        case 1: {
          const int n = x.ball.degree + 2;
          x.ball.elevate(n);
          for (int d = n - 2; d < n; ++d)
            for (int i = d + 1; i >= 1; --i) x.exact[i] += x.exact[i - 1];
          expectEnclosed(x, "elevation");
          break;
        }
        case 2: {
          Ball b = factor;
          b *= factor;
          x.ball.multiplyBy(b);
          for (mpq_class& c : x.exact) c *= mpq_class(factor) * mpq_class(factor);
          expectEnclosed(x, "multiple");
          break;
        }
        case 3: {  // What remains is a rounding.
          const Known z = product(x, y);
          Known w = product(y, x);
          w.ball.negate();
          addMultiple(Ball(1), z.ball, w.ball);
          for (int i = 0; i <= w.ball.degree; ++i) w.exact[i] = 0;
          expectEnclosed(w, "cancellation");
          EXPECT_FALSE(w.ball.provedNonNegative());
          break;
        }
        default: {
          Known z = product(x, y);
          addProduct(x.ball, y.ball, -1, z.ball);
          addMultiple(Ball(factor), product(x, y).ball, z.ball);
          for (int i = 0; i <= z.ball.degree; ++i) z.exact[i] *= mpq_class(factor);
          x = z;
          expectEnclosed(x, "sum");
        }
      }
      bool negative = false;
      for (int i = 0; i <= x.ball.degree; ++i) negative |= x.exact[i] < 0;
      EXPECT_FALSE(negative && x.ball.provedNonNegative());
    }
  }
}

TEST(Ball, UpperIsNoLess) {
  std::mt19937_64 generator(2);
  std::normal_distribution<> normal;
  for (int round = 0; round < 10000; ++round) {
    const double a = normal(generator), b = normal(generator), c = normal(generator);
    Ball x = a;
    x *= b;
    x += c;
    const mpq_class exact = mpq_class(a) * mpq_class(b) + mpq_class(c);
    EXPECT_GE(mpq_class(x.upper()), exact);
    EXPECT_LE(mpq_class(x.upper()), exact + 1e-14);
  }
}

TEST(Ball, OverflowProvesNothing) {
  const double huge = std::numeric_limits<double>::max();
  for (const double factor : {huge, 2.0, std::numeric_limits<double>::infinity()}) {
    BallPolynomial f;
    f.setZero(0);
    EXPECT_TRUE(f.provedNonNegative());
    BallPolynomial one;
    one.setZero(0);
    one.value[0] = huge;
    addMultiple(Ball(factor), one, f);
    EXPECT_FALSE(f.provedNonNegative()) << factor;
  }
}

// A cube with its face `height` over the plane z <= 0 all the time, turned about z: the claim `gap` is true if gap <=
// height.
Answer proofAbove(double height, double gap, bool balls) {
  std::vector<kernel::Body> bodies(2);
  bodies[0].fixed = true;
  kernel::Part plane, cube;
  plane.half_space = true;
  plane.normal = {0, 0, 1};
  for (int i = 0; i < 8; ++i) cube.vertices.push_back({i & 1 ? .5 : -.5, i & 2 ? .5 : -.5, i & 4 ? .5 : -.5});
  bodies[0].parts = {plane};
  bodies[1].parts = {cube};
  const Solid A(bodies[0]), B(bodies[1]);
  const Piece still = kernel::fixedPose(bodies[0]);
  Piece turning{};
  turning.body = 1;
  turning.t1 = 1;
  turning.p_degree = turning.q_degree = 1;
  turning.p[0][2] = turning.p[1][2] = .5 + height;
  turning.p[1][0] = 1;
  turning.q[0][0] = .3, turning.q[0][3] = .1;
  turning.q[1][0] = .2, turning.q[1][3] = .7;
  Claim claim;
  claim.body_a = claim.part_a = claim.part_b = claim.kind = 0;
  claim.body_b = 1;
  claim.axis = {0, 0, 1};
  claim.t1 = 1;
  claim.gap = gap;
  EXPECT_EQ(findFault(claim, bodies), "");
  if (!balls) return proveClaim(claim, bodies, still, turning, 0, 1).answer;
  return ClaimFilter().proves(claim, A, still, B, turning, 0, 1) ? Answer::kYes : Answer::kUndecided;
}

TEST(Ball, ClaimsNearTheTruthAreLeftToTheKernel) {
  const double height = 0x1p-20;  // .5 + height is exact.
  int left = 0;
  for (double margin = 1e-3; margin > 1e-20; margin /= 4) {
    EXPECT_EQ(proofAbove(height, height * (1 - margin), false), Answer::kYes) << margin;
    left += proofAbove(height, height * (1 - margin), true) != Answer::kYes;
    if (height * (1 + margin) == height) continue;
    EXPECT_EQ(proofAbove(height, height * (1 + margin), false), Answer::kNo) << margin;
    EXPECT_NE(proofAbove(height, height * (1 + margin), true), Answer::kYes) << margin;
  }
  EXPECT_GT(left, 0);
  EXPECT_EQ(proofAbove(height, height * (1 - 1e-6), true), Answer::kYes);
}

// A moment's proof of a claim by the filter or by the kernel, over every pair of pieces that meet it.
enum class By { kFilter, kKernel };
bool proves(By who, const std::vector<kernel::Body>& bodies, const std::vector<Piece>& pieces, const Claim& claim) {
  const std::vector<Solid> solids(bodies.begin(), bodies.end());
  ClaimFilter filter;
  for (const Piece& a : pieces)
    for (const Piece& b : pieces) {
      if (a.body != claim.body_a || b.body != claim.body_b) continue;
      const double from = std::max({claim.t0, a.t0, b.t0}), to = std::min({claim.t1, a.t1, b.t1});
      if (!(from < to)) continue;
      if (!(who == By::kFilter ? filter.proves(claim, solids[a.body], a, solids[b.body], b, from, to)
                               : proveClaim(claim, bodies, a, b, from, to).answer == Answer::kYes))
        return false;
    }
  return true;
}

TEST(Ball, ProveNoClaimThatTheKernelDoesNot) {
  const std::string path = synthetic::temporaryPath("balls");
  synthetic::writeCubes(path, 12);
  RecordedRun record(path);
  const std::vector<kernel::Body>& bodies = record.run.model.bodies;
  const kernel::BranchRows rows = record.readBranch(0);
  std::set<int> kinds;
  for (Claim w : rows.claims) {
    kinds.insert(w.kind);
    EXPECT_TRUE(proves(By::kKernel, bodies, rows.pieces, w)) << w.id;
    EXPECT_TRUE(proves(By::kFilter, bodies, rows.pieces, w)) << w.id;
    double low = w.gap, high = 2 * w.gap;  // Between them the largest gap that is proved.
    ASSERT_FALSE(proves(By::kKernel, bodies, rows.pieces, (w.gap = high, w)));
    for (double middle; middle = low + (high - low) / 2, low < middle && middle < high;)
      (proves(By::kKernel, bodies, rows.pieces, (w.gap = middle, w)) ? low : high) = middle;
    for (const double excess : {0.0, 1e-15, 1e-14, 1e-12, 1e-8}) {
      w.gap = high * (1 + excess);
      EXPECT_FALSE(proves(By::kFilter, bodies, rows.pieces, w)) << w.id << ' ' << excess;
      w.gap = low * (1 - excess);
      EXPECT_TRUE(proves(By::kKernel, bodies, rows.pieces, w)) << w.id << ' ' << excess;
    }
    w.gap = low * (1 - 1e-8);
    EXPECT_TRUE(proves(By::kFilter, bodies, rows.pieces, w)) << w.id;
    if (w.kind != 2) continue;
    // No bound on the normal's length that is too small; of a cosine that is too large what it is still good for.
    w.cross *= 0.9;
    EXPECT_FALSE(proves(By::kFilter, bodies, rows.pieces, w)) << w.id;
    w.cosine *= 1.5;
    w.cross *= 2;
    w.gap /= 3;
    EXPECT_TRUE(!proves(By::kFilter, bodies, rows.pieces, w) || proves(By::kKernel, bodies, rows.pieces, w)) << w.id;
    w.cosine = 0;
    EXPECT_TRUE(proves(By::kFilter, bodies, rows.pieces, w)) << w.id;
    std::swap(w.a0, w.b1);  // Other edges, beyond which other vertices lie.
    EXPECT_EQ(proves(By::kFilter, bodies, rows.pieces, w) && !proves(By::kKernel, bodies, rows.pieces, w), false);
    w.b1 = w.b0;  // No edge at all.
    EXPECT_FALSE(proves(By::kFilter, bodies, rows.pieces, w)) << w.id;
  }
  EXPECT_EQ(kinds, (std::set<int>{0, 1, 2}));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace rigor::verify::filter
