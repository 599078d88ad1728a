// SPDX-License-Identifier: MIT
#include "geom/polytope.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <utility>

#include "elementary/elementary.h"
#include "geom/hull.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// A set thinner than this, relative to its size, is flat (or straight): its face planes would be noise.
constexpr double kFlatness = 1e-10;

/// Local origins farther away than this, in sizes, would cost distance queries digits.
constexpr double kFarOrigin = 4;

std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Refuses sets that do not span space, with the reason.
void requireSolid(std::span<const Vector3d> points, double size) {
  if (points.size() == 1 || !(size > 0)) throw GeometryError("all points coincide; a solid needs four that span space");
  const auto farthest = [&](auto&& distance_sq) {
    size_t best = 0;
    double value = -1;
    for (size_t i = 0; i < points.size(); ++i) {
      const double d = distance_sq(points[i]);
      if (d > value) value = d, best = i;
    }
    return std::pair(best, std::sqrt(value));
  };
  // In units of the size, so that no square under- or overflows.
  const Vector3d first = points[0];
  const auto relative = [&](const Vector3d& p) -> Vector3d { return (p - first) / size; };
  const auto [far, length] = farthest([&](const Vector3d& p) { return relative(p).squaredNorm(); });
  const Vector3d along = relative(points[far]) / length;
  const auto [wide, width] = farthest([&](const Vector3d& p) { return along.cross(relative(p)).squaredNorm(); });
  if (!(width > kFlatness)) {
    throw GeometryError("all points lie on a straight line (width " + numberText(width * size) + " m of a length of " +
                        numberText(size) + " m)");
  }
  const Vector3d normal = along.cross(relative(points[wide])) / width;
  const auto height_sq = [&](const Vector3d& p) { return elementary::power(normal.dot(relative(p)), 2); };
  const double thickness = farthest(height_sq).second;
  if (!(thickness > kFlatness)) {
    throw GeometryError("all points lie in a plane (thickness " + numberText(thickness * size) + " m of a size of " +
                        numberText(size) + " m)");
  }
}

/// Whether the last three of six points stand below the first three, at one height, and the prism is none so thin that
/// faces of its hull could be joined: then its faces are uprightPrism().
bool isUprightPrism(std::span<const Vector3d> points) {
  constexpr double kWide = 1e-2, kHigh = 1e-6;  // Of the square of the longest edge, and of the size.
  if (points.size() != 6) return false;
  double longest = 0, lowest = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    if (points[i].head<2>() != points[i + 3].head<2>() || points[i + 3][2] != points[3][2]) return false;
    longest = std::max(longest, (points[(i + 1) % 3] - points[i]).squaredNorm());
    lowest = std::min(lowest, points[i][2] - points[3][2]);
  }
  const Vector3d b = points[1] - points[0], c = points[2] - points[0];
  return b[0] * c[1] - b[1] * c[0] > kWide * longest && lowest > kHigh * std::sqrt(longest) && longest > 1e-100;
}

FaceLoops uprightPrism() { return {{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}; }

}  // namespace

double Polytope::epsilon() const { return kPlaneRounding * (size_ + radius_); }

Polytope Polytope::fromPoints(std::span<const Vector3d> points) {
  if (points.empty()) throw GeometryError("no points; a solid needs four that span space");
  constexpr double kLargest = 1e100;  // Squares and products of three stay finite.
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite())
      throw GeometryError("point " + std::to_string(i) + " has a coordinate that is not finite");
    if (!(points[i].cwiseAbs().maxCoeff() <= kLargest)) {
      throw GeometryError("point " + std::to_string(i) + " has a coordinate beyond 1e100 m");
    }
  }
  std::vector<Vector3d> candidates;
  for (int i : distinctPoints(points)) candidates.push_back(points[i]);
  Vector3d low = candidates[0], high = candidates[0];
  for (const Vector3d& p : candidates) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double size = (high - low).stableNorm();
  requireSolid(candidates, size);
  double radius = 0;
  for (const Vector3d& p : candidates) radius = std::max(radius, p.stableNorm());

  FaceLoops loops = isUprightPrism(candidates) ? uprightPrism() : convexHull(candidates, kPlaneRounding * size);

  // Number the vertices in input order.
  std::vector<int> number(candidates.size(), -1);
  for (const auto& loop : loops) {
    for (int v : loop) number[v] = 0;
  }
  int count = 0;
  for (int& v : number) {
    if (v == 0) v = count++;
  }
  Eigen::Matrix3Xd vertices(3, count);
  for (size_t i = 0; i < number.size(); ++i) {
    if (number[i] >= 0) vertices.col(number[i]) = candidates[i];
  }
  for (auto& loop : loops) {
    for (int& v : loop) v = number[v];
  }
  Polytope result(std::move(vertices), loops);
  if (result.radius_ > kFarOrigin * result.size_) {
    Eigen::Matrix3Xd local = result.vertices_.colwise() - result.centre_;
    result.centred_.reset(new Polytope(std::move(local), loops));
  }
  return result;
}

