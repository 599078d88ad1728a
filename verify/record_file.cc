// SPDX-License-Identifier: MIT
#include "verify/record_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

namespace rigor::verify {

class RecordFile::Query {
 public:
  Query(RecordFile& file, const char* sql, const std::string& parameter = {}) : file_(file) {
    if (sqlite3_prepare_v2(connection(), sql, -1, &statement_, nullptr) != SQLITE_OK) fail();
    if (sqlite3_bind_parameter_count(statement_) > 0)
      sqlite3_bind_text(statement_, 1, parameter.data(), static_cast<int>(parameter.size()), SQLITE_TRANSIENT);
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool next() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
    return code == SQLITE_ROW;
  }
  bool isNull(int column) { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) {
    if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) wrongType(column, "an integer");
    return sqlite3_column_int64(statement_, column);
  }
  int index(int column) {
    const std::int64_t value = integer(column);
    if (value != static_cast<int>(value)) wrongType(column, "a small integer");
    return static_cast<int>(value);
  }
  double real(int column) {
    const int type = sqlite3_column_type(statement_, column);
    if (type == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) wrongType(column, "a number");
    return sqlite3_column_double(statement_, column);
  }
  std::string text(int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text ? std::string(text, sqlite3_column_bytes(statement_, column)) : std::string();
  }
  std::size_t blobSize(int column) { return static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)); }
  void blob(int column, void* out, std::size_t size) {
    const void* data = sqlite3_column_blob(statement_, column);
    if ((size > 0 && sqlite3_column_type(statement_, column) != SQLITE_BLOB) || blobSize(column) != size)
      wrongType(column, "a blob of the documented length");
    if (size > 0) std::memcpy(out, data, size);
  }

 private:
  sqlite3* connection() { return static_cast<sqlite3*>(file_.handle_); }
  [[noreturn]] void fail() {
    const std::string reason = sqlite3_errmsg(connection());
    sqlite3_finalize(std::exchange(statement_, nullptr));
    throw InputError(fmt::format("cannot read record {}: {}", file_.path_, reason));
  }
  [[noreturn]] void wrongType(int column, const char* expected) {
    const std::string name = sqlite3_column_name(statement_, column), sql = sqlite3_sql(statement_);
    sqlite3_finalize(std::exchange(statement_, nullptr));
    throw InputError(fmt::format("damaged record {}: '{}' of '{}' is not {}", file_.path_, name, sql, expected));
  }
  RecordFile& file_;
  sqlite3_stmt* statement_ = nullptr;
};

