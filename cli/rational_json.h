// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace rigor::cli {

/// Rational numbers as the strings "p/q" of certificate files.
[[nodiscard]] nlohmann::ordered_json rationalJson(const mpq_class& value);
[[nodiscard]] nlohmann::ordered_json rationalJson(const std::vector<mpq_class>& values);
[[nodiscard]] nlohmann::ordered_json rationalJson(const std::vector<std::vector<mpq_class>>& rows);

/// The same read again. @throws std::runtime_error for what is no rational number, nlohmann's errors for other JSON.
[[nodiscard]] mpq_class rational(const nlohmann::ordered_json& json);
[[nodiscard]] std::vector<mpq_class> rationals(const nlohmann::ordered_json& json);
[[nodiscard]] std::vector<std::vector<mpq_class>> rationalRows(const nlohmann::ordered_json& json);

}  // namespace rigor::cli
