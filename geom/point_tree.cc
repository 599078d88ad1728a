// SPDX-License-Identifier: MIT
#include "geom/point_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elementary/require.h"

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

constexpr int kLeaf = 8;
/// Of the largest coordinate: more than the roundings of a box's height and of a point's, two dozen of 2^-53 on numbers
/// up to twice as large.
constexpr double kHeightRounding = 0x1p-47;

}  // namespace

PointTree::PointTree(std::span<const Vector3d> points) : points_(points), order_(points.size()) {
  RIGOR_REQUIRE(std::all_of(points.begin(), points.end(), [](const Vector3d& p) { return p.allFinite(); }));
  std::iota(order_.begin(), order_.end(), 0);
  boxes_.reserve(2 * points.size() / kLeaf + 2);
  for (const Vector3d& p : points) reach_ = std::max(reach_, p.cwiseAbs().maxCoeff());
  if (!points.empty()) add(0, static_cast<int>(points.size()));
}

int PointTree::add(int first, int last) {
  const int number = static_cast<int>(boxes_.size());
  Vector3d low = points_[order_[first]], high = low;
  for (int i = first; i < last; ++i) low = low.cwiseMin(points_[order_[i]]), high = high.cwiseMax(points_[order_[i]]);
  boxes_.push_back({});
  boxes_.back().corners << low, high;
  boxes_.back().first = first, boxes_.back().last = last;
  if (last - first <= kLeaf) return number;
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const int middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](int i, int j) { return points_[i][axis] < points_[j][axis]; });
  add(first, middle);
  const int right = add(middle, last);
  boxes_[number].right = right;
  return number;
}

bool PointTree::hasAbove(const Vector3d& normal, const Vector3d& origin, double bound) const {
  if (boxes_.empty()) return false;
  const double slack = kHeightRounding * (reach_ + origin.cwiseAbs().maxCoeff() + std::abs(bound)),
               limit = bound + normal.dot(origin) - slack;
  const int up[3] = {normal[0] > 0, normal[1] > 0, normal[2] > 0};  // The corner that is highest.
  int stack[128], depth = 0;  // Halves: no deeper than 32 of them.
  stack[depth++] = 0;
  while (depth > 0) {
    const int number = stack[--depth];
    const Box& box = boxes_[number];
    const auto& c = box.corners;
    if (normal[0] * c(0, up[0]) + normal[1] * c(1, up[1]) + normal[2] * c(2, up[2]) <= limit) continue;
    if (box.right >= 0) {
      stack[depth++] = box.right, stack[depth++] = number + 1;
      continue;
    }
    for (int i = box.first; i < box.last; ++i)
      if (!(normal.dot(points_[order_[i]] - origin) <= bound)) return true;
  }
  return false;
}

}  // namespace rigor::geom
