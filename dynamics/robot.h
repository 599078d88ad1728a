// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/articulated_state.h"
#include "dynamics/controllers/controller.h"
#include "geom/shape.h"

namespace rigor::dynamics {

/// A robot as the user describes it: everything that the event loop starts from. In every output its links are named
/// `name/link`.
struct Robot {
  std::string name;
  std::shared_ptr<const ArticulatedModel> model;  ///< Never null; link and joint names as in its file.
  std::vector<std::vector<geom::Shape>> shapes;   ///< Of each link: convex parts, link frame; may be empty.
  std::vector<double> friction, restitution;      ///< Of each link, as of a body.
  ArticulatedState start;                         ///< Inside all joint limits.
  std::vector<double> limit_restitution;          ///< Of each joint's limits, in [0, 1]; empty: 0.
  bool self_collision = false;                    ///< Whether links of this robot may collide with each other.
  std::vector<std::pair<int, int>> ignored;       ///< Links that never collide, beside neighbours (areNeighbours).
  std::shared_ptr<const Controller> controller;   ///< Null for none.
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

/// Whether the event loop has to keep two links of one robot apart. O(ignored)
inline bool mayCollide(const Robot& robot, int a, int b) {
  if (!robot.self_collision || areNeighbours(*robot.model, a, b)) return false;
  for (const auto& [c, d] : robot.ignored) {
    if ((a == c && b == d) || (a == d && b == c)) return false;
  }
  return true;
}

}  // namespace rigor::dynamics
