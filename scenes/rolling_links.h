// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/model_file.h"

namespace rigor::scenes {

/// Links that roll on facets: cylinders with sides about whose axis a joint turns without end, and all of a robot that
/// floats and has no joints.
struct RollingLinks {
  std::vector<std::string> names;
  int sides = 0;  ///< The fewest of any of them.
};
[[nodiscard]] RollingLinks linksRollingOnFacets(const FileModel& file);

}  // namespace rigor::scenes
