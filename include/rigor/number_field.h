// SPDX-License-Identifier: MIT
#pragma once
#include <limits>
#include <optional>
#include <string>

namespace rigor {

/// One number that a registered shape or joint type takes in a scene: `NAME: {FIELD: VALUE}`.
struct NumberField {
  std::string name;                                                      ///< Small letters, digits, '_' and '-'.
  std::string meaning = {};                                              ///< A clause, for messages.
  std::string unit = {};                                                 ///< Empty: none.
  double more_than = 0, most = std::numeric_limits<double>::infinity();  ///< more_than < value <= most.
  std::optional<double> standard = {};                                   ///< Without it the field is required.
};

}  // namespace rigor
