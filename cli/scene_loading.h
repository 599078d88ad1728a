// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "scenes/loader.h"

namespace rigor::cli {

/// scenes::loadScene, with a progress bar on a terminal where it takes long, as cutting meshes into convex parts does.
sim::Scene loadShown(const std::string& path, scenes::SceneSource& source, bool quiet);
/// Of scenes that may ask for a published method.
sim::Scene loadShown(const std::string& path, scenes::SceneSource& source, methods::Choice& choice, bool quiet);

}  // namespace rigor::cli
