// SPDX-License-Identifier: MIT
#include "scenes/joint_types_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenes/joint_kinds.h"
#include "scenes/nearest_word.h"

namespace rigor::scenes {
namespace {

using dynamics::JointType;
using Eigen::Vector3d;

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string nearest = nearestWord(name, views);
  return nearest.empty() ? "" : "did you mean " + nearest + "? ";
}

/// The file's joint of that name, which must be one that a type can stand for.
std::size_t jointNamed(const Value& map, const std::string& name, const FileModel& file) {
  std::vector<std::string> names;
  for (const FileJoint& joint : file.joints) names.push_back(joint.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw LoadError(map.path(), map.keyPosition(name), fmt::format("{}: no joint is called {}", map.name(), name),
                    suggestion(name, names) + fmt::format("the joints are {}", fmt::join(names, ", ")));
  return static_cast<std::size_t>(found - names.begin());
}

const JointKind& kindNamed(const Value& type) {
  const std::vector<std::string> given = type.keys(), known = jointKindNames();
  if (given.size() != 1)
    type.fail(fmt::format("{} has {} types", type.name(), given.size()),
              fmt::format("one of {}", fmt::join(known, ", ")));
  const JointKind* kind = findJointKind(given[0]);
  if (!kind)
    throw LoadError(type.path(), type.keyPosition(given[0]), fmt::format("{}: unknown type {}", type.name(), given[0]),
                    suggestion(given[0], known) + fmt::format("one of {}", fmt::join(known, ", ")));
  return *kind;
}

/// @throws LoadError for axes that make no joint: the fault of whoever registered the type.
void checkAxes(const Value& type, const JointKind& kind, const std::vector<JointAxis>& axes) {
  const auto refuse = [&](const std::string& why) {
    type.fail(fmt::format("{}: joint type {} {}", type.name(), kind.name, why),
              "axes with names of their own, of finite numbers, which follow axes before them");
  };
  if (axes.empty()) refuse("has no axis");
  for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
    const auto isNamed = [](const std::string& name) {
      return [name](const JointAxis& other) { return other.name == name; };
    };
    if (!isWord(axis->name) || std::any_of(axes.begin(), axis, isNamed(axis->name)))
      refuse(fmt::format("has an axis named '{}'", axis->name));
    if (!(axis->direction.allFinite() && axis->direction.norm() > 0 && axis->point.allFinite()) ||  // NaN -> refused
        !std::isfinite(axis->ratio))
      refuse(fmt::format("has an axis {} without direction, place or ratio", axis->name));
    if (!axis->follows.empty() && std::none_of(axes.begin(), axis, isNamed(axis->follows)))
      refuse(fmt::format("has an axis {} that follows {}, which is not before it", axis->name, axis->follows));
  }
}

/// Puts the axes in the place of one joint of the file.
class JointChain {
 public:
  JointChain(FileModel& file, std::size_t joint, const std::vector<JointAxis>& axes)
      : file_(file), whole_(file.joints[joint]), place_(joint), axes_(axes) {
    const bool shifts = whole_.type == JointType::kPrismatic, fixed = whole_.type == JointType::kFixed;
    const auto same = std::find_if(axes.begin(), axes.end(), [&](const JointAxis& a) { return a.shifts == shifts; });
    heir_ = fixed ? axes.size() : static_cast<std::size_t>(same - axes.begin());
    frame_ = fixed ? Eigen::Matrix3d::Identity() : frameAlong(whole_.axis).rotation();
  }

  bool hasHeir() const { return whole_.type == JointType::kFixed || heir_ < axes_.size(); }
  bool heirFollows() const { return heir_ < axes_.size() && !axes_[heir_].follows.empty(); }

  void link() {
    int parent = whole_.parent;
    Vector3d at(0, 0, 0);  // Of the parent's joint frame, in the whole joint's.
    const bool ends_aside = !axes_.back().point.isZero(0);
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const bool last = k + 1 == axes_.size();
      const int child = last && !ends_aside ? whole_.child : addLink(axes_[k].name);
      const Vector3d point = frame_ * axes_[k].point;
      put(made(k, parent, child, point - at), k == 0);
      parent = child, at = point;
    }
    if (ends_aside) {
      FileJoint rest;
      rest.name = freeName(whole_.name + ".end"), rest.at = whole_.at;
      rest.parent = parent, rest.child = whole_.child, rest.origin.p = -at;
      put(std::move(rest), false);
    }
    if (whole_.parent >= 0) file_.ignored.emplace_back(whole_.parent, whole_.child);  // As of links that a joint joins.
  }

