// SPDX-License-Identifier: MIT
#include "record/writer.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

namespace rigor::record {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kSchema = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE bodies(id INTEGER PRIMARY KEY, name TEXT UNIQUE, fixed INTEGER, mass REAL, inertia BLOB, centre BLOB);
CREATE TABLE parts(id INTEGER PRIMARY KEY, body INTEGER, part INTEGER, kind TEXT, vertices BLOB, normal BLOB,
                   offset REAL, UNIQUE(body, part));
CREATE TABLE branches(id TEXT PRIMARY KEY, parent TEXT, fork_time REAL, choice TEXT, weight REAL, end_time REAL,
                      status TEXT, min_gap REAL);
CREATE TABLE pieces(id INTEGER PRIMARY KEY, branch TEXT, body INTEGER, t0 REAL, t1 REAL, p_degree INTEGER,
                    q_degree INTEGER, position BLOB, orientation BLOB, velocity BLOB, step INTEGER);
CREATE TABLE witnesses(id INTEGER PRIMARY KEY, branch TEXT, body_a INTEGER, part_a INTEGER, body_b INTEGER,
                       part_b INTEGER, t0 REAL, t1 REAL, kind INTEGER, axis BLOB, a0 INTEGER, a1 INTEGER, b0 INTEGER,
                       b1 INTEGER, gap REAL, cross_bound REAL, cosine_bound REAL);
CREATE TABLE events(id INTEGER PRIMARY KEY, branch TEXT, time REAL, kind TEXT, body_a INTEGER, body_b INTEGER,
                    detail TEXT);
CREATE TABLE impacts(id INTEGER PRIMARY KEY, branch TEXT, time REAL, model TEXT, bodies BLOB, velocity_before BLOB,
                     velocity_after BLOB, contacts TEXT);
CREATE TABLE joints(id INTEGER PRIMARY KEY, branch TEXT, time REAL, joint TEXT, position REAL, velocity REAL, effort REAL);
CREATE TABLE ignored_pairs(body_a INTEGER, body_b INTEGER, PRIMARY KEY(body_a, body_b)) WITHOUT ROWID;
CREATE TABLE snapshots(id INTEGER PRIMARY KEY, branch TEXT, time REAL, step INTEGER, state BLOB, rows BLOB);
CREATE TABLE frontier(branch TEXT PRIMARY KEY, parent TEXT, fork_time REAL, choice TEXT, weight REAL, priority REAL,
                      depth INTEGER, path_hash INTEGER, body INTEGER, impacts BLOB);
CREATE INDEX pieces_by_time ON pieces(branch, body, t0);
)";

// What a simulation writes, row after row; snapshots count them in this order.
constexpr int kRowTables = 5;
constexpr const char* kTables[kRowTables] = {"pieces", "witnesses", "events", "impacts", "joints"};

Database createFile(const std::string& path, bool replace) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(path, error)) {
    if (!replace) throw RecordError("record " + path + " exists already");
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path + suffix, error);
    if (error) throw RecordError("cannot replace record " + path + ": " + error.message());
  }
  return Database::create(path);
}

void createSchema(Database& database) { database.execute(kSchema); }

// Earlier builds did not write which rows a state follows.
void addMissingColumns(Database& database) {
  Statement column(database, "SELECT 1 FROM pragma_table_info('snapshots') WHERE name = 'rows'");
  const bool found = column.next();
  column.reset();
  if (!found) database.execute("ALTER TABLE snapshots ADD COLUMN rows BLOB");
}

// Branches that were not ended leave nothing behind but their name, and branch '0' its fixed bodies.
constexpr const char* kDropUnended = R"(
CREATE TEMP TABLE unended AS SELECT id FROM branches WHERE status IN ('running', 'interrupted');
DELETE FROM pieces WHERE branch IN unended AND body IN (SELECT id FROM bodies WHERE fixed = 0);
DELETE FROM witnesses WHERE branch IN unended;
DELETE FROM events WHERE branch IN unended;
DELETE FROM impacts WHERE branch IN unended;
DELETE FROM joints WHERE branch IN unended;
DELETE FROM snapshots WHERE branch IN unended;
DELETE FROM branches WHERE id IN unended AND id != '0';
DROP TABLE unended;
)";

}  // namespace

struct Writer::Impl {
  Impl(Database opened, bool fresh) : database(std::move(opened)), schema(database, fresh) {}

