// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "scenes/mesh.h"
#include "scenes/mesh_parts.h"
#include "scenes/model_file.h"

namespace rigor::scenes {

/// Collects the collision shapes of one link of a robot file: convex parts, link frame. What is flat is dropped with a
/// warning where other parts carry the link, and refused otherwise. Meshes are read once a file.
class CollisionReader {
 public:
  /// Parts of mesh files that were read, by path: shared by the links of a file.
  using MeshCache = std::map<std::string, std::vector<Mesh>>;

  /// @param who  Such as `link NAME`, for messages.
  CollisionReader(FileModel& file, MeshCache& meshes, std::string who)
      : file_(file), meshes_(meshes), who_(std::move(who)) {}

  void addBox(const Eigen::Vector3d& size, const geom::Pose& pose, Position at);       ///< Full edge lengths [m].
  void addSphere(double radius, const geom::Pose& pose, Position at);  ///< Round: as its facets() say.
  void addCylinder(double radius, double length, const geom::Pose& pose, Position at);  ///< Along z.
  /// A cylinder of `length` with half balls at both ends.
  void addCapsule(double radius, double length, const geom::Pose& pose, Position at);
  void addEllipsoid(const Eigen::Vector3d& radii, const geom::Pose& pose, Position at);
  /// @param round  The solid that the points stand for, if any; not there where Facets wants facets.
  void addPoints(std::vector<Eigen::Vector3d> points, const geom::Pose& pose, Position at,
                 PartOrigin origin = {"hull"}, const geom::Round* round = nullptr);
  /// Hulls or convex parts of the parts of a mesh file (mesh_parts.h), found as mesh_path.h says; a negative scale
  /// mirrors.
  void addMesh(const std::string& name, const Eigen::Vector3d& scale, const geom::Pose& pose, Position at);

  /// One that the robot's file itself holds.
  void addMesh(const Mesh& mesh, const Eigen::Vector3d& scale, const geom::Pose& pose, Position at);

  /// The parts of a mesh file, as they are in it.
  const std::vector<Mesh>& meshParts(const std::string& name, Position at);
  const std::vector<geom::Shape>& parts() const { return parts_; }  ///< So far.
  geom::MassProperties massOf(size_t part) const;  ///< At unit density: a mesh's first part weighs as the mesh.
  /// Hands the convex parts to the link. @throws LoadError at `at` if all were flat.
  void finish(FileLink& link, Position at);

 private:
  int counted(long count, Position at) const;
  void add(MeshParts made);
  const Facets& facets() const { return file_.shape_options.facets; }

  FileModel& file_;
  MeshCache& meshes_;
  std::string who_;
  std::vector<geom::Shape> parts_;
  std::vector<PartOrigin> origins_;
  std::vector<std::pair<Position, std::string>> flat_;  // What was dropped, and why.
};

}  // namespace rigor::scenes
