// SPDX-License-Identifier: MIT
//
// Proves: Polytope::fromPoints keeps its guarantee for every kind of set, size and place: a closed convex lattice, on
// input points bit for bit and in input order, that leaves out no point by more than rounding; box() is exact; what no
// solid has is refused with the reason.
// Oracle: orientation determinants in GMP rationals for the exact hull; constructed sets with known lattices; Euler.
#include "geom/polytope.h"

#include <gmock/gmock.h>
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "geom/hull.h"
#include "tests/geom/random_solids.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;
using testing::HasSubstr;
using testing_solids::placed;
using testing_solids::Source;

/// The planes may miss points by rounding alone: 16 ulps of the size, and of the distance from the local origin.
constexpr double kPlaneRounding = 0x1p-48;

std::vector<Vector3d> pointsOf(const Polytope& P) {
  std::vector<Vector3d> result;
  for (int v = 0; v < P.numVertices(); ++v) result.push_back(P.vertex(v));
  return result;
}

/// Area of a loop seen along n, in rationals: slivers have areas below the rounding of doubles.
mpq_class exactArea(const Polytope& P, std::span<const int> loop, const Vector3d& n) {
  const auto at = [&](int v, int k) { return mpq_class(mpq_class(P.vertex(v)[k]) - mpq_class(P.vertex(loop[0])[k])); };
  mpq_class area = 0;
  for (size_t i = 1; i + 1 < loop.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const int p = (k + 1) % 3, q = (k + 2) % 3;
      area += n[k] * (at(loop[i], p) * at(loop[i + 1], q) - at(loop[i], q) * at(loop[i + 1], p));
    }
  }
  return area;
}

void expectLattice(const Polytope& P) {
  EXPECT_EQ(P.numVertices() - P.numEdges() + P.numFaces(), 2);
  std::vector<int> uses(P.numEdges(), 0);
  for (int f = 0; f < P.numFaces(); ++f) {
    const auto loop = P.faceVertices(f), edges = P.faceEdges(f);
    ASSERT_GE(loop.size(), 3u);
    EXPECT_NEAR(P.face(f).normal.norm(), 1, 1e-15);
    for (size_t i = 0; i < loop.size(); ++i) {
      const int tail = loop[i], head = loop[(i + 1) % loop.size()];
      const auto& e = P.edge(edges[i]);
      if (e.left == f) {
        EXPECT_EQ(std::pair(e.tail, e.head), std::pair(tail, head));
      } else {
        EXPECT_EQ(e.right, f);
        EXPECT_EQ(std::pair(e.head, e.tail), std::pair(tail, head));
      }
      ++uses[edges[i]];
      for (int v : loop)
        EXPECT_GE(P.faceInward(f, int(i)).dot(P.vertex(v) - P.vertex(tail)), -kPlaneRounding * P.size());
    }
    EXPECT_GT(exactArea(P, loop, P.face(f).normal), 0) << "the loop runs clockwise";
    for (int v = 0; v < P.numVertices(); ++v)
      EXPECT_LE(P.face(f).normal.dot(P.vertex(v)), P.face(f).offset + P.epsilon());
    EXPECT_LT(P.face(f).normal.dot(P.centre()), P.face(f).offset);
  }
  for (int n : uses) EXPECT_EQ(n, 2);
  int star = 0;
  for (int v = 0; v < P.numVertices(); ++v) {
    const auto neighbours = P.neighbours(v), edges = P.vertexEdges(v);
    ASSERT_EQ(neighbours.size(), edges.size());
    EXPECT_GE(neighbours.size(), 3u);
    for (size_t i = 0; i < edges.size(); ++i) {
      const auto& e = P.edge(edges[i]);
      EXPECT_TRUE((e.tail == v && e.head == neighbours[i]) || (e.head == v && e.tail == neighbours[i]));
      ++star;
    }
  }
  EXPECT_EQ(star, 2 * P.numEdges());
}

/// No point outside, vertices are points in input order.
void expectHullOf(const Polytope& P, const std::vector<Vector3d>& points) {
  for (int f = 0; f < P.numFaces(); ++f) {
    const Vector3d o = P.vertex(P.faceVertices(f)[0]);
    for (const Vector3d& p : points) EXPECT_LE(P.face(f).normal.dot(p - o), kPlaneRounding * P.size());
  }
  auto from = points.begin();
  for (const Vector3d& v : pointsOf(P)) {
    from = std::find(from, points.end(), v);
    ASSERT_NE(from, points.end()) << "a vertex is not an input point, or out of order";
    ++from;
  }
}

TEST(Polytope, HullsOfEveryKindSizeAndPlace) {
  Source source(1);
  for (int trial = 0; trial < 400; ++trial) {
    const int kind = trial % testing_solids::kKinds;
    Pose X = source.pose();
    const double scale = std::pow(10, source.below(13) - 6);
    X.p *= scale * (trial % 3 == 0 ? 1e3 : 1);
    if (trial % 5 == 0) X = Pose{};
    const auto points = placed(testing_solids::points(kind, source), X, scale);
    SCOPED_TRACE(std::string(testing_solids::kKindNames[kind]) + ", trial " + std::to_string(trial));
    const Polytope P = Polytope::fromPoints(points);
    expectLattice(P);
    expectHullOf(P, points);
    EXPECT_EQ(P.centred() != nullptr, P.radius() > 4 * P.size());
  }
}

