// SPDX-License-Identifier: MIT
// Proves that what the filter keeps of a face and two motions from claim to claim proves nothing of others: of other
// parts, motions, times, axes or gaps. Oracle: the kernel, in exact arithmetic, and a filter that knows nothing yet.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "verify/filter/claim_filter.h"
#include "verify/kernel/claims.h"

namespace rigor::verify::filter {
namespace {

using kernel::Answer;
using kernel::Claim;
using kernel::Piece;

constexpr int kColumns = 20;  // More than a body of few parts has.

kernel::Part block(double x, double top) {
  kernel::Part part;
  for (int i = 0; i < 8; ++i)
    part.vertices.push_back({x + (i & 1 ? 0.05 : -0.05), i & 2 ? 0.5 : -0.5, i & 4 ? top : -1.0});
  return part;
}

/// Columns of 0 to 0.2 m, and a body of two cubes above them.
std::vector<kernel::Body> columnsAndCubes(std::mt19937_64& random) {
  std::vector<kernel::Body> bodies(2);
  bodies[0].fixed = true;
  for (int k = 0; k < kColumns; ++k)
    bodies[0].parts.push_back(block(0.1 * k - 1, 0.01 * static_cast<double>(random() % 20)));
  for (const double side : {0.1, 0.25}) {
    kernel::Part cube;
    for (int i = 0; i < 8; ++i)
      cube.vertices.push_back({i & 1 ? side : -side, i & 2 ? side : -side, i & 4 ? side : -side});
    bodies[1].parts.push_back(cube);
  }
  return bodies;
}

Piece turning(double height, double turn) {
  Piece piece{};
  piece.body = 1, piece.t1 = 1;
  piece.p_degree = piece.q_degree = 1;
  piece.p[0][2] = height, piece.p[1][2] = height + 0.01;
  piece.q[0][0] = piece.q[1][0] = 1;
  piece.q[1][1] = turn;
  return piece;
}

TEST(ClaimViews, OneClaimProvesNothingOfAnother) {
  std::mt19937_64 random(1);
  const std::vector<kernel::Body> bodies = columnsAndCubes(random);
  const Solid A(bodies[0]), B(bodies[1]);
  const Piece still = kernel::fixedPose(bodies[0]);
  const std::vector<Piece> pieces{turning(0.5, 0.02), turning(0.45, -0.03), turning(0.4, 0.1)};
  ClaimFilter experienced;
  int proved = 0, left = 0;
  for (int n = 0; n < 3000; ++n) {
    Claim claim;
    claim.body_a = 0, claim.body_b = 1;
    claim.part_a = static_cast<int>(random() % kColumns), claim.part_b = static_cast<int>(random() % 2);
    claim.kind = static_cast<int>(random() % 2);
    claim.axis = random() % 2 ? kernel::Vector3{0, 0, 1} : kernel::Vector3{0, 0.05, 2};
    claim.t1 = 1;
    claim.gap = 0.02 * static_cast<double>(1 + random() % 20);
    const Piece& motion = pieces[random() % pieces.size()];
    const double from = random() % 2 ? 0 : 0.5, to = random() % 4 ? 1 : 0.75;
    ClaimFilter fresh;
    const bool by_itself = fresh.proves(claim, A, still, B, motion, from, to),
               by_experience = experienced.proves(claim, A, still, B, motion, from, to);
    EXPECT_TRUE(by_experience || !by_itself) << n;
    if (by_experience) {
      EXPECT_EQ(proveClaim(claim, bodies, still, motion, from, to).answer, Answer::kYes) << n;
    }
    ++(by_experience ? proved : left);
  }
  EXPECT_GT(proved, 500);
  EXPECT_GT(left, 500);
}

}  // namespace
}  // namespace rigor::verify::filter
