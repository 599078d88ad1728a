// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "geom/shape.h"
#include "record/reader.h"
#include "sim/world.h"

namespace rigor::viewer {

/// A body as it is drawn: convex parts in its frame, as recorded.
struct ModelBody {
  std::string name;
  bool fixed = false;
  double mass = 0;            ///< [kg]
  Eigen::Matrix3d inertia;    ///< About `centre`, body axes [kg m^2].
  Eigen::Vector3d centre;     ///< Centre of mass, body frame [m].
  std::vector<geom::Shape> parts;
  double radius = 0;  ///< Largest |vertex - centre| of its polytopes [m]; 0 for half-spaces alone.
};

/// An axis of a robot's joint, fixed to the link behind it.
struct ModelJoint {
  std::string name;            ///< robot/joint
  int body = -1;               ///< The link.
  Eigen::Vector3d point, axis; ///< Of the axis, unit; frame of the link [m].
  bool slides = false;         ///< Prismatic: along the axis, not about it.
};

/// One branch, with its place in the tree. Indices refer to RunModel::branches().
struct ModelBranch {
  std::string id, choice, status;
  double fork_time = 0, end_time = 0, weight = 1, min_gap = 0;
  int parent = -1, depth = 0;
  std::vector<int> children;  ///< In recorded order.
  bool isLeaf() const { return children.empty(); }
};

/// Where a body is at one instant: p_WV = p + R (p_BV - centre), and how it moves.
struct Placement {
  bool known = false;  ///< False outside the body's recorded time; the rest is then not set.
  geom::Pose pose;     ///< Of the centre of mass: q as published, p [m].
  Eigen::Matrix3d R;
  Eigen::Vector3d v, w;  ///< Of the centre [m/s], angular [rad/s], world.

  /// The pose of the body ORIGIN.
  geom::Pose origin(const Eigen::Vector3d& centre) const { return {pose.q, pose.p - R * centre}; }
  /// World position of a point in the body frame.
  Eigen::Vector3d at(const Eigen::Vector3d& point, const Eigen::Vector3d& centre) const {
    return pose.p + R * (point - centre);
  }
};

/// A run as the viewer sees it: bodies, the branch tree, and the pose of every body at any time of any branch.
///
/// Guarantee: poses are the published polynomials' own values at the asked time (rounded once), never an interpolation
/// of samples. Pieces are read from the file as they are needed and at most kCachedPieces are kept: memory does not
/// grow with the record. Opening reads branches and bodies alone. One thread. Everything wrong with the file throws
/// record::RecordError, also when it is damaged later.
class RunModel {
 public:
  static constexpr std::size_t kCachedPieces = 1 << 16;

  /// Opens a finished or still growing record. @throws record::RecordError.
  static std::unique_ptr<RunModel> openRecord(const std::string& path);
  /// A scene that has not been simulated: one branch "0" of no length at its start.
  static std::unique_ptr<RunModel> fromScene(const sim::Scene& scene);

  const std::string& path() const { return path_; }
  const std::string& sceneName() const { return header_.scene_name; }
  const record::RunHeader& header() const { return header_; }
  const std::vector<ModelBody>& bodies() const { return bodies_; }
  const std::vector<ModelBranch>& branches() const { return branches_; }
  /// Of the scene's robots. Empty where the record's scene cannot be read again (its URDF files are gone).
  const std::vector<ModelJoint>& joints() const { return joints_; }
  bool isRecord() const { return reader_ != nullptr; }
  bool isGrowing() const { return header_.status == "running" && isRecord(); }
  const Eigen::Vector3d& gravity() const { return gravity_; }
  double gapNominal() const { return header_.gap_nominal; }
  double gapFloor() const { return header_.gap_floor; }
  double size() const { return size_; }  ///< Radius of the moving bodies' largest part, a scale for marks [m].

  /// Sees what a running writer has committed since; reopens a file that was replaced. @returns whether anything
  /// changed. A file that is gone or damaged throws; what was read stays usable.
  bool refresh();

  int findBranch(const std::string& id) const;  ///< -1 for none.
  /// The leaf reached from `branch` by the heaviest children, the first of equal ones; a branch that goes on past its
  /// forks is a leaf itself.
  int heaviestLeaf(int branch) const;
  /// First instant is 0; the end of a branch is its end_time.
  double endTime(int branch) const { return branches_.at(branch).end_time; }
  double endTime() const;  ///< Latest of all branches.
  /// The branch on the way from the root to `branch` that owns `time`: at a fork the child.
  int ownerAt(int branch, double time) const;

  /// Placements of all bodies at `time` of `branch`; times outside the recorded ones are clamped to them.
  void placementsAt(int branch, double time, std::vector<Placement>& out);
  /// The piece of a body that covers `time`, as placementsAt() uses it; null if there is none. Valid until the next
  /// call.
  const sim::PieceRecord* pieceAt(int branch, int body, double time);

  /// Nearest recorded step start of a moving body after (before) `time` on the way to `branch`; `time` itself if none.
  double nextStep(int branch, double time);
  double previousStep(int branch, double time);

 private:
  RunModel() = default;
  void readBranches();
  void readBodies();
  void readJoints(const sim::Scene& scene);
  double nextOwnStep(int owner, double time);
  double previousOwnStep(int owner, double time);

  std::string path_;
  record::RunHeader header_;
  Eigen::Vector3d gravity_{0, 0, -9.81};
  double size_ = 0;
  std::unique_ptr<record::Reader> reader_;
  std::vector<ModelBody> bodies_;
  std::vector<ModelBranch> branches_;
  std::vector<ModelJoint> joints_;
  std::unordered_map<std::string, int> branch_index_;
  std::vector<sim::PieceRecord> still_;  // Of fixed bodies and of a scene's start: for all times.
  std::vector<bool> has_still_;
  struct Slot {
    bool known = false;
    sim::PieceRecord piece;
  };
  std::unordered_map<std::uint64_t, Slot> cache_;  // Last piece of (owner branch, body).
  std::uint64_t file_id_ = 0;
};

}  // namespace rigor::viewer