TEST(Polytope, DropsDuplicatesInteriorInFaceAndInEdgePoints) {
  // Rotated too: then "in the face" holds up to rounding only.
  Source source(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Pose X = trial == 0 ? Pose{} : source.pose();
    std::vector<Vector3d> corners, points;
    for (int i = 0; i < 8; ++i) corners.emplace_back(i & 1, i >> 1 & 1, i >> 2);
    const std::vector<Vector3d> others{{.5, .5, 0},  {.25, .5, 1}, {0, .5, 0}, {1, 1, .25},
                                       {.3, .4, .5}, {0, 0, 0},    {1, 0, 1},  {0, .1, .9}};
    for (int i = 0; i < 8; ++i) {
      points.push_back(others[i]);
      points.push_back(corners[i]);
    }
    points = placed(points, X, 1);
    const Polytope P = Polytope::fromPoints(points);
    EXPECT_EQ(P.numVertices(), 8);
    EXPECT_EQ(P.numEdges(), 12);
    EXPECT_EQ(P.numFaces(), 6);
    expectLattice(P);
    expectHullOf(P, points);
  }
}

TEST(Polytope, MergesThePolygonsOfAPrism) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 1000; ++i) {
    const double angle = 2 * M_PI * i / 1000;
    for (double z : {0.0, 2.0}) points.emplace_back(std::cos(angle), std::sin(angle), z);
  }
  const Polytope P = Polytope::fromPoints(points);
  EXPECT_EQ(P.numVertices(), 2000);
  EXPECT_EQ(P.numFaces(), 1002);
  EXPECT_EQ(P.numEdges(), 3000);
  expectLattice(P);
}

TEST(Polytope, NeedlesAndPlatesAreSolids) {
  for (const Vector3d& size :
       {Vector3d(1, 1e-4, 1e-4), Vector3d(1, 1, 1e-4), Vector3d(1e3, .1, .1), Vector3d(1e-3, 1e-3, 1e-7)}) {
    Source source(3);
    const Polytope box = Polytope::box(size);
    for (int trial = 0; trial < 20; ++trial) {
      const auto points = placed(pointsOf(box), source.pose(), 1);
      const Polytope P = Polytope::fromPoints(points);
      EXPECT_EQ(P.numVertices(), 8);
      expectLattice(P);
      expectHullOf(P, points);
    }
  }
}

TEST(Polytope, BoxIsExact) {
  const Vector3d size(0.1, 0.3, 0.7);
  const Polytope P = Polytope::box(size);
  expectLattice(P);
  EXPECT_EQ(P.numVertices(), 8);
  EXPECT_EQ(P.numFaces(), 6);
  for (const Vector3d& v : pointsOf(P)) EXPECT_EQ(Vector3d(v.cwiseAbs()), Vector3d(size / 2));
  for (const auto& face : P.faces()) {
    int axis;
    EXPECT_EQ(face.normal.cwiseAbs().maxCoeff(&axis), 1.0);
    EXPECT_EQ(face.normal.cwiseAbs().sum(), 1.0);
    EXPECT_EQ(face.offset, size[axis] / 2);
  }
  EXPECT_EQ(P.centre(), Vector3d::Zero());
}

std::string reason(const std::vector<Vector3d>& points) {
  try {
    Polytope::fromPoints(points);
  } catch (const GeometryError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Polytope, RefusesWhatNoSolidHas) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(reason({}), HasSubstr("no points"));
  EXPECT_THAT(reason({{1, 2, 3}}), HasSubstr("coincide"));
  EXPECT_THAT(reason({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}), HasSubstr("coincide"));
  EXPECT_THAT(reason({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}}), HasSubstr("straight line"));
  // Three points span no space, however little of a plane they span.
  for (const double width : {0.1, 1e-5, 3e-10}) {
    const double x = 0.7 * width, y = -0.2 * width;
    EXPECT_THAT(reason({{0, 0, 0}, {0.1, 0.3, 0.7}, {0.05 + x, 0.15 + y, 0.35}, {0, 0, 0}}), HasSubstr("in a plane"));
  }
  EXPECT_THAT(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {.3, .4, 0}}), HasSubstr("plane"));
  EXPECT_THAT(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), HasSubstr("plane"));
  EXPECT_THAT(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, nan, 1}}), HasSubstr("point 3"));
  EXPECT_THAT(reason({{0, 0, 0}, {infinity, 0, 0}, {0, 1, 0}, {0, 0, 1}}), HasSubstr("point 1"));
  EXPECT_THAT(reason({{0, 0, 0}, {1e101, 0, 0}, {0, 1, 0}, {0, 0, 1}}), HasSubstr("1e100"));
  EXPECT_THAT(reason({{0, 0, 0}, {1e100, 0, 0}, {0, 1e100, 0}, {0, 0, 1e100}}), "accepted");
  EXPECT_THAT(reason({{0, 0, 0}, {1e-100, 0, 0}, {0, 1e-100, 0}, {0, 0, 1e-100}}), "accepted");
  // Flat up to the rounding of a rotation, at every size and place.
  Source source(4);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Vector3d> flat;
    for (int i = 0; i < 12; ++i) flat.push_back(Vector3d(source.normal(), source.normal(), 0));
    const double scale = std::pow(10, source.below(13) - 6);
    Pose X = source.pose();
    X.p *= scale;
    EXPECT_THAT(reason(placed(flat, X, scale)), HasSubstr("plane")) << trial;
  }
  EXPECT_THROW(Polytope::box({1, 1, 0}), GeometryError);
  EXPECT_THROW(Polytope::box({1, -1, 1}), GeometryError);
  EXPECT_THROW(Polytope::box({1, nan, 1}), GeometryError);
  EXPECT_THROW(Polytope::box({1, 1, 1e-12}), GeometryError);
}