  void commit(Clock::time_point now) {
    set_progress.bind(horizon).bind(branch).run();
    database.execute("COMMIT");
    database.execute("BEGIN");
    last_commit = now;
    rows = 0;
  }
  void storeState() {
    if (state.bytes.empty() || state.stored) return;
    insert_snapshot.bind(branch).bind(state.time).bind(state.step).bindBlob(state.bytes.data(), state.bytes.size());
    insert_snapshot.bindBlob(state.rows, sizeof state.rows).run();
    last_snapshot = state.step;
    state.stored = true;
  }
  void readLastRows() {
    for (int i = 0; i < kRowTables; ++i) {
      Statement last(database, std::string("SELECT ifnull(max(id), 0) FROM ") + kTables[i]);
      if (last.next()) ids[i] = last.integer(0);
    }
    std::copy(std::begin(ids), std::end(ids), checkpoint_ids);
  }
  void meta(const char* key, std::string_view value) { set_meta.bind(key).bind(value).run(); }
  void metaReal(const char* key, double value) { set_meta.bind(key).bind(value).run(); }
  // Rows after the last checkpoint may be half a step.
  void dropUnfinishedStep() { dropAfter(checkpoint_ids); }
  void dropAfter(const std::int64_t* last) {
    for (int i = 0; i < kRowTables; ++i) {
      Statement erase(database, std::string("DELETE FROM ") + kTables[i] + " WHERE id > ?");
      erase.bind(last[i]).run();
    }
  }

  struct Schema {
    Schema(Database& database, bool fresh) {
      if (!fresh) {
        addMissingColumns(database);
        return;
      }
      database.execute("BEGIN");  // Until the record says what it is: a writer that is killed before leaves no half of one.
      createSchema(database);
    }
  };

  Database database;
  Schema schema;  // Before the statements that need it.
  Statement insert_piece{database, "INSERT INTO pieces VALUES(?,?,?,?,?,?,?,?,?,?,?)"};
  Statement insert_witness{database, "INSERT INTO witnesses VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"};
  Statement insert_event{database, "INSERT INTO events VALUES(?,?,?,?,?,?,?)"};
  Statement insert_impact{database, "INSERT INTO impacts VALUES(?,?,?,?,?,?,?,?)"};
  Statement insert_joint{database, "INSERT INTO joints VALUES(?,?,?,?,?,?,?)"};
  Statement insert_snapshot{database, "INSERT INTO snapshots(branch, time, step, state, rows) VALUES(?,?,?,?,?)"};
  Statement insert_branch{database, "INSERT INTO branches VALUES(?,?,?,?,?,?,?,?)"};
  Statement set_progress{database, "UPDATE branches SET end_time = ? WHERE id = ?"};
  Statement set_meta{database, "INSERT OR REPLACE INTO meta VALUES(?,?)"};

  WriterOptions options;
  std::string branch;
  double gap_floor = 0;
  std::int64_t ids[kRowTables] = {};             // Last row of each of kTables.
  std::int64_t checkpoint_ids[kRowTables] = {};  // The same at the last checkpoint.
  double horizon = 0;                            // Time of the last checkpoint [s].
  long last_snapshot = 0, rows = 0;
  struct State {  // Of the last checkpoint that had one.
    std::vector<unsigned char> bytes;
    double time = 0;
    long step = 0;
    std::int64_t rows[kRowTables] = {};
    bool stored = false;
  } state;
  std::vector<std::int64_t> body_ids;
  std::vector<double> velocities;
  Clock::time_point last_commit = Clock::now();
  bool finished = false, failed = false;
};

std::string_view statusName(sim::RunStatus status) {
  switch (status) {
    case sim::RunStatus::kDone:
    case sim::RunStatus::kForked:  // A branch that is complete: others go on from its end.
      return "done";
    case sim::RunStatus::kFailed:
      return "failed";
    case sim::RunStatus::kBudget:
      return "budget";
    case sim::RunStatus::kInterrupted:
      return "interrupted";
  }
  return "failed";
}

