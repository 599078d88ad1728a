// SPDX-License-Identifier: MIT
//
// Proves: decideInterval() never calls an interval apart in which two boxes overlap by more than allowed, never reports
// an overlap that is none, and decides nearly all random motions. Oracle: the separating-axis test in rationals at
// instants of the exact motion (exact_boxes.h); closed forms.
#include "check/interval_proof.h"

#include <gtest/gtest.h>

#include <random>

#include "check/trajectory.h"
#include "tests/check/exact_boxes.h"

namespace rigor::check {
namespace {

using advance::MotionPiece;
using advance::PiecePolynomials;
using Eigen::Vector3d;

struct Body {
  Vector3d size;
  geom::Shape shape;
  Track track;
  explicit Body(const Vector3d& edges) : size(edges), shape(geom::Polytope::box(edges)) {}
};

/// Two samples of a box that moves about a metre and turns; with velocities that fit or do not.
Body randomBody(std::mt19937& random, double distance) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> length(0.05, 1);
  Body body({length(random), length(random), length(random)});
  geom::Pose pose;
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 4; ++k) pose.q[k] = (i == 0 ? 0 : pose.q[k]) + normal(random) * (i == 0 ? 1 : 0.4);
    for (int k = 0; k < 3; ++k) pose.p[k] = (i == 0 ? normal(random) * distance : pose.p[k] + 0.5 * normal(random));
    body.track.time.push_back(i * 0.1);
    body.track.pose.push_back(pose);
    Velocity velocity;
    for (int k = 0; k < 6; ++k) velocity[k] = 5 * normal(random);
    body.track.velocity.push_back(velocity);
  }
  return body;
}

TEST(IntervalProof, RandomBoxesAgreeWithRationals) {
  std::mt19937 random(7);
  int apart = 0, overlaps = 0, undecided = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const double allow = trial % 3 == 0 ? 0 : trial % 3 == 1 ? 1e-6 : 0.05;
    const Interpolation interpolation = trial % 2 ? Interpolation::kLinear : Interpolation::kHermite;
    const Body a = randomBody(random, 0.3), b = randomBody(random, 0.6);
    const MotionPiece piece_a = pieceBetween(a.track, 0, interpolation),
                      piece_b = pieceBetween(b.track, 0, interpolation);
    const PiecePolynomials motion_a(piece_a, 0, 0.1), motion_b(piece_b, 0, 0.1);
    PairMemory memory;
    const IntervalResult result =
        decideInterval({&a.shape, {0, 0, 0}, &motion_a}, {&b.shape, {0, 0, 0}, &motion_b}, allow, memory);
    if (result.verdict == IntervalVerdict::kUndecided) {
      ++undecided;
      continue;
    }
    if (result.verdict == IntervalVerdict::kOverlaps) {
      ++overlaps;
      EXPECT_GT(result.depth, allow);
      EXPECT_TRUE(exact::overlapByMoreThan({a.size, piece_a, result.time}, {b.size, piece_b, result.time}, allow))
          << trial;
      continue;
    }
    ++apart;
    for (int i = 0; i <= 16; ++i) {
      const double t = 0.1 * i / 16;
      ASSERT_FALSE(exact::overlapByMoreThan({a.size, piece_a, t}, {b.size, piece_b, t}, allow)) << trial << " at " << t;
    }
  }
  EXPECT_GT(apart, 10);
  EXPECT_GT(overlaps, 10);
  EXPECT_LE(undecided, 1) << "of 60";
}

// A cube that lies on a plane to the last digit is apart, one that is an ulp deeper is not called so.
TEST(IntervalProof, TouchingExactlyIsDecidedExactly) {
  const geom::Shape plane = geom::HalfSpace{{0, 0, 1}, 0}, cube = geom::Polytope::box({0.1, 0.1, 0.1});
  const MotionPiece still = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 0}}, 0, 1);
  const PiecePolynomials ground(still, 0, 1);
  for (const double height : {0.05, std::nextafter(0.05, 1.0), std::nextafter(0.05, 0.0)}) {
    Track track;
    for (int i = 0; i < 2; ++i) {
      track.time.push_back(i);
      track.pose.push_back({{1, 0, 0, 0}, {0.3 * i, 0.1 * i, height}});
    }
    const MotionPiece piece = pieceBetween(track, 0, Interpolation::kLinear);
    const PiecePolynomials motion(piece, 0, 1);
    PairMemory memory;
    const IntervalResult result = decideInterval({&plane, {0, 0, 0}, &ground}, {&cube, {0, 0, 0}, &motion}, 0, memory);
    EXPECT_EQ(result.verdict == IntervalVerdict::kApart, height >= 0.05) << height;
    EXPECT_NE(result.verdict, IntervalVerdict::kOverlaps) << "an ulp is within the rounding of a distance";
  }
}

// Two cubes face to face: exactly touching counts as apart, for polytopes as well.
TEST(IntervalProof, CubesThatTouchWhileTheySlideAreApart) {
  const geom::Shape cube = geom::Polytope::box({0.5, 0.5, 0.5});
  const MotionPiece still = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 0}}, 0, 1);
  Track track;
  for (int i = 0; i < 2; ++i) {
    track.time.push_back(i);
    track.pose.push_back({{1, 0, 0, 0}, {0.25 * i, 0, 0.5}});
  }
  const MotionPiece piece = pieceBetween(track, 0, Interpolation::kLinear);
  const PiecePolynomials a(still, 0, 1), b(piece, 0, 1);
  PairMemory memory;
  EXPECT_EQ(decideInterval({&cube, {0, 0, 0}, &a}, {&cube, {0, 0, 0}, &b}, 0, memory).verdict, IntervalVerdict::kApart);
}

TEST(IntervalProof, NotANumberIsNeverApart) {
  const geom::Shape cube = geom::Polytope::box({1, 1, 1});
  MotionPiece a = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 0}}, 0, 1),
              b = MotionPiece::constant({{1, 0, 0, 0}, {5, 0, 0}}, 0, 1);
  b.p[0][1] = std::nan("");
  const PiecePolynomials motion_a(a, 0, 1), motion_b(b, 0, 1);
  PairMemory memory;
  EXPECT_EQ(decideInterval({&cube, {0, 0, 0}, &motion_a}, {&cube, {0, 0, 0}, &motion_b}, 0, memory).verdict,
            IntervalVerdict::kUndecided);
}

}  // namespace
}  // namespace rigor::check
