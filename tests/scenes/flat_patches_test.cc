// SPDX-License-Identifier: MIT
// Proves what scenes/flat_patches.h promises: flat patches are the surface of the triangles, put together without a
// slit. Oracle: heights of the triangles at many points, and areas, on grids of small integers, where all of this is
// exact in doubles.
#include "scenes/flat_patches.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "geom/mass_properties.h"
#include "scenes/terrain.h"

namespace rigor::scenes {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Cells of 2 m, about the origin.
TerrainSurface grid(int rows, int columns, const std::function<double(int, int)>& height) {
  std::vector<double> heights;
  for (int r = 0; r <= rows; ++r)
    for (int c = 0; c <= columns; ++c) heights.push_back(height(r, c));
  return gridSurface(heights, rows + 1, columns + 1, {2.0 * columns, 2.0 * rows});
}

double turn(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  return (b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0];
}

/// +1 inside, 0 on the rim, -1 outside, seen from above.
int insideOf(const std::vector<Vector3d>& loop, const Vector3d& x) {
  int result = 1;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const double side = turn(loop[i].head<2>(), loop[(i + 1) % loop.size()].head<2>(), x.head<2>());
    result = std::min(result, (side > 0) - (side < 0));
  }
  return result;
}

double areaOf(const std::vector<Vector3d>& loop) {
  double twice = 0;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i)
    twice += turn(loop[0].head<2>(), loop[i].head<2>(), loop[i + 1].head<2>());
  return 0.5 * twice;
}

/// How far x is above the plane of a loop, times a positive number.
double above(const std::vector<Vector3d>& loop, const Vector3d& x) {
  return (loop[1] - loop[0]).cross(loop[2] - loop[0]).dot(x - loop[0]);
}

std::vector<std::vector<Vector3d>> loopsOf(const TerrainSurface& surface, const std::vector<FlatPatch>& patches) {
  std::vector<std::vector<Vector3d>> loops;
  for (const FlatPatch& patch : patches) {
    loops.emplace_back();
    for (int k = 0; k < patch.count; ++k) loops.back().push_back(surface.points[patch.corners[k]]);
  }
  return loops;
}

void expectSameSurface(const TerrainSurface& surface) {
  const auto patches = flatPatches(surface.points, surface.triangles);
  const auto loops = loopsOf(surface, patches);
  double area = 0, expected = 0;
  for (const auto& loop : loops) area += areaOf(loop);
  for (const auto& [i, j, k] : surface.triangles) {
    const std::vector<Vector3d> triangle{surface.points[i], surface.points[j], surface.points[k]};
    expected += areaOf(triangle);
    // Corners and what is between them, of which nothing is on a rim: shares are no halves.
    for (const auto& [u, v] : {std::pair(0.0, 0.0), std::pair(1.0, 0.0), std::pair(0.0, 1.0), std::pair(0.25, 0.5),
                               std::pair(0.625, 0.25), std::pair(0.125, 0.0625)}) {
      const Vector3d x = triangle[0] + u * (triangle[1] - triangle[0]) + v * (triangle[2] - triangle[0]);
      int holding = 0;
      for (const auto& loop : loops) {
        const int inside = insideOf(loop, x);
        holding += inside > 0;
        // What lies on a rim counts too: there is no slit at points between the ends of a side.
        if (inside >= 0) {
          EXPECT_EQ(above(loop, x), 0) << x.transpose();
        }
      }
      if (u > 0 && v > 0) {
        EXPECT_EQ(holding, 1) << x.transpose();
      }
    }
  }
  EXPECT_EQ(area, expected);
  for (std::size_t p = 0; p < loops.size(); ++p) {
    ASSERT_GE(loops[p].size(), 3u);
    if (loops[p].size() == 4) {
      EXPECT_EQ(above(loops[p], loops[p][3]), 0);
    }
  }
}

std::size_t countOf(const TerrainSurface& surface) { return flatPatches(surface.points, surface.triangles).size(); }

TEST(FlatPatches, WhatIsFlatIsOnePatch) {
  EXPECT_EQ(countOf(grid(5, 7, [](int, int) { return 3; })), 1u);
  EXPECT_EQ(countOf(grid(5, 7, [](int r, int c) { return 2 * r - 5 * c; })), 1u);
}

TEST(FlatPatches, RampsAreStripsAndStairsTheirSteps) {
  EXPECT_EQ(countOf(grid(9, 6, [](int r, int) { return r * r; })), 9u);
  EXPECT_EQ(countOf(grid(6, 9, [](int, int c) { return c * c; })), 9u);
  EXPECT_EQ(countOf(grid(5, 9, [](int, int c) { return c / 3; })), 3u + 3u);
}

