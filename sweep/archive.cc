// SPDX-License-Identifier: MIT
#include "sweep/archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "sweep/run_sweep.h"

namespace rigor::sweep {
namespace {

namespace fs = std::filesystem;

constexpr int kFileMode = 0100644;  // A regular file that all may read: what the column `mode` says of each.
constexpr long kMostBytes = 1L << 30;  // Of a record, uncompressed: SQLite's own limit of a value.
constexpr std::string_view kPrefix = "run-";

record::Database openArchive(const std::string& path) {
  if (!fs::exists(path) && !std::ofstream(path, std::ios::app)) throw SweepError(path + " cannot be written");
  record::Database database = record::Database::openForWriting(path);
  database.execute("CREATE TABLE IF NOT EXISTS sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)");
  return database;
}

}  // namespace

std::string recordName(long run) { return fmt::format("{}{:06}.rigor", kPrefix, run); }

std::string Archive::pathIn(const std::string& folder) { return (fs::path(folder) / "records.sqlar").string(); }

bool Archive::isIn(const std::string& folder) { return fs::exists(pathIn(folder)); }

Archive::Archive(const std::string& folder)
    : database_(openArchive(pathIn(folder))), insert_(database_, "INSERT OR REPLACE INTO sqlar VALUES(?,?,0,?,?)") {}

Archive::~Archive() {
  try {
    database_.mergeLog();
  } catch (const record::RecordError&) {
    // The log stays and counts; a destructor has nobody to tell.
  }
}

void Archive::put(long run, const std::vector<unsigned char>& record) {
  uLongf size = compressBound(record.size());
  std::vector<unsigned char> packed(size);
  if (compress2(packed.data(), &size, record.data(), record.size(), Z_BEST_SPEED) != Z_OK)
    throw SweepError(fmt::format("{} cannot be compressed", recordName(run)));
  const bool smaller = size < record.size();  // Otherwise it is stored as it is: sz tells.
  const std::string name = recordName(run);
  const std::lock_guard lock(mutex_);
  insert_.bind(name).bind(kFileMode).bind(static_cast<std::int64_t>(record.size()));
  insert_.bindBlob(smaller ? packed.data() : record.data(), smaller ? size : record.size()).run();
}

void Archive::putAll(const std::string& path) {
  record::Database other = record::Database::openForWriting(path);
  record::Statement rows(other, "SELECT name, mode, sz, data FROM sqlar");
  database_.execute("BEGIN");
  while (rows.next()) {
    const std::string name = rows.text(0);
    const auto data = rows.blob(3);
    insert_.bind(name).bind(rows.integer(1)).bind(rows.integer(2)).bindBlob(data.data(), data.size()).run();
  }
  database_.execute("COMMIT");
}

std::vector<unsigned char> Archive::record(long run) {
  const std::string name = recordName(run);
  record::Statement row(database_, "SELECT sz, data FROM sqlar WHERE name = ?");
  row.bind(name);
  std::vector<unsigned char> bytes;
  bool found = false;
  while (row.next()) {
    const auto damaged = [&] { return SweepError(fmt::format("{}: {} is damaged", database_.path(), name)); };
    const std::int64_t size = row.integer(0);
    const auto data = row.blob(1);
    if (size < 0 || size > kMostBytes) throw damaged();
    found = true;
    if (static_cast<std::size_t>(size) == data.size()) {
      bytes.assign(data.begin(), data.end());
      continue;
    }
    bytes.resize(static_cast<std::size_t>(size));
    uLongf length = bytes.size();
    if (uncompress(bytes.data(), &length, data.data(), data.size()) != Z_OK || length != bytes.size()) throw damaged();
  }
  if (!found) throw SweepError(fmt::format("{} holds no record of run {}", database_.path(), run));
  return bytes;
}

}  // namespace rigor::sweep
