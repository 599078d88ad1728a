// SPDX-License-Identifier: MIT
// Proves that the kernel knows what is round: claims about balls, capsules and cylinders are proved as far as they are
// true and no farther, and no forged radius, core, axis or vertex is taken. Oracles: closed forms, and the least gap of
// dense samples in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/verify/hand_made_run.h"
#include "verify/filter/claim_filter.h"

namespace rigor::verify::kernel {
namespace {

using namespace made;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

/// A body with vertices well inside of every solid made here.
Body roundBody(const std::vector<Vector3>& core, double radius, const Vector3& axis = {}) {
  Body body = cube("round", {0, 0, 0.75}, {});
  for (Vector3& vertex : body.parts[0].vertices)
    for (double& x : vertex) x *= 0.125;
  body.parts[0].core = core;
  body.parts[0].radius = radius;
  body.parts[0].axis = axis;
  return body;
}

/// It lies still above the table, with a claim of a gap.
Made still(const Body& body, double gap) {
  Made made = onTable(body, 1);
  Piece piece{};
  piece.body = 1;
  piece.t1 = 1;
  for (int k = 0; k < 3; ++k) piece.p[0][k] = body.position[k];
  for (int k = 0; k < 4; ++k) piece.q[0][k] = body.orientation[k];
  made.rows[0].pieces = {piece};
  made.rows[0].claims = {aboveTable(0, 1, gap)};
  made.run.branches[0].min_gap = made.run.gap_floor = std::min(gap, kGap);
  number(made);
  return made;
}

bool isProved(const Made& made) { return proveAll(made, false).open.empty(); }

TEST(RoundClaims, ABallIsProvedToTheLastBit) {
  const Body ball = roundBody({{0, 0, 0}}, 0.5);
  EXPECT_TRUE(isProved(still(ball, 0.25)));
  EXPECT_FALSE(isProved(still(ball, std::nextafter(0.25, 1))));
}

TEST(RoundClaims, BallsThatOverlapAreNotProved) {
  for (const double apart : {0.9, 0.999999999, 1.0, 1.000001}) {
    Body left = roundBody({{0, 0, 0}}, 0.5), right = left;
    right.name = "right";
    right.position = {apart, 0, 0.75};
    Made made = still(left, 1e-7);
    made.run.model.bodies = {left, right};
    Piece piece = made.rows[0].pieces[0];
    piece.body = 0;
    Piece other = piece;
    other.body = 1, other.p[0][0] = apart;
    made.rows[0].pieces = {piece, other};
    made.rows[0].claims[0].axis = {1, 0, 0};
    number(made);
    EXPECT_EQ(isProved(made), apart == 1.000001) << apart;
    made.rows[0].claims.clear();  // By boxes.
    EXPECT_EQ(isProved(made), apart == 1.000001) << apart;
    made.rows[0].claims = {aboveTable(0, 1, 1e-7)};
    made.rows[0].claims[0].kind = 2, made.rows[0].claims[0].a1 = made.rows[0].claims[0].b1 = 1;
    made.rows[0].claims[0].cross = 1;
    number(made);
    EXPECT_FALSE(isProved(made));
  }
}

TEST(RoundClaims, ATiltedCylinderIsProvedUpToItsRim) {
  // Tilted by the angle with sine 3/5 about x: the rim reaches r 4/5 down from a cap's centre.
  Body cylinder = roundBody({{0, 0, -0.25}, {0, 0, 0.25}}, 0.25, {0, 0, 2});
  cylinder.orientation = {3, 1, 0, 0};  // cos = (9 - 1)/10 = 4/5
  const double lowest = 0.75 - 0.25 * 0.8 - 0.25 * 0.6;
  EXPECT_TRUE(isProved(still(cylinder, lowest * (1 - 1e-12))));
  EXPECT_FALSE(isProved(still(cylinder, lowest * (1 + 1e-12))));
  cylinder.parts[0].axis = {};  // A capsule reaches farther.
  EXPECT_FALSE(isProved(still(cylinder, lowest * (1 - 1e-12))));
  EXPECT_TRUE(isProved(still(cylinder, (0.75 - 0.25 * 0.8 - 0.25) * (1 - 1e-12))));
}

TEST(RoundClaims, NothingForgedIsTaken) {
  const Vector3 low{0, 0, -0.25}, high{0, 0, 0.25};
  ASSERT_TRUE(isProved(still(roundBody({low, high}, 0.25, {0, 0, 1}), 0.1)));
  for (const double radius : {0.0, -0.0, -0.25, kNaN, kInf, -kInf, 1e-300})
    EXPECT_FALSE(isProved(still(roundBody({low, high}, radius, {0, 0, 1}), 0.1))) << radius;
  EXPECT_FALSE(isProved(still(roundBody({low, high}, 1e300), 0.1)));
  // An upright disk does not touch, however wide.
  EXPECT_TRUE(isProved(still(roundBody({low, high}, 1e300, {0, 0, 1}), 0.1)));
  for (const double x : {kNaN, kInf, -kInf}) {
    EXPECT_FALSE(isProved(still(roundBody({low, {0, x, 0.25}}, 0.25, {0, 0, 1}), 0.1)));
    EXPECT_FALSE(isProved(still(roundBody({low, high}, 0.25, {0, x, 1}), 0.1)));
  }
  EXPECT_FALSE(isProved(still(roundBody({}, 0.25), 0.1)));                      // A radius without a core.
  EXPECT_FALSE(isProved(still(roundBody({low, high, low}, 0.25), 0.1)));        // Three points.
  EXPECT_FALSE(isProved(still(roundBody({low, high}, 0.25, {1, 0, 0}), 0.1)));  // An axis across the core.
  EXPECT_FALSE(isProved(still(roundBody({low}, 0.25, {0, 0, 1}), 0.1)));        // A disk is no solid.
  Body body = roundBody({low, high}, 0.25, {0, 0, 1});
  body.parts[0].vertices.push_back({0, 0.2500001, 0});
  EXPECT_FALSE(isProved(still(body, 0.1)));  // A vertex that sticks out.
  body.parts[0].vertices.back() = {0, 0.2, 0.2500001};
  EXPECT_FALSE(isProved(still(body, 0.1)));
  body.parts[0].vertices.back() = {0, 0.2, 0.25};
  EXPECT_TRUE(isProved(still(body, 0.1)));
  Made made = still(roundBody({low, high}, 0.25, {0, 0, 1}), 0.1);
  made.run.model.bodies[0].parts[0].core = {low};  // On a half-space.
  EXPECT_FALSE(isProved(made));
}

/// The gap of a round part over the table at the share u of a piece.
long double gapOf(const Part& part, const Piece& piece, long double u) {
  long double p = 0, q[4] = {};
  for (int i = 0; i <= 1; ++i) {
    const long double w = i ? u : 1 - u;
    p += w * piece.p[i][2];
    for (int k = 0; k < 4; ++k) q[k] += w * piece.q[i][k];
  }
  const long double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const long double row[3] = {2 * (q[1] * q[3] - q[0] * q[2]) / norm, 2 * (q[2] * q[3] + q[0] * q[1]) / norm,
                              (q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3]) / norm};
  const auto height = [&](const Vector3& v) { return row[0] * v[0] + row[1] * v[1] + row[2] * v[2]; };
  long double reach = part.radius;
  if (part.axis != Vector3{}) {
    const long double along = height(part.axis) / std::hypot(part.axis[0], part.axis[1], part.axis[2]);
    reach *= std::sqrt(std::max(0.0L, (1 - along) * (1 + along)));
  }
  return p + std::min(height(part.core.front()), height(part.core.back())) - reach;
}

TEST(RoundClaims, RandomMotionsAreProvedUpToTheirLeastGap) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> uniform(-1, 1);
  int short_ones = 0, proved_fast = 0;
  for (int round = 0; round < 300; ++round) {
    const Vector3 axis{0.3 * uniform(random), 0.3 * uniform(random), 1};
    const double half = 0.2 + 0.1 * uniform(random);
    const Vector3 end{half * axis[0], half * axis[1], half * axis[2]}, start{-end[0], -end[1], -end[2]};
    Body body =
        round % 3 == 0 ? roundBody({{0, 0, 0}}, 0.3) : roundBody({start, end}, 0.2, round % 3 == 1 ? axis : Vector3{});
    Piece piece{};
    piece.body = 1, piece.t1 = 1;
    piece.p_degree = piece.q_degree = 1;
    for (int i = 0; i <= 1; ++i) {
      for (int k = 0; k < 3; ++k) piece.p[i][k] = k == 2 ? 0.8 + 0.2 * uniform(random) : uniform(random);
      for (int k = 0; k < 4; ++k) piece.q[i][k] = (k == 0) + 0.4 * uniform(random);
    }
    std::copy_n(piece.p[0], 3, body.position.data());
    std::copy_n(piece.q[0], 4, body.orientation.data());
    const std::vector<Body> bodies{table(), body};
    const Piece still_piece = fixedPose(bodies[0]);
    const filter::Solid plane(bodies[0]), solid(bodies[1]);
    for (const double until : {1.0, 0.01}) {
      long double least = HUGE_VALL;
      for (int i = 0; i <= 4000; ++i) least = std::min(least, gapOf(body.parts[0], piece, until * i / 4000.0L));
      if (least < 0.01) continue;
      for (const bool more : {false, true}) {
        const double gap = static_cast<double>(least) * (more ? 1 + 1e-5 : 1 - 1e-5);
        const Claim claim = aboveTable(0, 1, gap);
        const Verdict verdict = proveClaim(claim, bodies, still_piece, piece, 0, until);
        EXPECT_EQ(verdict.answer, more ? Answer::kNo : Answer::kYes) << round << ' ' << verdict.reason;
        const bool fast = filter::ClaimFilter().proves(claim, plane, still_piece, solid, piece, 0, until);
        EXPECT_FALSE(fast && more) << round;
        if (until < 1 && !more) ++short_ones, proved_fast += fast;
      }
    }
  }
  EXPECT_GT(short_ones, 200);
  EXPECT_GT(proved_fast, 0.95 * short_ones) << "short pieces need no integers";
}

}  // namespace
}  // namespace rigor::verify::kernel