Polytope Polytope::box(const Vector3d& size) {
  if (!size.allFinite() || !(size.minCoeff() > 0) || !(size.maxCoeff() <= 1e100)) {
    throw GeometryError("a box needs three positive edge lengths, at most 1e100 m");
  }
  if (!(size.minCoeff() > kFlatness * size.norm())) throw GeometryError("the box is flat relative to its size");
  Eigen::Matrix3Xd vertices(3, 8);
  for (int v = 0; v < 8; ++v) {
    for (int k = 0; k < 3; ++k) vertices(k, v) = (v >> k & 1) ? 0.5 * size[k] : -0.5 * size[k];
  }
  return Polytope(std::move(vertices),
                  {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

Polytope Polytope::inscribed(std::span<const Vector3d> points, const Round& round) {
  if (!(round.radius > 0 && std::isfinite(round.radius))) throw GeometryError("a round solid needs a positive radius");
  Polytope result = fromPoints(points);
  result.round_ = std::make_shared<const Round>(round);
  result.radius_ = result.radiusAbout(Vector3d::Zero());
  return result;
}

double Polytope::radiusAbout(const Vector3d& point) const {
  double largest = 0;
  for (int v = 0; v < numVertices(); ++v) largest = std::max(largest, (vertex(v) - point).stableNorm());
  for (int c = numVertices(); c < numCorners(); ++c)
    largest = std::max(largest, (corner(c) - point).stableNorm() + round_->radius);
  return largest;
}

Polytope::Polytope(Eigen::Matrix3Xd vertices, const std::vector<std::vector<int>>& loops)
    : vertices_(std::move(vertices)) {
  const int n = numVertices();
  const Vector3d low = vertices_.rowwise().minCoeff(), high = vertices_.rowwise().maxCoeff();
  size_ = (high - low).stableNorm();
  for (int v = 0; v < n; ++v) radius_ = std::max(radius_, vertices_.col(v).stableNorm());
  centre_ =
      low + (vertices_.colwise() - low).rowwise().mean();  // The mean of differences does not lose the set far away.

  std::vector<Vector3d> points;
  for (int v = 0; v < n; ++v) points.push_back(vertex(v));

  // Faces and edges; an edge is numbered when its first half is met.
  const std::vector<int> twins = twinsOf(loops, n);
  std::vector<int> edge_of(twins.size());
  for (const auto& loop : loops) {
    const int f = numFaces(), first = int(loop_vertices_.size()), count = int(loop.size());
    const Vector3d normal = loopArea(points, loop).normal;
    double offset = normal.dot(vertex(loop[0]));
    for (int i = 0; i < count; ++i) {
      const int tail = loop[i], head = loop[(i + 1) % count];
      offset = std::max(offset, normal.dot(vertex(tail)));
      loop_vertices_.push_back(tail);
      const int half = first + i;
      if (twins[half] < half) {
        edge_of[half] = edge_of[twins[half]];
        edges_[edge_of[half]].right = f;
      } else {
        edge_of[half] = numEdges();
        edges_.push_back({tail, head, f, -1});
      }
      loop_edges_.push_back(edge_of[half]);
    }
    faces_.push_back({normal, offset, first, count});
  }

  // Stars, compressed.
  star_.assign(n + 1, 0);
  for (const Edge& e : edges_) ++star_[e.tail + 1], ++star_[e.head + 1];
  std::partial_sum(star_.begin(), star_.end(), star_.begin());
  neighbours_.resize(star_[n]);
  vertex_edges_.resize(star_[n]);
  std::vector<int> next(star_.begin(), star_.end() - 1);
  for (int e = 0; e < numEdges(); ++e) {
    const auto [tail, head, left, right] = edges_[e];
    neighbours_[next[tail]] = head, vertex_edges_[next[tail]++] = e;
    neighbours_[next[head]] = tail, vertex_edges_[next[head]++] = e;
  }

  // In-face normals of the edges, for the Voronoi tests.
  edge_inward_.resize(3, 2 * numEdges());
  loop_inward_.resize(3, loop_edges_.size());
  for (int e = 0; e < numEdges(); ++e) {
    const Vector3d along = (vertex(edges_[e].head) - vertex(edges_[e].tail)).stableNormalized();
    edge_inward_.col(2 * e) = faces_[edges_[e].left].normal.cross(along);
    edge_inward_.col(2 * e + 1) = along.cross(faces_[edges_[e].right].normal);
  }
  for (int f = 0; f < numFaces(); ++f) {
    for (int i = faces_[f].first; i < faces_[f].first + faces_[f].count; ++i) {
      const int e = loop_edges_[i];
      loop_inward_.col(i) = edge_inward_.col(2 * e + (edges_[e].left == f ? 0 : 1));
    }
  }
}

}  // namespace rigor::geom
