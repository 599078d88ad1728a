// SPDX-License-Identifier: MIT
#include "record/writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "dynamics/scalar_coordinates.h"
#include "elementary/elementary.h"
#include "elementary/require.h"
#include "record/claim_joiner.h"
#include "record/dictionary.h"
#include "record/following_wrenches.h"
#include "record/impulse_packer.h"
#include "record/pending_rows.h"
#include "sim/canonical_model.h"
#include "sim/event_kinds.h"
#include "verify/record/motions.h"
#include "verify/record/run_file.h"
#include "verify/record/schema.h"
#include "verify/record/seal.h"
#include "verify/record/sha256.h"

namespace rigor::record {
namespace {

using Clock = std::chrono::steady_clock;
using verify::recorded::BlobReader;
using verify::recorded::BlobWriter;
using verify::recorded::Bytes;
using verify::recorded::PackedClaim;

// What a simulation writes, row after row; snapshots count them in this order.
enum RowTable { kPieces, kWitnesses, kImpulses, kEvents, kImpacts, kJoints, kRowTables };
constexpr const char* kTables[kRowTables] = {"pieces", "witnesses", "impulses", "events", "impacts", "joints"};
constexpr std::size_t kClaimsPerRow = 128;

/// Takes the name. Before the first commit the file is empty.
void reserveFile(const std::string& path, bool replace) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    if (!replace) throw RecordError("record " + path + " exists already");
    if (!fs::is_regular_file(status)) throw RecordError("cannot replace " + path + ": not a regular file");
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path + suffix, error);
    if (error) throw RecordError("cannot replace record " + path + ": " + error.message());
  }
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) throw RecordError("cannot create record " + path + ": " + std::strerror(errno));
  close(file);
}

std::pair<dev_t, ino_t> identity(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? std::pair{info.st_dev, info.st_ino} : std::pair<dev_t, ino_t>{0, 0};
}

constexpr const char* kPlasticImpacts =
    "SELECT coalesce(sum(json_extract(detail, '$.plastic_impacts')), 0) FROM events"
    " WHERE kind = 'closure' AND json_valid(detail)";

// Branches that were not ended leave nothing behind but branch '0' its name.
constexpr const char* kDropUnended = R"(
CREATE TEMP TABLE unended AS SELECT number FROM branches WHERE status IN ('running', 'interrupted');
DELETE FROM pieces WHERE branch IN unended;
DELETE FROM witnesses WHERE branch IN unended;
DELETE FROM impulses WHERE branch IN unended;
DELETE FROM events WHERE branch IN unended;
DELETE FROM impacts WHERE branch IN unended;
DELETE FROM joints WHERE branch IN unended;
DELETE FROM snapshots WHERE branch IN unended;
DELETE FROM branches WHERE number IN unended AND id != '0';
DROP TABLE unended;
)";

/// A statement that is prepared when it is first needed: a short record needs half of them.
class Prepared {
 public:
  Prepared(Database& database, const char* sql) : database_(database), sql_(sql) {}
  Statement& operator*() { return statement_ ? *statement_ : statement_.emplace(database_, sql_); }
  Statement* operator->() { return &**this; }

 private:
  Database& database_;
  const char* sql_;
  std::optional<Statement> statement_;
};

/// A connection and its statements.
struct Store {
  explicit Store(Database opened) : database(std::move(opened)) { database.execute("BEGIN IMMEDIATE"); }
  Database database;
  Prepared insert_pieces{database, "INSERT INTO pieces VALUES(?,?,?,?,?,?)"};
  Prepared insert_witnesses{database, "INSERT OR REPLACE INTO witnesses VALUES(?,?,?,?,?)"};
  Prepared insert_impulses{database, "INSERT INTO impulses VALUES(?,?,?,?,?,?)"};
  Prepared insert_axis{database, Dictionary::kInsertAxis};
  Prepared insert_pair{database, Dictionary::kInsertPair};
  Prepared insert_event{database, "INSERT INTO events VALUES(?,?,?,?,?,?,?)"};
  Prepared insert_impact{database, "INSERT INTO impacts VALUES(?,?,?,?,?,?,?,?)"};
  Prepared insert_joints{database, "INSERT INTO joints VALUES(?,?,?,?,?)"};
  Prepared insert_snapshot{database, "INSERT INTO snapshots(branch, time, step, state, rows) VALUES(?,?,?,?,?)"};
  Prepared insert_branch{database, "INSERT INTO branches VALUES(?,?,?,?,?,?,?,?,?)"};
  Prepared insert_file{database, "INSERT INTO files VALUES(?,?,?,?)"};
  Prepared end_branch{database, "UPDATE branches SET end_time = ?, status = ?, min_gap = ? WHERE number = ?"};
  Prepared set_progress{database, "UPDATE branches SET end_time = ? WHERE number = ?"};
  Prepared set_meta{database, "INSERT OR REPLACE INTO meta VALUES(?,?)"};
  verify::recorded::Sealer sealer = database.sealer();
};

