// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "check/trajectory_file.h"
#include "formats/zip_archive.h"

namespace rigor::check {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read as they are stored");

constexpr std::uint64_t kLargestWhole = 1ull << 53;  ///< Up to it every whole number is a double.
constexpr std::uint64_t kMostBytes = 1ull << 34;  ///< Of one array: a damaged size must not ask for all memory.

/// An array of an archive: numbers in rows.
struct Array {
  std::size_t rows = 0, columns = 1;
  std::vector<double> values;
};

/// Of an array's numbers: 'f', 'i' (with a sign) or 'u', bytes, and whether those stand the other way round.
struct NumberType {
  char kind;
  std::size_t size;
  bool swapped;
};

/// Header and data of NumPy's format 1.0 to 3.0 (numpy.lib.format): a magic, a length, a Python dictionary, and the
/// numbers.
class NpyParser {
 public:
  NpyParser(std::string what, std::string_view bytes) : what_(std::move(what)), bytes_(bytes) {}

  Array parse() {
    const std::string_view header = readHeader();
    const NumberType type = typeOf(quoted(header, "'descr'"));
    Array array;
    readShape(after(header, "'shape'"), array);
    readValues(type, after(header, "'fortran_order'").starts_with("True"), array);
    return array;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw TrajectoryError(what_ + ": " + reason); }

  std::string_view readHeader() {
    if (bytes_.size() < 12 || !bytes_.starts_with("\x93NUMPY")) fail("this is no NumPy array");
    const bool wide = bytes_[6] >= 2;
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data() + 8, wide ? 4 : 2);
    const std::size_t begin = wide ? 12 : 10;
    if (length > bytes_.size() - begin) fail("the array's header is cut off");
    data_ = bytes_.substr(begin + length);
    return bytes_.substr(begin, length);
  }
  /// What follows `key` and its colon.
  std::string_view after(std::string_view header, std::string_view key) const {
    const std::size_t at = header.find(key);
    const std::size_t colon = at == header.npos ? at : header.find(':', at + key.size());
    if (colon == header.npos) fail(fmt::format("the array's header has no {}", key));
    return header.substr(std::min(header.find_first_not_of(' ', colon + 1), header.size()));
  }
  std::string quoted(std::string_view header, std::string_view key) const {
    const std::string_view rest = after(header, key);
    if (rest.size() < 2 || rest[0] != '\'') fail("an array of records; plain float64 numbers");
    return std::string(rest.substr(1, rest.find('\'', 1) - 1));
  }
  void readShape(std::string_view text, Array& array) const {
    std::vector<std::size_t> shape;
    if (text.starts_with('(')) text.remove_prefix(1);
    while (!text.empty() && text[0] != ')') {
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc()) fail("the array's shape cannot be read");
      shape.push_back(size);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      while (!text.empty() && (text[0] == ',' || text[0] == ' ')) text.remove_prefix(1);
    }
    if (shape.empty() || shape.size() > 2)
      fail(fmt::format("an array of {} dimensions; (n) or (n, columns)", shape.size()));
    array.rows = shape[0], array.columns = shape.size() == 2 ? shape[1] : 1;
  }
  NumberType typeOf(const std::string& name) const {
    const auto isOneOf = [](char c, std::string_view all) { return all.find(c) != all.npos; };
    const bool known = name.size() == 3 && isOneOf(name[0], "<>|") && isOneOf(name[1], "fiu") &&
                       isOneOf(name[2], name[1] == 'f' ? "48" : "1248");
    if (!known) fail(fmt::format("numbers of type '{}'; float64, float32 or whole numbers", name));
    return {name[1], static_cast<std::size_t>(name[2] - '0'), name[0] == '>'};
  }
  static double floatOf(const char* bytes) {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  double number(const NumberType& type, std::size_t place) const {
    char bytes[8] = {};
    std::memcpy(bytes, data_.data() + place * type.size, type.size);
    if (type.swapped) std::reverse(bytes, bytes + type.size);
    if (type.kind == 'f') return type.size == 8 ? std::bit_cast<double>(bytes) : floatOf(bytes);
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(bytes);
    const int unused = 64 - 8 * static_cast<int>(type.size);  // Shifted out and back: the sign fills them.
    const std::int64_t value = static_cast<std::int64_t>(bits << unused) >> unused;
    const std::uint64_t size = type.kind == 'i' && value < 0 ? 0 - static_cast<std::uint64_t>(value) : bits;
    if (size > kLargestWhole) fail("a whole number beyond 2^53, where not every one is a double");
    return type.kind == 'i' ? static_cast<double>(value) : static_cast<double>(bits);
  }
  /// Rows one after the other, or, as of a transposed array, columns.
  void readValues(const NumberType& type, bool columns_first, Array& array) const {
    const std::size_t most = data_.size() / type.size;
    if (array.columns == 0 || array.rows > most / array.columns || array.rows * array.columns != most ||
        data_.size() % type.size != 0)
      fail(fmt::format("{} bytes of data do not make {} x {} numbers", data_.size(), array.rows, array.columns));
    array.values.resize(most);
    if (type.kind == 'f' && type.size == 8 && !type.swapped && !columns_first) {
      if (most > 0) std::memcpy(array.values.data(), data_.data(), data_.size());
      return;
    }
    for (std::size_t row = 0, i = 0; row < array.rows; ++row)
      for (std::size_t column = 0; column < array.columns; ++column, ++i)
        array.values[i] = number(type, columns_first ? column * array.rows + row : i);
  }

  std::string what_;
  std::string_view bytes_, data_;
};

