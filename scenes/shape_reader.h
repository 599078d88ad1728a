// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "geom/mass_properties.h"
#include "geom/pose.h"
#include "geom/shape.h"
#include "scenes/document.h"
#include "scenes/files.h"

namespace rigor::scenes {

/// What a mesh encloses, at unit density, for which some of a shape's parts stand.
struct MeshSolid {
  size_t first, count;  ///< Of the parts.
  geom::MassProperties solid;
};

/// Where a shape may refer to and what it may be.
struct ShapeContext {
  std::string folder;                  ///< Mesh files are relative to it.
  bool fixed = false;                  ///< Half-spaces are allowed on fixed bodies alone.
  std::vector<std::string>* warnings;  ///< Never null.
  Files files = {};                    ///< Where meshes are.
  std::vector<std::string>* own = nullptr;  ///< Takes the names of shapes that another program registered.
  std::vector<MeshSolid>* solids = nullptr;  ///< Takes those of meshes that their parts are not quite.
};

/// The convex parts of a `shape:` field (docs/scenes.md), in the body's frame. @throws LoadError at the offending
/// value.
std::vector<geom::Shape> readShape(const Value& shape, const ShapeContext& context);

/// The convex hull of points. @throws LoadError at `at` where they span no solid.
geom::Shape hullOf(const Value& at, const std::vector<Eigen::Vector3d>& points);

/// The quaternion [w, x, y, z] of Rz(yaw) Ry(pitch) Rx(roll).
Eigen::Vector4d rollPitchYaw(const Eigen::Vector3d& angles);

/// `orientation: [w, x, y, z]` (kept as it is, not normalised) or `rpy: [r, p, y]` (R = Rz(y) Ry(p) Rx(r)) of a map;
/// the identity if neither is there. @throws LoadError for both, or for a quaternion of length zero.
Eigen::Vector4d readOrientation(const Value& map);

/// `position` and readOrientation() of a map.
geom::Pose readPose(const Value& map);

/// A part moved to `pose` in its body. @throws geom::GeometryError where it is too small for the distance.
geom::Shape placed(const geom::Shape& shape, const geom::Pose& pose);

geom::Round placed(geom::Round round, const geom::Pose& pose);

/// Round solids about the origin, along z.
geom::Round roundSphere(double radius);
geom::Round roundCapsule(double radius, double length);
geom::Round roundCylinder(double radius, double length);
/// Points of a round solid's surface, moved inside of it by less than anything counts: facets that stand for it.
std::vector<Eigen::Vector3d> pulledInside(std::vector<Eigen::Vector3d> points);

/// `count` points spread evenly over a sphere (golden-angle spiral), symmetric enough to serve as its polytope.
std::vector<Eigen::Vector3d> spherePoints(double radius, int count);
/// Two rings of `sides` points about the z axis.
std::vector<Eigen::Vector3d> cylinderPoints(double radius, double length, int sides);
/// cylinderPoints() and a sphere's, cut in halves at both ends.
std::vector<Eigen::Vector3d> capsulePoints(double radius, double length, int sides, int vertices);

}  // namespace rigor::scenes
