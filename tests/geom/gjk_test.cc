// SPDX-License-Identifier: MIT
//
// Proves: V-Clip and GJK, which share nothing but the relative pose, agree on every kind of solids at gaps from 1e-10
// to 10 sizes; V-Clip by itself settles nearly all of them, and walks little when coherent; caches change nothing;
// poses that are not finite are answered. Oracle: each other, and GJK in binary128. (exact rationals:
// separation_oracle_test.cc)
#include "geom/gjk.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "geom/vclip.h"
#include "tests/geom/random_solids.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;
using testing_solids::kPromise;
using testing_solids::Source;

double scaleOf(const Polytope& A, const Pose& X, const Polytope& B, const Pose& Y) {
  return A.size() + B.size() + (X.p - Y.p).norm();
}

/// Moves B along the closest direction to the wanted gap.
void setGap(const Polytope& A, const Pose& X, const Polytope& B, Pose& Y, double gap) {
  const GjkResult found = gjkWide(A.vertices(), X, B.vertices(), Y);
  if (found.status == GjkResult::Status::kSeparated) Y.p += (found.distance - gap) * found.normal;
}

TEST(VClipAndGjk, Agree) {
  Source source(1);
  int settled = 0, certain = 0, count = 0;
  for (int trial = 0; trial < 1200; ++trial) {
    const Polytope A = Polytope::fromPoints(testing_solids::points(source.below(testing_solids::kKinds), source));
    const Polytope B = Polytope::fromPoints(testing_solids::points(source.below(testing_solids::kKinds), source));
    Pose X = source.pose(), Y = source.pose();
    if (trial % 3 == 0) Y.q = X.q;  // Parallel faces and edges, where the shapes have them.
    if (trial % 7 == 0) X.p *= 1e3;
    Y.p = X.p + 12 * source.vector().normalized();
    setGap(A, X, B, Y, std::pow(10, 1 - source.below(12)));
    const GjkResult wide = gjkWide(A.vertices(), X, B.vertices(), Y);
    ASSERT_EQ(wide.status, GjkResult::Status::kSeparated) << trial;
    const double scale = scaleOf(A, X, B, Y);
    const WalkResult walk = walkFeatures(A, B, RelativePose(X, Y), {});
    const GjkResult narrow = gjk(A.vertices(), X, B.vertices(), Y);
    ++count;
    if (walk.status == WalkResult::Status::kSeparated) {
      ++settled;
      EXPECT_NEAR(walk.distance, wide.distance, kPromise * scale) << trial;
      EXPECT_NEAR((walk.point_a - walk.point_b).norm(), wide.distance, kPromise * scale) << trial;
    }
    if (narrow.status == GjkResult::Status::kSeparated) {
      ++certain;
      EXPECT_NEAR(narrow.distance, wide.distance, kPromise * scale) << trial;
    }
    SeparationCache cache;
    EXPECT_NEAR(separation(A, X, B, Y, cache).distance, wide.distance, kPromise * scale) << trial;
    EXPECT_NEAR(gjkSeparation(A, X, B, Y, wide).distance, wide.distance, kPromise * scale) << trial;
  }
  EXPECT_GT(settled, 0.95 * count) << "V-Clip leaves too much to GJK";
  EXPECT_GT(certain, 0.5 * count) << "GJK in double is hardly ever sure of itself";
}

TEST(VClip, WalksLittleWhenCoherent) {
  Source source(2);
  for (int kind = 0; kind < testing_solids::kKinds; ++kind) {
    const Polytope A = Polytope::fromPoints(testing_solids::points(kind, source));
    const Polytope B = Polytope::fromPoints(testing_solids::points(kind, source));
    SeparationCache cache;
    Pose X, Y;
    long moves = 0;
    const int steps = 2000;
    for (int i = 0; i < steps; ++i) {
      const double t = 1e-3 * i;
      X.q = Vector4d(1, 0.2 * std::sin(t), 0.3 * std::cos(t), t);
      Y.q = Vector4d(std::cos(t), 0.6 * std::sin(t), 0.8 * std::sin(t), 0.1);
      Y.p = 14 * Vector3d(std::cos(0.3 * t), std::sin(0.3 * t), 0.1 * t);
      moves += walkFeatures(A, B, RelativePose(X, Y), cache).moves;
      const Separation warm = separation(A, X, B, Y, cache);
      SeparationCache fresh;
      const Separation cold = separation(A, X, B, Y, fresh);
      ASSERT_NEAR(warm.distance, cold.distance, kPromise * scaleOf(A, X, B, Y)) << kind << ", step " << i;
    }
    EXPECT_LT(moves, 1.2 * steps) << testing_solids::kKindNames[kind];
  }
}