Writer::Writer(const std::string& path, const sim::Scene& scene, const RunInfo& info, const WriterOptions& options)
    : impl_(std::make_unique<Impl>(createFile(path, options.replace), true)) {
  Impl& w = *impl_;
  w.options = options;
  w.gap_floor = info.gap_floor;
  w.meta("format", "rigor-record");
  w.set_meta.bind("schema_version").bind(1).run();
  w.meta("build", info.build);
  w.meta("scene_name", scene.name);
  w.meta("scene_path", scene.path);
  w.meta("scene_text", scene.text);
  // As text: SQLite integers are signed.
  w.meta("seed", std::to_string(info.seed));
  w.meta("options", info.options);
  w.metaReal("gap_nominal", info.gap_nominal);
  w.metaReal("gap_floor", info.gap_floor);
  w.metaReal("until", info.until);
  w.meta("status", "running");
  w.meta("message", "");
  w.meta("summary", "");

  Statement insert_body(w.database, "INSERT INTO bodies VALUES(?,?,?,?,?,?)");
  Statement insert_ignored(w.database, "INSERT INTO ignored_pairs VALUES(?,?)");
  Statement insert_part(w.database,
                        "INSERT INTO parts(body, part, kind, vertices, normal, offset) VALUES(?,?,?,?,?,?)");
  beginBranch({});
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const sim::Body& body = scene.bodies[b];
    // What is certified is what is published: a fixed body's pose is that of its origin, without the rounding of origin + R centre.
    const Eigen::Vector3d reference = body.fixed ? Eigen::Vector3d(0, 0, 0) : body.centre;
    // Symmetric, so Eigen's column order is the documented row order.
    insert_body.bind(b).bind(body.name).bind(body.fixed ? 1 : 0).bind(body.mass);
    insert_body.bindBlob(body.inertia.data(), 9 * sizeof(double))
        .bindBlob(reference.data(), 3 * sizeof(double))
        .run();
    for (const int other : body.ignored)
      if (other > b) insert_ignored.bind(b).bind(other).run();
    for (int p = 0; p < static_cast<int>(body.parts.size()); ++p) {
      insert_part.bind(b).bind(p);
      if (const auto* half_space = std::get_if<geom::HalfSpace>(&body.parts[p])) {
        insert_part.bind("halfspace").bindNull().bindBlob(half_space->normal.data(), 3 * sizeof(double));
        insert_part.bind(half_space->offset).run();
      } else {
        const auto& vertices = std::get<geom::Polytope>(body.parts[p]).vertices();
        insert_part.bind("polytope")
            .bindBlob(vertices.data(), vertices.size() * sizeof(double))
            .bindNull()
            .bindNull()
            .run();
      }
    }
    if (body.fixed) {
      sim::PieceRecord rest{b, 0, {}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
      rest.piece = advance::MotionPiece::constant(body.pose, 0, std::numeric_limits<double>::infinity());
      piece(rest);
    }
  }
  std::copy(std::begin(w.ids), std::end(w.ids), w.checkpoint_ids);
  w.commit(Clock::now());
}

Writer::Writer(const std::string& path, const WriterOptions& options)
    : impl_(std::make_unique<Impl>(Database::openForWriting(path), false)) {
  Impl& w = *impl_;
  w.options = options;
  w.database.execute("BEGIN IMMEDIATE");
  w.database.execute(kDropUnended);
  {
    Statement floor(w.database, "SELECT value FROM meta WHERE key = 'gap_floor'");
    if (!floor.next()) throw RecordError("damaged record " + path + ": it has no gap_floor");
    w.gap_floor = floor.real(0);
  }
  w.readLastRows();
  Statement root(w.database, "UPDATE branches SET status = 'running', min_gap = ? WHERE id = '0' AND status IN "
                             "('running', 'interrupted') RETURNING id");
  root.bind(w.gap_floor);
  while (root.next()) w.branch = root.text(0);
  w.meta("status", "running");
  w.meta("summary", "");
  w.commit(Clock::now());
}

Writer::Writer(const std::string& path, const RunInfo& info, ResumedRun& resumed, const WriterOptions& options)
    : impl_(std::make_unique<Impl>(Database::openForWriting(path), false)) {
  Impl& w = *impl_;
  w.options = options;
  w.gap_floor = info.gap_floor;
  w.branch = "0";
  w.database.execute("BEGIN IMMEDIATE");
  resumed = {};
  std::int64_t rows[kRowTables] = {};
  {
    Statement fixed(w.database, "SELECT ifnull(max(id), 0) FROM pieces WHERE body IN (SELECT id FROM bodies WHERE fixed = 1)");
    if (fixed.next()) rows[0] = fixed.integer(0);
  }
  {
    Statement last(w.database, "SELECT id, time, step, state, rows FROM snapshots WHERE rows IS NOT NULL ORDER BY id DESC LIMIT 1");
    std::int64_t id = 0;
    while (last.next()) {
      const std::span<const unsigned char> state = last.blob(3), counts = last.blob(4);
      if (counts.size() != sizeof rows) throw RecordError("damaged record " + path + ": its last stored state is incomplete");
      std::memcpy(rows, counts.data(), sizeof rows);
      resumed.state.assign(state.begin(), state.end());
      id = last.integer(0), w.horizon = last.real(1), w.last_snapshot = static_cast<long>(last.integer(2));
    }
    Statement erase(w.database, "DELETE FROM snapshots WHERE id > ?");
    erase.bind(id).run();
  }
  w.dropAfter(rows);
  w.readLastRows();
  {
    Statement closures(w.database, "SELECT detail FROM events WHERE kind = 'closure'");
    while (closures.next()) {
      const auto detail = nlohmann::json::parse(closures.text(0), nullptr, false);
      if (detail.is_object()) resumed.plastic_impacts += detail.value("plastic_impacts", 0L);
    }
  }
  Statement root(w.database, "UPDATE branches SET status = 'running', end_time = ?, min_gap = ? WHERE id = '0'");
  root.bind(w.horizon).bind(w.gap_floor).run();
  w.meta("options", info.options);
  w.metaReal("until", info.until);
  w.meta("status", "running");
  w.meta("message", "");
  w.meta("summary", "");
  w.commit(Clock::now());
}

