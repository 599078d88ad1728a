// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scenes/number_field.h"

namespace rigor::scenes {

/// One axis of a joint type. Its direction and place are those in the joint's frame where all coordinates are zero;
/// each axis is moved by those before it.
struct JointAxis {
  std::string name;                    ///< Of its coordinate; a word.
  bool shifts = false;                 ///< Along the axis [m]; else it turns about it [rad].
  Eigen::Vector3d direction{0, 0, 1};  ///< Any length but zero.
  Eigen::Vector3d point{0, 0, 0};      ///< A point on it [m].
  std::string follows = {};            ///< Name of an axis before it; empty: it has a coordinate of its own.
  double ratio = 1;                    ///< Its coordinate is `ratio` times that of the axis that it follows.
};

/// A joint type that a scene gives a joint of a robot's file: `joint_types: {JOINT: {NAME: {FIELD: VALUE}}}`.
///
/// It is a chain of axes that turn or shift, of which some follow others. Everything that moves and proves robots knows
/// such chains (links without mass, joints that follow), so a type needs no code of its own there.
struct JointKind {
  std::string name;
  std::string gives;  ///< What it lets the child do, one clause.
  std::vector<NumberField> fields;
  /// Needs of the file: that the joint is of one axis (revolute, continuous, prismatic), which is the z axis of the
  /// frame of `axes`. Else it has to be a fixed one, whose own frame it is.
  bool needs_axis = true;
  /// The axes for the fields' values, which are within their limits, from the parent to the child.
  std::function<std::vector<JointAxis>(const std::map<std::string, double>&)> axes;
  bool own = false;  ///< Registered by another program: no other one understands scenes that name it.
};

/// The type of that name; null: there is none. Valid for the life of the program.
const JointKind* findJointKind(const std::string& name);
/// In the order of registration.
std::vector<std::string> jointKindNames();

/// Makes a joint type known, for the life of the program, to scenes that are loaded from then on.
/// @throws std::invalid_argument for a name that is taken or is no word, fields whose names are not words or are there
/// twice, and missing `axes`.
void registerJointKind(JointKind kind);

}  // namespace rigor::scenes
