// SPDX-License-Identifier: MIT
#include "scenes/shape_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <stdexcept>

namespace rigor::scenes {
namespace {

/// A deque: entries stay where they are.
struct Registry {
  std::mutex mutex;
  std::deque<ShapeKind> kinds;

  Registry() {
    for (ShapeKind& kind : bundledShapeKinds()) kinds.push_back(std::move(kind));
  }
};

Registry& registry() {
  static Registry only;
  return only;
}

bool isWord(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void checkFields(const std::string& shape, const std::vector<ShapeField>& fields) {
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    if (!isWord(field->name))
      throw std::invalid_argument(
          fmt::format("field '{}' of shape '{}'; allowed: small letters, digits, '_' and '-'", field->name, shape));
    if (std::any_of(fields.begin(), field, [&](const ShapeField& other) { return other.name == field->name; }))
      throw std::invalid_argument(
          fmt::format("field '{}' of shape '{}' is there twice; allowed: once", field->name, shape));
  }
}

double readField(const Value& map, const ShapeField& field) {
  const auto given = map.find(field.name);
  if (!given) return field.standard ? *field.standard : map.at(field.name).number();
  const double value = given->number();
  const bool above = field.above_least ? value > field.least : value >= field.least;
  if (!(above && value <= field.most)) given->refuse(field.allowed());
  return value;
}

}  // namespace

std::string ShapeField::allowed() const {
  std::string text = meaning + (unit.empty() ? "" : " [" + unit + "]") + ": a number " + (above_least ? "> " : ">= ") +
                     fmt::format("{}", least);
  if (most < std::numeric_limits<double>::infinity()) text += fmt::format(" and <= {}", most);
  return text;
}

const ShapeKind* findShapeKind(const std::string& name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found =
      std::find_if(all.kinds.begin(), all.kinds.end(), [&](const ShapeKind& kind) { return kind.name == name; });
  return found == all.kinds.end() ? nullptr : &*found;
}

std::vector<std::string> shapeNames() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const ShapeKind& kind : all.kinds) names.push_back(kind.name);
  return names;
}

void registerShape(const std::string& name, std::vector<ShapeField> fields,
                   std::function<std::vector<Eigen::Vector3d>(const std::map<std::string, double>&)> points) {
  if (!isWord(name))
    throw std::invalid_argument(fmt::format("shape '{}'; allowed: small letters, digits, '_' and '-'", name));
  checkFields(name, fields);
  ShapeKind kind{name, {}, true};
  kind.read = [name, fields = std::move(fields), points = std::move(points)](const Value& value, const ShapeContext&) {
    std::vector<std::string_view> names;
    for (const ShapeField& field : fields) names.push_back(field.name);
    value.fieldsOf(names);
    std::map<std::string, double> numbers;
    for (const ShapeField& field : fields) numbers[field.name] = readField(value, field);
    return std::vector<geom::Shape>{hullOf(value, points(numbers))};
  };
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  bool taken = name == "compound";
  for (const ShapeKind& other : all.kinds) taken = taken || other.name == name;
  if (taken)
    throw std::invalid_argument(fmt::format("shape '{}' is there already; allowed: another name", name));
  all.kinds.push_back(std::move(kind));
}

}  // namespace rigor::scenes
