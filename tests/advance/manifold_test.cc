// SPDX-License-Identifier: MIT
// Proves advance/manifold.h: the contact patches of boxes and random polytopes. Oracles: patches known by hand
// (squares, their intersections, the octagon of two squares turned by 45 degrees), geom::separation for the distance,
// support functions for the separating property of every normal. Invariants: swapping A and B negates normals, rigid
// motion changes nothing, nothing is appended beyond the band and at least one point inside it.
#include "advance/manifold.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace rigor::advance {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using geom::Polytope;
using geom::Pose;
using geom::Shape;

constexpr double kGap = 1e-7;  // Nominal gap of the simulator for bodies of 1 m [m].
constexpr double kBand = 2e-7;
/// How far beyond an end of an edge that meets a steep face its crossing may lie [m].
constexpr double kRim = 1.01 * kBand;
/// Rounding of gaps of unit-sized bodies at the origin [m].
constexpr double kFewRoundings = 2e-15;

/// The turn of a cube that stands on a corner.
Eigen::Quaterniond diagonalUpright() {
  return Eigen::Quaterniond(Eigen::AngleAxisd(std::acos(1 / std::sqrt(3.0)), Vector3d(1, -1, 0).normalized()));
}

Pose turned(const Vector3d& axis, double angle, const Vector3d& p) {
  const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, axis.normalized()));
  return {{q.w(), q.x(), q.y(), q.z()}, p};
}

Pose composed(const Pose& X, const Pose& Y) {  // X Y
  const Eigen::Quaterniond a(X.q[0], X.q[1], X.q[2], X.q[3]), b(Y.q[0], Y.q[1], Y.q[2], Y.q[3]), c = a * b;
  return {{c.w(), c.x(), c.y(), c.z()}, X * Y.p};
}

struct Patch {
  double distance;
  std::vector<ContactFeature> features;
  std::vector<double> gaps;
  std::vector<Vector3d> normals, points;  // Points: the vertex of the feature, or the middle of the edges' crossing.

  int count(AxisKind kind) const {
    return static_cast<int>(
        std::count_if(features.begin(), features.end(), [&](const auto& f) { return f.kind == kind; }));
  }
};

Vector3d pointOf(const ContactFeature& f, const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  if (f.kind == AxisKind::kFixedInA) return X_WB * std::get<Polytope>(B).vertex(f.b0);
  const auto& PA = std::get<Polytope>(A);
  if (f.kind == AxisKind::kFixedInB) return X_WA * PA.vertex(f.a0);
  const auto& PB = std::get<Polytope>(B);
  const Vector3d x = X_WA * PA.vertex(f.a0), y = X_WB * PB.vertex(f.b0);
  const Vector3d a = X_WA * PA.vertex(f.a1) - x, b = X_WB * PB.vertex(f.b1) - y, n = a.cross(b);
  const double s = (y - x).cross(b).dot(n) / n.squaredNorm(), t = (y - x).cross(a).dot(n) / n.squaredNorm();
  const double rim_s = kRim / a.norm(), rim_t = kRim / b.norm();
  EXPECT_GE(s, -rim_s);
  EXPECT_LE(s, 1 + rim_s);
  EXPECT_GE(t, -rim_t);
  EXPECT_LE(t, 1 + rim_t);
  return 0.5 * (x + s * a + y + t * b);
}

Patch find(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, double band = kBand) {
  Patch patch;
  ManifoldFinder finder;
  geom::SeparationCache cache;
  patch.distance = finder.find(A, X_WA, B, X_WB, band, cache, patch.features);
  for (const ContactFeature& f : patch.features) {
    Vector3d n;
    patch.gaps.push_back(contactGap(f, A, X_WA, B, X_WB, &n));
    patch.normals.push_back(n);
    patch.points.push_back(pointOf(f, A, X_WA, B, X_WB));
  }
  return patch;
}

double separationOf(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  geom::SeparationCache cache;
  return geom::separation(std::get<Polytope>(A), X_WA, std::get<Polytope>(B), X_WB, cache).distance;
}

/// Everything that every patch must satisfy: normals of length one that separate the parts by the gap of their feature.
void expectSound(const Patch& patch, const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, double band,
                 double rounding) {
  if (patch.distance > band) {
    EXPECT_TRUE(patch.features.empty());
    return;
  }
  EXPECT_FALSE(patch.features.empty());
  for (size_t i = 0; i < patch.features.size(); ++i) {
    EXPECT_NEAR(patch.normals[i].norm(), 1, 1e-14);
    EXPECT_LE(patch.gaps[i], band + rounding) << i;
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(patch.features[i].sameVertices(patch.features[j])) << i << ' ' << j;
    if (const auto* PA = std::get_if<Polytope>(&A)) {
      double top = -INFINITY, bottom = INFINITY;
      for (int v = 0; v < PA->numVertices(); ++v) top = std::max(top, patch.normals[i].dot(X_WA * PA->vertex(v)));
      const auto& PB = std::get<Polytope>(B);
      for (int v = 0; v < PB.numVertices(); ++v) bottom = std::min(bottom, patch.normals[i].dot(X_WB * PB.vertex(v)));
      // Its direction separates them, up to the tilt that the band allows.
      EXPECT_GT(bottom - top, -2 * band) << i;
    }
  }
}