TEST(SeparationCache, MayHoldAnything) {
  const Polytope A = Polytope::box({1, 2, 3}), B = Polytope::box({3, 1, 1});
  const Pose X{{1, 2, 3, 4}, {0, 0, 0}}, Y{{4, 1, 1, 0}, {5, 1, 2}};
  SeparationCache fresh;
  const double d = separation(A, X, B, Y, fresh).distance;
  for (auto ka : {Feature::Kind::kVertex, Feature::Kind::kEdge, Feature::Kind::kFace}) {
    for (auto kb : {Feature::Kind::kVertex, Feature::Kind::kEdge, Feature::Kind::kFace}) {
      for (int ia : {-5, 0, 3, 5, 7, 11, 1000000}) {
        for (int ib : {-1, 0, 2, 5, 7, 11, 1000000}) {
          SeparationCache cache{{ka, ia}, {kb, ib}, ia, ib, true};
          EXPECT_NEAR(separation(A, X, B, Y, cache).distance, d, kPromise * 10);
          cache = {{ka, ia}, {kb, ib}, ia, ib, false};
          EXPECT_NEAR(separation(A, X, B, Y, cache).distance, d, kPromise * 10);
        }
      }
    }
  }
}

TEST(Separation, PosesThatAreNotFiniteTouch) {
  const Polytope A = Polytope::box({1, 2, 3}), B = Polytope::box({3, 1, 1});
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const Pose& bad :
       {Pose{{0, 0, 0, 0}, {5, 0, 0}}, Pose{{1, nan, 0, 0}, {5, 0, 0}}, Pose{{1, 0, 0, 0}, {nan, 0, 0}},
        Pose{{1, 0, 0, 0}, {infinity, 0, 0}}, Pose{{infinity, 0, 0, 0}, {5, 0, 0}}}) {
    for (bool swapped : {false, true}) {
      SeparationCache cache;
      const Separation s = swapped ? separation(A, bad, B, Pose{}, cache) : separation(A, Pose{}, B, bad, cache);
      EXPECT_EQ(s.distance, 0);
      EXPECT_EQ(s.normal.norm(), 1);
    }
  }
}

TEST(Separation, FaceOnFaceKissing) {
  const Polytope A = Polytope::box({1, 1, 1});
  for (double gap : {1e-10, 1e-8, 1e-3, 1.0, 10.0}) {
    for (const Vector3d& shift : {Vector3d(0, 0, 0), Vector3d(0.3, 0.2, 0), Vector3d(1, 0, 0), Vector3d(1, 1, 0)}) {
      SeparationCache cache;
      const Separation s = separation(A, Pose{}, A, Pose{{1, 0, 0, 0}, shift + Vector3d(0, 0, 1 + gap)}, cache);
      EXPECT_NEAR(s.distance, gap, kPromise * (4 + gap));
      EXPECT_NEAR(s.normal[2], -1, 1e-15);
    }
  }
}

TEST(Separation, HugeAndTiny) {
  for (double scale : {1e-60, 1e-12, 1e-3, 1e3, 1e12, 1e60}) {
    const Polytope A = Polytope::box(Vector3d(1, 2, 3) * scale), B = Polytope::box(Vector3d(3, 1, 1) * scale);
    const Pose X{{1, 2, 3, 4}, {0, 0, 0}};
    SeparationCache cache, unit_cache;
    const double d = separation(A, X, B, {{4, 1, 1, 0}, Vector3d(5, 1, 2) * scale}, cache).distance;
    const double unit =
        separation(Polytope::box({1, 2, 3}), X, Polytope::box({3, 1, 1}), {{4, 1, 1, 0}, {5, 1, 2}}, unit_cache)
            .distance;
    EXPECT_NEAR(d / scale, unit, kPromise * 12) << scale;
  }
}

}  // namespace
}  // namespace rigor::geom
