// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace rigor::scenes {

/// The file that a robot file at `robot_path` means by `name`:
/// - `package://NAME/REST`, `model://NAME/REST`, `$(find NAME)/REST`: NAME/REST, then REST, in the robot file's folder
///   and every folder above it; then NAME/REST in the folders of ROS_PACKAGE_PATH, AMENT_PREFIX_PATH (`share`),
///   GZ_SIM_RESOURCE_PATH, GAZEBO_MODEL_PATH, the four folders above the file's, and in each folder of these;
/// - `file://PATH` and absolute paths as they are; other names beside the robot file, then in the folders above it.
/// Backslashes count as slashes. Where no file has exactly that name, one that differs in upper and lower case alone is
/// taken; then `%20` and its like are the characters that they stand for. @returns the first that exists, else where it
/// was looked for first.
std::string findMesh(const std::string& robot_path, const std::string& name);

}  // namespace rigor::scenes