bool hasPoint(const Patch& patch, const Vector3d& point, double tolerance = 1e-6) {
  return std::any_of(patch.points.begin(), patch.points.end(),
                     [&](const Vector3d& x) { return (x - point).norm() <= tolerance; });
}

/// The patch is a set of corners, in a plane of normal z, with the given gap at every corner.
void expectLevelPatch(const Patch& patch, double gap, const std::vector<Vector3d>& corners) {
  EXPECT_NEAR(patch.distance, gap, kFewRoundings);
  EXPECT_EQ(patch.features.size(), corners.size());
  for (const Vector3d& corner : corners) EXPECT_TRUE(hasPoint(patch, corner)) << corner.transpose();
  for (size_t i = 0; i < patch.features.size(); ++i) {
    EXPECT_NEAR(patch.gaps[i], gap, kFewRoundings) << i;
    EXPECT_LT((patch.normals[i] - Vector3d::UnitZ()).norm(), 1e-14) << i;
  }
}

const Shape kCube = Polytope::box({1, 1, 1});

/// Finds the patch also after swapping A and B and after a rigid motion, and compares.
Patch findInvariantly(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, double band = kBand) {
  const Patch patch = find(A, X_WA, B, X_WB, band);
  expectSound(patch, A, X_WA, B, X_WB, band, kFewRoundings);
  const Patch swapped = find(B, X_WB, A, X_WA, band);
  EXPECT_NEAR(swapped.distance, patch.distance, kFewRoundings);
  EXPECT_EQ(swapped.features.size(), patch.features.size());
  for (const Vector3d& x : patch.points) EXPECT_TRUE(hasPoint(swapped, x)) << x.transpose();
  for (const Vector3d& n : swapped.normals)
    EXPECT_LT((n + patch.normals[0]).norm(), 1e-6)
        << n.transpose();  // The band tilts planes by its width over the size.

  const Pose X = turned({1, -2, 0.5}, 0.7, {0.3, 0.4, -0.2});
  const Patch moved = find(A, composed(X, X_WA), B, composed(X, X_WB), band);
  EXPECT_NEAR(moved.distance, patch.distance, kFewRoundings);
  EXPECT_EQ(moved.features.size(), patch.features.size());
  for (const Vector3d& x : patch.points) EXPECT_TRUE(hasPoint(moved, X * x)) << x.transpose();
  for (const Vector3d& n : moved.normals) EXPECT_LT((n - X.rotation() * patch.normals[0]).norm(), 1e-6);
  return patch;
}

