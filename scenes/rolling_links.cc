// SPDX-License-Identifier: MIT
#include "scenes/rolling_links.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>
#include <variant>

namespace rigor::scenes {
namespace {

using dynamics::JointType;

constexpr double kParallel = 1e-3;  ///< Sine of the angle between axes that count as one: numbers of three digits.

class Rolling {
 public:
  explicit Rolling(const FileModel& file) : joint_of_(file.links.size(), nullptr) {
    for (const FileJoint& joint : file.joints) {
      joint_of_[static_cast<std::size_t>(joint.child)] = &joint;
      jointless_ &= joint.type == JointType::kFixed || joint.type == JointType::kFloating;
    }
  }

  bool jointless() const { return jointless_; }

  /// Whether a link can roll about an axis of its own frame.
  bool rolls(std::size_t link, Eigen::Vector3d axis) const {
    const FileJoint* joint = joint_of_[link];
    for (; joint && joint->type == JointType::kFixed; joint = joint_of_[link]) {
      if (joint->parent == dynamics::kWorld) return false;
      axis = joint->origin.rotation() * axis;
      link = static_cast<std::size_t>(joint->parent);
    }
    if (jointless_) return true;
    return joint && joint->type == JointType::kRevolute && !(joint->upper - joint->lower < 2 * std::numbers::pi) &&
           joint->axis.cross(axis).norm() <= kParallel * joint->axis.norm();
  }

 private:
  std::vector<const FileJoint*> joint_of_;
  bool jointless_ = true;
};

}  // namespace

RollingLinks linksRollingOnFacets(const FileModel& file) {
  const Rolling rolling(file);
  RollingLinks found;
  found.if_floats = rolling.jointless();
  for (std::size_t l = 0; l < file.links.size(); ++l) {
    const FileLink& link = file.links[l];
    for (std::size_t part = 0; part < link.shapes.size(); ++part) {
      const PartOrigin& origin = link.origins[part];
      const auto* solid = std::get_if<geom::Polytope>(&link.shapes[part]);
      if (origin.kind != "cylinder" || !solid || solid->round() || !rolling.rolls(l, origin.axis)) continue;
      if (found.names.empty() || found.names.back() != link.name) found.names.push_back(link.name);
      found.sides = found.sides > 0 ? std::min(found.sides, origin.sides) : origin.sides;
    }
  }
  return found;
}

}  // namespace rigor::scenes
