// SPDX-License-Identifier: MIT
//
// Proves: convex parts cover their solid, and stick out of it by no more than was asked for and is said; prisms come
// out exactly and in as few parts as there can be; the same solid gives the same bits; a limit of parts is kept, and
// the error that is said then is true.
// Oracles: volumes and part counts known by hand; a solid's distance and inside written down in closed form; for meshes
// a count of crossings and distances without any tree, at sampled points.
#include "geom/convex_parts.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "geom/mass_properties.h"
#include "geom/sticking_out.h"
#include "tests/geom/concave_solids.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;
using testing_solids::ClosedMesh;

ConvexParts partsOf(const ClosedMesh& mesh, double error, int most = kMostConvexParts) {
  const TriangleSolid solid(mesh.points, mesh.triangles);
  return convexParts(solid, error, most);
}

double volumeOfAll(const ConvexParts& parts) {
  double volume = 0;
  for (const Polytope& part : parts.parts) volume += massProperties(part).mass;
  return volume;
}

bool inPolytope(const Polytope& part, const Vector3d& p, double slack) {
  for (const Polytope::Face& face : part.faces())
    if (face.normal.dot(p) > face.offset + slack) return false;
  return true;
}

/// Solid angle of all triangles over 4 pi (van Oosterom and Strackee), rounded: times that the mesh winds about p.
int winding(const ClosedMesh& mesh, const Vector3d& p) {
  double angle = 0;
  for (const auto& t : mesh.triangles) {
    const Vector3d a = mesh.points[t[0]] - p, b = mesh.points[t[1]] - p, c = mesh.points[t[2]] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    angle += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return static_cast<int>(std::lround(angle / (4 * std::numbers::pi)));
}

/// By the closest point of each triangle's plane, edges and corners.
double surfaceDistance(const ClosedMesh& mesh, const Vector3d& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& t : mesh.triangles) {
    const Vector3d corner[3] = {mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]};
    for (int k = 0; k < 3; ++k) {
      const Eigen::ParametrizedLine<double, 3> line =
          Eigen::ParametrizedLine<double, 3>::Through(corner[k], corner[(k + 1) % 3]);
      const double length = (corner[(k + 1) % 3] - corner[k]).norm();
      const double s = std::clamp(line.direction().dot(p - corner[k]), 0.0, length);
      best = std::min(best, (p - line.pointAt(s)).norm());
    }
    const Vector3d u = corner[1] - corner[0], v = corner[2] - corner[0];
    const Eigen::Hyperplane<double, 3> plane(u.cross(v).normalized(), corner[0]);
    const Vector3d w = plane.projection(p) - corner[0];
    // w = s[0] u + s[1] v by Cramer's rule.
    const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), area = uu * vv - uv * uv;
    const double s[] = {(vv * u.dot(w) - uv * v.dot(w)) / area, (uu * v.dot(w) - uv * u.dot(w)) / area};
    if (s[0] >= 0 && s[1] >= 0 && s[0] + s[1] <= 1) best = std::min(best, plane.absDistance(p));
  }
  return best;
}

/// Points of the solid are in parts; points of parts are within the stated error of the solid.
void expectCovers(const ClosedMesh& mesh, const ConvexParts& parts) {
  std::mt19937_64 random(7);
  Vector3d low = mesh.points[0], high = low;
  for (const Vector3d& p : mesh.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  std::uniform_real_distribution<double> share(0, 1);
  int inside = 0, outside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3d p = low + Vector3d(share(random), share(random), share(random)).cwiseProduct(high - low);
    const bool solid = winding(mesh, p) != 0;
    bool in_part = false;
    for (const Polytope& part : parts.parts) in_part = in_part || inPolytope(part, p, 1e-10);
    if (solid) {
      ++inside;
      EXPECT_TRUE(in_part) << p.transpose();
    } else if (in_part) {
      ++outside;
      EXPECT_LE(surfaceDistance(mesh, p), parts.error + 1e-10) << p.transpose();
    }
  }
  EXPECT_GT(inside, 100);
  // What sticks out most is on the surface of parts.
  for (const Polytope& part : parts.parts)
    for (int f = 0; f < part.numFaces(); ++f) {
      const auto loop = part.faceVertices(f);
      for (int i = 0; i < 2; ++i) {
        Vector3d p = Vector3d::Zero();
        double sum = 0;
        for (const int v : loop) {
          const double weight = -std::log(1 - share(random));
          p += weight * part.vertex(v), sum += weight;
        }
        p /= sum;
        if (winding(mesh, p) != 0) continue;
        EXPECT_LE(surfaceDistance(mesh, p), parts.error + 1e-10) << p.transpose();
      }
    }
}

