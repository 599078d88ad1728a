// SPDX-License-Identifier: MIT
// Proves: how far a point is from a face or an edge is the distance from their nearest point; impulses on the crossing
// of two lines, one of them a capsule's core, act on the edge itself, where those on the crossing of two edges do, as
// docs/record-format.md says. Oracles: points spread over the face or the edge, and the feature of two edges.
#include "advance/feature_region.h"

#include <gtest/gtest.h>

#include <random>

#include "advance/feature_point.h"

namespace rigor::advance {
namespace {

using Eigen::Vector3d;
using geom::Polytope;

constexpr int kSpread = 64;  // Points along an edge, less one.

TEST(FeatureRegion, DistancesAreThoseFromTheNearestPoint) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vector3d(uniform(random), uniform(random), uniform(random)); };
  int beside = 0;
  for (int k = 0; k < 300; ++k) {
    const Vector3d size = Vector3d(0.1, 0.1, 0.1) + vector().cwiseAbs(), x = vector();
    const Polytope box = Polytope::box(size);
    const int f = k % box.numFaces();
    const auto loop = box.faceVertices(f);
    const Vector3d corner = box.vertex(loop[0]), u = box.vertex(loop[1]) - corner, v = box.vertex(loop[3]) - corner;
    double on_face = HUGE_VAL, on_edge = HUGE_VAL;
    for (int i = 0; i <= kSpread; ++i) {
      on_edge = std::min(on_edge, (corner + u * i / kSpread - x).norm());
      for (int j = 0; j <= kSpread; ++j)
        on_face = std::min(on_face, (corner + u * i / kSpread + v * j / kSpread - x).norm());
    }
    const double step = size.norm() / kSpread, face = distanceFromFace(box, f, x),
                 edge = distanceFromEdge(corner, corner + u, x);
    EXPECT_LE(face, on_face + 1e-12);
    EXPECT_GE(face, on_face - step);
    EXPECT_LE(edge, on_edge + 1e-12);
    EXPECT_GE(edge, on_edge - step);
    beside += face > std::abs(box.face(f).normal.dot(x) - box.face(f).offset) + 0.01;
  }
  EXPECT_GT(beside, 100) << "most points are not over their face";
}

TEST(FeaturePoint, WhatCrossesACoreActsOnTheEdgeItself) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vector3d(uniform(random), uniform(random), uniform(random)); };
  int beyond = 0;
  for (int k = 0; k < 300; ++k) {
    const Vector3d ends[2][2] = {{vector(), vector()}, {vector(), vector()}};
    SeparatingAxis crossing;
    crossing.a1 = crossing.b1 = 1;
    const auto place = [&](AxisKind kind) {
      crossing.kind = kind;
      const auto vertex = [&](int side, int v) { return ends[side][v]; };
      const auto reach = [](int, int, const Vector3d&) { return Vector3d(Vector3d::Zero()); };
      const Eigen::Matrix3d still = Eigen::Matrix3d::Identity();
      return placeFeature(crossing, still, still, vertex, reach).point;
    };
    const Vector3d point = place(AxisKind::kNearest), edge = ends[0][1] - ends[0][0];
    EXPECT_EQ(point, place(AxisKind::kEdges));
    EXPECT_LE(distanceFromEdge(ends[0][0], ends[0][1], point), 1e-12);
    beyond += nearestPoints(ends[0][0], edge, ends[1][0], ends[1][1] - ends[1][0]).x != point;
  }
  EXPECT_GT(beyond, 100) << "most lines cross beyond an end";
}

}  // namespace
}  // namespace rigor::advance
