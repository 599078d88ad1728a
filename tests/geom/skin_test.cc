// SPDX-License-Identifier: MIT
// Proves what geom/skin.h promises: seams between the parts of a solid are no edges of it. Oracle: the normal cones of
// boxes, ridges and valleys, which are known in closed form.
#include "geom/skin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// A prism below the triangle a, b, c, which is counter-clockwise seen from above.
Polytope prism(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const auto below = [](const Vector3d& x) { return Vector3d(x[0], x[1], -1); };
  return Polytope::fromPoints(std::vector<Vector3d>{a, b, c, below(a), below(b), below(c)});
}

/// Two prisms on both sides of the y axis, of which one rises or falls by `slope` away from it, the other is level.
struct TwoPrisms {
  explicit TwoPrisms(double slope)
      : left(prism({0, -1, 0}, {0, 1, 0}, {-1, 0, slope})), right(prism({0, 1, 0}, {0, -1, 0}, {1, 0, 0})) {
    const std::vector<const Polytope*> parts{&left, &right};
    skin = Skin(parts);
  }
  Vector3d nearestAtSeam(const Vector3d& n) const {  // Of the level prism.
    for (int e = 0; e < right.numEdges(); ++e) {
      const Vector3d a = right.vertex(right.edge(e).tail), b = right.vertex(right.edge(e).head);
      if (a[0] == 0 && b[0] == 0 && a[2] == 0 && b[2] == 0)
        return skin.nearest(1, right, {Feature::Kind::kEdge, e}, n.normalized(), 0.5 * (a + b));
    }
    throw std::logic_error("no seam");
  }
  Polytope left, right;
  Skin skin;
};

int faceWith(const Polytope& P, const Vector3d& normal) {
  for (int f = 0; f < P.numFaces(); ++f)
    if ((P.face(f).normal - normal).norm() < 1e-12) return f;
  return -1;
}

TEST(Skin, WallsBetweenPartsAreInside) {
  const TwoPrisms flat(0);
  EXPECT_TRUE(flat.skin.isInside(0, faceWith(flat.left, {1, 0, 0})));
  EXPECT_TRUE(flat.skin.isInside(1, faceWith(flat.right, {-1, 0, 0})));
  int inside = 0;
  for (int f = 0; f < flat.right.numFaces(); ++f) inside += flat.skin.isInside(1, f);
  EXPECT_EQ(inside, 1);
}

/// Of a grid of n by n cells, two prisms each: 3 n^2 - 2 n walls between them, of 6 n^2.
TEST(Skin, OfAGridTheWallsOfItsRimAloneAreOutside) {
  for (const int n : {1, 4, 15}) {
    std::vector<Polytope> prisms;
    const auto at = [](int i, int j) { return Vector3d(0.1 * i, 0.1 * j, 0.01 * ((7 * i + 5 * j) % 11)); };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        prisms.push_back(prism(at(i, j), at(i + 1, j), at(i + 1, j + 1)));
        prisms.push_back(prism(at(i, j), at(i + 1, j + 1), at(i, j + 1)));
      }
    std::vector<const Polytope*> parts;
    for (const Polytope& part : prisms) parts.push_back(&part);
    const Skin skin(parts);
    int inside = 0;
    for (int k = 0; k < 2 * n * n; ++k)
      for (int f = 0; f < prisms[k].numFaces(); ++f) {
        inside += skin.isInside(k, f);
        if (std::abs(prisms[k].face(f).normal[2]) > 0.1) {
          EXPECT_FALSE(skin.isInside(k, f));
        }
      }
    EXPECT_EQ(inside, 2 * (3 * n * n - 2 * n)) << n;
  }
}

TEST(Skin, ASeamInAPlaneFacesUpAlone) {
  const TwoPrisms flat(0);
  for (const Vector3d& n : {Vector3d(-1, 0, 1), Vector3d(-1, 0, 1e-3), Vector3d(-0.2, 0, 1)})
    EXPECT_LT((flat.nearestAtSeam(n) - Vector3d(0, 0, 1)).norm(), 1e-12);
}

TEST(Skin, AValleyFacesAsThePartDoes) {
  const TwoPrisms valley(0.5);
  EXPECT_LT((valley.nearestAtSeam({-1, 0, 1}) - Vector3d(0, 0, 1)).norm(), 1e-12);
}

TEST(Skin, ARidgeFacesBetweenItsTwoSides) {
  const TwoPrisms ridge(-0.5);
  const Vector3d side = Vector3d(-0.5, 0, 1).normalized();  // Of the prism that falls away.
  EXPECT_LT((ridge.nearestAtSeam({-1, 0, 0.1}) - side).norm(), 1e-12);
  const Vector3d between = Vector3d(-0.2, 0, 1).normalized();
  EXPECT_LT((ridge.nearestAtSeam(between) - between).norm(), 1e-15);
  // Along the edge is none of its directions.
  EXPECT_LT((ridge.nearestAtSeam({-0.2, 0.7, 1}) - between).norm(), 1e-12);
}

