// SPDX-License-Identifier: MIT
#include "cli/scenes_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/places.h"
#include "scenes/loader.h"

namespace rigor::cli {

int scenesCommand(std::ostream& out, std::ostream& err) {
  const std::vector<std::string> paths = listBundledScenes();
  if (paths.empty()) {
    err << fmt::format("rigor: no scenes in {}; RIGOR_SCENES names their folder\n", findBundledScenes());
    return kBadInput;
  }
  int status = kDone;
  std::vector<std::pair<std::string, std::string>> lines;
  size_t width = 0;
  for (const std::string& path : paths) {
    try {
      // The name that `run` takes is the file's.
      lines.emplace_back(std::filesystem::path(path).stem().string(), scenes::readSceneTitle(path).description);
      width = std::max(width, lines.back().first.size());
    } catch (const scenes::LoadError& error) {
      err << error.what() << '\n';
      status = kBadInput;
    }
  }
  for (auto& [name, description] : lines) {
    std::replace(description.begin(), description.end(), '\n', ' ');
    out << fmt::format("{:<{}}  {}\n", name, width, description);
  }
  return status;
}

}  // namespace rigor::cli
