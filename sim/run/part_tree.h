// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "geom/skin.h"
#include "sim/runtime.h"

namespace rigor::sim {

/// Fixed bodies of more parts than this have a tree of them: a step then costs what is near, not what there is.
inline constexpr int kFewParts = 16;

/// Boxes of parts that never move, in the world: a binary tree of them.
///
/// Guarantee: each holds its part, whatever rounding does. Its order depends on the boxes alone.
class StillBoxes {
 public:
  StillBoxes() = default;
  explicit StillBoxes(std::vector<Eigen::AlignedBox3d> boxes);

  const Eigen::AlignedBox3d& operator[](int part) const { return boxes_[part]; }

  /// visit(part) for every part whose box meets `box` (NaN meets everything) and lies in no box for which skip(box);
  /// skip() is asked for boxes of parts too, and visit() comes in the tree's order.
  template <typename Skip, typename Visit>
  void visit(const Eigen::AlignedBox3d& box, Skip&& skip, Visit&& visit) const {
    for (const int part : unbounded_) visit(part);
    for (int i = 0; i < static_cast<int>(nodes_.size());) {
      const Node& node = nodes_[i];
      if (!meet(node.box, box) || skip(node.box)) {
        i = node.next;
        continue;
      }
      if (node.part >= 0) visit(node.part);
      ++i;
    }
  }
  /// visit(part, covered) for every part whose box meets `box`: whether it lies in a box for which covers(box), of
  /// which only the outermost is asked for.
  template <typename Covers, typename Visit>
  void visitAll(const Eigen::AlignedBox3d& box, Covers&& covers, Visit&& visit) const {
    for (const int part : unbounded_) visit(part, false);
    int end = 0;  // Of the box that holds what comes next.
    for (int i = 0; i < static_cast<int>(nodes_.size());) {
      const Node& node = nodes_[i];
      if (!meet(node.box, box)) {
        i = node.next;
        continue;
      }
      if (i >= end && covers(node.box)) end = node.next;
      if (node.part >= 0) visit(node.part, i < end);
      ++i;
    }
  }

 private:
  struct Node {
    Eigen::AlignedBox3d box;
    int part = -1;  // Of a leaf.
    int next;       // Behind all that it holds, which comes after it.
  };
  void build(std::span<int> parts);
  static bool meet(const Eigen::AlignedBox3d& a, const Eigen::AlignedBox3d& b) {  // NaN meets everything.
    return !(a.min().array() > b.max().array()).any() && !(a.max().array() < b.min().array()).any();
  }

  std::vector<Eigen::AlignedBox3d> boxes_;  // By part.
  std::vector<Node> nodes_;
  std::vector<int> unbounded_;  // Parts whose boxes are not finite.
};

/// The surface of a fixed body of several parts. It is made when something first comes near, as whoever only asks what
/// a scene starts from does without it.
class LazySkin {
 public:
  explicit LazySkin(std::span<const PartRuntime> parts);
  /// Null for bodies with half-spaces, and where no face of a part is inside. From any thread.
  const geom::Skin* get() const;

 private:
  std::vector<const geom::Polytope*> solids_;
  mutable std::once_flag once_;
  mutable geom::Skin skin_;
};

/// What is known of a fixed body of many parts, numbered from 0.
struct PartTree {
  StillBoxes boxes;
  std::shared_ptr<const geom::Shape> around;  ///< A box around all parts, body frame; null: none.
};

/// @param pose  Of the body's origin.
std::shared_ptr<const PartTree> treeOfParts(std::span<const PartRuntime> parts, const geom::Pose& pose);

/// The parts whose boxes meet [lower, upper], numbers within the body, ascending.
void partsNear(const PartTree& tree, const Eigen::Vector3d& lower, const Eigen::Vector3d& upper,
               std::vector<int>& found);

/// A box around part k of a body of which [lower, upper] is one, made of its centre's way and BodyRuntime::radius,
/// `margin` [m] wider, and by what rounding may take: the exact test comes after it.
inline Eigen::AlignedBox3d boxOfPart(const BodyRuntime& body, const PartRuntime& part, const Eigen::Vector3d& lower,
                                     const Eigen::Vector3d& upper, double margin) {
  constexpr double kRounding = 1e-12;  // Of coordinates of that size, generously.
  const double thinner = body.radius - part.radius;
  const Eigen::Vector3d wider =
      (margin - thinner + kRounding * (lower.cwiseAbs() + upper.cwiseAbs()).array() + kRounding * body.radius).matrix();
  return {lower - wider, upper + wider};
}

/// A part, as one of the solid that its body is.
inline geom::SkinPart skinOf(const BodyRuntime& body, const PartRuntime& part) {
  if (!body.skin) return {};
  return {body.skin->get(), part.part};
}

/// visit(i, j) for the parts i of body a and j of body b, numbers among all parts, that may be at most `margin` [m]
/// apart; all of them but where a body has a tree of its parts. `lower_a` to `upper_b` are boxes around where the
/// bodies get to, each made of a centre's way and BodyRuntime::radius; unused for fixed ones. `found` is scratch.
template <typename Visit>
void eachPairOfParts(std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, int a,
                     const Eigen::Vector3d& lower_a, const Eigen::Vector3d& upper_a, int b,
                     const Eigen::Vector3d& lower_b, const Eigen::Vector3d& upper_b, double margin,
                     std::vector<int>& found, Visit&& visit) {
  const BodyRuntime &A = bodies[a], &B = bodies[b];
  if (!A.part_tree && !B.part_tree) {
    for (int i = A.first_part; i < A.first_part + A.num_parts; ++i)
      for (int j = B.first_part; j < B.first_part + B.num_parts; ++j) visit(i, j);
    return;
  }
  const bool first = A.part_tree != nullptr;
  const BodyRuntime &still = first ? A : B, &other = first ? B : A;
  const Eigen::Vector3d &lower = first ? lower_b : lower_a, &upper = first ? upper_b : upper_a;
  for (int k = other.first_part; k < other.first_part + other.num_parts; ++k) {
    const Eigen::AlignedBox3d box = boxOfPart(other, parts[k], lower, upper, margin);
    partsNear(*still.part_tree, box.min(), box.max(), found);
    for (const int part : found)
      first ? visit(still.first_part + part, k) : visit(k, still.first_part + part);
  }
}

}  // namespace rigor::sim
