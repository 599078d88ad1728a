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

}  // namespace

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

void registerShape(const std::string& name, std::vector<NumberField> fields,
                   std::function<std::vector<Eigen::Vector3d>(const std::map<std::string, double>&)> points) {
  if (!isWord(name))
    throw std::invalid_argument(fmt::format("shape '{}'; allowed: small letters, digits, '_' and '-'", name));
  checkFields(fmt::format("shape '{}'", name), fields);
  ShapeKind kind{name, {}, true};
  kind.read = [name, fields = std::move(fields), points = std::move(points)](const Value& value, const ShapeContext&) {
    return std::vector<geom::Shape>{hullOf(value, points(readFields(value, fields)))};
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
