// SPDX-License-Identifier: MIT
#include "scenes/number_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rigor::scenes {
namespace {

double readField(const Value& map, const NumberField& field) {
  const auto given = map.find(field.name);
  if (!given) return field.standard ? *field.standard : map.at(field.name).number();
  const double value = given->number();
  const bool above = field.above_least ? value > field.least : value >= field.least;
  if (!(above && value <= field.most)) given->refuse(field.allowed());
  return value;
}

}  // namespace

std::string NumberField::allowed() const {
  std::string text = meaning + (unit.empty() ? "" : " [" + unit + "]") + ": a number";
  if (std::isfinite(least)) text += (above_least ? " > " : " >= ") + fmt::format("{}", least);
  if (std::isfinite(most)) text += fmt::format("{} <= {}", std::isfinite(least) ? " and" : "", most);
  return text;
}

bool isWord(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void checkFields(const std::string& owner, const std::vector<NumberField>& fields) {
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    if (!isWord(field->name))
      throw std::invalid_argument(
          fmt::format("field '{}' of {}; allowed: small letters, digits, '_' and '-'", field->name, owner));
    if (std::any_of(fields.begin(), field, [&](const NumberField& other) { return other.name == field->name; }))
      throw std::invalid_argument(fmt::format("field '{}' of {} is there twice; allowed: once", field->name, owner));
  }
}

std::map<std::string, double> readFields(const Value& map, const std::vector<NumberField>& fields) {
  std::vector<std::string_view> names;
  for (const NumberField& field : fields) names.push_back(field.name);
  map.fieldsOf(names);
  std::map<std::string, double> numbers;
  for (const NumberField& field : fields) numbers[field.name] = readField(map, field);
  return numbers;
}

}  // namespace rigor::scenes
