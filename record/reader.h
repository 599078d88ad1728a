// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "record/database.h"
#include "record/piece_index.h"
#include "sim/sink.h"
#include "verify/record/joint_position.h"
#include "verify/record/run_file.h"

namespace rigor::record {

/// The run's own description (tables `meta` and `files`).
struct RunHeader {
  std::string build, scene_name, scene_path, scene_text, options, model, status, message, summary;
  std::uint64_t seed = 0;
  double gap_nominal = 0, gap_floor = 0, until = 0;
};

struct PartRow {
  bool half_space = false;
  std::vector<Eigen::Vector3d> vertices;  ///< Body frame [m]; a polytope's, or points of a round solid's surface.
  std::optional<geom::Round> round;       ///< Corners of contacts are the vertices, then the points of its core.
  Eigen::Vector3d normal{0, 0, 1};        ///< A half-space's.
  double offset = 0;
};

struct BodyRow {
  std::string name;
  bool fixed = false;
  double mass = 0;
  Eigen::Matrix3d inertia;
  Eigen::Vector3d
      centre;  ///< The body-fixed point that the pieces' positions follow, body frame; of a fixed body its origin, 0.
  std::vector<PartRow> parts;
};

struct BranchRow {
  std::string id, parent, choice, status;
  double fork_time = 0, weight = 1, end_time = 0, min_gap = 0;
};

/// An outcome of a fork that `rigor explore` found and has not followed (yet).
struct OpenAlternative {
  std::string branch, parent, choice;
  double fork_time = 0, weight = 0, difference = 0;  ///< Share of the samples; priority of exploration [m/s].
};

struct EventRow {
  double time;
  std::string kind;
  int body_a, body_b;  ///< -1 for none.
  std::string detail;
};

/// One coordinate of a robot at the start of a step. Of joints that follow others: Followers.
struct JointRow {
  double time;
  std::string joint;                  ///< `robot/joint`; joints of several coordinates: `robot/joint.0`, ...
  double position, velocity, effort;  ///< [rad] or [m]; effort of the actuator over the step [N m] or [N].
};

struct ImpactContactRow {
  sim::PairKey pair;
  Eigen::Vector3d point, normal, impulse;
  double friction, restitution;     ///< friction: infinity is no-slip.
  Eigen::Vector3d tangent{0, 0, 0};  ///< Of tangent 1; tangent 2 = normal x tangent. Zero in records of earlier builds.
};

struct ImpactRow {
  double time;
  std::string model;
  std::vector<int> bodies;
  std::vector<Eigen::Matrix<double, 6, 1>> before, after;
  std::vector<ImpactContactRow> contacts;
};

/// A body at one instant: its orientation is as published, not normalised.
using BodyState = verify::recorded::LinkState;

struct Snapshot {
  double time;
  long step;
  std::vector<unsigned char> state;
};

/// One body's contact over a step, or at a jump: impulses at instants, on B, world [N s].
struct ContactImpulseRow {
  double t0, t1;
  sim::PairKey pair;
  advance::SeparatingAxis feature;
  std::vector<sim::ImpulseRecord::Impulse> impulses;
};

/// Reads a record, also one that is being written or whose writer was killed, as strictly as `verify` does. Rows are
/// fetched when asked for: a record of any length opens at once. Everything wrong with a file throws RecordError. One
/// thread per object.
class Reader {
 public:
  /// @throws RecordError: no such file, not a record, damaged, or of another version.
  /// @param view  kLive: of a record that may still be written, see refresh().
  explicit Reader(const std::string& path,
                  verify::recorded::Connection::View view = verify::recorded::Connection::View::kSnapshot);

  /// kLive: takes what was committed since. @returns whether something was.
  bool refresh();
  verify::recorded::RunFile& file() { return file_; }
  const std::string& path() const { return file_.path(); }
  const RunHeader& header() const { return header_; }
  const std::vector<BodyRow>& bodies() const { return bodies_; }
  std::vector<BranchRow> branches();
  /// @throws RecordError if there is no such branch.
  BranchRow branch(const std::string& id);
  /// Empty for records of one trajectory; by priority.
  std::vector<OpenAlternative> openAlternatives();
  /// Number of "pieces", "witnesses", "events" or "impacts". O(rows)
  long count(const std::string& what);
  /// Files that the run was made from: name, role, content.
  std::vector<verify::recorded::FileRow> files() { return file_.files(); }

  /// The piece of `body` that covers `time`; at a joint of two pieces the later one. Looks in the ancestors of `branch`
  /// for times before its fork, and finds the pose of fixed bodies. Nothing outside the recorded time. O(log n).
  std::optional<sim::PieceRecord> pieceAt(const std::string& branch, int body, double time);
  /// The same of the branch itself alone: its ancestors are not looked at.
  std::optional<sim::PieceRecord> ownPieceAt(const std::string& branch, int body, double time);
  /// Starts of the body's own pieces in the branch next to `time`: the first after it, the last before it.
  std::optional<double> startAfter(const std::string& branch, int body, double time);
  std::optional<double> startBefore(const std::string& branch, int body, double time);
  /// State of the body origin at `time`, of the published polynomial. @throws RecordError outside the recorded time.
  BodyState stateAt(const std::string& branch, int body, double time);
  /// Pieces of the branch itself whose start lies in [from, to], all bodies, in order of start, then body.
  void forEachPiece(const std::string& branch, double from, double to,
                    const std::function<void(const sim::PieceRecord&)>& use);

  /// Rows of the branch itself with a time in [from, to], in recorded order.
  std::vector<EventRow> events(const std::string& branch, double from, double to);
  void forEachJoint(const std::string& branch, const std::function<void(const JointRow&)>& visit);
  std::vector<ImpactRow> impacts(const std::string& branch, double from, double to);
  /// The impact in row `row` of the table, found without a search; none if there is no such row.
  std::optional<ImpactRow> impact(std::int64_t row);
  /// What contacts did in the branch itself, in recorded order; steps that start in [from, to].
  void forEachContactImpulse(const std::string& branch, double from, double to,
                             const std::function<void(const ContactImpulseRow&)>& visit);
  /// The last complete state stored at or before `time`.
  std::optional<Snapshot> latestSnapshot(const std::string& branch, double time);
  /// Path from the root to `id`, both included.
  std::vector<BranchRow> ancestry(const std::string& id);

 private:
  void readHeader();
  void readBodies();
  /// Number of a branch in the file's list; RecordError if there is none.
  int numberOf(const std::string& branch) const;

  verify::recorded::RunFile file_;
  PieceIndex index_{file_};
  RunHeader header_;
  std::vector<BodyRow> bodies_;
};

/// Origin state from the motion of the centre: x = p - R c, v_origin = v - w x R c.
BodyState originState(const geom::Pose& centre_pose, const Eigen::Vector3d& v, const Eigen::Vector3d& w,
                      const Eigen::Vector3d& centre);

}  // namespace rigor::record