Database& Writer::database() { return impl_->database; }

Writer::~Writer() {
  if (impl_->finished || impl_->failed) return;
  try {
    impl_->dropUnfinishedStep();
    impl_->storeState();
    impl_->commit(Clock::now());
    impl_->database.execute("COMMIT");
    impl_->database.mergeLog();
  } catch (const RecordError&) {
    // What was committed stays valid; a destructor has nobody to tell.
  }
}

void Writer::piece(const sim::PieceRecord& record) {
  const advance::MotionPiece& m = record.piece;
  Eigen::Matrix<double, 12, 1> velocity;
  velocity << record.v_start, record.w_start, record.v_end, record.w_end;
  static_assert(sizeof m.p == 12 * sizeof(double) && sizeof m.q == 16 * sizeof(double));
  impl_->insert_piece.bind(++impl_->ids[0]).bind(impl_->branch).bind(record.body).bind(m.t0).bind(m.t1);
  impl_->insert_piece.bind(m.p_degree).bind(m.q_degree).bindBlob(m.p, 3 * (m.p_degree + 1) * sizeof(double));
  impl_->insert_piece.bindBlob(m.q, 4 * (m.q_degree + 1) * sizeof(double))
      .bindBlob(velocity.data(), 12 * sizeof(double));
  impl_->insert_piece.bind(static_cast<std::int64_t>(record.step)).run();
  ++impl_->rows;
}

void Writer::witness(const sim::WitnessRecord& record) {
  const auto& [pair, w] = record;
  Statement& s = impl_->insert_witness;
  s.bind(++impl_->ids[1]).bind(impl_->branch).bind(pair.body_a).bind(pair.part_a).bind(pair.body_b).bind(pair.part_b);
  s.bind(w.t0).bind(w.t1).bind(static_cast<int>(w.axis.kind));
  if (w.axis.kind == advance::AxisKind::kEdges) {
    s.bindNull()
        .bind(w.axis.a0)
        .bind(w.axis.a1)
        .bind(w.axis.b0)
        .bind(w.axis.b1)
        .bind(w.gap)
        .bind(w.cross)
        .bind(w.cosine)
        .run();
  } else {
    s.bindBlob(w.axis.axis.data(), 3 * sizeof(double)).bindNull().bindNull().bindNull().bindNull();
    s.bind(w.gap).bindNull().bindNull().run();
  }
  ++impl_->rows;
}

void Writer::event(const sim::EventRecord& record) {
  Statement& s = impl_->insert_event;
  s.bind(++impl_->ids[2]).bind(impl_->branch).bind(record.time).bind(record.kind);
  record.body_a < 0 ? s.bindNull() : s.bind(record.body_a);
  record.body_b < 0 ? s.bindNull() : s.bind(record.body_b);
  s.bind(record.detail).run();
  ++impl_->rows;
}

