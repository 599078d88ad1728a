// SPDX-License-Identifier: MIT
// Proved: a finished record is proved as its writer left it, and in no other state, however SQLite lays it out; what
// was altered is not gone on with. That any altered column is noticed: every_column_test.cc.
#include <gmock/gmock.h>

#include "record/writer.h"
#include "tests/verify/altered_sql.h"
#include "tests/verify/synthetic_record.h"
#include "verify/record/query.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

/// SQL on a record that is not sealed anew.
void alter(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

class Seal : public testing::Test {
 protected:
  void SetUp() override { synthetic::writeDie(path_, 5); }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = synthetic::temporaryPath("sealed");
};

TEST_F(Seal, HoldsHoweverTheRowsAreLaidOut) {
  ASSERT_TRUE(verifyRecord(path_).verified);
  alter(path_, "PRAGMA page_size = 8192; VACUUM");
  EXPECT_TRUE(verifyRecord(path_).verified);
}

// Nothing that a law of motion or the kernel looks at.
TEST_F(Seal, IsBrokenByWhatNothingElseTells) {
  alter(path_, "UPDATE meta SET value = 'another' WHERE key = 'build'");
  const Report report = verifyRecord(path_);
  EXPECT_FALSE(report.verified);
  EXPECT_THAT(report.failures, Contains(Field(&Failure::reason, HasSubstr("not what its writer sealed"))));
  altered::Sql(path_).execute("UPDATE meta SET value = 'a third' WHERE key = 'build'", true);
  EXPECT_TRUE(verifyRecord(path_).verified);  // Sealed anew.
}

TEST_F(Seal, IsThatOfAFinishedRecordAlone) {
  for (const char* seal : {"''", "'0'", "upper(value) || ' '"}) {
    const std::string copy = synthetic::temporaryPath("unsealed");
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    alter(copy, std::string("UPDATE meta SET value = ") + seal + " WHERE key = 'seal'");
    EXPECT_FALSE(verifyRecord(copy).verified) << seal;
    std::filesystem::remove(copy);
  }
  const std::string running = synthetic::temporaryPath("still-written");
  synthetic::writeDie(running, 5, 5e-3, false);
  EXPECT_TRUE(verifyRecord(running).verified);
  alter(running, "UPDATE meta SET value = '0123456789abcdef0123456789abcdef' WHERE key = 'seal'");
  EXPECT_FALSE(verifyRecord(running).verified);
  std::filesystem::remove(running);
}

TEST_F(Seal, WhatWasAlteredIsNotGoneOnWith) {
  alter(path_, "UPDATE meta SET value = '7' WHERE key = 'seed'");
  EXPECT_THROW(record::Writer writer(path_, record::WriterOptions{}), record::RecordError);
}

// Readers of one table share its statement in turn. Oracles: the seal that the writer left, and the rows' ids.
TEST_F(Seal, IsReadBesideOthersThatReadTheSameTables) {
  using recorded::Query, recorded::WholeTable;
  recorded::Connection record(path_, recorded::Connection::View::kSnapshot);
  Query seal(record, "SELECT value FROM meta WHERE key = 'seal'"), ids(record, "SELECT id FROM pieces ORDER BY id");
  ASSERT_TRUE(seal.next());
  Query first(record, WholeTable{"pieces"});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(first.next() && ids.next());
    EXPECT_EQ(first.integer(0), ids.integer(0));
    EXPECT_EQ(record.digest(), seal.text(0));
    Query again(record, WholeTable{"pieces"});
    for (std::int64_t row = 1; row < 4; ++row) EXPECT_TRUE(again.next() && again.integer(0) == row);
  }
  while (ids.next()) {
    ASSERT_TRUE(first.next());
    EXPECT_EQ(first.integer(0), ids.integer(0));
  }
  EXPECT_FALSE(first.next());
}

}  // namespace
}  // namespace rigor::verify
