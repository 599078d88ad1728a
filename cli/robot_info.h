// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

/// `rigor info MODEL`: what a URDF, MJCF or SDF file holds as rigor reads it (docs/robots.md): links with masses and
/// shapes, joints with their types, limits and dynamics, loops, keyframes and links that never collide. Round shapes
/// are as on half-spaces alone. @param format  scenes::robotFormat() of the file. @returns the
/// exit code.
int robotInfo(const std::string& path, const std::string& format, bool json, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