TEST(Manifold, FacesAligned) {
  const Patch patch = findInvariantly(kCube, {}, kCube, {{1, 0, 0, 0}, {0, 0, 1 + kGap}});
  expectLevelPatch(patch, kGap, {{0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {-0.5, -0.5, 0.5}});
}

TEST(Manifold, FacesShifted) {
  const Patch patch = findInvariantly(kCube, {}, kCube, {{1, 0, 0, 0}, {0.3, 0.2, 1 + kGap}});
  expectLevelPatch(patch, kGap, {{0.5, 0.5, 0.5}, {-0.2, 0.5, 0.5}, {0.5, -0.3, 0.5}, {-0.2, -0.3, 0.5}});
  EXPECT_EQ(patch.count(AxisKind::kEdges), 2);
}

TEST(Manifold, SmallFaceInsideALargeOne) {
  const Shape small = Polytope::box({0.2, 0.3, 0.4});
  const Patch patch = findInvariantly(kCube, {}, small, {{1, 0, 0, 0}, {0.1, -0.1, 0.7 + kGap}});
  expectLevelPatch(patch, kGap, {{0.2, 0.05, 0.5}, {0, 0.05, 0.5}, {0.2, -0.25, 0.5}, {0, -0.25, 0.5}});
}

TEST(Manifold, FacesTurnedByAnEighthMeetInAnOctagon) {
  const Patch patch = findInvariantly(kCube, {}, kCube, turned(Vector3d::UnitZ(), M_PI / 4, {0, 0, 1 + kGap}));
  std::vector<Vector3d> corners;
  const double c = M_SQRT1_2 - 0.5;  // The turned edge x + y = sqrt(1/2) meets x = 1/2 there.
  for (const double sx : {-1, 1})
    for (const double sy : {-1, 1})
      corners.push_back({0.5 * sx, c * sy, 0.5}), corners.push_back({c * sx, 0.5 * sy, 0.5});
  expectLevelPatch(patch, kGap, corners);
  EXPECT_EQ(patch.count(AxisKind::kEdges), 8);
}

TEST(Manifold, CrossedBeamsMeetInTheirOverlap) {
  const Shape beam = Polytope::box({4, 0.2, 0.2});
  const Patch patch = findInvariantly(beam, {}, beam, turned(Vector3d::UnitZ(), M_PI / 2, {0.5, 0, 0.2 + kGap}));
  expectLevelPatch(patch, kGap, {{0.6, 0.1, 0.1}, {0.4, 0.1, 0.1}, {0.6, -0.1, 0.1}, {0.4, -0.1, 0.1}});
  EXPECT_EQ(patch.count(AxisKind::kEdges), 4);
}

// Ends of steps that are still being sought overlap: what parts them is their least penetration, whose features are
// those of the touching parts.
TEST(Manifold, OverlappingPartsHaveTheFeaturesOfTheirLeastPenetration) {
  constexpr double kDepth = 1e-5;  // Of parts of 1 m: far beyond the band, far below their size.
  const Eigen::Quaterniond q = diagonalUpright();
  const Patch corner =
      find(kCube, {}, kCube, {{q.w(), q.x(), q.y(), q.z()}, {0.1, 0.05, 0.5 + std::sqrt(0.75) - kDepth}});
  ASSERT_EQ(corner.features.size(), 1u);
  EXPECT_GE(corner.features[0].face, 0);
  EXPECT_NEAR(corner.gaps[0], -kDepth, kFewRoundings);
  EXPECT_LT((corner.normals[0] - Vector3d::UnitZ()).norm(), 1e-14);

  // Two beams with an edge up and an edge down.
  const Shape beam_x = Polytope::box({4, 0.2, 0.2}), beam_y = Polytope::box({0.2, 4, 0.2});
  const Pose below = turned(Vector3d::UnitX(), M_PI / 4, {0, 0, 0}),
             above = turned(Vector3d::UnitY(), M_PI / 4, {0.3, 0.4, 0.2 * M_SQRT2 - kDepth});
  const Patch edges = find(beam_x, below, beam_y, above);
  ASSERT_EQ(edges.features.size(), 1u);
  EXPECT_EQ(edges.count(AxisKind::kEdges), 1);
  EXPECT_NEAR(edges.gaps[0], -kDepth, kFewRoundings);
  EXPECT_LT((edges.normals[0] - Vector3d::UnitZ()).norm(), 1e-14);
}

TEST(Manifold, EdgeOnFace) {
  // An edge along y, half of it over the face.
  const Patch patch =
      findInvariantly(kCube, {}, kCube, turned(Vector3d::UnitY(), M_PI / 4, {0.1, 0.6, 0.5 + M_SQRT1_2 + kGap}));
  expectLevelPatch(patch, kGap, {{0.1, 0.1, 0.5}, {0.1, 0.5, 0.5}});
  EXPECT_EQ(patch.count(AxisKind::kEdges), 1);
}

TEST(Manifold, AnEdgeThatEndsBeyondTheRimInAFlatterFace) {
  // The lower edge of B all but lies on A and ends .4 m beyond it, in B's lowest vertex, where a face begins that is
  // flatter than the two of the edge. What touches is the edge, where it crosses the rim, and its other end: not that
  // vertex.
  const double rise = 1e-9;
  const Shape B = Polytope::fromPoints(std::vector<Vector3d>{
      {0, 0, 0}, {1, 0, rise}, {1, 1, 1}, {1, -1, 1}, {-0.5, 0.05, 0.1}, {-0.5, -0.05, 0.1}});
  const Pose X_WB{{1, 0, 0, 0}, {-0.9, 0, 0.5 + kGap}};
  const Patch patch = findInvariantly(kCube, {}, B, X_WB);
  ASSERT_EQ(patch.features.size(), 2u);
  EXPECT_EQ(patch.features[0].kind, AxisKind::kEdges);
  EXPECT_TRUE(hasPoint(patch, {-0.5, 0, 0.5}));
  EXPECT_TRUE(hasPoint(patch, {0.1, 0, 0.5}));
}

TEST(Manifold, AnEdgeInAFacesPlaneCrossesThoseOfItsRimThatItPasses) {
  // An edge that lies in a face's plane has one normal with all edges of the face: lines that meet outside of their
  // edges are no contact (find() looks at each crossing). It begins over the face and ends anywhere, in a flatter face.
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> inside(-0.4, 0.4), anywhere(-1.5, 1.5), up(0.5, 1), angle(-M_PI, M_PI);
  const auto point = [&](auto& range, double z) { return Vector3d(range(generator), range(generator), z); };
  for (int k = 0; k < 500; ++k) {
    const Vector3d first = point(inside, 0), last = point(anywhere, 0), along = last - first;
    const Vector3d across = 0.1 * Vector3d(-along.y(), along.x(), 0),
                   beyond = last + 0.5 * along + Vector3d(0, 0, 0.01);
    std::vector<Vector3d> points{first, last, beyond + across, beyond - across};
    for (int i = 0; i < 4; ++i) points.push_back(point(anywhere, up(generator)));
    const Pose X = turned(point(anywhere, 0.1), angle(generator), {anywhere(generator), 0, 0});
    const Pose X_B = composed(X, {{1, 0, 0, 0}, {0, 0, 0.5 + kGap}});
    const Shape B = Polytope::fromPoints(points);
    for (const Patch& patch : {find(kCube, X, B, X_B), find(B, X_B, kCube, X)}) {
      EXPECT_GE(patch.features.size(), 1u);
      for (const double gap : patch.gaps) EXPECT_NEAR(gap, kGap, 0.01 * kGap);
    }
  }
}

TEST(Manifold, ALongEdgeOverACornerOfAFaceHasBothItsCrossings) {
  // It ends far beyond the face, where it is lower than over it: the face's plane keeps the parts off by far less than
  // their distance. If one crossing were found at a time, the edge would rock from one to the other.
  const Shape B = Polytope::fromPoints(std::vector<Vector3d>{
      {-5, 0, 0}, {5, 0, kGap}, {-5, 1, 1}, {-5, -1, 1}, {5, 1, 1}, {5, -1, 1}});
  const Pose X_WB = turned(Vector3d::UnitZ(), -M_PI / 4, {0.4, 0.4, 0.5 + 0.5 * kGap});
  const Patch patch = findInvariantly(kCube, {}, B, X_WB);
  EXPECT_EQ(patch.features.size(), 2u);
  EXPECT_EQ(patch.count(AxisKind::kEdges), 2);
  EXPECT_TRUE(hasPoint(patch, {0.5, 0.3, 0.5}));
  EXPECT_TRUE(hasPoint(patch, {0.3, 0.5, 0.5}));
  for (const double gap : patch.gaps) EXPECT_NEAR(gap, kGap, 0.1 * kGap);
}

TEST(Manifold, AnEdgeThatEndsBeyondACornerInAFlatterFace) {
  // The same edge across a corner of A, which it misses by a tenth of the gap: the corner touches it, and nothing else.
  const Shape B = Polytope::fromPoints(std::vector<Vector3d>{
      {0, 0, 0}, {1, 0, 1e-9}, {1, 1, 1}, {1, -1, 1}, {-0.5, 0.05, 0.1}, {-0.5, -0.05, 0.1}});
  const Vector3d along(M_SQRT1_2, -M_SQRT1_2, 0), across(-M_SQRT1_2, -M_SQRT1_2, 0), corner(-0.5, -0.5, 0.5);
  const Pose X_WB =
      turned(Vector3d::UnitZ(), -M_PI / 4, corner - 0.4 * along + 0.1 * kGap * across + kGap * Vector3d::UnitZ());
  ManifoldFinder finder;
  geom::SeparationCache cache;
  std::vector<ContactFeature> features;
  EXPECT_NEAR(finder.find(kCube, {}, B, X_WB, kBand, cache, features), kGap, 0.01 * kGap);
  ASSERT_FALSE(features.empty());
  for (const ContactFeature& f : features) {
    EXPECT_NEAR(contactGap(f, kCube, {}, B, X_WB), kGap, 0.01 * kGap);
    const auto fromCorner = [&](const Pose& X, const Shape& part, int v) {
      return v < 0 ? HUGE_VAL : (X * std::get<Polytope>(part).vertex(v) - corner).norm();
    };
    const bool of_a = f.kind == AxisKind::kEdges || f.kind == AxisKind::kFixedInB;
    const double off = of_a ? std::min(fromCorner({}, kCube, f.a0), fromCorner({}, kCube, f.a1))
                            : fromCorner(X_WB, B, f.b0);
    EXPECT_LE(off, 2 * kBand) << "kind " << static_cast<int>(f.kind);
  }
}

TEST(Manifold, VertexOnFace) {
  const Eigen::Quaterniond q = diagonalUpright();
  const Pose X_WB{{q.w(), q.x(), q.y(), q.z()}, {0.1, 0.2, 0.5 + 0.5 * std::sqrt(3.0) + kGap}};
  const Patch patch = findInvariantly(kCube, {}, kCube, X_WB);
  expectLevelPatch(patch, kGap, {{0.1, 0.2, 0.5}});
}

TEST(Manifold, EdgesCrossing) {
  // Upper edge of A along y, lower edge of B along x, crossing in the middle.
  const Pose X_WA = turned(Vector3d::UnitY(), M_PI / 4, {0, 0, -M_SQRT1_2});
  const Pose X_WB = turned(Vector3d::UnitX(), M_PI / 4, {0.1, 0.2, M_SQRT1_2 + kGap});
  const Patch patch = findInvariantly(kCube, X_WA, kCube, X_WB);
  expectLevelPatch(patch, kGap, {{0, 0.2, 0}});
  EXPECT_EQ(patch.features[0].kind, AxisKind::kEdges);
}

TEST(Manifold, VertexOnVertex) {
  const Eigen::Quaterniond q = diagonalUpright();
  const double r = 0.5 * std::sqrt(3.0);
  const Pose X_WA{{q.w(), q.x(), q.y(), q.z()}, {0, 0, -r}}, X_WB{{q.w(), q.x(), q.y(), q.z()}, {0, 0, r + kGap}};
  const Patch patch = find(kCube, X_WA, kCube, X_WB);
  expectSound(patch, kCube, X_WA, kCube, X_WB, kBand, kFewRoundings);
  ASSERT_EQ(patch.features.size(), 1u);
  EXPECT_NEAR(patch.gaps[0], kGap, kFewRoundings);
  // The closest points are 1e-7 m apart and known to 1e-16 m: so is their direction to 1e-9.
  EXPECT_LT((patch.normals[0] - Vector3d::UnitZ()).norm(), 1e-6);
}

/// A wedge of 60 degrees with its edge along y through the origin, below or above it: `up` is -1 or 1.
Shape wedge(double up) {
  const double h = up * 0.5 * std::sqrt(3.0);
  return Polytope::fromPoints(std::vector<Vector3d>{
      {0, -0.5, 0}, {0, 0.5, 0}, {0.5, -0.5, h}, {0.5, 0.5, h}, {-0.5, -0.5, h}, {-0.5, 0.5, h}});
}

TEST(Manifold, ParallelEdges) {
  // Two wedges of 60 degrees with their edges along y over each other, shifted: they overlap from y = 0 to 0.5. The
  // planes of their faces separate by half the distance only.
  const Shape A = wedge(-1), B = wedge(1);
  const Pose X_WB{{1, 0, 0, 0}, {0, 0.5, kGap}};
  const Patch patch = find(A, {}, B, X_WB);
  expectSound(patch, A, {}, B, X_WB, kBand, kFewRoundings);
  ASSERT_EQ(patch.features.size(), 2u);
  EXPECT_TRUE(hasPoint(patch, {0, 0, 0}));
  EXPECT_TRUE(hasPoint(patch, {0, 0.5, 0}));
  for (const double gap : patch.gaps) EXPECT_NEAR(gap, kGap, kFewRoundings);
  for (const Vector3d& n : patch.normals) EXPECT_LT((n - Vector3d::UnitZ()).norm(), 1e-6);
}

TEST(Manifold, LongEdgesOfASmallAngleCross) {
  // Two blades whose edges cross in their middles. Where their ends are beside each other by more than vertices are
  // looked for, none of them is over the other edge: the crossing is what touches.
  const Shape A = wedge(-1), B = wedge(1);
  const double beside = 2 * kBand / 0.5;  // The angle from which on no end lies over the other edge.
  for (const double angle : {1.01 * beside, 0.4 * beside}) {
    const Pose X_WB = turned(Vector3d::UnitZ(), angle, {0, 0, kGap});
    const Patch patch = find(A, {}, B, X_WB);
    ASSERT_FALSE(patch.features.empty());
    EXPECT_EQ(patch.features[0].kind == AxisKind::kEdges, angle > beside);
    if (angle > beside) {
      EXPECT_NEAR(patch.gaps[0], kGap, 1e-12);
    }
  }
}

TEST(Manifold, LookingAheadFindsNoVerticesBesideAnEdge) {
  // A corner over the middle of an edge: the edge's ends are near the edges that go up from the corner, but under none.
  const double h = 0.5 * std::sqrt(3.0), gap = 0.02;
  const Shape A = wedge(-1);
  const Eigen::Quaterniond q = diagonalUpright();
  ManifoldFinder finder;
  for (const double y : {-0.3, 0.0, 0.3}) {
    const Pose X_WB{{q.w(), q.x(), q.y(), q.z()}, {0, y, h + gap}};
    geom::SeparationCache cache;
    std::vector<ContactFeature> features;
    EXPECT_NEAR(finder.find(A, {}, kCube, X_WB, 0.3, cache, features, kBand), gap, kFewRoundings);
    ASSERT_EQ(features.size(), 1u) << y;
    EXPECT_EQ(features[0].kind, AxisKind::kFixedInA);
    EXPECT_NEAR(contactGap(features[0], A, {}, kCube, X_WB), gap, kFewRoundings);
  }
}

TEST(Manifold, AtASeamThePointIsNearThePart) {
  // Two boxes with one level top, and above one of them a wedge that rises towards the seam and ends before it. Of the
  // other box it is near to the seam, where the solid points upwards: not with its lowest vertex, .8 m beside it.
  const auto boxFrom = [](double x) {
    std::vector<Vector3d> corners;
    for (const double dx : {0.0, 1.0})
      for (const double y : {-0.5, 0.5})
        for (const double z : {-1.0, 0.0}) corners.emplace_back(x + dx, y, z);
    return Polytope::fromPoints(corners);
  };
  const Shape left = boxFrom(-1), right = boxFrom(0);
  const std::vector<const Polytope*> parts{&std::get<Polytope>(left), &std::get<Polytope>(right)};
  const geom::Skin skin(parts);
  const Vector3d end(-0.005, 0, 0.02);
  const Shape wedge =
      Polytope::fromPoints(std::vector<Vector3d>{{-0.8, 0.3, 0.01}, end, {-0.4, 0.3, 0.5}, {-0.4, -0.3, 0.5}});
  ManifoldFinder finder;
  geom::SeparationCache cache;
  std::vector<ContactFeature> features;
  const Pose here;
  EXPECT_NEAR(finder.find({right, here, {&skin, 1}}, {wedge, here}, 0.03, cache, features, kBand), end.norm(),
              kFewRoundings);
  ASSERT_EQ(features.size(), 1u);
  EXPECT_EQ(features[0].kind, AxisKind::kFixedInA);
  EXPECT_NEAR((features[0].axis - Vector3d::UnitZ()).norm(), 0, kFewRoundings);
  EXPECT_EQ(std::get<Polytope>(wedge).vertex(features[0].b0), end);
}

// The core of a capsule crosses an edge beside its end, by less and more than the rims of features: it is over the
// edge, over the corner, or a rounding between the two, and always as near as the solids are.
TEST(Manifold, CapsulesOverCornersTouchWhereTheyAreNearest) {
  constexpr double kRadius = 0.03, kNear = 9e-9, kGap = 4.5e-9;
  geom::Round solid;
  solid.core = Eigen::Matrix3Xd(3, 2);
  solid.core << 0, 0, 0, 0, -0.05, 0.05;
  solid.radius = kRadius;
  const std::vector<Vector3d> inside{{0.02, 0, -0.05}, {-0.01, 0.015, -0.05}, {-0.01, -0.015, -0.05}, {0, 0, 0.05}};
  const Shape capsule = Polytope::inscribed(inside, solid), box = Polytope::box({0.15, 0.15, 0.1});
  // Level, across the two edges of the upper face that meet in the corner c; and leaning outwards over the side.
  const Vector3d c(0.075, 0.075, 0.05);
  int found = 0;
  for (const Vector3d& along :
       {Vector3d(1, -1, 0), Vector3d(1, -0.6, 0), Vector3d(0.8, -1, 0.3), Vector3d(1, -1.4, -0.2)})
    for (const double lean : {0.0, 0.3, 0.7, 1.2})
      for (int k = -30; k <= 30; ++k) {
        const Vector3d z = along.normalized(), out = Vector3d(1, 1, 0).normalized(),
                       n = (std::cos(lean) * Vector3d::UnitZ() + std::sin(lean) * out).normalized(),
                       up = (n - n.dot(z) * z).normalized(), x = c - 1e-9 * k * Vector3d::UnitX();
        const Eigen::Quaterniond q = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), z);
        const Pose X{{q.w(), q.x(), q.y(), q.z()}, x + (kRadius + kGap) * up + 0.01 * z};
        ManifoldFinder finder;
        geom::SeparationCache cache;
        std::vector<ContactFeature> features;
        const double distance = finder.find(box, Pose{}, capsule, X, kNear, cache, features);
        if (distance > kNear) continue;  // Moved away by the tilt.
        found += !features.empty();
        ASSERT_FALSE(features.empty()) << k << ' ' << lean;
        for (const ContactFeature& feature : features)
          EXPECT_LE(contactGap(feature, box, Pose{}, capsule, X), 2 * kNear)
              << along.transpose() << ' ' << lean << ' ' << k;
      }
  EXPECT_GT(found, 500);
}

