// SPDX-License-Identifier: MIT
#include "verify/record/query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "verify/record/schema.h"
#include "verify/record/seal.h"

namespace rigor::verify::recorded {

static_assert(std::endian::native == std::endian::little, "blobs are little-endian");

namespace {

namespace fs = std::filesystem;

// SQLite's header: bytes 18 and 19 are 2 where the file is written with a write-ahead log.
bool expectsLog(const std::string& path) {
  char header[20] = {};
  std::ifstream(path, std::ios::binary).read(header, sizeof header);
  return header[18] == 2 || header[19] == 2;
}

}  // namespace

bool neverCommitted(const std::string& path) {
  std::error_code error;
  if (fs::file_size(path, error) == 0) return !fs::exists(path + "-wal", error);
  char begin[kUnwrittenMark.size()] = {};
  std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
  return std::string_view(begin, sizeof begin) == kUnwrittenMark;
}

Connection::Connection(const std::string& path, View view) : path_(path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError("cannot open record " + path + ": no such file");
  if (fs::is_directory(status)) throw InputError("cannot open record " + path + ": is a folder");
  if (!fs::is_regular_file(status)) throw InputError("cannot open record " + path + ": not a regular file");
  if (neverCommitted(path))
    throw InputError("the record " + path +
                     " is empty: its writer ended before the first commit; run again with --force");
  try {
    open();
    if (view == View::kSnapshot) Query(*this, "BEGIN").next();
    checkSchema();
  } catch (...) {
    close();
    throw;
  }
}

Connection::~Connection() { close(); }

void Connection::close() {
  for (sqlite3_stmt*& rows : whole_) sqlite3_finalize(std::exchange(rows, nullptr));
  sqlite3_close_v2(handle_);
  handle_ = nullptr;
}

void Connection::open() {
  const int code = sqlite3_open_v2(path_.c_str(), &handle_, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) throw InputError(fmt::format("cannot open record {}: {}", path_, sqlite3_errstr(code)));
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, 10000);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_exec(handle_, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
}

void Connection::damaged(const std::string& what) const { throw InputError("damaged record " + path_ + ": " + what); }

// Why the schema is not ours: another version, or another program's file.
void Connection::explainVersion() {
  std::int64_t version = 0;
  bool meta = false;
  {
    Query row(*this,
              "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta' AND sql LIKE 'CREATE TABLE "
              "meta(key%'");
    meta = row.next() && row.integer(0) == 1;
  }
  if (!meta) throw InputError(path_ + " is no rigor record: it has no table 'meta'");
  {
    Query row(*this, "SELECT value FROM meta WHERE key = 'schema_version'");
    if (row.next() && !row.isNull(0)) version = row.integer(0);
  }
  if (version == 1)
    throw InputError(path_ +
                     " was written by rigor 0.1 (schema 1), and this is rigor 0.2 (schema 2): run the scene again");
  if (version > kSchemaVersion)
    throw InputError(
        fmt::format("{} has schema version {}; this program reads version {}", path_, version, kSchemaVersion));
}

void Connection::checkSchema() {
  Query version(*this, "PRAGMA user_version");
  const bool ours = version.next() && version.integer(0) == kSchemaVersion;
  if (!ours) {
    explainVersion();
    throw InputError(path_ + " is no rigor record: its user_version is not 2");
  }
  std::set<std::string> found;
  Query row(*this, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
  while (row.next()) {
    const std::string type = row.text(0), name = row.text(1), table = row.text(2);
    // SQLite's own for a PRIMARY KEY or UNIQUE of a statement that is compared below.
    if (type == "index" && row.isNull(3) && name.starts_with("sqlite_autoindex_")) continue;
    const Table* known = nullptr;
    for (const Table& t : kTables)
      if (type == "table" && name == t.name && table == t.name && row.textOrNull(3) == t.sql) known = &t;
    if (!known) damaged(fmt::format("its {} '{}' is not as the format has it", type, name));
    if (!found.insert(name).second) damaged(fmt::format("two tables '{}'", name));
  }
  for (const Table& t : kTables)
    if (!found.contains(std::string(t.name))) damaged(fmt::format("it has no table '{}'", t.name));
}

std::int64_t Connection::dataVersion() {
  Query row(*this, "PRAGMA data_version");
  return row.next() ? row.integer(0) : 0;
}

std::string Connection::digest() {
  SealDigest digest;
  for (const Table& table : kTables) digest.add(table, Query(*this, WholeTable{table.name}).statement_);
  return digest.text();
}

Query::Query(Connection& connection, std::string_view sql, std::initializer_list<Parameter> parameters)
    : connection_(connection) {
  prepare(sql);
  bind(parameters);
}

Query::Query(Connection& connection, WholeTable table) : connection_(connection) {
  const Table* const known = std::ranges::find(kTables, table.name, &Table::name);
  if (known == std::end(kTables)) connection.damaged(fmt::format("it has no table '{}'", table.name));
  lent_by_ = &connection.whole_[known - std::begin(kTables)];
  statement_ = std::exchange(*lent_by_, nullptr);
  if (!statement_) prepare(rowsInOrder(*known));
}

void Query::prepare(std::string_view sql) {
  const int code =
      sqlite3_prepare_v2(connection_.handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code == SQLITE_OK) return;
  const std::string& path = connection_.path_;
  if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY)
    throw InputError(fmt::format(
        "cannot read record {}: a writer that ended early left {}-journal, which is to be rolled back first", path,
        path));
  if (code == SQLITE_NOTADB) throw InputError(path + " is no rigor record: not an SQLite database");
  if (code == SQLITE_CANTOPEN && expectsLog(path))
    throw InputError(fmt::format(
        "cannot read record {}: it was not finished, and its log needs a folder that can be written; copy it to one",
        path));
  throw InputError(fmt::format("cannot read record {}: {}", path, sqlite3_errmsg(connection_.handle_)));
}

Query::~Query() {
  if (!lent_by_ || *lent_by_) {  // Of two that read one table, one gives its statement back.
    sqlite3_finalize(statement_);
    return;
  }
  sqlite3_reset(statement_);
  *lent_by_ = statement_;
}

void Query::bind(std::initializer_list<Parameter> parameters) {
  int number = 0;
  for (const Parameter& parameter : parameters) {
    ++number;
    if (const auto* whole = std::get_if<std::int64_t>(&parameter)) sqlite3_bind_int64(statement_, number, *whole);
    else if (const auto* x = std::get_if<double>(&parameter)) sqlite3_bind_double(statement_, number, *x);
    else {
      const auto text = std::get<std::string_view>(parameter);
      sqlite3_bind_text(statement_, number, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }
}

void Query::restart(std::initializer_list<Parameter> parameters) {
  sqlite3_reset(statement_);
  bind(parameters);
}

bool Query::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_);
    return false;
  }
  const std::string reason = sqlite3_errmsg(connection_.handle_);
  sqlite3_reset(statement_);
  if (code == SQLITE_READONLY_ROLLBACK)
    throw InputError(fmt::format(
        "cannot read record {}: a writer that ended early left a journal beside it, which is to be rolled back first",
        connection_.path_));
  if ((code & 0xff) == SQLITE_NOTADB)
    throw InputError(connection_.path_ + " is no rigor record: not an SQLite database");
  throw InputError(fmt::format("cannot read record {}: {}", connection_.path_, reason));
}

