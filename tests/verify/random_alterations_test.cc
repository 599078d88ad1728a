// SPDX-License-Identifier: MIT
// Proves: whatever stands in any cell, byte or number of a record, the checker says a sentence or a verdict, and what
// it proves is true. Oracles: a separating-axis test in rationals at instants of the altered motion, and the model of
// the record before it was altered.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/verify/altered_record.h"
#include "tests/verify/rational_truth.h"
#include "tests/verify/synthetic_record.h"
#include "verify/record/schema.h"
#include "verify/recorded_run.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

using truth::Q;
using truth::Q3;

/// At the instants at which a piece of the second body has run these shares of its time.
const Q kShares[] = {Q(0), Q(1, 2), Q(1)};

bool isAbove(const std::vector<Q3>& vertices) {
  return std::all_of(vertices.begin(), vertices.end(), [](const Q3& v) { return v.x[2] > 0; });
}

bool sameMotion(const kernel::Piece& a, const kernel::Piece& b) {
  return a.body == b.body && a.t0 == b.t0 && a.t1 == b.t1 && a.p_degree == b.p_degree && a.q_degree == b.q_degree &&
         std::memcmp(a.p, b.p, sizeof a.p[0] * static_cast<std::size_t>(a.p_degree + 1)) == 0 &&
         std::memcmp(a.q, b.q, sizeof a.q[0] * static_cast<std::size_t>(a.q_degree + 1)) == 0;
}

/// The two bodies, the first a table at z = 0 where it is fixed. What moves as in the record before is known to be
/// apart.
void expectApart(const kernel::Model& model, const kernel::BranchRows& before, const kernel::BranchRows& rows,
                 const std::string& what) {
  if (std::equal(before.pieces.begin(), before.pieces.end(), rows.pieces.begin(), rows.pieces.end(), sameMotion))
    return;
  const kernel::Body &a = model.bodies[0], &b = model.bodies[1];
  for (const kernel::Piece& piece : rows.pieces) {
    if (piece.body != 1) continue;
    for (const Q& u : kShares) {
      const Q t = Q(piece.t0) + u * (Q(piece.t1) - Q(piece.t0));
      const std::vector<Q3> vertices = truth::verticesAt(b, piece, u);
      if (a.fixed) {
        ASSERT_TRUE(isAbove(vertices)) << what;
        continue;
      }
      for (const kernel::Piece& other : rows.pieces) {
        if (other.body != 0 || Q(other.t0) > t || t > Q(other.t1)) continue;
        const Q share = (t - Q(other.t0)) / (Q(other.t1) - Q(other.t0));
        ASSERT_TRUE(truth::boxesAreApart(truth::verticesAt(a, other, share), vertices)) << what;
      }
    }
  }
}

/// One cell of one row, to be put back.
class Cell {
 public:
  Cell(sqlite3* database, std::string table, std::string column, std::int64_t row) : database_(database), row_(row) {
    sql_ = "UPDATE " + table + " SET " + column + " = ? WHERE rowid = ?";
    const Statement get(database, "SELECT " + column + " FROM " + table + " WHERE rowid = ?");
    sqlite3_bind_int64(get.s, 1, row);
    EXPECT_EQ(sqlite3_step(get.s), SQLITE_ROW) << table;
    old_ = sqlite3_value_dup(sqlite3_column_value(get.s, 0));
    const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(get.s, 0));
    if (bytes) bytes_.assign(bytes, bytes + sqlite3_column_bytes(get.s, 0));
    what_ = table + "." + column + " of row " + std::to_string(row);
  }
  ~Cell() {
    if (changed_) set([&](sqlite3_stmt* s) { sqlite3_bind_value(s, 1, old_); });
    sqlite3_value_free(old_);
  }
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;
  /// @returns whether the table took it.
  bool set(const std::function<void(sqlite3_stmt*)>& bind) {
    const Statement put(database_, sql_);
    bind(put.s);
    sqlite3_bind_int64(put.s, 2, row_);
    return changed_ = sqlite3_step(put.s) == SQLITE_DONE;
  }
  const std::vector<unsigned char>& bytes() const { return bytes_; }
  sqlite3_value* value() const { return old_; }
  const std::string& what() const { return what_; }

 private:
  struct Statement {
    Statement(sqlite3* database, const std::string& sql) {
      EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &s, nullptr), SQLITE_OK) << sql;
    }
    ~Statement() { sqlite3_finalize(s); }
    sqlite3_stmt* s = nullptr;
  };
  sqlite3* database_;
  std::int64_t row_;
  std::string sql_, what_;
  sqlite3_value* old_ = nullptr;
  std::vector<unsigned char> bytes_;
  bool changed_ = false;
};

