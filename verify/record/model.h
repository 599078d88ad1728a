// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "verify/kernel/run.h"

namespace rigor::verify::recorded {

/// What the kernel asks of no joint.
struct JointText {
  double restitution = 0;  ///< Of its limits.
  std::string leader;      ///< The joint that it follows, at `ratio` times its coordinate + `offset`; empty: none.
  double ratio = 1, offset = 0;
};

/// The canonical model of a record (docs/record-format.md): what the run is about, every default resolved.
struct ModelText {
  kernel::Model model;
  std::vector<std::vector<std::string>>
      coordinates;  ///< Names `robot/joint` of each robot's scalar coordinates, as in `joints`.
  std::vector<std::vector<JointText>> joints;  ///< Of each robot, in the order of the model's, without loops.
  std::string impact_model;              ///< Empty: none is named.
};

/// Reads `meta.model`. Exactly the documented members, once each, of their types, and finite; names are unique and
/// those that are referred to exist. @throws std::invalid_argument with what is wrong.
ModelText parseModel(const std::string& text);

}  // namespace rigor::verify::recorded