TEST(Skin, CornersOfAGridOfBoxesFaceUp) {
  std::vector<Polytope> boxes;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      std::vector<Vector3d> points;
      for (const int x : {i, i + 1})
        for (const int y : {j, j + 1})
          for (const int z : {-1, 0}) points.emplace_back(x, y, z);
      boxes.push_back(Polytope::fromPoints(points));
    }
  std::vector<const Polytope*> parts;
  for (const Polytope& box : boxes) parts.push_back(&box);
  const Skin skin(parts);
  for (int part = 0; part < 4; ++part)
    for (int v = 0; v < boxes[part].numVertices(); ++v) {
      const Vector3d x = boxes[part].vertex(v), n = Vector3d(-0.5, -0.4, 0.7).normalized();
      const Vector3d found = skin.nearest(part, boxes[part], {Feature::Kind::kVertex, v}, n, x);
      if (x == Vector3d(1, 1, 0)) {
        EXPECT_LT((found - Vector3d(0, 0, 1)).norm(), 1e-12) << part;
      }
      if (x == Vector3d(0, 0, 0)) {
        EXPECT_EQ(found, n);  // A corner of the whole.
      }
      if (x == Vector3d(0, 1, 0)) {
        EXPECT_LT((found - Vector3d(-0.5, 0, 0.7).normalized()).norm(), 1e-12) << part;  // On an edge of the whole.
      }
    }
}

/// A block of 1 by 4 by 1 beside prisms at x = 1 whose walls cover its own, piece by piece: level up to y = 1, the far
/// side of a ridge from there to 3, level again.
struct BlockAndPrisms {
  explicit BlockAndPrisms(double end = 4) {
    const auto quad = [](double from, double to, double outer) {
      std::vector<Vector3d> points{{1, from, 0}, {2, from, outer}, {2, to, outer}, {1, to, 0}};
      for (int k = 0; k < 4; ++k) points.emplace_back(points[k][0], points[k][1], -1);
      return Polytope::fromPoints(points);
    };
    std::vector<Vector3d> corners;
    for (const double x : {0.0, 1.0})
      for (const double y : {0.0, 4.0})
        for (const double z : {-1.0, 0.0}) corners.emplace_back(x, y, z);
    solids = {Polytope::fromPoints(corners), quad(0, 1, 0), quad(1, 3, -0.5), quad(3, end, 0)};
    std::vector<const Polytope*> parts;
    for (const Polytope& part : solids) parts.push_back(&part);
    skin = Skin(parts);
  }
  /// At the block's edge beside the prisms.
  Vector3d nearestAtSeam(const Vector3d& n, double y) const {
    const Polytope& block = solids[0];
    for (int e = 0; e < block.numEdges(); ++e) {
      const Vector3d middle = 0.5 * (block.vertex(block.edge(e).tail) + block.vertex(block.edge(e).head));
      if (middle == Vector3d(1, 2, 0))
        return skin.nearest(0, block, {Feature::Kind::kEdge, e}, n.normalized(), Vector3d(1, y, 0));
    }
    throw std::logic_error("no seam");
  }
  std::vector<Polytope> solids;
  Skin skin;
};

TEST(Skin, WallsThatOthersCoverPieceByPieceAreInside) {
  const BlockAndPrisms whole;
  for (int part = 0; part < 4; ++part) {
    const double x = part == 0 ? 1 : -1;
    EXPECT_TRUE(whole.skin.isInside(part, faceWith(whole.solids[part], {x, 0, 0}))) << part;
    EXPECT_FALSE(whole.skin.isInside(part, faceWith(whole.solids[part], {-x, 0, 0}))) << part;
    EXPECT_FALSE(whole.skin.isInside(part, faceWith(whole.solids[part], {0, 0, -1}))) << part;
  }
  // Half of the last one is missing: the block's wall can be seen there.
  const BlockAndPrisms open(3.5);
  EXPECT_FALSE(open.skin.isInside(0, faceWith(open.solids[0], {1, 0, 0})));
  EXPECT_TRUE(open.skin.isInside(3, faceWith(open.solids[3], {-1, 0, 0})));
  // One that is lower by an ulp does not cover it.
  std::vector<Vector3d> points;
  for (const double x : {1.0, 2.0})
    for (const double y : {0.0, 4.0})
      for (const double z : {-1.0, -0x1p-53}) points.emplace_back(x, y, z);
  const Polytope low = Polytope::fromPoints(points);
  const std::vector<const Polytope*> parts{&whole.solids[0], &low};
  EXPECT_FALSE(Skin(parts).isInside(0, faceWith(whole.solids[0], {1, 0, 0})));
  EXPECT_TRUE(Skin(parts).isInside(1, faceWith(low, {-1, 0, 0})));
}

TEST(Skin, AnEdgeOfManyNeighboursFacesAsEachOfThemLetsIt) {
  const BlockAndPrisms whole;
  const Vector3d n = Vector3d(0.1, 0, 1).normalized(), up(0, 0, 1), down = Vector3d(0.5, 0, 1).normalized();
  for (const double y : {0.2, 0.9, 3.1, 3.9}) EXPECT_LT((whole.nearestAtSeam(n, y) - up).norm(), 1e-12) << y;
  for (const double y : {1.1, 2.0, 2.9}) {
    EXPECT_LT((whole.nearestAtSeam(n, y) - n).norm(), 1e-12) << y;
    EXPECT_LT((whole.nearestAtSeam({1, 0, 0}, y) - down).norm(), 1e-12) << y;
  }
  // From the prisms' side, where the block has no corner.
  const Polytope& prism = whole.solids[2];
  for (int v = 0; v < prism.numVertices(); ++v)
    if (prism.vertex(v) == Vector3d(1, 1, 0)) {
      const Feature corner{Feature::Kind::kVertex, v};
      const Vector3d found = whole.skin.nearest(2, prism, corner, {-1, 0, 0}, prism.vertex(v));
      EXPECT_LT((found - up).norm(), 1e-12);
    }
}

}  // namespace
}  // namespace rigor::geom
