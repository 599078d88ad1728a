// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/model_file.h"

namespace rigor::scenes {

/// Reads what an MJCF file (MuJoCo) states, as far as rigid bodies have it; docs/robots.md has the table of what is
/// read, approximated and left out. Includes, default classes, orientations of all notations, degrees and radians.
///
/// A body with several joints, or with one whose anchor is not its origin, hangs on links without mass named
/// `BODY.JOINT`, so that the link BODY has the body's own frame. What is left out adds a line to `warnings`.
/// @throws LoadError with the line of the element for what cannot be.
FileModel readMjcf(const std::string& path, std::vector<std::string>& warnings, const Files& files = {},
                   const ShapeOptions& options = {});

}  // namespace rigor::scenes
