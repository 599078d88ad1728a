// SPDX-License-Identifier: MIT
#include "geom/polytope.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <utility>

#include "elementary/elementary.h"
#include "geom/hull.h"
#include "geom/predicates.h"

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
  // Of three nearly on a line it is what rounding makes it.
  if (points.size() < 4 || !(thickness > kFlatness)) {
    throw GeometryError("all points lie in a plane (thickness " + numberText(thickness * size) + " m of a size of " +
                        numberText(size) + " m)");
  }
}

/// Whether the second half of six or eight points stand below the first, at one height, the first lie in a plane, and
/// the prism is none so thin that faces of its hull could be joined: then its faces are prismLoops().
bool isUprightPrism(std::span<const Vector3d> points) {
  constexpr double kWide = 1e-2, kHigh = 1e-6;  // Of the square of the longest edge, and of the size.
  constexpr double kTall = 1e6;                 // Of the longest edge: beyond, it may be flat.
  if (points.size() != 6 && points.size() != 8) return false;
  const std::size_t n = points.size() / 2;
  double longest = 0, lowest = HUGE_VAL, highest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (points[i].head<2>() != points[i + n].head<2>() || points[i + n][2] != points[n][2]) return false;
    longest = std::max(longest, (points[(i + 1) % n] - points[i]).squaredNorm());
    lowest = std::min(lowest, points[i][2] - points[n][2]), highest = std::max(highest, points[i][2] - points[n][2]);
  }
  for (std::size_t i = 0; i < (n == 3 ? 1 : n); ++i) {
    const Vector3d b = points[(i + 1) % n] - points[i], c = points[(i + 2) % n] - points[i];
    if (!(b[0] * c[1] - b[1] * c[0] > kWide * longest)) return false;
  }
  // Lengths that wallNormal() is for.
  if (!(longest > 1e-60 && longest < 1e60)) return false;
  return lowest > kHigh * std::sqrt(longest) && highest < kTall * std::sqrt(longest) &&
         (n == 3 || orient3d(points[0], points[1], points[2], points[3]) == 0);
}

