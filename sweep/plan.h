// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sweep/quantity.h"
#include "sweep/variation.h"

namespace rigor::sweep {

/// Which records are kept.
struct Keep {
  bool all = false, failed = false;
  std::set<long> runs;  ///< Chosen ones.
};

/// Many runs of one scene, as a sweep file describes them (docs/sweep.md).
class Plan {
 public:
  /// @param locate  Path of the scene that a sweep file names, as the command line understands it.
  /// @throws scenes::LoadError.
  static Plan load(const std::string& path, const std::function<std::string(const std::string&)>& locate);

  long runs() const { return runs_; }
  std::uint64_t seed() const { return seed_; }
  /// Seed of run k: below 2^53, so that every reader of tables keeps it exact.
  std::uint64_t seedOf(long run) const;
  const std::string& text() const { return text_; }
  const std::string& sceneText() const { return scene_text_; }
  const std::string& scenePath() const { return scene_path_; }
  const std::string& sceneName() const { return scene_name_; }
  const Keep& keep() const { return keep_; }
  bool keepsAny() const { return keep_.all || keep_.failed || !keep_.runs.empty(); }
  /// Records go into one archive, not into a file each.
  bool archives() const { return archives_; }
  const std::vector<Variation>& variations() const { return variations_; }
  const std::vector<Quantity>& quantities() const { return quantities_; }
  /// Columns of results.csv.
  std::vector<std::string> columns() const;

  /// The values of run k, by variation.
  std::vector<YAML::Node> draw(long run) const;
  /// Text of the scene with `values` put in. `scene` is sceneText() parsed, of the calling thread alone; it is not
  /// changed.
  std::string sceneWith(const YAML::Node& scene, const std::vector<YAML::Node>& values) const;

 private:
  std::string text_, scene_text_, scene_path_, scene_name_;
  long runs_ = 1;
  std::uint64_t seed_ = 0;
  Keep keep_;
  bool archives_ = false;
  std::vector<Variation> variations_;
  std::vector<Quantity> quantities_;
};

}  // namespace rigor::sweep
