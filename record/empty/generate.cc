// SPDX-License-Identifier: MIT
// Writes the source of record/empty_record.h: the image of a record of no run, which SQLite makes here, once, from the
// statements of verify/record/schema.h. To make thirteen tables anew for each record cost as much as simulating a
// throw.
//
//   rigor_empty_record OUTPUT.cc
#include <sqlite3.h>

#include <cstdio>
#include <string>

#include "verify/record/schema.h"

namespace {

/// @returns false where a statement of the schema is wrong; SQLite says why on stderr.
bool makeTables(sqlite3* database) {
  using namespace rigor::verify;
  std::string sql = "PRAGMA page_size = 2048; PRAGMA user_version = " + std::to_string(recorded::kSchemaVersion) + ";";
  for (const auto& table : recorded::kTables) sql += std::string(table.sql) + ";";
  // What the records of all runs begin with.
  sql += "INSERT INTO meta VALUES('format', '" + std::string(recorded::kFormat) + "'), ('schema_version', " +
         std::to_string(recorded::kSchemaVersion) + "), ('status', 'running'), ('message', ''), ('summary', '')";
  char* message = nullptr;
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return true;
  std::fprintf(stderr, "rigor_empty_record: %s\n", message ? message : "no memory");
  sqlite3_free(message);
  return false;
}

bool write(const char* path, const unsigned char* image, sqlite3_int64 size) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return std::perror(path), false;
  std::fprintf(file, "#include \"record/empty_record.h\"\nnamespace rigor::record {\n");
  std::fprintf(file, "const std::size_t kEmptyRecordSize = %lld;\n", static_cast<long long>(size));
  std::fprintf(file, "const unsigned char kEmptyRecord[] = {");
  for (sqlite3_int64 i = 0; i < size; ++i) std::fprintf(file, i % 64 ? "%d," : "\n%d,", image[i]);
  std::fprintf(file, "\n};\n}  // namespace rigor::record\n");
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: rigor_empty_record OUTPUT.cc\n"), 2;
  sqlite3* database = nullptr;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK || !makeTables(database)) return 1;
  sqlite3_int64 size = 0;
  unsigned char* image = sqlite3_serialize(database, "main", &size, 0);
  const bool done = image && write(argv[1], image, size);
  sqlite3_free(image);
  sqlite3_close(database);
  return done ? 0 : 1;
}
