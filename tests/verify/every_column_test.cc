// SPDX-License-Identifier: MIT
// Proved: whatever stands in any column of any table of a record, the verifier says a sentence or a verdict, and what
// it proves is still about the motion that was recorded: there is no way around the reader and the kernel. Oracle: the
// plain data of the original record, compared bit for bit with that of every altered one that is proved. Without a new
// seal nothing that was altered is proved.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>

#include "tests/verify/altered_sql.h"
#include "tests/verify/synthetic_record.h"
#include "verify/recorded_run.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

std::vector<std::string> ask(sqlite3* database, const std::string& sql) {
  std::vector<std::string> values;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sql;
  while (sqlite3_step(statement) == SQLITE_ROW)
    values.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
  sqlite3_finalize(statement);
  return values;
}

/// Everything that a proof is about, as bytes.
std::string motionOf(const std::string& path) {
  RecordedRun record(path);
  std::string bytes;
  const auto add = [&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); };
  for (const kernel::Body& body : record.run.model.bodies) {
    bytes += body.name;
    add(&body.fixed, sizeof body.fixed);
    for (const auto* v : {&body.centre, &body.position, &body.velocity, &body.angular_velocity})
      add(v->data(), sizeof *v);
    add(body.orientation.data(), sizeof body.orientation);
    for (const kernel::Part& part : body.parts) {
      add(part.normal.data(), sizeof part.normal);
      add(&part.offset, sizeof part.offset);
      for (const auto& v : part.vertices) add(v.data(), sizeof v);
    }
  }
  for (std::size_t i = 0; i < record.run.branches.size(); ++i) {
    add(&record.run.branches[i].end_time, sizeof(double));
    for (const kernel::Piece& piece : record.readBranch(i).pieces) {
      add(&piece.body, sizeof piece.body);
      add(&piece.t0, sizeof(double));
      add(&piece.t1, sizeof(double));
      add(piece.p[0], 3 * (piece.p_degree + 1) * sizeof(double));
      add(piece.q[0], 4 * (piece.q_degree + 1) * sizeof(double));
    }
  }
  return bytes;
}

/// Every statement of the schema and every value, as bytes.
std::string contentOf(sqlite3* database) {
  std::string bytes;
  std::vector<std::string> queries{"SELECT name, sql FROM sqlite_master"};
  for (const std::string& table : ask(database, "SELECT name FROM sqlite_master WHERE type = 'table'"))
    queries.push_back("SELECT * FROM " + table);
  for (const std::string& query : queries) {
    sqlite3_stmt* row = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, query.c_str(), -1, &row, nullptr), SQLITE_OK) << query;
    while (sqlite3_step(row) == SQLITE_ROW)
      for (int i = 0; i < sqlite3_column_count(row); ++i)
        bytes += fmt::format("{}:{};", sqlite3_column_type(row, i), altered::bytesOf(row, i));
    sqlite3_finalize(row);
  }
  return bytes;
}

bool isProved(const std::string& path) {
  try {
    return verifyRecord(path, {.threads = 1}).verified;
  } catch (const InputError&) {
    return false;
  }
}

TEST(SlowEveryColumn, OfEveryTableLeavesTheProvedMotionAlone) {
  namespace fs = std::filesystem;
  const std::string original = synthetic::temporaryPath("columns"),
                    copy = synthetic::temporaryPath("altered-column");
  synthetic::writeCubes(original, 4);
  const std::string truth = motionOf(original);
  const Report proved = verifyRecord(original, {.threads = 1});
  ASSERT_TRUE(proved.verified);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(original.c_str(), &database), SQLITE_OK);
  std::vector<std::string> changes;
  for (const std::string& table : ask(database, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
    if (table == "meta") continue;
    for (const std::string& column : ask(database, "SELECT name FROM pragma_table_info('" + table + "')"))
      for (const char* value :
           {"NULL", "'x'", "-1", "0", "7", "1e300", "-9e999", "x''", "zeroblob(24)", "randomblob(64)",
            "CAST(substr({0}, 1, length({0}) - 1) AS BLOB)", "CAST({0} || x'00' AS BLOB)"})
        changes.push_back(fmt::format("UPDATE {} SET {} = {} WHERE rowid = (SELECT max(rowid) FROM {})", table, column,
                                      fmt::format(fmt::runtime(value), column), table));
    changes.push_back("DELETE FROM " + table);
    changes.push_back(fmt::format("DELETE FROM {} WHERE rowid = (SELECT max(rowid) FROM {})", table, table));
    changes.push_back("ALTER TABLE " + table + " ADD COLUMN other");
    changes.push_back(fmt::format("CREATE TRIGGER t AFTER INSERT ON {} BEGIN SELECT 1; END", table));
  }
  for (const std::string& key : ask(database, "SELECT key FROM meta")) {
    for (const char* value : {"NULL", "''", "'x'", "-1", "1e300", "'{}'", "'[]'", "x'00'", "'done'"})
      changes.push_back(fmt::format("UPDATE meta SET value = {} WHERE key = '{}'", value, key));
    changes.push_back("DELETE FROM meta WHERE key = '" + key + "'");
  }
  changes.push_back("CREATE VIEW other AS SELECT * FROM meta");
  changes.push_back("CREATE TABLE other(x)");
  int refused = 0, changed = 0;
  const std::string whole = contentOf(database);
  sqlite3_close(database);
  for (const std::string& change : changes) {
    fs::copy_file(original, copy, fs::copy_options::overwrite_existing);
    ASSERT_EQ(sqlite3_open(copy.c_str(), &database), SQLITE_OK);
    sqlite3_exec(database, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
    const bool done = sqlite3_exec(database, change.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    if (done && contentOf(database) != whole) {
      ++changed;
      EXPECT_FALSE(isProved(copy)) << change;
    }
    if (done) altered::sealAnew(database);
    sqlite3_close(database);
    if (!done) continue;
    try {
      const Report report = verifyRecord(copy, {.threads = 1});
      if (!report.verified) {
        ++refused;
        continue;
      }
      EXPECT_EQ(motionOf(copy), truth) << change;
      EXPECT_LE(report.min_gap, proved.min_gap) << change;
      EXPECT_EQ(report.horizon, proved.horizon) << change;
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("json.exception"))) << change;
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(changed, 500);
  fs::remove(original);
  fs::remove(copy);
}

}  // namespace
}  // namespace rigor::verify
