// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/world.h"

namespace rigor::scenes {

/// How far work that takes long is, of 1, and what it is.
using Progress = std::function<void(double part, const std::string& what)>;

/// The files that a scene is made of. Loaders read, look for and expand files through this alone, so that what was read
/// is known, and can be read again from a record without the file system. Copies share what they have read. One thread
/// per scene.
///
/// Rows of taken(), by role: `scene` and `named` are contents by path, as it was asked for; `found` says which path a
/// name in another file meant: its name is `FILE#NAME`, its content the path; `expanded` is what xacro made of a file:
/// its name is `FILE#xacro`.
class Files {
 public:
  Files();  ///< Those of the file system.
  /// These alone, whatever the file system holds: the rows of taken().
  static Files only(const std::vector<sim::SceneFile>& given);

  /// The bytes of a file, valid as long as any copy of this. @throws LoadError at 1:1 where there is none that can be
  /// read; `allowed` completes that message.
  const std::string& read(const std::string& path, const std::string& allowed) const;
  /// Whether files are read from the file system: others are as a record holds them.
  bool ofFileSystem() const;
  /// Whether there is a regular file.
  bool contains(const std::string& path) const;
  /// The path of the mesh that the robot file `from` calls `name` (mesh_path.h).
  std::string find(const std::string& from, const std::string& name) const;
  /// The URDF text that xacro makes of a file. @throws LoadError.
  const std::string& expand(const std::string& path) const;

  /// Who is told of work on what files hold; empty: nobody.
  const Progress& progress() const;
  void tell(Progress progress);

  /// The scene's own text, which somebody has read already.
  void addScene(const std::string& path, const std::string& text);
  /// All that was asked for, the scene first, then by name.
  std::vector<sim::SceneFile> taken() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rigor::scenes
