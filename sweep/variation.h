// SPDX-License-Identifier: MIT
#pragma once
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenes/document.h"

namespace rigor::sweep {

/// A run's place in its sweep: what random draws are keyed by.
struct RunKey {
  std::uint64_t seed = 0;  ///< Of the sweep.
  long run = 0;
};

/// One field of the scene and where its value comes from: an entry of `vary`.
///
///   uniform: [low, high]         each number between low and high; both numbers or lists of the same length
///   normal: [mean, deviation]    each number normal; the same
///   choice: [a, b, ...]          one of them, equally likely
///   grid: [a, b, ...]            each of them in turn: runs go through all combinations of the sweep's grids
///   rotation: uniform            a quaternion [w, x, y, z], uniform over all orientations
class Variation {
 public:
  /// @param path  `bodies.die.velocity`: keys of maps, names or numbers of list elements.
  /// @throws scenes::LoadError at what is wrong.
  static Variation read(const std::string& path, const scenes::Value& source);

  /// The value for a run. Depends on the key, `index` (of the variation in its sweep) and, for grids, `grid_index`
  /// alone.
  YAML::Node draw(const RunKey& key, int index, long grid_index) const;
  /// Puts a value into a scene. @throws scenes::LoadError at this variation's place where the scene has no such
  /// element.
  void apply(YAML::Node scene, const YAML::Node& value) const;

  const std::string& path() const { return path_; }
  /// Length of a grid; 1 for all other kinds.
  long gridSize() const { return kind_ == Kind::kGrid ? static_cast<long>(options_.size()) : 1; }
  /// Names of the columns that a value takes in the results: the path, with .0, .1, ... for lists.
  std::vector<std::string> columns() const;
  /// A value's cells, as many as columns().
  std::vector<std::string> cells(const YAML::Node& value) const;

 private:
  enum class Kind { kUniform, kNormal, kChoice, kGrid, kRotation };

  std::string path_;
  std::vector<std::string> segments_;
  std::string file_;
  scenes::Position place_;
  Kind kind_ = Kind::kUniform;
  std::vector<double> first_, second_;  ///< Low and high, or mean and deviation, a number a component.
  bool scalar_ = true;
  std::vector<std::string> options_;  ///< Of choices and grids: YAML texts.
};

}  // namespace rigor::sweep