TEST(Manifold, HalfSpaceSeesAllVerticesWithinTheBand) {
  const Shape ground = geom::HalfSpace{{0, 0, 2}, 1};  // z <= 1/2; the normal need not be unit.
  for (const double tilt : {0.0, 5e-8, 0.1}) {
    const Pose X_WB = turned(Vector3d::UnitY(), tilt, {0.3, 0, 0});
    Pose lifted = X_WB;
    double lowest = INFINITY;
    for (int v = 0; v < 8; ++v) lowest = std::min(lowest, (X_WB * std::get<Polytope>(kCube).vertex(v)).z());
    lifted.p.z() = 0.5 - lowest + kGap;
    const Patch patch = find(ground, {}, kCube, lifted);
    EXPECT_NEAR(patch.distance, kGap, kFewRoundings);
    EXPECT_EQ(patch.features.size(), tilt < 1e-3 ? 4u : 2u) << tilt;
    for (size_t i = 0; i < patch.features.size(); ++i) {
      EXPECT_NEAR(patch.gaps[i], patch.points[i].z() - 0.5, kFewRoundings);
      EXPECT_EQ(patch.normals[i], Vector3d::UnitZ());
    }
    lifted.p.z() += kBand;
    EXPECT_TRUE(find(ground, {}, kCube, lifted).features.empty());
    // Overlap: minus the depth, and its vertices.
    lifted.p.z() = 0.5 - lowest - 0.1;
    const Patch deep = find(ground, {}, kCube, lifted);
    EXPECT_NEAR(deep.distance, -0.1, kFewRoundings);
    EXPECT_GE(deep.features.size(), 2u);
  }
}

