// SPDX-License-Identifier: MIT
#include "tests/json_text.h"

#include <ostream>

namespace rigor {
nlohmann::json parsedJson(const std::string& text) { return nlohmann::json::parse(text); }
}  // namespace rigor

NLOHMANN_JSON_NAMESPACE_BEGIN
void PrintTo(const json& value, std::ostream* out) { *out << value.dump(); }
NLOHMANN_JSON_NAMESPACE_END
