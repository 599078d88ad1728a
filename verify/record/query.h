// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "verify/record/error.h"
#include "verify/record/schema.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rigor::verify::recorded {

/// Whether the file belongs to a writer that has not committed yet, or that ended before it could: it is empty, or
/// begins with kUnwrittenMark. A regular file is asked for.
bool neverCommitted(const std::string& path);

/// A record opened for reading only.
///
/// Guarantee: the file is a regular one and an SQLite database whose schema is, statement by statement, that of
/// schema.h: no views, triggers, virtual tables, generated columns or other indexes can answer a query. What belongs to
/// the file counts: a write-ahead log is read, a rollback journal that was left behind is refused. Everything else
/// throws InputError with one sentence.
class Connection {
 public:
  enum class View {
    kSnapshot,  ///< One read transaction: what a running writer commits later is not seen.
    kLive,      ///< Each query sees the newest commit.
  };
  Connection(const std::string& path, View view);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::string& path() const { return path_; }
  /// Throws InputError "damaged record PATH: what".
  [[noreturn]] void damaged(const std::string& what) const;
  /// Changes whenever another connection has committed. Of a snapshot: constant.
  std::int64_t dataVersion();
  /// Of all that the record holds (Sealer).
  std::string digest();

 private:
  friend class Query;
  void open();
  void checkSchema();
  void explainVersion();
  void close();
  std::string path_;
  sqlite3* handle_ = nullptr;
  sqlite3_stmt* whole_[std::size(kTables)] = {};  // Of kTables, once it is prepared and while no Query has it.
};

/// All rows of a table of kTables, all columns, in order: by rowid, of `meta` by key.
struct WholeTable {
  std::string_view name;
};

/// A statement and its rows. Columns are read as exactly the type asked for; anything else throws InputError. Reals are
/// finite unless said otherwise.
class Query {
 public:
  using Parameter = std::variant<std::int64_t, double, std::string_view>;
  Query(Connection& connection, std::string_view sql, std::initializer_list<Parameter> parameters = {});
  /// Its statement is prepared once a connection: that takes longer than to read the rows of a short record.
  Query(Connection& connection, WholeTable table);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool next();
  /// Begins again with other parameters.
  void restart(std::initializer_list<Parameter> parameters);

  bool isNull(int column) const;
  std::int64_t integer(int column) const;
  int index(int column) const;  ///< An integer that an int holds.
  double real(int column) const;
  double realOrInfinity(int column) const;  ///< +infinity too.
  std::string text(int column) const;
  std::string textOrNull(int column) const;  ///< NULL: empty.
  /// Valid until the next row.
  std::span<const unsigned char> blob(int column) const;
  [[noreturn]] void wrong(int column, const std::string& expected) const;

 private:
  friend class Connection;
  void prepare(std::string_view sql);
  void bind(std::initializer_list<Parameter> parameters);
  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  sqlite3_stmt** lent_by_ = nullptr;  // Where the statement goes back to.
};

}  // namespace rigor::verify::recorded