TEST(Manifold, NothingBeyondTheBandAndSomethingWithin) {
  for (const double share : {0.0, 0.5, 0.999, 1.001, 1.5, 10.0, 1e6}) {
    for (const double angle : {0.0, M_PI / 4, 0.3}) {
      const Patch patch = find(kCube, {}, kCube, turned(Vector3d::UnitZ(), angle, {0.1, 0, 1 + share * kBand}));
      EXPECT_EQ(patch.features.empty(), share > 1) << share << ' ' << angle;
    }
  }
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vector3d direction() {
    std::normal_distribution<double> normal;
    Vector3d d;
    for (double& x : d) x = normal(engine_);
    return d.normalized();
  }
  Pose pose() { return turned(direction(), number(0, 3), 0.2 * direction()); }
  Shape shape() {
    if (number(0, 1) < 0.5) return Polytope::box({number(0.3, 1), number(0.3, 1), number(0.3, 1)});
    std::vector<Vector3d> points(4 + static_cast<int>(number(0, 20)));
    for (Vector3d& p : points) p = number(0.3, 0.6) * direction();
    return Polytope::fromPoints(points);
  }

 private:
  std::mt19937_64 engine_;
};

/// Moves B along `d` until it is `gap` from A, by Newton's method on the distance (convex along the line).
bool approach(const Shape& A, const Pose& X_WA, const Shape& B, Pose& X_WB, const Vector3d& d, double gap) {
  X_WB.p = X_WA.p + 4 * d;
  for (int i = 0; i < 60; ++i) {
    geom::SeparationCache cache;
    const auto s = geom::separation(std::get<Polytope>(A), X_WA, std::get<Polytope>(B), X_WB, cache);
    if (std::abs(s.distance - gap) < 0.01 * gap) return true;
    const double slope = -s.normal.dot(d);  // The normal points from B to A.
    if (!(s.distance > 0 && slope > 1e-3)) return false;
    X_WB.p -= d * (s.distance - gap) / slope;
  }
  return false;
}

