// SPDX-License-Identifier: MIT
#include "cli/places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/input_error.h"

namespace fs = std::filesystem;

namespace rigor::cli {
namespace {

constexpr const char* kRuns = "runs";

template <class Use>
void eachFile(const fs::path& folder, const char* extension, Use use) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && entry.path().extension() == extension) use(entry);
  }
}

std::vector<std::string> listFiles(const fs::path& folder) {
  std::vector<std::string> paths;
  eachFile(folder, ".yaml", [&](const fs::directory_entry& file) { paths.push_back(file.path().string()); });
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The file of a bundled list that `argument` names, unless it is a path itself. A folder is no scene: the results of
/// `die` may lie in a folder `die`.
template <class List>
std::string resolveAmong(const std::string& argument, const List& listBundled) {
  std::error_code error;
  const fs::file_status status = fs::status(argument, error);
  if ((fs::exists(status) && !fs::is_directory(status)) || argument.find('/') != std::string::npos) return argument;
  for (const std::string& path : listBundled()) {
    if (fs::path(path).stem() == argument || fs::path(path).filename() == argument) return path;
  }
  return argument;
}

}  // namespace

std::string findBundledScenes() {
  if (const char* given = std::getenv("RIGOR_SCENES"); given && *given) return given;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder :
       {program.parent_path().parent_path() / "share/rigor/scenes", fs::path(RIGOR_SOURCE_SCENES)}) {
    if (fs::is_directory(folder, error)) return folder.string();
  }
  return {};
}

std::vector<std::string> listBundledScenes() { return listFiles(findBundledScenes()); }

std::string resolveScene(const std::string& argument) { return resolveAmong(argument, listBundledScenes); }

std::vector<std::string> listBundledProblems() { return listFiles(fs::path(findBundledScenes()) / "problems"); }

std::string resolveProblem(const std::string& argument) { return resolveAmong(argument, listBundledProblems); }

void createFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError(fmt::format("the folder {} cannot be created: {}", folder, error.message()));
}

std::string nextRecordPath(const std::string& name) {
  createFolder(kRuns);
  const std::string prefix = name + '-';
  long last = 0;
  eachFile(kRuns, ".rigor", [&](const fs::directory_entry& file) {
    const std::string stem = file.path().stem().string();
    if (!stem.starts_with(prefix)) return;
    const std::string number = stem.substr(prefix.size());
    if (number.empty() || number.size() > 9 ||
        !std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return;
    last = std::max(last, std::stol(number));
  });
  const std::string path = fmt::format("{}/{}{:04}.rigor", kRuns, prefix, last + 1);
  if (const std::string refused = refuseOutput(path, false); !refused.empty()) throw UsageError(refused);
  return path;
}

std::string refuseOutput(const std::string& path, bool force) {
  std::error_code error;
  if (fs::is_directory(path, error)) return fmt::format("{} is a folder; -o takes the name of a new record", path);
  if (fs::exists(path, error) && !force) return fmt::format("{} exists; --force replaces it", path);
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) return fmt::format("the folder {} does not exist", folder.string());
  if (access(folder.c_str(), W_OK) != 0) return fmt::format("the folder {} cannot be written to", folder.string());
  return {};
}

std::string findNewestRecord() {
  fs::path newest;
  fs::file_time_type newest_time;
  eachFile(kRuns, ".rigor", [&](const fs::directory_entry& file) {
    std::error_code error;
    const auto time = file.last_write_time(error);
    // Equal times: the larger number was made later.
    if (error || (!newest.empty() && std::pair(time, file.path()) <= std::pair(newest_time, newest))) return;
    newest = file.path();
    newest_time = time;
  });
  return newest.string();
}

}  // namespace rigor::cli
