// SPDX-License-Identifier: MIT
#include "record/reader.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace rigor::record {
namespace {

constexpr int kSchemaVersion = 1;
constexpr const char* kPieceColumns = "body, t0, t1, p_degree, q_degree, position, orientation, velocity, step";

constexpr const char* kImpactColumns = "time, model, bodies, velocity_before, velocity_after, contacts";

sim::PieceRecord readPiece(const Statement& row, const std::string& path) {
  sim::PieceRecord record;
  advance::MotionPiece& m = record.piece;
  record.body = static_cast<int>(row.integer(0));
  m.t0 = row.real(1);
  m.t1 = row.real(2);
  const auto p_degree = row.integer(3), q_degree = row.integer(4);
  if (p_degree < 0 || p_degree > m.kMaxDegree || q_degree < 0 || q_degree > m.kMaxDegree)
    throw RecordError(fmt::format("damaged record {}: a piece of degree {}, {}", path, p_degree, q_degree));
  m.p_degree = static_cast<int>(p_degree);
  m.q_degree = static_cast<int>(q_degree);
  row.doubles(5, m.p[0].data(), 3 * (m.p_degree + 1));
  row.doubles(6, m.q[0].data(), 4 * (m.q_degree + 1));
  double velocity[12];
  row.doubles(7, velocity, 12);
  record.v_start = Eigen::Vector3d(velocity);
  record.w_start = Eigen::Vector3d(velocity + 3);
  record.v_end = Eigen::Vector3d(velocity + 6);
  record.w_end = Eigen::Vector3d(velocity + 9);
  record.step = static_cast<long>(row.integer(8));
  return record;
}

Eigen::Vector3d vectorOf(const nlohmann::json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

std::vector<Eigen::Matrix<double, 6, 1>> readTwists(const Statement& row, int column, std::size_t count) {
  std::vector<Eigen::Matrix<double, 6, 1>> twists(count);
  if (count > 0) row.doubles(column, twists[0].data(), 6 * count);
  return twists;
}

}  // namespace

Reader::Reader(const std::string& path) : database_(Database::openForReading(path)) {
  readHeader();
  readBodies();
  piece_at_.emplace(database_, std::string("SELECT ") + kPieceColumns +
                                   " FROM pieces WHERE branch = ? AND body = ? AND t0 <= ? ORDER BY t0 DESC LIMIT 1");
}

void Reader::readHeader() {
  {
    Statement probe(database_, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'");
    if (!probe.next() || probe.integer(0) != 1)
      throw RecordError(path() + " is no rigor record: it has no table 'meta'");
  }
  Statement rows(database_, "SELECT key, value FROM meta");
  bool format = false;
  std::int64_t version = 0;
  while (rows.next()) {
    const std::string key = rows.text(0);
    if (key == "format") format = rows.text(1) == "rigor-record";
    if (key == "schema_version") version = rows.integer(1);
    if (key == "build") header_.build = rows.text(1);
    if (key == "scene_name") header_.scene_name = rows.text(1);
    if (key == "scene_path") header_.scene_path = rows.text(1);
    if (key == "scene_text") header_.scene_text = rows.text(1);
    if (key == "options") header_.options = rows.text(1);
    if (key == "status") header_.status = rows.text(1);
    if (key == "message") header_.message = rows.text(1);
    if (key == "summary") header_.summary = rows.text(1);
    if (key == "seed") header_.seed = std::strtoull(rows.text(1).c_str(), nullptr, 10);
    if (key == "gap_nominal") header_.gap_nominal = rows.real(1);
    if (key == "gap_floor") header_.gap_floor = rows.real(1);
    if (key == "until") header_.until = rows.real(1);
  }
  if (!format) throw RecordError(path() + " is no rigor record: meta.format is not 'rigor-record'");
  if (version != kSchemaVersion)
    throw RecordError(
        fmt::format("{} has schema version {}; this program reads version {}", path(), version, kSchemaVersion));
}

void Reader::readBodies() {
  Statement rows(database_, "SELECT id, name, fixed, mass, inertia, centre FROM bodies ORDER BY id");
  while (rows.next()) {
    if (rows.integer(0) != static_cast<std::int64_t>(bodies_.size()))
      throw RecordError("damaged record " + path() + ": bodies are not numbered 0, 1, 2, ...");
    BodyRow body;
    body.name = rows.text(1);
    body.fixed = rows.integer(2) != 0;
    body.mass = rows.real(3);
    rows.doubles(4, body.inertia.data(), 9);
    rows.doubles(5, body.centre.data(), 3);
    bodies_.push_back(std::move(body));
  }
  Statement parts(database_, "SELECT body, part, kind, vertices, normal, offset FROM parts ORDER BY body, part");
  while (parts.next()) {
    const auto body = parts.integer(0);
    if (body < 0 || body >= static_cast<std::int64_t>(bodies_.size()) ||
        parts.integer(1) != static_cast<std::int64_t>(bodies_[body].parts.size()))
      throw RecordError("damaged record " + path() + ": a part without its body or number");
    PartRow part;
    part.half_space = parts.text(2) == "halfspace";
    if (part.half_space) {
      parts.doubles(4, part.normal.data(), 3);
      part.offset = parts.real(5);
    } else {
      const std::vector<double> numbers = parts.doubles(3);
      if (numbers.empty() || numbers.size() % 3 != 0)
        throw RecordError("damaged record " + path() + ": vertices of a part");
      for (std::size_t i = 0; i < numbers.size(); i += 3)
        part.vertices.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
    }
    bodies_[body].parts.push_back(std::move(part));
  }
}

std::vector<BranchRow> Reader::branches() {
  std::vector<BranchRow> list;
  Statement rows(
      database_,
      "SELECT id, parent, fork_time, choice, weight, end_time, status, min_gap FROM branches ORDER BY rowid");
  while (rows.next())
    list.push_back({rows.text(0), rows.text(1), rows.text(3), rows.text(6), rows.real(2), rows.real(4), rows.real(5),
                    rows.isNull(7) ? 0 : rows.real(7)});
  return list;
}

std::vector<OpenAlternative> Reader::openAlternatives() {
  std::vector<OpenAlternative> list;
  {
    Statement probe(database_, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'frontier'");
    if (!probe.next() || probe.integer(0) != 1) return list;  // Of an earlier build.
  }
  Statement rows(database_,
                 "SELECT branch, parent, choice, fork_time, weight, priority FROM frontier ORDER BY priority DESC, rowid");
  while (rows.next())
    list.push_back({rows.text(0), rows.text(1), rows.text(2), rows.real(3), rows.real(4), rows.real(5)});
  return list;
}

BranchRow Reader::branch(const std::string& id) {
  for (BranchRow& row : branches())
    if (row.id == id) return std::move(row);
  throw RecordError(path() + " has no branch '" + id + "'");
}

std::vector<BranchRow> Reader::ancestry(const std::string& id) {
  const std::vector<BranchRow> all = branches();
  std::vector<BranchRow> chain;
  std::string next = id;
  while (!next.empty()) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const BranchRow& row) { return row.id == next; });
    if (found == all.end()) throw RecordError(path() + " has no branch '" + next + "'");
    if (chain.size() > all.size())
      throw RecordError("damaged record " + path() + ": branch '" + id + "' is its own ancestor");
    chain.insert(chain.begin(), *found);
    next = found->parent;
  }
  return chain;
}

