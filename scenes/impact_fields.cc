// SPDX-License-Identifier: MIT
#include "scenes/impact_fields.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>
#include <string>

#include "impact/resolver.h"

namespace rigor::scenes {
namespace {

using impact::ModelOption;

/// Of `plus.theta_max`: the map it stands in, and its name there.
struct PathInMap {
  std::string_view map, name;
};

PathInMap pathOf(const ModelOption& option) {
  const std::string_view name = option.name;
  const size_t dot = name.find('.');
  return dot == std::string_view::npos ? PathInMap{{}, name} : PathInMap{name.substr(0, dot), name.substr(dot + 1)};
}

impact::OptionValue readList(const Value& value, const ModelOption& option, int contacts) {
  const std::string allowed = option.allowed(contacts);
  const std::vector<Value> items = value.items(allowed);
  if (static_cast<int>(items.size()) != contacts) value.refuse(allowed);
  std::vector<double> list;
  for (const Value& item : items) {
    list.push_back(item.number());
    std::vector<double> alone(static_cast<size_t>(contacts),
                              list.back());  // The item that is wrong is named, not the list.
    if (option.kind == ModelOption::Kind::kNumberOfEach && !option.allows(alone, contacts)) item.refuse(allowed);
  }
  return list;
}

impact::OptionValue readOption(const Value& value, const ModelOption& option, int contacts) {
  switch (option.kind) {
    case ModelOption::Kind::kTruth: return value.boolean();
    case ModelOption::Kind::kWhole:
      return value.integer(static_cast<long>(option.least), static_cast<long>(option.most));
    case ModelOption::Kind::kNumber: return value.number();
    case ModelOption::Kind::kWord: return value.text();
    case ModelOption::Kind::kNumberOfEach:
    case ModelOption::Kind::kOrder: return readList(value, option, contacts);
  }
  return {};
}

}  // namespace

double readFriction(const Value& value) {
  const std::string allowed = "a number >= 0, or no-slip";
  if (!value.isScalar()) value.refuse(allowed);
  if (value.text() == "no-slip") return impact::kNoSlip;
  if (const std::string text = value.text(); !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])))
    value.refuse(allowed);
  const double mu = value.number();
  if (!(mu >= 0)) value.refuse(allowed);
  return mu;
}

void requireImpactFields(const Value& map, std::vector<std::string_view> fields, ModelOption::Place place) {
  std::map<std::string_view, std::vector<std::string_view>> inner;
  for (const ModelOption* option : impact::modelOptions(place)) {
    const PathInMap path = pathOf(*option);
    const std::string_view field = path.map.empty() ? path.name : path.map;
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    if (!path.map.empty()) inner[path.map].push_back(path.name);
  }
  map.fieldsOf(fields);
  for (const auto& [name, allowed] : inner) {
    if (const auto own = map.find(name)) own->fieldsOf(allowed);
  }
}

void readImpactOptions(const Value& map, ModelOption::Place place, int contacts, impact::ImpactOptions& options) {
  for (const ModelOption* option : impact::modelOptions(place)) {
    const PathInMap path = pathOf(*option);
    const auto holder = path.map.empty() ? std::optional<Value>(map) : map.find(path.map);
    const auto value = holder ? holder->find(path.name) : std::nullopt;
    if (!value) continue;
    const impact::OptionValue read = readOption(*value, *option, contacts);
    if (!option->allows(read, contacts)) value->refuse(option->allowed(contacts));
    impact::setOption(*option, read, contacts, options);
  }
}

}  // namespace rigor::scenes
