// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/articulated_state.h"
#include "dynamics/controllers/controller.h"
#include "geom/shape.h"

namespace rigor::dynamics {

/// Of a shape: two may meet where the kinds of one are among those that the other meets.
struct CollisionMask {
  std::uint32_t kinds = 1, meets = 1;  ///< A bit for each kind.
  bool operator==(const CollisionMask&) const = default;
  bool mayMeet(const CollisionMask& other) const { return (kinds & other.meets) != 0 || (other.kinds & meets) != 0; }
};

/// A robot as the user describes it: everything that the event loop starts from. In every output its links are named
/// `name/link`.
struct Robot {
  std::string name;
  std::shared_ptr<const ArticulatedModel> model;  ///< Never null; link and joint names as in its file.
  std::vector<std::vector<geom::Shape>> shapes;   ///< Of each link: convex parts, link frame; may be empty.
  std::vector<double> friction, restitution;      ///< Of each link, as of a body.
  ArticulatedState start;                         ///< Inside all joint limits.
  std::vector<double> limit_restitution;          ///< Of each joint's limits, in [0, 1]; empty: 0.
  bool self_collision = false;                    ///< Whether links of one tree may collide with each other.
  std::vector<int> trees;                         ///< Of each link, kWorld: the world's own; empty: all are of one.
  std::vector<std::vector<CollisionMask>> masks;  ///< Of each link's shapes, each once; empty: it meets all.
  std::vector<std::pair<int, int>> ignored;       ///< Links that never collide, beside neighbours (areNeighbours).
  std::vector<std::pair<int, int>> paired;        ///< Links that may collide whatever their masks say.
  std::shared_ptr<const Controller> controller;   ///< Null for none.
  bool steps_as_one = false;  ///< Trees that nothing joins step together, too, as they do under a controller.
};

/// Whether a joint joins the two links, or they belong to one rigid body, or to bodies that joints join with nothing of
/// mass between: such links never collide with each other. O(joints between)
inline bool areNeighbours(const ArticulatedModel& model, int a, int b) {
  const ArticulatedModel::Link &A = model.link(a), &B = model.link(b);
  if (A.node == B.node) return true;
  const auto hangs = [&](const ArticulatedModel::Link& child, int parent) {
    return model.joint(child.joint).parent == parent;
  };
  if (hangs(A, b) || hangs(B, a)) return true;
  // Whether `above` is the body that a joint of `node` hangs on, or hangs on by bodies without mass.
  const auto hangsOn = [&](int node, int above) {
    while (node != 0) {
      const int joint = model.nodes()[node].joint, parent = model.joint(joint).parent;
      if (model.joint(joint).type == JointType::kFloating) return false;
      node = parent == kWorld ? 0 : model.link(parent).node;
      if (node == above) return true;
      if (model.nodes()[node].mass > 0) return false;
    }
    return false;
  };
  return hangsOn(A.node, B.node) || hangsOn(B.node, A.node);
}

/// Whether two links stand in a list of pairs, in either order. O(pairs)
inline bool standIn(const std::vector<std::pair<int, int>>& pairs, int a, int b) {
  return std::ranges::any_of(
      pairs, [&](const auto& pair) { return pair == std::pair(a, b) || pair == std::pair(b, a); });
}

/// Whether some shape of one link meets some shape of the other by their masks. O(masks of a x masks of b)
inline bool masksMeet(const Robot& robot, int a, int b) {
  if (robot.masks.empty() || robot.masks[a].empty() || robot.masks[b].empty()) return true;
  return std::ranges::any_of(robot.masks[a], [&](const CollisionMask& mask) {
    return std::ranges::any_of(robot.masks[b], [&](const CollisionMask& other) { return mask.mayMeet(other); });
  });
}

/// Whether the event loop has to keep two links of one robot apart. O(ignored)
inline bool mayCollide(const Robot& robot, int a, int b) {
  const bool of_one_tree = robot.trees.empty() || robot.trees[a] == robot.trees[b];
  if ((of_one_tree && !robot.self_collision) || areNeighbours(*robot.model, a, b)) return false;
  if (standIn(robot.ignored, a, b)) return false;
  return masksMeet(robot, a, b) || standIn(robot.paired, a, b);
}

}  // namespace rigor::dynamics
