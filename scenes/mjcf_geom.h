// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "geom/mass_properties.h"
#include "dynamics/robot.h"
#include "scenes/collision_shape.h"
#include "scenes/mjcf_document.h"
#include "scenes/mjcf_mass.h"
#include "scenes/model_file.h"
#include "scenes/terrain.h"

namespace rigor::scenes {

/// X_AC = X_AB X_BC, quaternions multiplied.
geom::Pose composed(const geom::Pose& X_AB, const geom::Pose& X_BC);
geom::Pose inverted(const geom::Pose& X);

/// `contype` and `conaffinity` of a geom; nothing where both are 0: it is for the eye alone. @throws LoadError.
std::optional<dynamics::CollisionMask> maskOf(const MjcfAttributes& geom);

/// A sphere, ellipsoid, box, cylinder or capsule of unit density, sizes as MJCF has them (radii and half lengths); else
/// none.
std::optional<geom::MassProperties> primitive(const std::string& type, const Eigen::Vector3d& sizes);

/// Places and angles as an MJCF file writes them: degrees unless its <compiler> says radians, Euler angles in its
/// order.
class MjcfFrames {
 public:
  explicit MjcfFrames(MjcfDocument& document);
  double angle() const { return angle_; }  ///< What one unit of an angle is [rad].
  bool limitsByRange() const { return limits_by_range_; }  ///< Whether a range without `limited` is a limit.
  /// All places and directions are those in the world (before 2023), not in the body around.
  bool global() const { return global_; }
  /// `pos` and one of quat, axisangle, euler, xyaxes, zaxis. @throws LoadError.
  geom::Pose pose(const MjcfAttributes& element) const;
  Eigen::Vector4d orientation(const MjcfAttributes& element) const;

 private:
  double angle_;
  bool limits_by_range_ = true, global_ = false;
  std::string euler_ = "xyz";
};

/// Meshes and height fields of the <asset> section.
class MjcfGeoms {
 public:
  struct MeshAsset {
    std::string file;  ///< As the model's folder has it.
    Eigen::Vector3d scale{1, 1, 1};
    geom::Pose reference;             ///< Its refpos and refquat.
    std::vector<Eigen::Vector3d> vertices;  ///< Written in the model itself; else empty.
    std::vector<std::array<int, 3>> faces;  ///< Of those, where it has any.

    std::vector<Eigen::Vector3d> points() const {  ///< The vertices, scaled.
      std::vector<Eigen::Vector3d> all = vertices;
      for (Eigen::Vector3d& p : all) p = p.cwiseProduct(scale);
      return all;
    }
  };
  MjcfGeoms(MjcfDocument& document, const MjcfFrames& frames, FileModel& file)
      : document_(document), frames_(frames), mass_rules_(document), file_(file) {
    strips_paths_ = document.option("compiler", "strippath").value_or("false") == "true";
  }
  struct HeightField {
    TerrainSurface surface;
    double base = 0;  ///< Its solid reaches down to here [m].
  };
  void addMesh(const MjcfAttributes& asset, const std::string& directory);
  /// Of the format's own binary files, or with the heights in the model.
  void addHeightField(const MjcfAttributes& asset, const std::string& directory);
  const HeightField* findHeightField(const std::string& name) const;
  const MeshAsset* findMesh(const std::string& name) const;
  const MjcfMassRules& massRules() const { return mass_rules_; }
  const MjcfFrames& frames() const { return frames_; }
  CollisionReader::MeshCache& cache() { return cache_; }

 private:
  MjcfDocument& document_;
  const MjcfFrames& frames_;
  const MjcfMassRules mass_rules_;
  bool strips_paths_ = false;  // From the names of files.
  FileModel& file_;
  std::map<std::string, MeshAsset> meshes_;
  std::map<std::string, HeightField> height_fields_;
  CollisionReader::MeshCache cache_;
};

/// The geoms of one body: its collision shapes, and its mass where it has no <inertial>.
class MjcfShapes {
 public:
  MjcfShapes(MjcfGeoms& geoms, FileModel& file, std::string who, bool world);
  /// @param X  As of add().
  void setInertial(const MjcfAttributes& inertial, const geom::Pose& X);
  /// The body hangs in the world without a joint: it may have planes and height fields.
  void allowGround() { may_be_ground_ = true; }
  /// @param X  The frame that the geom is written in, in the body.
  void add(const MjcfAttributes& geom, const geom::Pose& X);
  bool empty() const { return !any_; }
  void finish(FileLink& link, Position at);

 private:
  void addShape(const MjcfAttributes& geom, const std::string& type, const geom::Pose& pose,
                const Eigen::Vector3d& size);
  void weigh(const MjcfAttributes& geom, const geom::MassProperties& unit);
  void weighWritten(const MjcfAttributes& geom, const MjcfGeoms::MeshAsset& mesh, const geom::Pose& X);
  void addHeightField(const MjcfAttributes& geom, const geom::Pose& pose);

  MjcfGeoms& geoms_;
  FileModel& file_;
  std::string who_;
  bool world_ = false, may_be_ground_ = false, any_ = false, visible_ = false;
  CollisionReader shapes_;
  std::vector<geom::Shape> ground_;  // Half-spaces and height fields.
  std::optional<geom::MassProperties> inertial_;
  std::vector<geom::MassProperties> weights_;
  std::optional<double> friction_;
  std::vector<dynamics::CollisionMask> masks_;
};

}  // namespace rigor::scenes
