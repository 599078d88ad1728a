// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/articulated_model.h"
#include "dynamics/articulated_state.h"
#include "dynamics/robot.h"
#include "geom/mass_properties.h"
#include "geom/shape.h"
#include "scenes/files.h"
#include "scenes/load_error.h"
#include "scenes/shape_options.h"

namespace rigor::scenes {

/// How a robot hangs in the world.
enum class RobotBase {
  kAuto,  ///< As its file says; else fixed where the root link is called `world`, floating otherwise.
  kFixed,
  kFloating,
};

/// What a convex part of a link is in its file.
struct PartOrigin {
  std::string kind;             ///< box, sphere, capsule, cylinder, ellipsoid, plane, height field; mesh: as its file
                                ///< has it; hull: of a mesh that is not convex, or of points.
  int sides = 0;                ///< Of a cylinder: how many stand for it, where it is not round.
  Eigen::Vector3d axis{0, 0, 0};  ///< Of a cylinder, unit, link frame.
  /// Of a part of a mesh, at unit density: the first counts for the whole mesh, the others for nothing.
  std::optional<geom::MassProperties> weight = {};
};

/// A link as a robot file states it, whatever the format, before anything is judged.
struct FileLink : dynamics::LinkDescription {
  Position at;
  std::vector<geom::Shape> shapes;  ///< Convex parts, link frame.
  std::vector<PartOrigin> origins;  ///< Of each of them.
  bool assumed = false;             ///< Its mass is a default of the format: the scene's `density` comes first.
  bool visible = false;             ///< Has shapes for the eye.
  std::optional<double> friction;   ///< Of its surface, where the file says one.
  std::vector<dynamics::CollisionMask> masks;  ///< Of its shapes, each once; empty: they meet all.
  bool of_world = false;  ///< Belongs to the world itself, though joints hang on it, where it does not move.
};

/// A joint as a file states it. Links by index into FileModel::links, dynamics::kWorld for the world.
struct FileJoint : dynamics::JointDescription {
  Position at;
  std::vector<double> start;          ///< Coordinates where the file says others than zero.

  /// Makes a fixed joint of a revolute or prismatic one that stands at `q` [rad] or [m]; of any other at q = 0.
  void hold(double q);
};

/// A constraint that closes a loop.
struct FileLoop : dynamics::LoopDescription {
  Position at;
  bool of_scene = false;  ///< A frame in the world is in the scene's, not in the file's.
};

/// A frame whose z axis is `axis`, which is not zero.
geom::Pose frameAlong(const Eigen::Vector3d& axis);

/// A robot file read into one form: what readers of formats fill and makeRobotModel() judges.
struct FileModel {
  std::string path, name;
  std::vector<std::string> included;  ///< Further files that it is made of; places in them have their number, from 1.
  std::vector<FileLink> links;
  std::vector<FileJoint> joints;
  std::vector<FileLoop> loops;
  std::vector<std::pair<int, int>> ignored;  ///< Links that never collide.
  std::vector<std::pair<int, int>> paired;   ///< Links that may, whatever their masks say.
  /// Named states: the coordinates of each joint, empty for those that it does not name; of floating joints the pose of
  /// the child's origin in the file's world.
  std::map<std::string, std::vector<std::vector<double>>> keyframes;
  std::map<std::string, std::string> unfit_keyframes;  ///< Why states that have a name are none.
  std::vector<std::string>* warnings = nullptr;
  Files files;  ///< Where meshes are.
  ShapeOptions shape_options;
  /// Of the collision shapes of links that state no mass [kg/m^3]; else they weigh nothing.
  std::optional<double> density;
  std::map<std::string, std::pair<size_t, Position>> alike;  ///< Of warnAlike(), by what: the line, its first place.

  const std::string& pathOf(Position at) const { return at.file == 0 ? path : included[at.file - 1]; }
  [[noreturn]] void fail(Position at, const std::string& found, const std::string& allowed) const {
    throw LoadError(pathOf(at), at, found, allowed);
  }
  /// Adds `FILE:LINE:COL: what`.
  void warn(Position at, const std::string& what) const;
  /// One line for all of which the same is said: `FILE:LINE:COL: who what; likewise WHO (line LINE), ...`.
  void warnAlike(Position at, const std::string& who, const std::string& what);
};

/// A robot made ready to simulate.
struct RobotModel {
  std::string name;  ///< As its file calls it.
  std::shared_ptr<const dynamics::ArticulatedModel> model;
  std::vector<std::vector<geom::Shape>> shapes;     ///< Of each link: convex parts, link frame.
  std::vector<std::vector<PartOrigin>> origins;     ///< Of each of them.
  std::vector<std::optional<double>> friction;      ///< Of each link, where the file says one.
  std::vector<int> trees;                           ///< Of each link, as dynamics::Robot has them.
  std::vector<std::vector<dynamics::CollisionMask>> masks;  ///< Of each link.
  std::vector<std::pair<int, int>> ignored, paired;         ///< Links that never collide; that do whatever masks say.
  dynamics::ArticulatedState start;                 ///< Where the file puts it; limits are not looked at.
  int root = 0;                                     ///< Root link: the first that hangs in the world.
  bool floating = false;                            ///< Whether the root link floats.
};

/// Judges what a file states and makes a robot of it. Each repair adds a line to the warnings, with place, element, and
/// by how much:
/// - links without mass that have collision shapes weigh by FileModel::density where it is given: each convex part by
///   itself, overlaps twice;
/// - a link of mass zero keeps no inertia; a joint that would move nothing but such links is held fixed;
/// - RobotBase::kAuto: a root that weighs nothing with all that is fixed to it is held in the world, be it that of an
///   arm or all of an obstacle;
/// - a link that states a mass and no inertia is a point mass, or, where a joint could not move that, has the inertia
/// of
///   its collision shapes at uniform density;
/// - links joined by fixed joints are one body before its inertia is judged; one that no body can have is moved to the
///   nearest possible one where that changes it by at most 15 % (Frobenius norm), else refused;
/// - links without collision shapes are named, once a file;
/// - links that a loop joins never collide;
/// - what hangs in the world without any joint that moves, or is FileLink::of_world and does not move, is the world's
/// own; all else that hangs on one joint of the world is one tree, its links that do not move its base.
/// @param pose  X_WB of the root link (or of the file's world) at the neutral configuration.
/// @throws LoadError at the element: loops, several roots, inertias that no body has, joints and no mass
/// at all.
RobotModel makeRobotModel(FileModel file, RobotBase base, const geom::Pose& pose);

}  // namespace rigor::scenes