RecordFile::RecordFile(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError("cannot open record " + path + ": no such file");
  if (!fs::is_regular_file(path, error)) throw InputError("cannot open record " + path + ": not a file");
  // No log, no writer: then the file is immutable and needs neither locks nor a writable folder.
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      uri += c;
  }
  if (!fs::exists(path + "-wal", error)) uri += "?immutable=1";
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(uri.c_str(), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_ = connection;
  if (code != SQLITE_OK) {
    sqlite3_close_v2(connection);
    throw InputError(fmt::format("cannot open record {}: {}", path, sqlite3_errstr(code)));
  }
  sqlite3_busy_timeout(connection, 10000);
  try {
    // One read transaction: a running writer's later commits are not seen.
    Query(*this, "BEGIN").next();
    Query probe(*this, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'");
    if (!probe.next() || probe.integer(0) != 1) throw InputError(path + " is no rigor record: it has no table 'meta'");
  } catch (...) {
    sqlite3_close_v2(connection);
    throw;
  }
}

RecordFile::~RecordFile() { sqlite3_close_v2(static_cast<sqlite3*>(handle_)); }

Header RecordFile::readHeader() {
  Header header;
  std::string format;
  std::int64_t version = 0;
  Query row(*this, "SELECT key, value FROM meta");
  while (row.next()) {
    const std::string key = row.text(0);
    if (key == "format") format = row.text(1);
    if (key == "schema_version") version = row.integer(1);
    if (key == "scene_name") header.scene_name = row.text(1);
    if (key == "scene_text") header.scene_text = row.text(1);
    if (key == "status") header.status = row.text(1);
    if (key == "summary") header.summary = row.text(1);
    if (key == "gap_floor") header.gap_floor = row.real(1);
    if (key == "gap_nominal") header.gap_nominal = row.real(1);
    if (key == "until") header.until = row.real(1);
  }
  if (format != "rigor-record") throw InputError(path_ + " is no rigor record: meta.format is not 'rigor-record'");
  if (version != 1)
    throw InputError(fmt::format("{} has schema version {}; this program reads version 1", path_, version));
  return header;
}

std::vector<Body> RecordFile::readBodies() {
  std::vector<Body> bodies;
  Query row(*this, "SELECT id, name, fixed, centre FROM bodies ORDER BY id");
  while (row.next()) {
    if (row.integer(0) != static_cast<std::int64_t>(bodies.size()))
      throw InputError("damaged record " + path_ + ": bodies are not numbered 0, 1, 2, ...");
    Body& body = bodies.emplace_back();
    body.name = row.text(1);
    body.fixed = row.integer(2) != 0;
    row.blob(3, body.centre.data(), sizeof body.centre);
  }
  Query part_row(*this, "SELECT body, part, kind, vertices, normal, offset FROM parts ORDER BY body, part");
  while (part_row.next()) {
    const std::int64_t body = part_row.integer(0);
    if (body < 0 || body >= static_cast<std::int64_t>(bodies.size()) ||
        part_row.integer(1) != static_cast<std::int64_t>(bodies[body].parts.size()))
      throw InputError("damaged record " + path_ + ": a part without its body or out of order");
    Part& part = bodies[body].parts.emplace_back();
    const std::string kind = part_row.text(2);
    part.half_space = kind == "halfspace";
    if (part.half_space) {
      part_row.blob(4, part.normal.data(), sizeof part.normal);
      part.offset = part_row.real(5);
    } else if (kind == "polytope") {
      part.vertices.resize(part_row.blobSize(3) / sizeof(Vector3));
      part_row.blob(3, part.vertices.data(), part.vertices.size() * sizeof(Vector3));
    } else {
      throw InputError("damaged record " + path_ + ": a part of kind '" + kind + "'");
    }
  }
  return bodies;
}

std::vector<std::pair<std::int64_t, std::int64_t>> RecordFile::readIgnoredPairs() {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  Query row(*this, "SELECT body_a, body_b FROM ignored_pairs");
  while (row.next()) pairs.emplace_back(row.integer(0), row.integer(1));
  return pairs;
}

std::vector<Branch> RecordFile::readBranches() {
  std::vector<Branch> branches;
  Query row(*this, "SELECT id, parent, status, fork_time, end_time, min_gap FROM branches ORDER BY rowid");
  while (row.next()) branches.push_back({row.text(0), row.text(1), row.text(2), row.real(3), row.real(4), row.real(5)});
  return branches;
}

BranchRows RecordFile::readBranch(const std::string& id) {
  BranchRows rows;
  Query piece(
      *this,
      "SELECT id, body, p_degree, q_degree, t0, t1, position, orientation, velocity FROM pieces WHERE branch = ?", id);
  while (piece.next()) {
    Piece& m = rows.pieces.emplace_back();
    m.id = piece.integer(0);
    m.body = piece.index(1);
    m.p_degree = piece.index(2);
    m.q_degree = piece.index(3);
    if (m.p_degree < 0 || m.p_degree > 3 || m.q_degree < 0 || m.q_degree > 3)
      throw InputError(
          fmt::format("damaged record {}: piece {} has degrees {}, {}", path_, m.id, m.p_degree, m.q_degree));
    m.t0 = piece.real(4);
    m.t1 = piece.real(5);
    piece.blob(6, m.p, (m.p_degree + 1) * sizeof m.p[0]);
    piece.blob(7, m.q, (m.q_degree + 1) * sizeof m.q[0]);
    piece.blob(8, m.velocity, sizeof m.velocity);
  }
  Query witness(
      *this,
      "SELECT id, body_a, part_a, body_b, part_b, kind, t0, t1, axis, a0, a1, b0, b1, gap, cross_bound, cosine_bound"
      " FROM witnesses WHERE branch = ?",
      id);
  while (witness.next()) {
    Witness& w = rows.witnesses.emplace_back();
    w.id = witness.integer(0);
    w.body_a = witness.index(1);
    w.part_a = witness.index(2);
    w.body_b = witness.index(3);
    w.part_b = witness.index(4);
    w.kind = witness.index(5);
    w.t0 = witness.real(6);
    w.t1 = witness.real(7);
    w.gap = witness.real(13);
    if (w.kind == 2) {
      w.a0 = witness.integer(9);
      w.a1 = witness.integer(10);
      w.b0 = witness.integer(11);
      w.b1 = witness.integer(12);
      w.cross = witness.real(14);
      w.cosine = witness.real(15);
    } else {
      witness.blob(8, w.axis.data(), sizeof w.axis);
    }
  }
  Query impact(
      *this, "SELECT id, time, bodies, velocity_before, velocity_after FROM impacts WHERE branch = ? ORDER BY id", id);
  while (impact.next()) {
    Impact& m = rows.impacts.emplace_back();
    m.id = impact.integer(0);
    m.time = impact.real(1);
    m.bodies.resize(impact.blobSize(2) / sizeof(std::int64_t));
    impact.blob(2, m.bodies.data(), m.bodies.size() * sizeof(std::int64_t));
    m.before.resize(6 * m.bodies.size());
    m.after.resize(6 * m.bodies.size());
    impact.blob(3, m.before.data(), m.before.size() * sizeof(double));
    impact.blob(4, m.after.data(), m.after.size() * sizeof(double));
  }
  rows_read_ += static_cast<std::int64_t>(rows.pieces.size() + rows.witnesses.size() + rows.impacts.size());
  return rows;
}

std::int64_t RecordFile::countUnreadRows() {
  Query row(*this, "SELECT (SELECT count(*) FROM pieces) + (SELECT count(*) FROM witnesses) +"
                   " (SELECT count(*) FROM impacts)");
  return row.next() ? row.integer(0) - rows_read_ : 0;
}

std::int64_t RecordFile::countFrontier() {
  Query row(*this, "SELECT count(*) FROM frontier");
  return row.next() ? row.integer(0) : 0;
}

}  // namespace rigor::verify
