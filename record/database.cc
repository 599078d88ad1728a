// SPDX-License-Identifier: MIT
#include "record/database.h"

#include <sqlite3.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <utility>

namespace rigor::record {

static_assert(std::endian::native == std::endian::little, "blobs are little-endian float64");

namespace {

sqlite3* open(const std::string& name, int flags, int& code) {
  sqlite3* handle = nullptr;
  code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    sqlite3_close_v2(handle);
    return nullptr;
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 10000);
  return handle;
}

std::string fileUri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    if (c == '%' || c == '?' || c == '#') {
      char escaped[4];
      std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(c));
      uri += escaped;
    } else {
      uri += c;
    }
  return uri;
}

}  // namespace

Database Database::create(const std::string& path) {
  int code;
  sqlite3* handle = open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, code);
  if (!handle) throw RecordError("cannot create record " + path + ": " + sqlite3_errstr(code));
  Database database(handle, path);
  database.execute("PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  return database;
}

Database Database::openForWriting(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw RecordError("cannot open record " + path + ": no such file");
  int code;
  sqlite3* handle = open(path, SQLITE_OPEN_READWRITE, code);
  if (!handle) throw RecordError("cannot open record " + path + ": " + sqlite3_errstr(code));
  Database database(handle, path);
  database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  return database;
}

Database Database::openForReading(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(path, error)) throw RecordError("cannot open record " + path + ": no such file");
  if (fs::is_directory(path, error)) throw RecordError("cannot open record " + path + ": is a folder");
  // Without a log nobody writes: an immutable file needs no locks, no -shm file and no writable folder.
  const bool has_log = fs::exists(path + "-wal", error);
  int code;
  sqlite3* handle = has_log ? open(path, SQLITE_OPEN_READONLY, code)
                            : open(fileUri(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, code);
  if (!handle) throw RecordError("cannot open record " + path + ": " + sqlite3_errstr(code));
  return {handle, path};
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

void Database::mergeLog() {
  if (sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) != SQLITE_OK)
    fail("write");
}

void Database::fail(const char* action) const {
  throw RecordError(std::string("cannot ") + action + " record " + path_ + ": " + sqlite3_errmsg(handle_));
}

Statement::Statement(Database& database, const std::string& sql) : database_(&database), handle_(nullptr) {
  if (sqlite3_prepare_v3(database.handle_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr) != SQLITE_OK)
    database.fail("read");
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)), bound_(other.bound_) {}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::bind(std::int64_t value) {
  sqlite3_bind_int64(handle_, ++bound_, value);
  return *this;
}
Statement& Statement::bind(double value) {
  sqlite3_bind_double(handle_, ++bound_, value);
  return *this;
}
Statement& Statement::bind(std::string_view text) {
  sqlite3_bind_text(handle_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  return *this;
}
Statement& Statement::bindBlob(const void* data, std::size_t size) {
  sqlite3_bind_blob64(handle_, ++bound_, data, size, SQLITE_STATIC);
  return *this;
}
Statement& Statement::bindNull() {
  sqlite3_bind_null(handle_, ++bound_);
  return *this;
}

bool Statement::next() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  reset();
  if (code != SQLITE_DONE) database_->fail(sqlite3_stmt_readonly(handle_) ? "read" : "write");
  return false;
}

void Statement::run() { next(); }

void Statement::reset() {
  sqlite3_reset(handle_);
  bound_ = 0;
}

bool Statement::isNull(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

std::int64_t Statement::integer(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_INTEGER) damaged(column, "an integer");
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  const int type = sqlite3_column_type(handle_, column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) damaged(column, "a number");
  return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return text ? std::string(text, sqlite3_column_bytes(handle_, column)) : std::string();
}

std::span<const unsigned char> Statement::blob(int column) const {
  const auto* data = static_cast<const unsigned char*>(sqlite3_column_blob(handle_, column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

void Statement::doubles(int column, double* out, std::size_t count) const {
  const auto bytes = blob(column);
  if (sqlite3_column_type(handle_, column) != SQLITE_BLOB || bytes.size() != count * sizeof(double))
    damaged(column, "a blob of the documented length");
  std::memcpy(out, bytes.data(), bytes.size());
}

std::vector<double> Statement::doubles(int column) const {
  std::vector<double> values(blob(column).size() / sizeof(double));
  doubles(column, values.data(), values.size());
  return values;
}

void Statement::damaged(int column, const char* expected) const {
  throw RecordError("damaged record " + database_->path_ + ": column '" + sqlite3_column_name(handle_, column) +
                    "' of " + "'" + sqlite3_sql(handle_) + "' is not " + expected);
}

}  // namespace rigor::record
