// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "verify/record/error.h"
#include "verify/record/seal.h"

/// SQL on records that tests alter.
namespace rigor::altered {

/// Seals an altered record anew, as who alters with intent does; nothing where it has no seal any more. What holds
/// against an attack must hold without the seal.
inline void sealAnew(sqlite3* database) {
  std::string digest;
  try {
    digest = verify::recorded::Sealer(database).digest();
  } catch (const verify::InputError&) {
    return;  // No record any more.
  }
  const std::string sql = "UPDATE meta SET value = '" + digest + "' WHERE key = 'seal' AND value != ''";
  sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
}

/// An SQLite connection of the tests: what fails fails the test. What was altered is sealed anew at the end.
class Sql {
 public:
  explicit Sql(const std::string& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &database_), SQLITE_OK); }
  ~Sql() {
    if (sqlite3_total_changes(database_) > 0) sealAnew(database_);
    sqlite3_close(database_);
  }
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;
  void execute(const std::string& sql, bool must_change = false) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message << sql;
    if (must_change) {
      EXPECT_GT(sqlite3_changes(database_), 0) << sql;
    }
  }
  /// Runs `use` on each row; parameters are bound by `bind`.
  void query(const std::string& sql, const std::function<void(sqlite3_stmt*)>& use,
             const std::function<void(sqlite3_stmt*)>& bind = {}) {
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database_);
    if (bind) bind(statement);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
      if (use) use(statement);
    EXPECT_EQ(code, SQLITE_DONE) << sqlite3_errmsg(database_) << sql;
    sqlite3_finalize(statement);
  }
  void insert(const std::string& sql, const std::function<void(sqlite3_stmt*)>& bind) { query(sql, {}, bind); }

 private:
  sqlite3* database_ = nullptr;
};

using Numbers = std::vector<double>;

inline void bindNumbers(sqlite3_stmt* s, int column, const double* numbers, std::size_t count) {
  sqlite3_bind_blob(s, column, numbers, static_cast<int>(count * sizeof(double)), SQLITE_TRANSIENT);
}
inline void bindText(sqlite3_stmt* s, int column, const std::string& text) {
  sqlite3_bind_text(s, column, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}
inline std::string textOf(sqlite3_stmt* s, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(s, column));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(s, column))) : std::string();
}
inline std::string bytesOf(sqlite3_stmt* s, int column) {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(s, column));
  return {data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(s, column))};
}
inline Numbers numbersOf(sqlite3_stmt* s, int column) {
  const std::string bytes = bytesOf(s, column);
  Numbers numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}
/// NULL is NaN.
inline double realOf(sqlite3_stmt* s, int column) {
  return sqlite3_column_type(s, column) == SQLITE_NULL ? std::numeric_limits<double>::quiet_NaN()
                                                       : sqlite3_column_double(s, column);
}

}  // namespace rigor::altered
