// SPDX-License-Identifier: MIT
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file_error.h"

namespace rigor::formats {

/// Comma-separated values as RFC 4180 has them: the only place that quotes and splits fields.

/// A field as CSV has it: quoted where it holds a comma, a quotation mark or an end of line.
std::string csvField(std::string_view text);

/// The fields of one line without its end. Quotation marks that do not match are taken as they come.
std::vector<std::string> splitCsvLine(std::string_view line);

/// Writes rows. Doubles in the shortest form that reads back to the same bits. All throw FileError.
class CsvFile {
 public:
  /// Replaces an existing file. @param header  The first line, as it stands.
  CsvFile(std::string path, std::string_view header);
  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  CsvFile& add(double x);
  CsvFile& add(std::string_view text);
  template <typename Vector>
  CsvFile& addAll(const Vector& v) {
    for (int i = 0; i < static_cast<int>(v.size()); ++i) add(v[i]);
    return *this;
  }
  void end();    ///< Of the row.
  void
  close();  ///< The rows are on their way to the disk, or FileError says why not. Without it a failure goes unnoticed.

 private:
  [[noreturn]] void fail();
  void separate();
  std::string path_;
  std::FILE* file_;
  fmt::memory_buffer row_;
  bool first_ = true;
};

/// Walks the fields of a text and knows where it is, for messages. A byte order mark at the begin is skipped.
class CsvCursor {
 public:
  /// @pre `path`, for messages, and `text` outlive it.
  CsvCursor(const std::string& path, std::string_view text);

  bool atEnd() const { return at_ == text_.size(); }
  /// The fields of the next line: views that are valid until the next call. False: an empty line. @throws FileError.
  bool readLine(std::vector<std::string_view>& fields);
  /// @throws FileError FILE:LINE:COL: message, at a byte of the text, or at a field of this line.
  [[noreturn]] void fail(std::size_t position, const std::string& message) const;
  [[noreturn]] void fail(std::string_view field, const std::string& message) const;

 private:
  std::string_view readField();
  std::string_view readQuoted();

  const std::string& path_;
  std::string_view text_;
  const char* begin_;
  std::size_t at_ = 0, line_start_ = 0, line_ = 0;
  std::deque<std::string> unquoted_;  // Views into its strings stay valid as it grows.
};

}  // namespace rigor::formats