constexpr std::size_t kSpareSize = 1 << 20;  // [bytes] Of a record whose memory a thread keeps.
// Bodies up to which rows are much shorter than a large page.
constexpr std::size_t kFewBodies = 8;

/// The last connections to records in memory that this thread is done with, for each size of pages. To open one, to
/// read its tables and to prepare statements takes a third of a short record.
thread_local std::unique_ptr<Store> spare_stores[2];

std::unique_ptr<Store>& spareStore(Pages pages) { return spare_stores[static_cast<std::size_t>(pages)]; }

std::unique_ptr<Store> storeInMemory(const std::string& path, Pages pages) {
  if (!spareStore(pages)) return std::make_unique<Store>(Database::createInMemory(path, pages));
  std::unique_ptr<Store> store = std::move(spareStore(pages));
  store->database.restart(path, pages);
  store->database.execute("BEGIN IMMEDIATE");
  return store;
}

/// The last id of each of kTables, and the claims that are no row yet: what a stored state follows.
struct Position {
  std::int64_t ids[kRowTables] = {};
  std::vector<PackedClaim> closed, open;

  Bytes pack() const {
    Bytes bytes(sizeof ids);
    std::memcpy(bytes.data(), ids, sizeof ids);
    BlobWriter out(bytes);
    out.add(static_cast<std::uint32_t>(closed.size()));
    out.add(static_cast<std::uint32_t>(open.size()));
    for (const auto* list : {&closed, &open})
      for (const PackedClaim& c : *list) {
        out.add(c.pair), out.add(c.axis);
        for (const double x : {c.t0, c.t1, c.gap, c.cross, c.cosine}) out.add(x);
      }
    return bytes;
  }
  /// @throws verify::recorded::BlobError.
  void unpack(std::span<const unsigned char> bytes, const Dictionary& dictionary) {
    if (bytes.size() < sizeof ids) throw verify::recorded::BlobError{"ends early"};
    std::memcpy(ids, bytes.data(), sizeof ids);
    BlobReader in(bytes.subspan(sizeof ids));
    const std::uint32_t num_closed = in.u32(), num_open = in.u32();
    for (std::uint64_t i = 0; i < std::uint64_t{num_closed} + num_open; ++i) {
      PackedClaim c;
      c.pair = in.u32(), c.axis = in.u32();
      if (!dictionary.hasAxis(c.axis)) throw verify::recorded::BlobError{"names an axis that is not there"};
      c.t0 = in.real(), c.t1 = in.real(), c.gap = in.real(), c.cross = in.real(), c.cosine = in.real();
      c.edges = dictionary.isEdges(c.axis);
      (i < num_closed ? closed : open).push_back(c);
    }
    in.requireEnd();
  }
};

}  // namespace

struct Writer::Impl {
  Impl(std::string name, const WriterOptions& wanted) : path(std::move(name)), options(wanted) {}

