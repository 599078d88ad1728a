// SPDX-License-Identifier: MIT
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace rigor::verify::recorded {

/// JSON as records hold it: one value, no member twice, no lists and objects within more than 64 others.
/// @throws std::invalid_argument with what is wrong.
nlohmann::json parseStrictJson(const std::string& text);

}  // namespace rigor::verify::recorded
