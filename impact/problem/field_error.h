// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace rigor::impact {

/// A problem or its options that a model does not take, because of one field: who read the file knows where it stands.
struct FieldError : std::invalid_argument {
  FieldError(std::string name, const std::string& what) : std::invalid_argument(what), field(std::move(name)) {}
  std::string field;  ///< As in problem files, such as `restitution` or `plus.theta_max`.
};

}  // namespace rigor::impact