void expectExact(const ClosedMesh& mesh, size_t count, double volume) {
  for (const double error : {0.02, 1e-3, 1e-6}) {
    const ConvexParts parts = partsOf(mesh, error);
    EXPECT_EQ(parts.parts.size(), count) << error;
    EXPECT_NEAR(volumeOfAll(parts), volume, 1e-14 * volume);
    EXPECT_LE(parts.error, 1e-10);
    expectCovers(mesh, parts);
  }
}

TEST(ConvexParts, PrismsAreExact) {
  expectExact(testing_solids::lPrism(), 2, 0.005);
  expectExact(testing_solids::uPrism(), 3, 0.007);
  expectExact(testing_solids::boxWithHole(), 4, 0.011);
}

TEST(ConvexParts, ConvexSolidsAreOnePart) {
  const ClosedMesh box = testing_solids::cells({{{0, 1}, {0, 2}, {0, 3}}}, [](int, int, int) { return true; });
  expectExact(box, 1, 6);
}

TEST(ConvexParts, RoundOnesKeepTheirError) {
  for (const ClosedMesh& mesh : {testing_solids::ring(), testing_solids::cup()}) {
    for (const double error : {0.02, 0.008}) {
      const ConvexParts parts = partsOf(mesh, error);
      EXPECT_LE(parts.error, error + 1e-10);
      EXPECT_GT(parts.parts.size(), 1u);
      EXPECT_LT(parts.parts.size(), 40u);
      expectCovers(mesh, parts);
    }
  }
}

TEST(ConvexParts, LimitOfPartsIsKeptAndItsErrorIsTrue) {
  const ClosedMesh mesh = testing_solids::ring();
  const ConvexParts parts = partsOf(mesh, 1e-4, 6);
  EXPECT_LE(parts.parts.size(), 6u);
  EXPECT_GT(parts.error, 1e-4);
  EXPECT_LT(parts.error, 0.15) << "that of the hull";
  expectCovers(mesh, parts);
}

TEST(ConvexParts, SameBits) {
  const ClosedMesh mesh = testing_solids::cup();
  const ConvexParts a = partsOf(mesh, 0.02), b = partsOf(mesh, 0.02);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (size_t i = 0; i < a.parts.size(); ++i) {
    ASSERT_EQ(a.parts[i].numVertices(), b.parts[i].numVertices());
    EXPECT_TRUE(a.parts[i].vertices() == b.parts[i].vertices());
  }
}

TEST(StickingOut, OfTheHullOfAnL) {
  // The notch of the L is a square of 0.2, of which the hull covers half: its middle is the farthest, 0.1 / sqrt(2)
  // from both arms only on the diagonal's middle (0.2, 0.2), 0.1 away from either.
  const ClosedMesh mesh = testing_solids::lPrism();
  const TriangleSolid solid(mesh.points, mesh.triangles);
  const Polytope hull = Polytope::fromPoints(mesh.points);
  const StickingOut out = stickingOut(hull, solid, 1e-3, std::numeric_limits<double>::infinity());
  EXPECT_LE(out.least, 0.1 + 1e-12);
  EXPECT_GE(out.most, 0.1 - 1e-12);
  EXPECT_LE(out.most, 1.25 * 0.1 + 1e-9);
  EXPECT_GE(out.least, 0.08 - 1e-9);
}

TEST(TriangleSolid, ContainsWhatItWindsAbout) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> place(-0.06, 0.11);
  const ClosedMesh mesh = testing_solids::cup();
  const TriangleSolid solid(mesh.points, mesh.triangles);
  for (int i = 0; i < 2000; ++i) {
    const Vector3d p(place(random), place(random), place(random));
    EXPECT_EQ(solid.contains(p), winding(mesh, p) != 0) << p.transpose();
    EXPECT_NEAR(solid.surface().distance(p), surfaceDistance(mesh, p), 1e-14);
  }
  for (const Vector3d& p : mesh.points) EXPECT_TRUE(solid.contains(p)) << "the surface is part of it";
}

}  // namespace
}  // namespace rigor::geom
