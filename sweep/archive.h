// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "record/database.h"

namespace rigor::sweep {

/// The records of many runs in one SQLite archive (sqlite.org/sqlar.html): a table `sqlar(name, mode, mtime, sz, data)`
/// with a row `run-000017.rigor` a record, compressed by zlib. `sqlite3 -A -x -f FILE` takes them out as well.
///
/// What put() returned from is kept when the process is killed. All throw SweepError or record::RecordError.
class Archive {
 public:
  /// Opens FOLDER/records.sqlar, made where it is not there.
  explicit Archive(const std::string& folder);
  ~Archive();  ///< Leaves one file without a log.

  static std::string pathIn(const std::string& folder);
  static bool isIn(const std::string& folder);

  /// Adds the record of a run, or replaces it. From any thread. Cost: compressing, outside the lock.
  void put(long run, const std::vector<unsigned char>& record);
  /// Adds all records of another archive.
  void putAll(const std::string& path);
  /// The bytes of a record. @throws SweepError where there is none of this run, or it is damaged.
  std::vector<unsigned char> record(long run);

 private:
  record::Database database_;
  record::Statement insert_;
  std::mutex mutex_;
};

/// Name of the record of a run: run-000017.rigor.
std::string recordName(long run);

}  // namespace rigor::sweep
