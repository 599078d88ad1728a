// SPDX-License-Identifier: MIT
#include "formats/csv.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace rigor::formats {

std::string csvField(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<std::string> splitCsvLine(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[++i];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) fields.emplace_back();
    else fields.back() += line[i];
  }
  return fields;
}

CsvFile::CsvFile(std::string path, std::string_view header)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) fail();
  row_.append(header);
  end();
}

CsvFile::~CsvFile() {
  if (file_) std::fclose(file_);
}

void CsvFile::fail() { throw FileError("cannot write " + path_ + ": " + std::strerror(errno)); }

void CsvFile::separate() {
  if (!first_) row_.push_back(',');
  first_ = false;
}

CsvFile& CsvFile::add(double x) {
  separate();
  row_.append(fmt::format("{}", x));
  return *this;
}

CsvFile& CsvFile::add(std::string_view text) {
  separate();
  row_.append(csvField(text));
  return *this;
}

void CsvFile::end() {
  row_.push_back('\n');
  if (std::fwrite(row_.data(), 1, row_.size(), file_) != row_.size()) fail();
  row_.clear();
  first_ = true;
}

void CsvFile::close() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

CsvCursor::CsvCursor(const std::string& path, std::string_view text) : path_(path), text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  begin_ = text_.data();
}

bool CsvCursor::readLine(std::vector<std::string_view>& fields) {
  ++line_;
  line_start_ = at_;
  fields.clear();
  unquoted_.clear();
  do fields.push_back(readField());
  while (at_ < text_.size() && text_[at_] == ',' && ++at_);
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size()) {
    if (text_[at_] != '\n') fail(at_, "text after a quoted field; a comma or the end of the line");
    ++at_;
  }
  return fields.size() > 1 || !fields[0].empty();
}

void CsvCursor::fail(std::size_t position, const std::string& message) const {
  throw FileError(fmt::format("{}:{}:{}: {}", path_, line_, position - line_start_ + 1, message));
}

void CsvCursor::fail(std::string_view field, const std::string& message) const {
  const bool inside = field.data() >= begin_ && field.data() <= begin_ + text_.size();
  fail(inside ? static_cast<std::size_t>(field.data() - begin_) : line_start_, message);
}

std::string_view CsvCursor::readField() {
  if (at_ < text_.size() && text_[at_] == '"') return readQuoted();
  const std::size_t from = at_, to = std::min(text_.find_first_of(",\r\n", at_), text_.size());
  at_ = to;
  return text_.substr(from, to - from);
}

std::string_view CsvCursor::readQuoted() {
  const std::size_t from = at_++;
  std::string& value = unquoted_.emplace_back();
  for (;;) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == text_.npos) fail(from, "a quoted field has no end; a second quotation mark");
    value.append(text_.substr(at_, quote - at_));
    at_ = quote + 1;
    if (at_ == text_.size() || text_[at_] != '"') return value;
    value.push_back('"');
    ++at_;
  }
}

}  // namespace rigor::formats