bool Query::isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::int64_t Query::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) wrong(column, "an integer");
  return sqlite3_column_int64(statement_, column);
}

int Query::index(int column) const {
  const std::int64_t value = integer(column);
  if (value != static_cast<int>(value)) wrong(column, "a small integer");
  return static_cast<int>(value);
}

double Query::real(int column) const {
  const double value = realOrInfinity(column);
  if (!std::isfinite(value)) wrong(column, "a finite number");
  return value;
}

double Query::realOrInfinity(int column) const {
  // NaN is NULL in SQLite.
  if (sqlite3_column_type(statement_, column) != SQLITE_FLOAT) wrong(column, "a number");
  const double value = sqlite3_column_double(statement_, column);
  if (value == -INFINITY) wrong(column, "a finite number");
  return value;
}

std::string Query::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) wrong(column, "text");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (!text) wrong(column, "text");
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string Query::textOrNull(int column) const { return isNull(column) ? std::string() : text(column); }

std::span<const unsigned char> Query::blob(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_BLOB) wrong(column, "a blob");
  const auto* data = static_cast<const unsigned char*>(sqlite3_column_blob(statement_, column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Query::wrong(int column, const std::string& expected) const {
  const std::string name = sqlite3_column_name(statement_, column);
  std::string table = "a row";
  if (const char* from = sqlite3_column_table_name(statement_, column)) table = fmt::format("table '{}'", from);
  const bool identified = sqlite3_column_count(statement_) > 0 &&
                          std::string_view(sqlite3_column_name(statement_, 0)) == "id" &&
                          sqlite3_column_type(statement_, 0) == SQLITE_INTEGER;
  const std::string row = identified ? fmt::format(", row {}", sqlite3_column_int64(statement_, 0)) : "";
  connection_.damaged(fmt::format("column '{}' of {}{} is not {}", name, table, row, expected));
}

}  // namespace rigor::verify::recorded