long Reader::count(const char* table) {
  Statement rows(database_, std::string("SELECT count(*) FROM ") + table);
  return rows.next() ? static_cast<long>(rows.integer(0)) : 0;
}

std::optional<sim::PieceRecord> Reader::ownPieceAt(const std::string& branch, int body, double time) {
  piece_at_->bind(branch).bind(body).bind(time);
  std::optional<sim::PieceRecord> found;
  if (piece_at_->next()) {
    found = readPiece(*piece_at_, path());
    piece_at_->reset();
    if (!(time <= found->piece.t1)) found.reset();
  }
  return found;
}

std::optional<sim::PieceRecord> Reader::pieceAt(const std::string& branch, int body, double time) {
  if (auto found = ownPieceAt(branch, body, time)) return found;
  const std::vector<BranchRow> chain = ancestry(branch);
  for (auto row = chain.rbegin() + 1; row < chain.rend(); ++row)
    if (auto found = ownPieceAt(row->id, body, time)) return found;
  return std::nullopt;
}

BodyState Reader::stateAt(const std::string& branch, int body, double time) {
  const auto record = pieceAt(branch, body, time);
  if (!record)
    throw RecordError(fmt::format("{} has no state of body '{}' at time {} in branch '{}'", path(),
                                  bodies_.at(body).name, time, branch));
  Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0};
  const geom::Pose pose = record->piece.at(time);
  if (time == record->piece.t0) {
    v = record->v_start;
    w = record->w_start;
  } else if (time == record->piece.t1) {
    v = record->v_end;
    w = record->w_end;
  } else if (std::isfinite(record->piece.t1)) {
    record->piece.velocityAt(time, v, w);
  }
  return originState(pose, v, w, bodies_[body].centre);
}

