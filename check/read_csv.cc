// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <unordered_map>

#include "check/trajectory_file.h"
#include "formats/csv.h"

namespace rigor::check {
namespace {

using formats::CsvCursor;

enum Column { kTime, kBody, kBranch, kPx, kPy, kPz, kQw, kQx, kQy, kQz, kVx, kVy, kVz, kWx, kWy, kWz, kColumns };
constexpr std::array<const char*, kColumns> kNames = {"time", "body", "branch", "px", "py", "pz", "qw", "qx",
                                                      "qy",   "qz",   "vx",     "vy", "vz", "wx", "wy", "wz"};

/// Without blanks around it, which some programs write after commas.
std::string_view trimmed(std::string_view field) {
  const std::size_t first = std::min(field.find_first_not_of(" \t"), field.size());
  return field.substr(first, field.find_last_not_of(" \t") + 1 - first);
}

/// Where each column stands in a line; -1: it is missing.
std::array<int, kColumns> readHeader(CsvCursor& cursor) {
  std::vector<std::string_view> fields;
  std::array<int, kColumns> place;
  place.fill(-1);
  if (!cursor.readLine(fields)) cursor.fail(std::size_t{0}, "there is no header; time,body,px,py,pz,qw,qx,qy,qz");
  for (int i = 0; i < static_cast<int>(fields.size()); ++i)
    for (int c = 0; c < kColumns; ++c) {
      if (trimmed(fields[i]) != kNames[c]) continue;
      if (place[c] >= 0) cursor.fail(fields[i], fmt::format("a second column {}", kNames[c]));
      place[c] = i;
    }
  for (const int c : {kTime, kBody, kPx, kPy, kPz, kQw, kQx, kQy, kQz})
    if (place[c] < 0)
      cursor.fail(fields[0], fmt::format("there is no column {}; time,body,px,py,pz,qw,qx,qy,qz", kNames[c]));
  int known = 0;
  for (int c = kVx; c <= kWz; ++c) known += place[c] >= 0;
  if (known != 0 && known != 6)
    cursor.fail(fields[0], "some velocity columns are missing; all of vx,vy,vz,wx,wy,wz or none");
  return place;
}

double readNumber(const CsvCursor& cursor, std::string_view field, Column column) {
  double value = 0;
  field = trimmed(field);
  const std::string_view digits = field.substr(field.starts_with('+') && !field.starts_with("+-") ? 1 : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
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
    auto body = bodies.find(fields[place[kBody]]);
    if (body == bodies.end()) body = bodies.find(trimmed(fields[place[kBody]]));
    if (body == bodies.end())
      cursor.fail(fields[place[kBody]], fmt::format("the scene has no body '{}'", fields[place[kBody]]));
    const std::string_view branch = place[kBranch] < 0 ? std::string_view("0") : trimmed(fields[place[kBranch]]);
    auto known = branches.find(branch);
    if (known == branches.end()) {
      known = branches.emplace(branch, found.size()).first;
      found.push_back({std::string(branch), std::vector<Track>(scene.bodies.size())});
    }
    const auto number = [&](int column) {
      return readNumber(cursor, fields[place[column]], static_cast<Column>(column));
    };
    Track& track = found[known->second].tracks[body->second];
    track.time.push_back(number(kTime));
    track.pose.push_back(
        {{number(kQw), number(kQx), number(kQy), number(kQz)}, {number(kPx), number(kPy), number(kPz)}});
    if (!has_velocity) continue;
    Velocity velocity;
    for (int i = 0; i < 6; ++i) velocity[i] = number(kVx + i);
    track.velocity.push_back(velocity);
  }
  return found;
}

}  // namespace rigor::check
