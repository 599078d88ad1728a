// SPDX-License-Identifier: MIT
#include "viewer/recorded_scene.h"

#include <memory>

#include "scenes/loader.h"

namespace rigor::viewer {

sim::Scene recordedScene(record::Reader& reader) {
  std::vector<sim::SceneFile> files;
  for (auto& file : reader.files())
    files.push_back({file.name, file.role, std::make_shared<const std::string>(std::move(file.content))});
  return scenes::parseScene(files);
}

}  // namespace rigor::viewer
