// SPDX-License-Identifier: MIT
#include "scenes/model_file.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dynamics/inertia_repair.h"
#include "elementary/elementary.h"
#include "geom/mass_properties.h"
#include "geom/shortest_turn.h"

namespace rigor::scenes {

namespace {

using dynamics::JointType;
using dynamics::kWorld;

/// Largest change, relative, that makes of a printed inertia a possible one: what makers of hands print needs up to
/// .14.
constexpr double kMostRepair = 0.15;
constexpr size_t kMostNames = 12;  // In one message.

geom::Pose compose(const geom::Pose& X_AB, const geom::Pose& X_BC) {
  const Eigen::Quaterniond a(X_AB.q[0], X_AB.q[1], X_AB.q[2], X_AB.q[3]), b(X_BC.q[0], X_BC.q[1], X_BC.q[2], X_BC.q[3]);
  const Eigen::Quaterniond q = a * b;
  return {{q.w(), q.x(), q.y(), q.z()}, X_AB * X_BC.p};
}

std::string listed(const std::vector<std::string>& names) {
  const std::vector<std::string> first(names.begin(), names.begin() + std::min(names.size(), kMostNames));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

class Judge {
 public:
  Judge(FileModel& file) : file_(file) {}

  void keepLoopsFromColliding() {
    for (const FileLoop& loop : file_.loops)
      if (loop.link_a >= 0 && loop.link_b >= 0 && loop.link_a != loop.link_b)
        file_.ignored.emplace_back(loop.link_a, loop.link_b);
  }

  /// The link that hangs on no joint; -1 where all hang in the world.
  int findRoot() {
    joint_of_.assign(file_.links.size(), -1);
    for (size_t j = 0; j < file_.joints.size(); ++j) {
      const FileJoint& joint = file_.joints[j];
      int& first = joint_of_[joint.child];
      if (first >= 0) {
        refuseLoop(joint, fmt::format("link {} hangs on joint {} already", file_.links[joint.child].name,
                                      file_.joints[first].name));
      }
      for (int above = joint.parent; above != kWorld;
           above = joint_of_[above] < 0 ? kWorld : file_.joints[joint_of_[above]].parent)
        if (above == joint.child) refuseLoop(joint, "closes a loop through link " + file_.links[joint.child].name);
      first = static_cast<int>(j);
    }
    int root = -1;
    for (size_t i = 0; i < file_.links.size(); ++i) {
      if (joint_of_[i] >= 0) continue;
      if (root >= 0) {
        file_.fail(file_.links[i].at,
                   fmt::format("two roots, link {} and link {}", file_.links[root].name, file_.links[i].name),
                   "one tree: every link but one is the child of a joint");
      }
      root = static_cast<int>(i);
    }
    return root;
  }

  void weighShapes() {
    if (!file_.density) return;
    std::vector<std::string> weighed;
    for (FileLink& link : file_.links) {
      if (link.mass > 0 && !link.assumed) continue;
      const std::optional<geom::MassProperties> body = ofShapes(link);
      if (!body) continue;
      const geom::MassProperties heavy = body->scaled(*file_.density);
      link.mass = heavy.mass, link.centre = heavy.centre, link.inertia = heavy.inertia;
      weighed.push_back(fmt::format("{} {:.3g} kg", link.name, link.mass));
    }
    if (!weighed.empty())
      file_.warn({}, fmt::format("links without mass, which collision shapes of {} kg/m^3 give: {}", *file_.density,
                                 listed(weighed)));
  }

  /// Point masses beyond a joint that could not move them: the inertia of their collision shapes instead. @returns
  /// whether there was any.
  bool spreadPointMasses(const std::string& joint_name) {
    bool any = false;
    for (size_t i = 0; i < file_.links.size(); ++i) {
      FileLink& link = file_.links[i];
      if (!(link.mass > 0) || !link.inertia.isZero(0) || !hangsOn(static_cast<int>(i), joint_name)) continue;
      const std::optional<geom::MassProperties> body = ofShapes(link);
      if (!body) continue;
      link.inertia = body->scaled(link.mass / body->mass).inertia;
      file_.warn(link.at, fmt::format("link {}: a mass without inertia, which joint {} cannot move; the inertia of its "
                                      "collision shapes at uniform density is used", link.name, joint_name));
      any = true;
    }
    return any;
  }

  /// Whether the root stays where it is: so says the scene, or it weighs nothing and something hangs on it by a joint.
  RobotBase baseOf(int root, RobotBase asked) {
    if (asked != RobotBase::kAuto || file_.links[root].name == "world") return asked;
    double carried = 0;
    for (size_t i = 0; i < file_.links.size(); ++i)
      if (isFixedTo(static_cast<int>(i), root)) carried += file_.links[i].mass;
    if (carried > 0) return asked;
    file_.warn(file_.links[root].at,
               fmt::format("link {}, the root, weighs nothing with all that is fixed to it; it is held fixed in the "
                           "world",
                           file_.links[root].name));
    return RobotBase::kFixed;
  }

  void refuseWeightless() const {
    const double total = std::accumulate(file_.links.begin(), file_.links.end(), 0.0,
                                         [](double sum, const FileLink& link) { return sum + link.mass; });
    const bool moves = std::any_of(file_.joints.begin(), file_.joints.end(),
                                   [](const FileJoint& joint) { return joint.type != JointType::kFixed; });
    if (!moves || total > 0) return;
    file_.fail({}, fmt::format("robot {}: none of its {} links has a mass", file_.name, file_.links.size()),
               "<inertial> of links that move, or `density` of the scene's robot, for that of their shapes");
  }

  void dropInertiasWithoutMass() {
    for (FileLink& link : file_.links) {
      if (link.mass > 0 || link.inertia.isZero(0)) continue;
      file_.warn(link.at, fmt::format("link {}: mass is 0; the inertia that it states is left out", link.name));
      link.inertia.setZero();
    }
  }

  void dropFrictionOfBalls() {
    for (FileJoint& joint : file_.joints) {
      if (joint.type != JointType::kSpherical || !(joint.friction > 0)) continue;
      file_.warn(joint.at,
                 fmt::format("joint {}: friction of a joint that turns about any axis is not simulated; it is left out",
                             joint.name));
      joint.friction = 0;
    }
  }

  /// Joints beyond which nothing weighs are held where they stand at zero.
  void holdIdleJoints() {
    std::vector<double> mass(file_.links.size());
    for (size_t i = 0; i < mass.size(); ++i) mass[i] = file_.links[i].mass;
    for (int link : outermostFirst()) {
      const int j = joint_of_[link];
      if (j < 0) continue;
      FileJoint& joint = file_.joints[j];
      if (joint.parent != kWorld) mass[joint.parent] += mass[link];
      if (joint.type == JointType::kFixed || mass[link] > 0 || joint.armature > 0) continue;
      if (joint.type == JointType::kFloating) continue;  // Of all that weighs nothing: refused below, or by the model.
      file_.warn(joint.at, fmt::format("joint {}: what it moves has no mass (link {}); it is held fixed", joint.name,
                                       file_.links[link].name));
      joint.hold(0);
    }
    holdFollowersOfHeld();
  }

  /// Of the bodies that links joined by fixed joints make. `fixed_root`: the root's is the world.
  void judgeInertias(bool fixed_root) {
    // The link that carries each, and its pose there.
    std::vector<int> carrier(file_.links.size());
    std::vector<geom::Pose> in_carrier(file_.links.size());
    for (int link : innermostFirst()) {
      const int j = joint_of_[link];
      const bool rigid = j >= 0 && file_.joints[j].type == JointType::kFixed;
      carrier[link] = rigid ? (file_.joints[j].parent == kWorld ? kWorld : carrier[file_.joints[j].parent])
                      : j < 0 && fixed_root ? kWorld : link;
      if (rigid && file_.joints[j].parent != kWorld)
        in_carrier[link] = compose(in_carrier[file_.joints[j].parent], file_.joints[j].origin);
    }
    for (size_t c = 0; c < file_.links.size(); ++c) {
      std::vector<geom::MassProperties> parts;
      std::vector<std::string> names;
      int heaviest = -1;
      for (size_t i = 0; i < file_.links.size(); ++i) {
        const FileLink& link = file_.links[i];
        if (carrier[i] != static_cast<int>(c) || !(link.mass > 0)) continue;
        parts.push_back(geom::transformed({link.mass, link.centre, link.inertia}, in_carrier[i]));
        names.push_back(link.name);
        if (heaviest < 0 || link.mass > file_.links[heaviest].mass) heaviest = static_cast<int>(i);
      }
      if (!parts.empty()) repair(geom::composed(parts), names, file_.links[heaviest], in_carrier[heaviest].rotation());
    }
  }

  /// Of each link the root of its tree, kWorld of the world's own.
  std::vector<int> trees() const {
    std::vector<int> root(file_.links.size()), tree(file_.links.size(), kWorld);
    std::vector<char> moves(file_.links.size(), false), any_moves(file_.links.size(), false);
    for (const int link : innermostFirst()) {
      const FileJoint& joint = file_.joints[joint_of_[link]];
      const bool of_world = joint.parent == kWorld;
      root[link] = of_world ? link : root[joint.parent];
      moves[link] = joint.type != JointType::kFixed || (!of_world && moves[joint.parent]);
      any_moves[root[link]] |= moves[link];
    }
    for (size_t i = 0; i < tree.size(); ++i)
      if (any_moves[root[i]] && (moves[i] || !file_.links[i].of_world)) tree[i] = root[i];
    return tree;
  }

  /// @throws LoadError for what is no mechanism.
  std::shared_ptr<const dynamics::ArticulatedModel> makeModel() {
    for (;;) {
      try {
        return std::make_shared<const dynamics::ArticulatedModel>(
            std::vector<dynamics::LinkDescription>(file_.links.begin(), file_.links.end()),
            std::vector<dynamics::JointDescription>(file_.joints.begin(), file_.joints.end()),
            std::vector<dynamics::LoopDescription>(file_.loops.begin(), file_.loops.end()));
      } catch (const dynamics::ModelError& error) {
        const std::string kind = "joint ";
        if (error.element.starts_with(kind) && spreadPointMasses(error.element.substr(kind.size()))) continue;
        Position at;
        for (const FileLink& link : file_.links) if (error.element == "link " + link.name) at = link.at;
        for (const FileJoint& joint : file_.joints) if (error.element == kind + joint.name) at = joint.at;
        for (const FileLoop& loop : file_.loops)
          if (error.element == "loop " + loop.name) at = loop.at;
        file_.fail(at, error.what(), "links and joints of a tree of rigid bodies");
      }
    }
  }

  void nameShapeless() const {
    std::vector<std::string> bare, seen;
    for (const FileLink& link : file_.links) {
      if (!link.shapes.empty()) continue;
      bare.push_back(link.name);
      if (link.visible) seen.push_back(link.name);
    }
    if (bare.size() == file_.links.size()) {
      file_.warn({}, fmt::format("robot {}: none of its {} links has a collision shape: nothing touches it{}",
                                 file_.name, bare.size(),
                                 seen.empty() ? "" : fmt::format(" ({} of them have visual shapes)", seen.size())));
    } else if (!seen.empty()) {
      file_.warn({}, fmt::format("robot {}: links with visual but no collision shapes, which nothing touches: {}",
                                 file_.name, listed(seen)));
    }
  }

 private:
  /// The collision shapes of a link, of density 1; none where it has no solid ones.
  static std::optional<geom::MassProperties> ofShapes(const FileLink& link) {
    const std::optional<geom::MassProperties> none;
    std::vector<geom::MassProperties> parts;
    for (size_t i = 0; i < link.shapes.size(); ++i) {
      const auto* part = std::get_if<geom::Polytope>(&link.shapes[i]);
      const std::optional<geom::MassProperties>& weight = i < link.origins.size() ? link.origins[i].weight : none;
      if (part) parts.push_back(weight ? *weight : geom::massProperties(*part));
    }
    if (parts.empty()) return {};
    return geom::composed(parts);
  }

  bool hangsOn(int link, const std::string& joint_name) const {
    for (; link != kWorld && joint_of_[link] >= 0; link = file_.joints[joint_of_[link]].parent)
      if (file_.joints[joint_of_[link]].name == joint_name) return true;
    return false;
  }
  /// Whether nothing but fixed joints is between a link and one inward of it.
  bool isFixedTo(int link, int inner) const {
    while (link != inner) {
      if (link == kWorld || joint_of_[link] < 0) return false;
      const FileJoint& joint = file_.joints[joint_of_[link]];
      if (joint.type != JointType::kFixed) return false;
      link = joint.parent;
    }
    return true;
  }

  [[noreturn]] void refuseLoop(const FileJoint& joint, const std::string& what) const {
    file_.fail(joint.at, fmt::format("joint {}: {}", joint.name, what),
               "a tree; `<loop_joint>` or the scene's `loops` close loops");
  }

  /// A joint that follows one that no longer moves stays where that one puts it.
  void holdFollowersOfHeld() {
    const auto leaderOf = [&](const FileJoint& joint) {
      return std::find_if(file_.joints.begin(), file_.joints.end(),
                          [&](const FileJoint& other) { return other.name == joint.leader; });
    };
    for (bool again = true; again;) {
      again = false;
      for (FileJoint& joint : file_.joints) {
        if (joint.leader.empty()) continue;
        const auto leader = leaderOf(joint);
        if (leader == file_.joints.end() || leader->type != JointType::kFixed) continue;
        file_.warn(joint.at, fmt::format("joint {}: follows joint {}, which does not move; it is held fixed",
                                         joint.name, joint.leader));
        joint.hold(joint.offset);
        again = true;
      }
    }
  }

  /// Parents before children.
  std::vector<int> innermostFirst() const {
    std::vector<int> order, depth(file_.links.size(), 0);
    for (size_t i = 0; i < depth.size(); ++i) {
      order.push_back(static_cast<int>(i));
      for (int above = static_cast<int>(i); above != kWorld && joint_of_[above] >= 0;
           above = file_.joints[joint_of_[above]].parent)
        ++depth[i];
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return depth[a] < depth[b]; });
    return order;
  }
  std::vector<int> outermostFirst() const {
    std::vector<int> order = innermostFirst();
    std::reverse(order.begin(), order.end());
    return order;
  }

  void repair(const geom::MassProperties& body, const std::vector<std::string>& names, FileLink& heaviest,
              const Eigen::Matrix3d& R) {
    const std::string who = names.size() == 1 ? "link " + names[0] : "links " + listed(names) + ", one body";
    const dynamics::InertiaRepair near = dynamics::nearestInertia(body.inertia);
    if (near.change == 0) {
      heaviest.inertia = 0.5 * (heaviest.inertia + heaviest.inertia.transpose()).eval();
      return;
    }
    const std::string reason = dynamics::impossibleInertia(body.inertia);
    if (!(near.change <= kMostRepair)) {  // NaN -> refused
      file_.fail(heaviest.at, fmt::format("{}: {}", who, reason),
                 fmt::format("an inertia that a body can have; the nearest differs by {:.2g} of it, more than {}",
                             near.change, kMostRepair));
    }
    file_.warn(heaviest.at, fmt::format("{}: {}; the nearest possible inertia, {:.2g} of it away, is used", who, reason,
                                        near.change));
    const Eigen::Matrix3d change = R.transpose() * (near.inertia - body.inertia) * R;
    heaviest.inertia += 0.5 * (change + change.transpose());
  }

  FileModel& file_;
  std::vector<int> joint_of_;  // Of each link; -1: a root.
};

std::string freeName(const std::vector<FileJoint>& joints) {
  std::string name = "base";
  while (std::any_of(joints.begin(), joints.end(), [&](const auto& joint) { return joint.name == name; })) name += '_';
  return name;
}

void addBaseJoint(FileModel& file, int root, RobotBase base, const geom::Pose& pose) {
  FileJoint joint;
  joint.name = freeName(file.joints);
  const bool floating = base == RobotBase::kFloating || (base == RobotBase::kAuto && file.links[root].name != "world");
  joint.type = floating ? JointType::kFloating : JointType::kFixed;
  joint.child = root, joint.at = file.links[root].at, joint.origin = pose;
  file.joints.push_back(joint);
}

/// Joints that hang links in the world follow the pose of the file's world and what the scene says of the base.
void placeWorldJoints(FileModel& file, RobotBase base, const geom::Pose& pose) {
  bool any = false;
  for (FileJoint& joint : file.joints) {
    if (joint.parent != kWorld) continue;
    joint.origin = compose(pose, joint.origin);
    if (base == RobotBase::kFixed && joint.type == JointType::kFloating)
      joint.type = JointType::kFixed, joint.start.clear();
    if (base == RobotBase::kFloating && !any && joint.type == JointType::kFixed &&
        file.links[joint.child].name != "world")
      joint.type = JointType::kFloating, any = true;
  }
}

/// Loops of the file that end in its world move with it.
void placeWorldLoops(FileModel& file, const geom::Pose& pose) {
  for (FileLoop& loop : file.loops) {
    if (loop.of_scene) continue;
    if (loop.link_a == kWorld) loop.frame_a = compose(pose, loop.frame_a);
    if (loop.link_b == kWorld) loop.frame_b = compose(pose, loop.frame_b);
  }
}

/// The coordinates that a file gives a joint.
void takeStart(const FileModel& file, const FileJoint& joint, const dynamics::ArticulatedModel::Joint& made,
               const geom::Pose& pose, const dynamics::ArticulatedModel& model, dynamics::ArticulatedState& state) {
  const auto& given = joint.start;
  if (given.empty() || made.num_q == 0) return;
  if (static_cast<int>(given.size()) != made.num_q)
    file.fail(joint.at, fmt::format("joint {}: {} coordinates", joint.name, given.size()),
              fmt::format("{}", made.num_q));
  Eigen::Map<const Eigen::VectorXd> q(given.data(), made.num_q);
  state.q.segment(made.q, made.num_q) = q;
  const bool ball = joint.type == JointType::kSpherical, floats = joint.type == JointType::kFloating;
  if (ball || floats) {
    const Eigen::Vector4d turn = q.tail<4>();
    if (!std::isnormal(turn.squaredNorm()))
      file.fail(joint.at, fmt::format("joint {}: a quaternion of length zero", joint.name), "any other length");
    if (ball) state.q.segment<4>(made.q) = turn.normalized();
    else
      dynamics::setFloating(model, joint.child, compose(pose, {turn.normalized(), q.head<3>()}), {0, 0, 0}, {0, 0, 0},
                            state);
  }
}

}  // namespace

void FileJoint::hold(double q) {
  if (q != 0 && axis.norm() > 0) {
    geom::Pose moved;
    const Eigen::Vector3d direction = axis.normalized();
    if (type == JointType::kPrismatic) moved.p = q * direction;
    if (type == JointType::kRevolute) moved.q << elementary::cos(q / 2), elementary::sin(q / 2) * direction;
    origin = compose(origin, moved);
  }
  type = JointType::kFixed;
  damping = armature = friction = stiffness = 0;
  upper = std::numeric_limits<double>::infinity(), lower = -upper;
  leader.clear(), start.clear();
}

geom::Pose frameAlong(const Eigen::Vector3d& axis) {
  return {geom::shortestTurn(Eigen::Vector3d::UnitZ(), axis), {0, 0, 0}};
}

void FileModel::warn(Position at, const std::string& what) const {
  if (warnings) warnings->push_back(fmt::format("{}:{}:{}: {}", pathOf(at), at.line, at.column, what));
}

void FileModel::warnAlike(Position at, const std::string& who, const std::string& what) {
  if (!warnings) return;
  const auto [known, fresh] = alike.emplace(what, std::pair(warnings->size(), at));
  if (fresh) return warn(at, who + what);
  const auto& [line, first] = known->second;
  const std::string place = at.file == first.file ? "line " : pathOf(at) + ':';
  std::string& text = (*warnings)[line];
  text += fmt::format("{} {} ({}{})", text.ends_with(what) ? "; likewise" : ",", who, place, at.line);
}

RobotModel makeRobotModel(FileModel file, RobotBase base, const geom::Pose& pose) {
  if (file.links.empty()) file.fail({}, "a robot without links", "at least one link");
  Judge judge(file);
  judge.keepLoopsFromColliding();
  const int root = judge.findRoot();
  judge.weighShapes();
  if (root >= 0) addBaseJoint(file, root, judge.baseOf(root, base), pose);
  else placeWorldJoints(file, base, pose);
  placeWorldLoops(file, pose);
  (void)judge.findRoot();  // With the base's joint.
  judge.dropInertiasWithoutMass();
  judge.dropFrictionOfBalls();
  judge.refuseWeightless();
  judge.holdIdleJoints();
  judge.judgeInertias(true);
  judge.nameShapeless();

  RobotModel robot;
  robot.name = file.name;
  robot.model = judge.makeModel();
  const dynamics::ArticulatedModel& model = *robot.model;
  robot.start = dynamics::ArticulatedState(model);
  for (size_t j = 0; j < file.joints.size(); ++j) {
    const FileJoint& joint = file.joints[j];
    const auto& made = model.joint(static_cast<int>(j));
    takeStart(file, joint, made, pose, model, robot.start);
  }
  int first = -1;  // Of the joints that hang links in the world: the first that floats, else the first.
  for (size_t j = 0; j < file.joints.size(); ++j) {
    const FileJoint& joint = file.joints[j];
    const bool floats = joint.type == JointType::kFloating;
    if (joint.parent != kWorld || (first >= 0 && (robot.floating || !floats))) continue;
    first = joint.child, robot.floating = floats;
  }
  robot.root = first;
  robot.trees = judge.trees();
  for (FileLink& link : file.links) {
    robot.shapes.push_back(std::move(link.shapes)), robot.origins.push_back(std::move(link.origins));
    robot.friction.push_back(link.friction), robot.masks.push_back(std::move(link.masks));
  }
  robot.ignored = std::move(file.ignored), robot.paired = std::move(file.paired);
  return robot;
}

}  // namespace rigor::scenes