 private:
  FileJoint made(std::size_t k, int parent, int child, const Vector3d& shift) const {
    const JointAxis& axis = axes_[k];
    FileJoint joint;
    if (k == heir_) joint = whole_;
    joint.name = nameOf(k), joint.at = whole_.at;
    joint.type = axis.shifts ? JointType::kPrismatic : JointType::kRevolute;
    joint.parent = parent, joint.child = child;
    joint.axis = frame_ * axis.direction;
    joint.origin = k == 0 ? whole_.origin : geom::Pose();
    joint.origin.p = joint.origin * shift;
    if (!axis.follows.empty()) {
      const auto leader =
          std::find_if(axes_.begin(), axes_.end(), [&](const JointAxis& other) { return other.name == axis.follows; });
      joint.leader = nameOf(static_cast<std::size_t>(leader - axes_.begin())), joint.ratio = axis.ratio;
    }
    return joint;
  }

  std::string nameOf(std::size_t k) const { return k == heir_ ? whole_.name : whole_.name + "." + axes_[k].name; }

  /// The first takes the place of the whole joint, as others know joints by their numbers.
  void put(FileJoint joint, bool first) {
    if (first) file_.joints[place_] = std::move(joint);
    else file_.joints.push_back(std::move(joint));
  }

  int addLink(const std::string& axis) {
    FileLink link;
    link.name = file_.links[whole_.child].name + "." + axis, link.at = whole_.at;
    file_.links.push_back(std::move(link));
    return static_cast<int>(file_.links.size()) - 1;
  }

  std::string freeName(std::string name) const {
    const auto taken = [&] {
      return std::any_of(file_.joints.begin(), file_.joints.end(), [&](const auto& j) { return j.name == name; });
    };
    while (taken()) name += '_';
    return name;
  }

  FileModel& file_;
  const FileJoint whole_;
  std::size_t place_, heir_;
  const std::vector<JointAxis>& axes_;
  Eigen::Matrix3d frame_;
};

void replaceJoint(const Value& type, const JointKind& kind, std::size_t place, FileModel& file) {
  const FileJoint& joint = file.joints[place];
  const bool one = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
  const bool fixed = joint.type == JointType::kFixed;
  if (kind.needs_axis ? !one : !fixed)
    type.fail(fmt::format("{}: joint {} of the file is of another type", type.name(), joint.name),
              fmt::format("a {} joint, which {} stands for",
                          kind.needs_axis ? "revolute, continuous or prismatic" : "fixed", kind.name));
  const std::vector<JointAxis> axes = kind.axes(readFields(type.at(kind.name), kind.fields));
  checkAxes(type, kind, axes);
  JointChain chain(file, place, axes);
  if (!chain.hasHeir())
    type.fail(fmt::format("{}: no axis of {} {} as joint {} does", type.name(), kind.name,
                          joint.type == JointType::kPrismatic ? "shifts" : "turns", joint.name),
              "a type with one, or another type of joint in the file");
  if (chain.heirFollows() && !joint.leader.empty())
    type.fail(fmt::format("{}: joint {} follows joint {}", type.name(), joint.name, joint.leader),
              fmt::format("a joint with a coordinate of its own, as that axis of {} follows another", kind.name));
  chain.link();
}

}  // namespace

void readJointTypes(const Value& map, FileModel& file, std::vector<std::string>* own) {
  if (!map.isMap()) map.refuse("a map of joints and their types");
  std::vector<std::string> seen;
  for (const std::string& name : map.keys()) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw LoadError(map.path(), map.keyPosition(name), "duplicate field " + map.name() + '.' + name,
                      "each joint once");
    seen.push_back(name);
    const std::size_t place = jointNamed(map, name, file);
    const Value type = map.at(name);
    const JointKind& kind = kindNamed(type);
    if (kind.own && own) own->push_back(kind.name);
    replaceJoint(type, kind, place, file);
  }
}

}  // namespace rigor::scenes
