// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <cmath>
#include <fstream>
#include <map>
#include <unordered_map>

#include "check/trajectory_file.h"

namespace rigor::check {
namespace {

enum Column { kTime, kBody, kBranch, kPx, kPy, kPz, kQw, kQx, kQy, kQz, kVx, kVy, kVz, kWx, kWy, kWz, kColumns };
constexpr std::array<const char*, kColumns> kNames = {"time", "body", "branch", "px", "py", "pz", "qw", "qx",
                                                      "qy",   "qz",   "vx",     "vy", "vz", "wx", "wy", "wz"};

/// Walks the fields of a file of comma-separated values (RFC 4180) and knows where it is.
class CsvCursor {
 public:
  CsvCursor(const std::string& path, std::string_view text) : path_(path), text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    begin_ = text_.data();
  }

  bool atEnd() const { return at_ == text_.size(); }
  /// The fields of the next line; views into the file, or into `unquoted_`. False: an empty line.
  bool readLine(std::vector<std::string_view>& fields) {
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
  [[noreturn]] void fail(std::size_t position, const std::string& message) const {
    throw TrajectoryError(fmt::format("{}:{}:{}: {}", path_, line_, position - line_start_ + 1, message));
  }
  [[noreturn]] void fail(std::string_view field, const std::string& message) const {
    const bool inside = field.data() >= begin_ && field.data() <= begin_ + text_.size();
    fail(inside ? static_cast<std::size_t>(field.data() - begin_) : line_start_, message);
  }

 private:
  std::string_view readField() {
    if (at_ < text_.size() && text_[at_] == '"') return readQuoted();
    const std::size_t from = at_, to = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    at_ = to;
    return text_.substr(from, to - from);
  }
  std::string_view readQuoted() {
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

  const std::string& path_;
  std::string_view text_;
  const char* begin_;
  std::size_t at_ = 0, line_start_ = 0, line_ = 0;
  std::deque<std::string> unquoted_;  // Views into its strings stay valid as it grows.
};

/// Where each column stands in a line; -1: it is missing.
std::array<int, kColumns> readHeader(CsvCursor& cursor) {
  std::vector<std::string_view> fields;
  std::array<int, kColumns> place;
  place.fill(-1);
  if (!cursor.readLine(fields)) cursor.fail(std::size_t{0}, "there is no header; time,body,px,py,pz,qw,qx,qy,qz");
  for (int i = 0; i < static_cast<int>(fields.size()); ++i)
    for (int c = 0; c < kColumns; ++c) {
      if (fields[i] != kNames[c]) continue;
      if (place[c] >= 0) cursor.fail(fields[i], fmt::format("a second column {}", kNames[c]));
      place[c] = i;
    }
  for (const int c : {kTime, kBody, kPx, kPy, kPz, kQw, kQx, kQy, kQz})
    if (place[c] < 0) cursor.fail(fields[0], fmt::format("there is no column {}; time,body,px,py,pz,qw,qx,qy,qz", kNames[c]));
  int known = 0;
  for (int c = kVx; c <= kWz; ++c) known += place[c] >= 0;
  if (known != 0 && known != 6) cursor.fail(fields[0], "some velocity columns are missing; all of vx,vy,vz,wx,wy,wz or none");
  return place;
}

double readNumber(const CsvCursor& cursor, std::string_view field, Column column) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !(std::abs(value) <= 1e100))
    cursor.fail(field, fmt::format("'{}' is no {}; a finite number up to 1e100", field, kNames[column]));
  return value;
}

std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw TrajectoryError(path + ": the file cannot be read");
  return text;
}

}  // namespace

std::vector<Trajectory> readCsv(const std::string& path, const sim::Scene& scene) {
  const std::string text = readFile(path);
  CsvCursor cursor(path, text);
  const std::array<int, kColumns> place = readHeader(cursor);
  const int needed = *std::max_element(place.begin(), place.end()) + 1;
  const bool has_velocity = place[kVx] >= 0;

  std::unordered_map<std::string_view, int> bodies;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) bodies.emplace(scene.bodies[b].name, b);
  std::vector<Trajectory> found;
  std::map<std::string, std::size_t, std::less<>> branches;
  std::vector<std::string_view> fields;
  while (!cursor.atEnd()) {
    if (!cursor.readLine(fields)) continue;
    if (static_cast<int>(fields.size()) < needed)
      cursor.fail(fields[0], fmt::format("{} fields; the header asks for {}", fields.size(), needed));
    const auto body = bodies.find(fields[place[kBody]]);
    if (body == bodies.end())
      cursor.fail(fields[place[kBody]], fmt::format("the scene has no body '{}'", fields[place[kBody]]));
    const std::string_view branch = place[kBranch] < 0 ? std::string_view("0") : fields[place[kBranch]];
    auto known = branches.find(branch);
    if (known == branches.end()) {
      known = branches.emplace(branch, found.size()).first;
      found.push_back({std::string(branch), std::vector<Track>(scene.bodies.size())});
    }
    const auto number = [&](int column) { return readNumber(cursor, fields[place[column]], static_cast<Column>(column)); };
    Track& track = found[known->second].tracks[body->second];
    track.time.push_back(number(kTime));
    track.pose.push_back({{number(kQw), number(kQx), number(kQy), number(kQz)}, {number(kPx), number(kPy), number(kPz)}});
    if (!has_velocity) continue;
    Velocity velocity;
    for (int i = 0; i < 6; ++i) velocity[i] = number(kVx + i);
    track.velocity.push_back(velocity);
  }
  return found;
}

}  // namespace rigor::check
