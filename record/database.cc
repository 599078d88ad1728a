// SPDX-License-Identifier: MIT
#include "record/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include "verify/record/query.h"
#include "verify/record/schema.h"

namespace rigor::record {

static_assert(std::endian::native == std::endian::little, "blobs are little-endian float64");

namespace {

constexpr int kBusyTimeout = 10000;  // [ms]

sqlite3* openDatabase(const std::string& name, int flags, int& code) {
  // Nobody asks how much memory SQLite holds, and to count it costs a tenth of a short record. Where the process has
  // started SQLite before, this is refused and nothing is lost.
  [[maybe_unused]] static const int kUncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3* handle = nullptr;
  code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    sqlite3_close_v2(handle);
    return nullptr;
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeout);
  return handle;
}

/// A file that is being filled, and empty again where that fails.
class Filled {
 public:
  explicit Filled(const std::string& path) : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file_ < 0) fail();
  }
  ~Filled() {
    if (file_ < 0) return;
    [[maybe_unused]] const int undone = ftruncate(file_, 0);
    ::close(file_);
  }
  void write(std::string_view bytes, off_t at) {
    while (!bytes.empty()) {
      const ssize_t done = ::pwrite(file_, bytes.data(), bytes.size(), at);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(done)), at += done;
    }
  }
  void close() {
    if (::close(std::exchange(file_, -1)) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw RecordError("cannot write record " + path_ + ": " + std::strerror(errno)); }
  std::string path_;
  int file_;
};

}  // namespace

Database Database::createInMemory(const std::string& path, Pages pages) {
  int code;
  sqlite3* handle = openDatabase(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, code);
  if (!handle) throw RecordError("cannot create record " + path + ": " + sqlite3_errstr(code));
  Database database(handle, path);
  // Room for a short run: what grows is copied.
  const std::span<const unsigned char> empty = emptyRecord(pages);
  const std::size_t room = 3 * empty.size();
  auto* image = static_cast<unsigned char*>(sqlite3_malloc64(room));
  if (!image) database.fail("create");
  std::memcpy(image, empty.data(), empty.size());
  // It is SQLite's from here on, also where this fails.
  constexpr unsigned kOwned = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  if (sqlite3_deserialize(handle, "main", image, static_cast<sqlite3_int64>(empty.size()),
                          static_cast<sqlite3_int64>(room), kOwned) != SQLITE_OK)
    database.fail("create");
  // A record may outgrow the default of a gigabyte before it is first committed.
  sqlite3_int64 limit = std::numeric_limits<sqlite3_int64>::max();
  if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit) != SQLITE_OK) database.fail("create");
  return database;
}

void Database::restart(const std::string& path, Pages pages) {
  path_ = path;
  // Another change counter than the last transaction left tells SQLite that the pages it holds are old; the counter of
  // the schema, that the tables are the same.
  sqlite3_file* file = nullptr;
  const std::span<const unsigned char> empty = emptyRecord(pages);
  if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
      file->pMethods->xTruncate(file, 0) != SQLITE_OK ||
      file->pMethods->xWrite(file, empty.data(), static_cast<int>(empty.size()), 0) != SQLITE_OK)
    fail("create");
}

Database Database::openForWriting(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw RecordError("cannot open record " + path + ": no such file");
  int code;
  sqlite3* handle = openDatabase(path, SQLITE_OPEN_READWRITE, code);
  if (!handle) throw RecordError("cannot open record " + path + ": " + sqlite3_errstr(code));
  Database database(handle, path);
  database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  return database;
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

std::span<const unsigned char> Database::image() {
  sqlite3_int64 size = 0;
  // The memory that the database lives in, not a copy.
  const unsigned char* bytes = sqlite3_serialize(handle_, "main", &size, SQLITE_SERIALIZE_NOCOPY);
  if (!bytes) fail("write");
  return {bytes, static_cast<std::size_t>(size)};
}

void Database::writeTo(const std::string& path) {
  const std::span<const unsigned char> bytes = image();
  const std::string_view record(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kMark = verify::recorded::kUnwrittenMark;
  Filled file(path);
  file.write(kMark, 0);
  file.write(record.substr(kMark.size()), kMark.size());
  file.write(record.substr(0, kMark.size()), 0);  // From here on it is a database.
  file.close();
}

void Database::mergeLog() {
  // Out of WAL mode: such a file can be read from a folder that cannot be written. Not while others read.
  sqlite3_busy_timeout(handle_, 0);
  const bool alone = sqlite3_exec(handle_, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_busy_timeout(handle_, kBusyTimeout);
  if (alone) return;
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code != SQLITE_OK && code != SQLITE_BUSY)
    fail("write");  // Busy: a reader holds an old state; the log stays and counts.
}

void Database::fail(const char* action) const {
  throw RecordError(std::string("cannot ") + action + " record " + path_ + ": " + sqlite3_errmsg(handle_));
}

Statement::Statement(Database& database, const std::string& sql) : database_(&database), handle_(nullptr) {
  if (sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &handle_, nullptr) != SQLITE_OK) database.fail("read");
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
  sqlite3_bind_blob64(handle_, ++bound_, data ? data : "", size, SQLITE_STATIC);  // A null pointer would bind NULL.
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

void Statement::damaged(int column, const char* expected) const {
  throw RecordError("damaged record " + database_->path_ + ": column '" + sqlite3_column_name(handle_, column) +
                    "' of " + "'" + sqlite3_sql(handle_) + "' is not " + expected);
}

void copyRecord(const std::string& from, const std::string& to) {
  verify::recorded::Connection source(from, verify::recorded::Connection::View::kLive);
  verify::recorded::Query(source, "VACUUM INTO ?", {std::string_view(to)}).next();
}

}  // namespace rigor::record
