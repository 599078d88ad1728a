// SPDX-License-Identifier: MIT
//
// Proves: the penetration depth is the global minimum; moved apart by it, the polytopes touch; the points lie in them.
// Oracles: the faces of the hull of all vertex differences (shares the hull, but neither arcs nor pruning); libccd
// (MPR), which finds some separating translation, never a shorter one; closed forms for boxes.
#include "geom/penetration.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "geom/expanding_polytope.h"
#include "geom/gjk.h"
#include "geom/point_set.h"
#include "geom/relative_pose.h"
#include "tests/geom/random_solids.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;
using testing_solids::kPromise;
using testing_solids::Source;

/// Depth by the hull of the Minkowski difference.
double depthOracle(const Polytope& A, const Pose& X, const Polytope& B, const Pose& Y) {
  const RelativePose R(X, Y);
  std::vector<Vector3d> differences;
  for (int i = 0; i < A.numVertices(); ++i) {
    for (int j = 0; j < B.numVertices(); ++j) differences.push_back(A.vertex(i) - R.toA(B.vertex(j)));
  }
  const Polytope D = Polytope::fromPoints(differences);
  double depth = INFINITY;
  for (int f = 0; f < D.numFaces(); ++f) depth = std::min(depth, D.face(f).normal.dot(D.vertex(D.faceVertices(f)[0])));
  return depth;
}

struct Placed {
  const Polytope& shape;
  Pose pose;
};

void ccdSupport(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const auto& placed = *static_cast<const Placed*>(object);
  const Vector3d d(direction->v[0], direction->v[1], direction->v[2]);
  Eigen::Index best;
  ((placed.pose.rotation().transpose() * d).transpose() * placed.shape.vertices()).maxCoeff(&best);
  const Vector3d p = placed.pose * placed.shape.vertex(int(best));
  ccdVec3Set(point, p[0], p[1], p[2]);
}

void ccdCentre(const void* object, ccd_vec3_t* centre) {
  const auto& placed = *static_cast<const Placed*>(object);
  const Vector3d p = placed.pose * placed.shape.centre();
  ccdVec3Set(centre, p[0], p[1], p[2]);
}

/// Random poses close to each other. @returns whether A and B overlap there.
bool overlap(const Polytope& A, const Polytope& B, bool parallel, Source& source, Pose& X, Pose& Y) {
  X = source.pose();
  Y = source.pose();
  if (parallel) Y.q = X.q;
  Y.p = X.p + 0.5 * source.vector();
  return gjkWide(A.vertices(), X, B.vertices(), Y).status == GjkResult::Status::kTouching;
}

