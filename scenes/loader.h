// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "methods/choice.h"
#include "scenes/files.h"
#include "scenes/load_error.h"
#include "sim/world.h"

namespace rigor::scenes {

/// What a loader knows of a scene beyond the scene: where its bodies stand in the file, and what it wants to say.
struct SceneSource {
  std::string path;
  std::vector<Position> bodies;       ///< Place of each body, in the order of Scene::bodies.
  std::vector<std::string> warnings;  ///< Complete messages, a line each.
  /// Shapes and joint types in it that another program registered: no other one understands the text.
  std::vector<std::string> own_kinds;
  Progress progress = {};  ///< Asked for by the caller: told how far work that takes long is.
  /// `FILE:LINE:COL` of a body; of the file's start for an index that is none.
  std::string locate(int body) const;
};

/// The scene of a YAML or JSON file (docs/scenes.md), with its text as it is in the file.
/// Guarantee: everything in the file was understood; every body is one that physics allows. Overlaps are not looked
/// for: sim::Simulation does that. @throws LoadError at the first value that is not allowed.
sim::Scene loadScene(const std::string& path, SceneSource* source = nullptr);

/// The same for those who run published methods: which one the scene asks for. The function above refuses such scenes.
sim::Scene loadScene(const std::string& path, SceneSource& source, methods::Choice& choice);

/// The same from text; `path` is for messages and for files that the scene names, which are taken from `files`.
sim::Scene parseScene(const std::string& text, const std::string& path, SceneSource* source = nullptr,
                      Files files = {});

/// The scene that was loaded with these files (Scene::files, or those of a record), from them alone. @throws LoadError;
/// also where no scene text is among them.
sim::Scene parseScene(const std::vector<sim::SceneFile>& files, SceneSource* source = nullptr);

/// Name and description of a scene, for lists; nothing else is looked at. @throws LoadError.
struct SceneTitle {
  std::string name, description;
};
SceneTitle readSceneTitle(const std::string& path);

}  // namespace rigor::scenes