void Writer::impact(const sim::ImpactRecord& record) {
  nlohmann::json contacts = nlohmann::json::array();
  const auto triple = [](const Eigen::Vector3d& v) { return nlohmann::json{v[0], v[1], v[2]}; };
  for (const sim::ImpactContactRecord& c : record.contacts) {
    nlohmann::json contact = {{"pair", {c.pair.body_a, c.pair.part_a, c.pair.body_b, c.pair.part_b}},
                              {"point", triple(c.point)},
                              {"normal", triple(c.normal)},
                              {"e", c.restitution},
                              {"impulse", triple(c.impulse)}};
    if (!c.tangent.isZero(0)) contact["tangent"] = triple(c.tangent);
    // JSON has no infinity.
    if (!c.limit.empty()) contact.update(nlohmann::json::parse("{" + c.limit + "}"));
    contact["mu"] = std::isinf(c.friction) ? nlohmann::json("no-slip") : nlohmann::json(c.friction);
    contacts.push_back(std::move(contact));
  }
  const std::string text = contacts.dump();
  Impl& w = *impl_;
  w.body_ids.assign(record.bodies.begin(), record.bodies.end());
  w.velocities.clear();
  for (const auto* list : {&record.before, &record.after})
    for (const auto& velocity : *list) w.velocities.insert(w.velocities.end(), velocity.data(), velocity.data() + 6);
  w.insert_impact.bind(++w.ids[3]).bind(w.branch).bind(record.time).bind(record.model);
  w.insert_impact.bindBlob(w.body_ids.data(), w.body_ids.size() * sizeof(std::int64_t));
  w.insert_impact.bindBlob(w.velocities.data(), 6 * record.before.size() * sizeof(double));
  w.insert_impact.bindBlob(w.velocities.data() + 6 * record.before.size(), 6 * record.after.size() * sizeof(double));
  w.insert_impact.bind(text).run();
  ++w.rows;
}

void Writer::joints(const sim::JointRecord& record) {
  Impl& w = *impl_;
  const dynamics::ArticulatedModel& model = *record.robot.model;
  for (int dof = 0; dof < model.numVelocities(); ++dof) {
    // Quaternions have no coordinate for each velocity; the links' poses show them.
    if (model.positionOf(dof) < 0) continue;
    const auto& joint = model.joint(model.jointOf(dof));
    if (joint.type == dynamics::JointType::kFloating) continue;
    std::string name = record.robot.name + "/" + joint.name;
    if (joint.num_v > 1) name += "." + std::to_string(dof - joint.v);
    w.insert_joint.bind(++w.ids[4]).bind(w.branch).bind(record.time).bind(name);
    w.insert_joint.bind(record.state.q[model.positionOf(dof)]).bind(record.state.v[dof]);
    w.insert_joint.bind(record.effort.size() > 0 ? record.effort[dof] : 0.0).run();
  }
}

void Writer::checkpoint(double time, long step, const std::vector<unsigned char>& state) {
  Impl& w = *impl_;
  w.horizon = time;
  std::copy(std::begin(w.ids), std::end(w.ids), w.checkpoint_ids);
  if (!state.empty()) {
    w.state.bytes.assign(state.begin(), state.end());
    w.state.time = time, w.state.step = step, w.state.stored = false;
    std::copy(std::begin(w.ids), std::end(w.ids), w.state.rows);
    if (step - w.last_snapshot >= w.options.snapshot_steps) w.storeState();
  }
  const auto now = Clock::now();
  const bool due = std::chrono::duration<double>(now - w.last_commit).count() >= w.options.commit_interval;
  try {
    if (due || w.rows >= w.options.commit_rows) w.commit(now);
  } catch (const RecordError&) {
    w.failed = true;
    throw;
  }
}

void Writer::beginBranch(const BranchInfo& info) {
  Impl& w = *impl_;
  w.branch = info.id;
  w.horizon = info.fork_time;
  w.state.bytes.clear();
  w.last_snapshot = 0;
  Statement& s = w.insert_branch;
  s.bind(info.id);
  info.parent.empty() ? s.bindNull() : s.bind(info.parent);
  // Until the branch ends it claims no more than the floor.
  s.bind(info.fork_time)
      .bind(info.choice)
      .bind(info.weight)
      .bind(info.fork_time)
      .bind("running")
      .bind(w.gap_floor)
      .run();
}

void Writer::endBranch(double end_time, double min_gap, const std::string& status) {
  Impl& w = *impl_;
  w.storeState();
  Statement end(w.database, "UPDATE branches SET end_time = ?, status = ?, min_gap = ? WHERE id = ?");
  end.bind(end_time).bind(status).bind(min_gap).bind(w.branch).run();
  w.horizon = end_time;
}

void Writer::finish(const sim::Summary& summary, const std::string& summary_json) {
  const std::string status(statusName(summary.status));
  endBranch(summary.time, summary.min_gap, status);
  finish(status, summary.message, summary_json);
}

void Writer::finish(const std::string& status, const std::string& message, const std::string& summary_json) {
  Impl& w = *impl_;
  w.meta("status", status);
  w.meta("message", message);
  w.meta("summary", summary_json);
  w.database.execute("COMMIT");
  w.finished = true;
  w.database.mergeLog();
}

}  // namespace rigor::record