TEST(Manifold, RandomPairsWithinTheBand) {
  Random random(11);
  int tested = 0;
  for (int i = 0; i < 2000; ++i) {
    const Shape A = random.shape(), B = random.shape();
    const Pose X_WA = random.pose();
    Pose X_WB = random.pose();
    if (!approach(A, X_WA, B, X_WB, random.direction(), kGap)) continue;
    ++tested;
    SCOPED_TRACE(i);
    const Patch patch = find(A, X_WA, B, X_WB);
    expectSound(patch, A, X_WA, B, X_WB, kBand, 1e-14);
    EXPECT_NEAR(patch.distance, separationOf(A, X_WA, B, X_WB), 1e-14);
    // In general position there is one point, and its gap is the distance; a further one is a nearly parallel edge or
    // face.
    ASSERT_FALSE(patch.features.empty());
    const double least = *std::min_element(patch.gaps.begin(), patch.gaps.end());
    EXPECT_NEAR(least, patch.distance, 1e-3 * kGap);
    const Patch swapped = find(B, X_WB, A, X_WA);
    EXPECT_EQ(swapped.features.size(), patch.features.size());
    ASSERT_FALSE(swapped.features.empty());
    if (patch.features.size() == 1) {
      EXPECT_LT((swapped.normals[0] + patch.normals[0]).norm(), 1e-6);
    }
    // Beyond the band nothing.
    EXPECT_TRUE(find(A, X_WA, B, X_WB, 0.9 * patch.distance).features.empty());
  }
  EXPECT_GT(tested, 1000);
}