TEST(Penetration, IsTheGlobalMinimum) {
  Source source(1);
  int overlapping = 0, by_ccd = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int ka = trial % 2 ? 7 : source.below(2) * 7, kb = source.below(2) ? 0 : 7;
    const Polytope A = Polytope::fromPoints(testing_solids::points(ka, source));
    const Polytope B =
        trial % 5 == 0 ? Polytope::box({1, .7, .4}) : Polytope::fromPoints(testing_solids::points(kb, source));
    Pose X, Y;
    if (!overlap(A, B, trial % 4 == 0, source, X, Y)) continue;
    ++overlapping;
    const double scale = A.size() + B.size() + (X.p - Y.p).norm();
    const Separation s = penetration(A, X, B, Y);
    EXPECT_NEAR(s.distance, -depthOracle(A, X, B, Y), kPromise * scale) << trial;
    EXPECT_LE((s.point_a - s.point_b - s.distance * s.normal).norm(), kPromise * (scale + X.p.norm())) << trial;
    EXPECT_NEAR(s.normal.norm(), 1, 1e-15);
    // Each point is of its own body.
    const Eigen::Matrix3Xd on_a = s.point_a, on_b = s.point_b;
    EXPECT_LE(gjkWide(A.vertices(), X, on_a, Pose{}).distance, kPromise * (scale + X.p.norm())) << trial;
    EXPECT_LE(gjkWide(B.vertices(), Y, on_b, Pose{}).distance, kPromise * (scale + X.p.norm())) << trial;
    // Moved apart, they touch.
    Pose apart = Y;
    apart.p += s.distance * s.normal;
    const GjkResult touching = gjkWide(A.vertices(), X, B.vertices(), apart);
    EXPECT_LE(touching.distance, kPromise * (scale + X.p.norm())) << trial;
    // The two sets moved a little less still overlap: the translation is along the right axis.
    apart.p = Y.p + 0.99 * s.distance * s.normal;
    EXPECT_EQ(gjkWide(A.vertices(), X, B.vertices(), apart).status, GjkResult::Status::kTouching) << trial;

    const Placed a{A, X}, b{B, Y};
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccdSupport;
    ccd.center1 = ccd.center2 = ccdCentre;
    ccd.mpr_tolerance = 1e-6;
    ccd.max_iterations = 200;
    ccd_real_t depth;
    ccd_vec3_t direction, position;
    if (ccdMPRPenetration(&a, &b, &ccd, &depth, &direction, &position) == 0) {
      ++by_ccd;
      EXPECT_LE(-s.distance, depth + 1e-5 * scale) << trial;
    }
    // Two point sets of the same vertices.
    std::vector<Vector3d> va, vb;
    for (int i = 0; i < A.numVertices(); ++i) va.push_back(A.vertex(i));
    for (int i = 0; i < B.numVertices(); ++i) vb.push_back(B.vertex(i));
    EXPECT_NEAR(separation(PointSet(va), X, PointSet(vb), Y).distance, s.distance, kPromise * scale);
  }
  EXPECT_GT(overlapping, 150);
  EXPECT_GT(by_ccd, 0.9 * overlapping);
}

// What it bounds from below is the hull's depth; a support plane bounds it from above.
TEST(Penetration, AnExpandingPolytopeEndsAtTheNearestFaceOfTheDifference) {
  Source source(4);
  int overlapping = 0, found = 0, tight = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Polytope A = Polytope::fromPoints(testing_solids::points(0, source));
    const Polytope B =
        trial % 3 == 0 ? Polytope::box({1, .7, .4}) : Polytope::fromPoints(testing_solids::points(0, source));
    Pose X, Y;
    if (!overlap(A, B, trial % 4 == 0, source, X, Y)) continue;
    ++overlapping;
    const RelativePose R(X, Y);
    NearestFace face;
    if (!nearestFace(A, B, R, face)) continue;
    ++found;
    const double scale = A.size() + B.size() + (X.p - Y.p).norm(), depth = depthOracle(A, X, B, Y);
    EXPECT_LE(face.lower, depth + 1e-15 * scale) << trial;
    tight += face.lower >= depth - kPromise * scale;
    const double support = (face.normal.transpose() * A.vertices()).maxCoeff() -
                           (face.normal.transpose() * ((R.R * B.vertices()).colwise() + R.t)).minCoeff();
    EXPECT_NEAR(support, depth, kPromise * scale) << trial;
  }
  EXPECT_GT(overlapping, 200);
  EXPECT_GT(found, 0.95 * overlapping);
  EXPECT_GT(tight, 0.95 * found);
}

TEST(Penetration, Boxes) {
  const Polytope A = Polytope::box({2, 2, 2}), B = Polytope::box({1, 1, 1});
  for (const auto& [p, depth, axis] :
       {std::tuple(Vector3d(1.25, 0.1, 0), 0.25, 0), std::tuple(Vector3d(0.1, -1.4, 0.2), 0.1, 1),
        std::tuple(Vector3d(0, 0.1, 0.2), 1.3, 2)}) {
    SeparationCache cache;
    const Separation s = separation(A, Pose{}, B, {{1, 0, 0, 0}, p}, cache);
    EXPECT_NEAR(s.distance, -depth, 1e-15);
    EXPECT_NEAR(s.normal[axis], p[axis] > 0 ? -1 : 1, 1e-15);
    const Separation t = separation(B, {{1, 0, 0, 0}, p}, A, Pose{}, cache);
    EXPECT_NEAR(t.distance, -depth, 1e-15);
    EXPECT_NEAR(t.normal[axis], p[axis] > 0 ? 1 : -1, 1e-15);
  }
}

