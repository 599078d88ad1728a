// SPDX-License-Identifier: MIT
#include "geom/hull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include "geom/polytope.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

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
  const int failed = qh_new_qhull(qh, 3, int(points.size()), coordinates.data(), False, options, quiet.get(), quiet.get());
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
      if (loop.size() >= 3 && areaVector(points, loop).dot(outward) < 0) std::reverse(loop.begin(), loop.end());
      loops.push_back(std::move(loop));
    }
  }
  qh_freeqhull(qh, !qh_ALL);
  int current, total;
  qh_memfreeshort(qh, &current, &total);
  return loops;
}

/// The guarantee of convexHull: a closed surface that bounds a convex set containing all points.
bool isHull(std::span<const Vector3d> points, const FaceLoops& loops, double tolerance) {
  if (loops.size() < 4) return false;
  std::map<std::pair<int, int>, int> edges;
  std::vector<int> degree(points.size(), 0);
  size_t half_edges = 0, corners = 0;
  for (const auto& loop : loops) {
    if (loop.size() < 3) return false;
    for (size_t i = 0; i < loop.size(); ++i) {
      if (loop[i] < 0) return false;
      if (!edges.emplace(std::pair(loop[i], loop[(i + 1) % loop.size()]), 0).second) return false;
      if (degree[loop[i]]++ == 0) ++corners;
      ++half_edges;
    }
  }
  for (const auto& [edge, unused] : edges) {
    if (!edges.contains({edge.second, edge.first})) return false;
  }
  for (int d : degree) {
    if (d == 1 || d == 2) return false;
  }
  if (corners + loops.size() != half_edges / 2 + 2) return false;
  for (const auto& loop : loops) {
    const Vector3d area = areaVector(points, loop);
    const double norm = area.norm();
    if (!(norm > 0)) return false;
    const Vector3d normal = area / norm;
    const Vector3d origin = points[loop[0]];
    // The plane is that of the loop's highest vertex; its lowest must not hang below by more than the tolerance.
    double low = 0, high = 0;
    for (int v : loop) {
      const double h = normal.dot(points[v] - origin);
      low = std::min(low, h);
      high = std::max(high, h);
    }
    if (!(high - low <= tolerance)) return false;
    for (const Vector3d& p : points) {
      if (!(normal.dot(p - origin) <= high + tolerance)) return false;
    }
  }
  return true;
}

}  // namespace

Vector3d areaVector(std::span<const Vector3d> points, std::span<const int> loop) {
  Vector3d area = Vector3d::Zero();
  const Vector3d origin = points[loop[0]];
  for (size_t i = 1; i + 1 < loop.size(); ++i) {
    area += (points[loop[i]] - origin).cross(points[loop[i + 1]] - origin);
  }
  return area;
}

FaceLoops convexHull(std::span<const Vector3d> points, double tolerance) {
  FaceLoops loops = qhullFacets(points);
  if (isHull(points, loops, tolerance)) return loops;
  throw GeometryError("the convex hull of these points could not be computed");
}

}  // namespace rigor::geom
