// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dynamics/articulated_model.h"
#include "geom/shape.h"

namespace rigor::scenes {

/// How the robot hangs in the world.
enum class UrdfBase {
  kAuto,  ///< Fixed where the root link is called `world`, otherwise floating.
  kFixed,
  kFloating,
};

/// What a URDF file says, made ready to simulate.
struct UrdfRobot {
  std::string name;  ///< Of the <robot> element.
  std::shared_ptr<const dynamics::ArticulatedModel> model;
  std::vector<std::vector<geom::Shape>> shapes;  ///< Of each link: convex parts, link frame.
  int root = 0;                                  ///< Root link.
  int base_joint = 0;                            ///< Its joint with the world, which the file does not have.
  bool floating = false;
};

/// Reads a URDF file by urdfdom. Boxes, cylinders (32 sides) and spheres (100 vertices) become polytopes, meshes their
/// convex hulls (mesh_hull.h), several collision elements a compound. Joints: revolute, continuous, prismatic, planar,
/// fixed, floating; limits, effort, velocity and damping are taken over. An attribute `armature` of <dynamics>, the
/// rotor's inertia at the joint, is understood too.
///
/// Refused, by @throws LoadError with the line of the element: bad XML, loops, missing links, several roots, inertias
/// that no body has, mimic joints, meshes that are missing or have no volume. What is left out adds a line to
/// `warnings`: joint friction, meshes that were not convex.
/// @param pose  X_WB of the root link at the neutral configuration.
UrdfRobot readUrdf(const std::string& path, UrdfBase base, const geom::Pose& pose, std::vector<std::string>& warnings);

}  // namespace rigor::scenes