  void create(const sim::Scene& scene);
  void openAgain();
  void commit();
  void finishFile();
  void requireOwnFile() const;
  void apply();
  void applyPieces();
  void applyClaims();
  void applyImpulses();
  void writeClaims(bool all);
  void storeState();
  void readLastRows();
  void readNextBranch();
  void dropAfter(const std::int64_t* last);
  void writeFiles(const sim::Scene& scene);
  void setLinks(verify::kernel::Model links);
  void noteTurnings(int robot, const sim::JointRecord& record);
  void meta(const char* key, std::string_view value) { store->set_meta->bind(key).bind(value).run(); }
  /// A record that ended is written again.
  void reopen() {
    for (const auto& [key, value] : {std::pair{"status", "running"}, {"summary", ""}, {"seal", ""}}) meta(key, value);
  }
  void metaReal(const char* key, double value) { store->set_meta->bind(key).bind(value).run(); }
  /// After a failure nothing is written any more: SQLite may have undone more than the statement that failed.
  template <typename Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (const RecordError&) {
      failed = true;
      throw;
    }
  }

  std::string path;
  WriterOptions options;
  std::unique_ptr<Store> store;
  Pages pages = Pages::kSmall;  // Of a record in memory.
  bool in_memory = false;
  std::pair<dev_t, ino_t> file{};  // Of the record, once it is written.

  std::int64_t branch = 0, next_branch = 0;
  double gap_floor = 0;
  std::int64_t ids[kRowTables] = {};
  double horizon = 0;  // Time of the last checkpoint [s].
  long last_snapshot = 0, rows = 0;
  PendingRows pending;
  Dictionary dictionary;
  ClaimJoiner claims;
  std::optional<FollowingWrenches> following_wrenches;
  ImpulsePacker impulse_packer;
  std::vector<ImpulsePacker::Feature> features;  // of a row's contacts
  Bytes blob;
  struct State {  // Of the last checkpoint that had one.
    Bytes bytes, position;
    double time = 0;
    long step = 0;
    bool stored = false;
  } state;
  Clock::time_point last_commit = Clock::now();
  bool finished = false, failed = false;
};

void Writer::Impl::create(const sim::Scene& scene) {
  if (!options.image) {
    reserveFile(path, options.replace);
    file = identity(path);
  }
  in_memory = true;
  pages = scene.robots.empty() && scene.bodies.size() <= kFewBodies ? Pages::kSmall : Pages::kLarge;
  store = storeInMemory(path, pages);
}

void Writer::Impl::openAgain() {
  {
    verify::recorded::RunFile old(path);
    old.checkOrder(), old.checkRest();  // Throws for what is no record.
    if (!old.sealHolds())
      throw RecordError("cannot go on with the record " + path +
                        ": it is not what its writer sealed, something in it was altered");
  }
  store = std::make_unique<Store>(Database::openForWriting(path));
  file = identity(path);
}

void Writer::Impl::readNextBranch() {
  Statement next(store->database, "SELECT ifnull(max(number) + 1, 0) FROM branches");
  if (next.next()) next_branch = next.integer(0);
}

/// Everything that was applied becomes part of the record.
void Writer::Impl::commit() {
  if (options.image) return;
  writeClaims(false);
  store->set_progress->bind(horizon).bind(branch).run();
  store->database.execute("COMMIT");
  if (in_memory) {
    requireOwnFile();
    try {
      store->database.writeTo(path);
    } catch (const RecordError&) {
      if (identity(path) == file) unlink(path.c_str());  // The empty file that held the name.
      throw;
    }
    store.reset();
    store = std::make_unique<Store>(Database::openForWriting(path));
    in_memory = false;
  } else {
    store->database.execute("BEGIN IMMEDIATE");
  }
  last_commit = Clock::now();
  rows = 0;
}

void Writer::Impl::finishFile() {
  store->database.execute("COMMIT");
  if (options.image) {
    const std::span<const unsigned char> bytes = store->database.image();
    options.image->assign(bytes.begin(), bytes.end());
  } else if (in_memory) {
    requireOwnFile();
    store->database.writeTo(path);
  }
  if (in_memory) {
    if (store->database.image().size() <= kSpareSize) spareStore(pages) = std::move(store);
    return;
  }
  store->database.mergeLog();
  requireOwnFile();
}

void Writer::Impl::requireOwnFile() const {
  if (identity(path) != file)
    throw RecordError("the record " + path +
                      " was removed or replaced while it was written: what was simulated is lost");
}

