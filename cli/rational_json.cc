// SPDX-License-Identifier: MIT
#include "cli/rational_json.h"

#include <fmt/format.h>

#include <stdexcept>

namespace rigor::cli {

nlohmann::ordered_json rationalJson(const mpq_class& value) { return value.get_str(); }

nlohmann::ordered_json rationalJson(const std::vector<mpq_class>& values) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const mpq_class& value : values) out.push_back(rationalJson(value));
  return out;
}

nlohmann::ordered_json rationalJson(const std::vector<std::vector<mpq_class>>& rows) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const std::vector<mpq_class>& row : rows) out.push_back(rationalJson(row));
  return out;
}

mpq_class rational(const nlohmann::ordered_json& json) {
  mpq_class value;
  if (value.set_str(json.get<std::string>(), 10) != 0 || sgn(value.get_den()) == 0) {
    throw std::runtime_error(fmt::format("\"{}\" is no rational number", json.get<std::string>().substr(0, 40)));
  }
  value.canonicalize();
  return value;
}

std::vector<mpq_class> rationals(const nlohmann::ordered_json& json) {
  std::vector<mpq_class> out;
  for (const nlohmann::ordered_json& entry : json) out.push_back(rational(entry));
  return out;
}

std::vector<std::vector<mpq_class>> rationalRows(const nlohmann::ordered_json& json) {
  std::vector<std::vector<mpq_class>> out;
  for (const nlohmann::ordered_json& row : json) out.push_back(rationals(row));
  return out;
}

}  // namespace rigor::cli