void Reader::forEachPiece(const std::string& branch, double from, double to,
                          const std::function<void(const sim::PieceRecord&)>& use) {
  Statement rows(database_, std::string("SELECT ") + kPieceColumns +
                                " FROM pieces WHERE branch = ? AND t0 BETWEEN ? AND ? ORDER BY t0, body");
  rows.bind(branch).bind(from).bind(to);
  while (rows.next()) {
    const sim::PieceRecord record = readPiece(rows, path());
    if (record.body < 0 || record.body >= static_cast<int>(bodies_.size()))
      throw RecordError(fmt::format("damaged record {}: a piece of body {}", path(), record.body));
    use(record);
  }
}

std::vector<EventRow> Reader::events(const std::string& branch, double from, double to) {
  std::vector<EventRow> list;
  Statement rows(
      database_,
      "SELECT time, kind, body_a, body_b, detail FROM events WHERE branch = ? AND time BETWEEN ? AND ? ORDER BY id");
  rows.bind(branch).bind(from).bind(to);
  const auto body = [&](int column) { return rows.isNull(column) ? -1 : static_cast<int>(rows.integer(column)); };
  while (rows.next()) list.push_back({rows.real(0), rows.text(1), body(2), body(3), rows.text(4)});
  return list;
}

ImpactRow Reader::readImpact(const Statement& row) const {
  ImpactRow impact;
  impact.time = row.real(0);
  impact.model = row.text(1);
  const auto ids = row.blob(2);
  for (std::size_t i = 0; i + sizeof(std::int64_t) <= ids.size(); i += sizeof(std::int64_t)) {
    std::int64_t id;
    std::memcpy(&id, ids.data() + i, sizeof id);
    if (id < 0 || id >= static_cast<std::int64_t>(bodies_.size()))
      throw RecordError(fmt::format("damaged record {}: an impact of body {}", path(), id));
    impact.bodies.push_back(static_cast<int>(id));
  }
  impact.before = readTwists(row, 3, impact.bodies.size());
  impact.after = readTwists(row, 4, impact.bodies.size());
  try {
    for (const auto& c : nlohmann::json::parse(row.text(5))) {
      const auto& pair = c.at("pair");
      const double mu = c.at("mu").is_string() ? std::numeric_limits<double>::infinity() : c.at("mu").get<double>();
      const sim::PairKey key{pair.at(0).get<int>(), pair.at(1).get<int>(), pair.at(2).get<int>(), pair.at(3).get<int>()};
      impact.contacts.push_back({key, vectorOf(c.at("point")), vectorOf(c.at("normal")), vectorOf(c.at("impulse")), mu,
                                 c.at("e").get<double>(), c.contains("tangent") ? vectorOf(c["tangent"]) : Eigen::Vector3d(0, 0, 0)});
    }
  } catch (const nlohmann::json::exception& error) {
    throw RecordError("damaged record " + path() + ": contacts of an impact: " + error.what());
  }
  return impact;
}

void Reader::forEachJoint(const std::string& branch, const std::function<void(const JointRow&)>& visit) {
  Statement rows(database_, "SELECT time, joint, position, velocity, effort FROM joints WHERE branch = ? ORDER BY id");
  rows.bind(branch);
  while (rows.next()) visit({rows.real(0), rows.text(1), rows.real(2), rows.real(3), rows.real(4)});
}

std::vector<ImpactRow> Reader::impacts(const std::string& branch, double from, double to) {
  std::vector<ImpactRow> list;
  Statement rows(database_, std::string("SELECT ") + kImpactColumns +
                                " FROM impacts WHERE branch = ? AND time BETWEEN ? AND ? ORDER BY id");
  rows.bind(branch).bind(from).bind(to);
  while (rows.next()) list.push_back(readImpact(rows));
  return list;
}

std::optional<ImpactRow> Reader::impact(std::int64_t row) {
  Statement rows(database_, std::string("SELECT ") + kImpactColumns + " FROM impacts WHERE id = ?");
  rows.bind(row);
  if (!rows.next()) return std::nullopt;
  return readImpact(rows);
}

std::optional<Snapshot> Reader::latestSnapshot(const std::string& branch, double time) {
  Statement rows(
      database_,
      "SELECT time, step, state FROM snapshots WHERE branch = ? AND time <= ? ORDER BY time DESC, id DESC LIMIT 1");
  rows.bind(branch).bind(time);
  if (!rows.next()) return std::nullopt;
  const auto state = rows.blob(2);
  return Snapshot{rows.real(0), static_cast<long>(rows.integer(1)), {state.begin(), state.end()}};
}

BodyState originState(const geom::Pose& centre_pose, const Eigen::Vector3d& v, const Eigen::Vector3d& w,
                      const Eigen::Vector3d& centre) {
  if (centre.isZero(0)) return {centre_pose.p, v, w, centre_pose.q};
  const Eigen::Vector3d arm = centre_pose.rotation() * centre;
  return {centre_pose.p - arm, v - w.cross(arm), w, centre_pose.q};
}

}  // namespace rigor::record