using Random = std::mt19937_64;

double strangeNumber(Random& random, double before) {
  const double strange[] = {0.0,
                            -0.0,
                            5e-324,
                            -5e-324,
                            1e-160,
                            1e-310,
                            1e100,
                            -1e100,
                            1e308,
                            1.0,
                            -1.0,
                            std::numeric_limits<double>::quiet_NaN(),
                            HUGE_VAL,
                            -HUGE_VAL,
                            std::nextafter(before, HUGE_VAL),
                            before * (1 + 1e-9),
                            -before,
                            before + 1e-3,
                            2 * before};
  return strange[random() % std::size(strange)];
}

/// Bits, bytes, numbers, words or the length.
std::vector<unsigned char> alteredBytes(Random& random, std::vector<unsigned char> bytes) {
  if (bytes.empty()) return {static_cast<unsigned char>(random())};
  const auto replaceAt = [&](const auto& value) {
    const std::size_t size = sizeof value;
    if (bytes.size() >= size) std::memcpy(bytes.data() + random() % (bytes.size() / size) * size, &value, size);
  };
  switch (random() % 6) {
    case 0: bytes[random() % bytes.size()] ^= static_cast<unsigned char>(1u << random() % 8); break;
    case 1: {
      double before = 1;
      const std::size_t at = bytes.size() / 8 ? random() % (bytes.size() / 8) * 8 : 0;
      if (bytes.size() < 8) break;
      std::memcpy(&before, bytes.data() + at, 8);
      const double after = strangeNumber(random, before);
      std::memcpy(bytes.data() + at, &after, 8);
      break;
    }
    case 2: replaceAt(static_cast<std::uint32_t>(random() % 3 ? random() % 5 : random())); break;
    case 3: bytes.resize(random() % bytes.size()); break;
    case 4:
      bytes.insert(bytes.end(), bytes.begin(),
                   bytes.begin() + static_cast<long>(std::min<std::size_t>(bytes.size(), 8 * (1 + random() % 4))));
      break;
    default:
      std::swap_ranges(bytes.begin(), bytes.begin() + static_cast<long>(std::min<std::size_t>(8, bytes.size() / 2)),
                       bytes.end() - static_cast<long>(std::min<std::size_t>(8, bytes.size() / 2)));
  }
  return bytes;
}

