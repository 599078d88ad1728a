// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rigor/number_field.h"
#include "rigor/types.h"

namespace rigor {

/// One axis of a joint type: the child turns about it or shifts along it.
///
/// Direction and point are those in the joint's frame where all coordinates are zero; each axis is moved by those
/// before it.
struct JointAxis {
  std::string name;               ///< Of its coordinate; small letters, digits, '_' and '-'.
  bool shifts = false;            ///< Along the axis [m]; else it turns about it [rad].
  Vector3 direction = {0, 0, 1};  ///< Any length but zero.
  Vector3 point = {0, 0, 0};      ///< A point on it [m].
  std::string follows = {};       ///< Name of an axis before it; empty: it has a coordinate of its own.
  double ratio = 1;               ///< Its coordinate is `ratio` times that of the axis that it follows.
};

/// A joint type of one's own, for joints of robots: `joint_types: {JOINT: {NAME: {FIELD: VALUE}}}` of a scene's robot.
///
/// It is a chain of axes, of which some follow others, with links without mass between. Dynamics, recorder and checker
/// know such chains, so that motions of the type are simulated and proved as those of every robot.
struct JointKind {
  std::string name;        ///< As in scenes; small letters, digits, '_' and '-'.
  std::string gives = {};  ///< What it lets the child do, one clause.
  std::vector<NumberField> fields = {};
  /// What it needs of the robot's file. True: a joint of one axis (revolute, continuous or prismatic), which is the z
  /// axis of the frame of `axes`, turned there the shortest way. The first axis of the type that moves as that joint
  /// does (turns or shifts) takes its name, limits, start, actuator and friction; the others are called JOINT.AXIS.
  /// False: a fixed joint, whose frame it is.
  bool needs_axis = true;
  /// The axes for the fields' values, which are within their limits, from the parent to the child. Depends on them
  /// alone.
  std::function<std::vector<JointAxis>(const std::map<std::string, double>& values)> axes;
};

/// Makes a joint type known, for the life of the program, to scenes that are loaded from then on.
///
/// Records of such scenes embed no scene text, which other programs would not understand: they are proved about their
/// model.
/// @throws InputError for names that are taken or no word. Axes that make no joint are refused where a scene is loaded.
void registerJointType(JointKind kind);
/// The joint types that `joint_types` may name.
std::vector<std::string> jointTypes();

}  // namespace rigor