TEST(Penetration, LargePolytopes) {
  // A ball of 500 vertices in another: the hull of the differences is the oracle of a small sample only.
  Source source(3);
  std::vector<Vector3d> points;
  for (int i = 0; i < 500; ++i) points.push_back(source.vector().normalized());
  const Polytope ball = Polytope::fromPoints(points);
  const Pose X, Y{{1, 2, 3, 4}, {1.5, 0.3, 0.2}};
  const Separation s = penetration(ball, X, ball, Y);
  // Between the depths of the inscribed and the circumscribed balls.
  double inner = 1;
  for (const auto& face : ball.faces()) inner = std::min(inner, face.offset);
  EXPECT_LE(-s.distance, 2 - Y.p.norm());
  EXPECT_GE(-s.distance, 2 * inner - Y.p.norm());
  // No direction does better.
  for (int i = 0; i < 2000; ++i) {
    const Vector3d n = (s.normal + std::pow(10, -source.below(5)) * source.vector()).normalized();
    const double low = (n.transpose() * ball.vertices()).minCoeff();
    const double high = (Vector3d(Y.rotation().transpose() * n).transpose() * ball.vertices()).maxCoeff() + n.dot(Y.p);
    EXPECT_LE(low - high, s.distance + 1e-14 * 6);
  }
}

TEST(Penetration, TouchingIsZero) {
  const Polytope A = Polytope::box({1, 1, 1});
  for (const Vector3d& p :
       {Vector3d(1, 0, 0), Vector3d(1, 0.5, 0.25), Vector3d(1, 1, 0), Vector3d(1, 1, 1), Vector3d(-1, 1, -1)}) {
    SeparationCache cache;
    const Separation s = separation(A, Pose{}, A, {{1, 0, 0, 0}, p}, cache);
    EXPECT_NEAR(s.distance, 0, 1e-15);
    EXPECT_NEAR(s.normal.norm(), 1, 1e-15);
    EXPECT_LT(s.normal.dot(p), 0) << "the normal does not point from B to A";
    EXPECT_LE((s.point_a - s.point_b).norm(), 1e-15);
  }
}

TEST(PointSets, OfLowDimensionOverlapToo) {
  const Pose X;
  const std::vector<Vector3d> square{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, post{{0, 0, -1}, {0, 0, 2}},
      point{{0.5, 0.5, 0}},
      box_points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}};
  const auto distance = [&](const std::vector<Vector3d>& a, const std::vector<Vector3d>& b, const Pose& Y) {
    return separation(PointSet(a), X, PointSet(b), Y).distance;
  };
  EXPECT_NEAR(distance(square, post, {}), -1, 1e-15);                                    // Down out of the plane.
  EXPECT_NEAR(distance(square, post, {{1, 0, 0, 0}, {0.9, 0, 0.5}}), -0.1, 1e-15);       // Sideways.
  EXPECT_EQ(distance(square, point, {}), 0);                                             // A point in a plate.
  EXPECT_EQ(distance(square, square, {}), 0);
  EXPECT_EQ(distance(post, post, {}), 0);
  EXPECT_EQ(distance(point, point, {}), 0);
  EXPECT_NEAR(distance(box_points, point, {{1, 0, 0, 0}, {0, 0, 0.25}}), -0.25, 1e-15);  // A point in a solid.
  EXPECT_NEAR(distance(point, point, {{1, 0, 0, 0}, {3, 4, 0}}), 5, 1e-15);
  EXPECT_THROW(PointSet(std::vector<Vector3d>{}), GeometryError);
  EXPECT_THROW(PointSet(std::vector<Vector3d>{{0, NAN, 0}}), GeometryError);
  EXPECT_EQ(distance(square, post, {{0, 0, 0, 0}, {3, 4, 0}}), 0);
}

}  // namespace
}  // namespace rigor::geom
