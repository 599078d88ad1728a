// SPDX-License-Identifier: MIT
#include "cli/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

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

std::vector<std::string> listBundledScenes() {
  std::vector<std::string> paths;
  eachFile(findBundledScenes(), ".yaml",
           [&](const fs::directory_entry& file) { paths.push_back(file.path().string()); });
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string resolveScene(const std::string& argument) {
  std::error_code error;
  if (fs::exists(argument, error) || argument.find('/') != std::string::npos) return argument;
  for (const std::string& path : listBundledScenes()) {
    if (fs::path(path).stem() == argument || fs::path(path).filename() == argument) return path;
  }
  return argument;
}

std::string nextRecordPath(const std::string& name) {
  fs::create_directories(kRuns);
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
  return fmt::format("{}/{}{:04}.rigor", kRuns, prefix, last + 1);
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