/// Of a prism over a triangle or a quadrilateral.
const FaceLoops& prismLoops(std::size_t points) {
  static const FaceLoops kThree{{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}},
      kFour{{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
  return points == 6 ? kThree : kFour;
}

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
  if (isUprightPrism(points)) return uprightPrism(points);
  std::vector<Vector3d> candidates;
  for (int i : distinctPoints(points)) candidates.push_back(points[i]);
  Vector3d low = candidates[0], high = candidates[0];
  for (const Vector3d& p : candidates) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double size = (high - low).stableNorm();
  requireSolid(candidates, size);
  FaceLoops loops = isUprightPrism(candidates) ? prismLoops(candidates.size())
                                               : convexHull(candidates, kPlaneRounding * size);

  // Number the vertices in input order.
  std::vector<int> number(candidates.size(), -1);
  for (const auto& loop : loops) {
    for (int v : loop) number[v] = 0;
  }
  int count = 0;
  for (int& v : number) {
    if (v == 0) v = count++;
  }
  std::vector<Vector3d> vertices(static_cast<size_t>(count));
  for (size_t i = 0; i < number.size(); ++i) {
    if (number[i] >= 0) vertices[number[i]] = candidates[i];
  }
  for (auto& loop : loops) {
    for (int& v : loop) v = number[v];
  }
  Polytope result(vertices, loops, latticeOf(loops, count));
  result.allowCentred();
  return result;
}

/// As the general way makes it, without a hull.
Polytope Polytope::uprightPrism(std::span<const Vector3d> points) {
  static const std::shared_ptr<const Lattice> kThree = latticeOf(prismLoops(6), 6), kFour = latticeOf(prismLoops(8), 8);
  const FaceLoops& loops = prismLoops(points.size());
  // Two thirds of the work of the general way is in normals of walls.
  std::array<Vector3d, 6> normals{loopArea(points, loops[0]).normal, Vector3d(0, 0, -1)};
  const std::size_t sides = points.size() / 2;
  for (std::size_t i = 0; i < sides; ++i) normals[2 + i] = wallNormal(points[i], points[(i + 1) % sides]);
  Polytope result(points, loops, points.size() == 6 ? kThree : kFour, std::span(normals).first(2 + sides));
  result.allowCentred();
  return result;
}

struct Polytope::Centred {
  std::once_flag once;
  std::unique_ptr<const Polytope> copy;
};

void Polytope::allowCentred() {
  if (radius_ > kFarOrigin * size_) centred_ = std::make_shared<Centred>();
}

const Polytope* Polytope::madeCentred() const {
  std::call_once(centred_->once, [this] {
    std::vector<Vector3d> local;
    for (int v = 0; v < numVertices(); ++v) local.push_back(vertex(v) - centre_);
    FaceLoops loops;
    for (int f = 0; f < numFaces(); ++f) loops.emplace_back(faceVertices(f).begin(), faceVertices(f).end());
    centred_->copy.reset(new Polytope(local, loops, lattice_));
  });
  return centred_->copy.get();
}

Polytope Polytope::box(const Vector3d& size) {
  if (!size.allFinite() || !(size.minCoeff() > 0) || !(size.maxCoeff() <= 1e100)) {
    throw GeometryError("a box needs three positive edge lengths, at most 1e100 m");
  }
  if (!(size.minCoeff() > kFlatness * size.norm())) throw GeometryError("the box is flat relative to its size");
  std::array<Vector3d, 8> vertices;
  for (int v = 0; v < 8; ++v) {
    for (int k = 0; k < 3; ++k) vertices[v][k] = (v >> k & 1) ? 0.5 * size[k] : -0.5 * size[k];
  }
  const FaceLoops loops{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return Polytope(vertices, loops, latticeOf(loops, 8));
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

struct Polytope::Lattice {
  std::vector<Edge> edges;
  std::vector<int> loop_vertices, loop_edges, star, neighbours, vertex_edges;
};

std::shared_ptr<const Polytope::Lattice> Polytope::latticeOf(const FaceLoops& loops, int num_vertices) {
  auto lattice = std::make_shared<Lattice>();
  std::vector<Edge>& edges = lattice->edges;
  // An edge is numbered when its first half is met.
  const std::vector<int> twins = twinsOf(loops, num_vertices);
  std::vector<int> edge_of(twins.size());
  for (int f = 0; f < static_cast<int>(loops.size()); ++f) {
    const int first = static_cast<int>(lattice->loop_vertices.size()), count = static_cast<int>(loops[f].size());
    for (int i = 0; i < count; ++i) {
      const int half = first + i;
      if (twins[half] < half) {
        edge_of[half] = edge_of[twins[half]];
        edges[edge_of[half]].right = f;
      } else {
        edge_of[half] = static_cast<int>(edges.size());
        edges.push_back({loops[f][i], loops[f][(i + 1) % count], f, -1});
      }
      lattice->loop_vertices.push_back(loops[f][i]);
      lattice->loop_edges.push_back(edge_of[half]);
    }
  }

  // Stars, compressed.
  std::vector<int>& star = lattice->star;
  star.assign(num_vertices + 1, 0);
  for (const Edge& e : edges) ++star[e.tail + 1], ++star[e.head + 1];
  std::partial_sum(star.begin(), star.end(), star.begin());
  lattice->neighbours.resize(star[num_vertices]);
  lattice->vertex_edges.resize(star[num_vertices]);
  std::vector<int> next(star.begin(), star.end() - 1);
  for (int e = 0; e < static_cast<int>(edges.size()); ++e) {
    const auto [tail, head, left, right] = edges[e];
    lattice->neighbours[next[tail]] = head, lattice->vertex_edges[next[tail]++] = e;
    lattice->neighbours[next[head]] = tail, lattice->vertex_edges[next[head]++] = e;
  }
  return lattice;
}

Polytope::Polytope(std::span<const Vector3d> points, const FaceLoops& loops, std::shared_ptr<const Lattice> lattice,
                   std::span<const Vector3d> normals)
    : lattice_(std::move(lattice)),
      edges_(lattice_->edges),
      loop_vertices_(lattice_->loop_vertices),
      loop_edges_(lattice_->loop_edges),
      star_(lattice_->star),
      neighbours_(lattice_->neighbours),
      vertex_edges_(lattice_->vertex_edges) {
  const int n = static_cast<int>(points.size());
  vertices_.resize(3, n);
  for (int v = 0; v < n; ++v) vertices_.col(v) = points[v];
  const Vector3d low = vertices_.rowwise().minCoeff(), high = vertices_.rowwise().maxCoeff();
  size_ = (high - low).stableNorm();
  for (int v = 0; v < n; ++v) radius_ = std::max(radius_, vertices_.col(v).stableNorm());
  centre_ =
      low + (vertices_.colwise() - low).rowwise().mean();  // The mean of differences does not lose the set far away.

  faces_.reserve(loops.size());
  int first = 0;
  for (const auto& loop : loops) {
    const Vector3d normal = normals.empty() ? loopArea(points, loop).normal : normals[faces_.size()];
    double offset = normal.dot(vertex(loop[0]));
    for (const int v : loop) offset = std::max(offset, normal.dot(vertex(v)));
    faces_.push_back({normal, offset, first, static_cast<int>(loop.size())});
    first += static_cast<int>(loop.size());
  }

  // In-face normals of the edges, for the Voronoi tests.
  const int loop_start = 2 * numEdges();
  inward_.resize(3, loop_start + static_cast<int>(loop_edges_.size()));
  for (int e = 0; e < numEdges(); ++e) {
    const Vector3d along = (vertex(edges_[e].head) - vertex(edges_[e].tail)).stableNormalized();
    inward_.col(2 * e) = faces_[edges_[e].left].normal.cross(along);
    inward_.col(2 * e + 1) = along.cross(faces_[edges_[e].right].normal);
  }
  for (int f = 0; f < numFaces(); ++f) {
    for (int i = faces_[f].first; i < faces_[f].first + faces_[f].count; ++i) {
      const int e = loop_edges_[i];
      inward_.col(loop_start + i) = inward_.col(2 * e + (edges_[e].left == f ? 0 : 1));
    }
  }
}

}  // namespace rigor::geom
