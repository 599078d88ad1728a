// SPDX-License-Identifier: MIT
#pragma once
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rigor::sweep {

/// What a folder says of the sweep that it holds: equal for all shards of one sweep, but for the shard.
struct Manifest {
  std::string sweep_text, scene_text;
  long runs = 0, shard = 1, shards = 1;
  std::vector<std::string> columns;
  std::vector<std::string> categories;  ///< Columns that are counted rather than averaged.

  /// FOLDER/sweep.json. @throws SweepError.
  void write(const std::string& folder) const;
  static Manifest read(const std::string& folder);
  bool isSameSweep(const Manifest& other) const;
};

/// Lines of results, by run. A line is complete CSV without its end.
using Rows = std::map<long, std::string>;

/// The complete rows of a CSV file of `columns` columns; a last line without its end is left out. Empty where there is
/// no file.
/// @throws SweepError for another header or a line that begins with no run number.
Rows readRows(const std::string& path, const std::vector<std::string>& columns);

/// Appends rows to FOLDER/rows.csv, each at once. @throws SweepError.
class RowLog {
 public:
  RowLog(const std::string& path, const std::vector<std::string>& columns, const Rows& known);
  void add(const std::string& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// A header and its rows in order of runs, written beside and renamed. @throws SweepError.
void writeCsv(const std::string& path, const std::vector<std::string>& columns, const Rows& rows);

/// The columns of numbers as data sets of FOLDER/results.h5, and status as text. @throws SweepError.
void writeHdf5(const std::string& path, const std::vector<std::string>& columns, const Rows& rows);

/// FOLDER/plots: a histogram for each column of numbers, and for categories the share of each with its 95 % interval
/// [Wilson 1927].
void writePlots(const std::string& folder, const Manifest& manifest, const Rows& rows);

/// A cell as CSV has it, with spaces for ends of lines: a row is one line.
std::string rowCell(std::string text);

}  // namespace rigor::sweep
