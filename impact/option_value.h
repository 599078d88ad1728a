// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace rigor::impact {

/// Value of an option of an impact model: truth, whole number, number, word, or a number for each contact.
using OptionValue = std::variant<bool, long, double, std::string, std::vector<double>>;

/// Options by name, of models that keep them here (model_option.h).
using NamedOptions = std::map<std::string, OptionValue, std::less<>>;

}  // namespace rigor::impact
