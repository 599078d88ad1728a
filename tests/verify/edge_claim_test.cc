// SPDX-License-Identifier: MIT
// Proves: a claim about two edges before which vertices of both parts lie is proved down to its last share, whichever
// vertices they are. Data: a ring that slides along a hook, flat on it but for 1e-5 rad, from a run of three rings.
// Oracle: the heights of all vertices along the edges' normal, in rationals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/verify/rational_truth.h"
#include "verify/kernel/claims.h"

namespace rigor::verify {
namespace {

using kernel::Answer;
using truth::Q;
using truth::Q3;

kernel::Body bodyOf(std::vector<kernel::Vector3> vertices, const kernel::Vector3& centre) {
  kernel::Body body;
  body.centre = centre;
  body.parts.resize(1);
  body.parts[0].vertices = std::move(vertices);
  return body;
}

kernel::Body hookBody() {
  std::vector<kernel::Vector3> vertices;
  for (int i = 0; i < 8; ++i) vertices.push_back({i & 1 ? 0.2 : -0.2, i & 2 ? 0.01 : -0.01, i & 4 ? 0.01 : -0.01});
  return bodyOf(vertices, {0, 0, 0});
}

kernel::Body ringBody() {
  return bodyOf({{-0x1.71096ee3c49f4p-5, 0x1.637003df48969p-6, -0.006},
                 {-0x1.71096ee3c49f4p-5, 0x1.637003df48969p-6, 0.006},
                 {-0x1.71096ee3c49f4p-5, -0x1.637003df48966p-6, -0.006},
                 {-0x1.71096ee3c49f4p-5, -0x1.637003df48966p-6, 0.006},
                 {-0x1.c99b0e9f8d694p-5, 0x1.b8be194812544p-6, -0.006},
                 {-0x1.c99b0e9f8d694p-5, 0x1.b8be194812544p-6, 0.006},
                 {-0x1.c99b0e9f8d695p-5, -0x1.b8be194812540p-6, -0.006},
                 {-0x1.c99b0e9f8d695p-5, -0x1.b8be194812540p-6, 0.006}},
                {0x1p-57, 0, 0x1.524818d2ab3dcp-126});
}

constexpr double kStart = 1.9606048448179079, kEnd = 1.969995797856352;

kernel::Piece standing() {
  kernel::Piece piece{};
  piece.t0 = kStart, piece.t1 = kEnd;
  piece.q[0][0] = 1;
  return piece;
}

kernel::Piece sliding() {
  return {.p_degree = 3,
          .q_degree = 3,
          .t0 = kStart,
          .t1 = kEnd,
          .p = {{-0x1.a4d6ce738f483p-12, -0x1.46fb8c9710f68p-16, -0x1.1f1a85306b130p-5},
                {-0x1.604ff56523953p-12, -0x1.6e29d596dd67dp-16, -0x1.1f1409112d957p-5},
                {-0x1.0be0ebabb1477p-12, -0x1.9917835bc8ae5p-16, -0x1.1f15387a30913p-5},
                {-0x1.4ff79f680e53dp-13, -0x1.c782fb8ac7009p-16, -0x1.1f1de839b7f9ep-5}},
          .q = {{0x1.6a1654e8fe932p-1, -0x1.080c51298f0ebp-11, 0x1.69fd6b6f17824p-1, 0x1.081e7d1dd7d2fp-11},
                {0x1.6a2e21bcd8f63p-1, -0x1.0c765a707d2e9p-11, 0x1.69e59c8f48f6fp-1, 0x1.0cab8f7e5cce2p-11},
                {0x1.6a29d4ae2ff83p-1, -0x1.10b9711e37d46p-11, 0x1.69e9eb4940394p-1, 0x1.10ea515d18b51p-11},
                {0x1.6a09de95467b6p-1, -0x1.14dd92f0795e7p-11, 0x1.6a09e0fef2159p-1, 0x1.14dd91181e2e2p-11}},
          .velocity = {}};
}

/// The least n.(y - x) over `cross` at 200 instants, rounded once.
double leastGap(const kernel::Claim& claim, const kernel::Body& A, const kernel::Body& B) {
  Q least = 1;
  for (int i = 0; i <= 200; ++i) {
    const Q u(i, 200);
    const auto x = truth::verticesAt(A, standing(), u), y = truth::verticesAt(B, sliding(), u);
    Q3 a, b, n;
    for (int k = 0; k < 3; ++k)
      a.x[k] = x[claim.a1].x[k] - x[claim.a0].x[k], b.x[k] = y[claim.b1].x[k] - y[claim.b0].x[k];
    for (int k = 0; k < 3; ++k) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      n.x[k] = a.x[k1] * b.x[k2] - a.x[k2] * b.x[k1];
    }
    for (const Q3& p : x)
      for (const Q3& q : y) least = std::min<Q>(least, (truth::dotOf(n, q) - truth::dotOf(n, p)) / Q(claim.cross));
  }
  return least.get_d();
}

TEST(EdgeClaim, ItsVerticesBeforeTheEdgesAreTakenPairByPair) {
  const std::vector<kernel::Body> bodies{hookBody(), ringBody()};
  kernel::Claim claim{
      {.body_a = 0, .part_a = 0, .body_b = 1, .part_b = 0, .kind = 2, .a0 = 7, .a1 = 6, .b0 = 0, .b1 = 2}};
  claim.t0 = kStart, claim.t1 = kEnd, claim.gap = 1.8723186477387475e-09;
  claim.cross = 0.017355331951577697, claim.cosine = 2.4725767150742567e-05;
  const double least = leastGap(claim, bodies[0], bodies[1]);
  ASSERT_GT(least, claim.gap);
  const auto proves = [&](double gap) {
    claim.gap = gap;
    return proveClaim(claim, bodies, standing(), sliding(), kStart, kEnd).answer;
  };
  EXPECT_EQ(proves(claim.gap), Answer::kYes);
  EXPECT_EQ(proves(least * (1 - 1e-4)), Answer::kYes);  // Between two of the instants it is less by 8e-5 at most.
  EXPECT_EQ(proves(least * (1 + 1e-9)), Answer::kNo);
}

}  // namespace
}  // namespace rigor::verify
