// SPDX-License-Identifier: MIT
#include "scenes/mesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include "geom/polytope.h"
#include "scenes/document.h"

namespace rigor::scenes {
namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is little-endian");
constexpr size_t kBinaryHeader = 84, kBinaryTriangle = 50;  // Bytes of a binary STL file.

/// Numbers of distinct points, in the order in which they come up; the same where all coordinates are.
class VertexIndex {
 public:
  /// @returns the point's number, and whether it is new.
  std::pair<int, bool> add(const Eigen::Vector3d& v) {
    const int next = static_cast<int>(numbers_.size());
    const auto [at, is_new] = numbers_.try_emplace(std::array<double, 3>{v[0], v[1], v[2]}, next);
    return {at->second, is_new};
  }

 private:
  struct Hash {
    size_t operator()(const std::array<double, 3>& v) const {
      std::uint64_t hash = 0;  // + 0: zeros of both signs are one. Knuth's multiplier spreads the bits.
      for (const double x : v) {
        hash = (hash ^ std::bit_cast<std::uint64_t>(x + 0)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
  std::unordered_map<std::array<double, 3>, int, Hash> numbers_;
};

/// Adds triangles corner by corner, each point once.
class TriangleSoup {
 public:
  explicit TriangleSoup(Mesh& mesh) : mesh_(mesh) {}
  void addCorner(const Eigen::Vector3d& v) {
    const auto [number, is_new] = index_.add(v);
    if (is_new) mesh_.vertices.push_back(v);
    corners_[count_++] = number;
    if (count_ == 3) mesh_.triangles.push_back(corners_), count_ = 0;
  }

 private:
  Mesh& mesh_;
  VertexIndex index_;
  std::array<int, 3> corners_{};
  int count_ = 0;
};

struct Word {
  std::string_view text;
  int column;
};

std::vector<Word> splitWords(std::string_view line) {
  std::vector<Word> words;
  for (size_t i = 0; i < line.size();) {
    if (std::isspace(static_cast<unsigned char>(line[i]))) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < line.size() && !std::isspace(static_cast<unsigned char>(line[end]))) ++end;
    words.push_back({line.substr(i, end - i), static_cast<int>(i) + 1});
    i = end;
  }
  return words;
}

class TextReader {
 public:
  explicit TextReader(const std::string& path) : path_(path) {}

  [[noreturn]] void fail(const Word& word, const std::string& allowed) const {
    throw LoadError(path_, {line_, word.column}, "found " + std::string(word.text.substr(0, 40)), allowed);
  }

  double coordinate(const Word& word) const {
    std::string_view text = word.text;
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(std::abs(value) <= kLargestNumber)) {
      fail(word, "a finite coordinate of magnitude at most 1e100");
    }
    return value;
  }

  Eigen::Vector3d point(const std::vector<Word>& words) const {
    if (words.size() < 4) fail(words[0], "three coordinates after it");
    return {coordinate(words[1]), coordinate(words[2]), coordinate(words[3])};
  }

  Mesh readObj(const std::string& text) {
    Mesh mesh;
    eachLine(text, [&](const std::vector<Word>& words) {
      if (words[0].text == "v") {
        mesh.vertices.push_back(point(words));
      } else if (words[0].text == "f") {
        std::vector<int> corners;  // Of two: an edge, which encloses nothing.
        for (size_t i = 1; i < words.size(); ++i) corners.push_back(corner(words[i], mesh.vertices.size()));
        for (size_t i = 2; i < corners.size(); ++i) mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
      } else if (words[0].text == "o") {
        mesh.objects.push_back(static_cast<int>(mesh.triangles.size()));
      } else if (words[0].text == "g") {
        mesh.groups.push_back(static_cast<int>(mesh.triangles.size()));
      }  // Normals, textures, materials say nothing about the shape.
    });
    if (largest_.index >= static_cast<long>(mesh.vertices.size())) {
      throw LoadError(path_, largest_.at, fmt::format("found {}", largest_.index + 1),
                      fmt::format("the number of a vertex: 1 to {}", mesh.vertices.size()));
    }
    return mesh;
  }

  Mesh readStl(const std::string& text) {
    Mesh mesh;
    TriangleSoup soup(mesh);
    eachLine(text, [&](const std::vector<Word>& words) {
      if (words[0].text == "vertex" || words[0].text == "VERTEX") soup.addCorner(point(words));
    });
    return mesh;
  }

 private:
  template <class Use>
  void eachLine(const std::string& text, Use use) {
    std::istringstream lines(text);
    std::string line;
    for (line_ = 1; std::getline(lines, line); ++line_) {
      int joined = 0;  // Lines that end with a backslash go on.
      for (std::string more; continues(line) && std::getline(lines, more); ++joined) line += more;
      const std::vector<Word> words = splitWords(std::string_view(line).substr(0, line.find('#')));
      if (!words.empty()) use(words);
      line_ += joined;
    }
  }

  /// Whether a line of numbers ends with a backslash, which becomes a space.
  static bool continues(std::string& line) {
    const size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t\r");
    if (last == std::string::npos || line[last] != '\\' || (line[first] != 'f' && line[first] != 'v')) return false;
    line[last] = ' ';
    return true;
  }

  /// The index of a vertex, which may stand further down; that there is one is looked at when all are read.
  int corner(const Word& word, size_t count) {
    long number = 0;
    const std::string_view text = word.text.substr(0, word.text.find('/'));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const long index = number < 0 ? static_cast<long>(count) + number : number - 1;
    if (error != std::errc() || end != text.data() + text.size() || index < 0 ||
        index > std::numeric_limits<int>::max()) {
      fail(word, "the number of a vertex, from 1");
    }
    if (index > largest_.index) largest_ = {index, {line_, word.column}};
    return static_cast<int>(index);
  }

  struct Corner {
    long index = -1;
    Position at;
  };
  const std::string& path_;
  int line_ = 1;
  Corner largest_;  // Of all faces.
};

bool isBinaryStl(const std::string& bytes, std::uint32_t& triangles) {
  if (bytes.size() < kBinaryHeader) return false;
  std::memcpy(&triangles, bytes.data() + kBinaryHeader - sizeof triangles, sizeof triangles);
  const size_t size = kBinaryHeader + kBinaryTriangle * static_cast<size_t>(triangles);
  // Some writers pad; text, whatever its size, holds no zero bytes.
  return bytes.size() == size || (triangles > 0 && bytes.size() > size && bytes.find('\0') != std::string::npos);
}

Mesh readBinaryStl(const std::string& path, const std::string& bytes, std::uint32_t triangles) {
  Mesh mesh;
  TriangleSoup soup(mesh);
  for (std::uint32_t t = 0; t < triangles; ++t) {
    float corners[9];
    std::memcpy(corners, bytes.data() + kBinaryHeader + kBinaryTriangle * t + 3 * sizeof(float), sizeof corners);
    for (int i = 0; i < 9; i += 3) {
      const Eigen::Vector3d corner(corners[i], corners[i + 1], corners[i + 2]);
      if (!corner.allFinite()) {
        throw LoadError(path, {}, "triangle " + std::to_string(t) + " of this binary STL is not finite",
                        "finite coordinates");
      }
      soup.addCorner(corner);
    }
  }
  return mesh;
}

}  // namespace

Mesh readMesh(const std::string& path, const Files& files) {
  const std::string allowed = "an OBJ or STL file";
  const std::string& bytes = files.read(path, allowed);
  std::uint32_t triangles = 0;
  Mesh mesh;
  if (isBinaryStl(bytes, triangles)) {
    mesh = readBinaryStl(path, bytes, triangles);
  } else if (bytes.find('\0') != std::string::npos) {
    throw LoadError(path, {}, "binary data whose size is not that of a binary STL file", allowed);
  } else {
    TextReader reader(path);
    const size_t first = bytes.find_first_not_of(" \t\r\n");
    mesh =
        first != std::string::npos && (bytes.compare(first, 5, "solid") == 0 || bytes.compare(first, 5, "SOLID") == 0)
            ? reader.readStl(bytes)
            : reader.readObj(bytes);
  }
  if (mesh.vertices.empty()) throw LoadError(path, {}, "no vertices in this file", allowed);
  return mesh;
}

namespace {

constexpr size_t kMostPieces =
    32;  // Of a file that names no objects: an assembly with every screw in it stays one hull.

/// These triangles with vertices of their own, the same where all bits are; empty unless each edge has its opposite.
std::optional<Mesh> closedPart(const Mesh& mesh, const std::vector<int>& triangles) {
  Mesh part;
  VertexIndex index;
  std::map<std::pair<int, int>, int> edges;  // Uses of a -> b less those of b -> a, a < b.
  for (const int t : triangles) {
    std::array<int, 3> corners{};
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d& v = mesh.vertices[mesh.triangles[t][k]];
      const auto [number, is_new] = index.add(v);
      if (is_new) part.vertices.push_back(v);
      corners[k] = number;
    }
    part.triangles.push_back(corners);
    for (int k = 0; k < 3; ++k) {
      const int a = corners[k], b = corners[(k + 1) % 3];
      if (a < b) ++edges[{a, b}];
      if (b < a) --edges[{b, a}];
    }
  }
  for (const auto& [edge, uses] : edges)
    if (uses != 0) return std::nullopt;
  return part;
}

/// The triangles from each start to the next.
std::vector<std::vector<int>> rangesFrom(std::vector<int> starts, int end) {
  std::vector<std::vector<int>> ranges;
  starts.insert(starts.begin(), 0);
  starts.push_back(end);
  for (size_t k = 0; k + 1 < starts.size(); ++k) {
    if (starts[k] >= starts[k + 1]) continue;
    std::vector<int>& range = ranges.emplace_back(starts[k + 1] - starts[k]);
    std::iota(range.begin(), range.end(), starts[k]);
  }
  return ranges;
}

/// The triangles of each piece: those that share vertices, directly or through others; in the order of the first of
/// each.
std::vector<std::vector<int>> connectedPieces(const Mesh& mesh) {
  VertexIndex index;
  std::vector<int> root;
  const auto find = [&](int v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  std::vector<int> first_corner;
  for (const auto& triangle : mesh.triangles) {
    int known = -1;
    for (const int corner : triangle) {
      const auto [number, is_new] = index.add(mesh.vertices[corner]);
      if (is_new) root.push_back(number);
      if (known < 0) first_corner.push_back(known = number);
      else root[find(number)] = find(known);
    }
  }
  std::map<int, size_t> piece_of;
  std::vector<std::vector<int>> pieces;
  for (size_t t = 0; t < first_corner.size(); ++t) {
    const auto [at, is_new] = piece_of.emplace(find(first_corner[t]), pieces.size());
    if (is_new) pieces.emplace_back();
    pieces[at->second].push_back(static_cast<int>(t));
  }
  return pieces;
}

/// These triangles with vertices of their own, where they span no solid.
std::optional<Mesh> flatPart(const Mesh& mesh, const std::vector<int>& triangles) {
  Mesh part;
  for (const int t : triangles) {
    const int first = static_cast<int>(part.vertices.size());
    for (const int corner : mesh.triangles[t]) part.vertices.push_back(mesh.vertices[corner]);
    part.triangles.push_back({first, first + 1, first + 2});
  }
  try {
    (void)geom::Polytope::fromPoints(part.vertices);
    return std::nullopt;
  } catch (const geom::GeometryError&) {
    return part;
  }
}

/// All closed or flat, one of them closed, or none.
std::vector<Mesh> closedParts(const Mesh& mesh, const std::vector<std::vector<int>>& triangles) {
  std::vector<Mesh> parts;
  bool any_closed = false;
  for (const std::vector<int>& own : triangles) {
    std::optional<Mesh> part = closedPart(mesh, own);
    any_closed = any_closed || part;
    if (!part) part = flatPart(mesh, own);
    if (!part) return {};
    parts.push_back(std::move(*part));
  }
  if (!any_closed) parts.clear();
  return parts;
}

}  // namespace

std::vector<Mesh> closedParts(Mesh mesh) {
  const int end = static_cast<int>(mesh.triangles.size());
  std::vector<std::vector<int>> triangles = rangesFrom(mesh.objects, end);
  if (triangles.size() < 2) triangles = rangesFrom(mesh.groups, end);
  std::vector<Mesh> parts;
  if (triangles.size() >= 2) parts = closedParts(mesh, triangles);
  if (!parts.empty()) return parts;
  triangles = connectedPieces(mesh);
  if (triangles.size() >= 2 && triangles.size() <= kMostPieces) parts = closedParts(mesh, triangles);
  if (parts.empty()) parts.push_back(std::move(mesh));
  return parts;
}

std::optional<Mesh> closedMesh(const Mesh& mesh) {
  std::vector<int> all(mesh.triangles.size());
  std::iota(all.begin(), all.end(), 0);
  return all.empty() ? std::nullopt : closedPart(mesh, all);
}

std::optional<geom::MassProperties> enclosedSolid(const Mesh& mesh, const Eigen::Vector3d& scale) {
  double six = 0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  const Eigen::Vector3d o = scale.cwiseProduct(mesh.vertices.front());
  for (const auto& [i, j, k] : mesh.triangles) {
    const Eigen::Vector3d a = scale.cwiseProduct(mesh.vertices[i]) - o, b = scale.cwiseProduct(mesh.vertices[j]) - o,
                   c = scale.cwiseProduct(mesh.vertices[k]) - o;
    const double det = a.dot(b.cross(c));
    const Eigen::Vector3d s = a + b + c;
    six += det, first += det * s;
    second += det * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (!(std::abs(six) > 0)) return {};  // NaN -> none
  geom::MassProperties result;
  result.mass = std::abs(six) / 6;
  const Eigen::Vector3d mean = first / (4 * six);
  result.centre = o + mean;
  const Eigen::Matrix3d about = second / (20 * six) - mean * mean.transpose();  // Per mass.
  result.inertia = result.mass * (about.trace() * Eigen::Matrix3d::Identity() - about);
  return result;
}

double enclosedVolume(const Mesh& mesh) {
  double six_volumes = 0;
  const Eigen::Vector3d& o = mesh.vertices.front();  // A nearby origin keeps the terms small.
  for (const auto& [a, b, c] : mesh.triangles) {
    six_volumes += (mesh.vertices[a] - o).dot((mesh.vertices[b] - o).cross(mesh.vertices[c] - o));
  }
  return six_volumes / 6;
}

}  // namespace rigor::scenes
