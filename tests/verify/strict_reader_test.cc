// SPDX-License-Identifier: MIT
// Proves: a file that is more or other than the documented tables is refused before anything in it is believed. Oracle:
// the schema of docs/record-format.md; each change below is outside of it.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "sim/event_kinds.h"
#include "tests/verify/altered_record.h"
#include "tests/verify/synthetic_record.h"
#include "verify/record/schema.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

namespace fs = std::filesystem;

TEST(StrictReader, RefusesWhatIsNotTheSchema) {
  const std::string original = synthetic::temporaryPath("strict"), path = synthetic::temporaryPath("strict-copy");
  synthetic::writeDie(original, 3);
  for (const char* change :
       {"CREATE VIEW seen AS SELECT * FROM pieces",
        "CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
        "ALTER TABLE pieces RENAME TO hidden; CREATE VIEW pieces AS SELECT * FROM hidden",
        "ALTER TABLE pieces ADD COLUMN t2 REAL AS (t1 + 1)", "CREATE INDEX other ON pieces(t0)",
        "CREATE TABLE other(x)", "CREATE TRIGGER other AFTER INSERT ON pieces BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE other USING fts5(x)", "DROP TABLE impulses", "DROP TABLE files",
        "PRAGMA user_version = 3",
        "CREATE TABLE two(key TEXT, value); INSERT INTO two SELECT * FROM meta; INSERT INTO two SELECT * FROM meta "
        "WHERE key = 'model'; DROP TABLE meta;"
        "ALTER TABLE two RENAME TO meta",
        "INSERT INTO meta VALUES('other', 1)", "DELETE FROM meta WHERE key = 'bounds'"}) {
    fs::copy_file(original, path, fs::copy_options::overwrite_existing);
    {
      altered::Sql sql(path);
      sql.execute("PRAGMA journal_mode = DELETE");
      sql.execute(change);
    }
    EXPECT_THROW((void)verifyRecord(path, {.threads = 1}), InputError) << change;
  }
  fs::remove(path), fs::remove(original);
}

// What a hot journal would undo is not what stands in the file.
TEST(StrictReader, RefusesARecordBesideAJournal) {
  const std::string path = synthetic::temporaryPath("journal");
  synthetic::writeDie(path, 3);
  EXPECT_TRUE(verifyRecord(path, {.threads = 1}).verified);
  std::ofstream(path + "-journal") << std::string(512, 'x');
  EXPECT_THROW((void)verifyRecord(path, {.threads = 1}), InputError);
  fs::remove(path + "-journal");
  fs::remove(path);
}

TEST(StrictReader, RefusesSpecialFiles) {
  const std::string pipe = synthetic::temporaryPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/dev/null"), std::string("/")})
    EXPECT_THROW((void)verifyRecord(path, {.threads = 1}), InputError) << path;
  fs::remove(pipe);
}

// One list of a run's events: what the simulator may write, the checker reads and the page describes.
TEST(StrictReader, KnowsTheEventsThatRunsWrite) {
  EXPECT_THAT(recorded::kEventKinds, testing::UnorderedElementsAreArray(sim::kEventKinds));
  std::ifstream file(RIGOR_SOURCE_DIR "/docs/record-format.md");
  std::string line, kinds;
  while (std::getline(file, line))
    if (line.starts_with("  | `")) kinds += line.substr(0, line.find("` |") + 1);
  for (const std::string_view kind : sim::kEventKinds)
    EXPECT_THAT(kinds, testing::HasSubstr("`" + std::string(kind) + "`"));
}

}  // namespace
}  // namespace rigor::verify
