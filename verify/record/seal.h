// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "verify/record/schema.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rigor::verify::recorded {

/// The statement for the rows of a table as they are sealed: all columns, in the format's order.
std::string rowsInOrder(const Table& table);

/// XXH3-128 of tables.
class SealDigest {
 public:
  SealDigest();
  ~SealDigest();
  /// @param rows  A statement rowsInOrder(table) before its first row, where it is afterwards. All of kTables in turn.
  /// @throws InputError where they cannot be read.
  void add(const Table& table, sqlite3_stmt* rows);
  std::string text() const;

 private:
  class Hash;
  const std::unique_ptr<Hash> hash_;
};

/// What seals a finished record: 128 bits of everything in it. They tell whether anything was altered since its writer
/// was done: a column of no law, a summary, a stored state. They are no signature: who alters a record with intent can
/// seal it anew, and then meets the kernel.
class Sealer {
 public:
  /// @param database  A record, open; it outlives this.
  explicit Sealer(sqlite3* database) : database_(database) {}
  ~Sealer();
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  /// XXH3-128 of the rows of kTables, each value with its type, but for meta's own `seal`: 32 hexadecimal digits. How
  /// SQLite lays the rows out does not count. O(file), about 1 GB/s. @throws InputError where they cannot be read.
  std::string digest();

 private:
  void prepare();
  sqlite3* database_;
  std::vector<sqlite3_stmt*> rows_;  // Of each table; kept, since to prepare them takes longer than a short record.
};

}  // namespace rigor::verify::recorded
