// SPDX-License-Identifier: MIT
#include "geom/triangle_solid.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "geom/predicates.h"

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

/// Sine of the angle from which on an edge counts as concave: less is rounding of flat faces.
constexpr double kConcaveSine = 1e-6;

Vector3d normalOf(const Vector3d& a, const Vector3d& b, const Vector3d& c) { return (b - a).cross(c - a).normalized(); }

/// Times that the surface winds about `from`, counted along the segment to a point far away; none where the segment
/// meets an edge, or ends in a triangle's plane.
std::optional<int> windingAlong(const TriangleTree& tree, const std::vector<Vector3d>& points, const Vector3d& from,
                                const Vector3d& far, bool& on_surface) {
  int winding = 0;
  bool clear = true;
  tree.visitAlong(from, far, [&](const std::array<int, 3>& triangle) {
    if (!clear || on_surface) return;
    const Vector3d &a = points[triangle[0]], &b = points[triangle[1]], &c = points[triangle[2]];
    const int below = orient3d(a, b, c, from), above = orient3d(a, b, c, far);
    if (below == above) return;  // On one side; or both zero, where neighbours tell.
    const int ab = orient3d(from, far, a, b), bc = orient3d(from, far, b, c), ca = orient3d(from, far, c, a);
    if ((ab < 0 || bc < 0 || ca < 0) && (ab > 0 || bc > 0 || ca > 0)) return;
    if (below == 0) on_surface = true;
    else if (above == 0 || ab == 0 || bc == 0 || ca == 0) clear = false;
    else winding += above;
  });
  if (!clear && !on_surface) return std::nullopt;
  return winding;
}

}  // namespace

TriangleSolid::TriangleSolid(std::vector<Vector3d> points, Triangles triangles)
    : points_(std::move(points)), tree_(points_, std::move(triangles)) {
  low_ = Vector3d::Constant(std::numeric_limits<double>::infinity()), high_ = -low_;
  for (const Vector3d& p : points_) low_ = low_.cwiseMin(p), high_ = high_.cwiseMax(p);
}

bool TriangleSolid::contains(const Vector3d& point) const {
  if ((point.array() < low_.array()).any() || (point.array() > high_.array()).any()) return false;
  // Directions without a meaning, so that few segments meet edges.
  Vector3d direction(0.8571428, 0.3819660, 0.3461538);
  for (int attempt = 0; attempt < 32; ++attempt) {
    bool on_surface = false;
    const Vector3d far = point + 2 * (1 + size()) * direction;
    const auto winding = windingAlong(tree_, points_, point, far, on_surface);
    if (on_surface) return true;
    if (winding) return *winding != 0;
    direction = Vector3d(direction[1] + 0.0112233, -direction[2] + 0.0778899, direction[0] - 0.0334455);
  }
  return false;  // On an edge of the surface, nearly.
}

bool TriangleSolid::crossesItself() const {
  bool crosses = false;
  for (const auto& own : tree_.triangles()) {
    for (int k = 0; k < 3 && !crosses; ++k) {
      const int tail = own[k], head = own[(k + 1) % 3];
      if (tail > head) continue;  // Its twin is looked at.
      const Vector3d &from = points_[tail], &to = points_[head];
      tree_.visitAlong(from, to, [&](const std::array<int, 3>& other) {
        if (crosses || std::any_of(other.begin(), other.end(), [&](int p) { return p == tail || p == head; })) return;
        const Vector3d &a = points_[other[0]], &b = points_[other[1]], &c = points_[other[2]];
        if (orient3d(a, b, c, from) * orient3d(a, b, c, to) >= 0) return;
        const int ab = orient3d(from, to, a, b), bc = orient3d(from, to, b, c), ca = orient3d(from, to, c, a);
        crosses = (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
      });
    }
  }
  return crosses;
}

std::vector<TriangleSolid::ConcaveEdge> TriangleSolid::concaveEdges() const {
  struct Side {
    int third = -1, uses = 0;
  };
  std::map<std::pair<int, int>, Side> sides;
  for (const auto& [a, b, c] : tree_.triangles()) {
    for (const auto& [tail, head, third] : {std::array{a, b, c}, std::array{b, c, a}, std::array{c, a, b}}) {
      Side& side = sides[{tail, head}];
      side.third = third, ++side.uses;
    }
  }
  const double sign = outwardIsPositive() ? 1 : -1;
  std::vector<ConcaveEdge> edges;
  for (const auto& [edge, left] : sides) {
    const auto [tail, head] = edge;
    const auto other = sides.find({head, tail});
    if (tail > head || left.uses != 1 || other == sides.end() || other->second.uses != 1) continue;
    const Vector3d &a = points_[tail], &b = points_[head], &d = points_[other->second.third];
    const Vector3d n = sign * normalOf(a, b, points_[left.third]), m = sign * normalOf(b, a, d);
    const Vector3d along = (b - a).normalized();
    const double sine = sign * n.cross(m).dot(along);  // Positive where convex.
    if (sine < -kConcaveSine) edges.push_back({a, b, n, m});
  }
  return edges;
}

bool TriangleSolid::outwardIsPositive() const {
  double six = 0;
  for (const auto& [a, b, c] : tree_.triangles())
    six += (points_[a] - low_).dot((points_[b] - low_).cross(points_[c] - low_));
  return six >= 0;
}

}  // namespace rigor::geom
