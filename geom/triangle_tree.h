// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <limits>
#include <vector>

namespace rigor::geom {

/// Triangles by number of three points.
using Triangles = std::vector<std::array<int, 3>>;

/// Triangles in nested boxes.
class TriangleTree {
 public:
  /// O(n log^2 n) @pre `points` outlives it, and is finite.
  TriangleTree(const std::vector<Eigen::Vector3d>& points, Triangles triangles);
  const Triangles& triangles() const { return triangles_; }

  /// Distance of a point from the nearest triangle, rounded relative to their size, or `most` where none is nearer.
  double distance(const Eigen::Vector3d& point, double most = std::numeric_limits<double>::infinity()) const;
  /// Calls `visit(triangle)` for those whose boxes meet the box from `low` to `high`.
  template <class Visit>
  void visitIn(const Eigen::Vector3d& low, const Eigen::Vector3d& high, Visit visit) const {
    walk([&](const Box& box) { return (box.low.array() <= high.array() && box.high.array() >= low.array()).all(); },
         visit);
  }
  /// For those whose boxes meet the segment, and perhaps a few more.
  template <class Visit>
  void visitAlong(const Eigen::Vector3d& from, const Eigen::Vector3d& to, Visit visit) const {
    walk([&](const Box& box) { return box.meets(from, to); }, visit);
  }

 private:
  struct Box {
    Eigen::Vector3d low, high;
    int first, last;  // Of triangles_.
    int right = -1;   // The left half follows its box; -1: a leaf.
    double distance2(const Eigen::Vector3d& p) const {
      return (low - p).cwiseMax(p - high).cwiseMax(0).squaredNorm();
    }
    bool meets(const Eigen::Vector3d& from, const Eigen::Vector3d& to) const;
  };
  int add(int first, int last);
  template <class Enter, class Visit>
  void walk(Enter enter, Visit visit) const {
    std::array<int, 64> stack;
    int depth = 0;
    if (!boxes_.empty()) stack[depth++] = 0;
    while (depth > 0) {
      const int b = stack[--depth];
      const Box& box = boxes_[b];
      if (!enter(box)) continue;
      if (box.right >= 0) {
        stack[depth++] = box.right, stack[depth++] = b + 1;
        continue;
      }
      for (int t = box.first; t < box.last; ++t) visit(triangles_[t]);
    }
  }

  const std::vector<Eigen::Vector3d>& points_;
  Triangles triangles_;
  std::vector<Box> boxes_;
};

}  // namespace rigor::geom
