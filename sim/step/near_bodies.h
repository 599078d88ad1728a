// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "sim/run/part_tree.h"
#include "sim/step/body_box.h"
#include "sim/step/step_world.h"

namespace rigor::sim {

/// Finds the bodies near those of a group. Costs what is near, by the tree of all boxes.
class NearBodies {
 public:
  using Pair = std::pair<int, int>;

  /// Pairs of bodies with shapes that may collide, whose boxes are at most `margin` [m] apart: one of the group and one
  /// of the others, and two of the group (the smaller number first). `own` are the boxes of the group, by slot; others
  /// count by their pieces. Sorted by the first, then the second; valid until the next call.
  std::span<const Pair> find(const StepWorld& world, std::span<const BodyBox> own, double margin);

 private:
  void findOthers(const StepWorld& world, std::span<const BodyBox> own, double margin);
  void tryOther(const StepWorld& world, int a, const BodyBox& box, int b, double margin);
  void findOwn(const StepWorld& world, std::span<const BodyBox> own, double margin);

  std::vector<Pair> pairs_;
  std::vector<int> order_, others_;
};

/// visit(i, j) for the parts i of a and j of b, a pair that find() gave, that may be at most `margin` apart.
template <typename Visit>
void eachNearPart(const StepWorld& world, std::span<const BodyBox> own, int a, int b, double margin,
                  std::vector<int>& found, Visit&& visit) {
  const auto boxOf = [&](int body) -> const BodyBox& {
    static const BodyBox kNowhere{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    return world.slot_of[body] >= 0 ? own[world.slot_of[body]] : kNowhere;  // Only bodies outside have trees.
  };
  const BodyBox &A = boxOf(a), &B = boxOf(b);
  eachPairOfParts(world.bodies, world.parts, a, A.lower, A.upper, b, B.lower, B.upper, margin, found, visit);
}

}  // namespace rigor::sim