void Writer::Impl::apply() {
  applyPieces();
  applyClaims();
  applyImpulses();
  Store& s = *store;
  for (const PendingRows::Event& event : pending.events) {
    s.insert_event->bind(++ids[kEvents]).bind(branch).bind(event.time).bind(event.kind);
    event.body_a < 0 ? s.insert_event->bindNull() : s.insert_event->bind(event.body_a);
    event.body_b < 0 ? s.insert_event->bindNull() : s.insert_event->bind(event.body_b);
    s.insert_event->bind(event.detail).run();
    ++rows;
  }
  for (const PendingRows::Impact& impact : pending.impacts) {
    s.insert_impact->bind(++ids[kImpacts]).bind(branch).bind(impact.time).bind(impact.model);
    s.insert_impact->bindBlob(impact.bodies.data(), impact.bodies.size() * sizeof(std::int64_t));
    s.insert_impact->bindBlob(impact.before.data(), impact.before.size() * sizeof(double));
    s.insert_impact->bindBlob(impact.after.data(), impact.after.size() * sizeof(double)).bind(impact.contacts).run();
    ++rows;
  }
  for (const PendingRows::Joints& joints : pending.joints) {
    s.insert_joints->bind(++ids[kJoints]).bind(branch).bind(joints.time).bind(joints.robot);
    s.insert_joints->bindBlob(joints.values.data(), joints.values.size() * sizeof(double)).run();
    ++rows;
  }
  pending.clear();
}

void Writer::Impl::applyPieces() {
  pending.pieces.each([&](const PieceRows::Row& row) {
    store->insert_pieces->bind(++ids[kPieces]).bind(branch).bind(row.step).bind(row.t0).bind(row.t1);
    store->insert_pieces->bindBlob(row.motions.data(), row.motions.size()).run();
    ++rows;
  });
}

void Writer::Impl::applyClaims() {
  for (const auto& [pair, witness] : pending.witnesses) {
    PackedClaim claim;
    claim.pair = dictionary.pair(*store->insert_pair, pair);
    claim.axis = dictionary.axis(*store->insert_axis, witness.axis);
    claim.edges = witness.axis.kind == advance::AxisKind::kEdges;
    claim.t0 = witness.t0, claim.t1 = witness.t1, claim.gap = witness.gap;
    if (claim.edges) claim.cross = witness.cross, claim.cosine = witness.cosine;
    claims.add(claim);
  }
  if (claims.closed().size() >= kClaimsPerRow) writeClaims(true);
}

/// Ended claims as a row. @param final  It stays; otherwise the open ones stand in it too, and the next row takes its
/// place.
void Writer::Impl::writeClaims(bool final) {
  static const std::vector<PackedClaim> kNone;
  const auto &closed = claims.closed(), &open = final ? kNone : claims.open();
  if (closed.empty() && open.empty()) return;
  double from = INFINITY, to = -INFINITY;
  for (const auto* list : {&closed, &open})
    for (const PackedClaim& claim : *list) from = std::min(from, claim.t0), to = std::max(to, claim.t1);
  packClaims(closed, open, blob);
  store->insert_witnesses->bind(ids[kWitnesses] + 1)
      .bind(branch)
      .bind(from)
      .bind(to)
      .bindBlob(blob.data(), blob.size())
      .run();
  if (!final) return;
  ++ids[kWitnesses], ++rows;
  claims.clearClosed();
}

void Writer::Impl::applyImpulses() {
  for (const auto& [record, joints_follow] : pending.impulses) {
    features.clear();
    for (const auto& contact : record.contacts)
      features.push_back(
          {dictionary.pair(*store->insert_pair, contact.pair), dictionary.axis(*store->insert_axis, contact.feature)});
    impulse_packer.pack(record, joints_follow, features, blob);
    store->insert_impulses->bind(++ids[kImpulses])
        .bind(branch)
        .bind(static_cast<std::int64_t>(record.step))
        .bind(record.t0)
        .bind(record.t1);
    store->insert_impulses->bindBlob(blob.data(), blob.size()).run();
    ++rows;
  }
}

void Writer::Impl::storeState() {
  if (state.bytes.empty() || state.stored) return;
  store->insert_snapshot->bind(branch).bind(state.time).bind(static_cast<std::int64_t>(state.step));
  store->insert_snapshot->bindBlob(state.bytes.data(), state.bytes.size())
      .bindBlob(state.position.data(), state.position.size())
      .run();
  last_snapshot = state.step;
  state.stored = true;
}

