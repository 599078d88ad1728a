// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/empty_record.h"
#include "verify/record/error.h"
#include "verify/record/seal.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rigor::record {

/// A record that cannot be written (full disk, no permission, file exists) or read (damaged, foreign, newer). what() is
/// one sentence for the user and names the file.
using RecordError = verify::InputError;

/// One connection to an SQLite database that is written. All failures throw RecordError. One thread at a time.
class Database {
 public:
  /// An empty record in memory, with its tables. @param path  Of the file that it will be in, for messages.
  static Database createInMemory(const std::string& path, Pages pages);
  /// Of one in memory, between transactions: makes it an empty record again. What SQLite has read of its tables and the
  /// statements that were prepared stay valid. @pre It was created with these pages.
  void restart(const std::string& path, Pages pages);
  /// Opens an existing record to go on writing, in WAL mode with synchronous=NORMAL. Recovers what a killed writer had
  /// committed.
  static Database openForWriting(const std::string& path);

  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Runs statements without parameters or results.
  void execute(const std::string& sql);
  /// Of one in memory: its bytes, until the next statement.
  std::span<const unsigned char> image();
  /// Of one in memory: fills an empty file with it. Until it is whole the file begins with kUnwrittenMark; where this
  /// fails, it is empty again.
  void writeTo(const std::string& path);
  /// Merges the write-ahead log into the file. Where nobody else reads it, the file is left without log and needs none
  /// any more.
  void mergeLog();
  /// Of what is in it, transactions that are open included. The database outlives it.
  verify::recorded::Sealer sealer() { return verify::recorded::Sealer(handle_); }
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  [[noreturn]] void fail(const char* action) const;
  sqlite3* handle_;
  std::string path_;
};

/// A prepared statement. bind() in the order of the `?`, then next(); or run() for a statement without rows.
/// Columns are read as their declared type; a NULL or a wrong type throws RecordError. For what a writer reads of its
/// own file; others take verify::recorded::RunFile.
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

 private:
  [[noreturn]] void damaged(int column, const char* expected) const;
  Database* database_;
  sqlite3_stmt* handle_;
  int bound_ = 0;
};

/// A copy of a record in one file, also of one that is being written. @throws RecordError.
void copyRecord(const std::string& from, const std::string& to);

}  // namespace rigor::record
