// SPDX-License-Identifier: MIT
// Writes the source of record/empty_record.h: images of a record of no run, which SQLite makes here, once, from the
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
bool makeTables(sqlite3* database, int page_size) {
  using namespace rigor::verify;
  std::string sql = "PRAGMA page_size = " + std::to_string(page_size) +
                    "; PRAGMA user_version = " + std::to_string(recorded::kSchemaVersion) + ";";
  for (const auto& table : recorded::kTables) sql += std::string(table.sql) + ";";
  // What the records of all runs begin with.
  sql += "INSERT INTO meta VALUES('format', '" + std::string(recorded::kFormat) + "'), ('schema_version', " +
         std::to_string(recorded::kSchemaVersion) +
         "), ('status', 'running'), ('message', ''), ('summary', ''), ('seal', '')";
  char* message = nullptr;
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return true;
  std::fprintf(stderr, "rigor_empty_record: %s\n", message ? message : "no memory");
  sqlite3_free(message);
  return false;
}

bool writeImage(std::FILE* file, const char* name, int page_size) {
  sqlite3* database = nullptr;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK || !makeTables(database, page_size)) return false;
  sqlite3_int64 size = 0;
  unsigned char* image = sqlite3_serialize(database, "main", &size, 0);
  std::fprintf(file, "const unsigned char %s[] = {", name);
  for (sqlite3_int64 i = 0; image && i < size; ++i) std::fprintf(file, i % 64 ? "%d," : "\n%d,", image[i]);
  std::fprintf(file, "\n};\n");
  sqlite3_free(image);
  sqlite3_close(database);
  return image != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: rigor_empty_record OUTPUT.cc\n"), 2;
  std::FILE* file = std::fopen(argv[1], "w");
  if (!file) return std::perror(argv[1]), 1;
  std::fprintf(file, "#include \"record/empty_record.h\"\nnamespace rigor::record {\nnamespace {\n");
  if (!writeImage(file, "kSmallPages", 2048) || !writeImage(file, "kLargePages", 16384)) return 1;
  std::fprintf(file,
               "}  // namespace\nstd::span<const unsigned char> emptyRecord(Pages pages) {\n"
               "  if (pages == Pages::kLarge) return kLargePages;\n  return kSmallPages;\n}\n"
               "}  // namespace rigor::record\n");
  return std::fclose(file) == 0 ? 0 : 1;
}