void Writer::Impl::readLastRows() {
  for (int i = 0; i < kRowTables; ++i) {
    Statement last(store->database, std::string("SELECT ifnull(max(id), 0) FROM ") + kTables[i]);
    if (last.next()) ids[i] = last.integer(0);
  }
}

void Writer::Impl::dropAfter(const std::int64_t* last) {
  for (int i = 0; i < kRowTables; ++i) {
    Statement erase(store->database, std::string("DELETE FROM ") + kTables[i] + " WHERE id > ?");
    erase.bind(last[i]).run();
  }
}

void Writer::Impl::setLinks(verify::kernel::Model links) {
  pending.pieces.carry(verify::recorded::carriages(links));
  if (!links.robots.empty()) following_wrenches.emplace(std::move(links));
}

/// What the ends of the pieces that come next may follow from.
void Writer::Impl::noteTurnings(int robot, const sim::JointRecord& record) {
  const dynamics::ArticulatedModel& model = *record.robot.model;
  const auto& joints = following_wrenches->links().robots[static_cast<std::size_t>(robot)].joints;
  for (int j = 0; j < model.numJoints(); ++j) {
    const auto& joint = model.joint(j);
    if (joint.type != dynamics::JointType::kRevolute || joint.follows()) continue;
    const elementary::SineCosine half = elementary::sineCosine(0.5 * record.end.q[joint.q]);
    pending.pieces.turn(joints[static_cast<std::size_t>(j)].child, {half.cosine, half.sine, record.end.v[joint.v]});
  }
}

void Writer::Impl::writeFiles(const sim::Scene& scene) {
  std::vector<sim::SceneFile> files = scene.files;
  if (files.empty() && !scene.text.empty())
    files.push_back({scene.path, "scene", std::make_shared<const std::string>(scene.text)});
  for (const sim::SceneFile& named : files) {
    const std::string digest = verify::recorded::sha256(*named.content);
    store->insert_file->bind(named.name)
        .bind(named.role)
        .bind(digest)
        .bindBlob(named.content->data(), named.content->size())
        .run();
  }
}

std::string_view statusName(sim::RunStatus status) {
  switch (status) {
    case sim::RunStatus::kDone:
    case sim::RunStatus::kForked:  // A branch that is complete: others go on from its end.
      return "done";
    case sim::RunStatus::kFailed: return "failed";
    case sim::RunStatus::kBudget: return "budget";
    case sim::RunStatus::kInterrupted: return "interrupted";
  }
  return "failed";
}

