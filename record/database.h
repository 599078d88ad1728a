// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace rigor::record {

/// A record that cannot be written (full disk, no permission, file exists) or read (damaged, foreign, newer). what() is
/// one sentence for the user and names the file.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One connection to an SQLite file. All failures throw RecordError. One thread at a time.
class Database {
 public:
  /// Creates `path` in WAL mode with synchronous=NORMAL. @pre the file does not exist.
  static Database create(const std::string& path);
  /// Opens an existing record to go on writing. Recovers what a killed writer had committed.
  static Database openForWriting(const std::string& path);
  /// Opens for reading only. Leaves no -wal or -shm file behind where no writer left one; sees a running writer's
  /// commits.
  static Database openForReading(const std::string& path);

  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Runs statements without parameters or results.
  void execute(const std::string& sql);
  /// Merges the write-ahead log into the file.
  void mergeLog();
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  [[noreturn]] void fail(const char* action) const;
  sqlite3* handle_;
  std::string path_;
};

/// A prepared statement. bind() in the order of the `?`, then next(); or run() for a statement without rows.
/// Columns are read as their declared type; a NULL or a wrong type throws RecordError.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(std::int64_t value);
  Statement& bind(int value) { return bind(static_cast<std::int64_t>(value)); }
  Statement& bind(double value);           ///< NaN becomes NULL.
  Statement& bind(std::string_view text);  ///< Not copied: must live until the row is done.
  Statement& bind(const char* text) { return bind(std::string_view(text)); }
  Statement& bindBlob(const void* data, std::size_t size);  ///< Not copied.
  Statement& bindNull();

  bool next();   ///< Steps to the next row; false at the end, and the statement is ready to be bound again.
  void run();    ///< next() for a statement that gives no rows.
  void reset();  ///< Abandons the rows that are left.

  bool isNull(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;                     ///< NULL: empty.
  std::span<const unsigned char> blob(int column) const;  ///< Valid until the next step.
  /// A blob of exactly `count` doubles, copied to `out`; otherwise RecordError.
  void doubles(int column, double* out, std::size_t count) const;
  std::vector<double> doubles(int column) const;

 private:
  [[noreturn]] void damaged(int column, const char* expected) const;
  Database* database_;
  sqlite3_stmt* handle_;
  int bound_ = 0;
};

}  // namespace rigor::record
