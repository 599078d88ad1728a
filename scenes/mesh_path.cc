// SPDX-License-Identifier: MIT
#include "scenes/mesh_path.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

namespace rigor::scenes {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFolders = 64;  // Above a robot file.

bool sameButCase(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool isFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The file, or one beside it whose name differs in case alone; empty if there is none.
fs::path existing(const fs::path& path) {
  if (isFile(path)) return path;
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator it(path.parent_path(), error), end; !error && it != end; it.increment(error))
    if (sameButCase(it->path().filename().string(), path.filename().string()) && isFile(it->path()))
      found.push_back(it->path());
  return found.empty() ? fs::path() : *std::min_element(found.begin(), found.end());  // Directories have no order.
}

/// `NAME/REST` of `package://NAME/REST` and its like.
bool isPackage(const std::string& name, std::string& inside) {
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (!name.starts_with(scheme)) continue;
    inside = name.substr(scheme.size());
    return true;
  }
  std::string rest = name;
  if (rest.starts_with("file://")) rest = rest.substr(7);
  constexpr std::string_view kFind = "$(find ";
  const size_t close = rest.find(')');
  if (!rest.starts_with(kFind) || close == std::string::npos) return false;
  inside = rest.substr(kFind.size(), close - kFind.size()) + rest.substr(close + 1);
  return true;
}

}  // namespace

std::string findMesh(const std::string& robot_path, const std::string& given) {
  std::string name = given;
  std::replace(name.begin(), name.end(), '\\', '/');
  const fs::path folder = fs::path(robot_path).parent_path();
  std::string inside;
  std::vector<fs::path> wanted;
  fs::path first;
  if (isPackage(name, inside)) {
    wanted.emplace_back(inside);
    const fs::path rest = inside.substr(std::min(inside.find('/') + 1, inside.size()));
    if (rest != inside) wanted.push_back(rest);
    first = folder / rest;
  } else {
    if (name.starts_with("file://")) name = name.substr(7);
    if (fs::path(name).is_absolute()) return existing(name).empty() ? name : existing(name).string();
    wanted.emplace_back(name);
    first = folder / name;
  }
  std::error_code error;
  for (const fs::path& inner : wanted) {
    // Up the folders as written, so that links stay what they are.
    fs::path above = fs::absolute(folder.empty() ? fs::path(".") : folder, error).lexically_normal();
    for (int k = 0; k < kMostFolders; ++k) {
      if (const fs::path found = existing(above / inner); !found.empty())
        return k == 0 ? (folder / found.lexically_relative(above)).string() : found.string();
      if (above == above.parent_path()) break;
      above = above.parent_path();
    }
  }
  return first.string();
}

}  // namespace rigor::scenes
