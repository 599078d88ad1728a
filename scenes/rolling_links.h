// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "scenes/model_file.h"

namespace rigor::scenes {

/// Links that roll on facets: cylinders with sides about whose axis a joint turns without end.
struct RollingLinks {
  std::vector<std::string> names;
  int sides = 0;           ///< The fewest of any of them.
  bool if_floats = false;  ///< The robot has no joints: they roll where it floats as a whole.
};
[[nodiscard]] RollingLinks linksRollingOnFacets(const FileModel& file);

}  // namespace rigor::scenes
