// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "verify/kernel/run.h"
#include "verify/record/blob.h"
#include "verify/record/query.h"

/// Rows of a record as plain data. Every reader of records takes them from here: types, lengths, finiteness and
/// references are checked once; what is wrong throws InputError.
namespace rigor::verify::recorded {

struct AxisRow {
  int kind = -1;
  kernel::Vector3 axis{};
  int a0 = 0, a1 = 0, b0 = 0, b1 = 0;
};

struct PairRow {
  int body_a = -1, part_a = -1, body_b = -1, part_b = -1;
};

/// What claims and contacts refer to by number; the first has the number 1.
struct Dictionary {
  std::vector<AxisRow> axes;
  std::vector<PairRow> pairs;
};

struct BranchRow {
  std::int64_t number = 0;
  std::string id, parent, choice, status;  ///< parent: empty for the root.
  double fork_time = 0, weight = 1, end_time = 0, min_gap = 0;  ///< min_gap: +infinity where no pair can collide.
};

struct EventRow {
  std::int64_t id = 0, branch = 0;
  double time = 0;
  std::string kind;
  int body_a = -1, body_b = -1;  ///< -1: none.
  std::string detail;
};

struct ImpactContact {
  PairRow pair;
  kernel::Vector3 point{}, normal{}, impulse{}, tangent{};
  double friction = 0, restitution = 0;  ///< friction: infinity is no-slip.
  std::string joint, end;                ///< Of a joint's limit: `ROBOT/JOINT`; lower or upper.
};

struct ImpactRow {
  std::int64_t id = 0, branch = 0;
  double time = 0;
  std::string model;
  std::vector<std::int64_t> bodies;
  std::vector<double> before, after;  ///< 6 a body.
  std::vector<ImpactContact> contacts;
};

/// Coordinates of a robot at the start of a step: position, velocity, effort of each, in the order of the model's
/// `coordinates`.
struct JointsRow {
  std::int64_t id = 0, branch = 0;
  double time = 0;
  int robot = 0;
  std::vector<double> values;
};

/// What tables for readers say of one branch.
struct TableRows {
  std::vector<EventRow> events;
  std::vector<ImpactRow> impacts;
  std::vector<JointsRow> joints;
};

/// A file that the run was made from.
struct FileRow {
  std::string name, role, content;
};

/// Columns that these functions expect, in their order: all of their table's.
constexpr std::string_view kEventColumns = "id, branch, time, kind, body_a, body_b, detail",
                           kImpactColumns =
                               "id, branch, time, model, bodies, velocity_before, velocity_after, contacts",
                           kJointColumns = "id, branch, time, robot, data",
                           kWitnessColumns = "id, branch, t0, t1, claims",
                           kImpulseColumns = "id, branch, step, t0, t1, data";

AxisRow readAxis(const Query& row);
PairRow readPair(const Query& row, const kernel::Model& model);
BranchRow readBranch(const Query& row);
/// @param detail  Filled with the event's own, parsed; null where it has none.
EventRow readEvent(const Query& row, const kernel::Model& model, nlohmann::json* detail = nullptr);
ImpactRow readImpact(const Query& row, const kernel::Model& model);
JointsRow readJoints(const Query& row, const std::vector<std::vector<std::string>>& coordinates);
/// Appends the row's claims.
void readClaims(const Query& row, const Dictionary& dictionary, std::vector<kernel::Claim>& out);
/// Of contacts by pair, axis and vertex: equal ones are kept once.
using Facings = std::map<std::array<std::uint32_t, 3>, std::shared_ptr<const kernel::Facing>>;
struct ActionRow {
  kernel::Action action;
  std::int64_t step = 0;       ///< Of the event loop, as of pieces.
  bool joints_follow = false;  ///< What joints held and the row does not list follows (JointWrenches).
};
ActionRow readAction(const Query& row, const Dictionary& dictionary, const kernel::Model& model, Facings& facings);

/// Beside the number of a contact's impulses: they act at the instants of the contact before it in the row.
constexpr std::uint32_t kSameInstants = 0x80000000;
/// Beside the number of a row's wrenches: ActionRow::joints_follow.
constexpr std::uint32_t kJointsFollow = 0x80000000;

/// What stands before the impulses of a wrench.
struct WrenchHead {
  static constexpr int kMostJoints = 1 << 14, kMostRobots = 1 << 11;
  int joint = 0, robot = 0, source = 0;
  bool same_instants = false;                ///< Those of the wrench before it in the row.
  bool no_force = false, no_moment = false;  ///< All are zero, and left out; not both.
  bool rounded = false;                      ///< Numbers of five bytes (BlobWriter::addRounded).
  /// @throws std::length_error for a robot or a joint beyond the most.
  std::uint32_t packed() const;
  static WrenchHead of(std::uint32_t packed);  ///< @throws BlobError.
};

/// Packing, for the writer. `axis` and `pair` are numbers of the dictionary.
struct PackedClaim {
  std::uint32_t pair = 0, axis = 0;
  double t0 = 0, t1 = 0, gap = 0, cross = 0, cosine = 0;
  bool edges = false;  ///< `cross` and `cosine` count.
};
/// Appends the row's claims as they are packed.
void readPackedClaims(const Query& row, const Dictionary& dictionary, std::vector<PackedClaim>& out);
void packClaims(std::span<const PackedClaim> closed, std::span<const PackedClaim> open, Bytes& out);

/// Strict JSON: no duplicate keys, nothing after it, at most 64 levels. @returns what is wrong, empty if nothing.
std::string whyNotJson(const std::string& text);

}  // namespace rigor::verify::recorded
