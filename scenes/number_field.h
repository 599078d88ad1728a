// SPDX-License-Identifier: MIT
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/document.h"

namespace rigor::scenes {

/// One number that a registered shape or joint type takes in a scene: `NAME: {FIELD: VALUE}`.
struct NumberField {
  std::string name;
  std::string meaning = {};  ///< A clause, for messages.
  std::string unit = {};     ///< Empty: none.
  double least = 0;          ///< The smallest value that is allowed; `above_least`: the largest that is not.
  double most = std::numeric_limits<double>::infinity();
  bool above_least = true;
  std::optional<double> standard = {};  ///< Without it the field is required.

  std::string allowed() const;  ///< "edge [m]: a number > 0"
};

/// Small letters, digits, '_' and '-', at least one.
bool isWord(const std::string& name);

/// @throws std::invalid_argument for fields whose names are not words, or are there twice; `owner`: "shape 'pyramid'".
void checkFields(const std::string& owner, const std::vector<NumberField>& fields);

/// The values of all fields in a map that has no other key. @throws LoadError at the offending value.
std::map<std::string, double> readFields(const Value& map, const std::vector<NumberField>& fields);

}  // namespace rigor::scenes
