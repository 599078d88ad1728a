// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace rigor::sim {

/// Boxes of bodies, so that what is near a box is found without looking at the others: a balanced binary tree of boxes,
/// each a little larger than its body's, so that small motions leave it alone.
///
/// Guarantee: query() visits every body whose box, as last given, touches the one asked for, and perhaps others; each
/// once. Which others, and in what order, depends on what was done before: callers test and sort. Boxes that are
/// infinite or NaN are visited by every query, and a query that is visits every body.
class BodyTree {
 public:
  /// Forgets everything; bodies are 0 .. count - 1 and have no box yet.
  void reset(std::size_t count);
  /// The box of a body from now on [m]. O(log n); O(1) where the tree's own box still holds it and is not much too
  /// large.
  void update(int body, const Eigen::Vector3d& lower, const Eigen::Vector3d& upper);
  /// The body has no box from now on. O(log n)
  void remove(int body);

  /// visit(body) for every body whose box meets [lower, upper]. O(log n + visits).
  template <typename Visit>
  void query(const Eigen::Vector3d& lower, const Eigen::Vector3d& upper, Visit&& visit) const {
    for (const int body : unbounded_) visit(body);
    if (root_ < 0) return;
    int stack[kMaxDepth], size = 0;
    stack[size++] = root_;
    while (size > 0) {
      const Node& node = nodes_[stack[--size]];
      // NaN meets everything.
      if ((node.lower.array() > upper.array()).any() || (node.upper.array() < lower.array()).any()) continue;
      if (node.isLeaf()) {
        visit(node.body);
      } else {
        stack[size++] = node.child[0];
        stack[size++] = node.child[1];
      }
    }
  }

 private:
  static constexpr int kMaxDepth = 128;  // The tree is balanced like an AVL tree: 2^64 bodies have 93 levels.
  struct Node {
    Eigen::Vector3d lower, upper;
    int parent = -1, child[2] = {-1, -1};
    int body = -1, height = 0;
    bool isLeaf() const { return child[0] < 0; }
  };
  enum class Kept { kNowhere, kLeaf, kUnbounded };
  struct Place {
    Kept kept = Kept::kNowhere;
    int leaf = -1;
  };

  int newNode();
  void insert(int leaf);
  bool grow(int leaf, const Eigen::Vector3d& lower, const Eigen::Vector3d& upper);
  void detach(int leaf);
  int bestSibling(const Node& leaf) const;
  void refit(int node);
  void refitUpwards(int node);
  int balance(int node);
  void replaceChild(int parent, int old_child, int new_child);

  std::vector<Node> nodes_;
  std::vector<int> free_, unbounded_;
  std::vector<Place> place_;  // Of each body.
  int root_ = -1;
};

}  // namespace rigor::sim
