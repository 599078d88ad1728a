// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "scenes/xml.h"

namespace rigor::scenes {

/// Whether an XML file holds macros of xacro, which have to be expanded before it is a URDF file.
bool isXacro(const XmlElement& root, const std::string& path);

/// What the program `xacro` of the PATH makes of a file. @throws LoadError where it is not installed, fails, or takes
/// more than a minute, with its own first words.
std::string expandXacro(const std::string& path);

}  // namespace rigor::scenes
