// SPDX-License-Identifier: MIT
#pragma once
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

namespace rigor {
/// Throws nlohmann::json::exception for what is no JSON. Compiled once: the parser takes a second in every file.
nlohmann::json parsedJson(const std::string& text);
}  // namespace rigor

NLOHMANN_JSON_NAMESPACE_BEGIN
/// How gtest shows a value; its own printer of containers takes the compiler seconds.
void PrintTo(const json& value, std::ostream* out);
NLOHMANN_JSON_NAMESPACE_END
