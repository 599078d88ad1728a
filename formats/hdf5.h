// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file_error.h"

namespace rigor::formats {

/// Writes one HDF5 file: groups, tables of doubles, lists of texts, attributes. Names are paths; groups on the way are
/// made. Little-endian float64 and UTF-8 texts of any length. All throw FileError. Memory: twice the file, which
/// close() writes. The library is loaded by the first of these objects.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// A data set of rows of `columns` numbers, one after the other; of one dimension where columns = 1.
  void numbers(const std::string& name, std::span<const double> values, std::size_t columns);
  void texts(const std::string& name, const std::vector<std::string>& texts);
  void group(const std::string& name);
  /// Of a group that was made, or of the file: "/".
  void attribute(const std::string& group, const char* name, const std::string& text);
  void attribute(const std::string& group, const char* name, double value);
  void close();  ///< Writes the file, or replaces an existing one. Without it there is none.

 private:
  std::string path_;
  std::int64_t file_;
};

/// Reads what Hdf5Writer writes, and what is like it.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path);  ///< @throws FileError: this is no HDF5 file.
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  bool has(const std::string& name) const;  ///< @pre The group above it is there.
  /// Paths of all that is below a group, from that group on, in order of names.
  std::vector<std::string> below(const std::string& group) const;
  /// A data set of `rows` (0: any number) times `columns` numbers. @throws FileError that names the data set.
  std::vector<double> numbers(const std::string& name, std::size_t columns, std::size_t rows = 0) const;

 private:
  std::string path_;
  std::int64_t file_;
};

}  // namespace rigor::formats