TEST(Manifold, RandomFacesOnFaces) {
  // A face of B laid on a face of A, turned and shifted at random: the patch is level.
  Random random(12);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    const Vector3d a(random.number(0.3, 1), random.number(0.3, 1), random.number(0.3, 1));
    const Vector3d b(random.number(0.3, 1), random.number(0.3, 1), random.number(0.3, 1));
    const Shape A = Polytope::box(a), B = Polytope::box(b);
    const Pose X_WB = turned(Vector3d::UnitZ(), random.number(0, 3),
                             {random.number(-0.2, 0.2), random.number(-0.2, 0.2), (a.z() + b.z()) / 2 + kGap});
    const Patch patch = findInvariantly(A, {}, B, X_WB);
    EXPECT_GE(patch.features.size(), 3u);
    EXPECT_LE(patch.features.size(), 8u);
    for (const double gap : patch.gaps) EXPECT_NEAR(gap, kGap, kFewRoundings);
    // Every corner lies in both rectangles.
    for (const Vector3d& x : patch.points) {
      const Vector3d y = X_WB.rotation().transpose() * (x - X_WB.p);
      for (int axis = 0; axis < 2; ++axis) {
        EXPECT_LE(std::abs(x[axis]), a[axis] / 2 + 1e-6);
        EXPECT_LE(std::abs(y[axis]), b[axis] / 2 + 1e-6);
      }
    }
  }
}

