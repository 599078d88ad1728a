// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>

namespace rigor::cli {

/// `rigor scenes`: name and description of every bundled scene, a line each. @returns the program's exit code.
int scenesCommand(std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
