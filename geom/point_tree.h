// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

namespace rigor::geom {

/// Points in nested boxes, for questions that few of them can answer.
class PointTree {
 public:
  /// O(n log^2 n) @pre `points` outlives it, and is finite.
  explicit PointTree(std::span<const Eigen::Vector3d> points);
  /// Whether normal.(p - origin) > bound for one of them, each term rounded as written: the answer of looking at them
  /// all. `normal` is a unit vector. O(log n) where few come near.
  bool hasAbove(const Eigen::Vector3d& normal, const Eigen::Vector3d& origin, double bound) const;

 private:
  struct Box {
    Eigen::Matrix<double, 3, 2> corners;  // The low and the high one.
    int first, last;                      // Of order_.
    int right = -1;   // The left half follows its box; -1: a leaf.
  };
  int add(int first, int last);

  std::span<const Eigen::Vector3d> points_;
  std::vector<int> order_;
  std::vector<Box> boxes_;
  double reach_ = 0;  // Largest coordinate.
};

}  // namespace rigor::geom
