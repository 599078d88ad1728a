// SPDX-License-Identifier: MIT
#include "geom/hull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "elementary/require.h"
#include "geom/double_pair.h"
#include "geom/point_tree.h"
#include "geom/polytope.h"
#include "geom/predicates.h"
#include "geom/wide_real.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// Whether a loop turns against its outward normal. Doubles say so but of slivers.
bool turnsAgainst(std::span<const Vector3d> points, const std::vector<int>& loop, const Vector3d& outward) {
  constexpr double kClear = 1e-6;  // Of the product of two edges: far above the rounding of their cross product.
  const Vector3d u = points[loop[1]] - points[loop[0]], v = points[loop[2]] - points[loop[0]];
  const double turn = u.cross(v).dot(outward);
  if (loop.size() == 3 && std::abs(turn) > kClear * u.norm() * v.norm()) return turn < 0;  // NaN goes on.
  return loopArea(points, loop).normal.dot(outward) < 0;
}

/// Qhull's facets as loops; empty where Qhull reports an error.
FaceLoops qhullFacets(std::span<const Vector3d> points) {
  // Centred and scaled by a power of two to about [-1, 1], so that Qhull's absolute thresholds are relative ones.
  Vector3d low = points[0], high = points[0];
  for (const Vector3d& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vector3d centre = 0.5 * low + 0.5 * high;
  int exponent = 0;
  std::frexp((0.5 * high - 0.5 * low).maxCoeff(), &exponent);
  std::vector<coordT> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vector3d& p : points) {
    for (int k = 0; k < 3; ++k) coordinates.push_back(std::ldexp(p[k] - centre[k], -exponent));
  }

  struct Closer {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<FILE, Closer> quiet(std::fopen("/dev/null", "w"));  // Errors come back as exit codes.
  if (!quiet) return {};
  qhT state;
  qh_zero(&state, quiet.get());
  qhT* qh = &state;  // The name that Qhull's FORALL macros expect.
  char options[] = "qhull Pp";
  const int failed =
      qh_new_qhull(qh, 3, int(points.size()), coordinates.data(), False, options, quiet.get(), quiet.get());
  FaceLoops loops;
  if (!failed) {
    facetT* facet;
    FORALLfacets {
      std::vector<int> loop;
      setT* vertices = qh_facet3vertex(qh, facet);
      vertexT *vertex, **vertexp;
      FOREACHvertex_(vertices) loop.push_back(qh_pointid(qh, vertex->point));
      qh_settempfree(qh, &vertices);
      // The order of qh_facet3vertex depends on toporient; the plane decides.
      const Vector3d outward(facet->normal[0], facet->normal[1], facet->normal[2]);
      if (loop.size() >= 3 && turnsAgainst(points, loop, outward)) std::reverse(loop.begin(), loop.end());
      loops.push_back(std::move(loop));
    }
  }
  qh_freeqhull(qh, !qh_ALL);
  int current, total;
  qh_memfreeshort(qh, &current, &total);
  return loops;
}

/// The guarantee of convexHull: a closed surface of convex loops that bounds a convex set containing all points.
bool isHull(std::span<const Vector3d> points, const PointTree& tree, const FaceLoops& loops, double tolerance) {
  if (loops.size() < 4) return false;
  std::vector<int> degree(points.size(), 0);
  size_t half_edges = 0, corners = 0;
  for (const auto& loop : loops) {
    if (loop.size() < 3) return false;
    for (const int v : loop) {
      if (v < 0) return false;
      if (degree[v]++ == 0) ++corners;
      ++half_edges;
    }
  }
  if (twinsOf(loops, static_cast<int>(points.size())).empty()) return false;
  for (int d : degree) {
    if (d == 1 || d == 2) return false;
  }
  if (corners + loops.size() != half_edges / 2 + 2) return false;
  for (const auto& loop : loops) {
    const Vector3d normal = loopArea(points, loop).normal;
    if (!(normal.squaredNorm() > 0.5)) return false;
    const Vector3d origin = points[loop[0]];
    double low = 0, high = 0;
    for (int v : loop) {
      const double h = normal.dot(points[v] - origin);
      low = std::min(low, h);
      high = std::max(high, h);
    }
    if (!(high - low <= tolerance)) return false;
    if (tree.hasAbove(normal, origin, high + tolerance)) return false;
    for (size_t i = 0; i < loop.size() && loop.size() > 3; ++i) {
      const Vector3d tail = points[loop[i]];
      const Vector3d inward = normal.cross(points[loop[(i + 1) % loop.size()]] - tail).stableNormalized();
      for (int v : loop) {
        if (!(inward.dot(points[v] - tail) >= -tolerance)) return false;
      }
    }
  }
  return true;
}

/// Triangles joined into faces: those whose corners lie within `tolerance` of the plane of a larger triangle that they
/// are connected to; tolerance 0 means exactly coplanar. Vertices left with fewer than three faces go.
FaceLoops merged(std::span<const Vector3d> points, const FaceLoops& triangles, double tolerance) {
  const int count = int(triangles.size());
  std::map<std::pair<int, int>, int> owner;
  std::vector<LoopArea> area(count);
  std::vector<int> order(count), region(count, -1);
  for (int t = 0; t < count; ++t) {
    for (int i = 0; i < 3; ++i) owner[{triangles[t][i], triangles[t][(i + 1) % 3]}] = t;
    area[t] = loopArea(points, triangles[t]);
    order[t] = t;
  }
  std::sort(order.begin(), order.end(), [&](int s, int t) {
    return area[s].twice_area > area[t].twice_area || (area[s].twice_area == area[t].twice_area && s < t);
  });
  int regions = 0;
  for (int seed : order) {
    if (region[seed] >= 0) continue;
    const auto& base = triangles[seed];
    const Vector3d normal = area[seed].normal;
    const auto inPlane = [&](int v) {
      if (tolerance > 0) return std::abs(normal.dot(points[v] - points[base[0]])) <= tolerance;
      return orient3d(points[base[0]], points[base[1]], points[base[2]], points[v]) == 0;
    };
    std::vector<int> queue{seed};
    region[seed] = regions;
    for (size_t i = 0; i < queue.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto& t = triangles[queue[i]];
        const int next = owner.at({t[(k + 1) % 3], t[k]});
        const auto& u = triangles[next];
        if (region[next] < 0 && inPlane(u[0]) && inPlane(u[1]) && inPlane(u[2])) {
          region[next] = regions;
          queue.push_back(next);
        }
      }
    }
    ++regions;
  }
  // Border half-edges of each region, chained into loops; a region with a hole or a pinch is refused.
  std::vector<std::map<int, int>> next(regions);
  std::vector<std::vector<int>> around(points.size());
  for (const auto& [edge, t] : owner) {
    const int r = region[t];
    if (r == region[owner.at({edge.second, edge.first})]) continue;
    if (!next[r].emplace(edge.first, edge.second).second) return {};
    around[edge.first].push_back(r);
  }
  FaceLoops loops;
  for (const auto& border : next) {
    if (border.empty()) return {};
    std::vector<int> loop;
    size_t walked = 0;
    for (int v = border.begin()->first; walked < border.size(); ++walked) {
      if (around[v].size() > 2) loop.push_back(v);
      const auto step = border.find(v);
      if (step == border.end()) return {};
      v = step->second;
      if (v == border.begin()->first) {
        ++walked;
        break;
      }
    }
    if (walked != border.size()) return {};
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace

std::vector<int> twinsOf(const FaceLoops& loops, int num_points) {
  std::vector<int> first(num_points + 1, 0);
  for (const auto& loop : loops)
    for (const int tail : loop) {
      RIGOR_REQUIRE(tail >= 0 && tail < num_points);
      ++first[tail + 1];
    }
  std::partial_sum(first.begin(), first.end(), first.begin());
  struct Half {
    int head, number;
    bool operator<(const Half& other) const { return head < other.head; }
  };
  std::vector<Half> halves(first.back());  // By tail, then by head.
  std::vector<int> next(first.begin(), first.end() - 1);
  int number = 0;
  for (const auto& loop : loops)
    for (size_t i = 0; i < loop.size(); ++i) halves[next[loop[i]]++] = {loop[(i + 1) % loop.size()], number++};
  for (int v = 0; v < num_points; ++v) {
    const auto begin = halves.begin() + first[v], end = halves.begin() + first[v + 1];
    std::sort(begin, end);
    if (std::adjacent_find(begin, end, [](const Half& a, const Half& b) { return a.head == b.head; }) != end) return {};
  }
  std::vector<int> twins(halves.size());
  for (int v = 0; v < num_points; ++v) {
    for (int i = first[v]; i < first[v + 1]; ++i) {
      const auto end = halves.begin() + first[halves[i].head + 1];
      const auto twin = std::lower_bound(halves.begin() + first[halves[i].head], end, Half{v, 0});
      if (twin == end || twin->head != v) return {};
      twins[halves[i].number] = twin->number;
    }
  }
  return twins;
}

std::vector<int> distinctPoints(std::span<const Vector3d> points) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) { return std::tuple(points[i][0], points[i][1], points[i][2], i); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
  const auto same = [&](int i, int j) { return points[i] == points[j]; };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  std::sort(order.begin(), order.end());
  return order;
}

namespace {

/// The area of a triangle fan in pairs of doubles: as good as wide reals, for sizes that pairs can hold. @returns false
/// for others.
bool pairArea(std::span<const Vector3d> points, std::span<const int> loop, LoopArea& out) {
  constexpr double kLeast = 1e-40, kMost = 1e40;  // [m] Their fourth powers stay within what pairs hold.
  const Vector3d& o = points[loop[0]];
  DoublePair area[3];
  double extent = 0;
  for (size_t i = 1; i + 1 < loop.size(); ++i) {
    DoublePair u[3], v[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = DoublePair::sumOf(points[loop[i]][k], -o[k]);
      v[k] = DoublePair::sumOf(points[loop[i + 1]][k], -o[k]);
      extent = std::max({extent, std::abs(points[loop[i]][k]), std::abs(points[loop[i + 1]][k]), std::abs(o[k])});
    }
    for (int k = 0; k < 3; ++k) area[k] = area[k] + (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
  }
  const DoublePair norm = squareRoot(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
  // Whatever underflowed is far below the last digit of an area that large; NaN is for wide reals.
  if (!(extent < kMost && norm.high > kLeast)) return false;
  out = {{quotient(area[0], norm), quotient(area[1], norm), quotient(area[2], norm)}, norm.high};
  return true;
}

}  // namespace

LoopArea loopArea(std::span<const Vector3d> points, std::span<const int> loop) {
  // Wide, for a sliver's plane must hold far beyond the sliver.
  if (LoopArea paired; pairArea(points, loop, paired)) return paired;
  WideReal area[3] = {0, 0, 0};
  const Vector3d& o = points[loop[0]];
  for (size_t i = 1; i + 1 < loop.size(); ++i) {
    WideReal u[3], v[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = WideReal(points[loop[i]][k]) - o[k];
      v[k] = WideReal(points[loop[i + 1]][k]) - o[k];
    }
    for (int k = 0; k < 3; ++k) area[k] += u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
  }
  const WideReal norm = squareRoot(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
  if (!(norm > 0)) return {Vector3d::Zero(), 0};
  return {{double(area[0] / norm), double(area[1] / norm), double(area[2] / norm)}, double(norm)};
}

Vector3d wallNormal(const Vector3d& a, const Vector3d& b) {
  const DoublePair x = DoublePair::sumOf(b[0], -a[0]), y = DoublePair::sumOf(b[1], -a[1]),
                   length = squareRoot(x * x + y * y);
  return {quotient(y, length), quotient(-x, length), 0};
}

namespace {

/// Faces of a prism of two triangles whose corners follow each other, if that is what six points are: terrain is made
/// of them.
FaceLoops prismFaces(std::span<const Vector3d> p) {
  const bool up = (p[1] - p[0]).cross(p[2] - p[0]).dot(p[0] - p[3]) > 0;
  FaceLoops loops{{0, 1, 2}, {5, 4, 3}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}};
  if (!up)
    for (auto& loop : loops) std::reverse(loop.begin(), loop.end());
  return loops;
}

}  // namespace

FaceLoops convexHull(std::span<const Vector3d> points, double tolerance) {
  RIGOR_REQUIRE(distinctPoints(points).size() == points.size());
  const PointTree tree(points);
  if (points.size() == 6)
    if (FaceLoops prism = prismFaces(points); isHull(points, tree, prism, tolerance)) return prism;
  FaceLoops loops = qhullFacets(points);
  if (isHull(points, tree, loops, tolerance)) return loops;
  const FaceLoops triangles = exactHull(points);
  for (const double part : {1.0, 0.25, 0.0625, 0.0}) {
    loops = merged(points, triangles, part * tolerance);
    if (isHull(points, tree, loops, tolerance)) return loops;
  }
  if (isHull(points, tree, triangles, tolerance)) return triangles;
  throw GeometryError("the convex hull of these points could not be computed");
}

}  // namespace rigor::geom