Writer::Writer(const std::string& path, const sim::Scene& scene, const RunInfo& info, const WriterOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {
  Impl& w = *impl_;
  w.create(scene);
  w.gap_floor = info.gap_floor;
  w.setLinks(linksOf(scene));
  w.impulse_packer.setBounds(info.bounds);
  w.meta("build", info.build);
  w.meta("scene_name", scene.name);
  w.meta("model", sim::canonicalModel(scene));
  w.meta("bounds", info.bounds);
  // As text: SQLite integers are signed.
  w.meta("seed", std::to_string(info.seed));
  w.meta("options", info.options);
  w.metaReal("gap_nominal", info.gap_nominal);
  w.metaReal("gap_floor", info.gap_floor);
  w.metaReal("until", info.until);
  w.writeFiles(scene);
  beginBranch({});
  if (options.visible_at_once) w.commit();
}

Writer::Writer(const std::string& path, const WriterOptions& options) : impl_(std::make_unique<Impl>(path, options)) {
  Impl& w = *impl_;
  w.openAgain();
  std::optional<NamedNumbers> named;
  {
    verify::recorded::RunFile record(path);
    w.gap_floor = record.meta().gap_floor;
    w.setLinks(record.model());
    w.impulse_packer.setBounds(record.meta().bounds);
    // The end of an interrupted branch named axes that it does not name when it is whole: others get their numbers.
    const auto interrupted = [](const auto& branch) { return branch.status == "interrupted"; };
    if (std::any_of(record.branches().begin(), record.branches().end(), interrupted))
      named = namedByEndedBranches(record);
  }
  w.store->database.execute(kDropUnended);
  if (named) {
    Statement(w.store->database, "DELETE FROM axes WHERE id > ?").bind(static_cast<std::int64_t>(named->axis)).run();
    Statement(w.store->database, "DELETE FROM pairs WHERE id > ?").bind(static_cast<std::int64_t>(named->pair)).run();
  }
  w.readLastRows();
  w.readNextBranch();
  w.dictionary.load(w.store->database);
  Statement root(w.store->database,
                 "UPDATE branches SET status = 'running', end_time = 0.0, min_gap = ? WHERE id = '0' AND status IN "
                 "('running', 'interrupted') RETURNING number");
  root.bind(w.gap_floor);
  bool runs = false;
  while (root.next()) w.branch = root.integer(0), runs = true;
  if (!runs) w.branch = -1;  // No branch is open.
  w.reopen();
  w.commit();
}

Writer::Writer(const std::string& path, const sim::Scene& scene, const RunInfo& info, ResumedRun& resumed,
               const WriterOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {
  Impl& w = *impl_;
  w.openAgain();
  w.gap_floor = info.gap_floor;
  w.setLinks(linksOf(scene));
  w.impulse_packer.setBounds(info.bounds);
  w.dictionary.load(w.store->database);
  resumed = {};
  Position position;
  {
    Statement last(w.store->database, "SELECT id, time, step, state, rows FROM snapshots ORDER BY id DESC LIMIT 1");
    std::int64_t id = 0;
    while (last.next()) {
      const std::span<const unsigned char> state = last.blob(3);
      try {
        position.unpack(last.blob(4), w.dictionary);
      } catch (const verify::recorded::BlobError& error) {
        throw RecordError("damaged record " + path + ": what its last stored state follows " + error.what);
      }
      resumed.state.assign(state.begin(), state.end());
      id = last.integer(0), w.horizon = last.real(1), w.last_snapshot = static_cast<long>(last.integer(2));
    }
    Statement erase(w.store->database, "DELETE FROM snapshots WHERE id > ?");
    erase.bind(id).run();
  }
  w.dropAfter(position.ids);
  std::copy(std::begin(position.ids), std::end(position.ids), std::begin(w.ids));
  w.claims.restore(std::move(position.closed), std::move(position.open));
  {
    Statement closures(w.store->database, kPlasticImpacts);
    while (closures.next()) resumed.plastic_impacts = static_cast<long>(closures.integer(0));
  }
  Statement root(w.store->database,
                 "UPDATE branches SET status = 'running', end_time = ?, min_gap = ? WHERE id = '0' RETURNING number");
  root.bind(w.horizon).bind(w.gap_floor);
  while (root.next()) w.branch = root.integer(0);
  w.readNextBranch();
  w.meta("model", sim::canonicalModel(scene));
  w.meta("options", info.options);
  w.metaReal("until", info.until);
  w.meta("message", "");
  w.reopen();
  w.commit();
}

Database& Writer::database() { return impl_->store->database; }

Writer::~Writer() {
  Impl& w = *impl_;
  if (w.finished || w.failed || !w.store || w.options.image) return;
  try {
    w.storeState();
    w.commit();
    w.store->database.execute("COMMIT");
    w.store->database.mergeLog();
  } catch (const RecordError&) {
    // What was committed stays valid; a destructor has nobody to tell.
  }
}

void Writer::piece(const sim::PieceRecord& record) {
  PendingRows& pending = impl_->pending;
  if (pending.leaves_out >= 0 && pending.whole.step == record.step && pending.whole.t0 == record.piece.t0 &&
      pending.whole.t1 == record.piece.t1) {
    // A step whose parts are written one by one: a reader would find what this one's joints held in both rows.
    pending.impulses[static_cast<std::size_t>(pending.leaves_out)] = {std::move(pending.whole), false};
    pending.leaves_out = -1;
  }
  pending.pieces.add(record);
}

void Writer::witness(const sim::WitnessRecord& record) { impl_->pending.witnesses.push_back(record); }

void Writer::impulses(const sim::ImpulseRecord& record) {
  PendingRows& pending = impl_->pending;
  makeRow(record, pending.draft);
  const bool joints_follow =
      impl_->following_wrenches && record.t0 < record.t1 &&
      impl_->following_wrenches->leaveOut(
          pending.draft, [&](int body) { return pending.pieces.inLastRow(body, record.step, record.t0, record.t1); },
          pending.rest);
  pending.impulses.push_back({joints_follow ? pending.rest : pending.draft, joints_follow});
  if (!joints_follow) return;
  pending.leaves_out = static_cast<int>(pending.impulses.size()) - 1;
  std::swap(pending.whole, pending.draft);
}

void Writer::event(const sim::EventRecord& record) {
  RIGOR_REQUIRE(sim::isEventKind(record.kind));
  impl_->pending.events.push_back({record.time, std::string(record.kind), record.body_a, record.body_b, record.detail});
}

void Writer::impact(const sim::ImpactRecord& record) { impl_->pending.impacts.push_back(plainImpact(record)); }

void Writer::joints(const sim::JointRecord& record) {
  Impl& w = *impl_;
  PendingRows::Joints row{record.time, record.number, {}};
  for (const dynamics::ScalarCoordinate& c : dynamics::scalarCoordinates(*record.robot.model))
    for (const double x : {record.state.q[c.position], record.state.v[c.velocity],
                           record.effort.size() > 0 ? record.effort[c.velocity] : 0.0})
      row.values.push_back(x);
  if (!row.values.empty()) w.pending.joints.push_back(std::move(row));
  w.noteTurnings(row.robot, record);
}

void Writer::checkpoint(double time, long step, const std::vector<unsigned char>& state) {
  Impl& w = *impl_;
  w.guarded([&] {
    w.apply();
    w.horizon = time;
    if (!state.empty()) {
      w.state.bytes.assign(state.begin(), state.end());
      w.state.time = time, w.state.step = step, w.state.stored = false;
      Position position{{}, w.claims.closed(), w.claims.open()};
      std::copy(std::begin(w.ids), std::end(w.ids), std::begin(position.ids));
      w.state.position = position.pack();
      if (step - w.last_snapshot >= w.options.snapshot_steps) w.storeState();
    }
    const bool due = std::chrono::duration<double>(Clock::now() - w.last_commit).count() >= w.options.commit_interval;
    if (due || w.rows >= w.options.commit_rows) w.commit();
  });
}

void Writer::beginBranch(const BranchInfo& info) {
  Impl& w = *impl_;
  w.guarded([&] {
    w.branch = w.next_branch++;
    w.horizon = info.fork_time;
    w.state.bytes.clear();
    w.last_snapshot = 0;
    w.pending.pieces.restart();
    Statement& s = *w.store->insert_branch;
    s.bind(w.branch).bind(info.id);
    info.parent.empty() ? s.bindNull() : s.bind(info.parent);
    // Until the branch ends it claims no more than the floor.
    s.bind(info.fork_time)
        .bind(info.choice)
        .bind(info.weight)
        .bind(info.fork_time)
        .bind("running")
        .bind(w.gap_floor)
        .run();
  });
}

void Writer::endBranch(double end_time, double min_gap, const std::string& status) {
  Impl& w = *impl_;
  w.guarded([&] {
    w.apply();
    w.claims.closeAll();
    w.writeClaims(true);
    w.storeState();
    w.store->end_branch->bind(end_time).bind(status).bind(min_gap).bind(w.branch).run();
    w.horizon = end_time;
  });
}

void Writer::finish(const sim::Summary& summary, const std::string& summary_json) {
  const std::string status(statusName(summary.status));
  endBranch(summary.time, summary.min_gap, status);
  finish(status, summary.message, summary_json);
}

void Writer::finish(const std::string& status, const std::string& message, const std::string& summary_json) {
  Impl& w = *impl_;
  w.guarded([&] {
    w.meta("status", status);
    w.meta("message", message);
    w.meta("summary", summary_json);
    w.meta("seal", w.store->sealer.digest());
    w.finishFile();
    w.finished = true;
  });
}

}  // namespace rigor::record