/// A zip archive of arrays.
class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path), zip_(path) {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const std::string& name : zip_.names())
      if (name.ends_with(".npy")) names.push_back(name.substr(0, name.size() - 4));
    return names;
  }
  Array read(const std::string& name) const {
    const std::string what = fmt::format("{}: array '{}'", path_, name), entry = name + ".npy";
    if (!zip_.has(entry)) throw TrajectoryError(what + " is not there");
    if (zip_.size(entry) > kMostBytes) throw TrajectoryError(what + " is too large; up to 16 GiB");
    const std::string bytes = zip_.read(entry);
    return NpyParser(what, bytes).parse();
  }

 private:
  std::string path_;
  formats::ZipArchive zip_;
};

Track makeTrack(const Array& array, const std::vector<double>& time, const std::string& what) {
  if (array.rows != time.size() || (array.columns != 7 && array.columns != 13))
    throw TrajectoryError(fmt::format("{} is {} x {}; {} x 7 (position, quaternion wxyz) or x 13 (and v, w)", what,
                                      array.rows, array.columns, time.size()));
  Track track;
  track.time = time;
  track.pose.resize(time.size());
  if (array.columns == 13) track.velocity.resize(time.size());
  for (std::size_t i = 0; i < time.size(); ++i) {
    const double* row = &array.values[i * array.columns];
    track.pose[i].p = Eigen::Map<const Eigen::Vector3d>(row);
    track.pose[i].q = Eigen::Map<const Eigen::Vector4d>(row + 3);
    if (array.columns == 13) track.velocity[i] = Eigen::Map<const Velocity>(row + 7);
  }
  return track;
}

}  // namespace

std::vector<Trajectory> readNpz(const std::string& path, const sim::Scene& scene) {
  const Archive archive(path);
  const Array time = archive.read("time");
  if (time.columns != 1) throw TrajectoryError(path + ": array 'time' has several columns; (n)");
  Trajectory trajectory{"0", std::vector<Track>(scene.bodies.size())};
  for (const std::string& name : archive.names()) {
    if (name == "time") continue;
    std::size_t body = 0;
    while (body < scene.bodies.size() && scene.bodies[body].name != name) ++body;
    if (body == scene.bodies.size())
      throw TrajectoryError(fmt::format("{}: array '{}': the scene has no body of this name", path, name));
    trajectory.tracks[body] = makeTrack(archive.read(name), time.values, fmt::format("{}: array '{}'", path, name));
  }
  if (time.rows == 0) return {};
  return {std::move(trajectory)};
}

}  // namespace rigor::check
