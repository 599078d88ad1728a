// SPDX-License-Identifier: MIT
#include "cli/rational_json.h"

#include <fmt/format.h>

#include <stdexcept>

namespace rigor::cli {

using Json = nlohmann::ordered_json;

Json rationalJson(const mpq_class& value) { return value.get_str(); }

Json rationalJson(const std::vector<mpq_class>& values) {
  Json out = Json::array();
  for (const mpq_class& value : values) out.push_back(rationalJson(value));
  return out;
}

Json rationalJson(const std::vector<std::vector<mpq_class>>& rows) {
  Json out = Json::array();
  for (const std::vector<mpq_class>& row : rows) out.push_back(rationalJson(row));
  return out;
}

mpq_class rational(const Json& json) {
  mpq_class value;
  if (value.set_str(json.get<std::string>(), 10) != 0 || sgn(value.get_den()) == 0) {
    throw std::runtime_error(fmt::format("\"{}\" is no rational number", json.get<std::string>().substr(0, 40)));
  }
  value.canonicalize();
  return value;
}

std::vector<mpq_class> rationals(const Json& json) {
  std::vector<mpq_class> out;
  for (const Json& entry : json) out.push_back(rational(entry));
  return out;
}

std::vector<std::vector<mpq_class>> rationalRows(const Json& json) {
  std::vector<std::vector<mpq_class>> out;
  for (const Json& row : json) out.push_back(rationals(row));
  return out;
}

}  // namespace rigor::cli
