// SPDX-License-Identifier: MIT
#include "scenes/mesh.h"

#include <Eigen/Geometry>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>

#include "scenes/document.h"

namespace rigor::scenes {
namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is little-endian");
constexpr size_t kBinaryHeader = 84, kBinaryTriangle = 50;  // Bytes of a binary STL file.

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
        if (words.size() < 4) fail(words[0], "at least three vertex numbers after it");
        std::vector<int> corners;
        for (size_t i = 1; i < words.size(); ++i) corners.push_back(corner(words[i], mesh.vertices.size()));
        for (size_t i = 2; i < corners.size(); ++i) mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
      } else if (words[0].text == "o") {
        mesh.objects.push_back(static_cast<int>(mesh.triangles.size()));
      } else if (words[0].text == "g") {
        mesh.groups.push_back(static_cast<int>(mesh.triangles.size()));
      }  // Normals, textures, materials say nothing about the shape.
    });
    return mesh;
  }

  Mesh readStl(const std::string& text) {
    Mesh mesh;
    eachLine(text, [&](const std::vector<Word>& words) {
      if (words[0].text != "vertex" && words[0].text != "VERTEX") return;
      mesh.vertices.push_back(point(words));
      const int n = static_cast<int>(mesh.vertices.size());
      if (n % 3 == 0) mesh.triangles.push_back({n - 3, n - 2, n - 1});
    });
    return mesh;
  }

 private:
  template <class Use>
  void eachLine(const std::string& text, Use use) {
    std::istringstream lines(text);
    std::string line;
    for (line_ = 1; std::getline(lines, line); ++line_) {
      const std::vector<Word> words = splitWords(std::string_view(line).substr(0, line.find('#')));
      if (!words.empty()) use(words);
    }
  }

  int corner(const Word& word, size_t count) const {
    long number = 0;
    const std::string_view text = word.text.substr(0, word.text.find('/'));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const long index = number < 0 ? static_cast<long>(count) + number : number - 1;
    if (error != std::errc() || end != text.data() + text.size() || index < 0 || index >= static_cast<long>(count)) {
      fail(word, "the number of a vertex above: 1 to " + std::to_string(count));
    }
    return static_cast<int>(index);
  }

  const std::string& path_;
  int line_ = 1;
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
  for (std::uint32_t t = 0; t < triangles; ++t) {
    float corners[9];
    std::memcpy(corners, bytes.data() + kBinaryHeader + kBinaryTriangle * t + 3 * sizeof(float), sizeof corners);
    for (int i = 0; i < 9; i += 3) {
      mesh.vertices.emplace_back(corners[i], corners[i + 1], corners[i + 2]);
      if (!mesh.vertices.back().allFinite()) {
        throw LoadError(path, {}, "triangle " + std::to_string(t) + " of this binary STL is not finite",
                        "finite coordinates");
      }
    }
    const int n = static_cast<int>(mesh.vertices.size());
    mesh.triangles.push_back({n - 3, n - 2, n - 1});
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
    mesh = first != std::string::npos && (bytes.compare(first, 5, "solid") == 0 || bytes.compare(first, 5, "SOLID") == 0) ? reader.readStl(bytes)
                                                                               : reader.readObj(bytes);
  }
  if (mesh.vertices.empty()) throw LoadError(path, {}, "no vertices in this file", allowed);
  return mesh;
}

std::vector<Mesh> closedParts(Mesh mesh) {
  const auto partsOf = [&](std::vector<int> starts) {
    std::vector<std::pair<int, int>> ranges;
    starts.push_back(static_cast<int>(mesh.triangles.size()));
    if (starts.front() > 0) ranges.emplace_back(0, starts.front());
    for (size_t k = 0; k + 1 < starts.size(); ++k)
      if (starts[k] < starts[k + 1]) ranges.emplace_back(starts[k], starts[k + 1]);
    return ranges;
  };
  std::vector<std::pair<int, int>> ranges = partsOf(mesh.objects);
  if (ranges.size() < 2) ranges = partsOf(mesh.groups);
  if (ranges.size() < 2) return {std::move(mesh)};
  std::vector<Mesh> parts;
  for (const auto& [first, last] : ranges) {
    Mesh& part = parts.emplace_back();
    std::map<std::array<double, 3>, int> index;
    std::map<std::pair<int, int>, int> edges;  // Uses of a -> b less those of b -> a, a < b.
    for (int t = first; t < last; ++t) {
      std::array<int, 3> corners{};
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d& v = mesh.vertices[mesh.triangles[t][k]];
        const auto [at, is_new] = index.emplace(std::array<double, 3>{v[0], v[1], v[2]}, static_cast<int>(part.vertices.size()));
        if (is_new) part.vertices.push_back(v);
        corners[k] = at->second;
      }
      part.triangles.push_back(corners);
      for (int k = 0; k < 3; ++k) {
        const int a = corners[k], b = corners[(k + 1) % 3];
        if (a < b) ++edges[{a, b}];
        if (b < a) --edges[{b, a}];
      }
    }
    for (const auto& [edge, uses] : edges)
      if (uses != 0) return {std::move(mesh)};
  }
  return parts;
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
