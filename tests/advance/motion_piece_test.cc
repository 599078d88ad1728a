// SPDX-License-Identifier: MIT
// Proved here: a piece evaluates to its polynomial, its velocities are the derivatives of that motion, and a cut piece
// is the same motion up to rounding with the same start bit for bit.
// Oracle: exact rational evaluation (exact_motion.h); difference quotients of it in exact arithmetic.
#include "advance/motion_piece.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "exact_motion.h"

namespace rigor::advance {
namespace {

using namespace oracle;  // For its operators: its types are standard ones.

TEST(MotionPiece, EvaluatesItsPolynomial) {
  std::mt19937 rng(1);
  for (int trial = 0; trial < 30; ++trial) {
    const MotionPiece piece = randomPiece(rng, {1, 2, 3}, 1, 0.5, 0.25, 0.75, int(rng() % 4), int(rng() % 4));
    const Motion motion(piece, piece.t0, piece.t1);
    const Eigen::Vector3d r(0.3, -0.2, 0.5);
    for (double t : {0.25, 0.3, 0.5, 0.7, 0.75}) {
      const Q s = (Q(t) - Q(piece.t0)) / (Q(piece.t1) - Q(piece.t0));
      const Vec exact = pointAt(motion, vec(r), s);
      const Eigen::Vector3d rounded = piece.at(t) * r;
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(rounded[k], exact[k].get_d(), 1e-14);
      // Velocity of the point, by an exact central difference: error O(e^2).
      if (t == 0.25 || t == 0.75) continue;
      const Q e = Q(1) / (1 << 20);
      const Vec change = pointAt(motion, vec(r), s + e) - pointAt(motion, vec(r), s - e);
      Eigen::Vector3d v, w;
      piece.velocityAt(t, v, w);
      const Eigen::Vector3d velocity = v + w.cross(piece.at(t).rotation() * r);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(velocity[k], Q(change[k] / (2 * e)).get_d() / 0.5, 1e-8);
    }
    EXPECT_EQ(piece.at(piece.t0).p, piece.p[0]);
    EXPECT_EQ(piece.at(piece.t1).q, piece.q[piece.q_degree]);
    EXPECT_EQ(piece.end().p, piece.p[piece.p_degree]);
  }
}

TEST(MotionPiece, CutIsTheSameMotion) {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 30; ++trial) {
    const MotionPiece piece = randomPiece(rng, {1, 2, 3}, 1, 0.5, 0, 1, int(rng() % 4), int(rng() % 4));
    const MotionPiece left = piece.cutAt(0.3);
    EXPECT_EQ(left.t0, 0);
    EXPECT_EQ(left.t1, 0.3);
    EXPECT_EQ(left.start().p, piece.start().p);
    EXPECT_EQ(left.start().q, piece.start().q);
    for (double t : {0.1, 0.2, 0.3}) {
      EXPECT_LE((left.at(t).p - piece.at(t).p).norm(), 1e-14);
      EXPECT_LE((left.at(t).q - piece.at(t).q).norm(), 1e-14);
    }
  }
}

TEST(MotionPiece, ConstantTurnHasItsRate) {
  // q = (1, 0, 0, u/2): about z at d(2 atan(u/2))/du = 1 rad at u = 0; the length of q plays no part.
  MotionPiece piece;
  piece.t1 = 2;
  piece.q_degree = 1;
  piece.q[0] = 7 * Eigen::Vector4d(1, 0, 0, 0);
  piece.q[1] = 7 * Eigen::Vector4d(1, 0, 0, 0.5);
  Eigen::Vector3d v, w;
  piece.velocityAt(0, v, w);
  EXPECT_NEAR(w[2], 0.5, 1e-15);
  EXPECT_EQ(w.head<2>().norm() + v.norm(), 0);
}

}  // namespace
}  // namespace rigor::advance