TEST(FlatPatches, WhatIsAlmostFlatIsNotJoined) {
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(countOf(grid(1, 1, [&](int r, int c) { return r == 1 && c == 1 ? next : 1.0; })), 2u);
}

TEST(FlatPatches, AreTheSurfaceOfTheirTriangles) {
  std::mt19937 random(3);
  for (int run = 0; run < 40; ++run) {
    const int rows = 1 + static_cast<int>(random() % 9), columns = 1 + static_cast<int>(random() % 9);
    const int kind = run % 4, tilt = static_cast<int>(random() % 5) - 2;
    std::vector<int> rough(100);
    for (int& h : rough) h = static_cast<int>(random() % (kind == 0 ? 2 : 9));
    const auto height = [&](int r, int c) -> double {
      if (kind == 0) return rough[10 * r + c];  // Teeth.
      const double base = kind == 1 ? rough[10 * (r / 3) + c / 3] : kind == 2 ? tilt * c + 3 * r : 0;
      const bool bump = r > 1 && r < 4 && c > 2 && c < 6 && kind > 1;
      return base + (bump ? rough[10 * r + c] : 0);
    };
    TerrainSurface surface = grid(rows, columns, height);
    expectSameSurface(surface);
    // As a file might have it: in any order, cells halved either way, without some of them.
    for (std::size_t t = 0; t + 1 < surface.triangles.size(); t += 2)
      if (random() % 2) {
        const auto [a, b, c] = surface.triangles[t];
        const int d = surface.triangles[t + 1][2];
        surface.triangles[t] = {b, c, d}, surface.triangles[t + 1] = {a, b, d};
      }
    for (std::size_t t = surface.triangles.size(); t-- > 1;)
      std::swap(surface.triangles[t], surface.triangles[random() % (t + 1)]);
    expectSameSurface(surface);
    surface.triangles.resize(1 + surface.triangles.size() * 3 / 4);
    expectSameSurface(surface);
  }
}

/// An L: a side that is at the rim for a part of its length would be a wall of the whole for the other part.
TEST(FlatPatches, SidesAreAtTheRimAsAWholeOrNot) {
  TerrainSurface surface = grid(4, 4, [](int, int) { return 1; });
  std::erase_if(surface.triangles, [&](const auto& t) {
    Vector3d middle(0, 0, 0);
    for (const int i : t) middle += surface.points[i] / 3;
    return middle[0] > 0 && middle[1] > 0;
  });
  const auto loops = loopsOf(surface, flatPatches(surface.points, surface.triangles));
  EXPECT_LE(loops.size(), 5u);
  for (const auto& loop : loops)
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vector3d start = loop[i], along = loop[(i + 1) % loop.size()] - start;
      int neighbours = 0;
      for (const double share : {0.125, 0.375, 0.625, 0.875}) {
        const Vector3d beside = start + share * along + 0.0625 * Vector3d(along[1], -along[0], 0);
        for (const auto& other : loops) neighbours += insideOf(other, beside) > 0;
      }
      EXPECT_TRUE(neighbours == 0 || neighbours == 4) << start.transpose();
    }
  expectSameSurface(surface);
}

TEST(FlatPatches, PrismsBelowThemAreTheSameSolid) {
  std::mt19937 random(8);
  for (int run = 0; run < 20; ++run) {
    std::vector<int> blocks(16);
    for (int& h : blocks) h = static_cast<int>(random() % 3);
    const TerrainSurface surface = grid(8, 8, [&](int r, int c) { return blocks[4 * (r / 3) + c / 3]; });
    double expected = 0, volume = 0;  // Of the triangles: a third of their corners' heights times their areas.
    for (const auto& [i, j, k] : surface.triangles)
      expected += 2.0 * (surface.points[i][2] + surface.points[j][2] + surface.points[k][2] + 3) / 3;
    const auto prisms = prismsBelow(surface, -1);
    for (const geom::Shape& part : prisms) volume += geom::massProperties(std::get<geom::Polytope>(part)).mass;
    EXPECT_NEAR(volume, expected, 1e-12 * expected);
    EXPECT_LT(prisms.size(), surface.triangles.size());
    // Moved, it is the same; turned, each triangle has its prism.
    EXPECT_EQ(prismsBelow(surface, -1, {{1, 0, 0, 0}, {0.3, 0.1, 7}}).size(), prisms.size());
    EXPECT_EQ(prismsBelow(surface, -1, {{std::cos(1), 0, 0, std::sin(1)}, {0, 0, 0}}).size(), surface.triangles.size());
  }
}

}  // namespace
}  // namespace rigor::scenes
