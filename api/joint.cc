// SPDX-License-Identifier: MIT
#include "rigor/joint.h"

#include "api/input_errors.h"
#include "api/number_field.h"
#include "scenes/joint_kinds.h"

namespace rigor {
namespace {

Eigen::Vector3d sceneVector(const Vector3& v) { return {v[0], v[1], v[2]}; }

}  // namespace

void registerJointType(JointKind kind) {
  withUserErrors([&] {
    scenes::JointKind known{kind.name, kind.gives, sceneFields(kind.fields), kind.needs_axis, {}};
    if (kind.axes)
      known.axes = [axes = std::move(kind.axes)](const std::map<std::string, double>& values) {
        std::vector<scenes::JointAxis> made;
        for (const JointAxis& axis : axes(values))
          made.push_back(
              {axis.name, axis.shifts, sceneVector(axis.direction), sceneVector(axis.point), axis.follows, axis.ratio});
        return made;
      };
    scenes::registerJointKind(std::move(known));
  });
}

std::vector<std::string> jointTypes() { return scenes::jointKindNames(); }

}  // namespace rigor