TEST(Manifold, FacesWhoseCornersNearlyCoincideKeepWhatIsNearest) {
  // A cube on its equal, shifted by up to three bands and tilted by up to 1e-3: which vertex, or which crossing of
  // edges, is the nearest changes within a band. One of the points has to be as near as the cubes are.
  Random random(13);
  int tested = 0;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    const double tilt = std::pow(10.0, random.number(-8, -3)), shift = 3 * kBand;
    const Vector3d axis(random.number(-1, 1), random.number(-1, 1), random.number(-1, 1) * 1e-3);
    Pose X_WB = turned(axis, tilt, {random.number(-shift, shift), random.number(-shift, shift), 1.1});
    X_WB.p.z() -= separationOf(kCube, {}, kCube, X_WB) - random.number(0.5, 0.9) * kBand;
    const Patch patch = find(kCube, {}, kCube, X_WB);
    if (patch.distance > kBand) continue;
    ++tested;
    ASSERT_FALSE(patch.gaps.empty());
    EXPECT_LE(*std::min_element(patch.gaps.begin(), patch.gaps.end()), std::max(1.06 * patch.distance, 1e-12));
  }
  EXPECT_GT(tested, 10000);
}

TEST(Manifold, EdgesOfLeaningBoxesThatNearlyCoincideKeepWhatIsNearest) {
  // As two cards that lean on each other: an edge of one along an edge of the other, faces at any angle.
  Random random(17);
  int tested = 0, missed = 0;  // Where two corners coincide, hardly ever.
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    const double lean = random.number(0.2, 1.3), tilt = std::pow(10.0, random.number(-8, -4)), shift = 3 * kBand;
    const Vector3d axis(random.number(-1, 1), random.number(-1, 1), random.number(-1, 1));
    Pose X_WB = composed(turned(axis, tilt, {0, 0, 0}), turned({0, 1, 0}, lean, {0, 0, 0}));
    // Its lowest edge beside the upper edge of the cube at x = z = 0.5.
    X_WB.p = Vector3d(0.5, 0, 0.5) - X_WB.rotation() * Vector3d(-0.5, 0, -0.5);
    X_WB.p += Vector3d(random.number(0, shift), random.number(-shift, shift), random.number(-shift, shift));
    const Vector3d out(1, 0, random.number(-0.5, 0.5));
    const double wanted = random.number(0.3, 0.9) * kBand;
    bool near = false;
    for (int k = 0; k < 20 && !near; ++k) {
      const double off = separationOf(kCube, {}, kCube, X_WB) - wanted;
      near = std::abs(off) < 0.1 * wanted;
      X_WB.p -= off * out;
    }
    ManifoldFinder finder;
    geom::SeparationCache cache;
    std::vector<ContactFeature> features;
    const double distance = finder.find(kCube, {}, kCube, X_WB, kBand, cache, features);
    if (distance > kBand || !(distance > 0)) continue;
    ++tested;
    double least = INFINITY;
    for (const ContactFeature& f : features) least = std::min(least, contactGap(f, kCube, {}, kCube, X_WB));
    missed += !(least <= std::max(1.06 * distance, 1e-12));
  }
  EXPECT_GT(tested, 10000);
  EXPECT_LE(missed, 1);  // It was 353.
}

TEST(Manifold, AFaceThatLiesOnAnEdgeAtItsCornerTouchesAlongItsOwnNormalAlone) {
  // A plate on the upper edge of the cube at x = z = 0.5, with a corner of its face there, up to bands beside it: the
  // cube's steep side has that corner over its rim too, and the plate reaches far past that side's plane.
  Random random(18);
  const Shape plate = Polytope::box({0.4, 0.3, 0.02});
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const double lean = random.number(0.3, 1.2), spin = random.number(0.4, 1.1);
    Pose X_WB = composed(turned({0, 1, 0}, lean, {0, 0, 0}), turned({0, 0, 1}, spin, {0, 0, 0}));
    const Vector3d corner(-0.2, -0.15, -0.01);
    X_WB.p = Vector3d(0.5, random.number(-0.1, 0.1), 0.5) - X_WB.rotation() * corner;
    X_WB.p += random.number(0.01, 0.9) * kBand * X_WB.rotation().col(2);
    X_WB.p += random.number(-2, 2) * kBand * (X_WB.rotation().col(2).cross(Vector3d::UnitY()));
    for (const bool swapped : {false, true}) {
      const Patch patch = swapped ? find(plate, X_WB, kCube, {}) : find(kCube, {}, plate, X_WB);
      ASSERT_LE(patch.distance, kBand);
      if (swapped) expectSound(patch, plate, X_WB, kCube, {}, kBand, kFewRoundings);
      else expectSound(patch, kCube, {}, plate, X_WB, kBand, kFewRoundings);
    }
  }
}

}  // namespace
}  // namespace rigor::advance
