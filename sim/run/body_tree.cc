// SPDX-License-Identifier: MIT
#include "sim/run/body_tree.h"

#include <algorithm>
#include <utility>

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr double kMargin = 0.05;   // The tree's box is larger by this share of the body's size on each side,
constexpr double kTooLarge = 4;    // and made anew where the body's has become this much smaller.

constexpr double kMuchLarger = 1.1;  // A parent that its child would enlarge by more than this gets another child,
constexpr double kMostlyFilled = 2;  // as does one whose surface exceeds those of its children by more than this.

double surface(const Vector3d& size) { return size.x() * size.y() + size.y() * size.z() + size.z() * size.x(); }

}  // namespace

void BodyTree::reset(std::size_t count) {
  nodes_.clear(), free_.clear(), unbounded_.clear();
  place_.assign(count, {});
  root_ = -1;
}

void BodyTree::makeRoom(std::size_t count) {
  if (count > place_.size()) place_.resize(count);
}

int BodyTree::newNode() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<int>(nodes_.size()) - 1;
  }
  const int node = free_.back();
  free_.pop_back();
  nodes_[node] = {};
  return node;
}

void BodyTree::update(int body, const Vector3d& lower, const Vector3d& upper) {
  Place& place = place_[body];
  const bool bounded = lower.allFinite() && upper.allFinite() && (lower.array() <= upper.array()).all();
  if (!bounded) {
    if (place.kept == Kept::kUnbounded) return;
    remove(body);
    unbounded_.insert(std::upper_bound(unbounded_.begin(), unbounded_.end(), body), body);
    place.kept = Kept::kUnbounded;
    return;
  }
  const Vector3d size = upper - lower;
  if (place.kept == Kept::kLeaf) {
    const Node& leaf = nodes_[place.leaf];
    if ((leaf.lower.array() <= lower.array()).all() && (upper.array() <= leaf.upper.array()).all() &&
        ((leaf.upper - leaf.lower).array() <= kTooLarge * size.maxCoeff()).all())
      return;
  }
  const double margin = kMargin * size.maxCoeff();
  // Never smaller than the box, whatever the rounding.
  const Vector3d lowest = (lower.array() - margin).min(lower.array()),
                 highest = (upper.array() + margin).max(upper.array());
  if (place.kept == Kept::kLeaf && grow(place.leaf, lowest, highest)) return;
  remove(body);
  const int leaf = newNode();
  nodes_[leaf].lower = lowest, nodes_[leaf].upper = highest;
  nodes_[leaf].body = body;
  place = {Kept::kLeaf, leaf};
  insert(leaf);
}

/// Gives a leaf another box where that leaves its parent about as large as it was: it need not find a new place then.
bool BodyTree::grow(int leaf, const Vector3d& lower, const Vector3d& upper) {
  const int parent = nodes_[leaf].parent;
  if (parent < 0) return false;
  const Node& above = nodes_[parent];
  const Node& sibling = nodes_[above.child[above.child[0] == leaf ? 1 : 0]];
  const double before = surface(above.upper - above.lower),
               after = surface(upper.cwiseMax(sibling.upper) - lower.cwiseMin(sibling.lower));
  const double filled = surface(upper - lower) + surface(sibling.upper - sibling.lower);
  if (!(after <= before || after <= std::min(kMuchLarger * before, kMostlyFilled * filled))) return false;
  nodes_[leaf].lower = lower, nodes_[leaf].upper = upper;
  for (int node = parent; node >= 0; node = nodes_[node].parent) refit(node);
  return true;
}

void BodyTree::remove(int body) {
  Place& place = place_[body];
  if (place.kept == Kept::kUnbounded) std::erase(unbounded_, body);
  if (place.kept == Kept::kLeaf) {
    detach(place.leaf);
    free_.push_back(place.leaf);
  }
  place = {};
}

/// Down the tree to where a new parent of a node and the leaf enlarges the boxes least.
int BodyTree::bestSibling(const Node& leaf) const {
  const auto joined = [&](const Node& node) {
    return surface(node.upper.cwiseMax(leaf.upper) - node.lower.cwiseMin(leaf.lower));
  };
  int node = root_;
  while (!nodes_[node].isLeaf()) {
    const double own = surface(nodes_[node].upper - nodes_[node].lower), with = joined(nodes_[node]);
    const double stop = 2 * with, inherited = 2 * (with - own);
    double cost[2];
    for (int k = 0; k < 2; ++k) {
      const Node& child = nodes_[nodes_[node].child[k]];
      cost[k] = inherited + joined(child) - (child.isLeaf() ? 0 : surface(child.upper - child.lower));
    }
    if (stop < cost[0] && stop < cost[1]) break;
    node = nodes_[node].child[cost[1] < cost[0] ? 1 : 0];
  }
  return node;
}

void BodyTree::insert(int leaf) {
  if (root_ < 0) {
    root_ = leaf;
    return;
  }
  const int sibling = bestSibling(nodes_[leaf]), parent = newNode(), above = nodes_[sibling].parent;
  nodes_[parent].parent = above;
  nodes_[parent].child[0] = sibling, nodes_[parent].child[1] = leaf;
  nodes_[sibling].parent = nodes_[leaf].parent = parent;
  replaceChild(above, sibling, parent);
  refitUpwards(parent);
}

void BodyTree::detach(int leaf) {
  const int parent = nodes_[leaf].parent;
  if (parent < 0) {
    root_ = -1;
    return;
  }
  const int sibling = nodes_[parent].child[nodes_[parent].child[0] == leaf ? 1 : 0], above = nodes_[parent].parent;
  nodes_[sibling].parent = above;
  replaceChild(above, parent, sibling);
  free_.push_back(parent);
  refitUpwards(above);
}

void BodyTree::replaceChild(int parent, int old_child, int new_child) {
  if (parent < 0) root_ = new_child;
  else nodes_[parent].child[nodes_[parent].child[0] == old_child ? 0 : 1] = new_child;
}

void BodyTree::refit(int node) {
  Node& n = nodes_[node];
  const Node &a = nodes_[n.child[0]], &b = nodes_[n.child[1]];
  n.lower = a.lower.cwiseMin(b.lower), n.upper = a.upper.cwiseMax(b.upper);
  n.height = 1 + std::max(a.height, b.height);
}

void BodyTree::refitUpwards(int node) {
  for (; node >= 0; node = nodes_[node].parent) {
    node = balance(node);
    refit(node);
  }
}

/// Turns the taller child of a node to its place where its height exceeds the other's by more than one. @returns what
/// is there then.
int BodyTree::balance(int node) {
  Node& a = nodes_[node];
  if (a.isLeaf()) return node;
  const int difference = nodes_[a.child[1]].height - nodes_[a.child[0]].height;
  if (difference >= -1 && difference <= 1) return node;
  const int side = difference > 1 ? 1 : 0, up = a.child[side];
  Node& b = nodes_[up];
  const int taller = nodes_[b.child[0]].height > nodes_[b.child[1]].height ? 0 : 1;
  replaceChild(a.parent, node, up);
  b.parent = a.parent, a.parent = up;
  // The lower of its two children changes over.
  const int moved = b.child[1 - taller];
  b.child[1 - taller] = node;
  a.child[side] = moved;
  nodes_[moved].parent = node;
  refit(node);
  return up;
}

}  // namespace rigor::sim
