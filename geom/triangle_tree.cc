// SPDX-License-Identifier: MIT
#include "geom/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "elementary/require.h"

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

constexpr int kTrianglesOfLeaf = 4;
/// Boxes are entered where a segment passes within this of them, relative to its length: slabs round.
constexpr double kSlabRounding = 0x1p-40;

double squaredDistanceToSegment(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
  const Vector3d along = b - a;
  const double length2 = along.squaredNorm();
  const double t = length2 > 0 ? std::clamp((p - a).dot(along) / length2, 0.0, 1.0) : 0;
  return (p - a - t * along).squaredNorm();
}

double squaredDistance(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d normal = (b - a).cross(c - a);
  const double area2 = normal.squaredNorm();
  if (area2 > 0 && normal.cross(b - a).dot(p - a) >= 0 && normal.cross(c - b).dot(p - b) >= 0 &&
      normal.cross(a - c).dot(p - c) >= 0) {
    const double height = normal.dot(p - a);
    return height * height / area2;
  }
  return std::min({squaredDistanceToSegment(p, a, b), squaredDistanceToSegment(p, b, c),
                   squaredDistanceToSegment(p, c, a)});
}

}  // namespace

bool TriangleTree::Box::meets(const Vector3d& from, const Vector3d& to) const {
  const double slack = kSlabRounding * ((to - from).norm() + from.norm());
  double enter = 0, leave = 1;
  for (int k = 0; k < 3; ++k) {
    const double step = to[k] - from[k];
    if (step == 0) {
      if (from[k] < low[k] - slack || from[k] > high[k] + slack) return false;
      continue;
    }
    const double a = (low[k] - slack - from[k]) / step, b = (high[k] + slack - from[k]) / step;
    enter = std::max(enter, std::min(a, b)), leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave;
}

TriangleTree::TriangleTree(const std::vector<Vector3d>& points, Triangles triangles)
    : points_(points), triangles_(std::move(triangles)) {
  RIGOR_REQUIRE(std::all_of(points.begin(), points.end(), [](const Vector3d& p) { return p.allFinite(); }));
  if (!triangles_.empty()) add(0, static_cast<int>(triangles_.size()));
}

int TriangleTree::add(int first, int last) {
  const int own = static_cast<int>(boxes_.size());
  Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (int t = first; t < last; ++t) {
    for (const int corner : triangles_[t]) low = low.cwiseMin(points_[corner]), high = high.cwiseMax(points_[corner]);
  }
  boxes_.push_back({low, high, first, last});
  if (last - first <= kTrianglesOfLeaf) return own;
  int axis = 0;
  (high - low).maxCoeff(&axis);
  // A total order: the same tree whatever the sort.
  std::sort(triangles_.begin() + first, triangles_.begin() + last,
            [&](const std::array<int, 3>& a, const std::array<int, 3>& b) {
              const double x = points_[a[0]][axis] + points_[a[1]][axis] + points_[a[2]][axis],
                           y = points_[b[0]][axis] + points_[b[1]][axis] + points_[b[2]][axis];
              return x != y ? x < y : a < b;
            });
  const int middle = first + (last - first) / 2;
  add(first, middle);
  const int right = add(middle, last);
  boxes_[own].right = right;
  return own;
}

double TriangleTree::distance(const Vector3d& point, double most) const {
  double best = most * most;
  std::array<std::pair<int, double>, 64> stack;
  int depth = 0;
  if (!boxes_.empty()) stack[depth++] = {0, boxes_[0].distance2(point)};
  while (depth > 0) {
    const auto [b, from] = stack[--depth];
    if (from >= best) continue;
    const Box& box = boxes_[b];
    if (box.right < 0) {
      for (int t = box.first; t < box.last; ++t) {
        const auto& [i, j, k] = triangles_[t];
        best = std::min(best, squaredDistance(point, points_[i], points_[j], points_[k]));
      }
      continue;
    }
    std::pair<int, double> near{b + 1, boxes_[b + 1].distance2(point)},
        far{box.right, boxes_[box.right].distance2(point)};
    if (far.second < near.second) std::swap(near, far);
    stack[depth++] = far, stack[depth++] = near;
  }
  return best < most * most ? std::sqrt(best) : most;
}

}  // namespace rigor::geom