/// Another value, of the column's own type half of the time.
void bindOther(Random& random, const Cell& cell, sqlite3_stmt* s) {
  const int type = random() % 4 ? sqlite3_value_type(cell.value()) : 1 + static_cast<int>(random() % 5);
  switch (type) {
    case SQLITE_INTEGER: {
      const std::int64_t before = sqlite3_value_int64(cell.value()),
                         values[] = {before + 1, before - 1, -before, 0, 1, 2, 1 << 24, std::int64_t{1} << 40};
      sqlite3_bind_int64(s, 1, values[random() % std::size(values)]);
      break;
    }
    case SQLITE_FLOAT: sqlite3_bind_double(s, 1, strangeNumber(random, sqlite3_value_double(cell.value()))); break;
    case SQLITE_TEXT: {
      const std::vector<unsigned char> bytes = alteredBytes(random, cell.bytes());
      sqlite3_bind_text(s, 1, reinterpret_cast<const char*>(bytes.data()), static_cast<int>(bytes.size()),
                        SQLITE_TRANSIENT);
      break;
    }
    case SQLITE_BLOB: {
      const std::vector<unsigned char> bytes = alteredBytes(random, cell.bytes());
      sqlite3_bind_blob(s, 1, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
      break;
    }
    default: sqlite3_bind_null(s, 1);
  }
}

struct Column {
  std::string table, name;
  std::vector<std::int64_t> rows;
};

/// All columns of all tables that have rows; `meta`, which has no row numbers, is every_column_test.cc's.
std::vector<Column> columnsOf(altered::Sql& sql) {
  std::vector<Column> columns;
  for (const recorded::Table& table : recorded::kTables) {
    if (table.name == "meta") continue;
    std::vector<std::int64_t> rows;
    const std::string name(table.name);
    sql.query("SELECT rowid FROM " + name, [&](sqlite3_stmt* row) { rows.push_back(sqlite3_column_int64(row, 0)); });
    if (rows.empty()) continue;
    sql.query("SELECT name FROM pragma_table_info('" + name + "')", [&](sqlite3_stmt* row) {
      if (const std::string column = altered::textOf(row, 0); column != "id" && column != "number")
        columns.push_back({name, column, rows});
    });
  }
  return columns;
}

struct Tally {
  long tried = 0, refused = 0, proved = 0;
};

/// `count` alterations of a record, each alone.
Tally alter(const std::string& path, int count, unsigned long seed) {
  Random random(seed);
  Tally tally;
  std::string model;
  kernel::BranchRows before;
  {
    RecordedRun original(path);  // A reader keeps writers out.
    model = original.meta().model, before = original.readBranch(0);
    expectApart(original.run.model, {}, before, "the record");
  }
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
  std::vector<Column> columns;
  {
    altered::Sql sql(path);
    columns = columnsOf(sql);
  }
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    const Column& column = columns[random() % columns.size()];
    Cell cell(database, column.table, column.name, column.rows[random() % column.rows.size()]);
    if (!cell.set([&](sqlite3_stmt* s) { bindOther(random, cell, s); })) continue;
    altered::sealAnew(database);
    ++tally.tried;
    try {
      const Report report = verifyRecord(path, {.threads = 1});
      if (!report.verified) {
        ++tally.refused;
        continue;
      }
      ++tally.proved;
      RecordedRun run(path);
      EXPECT_EQ(run.meta().model, model) << cell.what();
      EXPECT_GT(report.min_gap, 0) << cell.what();
      for (std::size_t branch = 0; branch < run.run.branches.size(); ++branch)
        expectApart(run.run.model, before, run.readBranch(branch), cell.what());
    } catch (const InputError& error) {
      ++tally.refused;
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("json.exception"))) << cell.what();
    }
  }
  altered::sealAnew(database);
  sqlite3_close(database);
  return tally;
}

void alterRecords(int count, unsigned long seed) {
  const std::string die = synthetic::temporaryPath("altered-die"), cubes = synthetic::temporaryPath("altered-cubes");
  synthetic::writeDie(die, 5);
  synthetic::writeCubes(cubes, 6);
  for (const std::string& path : {die, cubes}) {
    const Tally tally = alter(path, count / 2, seed);
    EXPECT_GT(tally.tried, 0.9 * count / 2) << path;
    EXPECT_GT(tally.refused, 0.5 * tally.tried)
        << path;  // Most cells matter; the others leave a record that is proved.
    EXPECT_GT(tally.proved, 0) << path;
    EXPECT_TRUE(verifyRecord(path, {.threads = 1}).verified) << path;  // Each alteration was taken back.
    std::filesystem::remove(path);
  }
}

TEST(Alterations, RandomOnesAreRefusedOrTrue) { alterRecords(1000, 1); }

// Ten thousand in all.
class SlowAlterations : public testing::TestWithParam<unsigned long> {};
TEST_P(SlowAlterations, RandomOnesAreRefusedOrTrue) { alterRecords(1250, GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, SlowAlterations, testing::Range(10ul, 18ul));

}  // namespace
}  // namespace rigor::verify
