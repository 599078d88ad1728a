// SPDX-License-Identifier: MIT
#include "geom/point_tree.h"

#include <algorithm>
#include <numeric>

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

constexpr int kLeaf = 8;
/// Of the largest coordinate: more than the roundings of a box's height and of a point's, a dozen of 2^-53 on numbers
/// up to twice as large.
constexpr double kHeightRounding = 0x1p-47;

}  // namespace

PointTree::PointTree(std::span<const Vector3d> points) : points_(points), order_(points.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  boxes_.reserve(2 * points.size() / kLeaf + 2);
  for (const Vector3d& p : points) reach_ = std::max(reach_, p.cwiseAbs().maxCoeff());
  if (!points.empty()) add(0, static_cast<int>(points.size()));
}

int PointTree::add(int first, int last) {
  const int number = static_cast<int>(boxes_.size());
  Box box{points_[order_[first]], points_[order_[first]], first, last};
  for (int i = first; i < last; ++i)
    box.low = box.low.cwiseMin(points_[order_[i]]), box.high = box.high.cwiseMax(points_[order_[i]]);
  boxes_.push_back(box);
  if (last - first <= kLeaf) return number;
  int axis = 0;
  (box.high - box.low).maxCoeff(&axis);
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
  const double slack = kHeightRounding * (reach_ + origin.cwiseAbs().maxCoeff());
  int stack[128], depth = 0;  // Halves: no deeper than 32 of them.
  stack[depth++] = 0;
  while (depth > 0) {
    const int number = stack[--depth];
    const Box& box = boxes_[number];
    const Vector3d top = (normal.array() > 0).select(box.high, box.low);
    if (normal.dot(top - origin) + slack <= bound) continue;
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
