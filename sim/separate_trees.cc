// SPDX-License-Identifier: MIT
#include "sim/separate_trees.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace rigor::sim {
namespace {

using dynamics::ArticulatedModel;
using dynamics::kWorld;

constexpr std::size_t kMostRobots = 1 << 11;  // What rows of a record can name.

/// Links [first, end) of a robot.
struct Range {
  int first, end;
  int size() const { return end - first; }
};

/// The work of withSeparateTrees() on one robot.
class Separation {
 public:
  Separation(const SceneRobot& whole, std::vector<Body>& bodies)
      : whole_(whole), model_(*whole.robot.model), bodies_(bodies), open_(model_.numLinks() + 1, 0) {}

  /// Ranges of links that nothing joins, in order. What does not move goes with what comes next. O(links + pairs)
  std::vector<Range> ranges() {
    for (int j = 0; j < model_.numJoints(); ++j) {
      const ArticulatedModel::Joint& joint = model_.joint(j);
      join(joint.parent, joint.child);
      if (joint.follows()) join(model_.joint(model_.findJoint(joint.leader)).child, joint.child);
    }
    for (const dynamics::LoopDescription& loop : model_.loops()) join(loop.link_a, loop.link_b);
    for (int a = 0; a < model_.numLinks(); ++a)
      for (const int body : bodyOf(a).ignored)
        if (const int b = body - whole_.first_body; moves(a) || moves(b)) join(a, b);
    std::vector<Range> found;
    int first = 0, joins = 0;
    bool moving = false;
    for (int link = 0; link < model_.numLinks(); ++link) {
      joins += open_[link], moving |= moves(link);
      if (joins > 0 || !moving) continue;
      found.push_back({first, link + 1});
      first = link + 1, moving = false;
    }
    if (!found.empty()) found.back().end = model_.numLinks();
    return found;
  }

  /// One link that floats and that something can touch: a body of a scene.
  bool isFreeBody(Range range) const {
    return range.size() == 1 && jointOf(range.first).type == dynamics::JointType::kFloating &&
           !bodyOf(range.first).parts.empty();
  }

  dynamics::Robot robotOf(Range range) const {
    const dynamics::Robot& whole = whole_.robot;
    dynamics::Robot robot;
    robot.name = whole.name, robot.self_collision = whole.self_collision;
    std::vector<int> joints;
    robot.model = modelOf(range, joints);
    robot.start = dynamics::ArticulatedState(*robot.model);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const auto &from = model_.joint(joints[k]), &to = robot.model->joint(static_cast<int>(k));
      robot.start.q.segment(to.q, to.num_q) = whole.start.q.segment(from.q, from.num_q);
      robot.start.v.segment(to.v, to.num_v) = whole.start.v.segment(from.v, from.num_v);
      if (!whole.limit_restitution.empty())
        robot.limit_restitution.push_back(whole.limit_restitution[static_cast<std::size_t>(joints[k])]);
    }
    const auto take = [&](const auto& list, auto& part) {
      if (!list.empty()) part.assign(list.begin() + range.first, list.begin() + range.end);
    };
    take(whole.shapes, robot.shapes), take(whole.friction, robot.friction), take(whole.masks, robot.masks);
    take(whole.restitution, robot.restitution), take(whole.trees, robot.trees);
    for (int& root : robot.trees) root = root == kWorld ? kWorld : root - range.first;
    for (const auto& [list, part] : {std::pair(&whole.ignored, &robot.ignored), {&whole.paired, &robot.paired}})
      for (const auto& [a, b] : *list)
        if (holds(range, a) && holds(range, b)) part->emplace_back(a - range.first, b - range.first);
    return robot;
  }

  /// Hands the bodies of a range to robot `number`, or to none (-1).
  void assign(Range range, int number) {
    for (int link = range.first; link < range.end; ++link) {
      Body& body = bodies_[static_cast<std::size_t>(whole_.first_body + link)];
      body.robot = number, body.link = number < 0 ? -1 : link - range.first;
      std::erase_if(body.ignored, [&](int other) { return !holds(range, other - whole_.first_body); });
    }
  }

 private:
  static bool holds(Range range, int link) { return link >= range.first && link < range.end; }
  const Body& bodyOf(int link) const { return bodies_[static_cast<std::size_t>(whole_.first_body + link)]; }
  const ArticulatedModel::Joint& jointOf(int link) const { return model_.joint(model_.link(link).joint); }
  bool moves(int link) const { return model_.link(link).node != 0; }
  /// No range ends between the two.
  void join(int a, int b) {
    if (a == kWorld || b == kWorld) return;
    ++open_[std::min(a, b)], --open_[std::max(a, b)];
  }

  std::shared_ptr<const ArticulatedModel> modelOf(Range range, std::vector<int>& taken) const {
    std::vector<dynamics::LinkDescription> links;
    for (int link = range.first; link < range.end; ++link) links.push_back(model_.link(link));
    std::vector<dynamics::JointDescription> joints;
    for (int j = 0; j < model_.numJoints(); ++j) {
      dynamics::JointDescription joint = model_.joint(j);
      if (!holds(range, joint.child)) continue;
      joint.child -= range.first;
      if (joint.parent != kWorld) joint.parent -= range.first;
      joints.push_back(std::move(joint)), taken.push_back(j);
    }
    std::vector<dynamics::LoopDescription> loops;
    for (dynamics::LoopDescription loop : model_.loops()) {
      if (!holds(range, std::max(loop.link_a, loop.link_b))) continue;
      for (int* link : {&loop.link_a, &loop.link_b})
        if (*link != kWorld) *link -= range.first;
      loops.push_back(std::move(loop));
    }
    return std::make_shared<const ArticulatedModel>(std::move(links), std::move(joints), std::move(loops));
  }

  const SceneRobot& whole_;
  const ArticulatedModel& model_;
  std::vector<Body>& bodies_;
  std::vector<int> open_;  // Of each link: how many more joins are open behind it than before it.
};

}  // namespace

Scene withSeparateTrees(Scene scene) {
  std::vector<SceneRobot> robots = std::exchange(scene.robots, {});
  std::size_t number = robots.size();
  for (SceneRobot& whole : robots) {
    Separation separation(whole, scene.bodies);
    std::vector<Range> ranges;
    if (!whole.robot.controller && !whole.robot.steps_as_one) ranges = separation.ranges();
    if (ranges.size() < 2 || number + ranges.size() > kMostRobots) {
      separation.assign({0, whole.robot.model->numLinks()}, static_cast<int>(scene.robots.size()));
      scene.robots.push_back(std::move(whole));
      continue;
    }
    const auto isFree = [&](Range range) { return separation.isFreeBody(range); };
    const bool all_free = std::ranges::all_of(ranges, isFree);
    for (const Range& range : ranges) {
      const bool free = isFree(range) && !(all_free && &range == ranges.data());
      separation.assign(range, free ? -1 : static_cast<int>(scene.robots.size()));
      if (!free) scene.robots.push_back({separation.robotOf(range), whole.first_body + range.first}), ++number;
    }
  }
  return scene;
}

}  // namespace rigor::sim
