// SPDX-License-Identifier: MIT
#include "scenes/mesh.h"

#include <Eigen/Geometry>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
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
      }  // Normals, textures, groups, materials say nothing about the shape.
    });
    return mesh;
  }

  Mesh readStl(const std::string& text) {
    Mesh mesh;
    eachLine(text, [&](const std::vector<Word>& words) {
      if (words[0].text != "vertex") return;
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
  return bytes.size() == kBinaryHeader + kBinaryTriangle * triangles;
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

Mesh readMesh(const std::string& path) {
  const std::string allowed = "an OBJ or STL file";
  const std::string bytes = readTextFile(path, allowed);
  std::uint32_t triangles = 0;
  Mesh mesh;
  if (isBinaryStl(bytes, triangles)) {
    mesh = readBinaryStl(path, bytes, triangles);
  } else if (bytes.find('\0') != std::string::npos) {
    throw LoadError(path, {}, "binary data whose size is not that of a binary STL file", allowed);
  } else {
    TextReader reader(path);
    const size_t first = bytes.find_first_not_of(" \t\r\n");
    mesh = first != std::string::npos && bytes.compare(first, 5, "solid") == 0 ? reader.readStl(bytes)
                                                                               : reader.readObj(bytes);
  }
  if (mesh.vertices.empty()) throw LoadError(path, {}, "no vertices in this file", allowed);
  return mesh;
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
