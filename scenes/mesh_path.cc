// SPDX-License-Identifier: MIT
#include "scenes/mesh_path.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace rigor::scenes {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFolders = 64;  // Above a robot file.
constexpr int kMostStacks = 4;    // Of those: whose folders may be stacks of packages.

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

/// `%20` and its like as the characters that they stand for.
std::string withoutPercents(const std::string& text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : std::isxdigit(static_cast<unsigned char>(c)) ? (c | 0x20) - 'a' + 10 : -1;
  };
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? digit(text[at + 1]) : -1,
              low = high >= 0 ? digit(text[at + 2]) : -1;
    if (low >= 0) at += 2;
    plain += low >= 0 ? static_cast<char>(16 * high + low) : text[at];
  }
  return plain;
}

/// Where ROS and Gazebo look for packages: folders that hold them.
std::vector<fs::path> packageFolders() {
  std::vector<fs::path> folders;
  for (const auto& [variable, inside] : {std::pair{"ROS_PACKAGE_PATH", ""}, {"AMENT_PREFIX_PATH", "share"},
                                         {"GZ_SIM_RESOURCE_PATH", ""}, {"GAZEBO_MODEL_PATH", ""}}) {
    const char* value = std::getenv(variable);
    std::stringstream list(value ? value : "");
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) folders.push_back(*inside ? fs::path(folder) / inside : fs::path(folder));
  }
  return folders;
}

/// A folder and, in the order of their names, those in it.
std::vector<fs::path> withSubfolders(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> all;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error)) all.push_back(it->path());
  std::sort(all.begin(), all.end());
  all.insert(all.begin(), folder);
  return all;
}

/// `NAME/REST` in one of the folders, in a folder there, or in NAME itself where that is the folder.
fs::path inPackages(const fs::path& inside, const std::vector<fs::path>& folders) {
  const std::string package = inside.begin()->string();
  for (const fs::path& folder : folders)
    for (const fs::path& home : withSubfolders(folder)) {
      if (const fs::path found = existing(home / inside); !found.empty()) return found;
      if (home.filename() != package) continue;
      if (const fs::path found = existing(home.parent_path() / inside); !found.empty()) return found;
    }
  return {};
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
  // Up the folders as written, so that links stay what they are.
  const fs::path start = fs::absolute(folder.empty() ? fs::path(".") : folder, error).lexically_normal();
  for (const fs::path& inner : wanted) {
    fs::path above = start;
    for (int k = 0; k < kMostFolders; ++k) {
      if (const fs::path found = existing(above / inner); !found.empty())
        return k == 0 ? (folder / found.lexically_relative(above)).string() : found.string();
      if (above == above.parent_path()) break;
      above = above.parent_path();
    }
  }
  if (!inside.empty()) {
    std::vector<fs::path> folders = packageFolders();
    fs::path above = start;  // Packages of the same workspace, a stack deeper.
    for (int k = 0; k < kMostStacks && above != above.parent_path(); ++k)
      folders.push_back(above = above.parent_path());
    if (const fs::path found = inPackages(inside, folders); !found.empty()) return found.string();
  }
  if (const std::string plain = withoutPercents(given); plain != given) {
    const std::string found = findMesh(robot_path, plain);
    if (isFile(found)) return found;
  }
  return first.string();
}

}  // namespace rigor::scenes
