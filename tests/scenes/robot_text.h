// SPDX-License-Identifier: MIT
#pragma once
#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace rigor::scenes {

/// A folder of files for one test.
class Folder {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string path() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
};

inline const char* const kInertial =
    "<inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"2\"/>"
    "<inertia ixx=\"0.2\" ixy=\"0\" ixz=\"0\" iyy=\"0.2\" iyz=\"0\" "
    "izz=\"0.01\"/></inertial>";

inline std::string linkText(const std::string& name, const std::string& inside) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
inline std::string jointText(const std::string& name, const std::string& type, const std::string& parent,
                             const std::string& child, const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><axis xyz=\"0 1 0\"/>" + inside + "</joint>\n";
}
/// Line 1 is <robot>, each element a line of its own.
inline std::string robotText(const std::string& parts) { return "<robot name=\"r\">\n" + parts + "</robot>\n"; }

inline std::string inertialText(double mass, double xx, double yy, double zz) {
  return "<inertial><mass value=\"" + std::to_string(mass) + "\"/><inertia ixx=\"" + std::to_string(xx) + "\" iyy=\"" +
         std::to_string(yy) + "\" izz=\"" + std::to_string(zz) + "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
}

}  // namespace rigor::scenes