TEST(Polytope, FarOriginHasACentredCopy) {
  std::vector<Vector3d> points;
  const Polytope box = Polytope::box({1, 2, 3});
  for (const Vector3d& v : pointsOf(box)) points.push_back(v + Vector3d(1000, 0, -2000));
  const Polytope P = Polytope::fromPoints(points);
  ASSERT_NE(P.centred(), nullptr);
  EXPECT_EQ(P.centred()->numFaces(), P.numFaces());
  for (int v = 0; v < 8; ++v) EXPECT_EQ(P.centred()->vertex(v), box.vertex(v));
}

/// Exact sign of the volume of (a, b, c, p).
int exactSide(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& p) {
  mpq_class u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = mpq_class(b[k]) - mpq_class(a[k]);
    v[k] = mpq_class(c[k]) - mpq_class(a[k]);
    w[k] = mpq_class(p[k]) - mpq_class(a[k]);
  }
  return sgn(mpq_class(w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
                       w[2] * (u[0] * v[1] - u[1] * v[0])));
}

/// Faces as sets of corners, each from its least one on, and their normals.
std::set<std::vector<std::vector<double>>> facesOf(const Polytope& P) {
  std::set<std::vector<std::vector<double>>> faces;
  for (int f = 0; f < P.numFaces(); ++f) {
    std::vector<std::vector<double>> loop;
    for (const int v : P.faceVertices(f)) loop.push_back({P.vertex(v)[0], P.vertex(v)[1], P.vertex(v)[2]});
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    faces.insert(loop);
  }
  return faces;
}

/// Prisms below triangles need no search for their hull. Oracle: the same points in another order, where they do.
TEST(Polytope, UprightPrismsAreTheHullsOfTheirCorners) {
  std::mt19937_64 engine(11);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  for (int k = 0; k < 2000; ++k) {
    const double size = std::pow(10, uniform(-3, 2)), x = uniform(-100, 100), y = uniform(-100, 100);
    std::vector<Vector3d> points;
    for (int i = 0; i < 3; ++i)
      points.emplace_back(x + size * uniform(0, 1), y + size * uniform(0, 1), size * uniform(0, 2));
    for (int i = 0; i < 3; ++i) points.emplace_back(points[i][0], points[i][1], -size * 0.1);
    if ((points[1] - points[0]).cross(points[2] - points[0])[2] < 0)
      std::swap(points[1], points[2]), std::swap(points[4], points[5]);
    // Then upside down: what stands above is no such prism.
    for (const bool upside_down : {false, true}) {
      for (Vector3d& p : points) p[2] = upside_down ? -p[2] : p[2];
      const Polytope prism = Polytope::fromPoints(points);
      std::vector<Vector3d> reversed(points.rbegin(), points.rend());
      EXPECT_EQ(facesOf(prism), facesOf(Polytope::fromPoints(reversed))) << k;
    }
  }
}

TEST(ExactHull, NoPointIsOutsideInRationals) {
  Source source(5);
  for (int trial = 0; trial < 24; ++trial) {
    auto all =
        placed(testing_solids::points(trial % testing_solids::kKinds, source), trial % 2 ? source.pose() : Pose{}, 1);
    std::vector<Vector3d> points;
    for (int i : distinctPoints(all)) points.push_back(all[i]);
    const FaceLoops triangles = exactHull(points);
    std::set<std::pair<int, int>> edges;
    std::set<int> corners;
    for (const auto& t : triangles) {
      ASSERT_EQ(t.size(), 3u);
      for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(edges.emplace(t[i], t[(i + 1) % 3]).second);
        corners.insert(t[i]);
      }
      for (const Vector3d& p : points) EXPECT_LE(exactSide(points[t[0]], points[t[1]], points[t[2]], p), 0);
    }
    for (const auto& [tail, head] : edges) EXPECT_TRUE(edges.contains({head, tail}));
    EXPECT_EQ(corners.size() - edges.size() / 2 + triangles.size(), 2u);
  }
}

}  // namespace
}  // namespace rigor::geom
