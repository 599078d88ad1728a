// SPDX-License-Identifier: MIT
#include "sweep/variation.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <span>

#include "elementary/elementary.h"
#include "impact/random_stream.h"

namespace rigor::sweep {
namespace {

using scenes::Value;

/// Numbers of one list element, a list or a single number.
std::vector<double> readNumbers(const Value& value, bool& scalar) {
  scalar = value.isScalar();
  if (scalar) return {value.number()};
  std::vector<double> numbers = value.numbers(-1, "numbers");
  if (numbers.empty()) value.refuse("a number, or a list of numbers");
  return numbers;
}

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> segments;
  std::size_t from = 0;
  for (std::size_t dot; (dot = path.find('.', from)) != path.npos; from = dot + 1)
    segments.push_back(path.substr(from, dot - from));
  segments.push_back(path.substr(from));
  return segments;
}

std::string emit(const YAML::Node& node) {
  YAML::Emitter emitter;
  emitter << YAML::Flow << node;
  return emitter.c_str();
}

/// A standard normal number [Box and Muller 1958].
double normal(impact::RandomStream& random) {
  const double u = random.uniform(), v = random.uniform();
  return std::sqrt(-2 * elementary::log(u)) * elementary::cos(2 * std::numbers::pi * v);
}

/// Uniform over rotations [Shoemake 1992, "Uniform random rotations"].
std::vector<double> rotation(impact::RandomStream& random) {
  const double u = random.uniform(), a = 2 * std::numbers::pi * random.uniform(),
               b = 2 * std::numbers::pi * random.uniform();
  const double r = std::sqrt(1 - u), s = std::sqrt(u);
  const elementary::SineCosine at_a = elementary::sineCosine(a), at_b = elementary::sineCosine(b);
  return {s * at_b.cosine, r * at_a.sine, r * at_a.cosine, s * at_b.sine};
}

/// Numbers in shortest form that reads back to the same bits.
YAML::Node makeNode(std::span<const double> numbers, bool scalar) {
  if (scalar) return YAML::Node(fmt::format("{}", numbers[0]));
  YAML::Node list(YAML::NodeType::Sequence);
  for (const double x : numbers) list.push_back(YAML::Node(fmt::format("{}", x)));
  return list;
}

}  // namespace

Variation Variation::read(const std::string& path, const Value& source) {
  Variation v;
  v.path_ = path;
  v.segments_ = split(path);
  v.file_ = source.path();
  v.place_ = source.position();
  for (const std::string& segment : v.segments_)
    if (segment.empty())
      source.fail(fmt::format("the path '{}'", path), "keys and names of the scene with dots between them");
  source.fields({"uniform", "normal", "choice", "grid", "rotation"});
  const std::vector<std::string> keys = source.keys();
  if (keys.size() != 1)
    source.fail(fmt::format("{} distributions for {}", keys.size(), path),
                "one of uniform, normal, choice, grid, rotation");
  const Value value = source.at(keys[0]);
  if (keys[0] == "rotation") {
    v.kind_ = Kind::kRotation;
    v.scalar_ = false;
    v.first_.resize(4);
    if (value.text() != "uniform") value.refuse("uniform");
    return v;
  }
  if (keys[0] == "choice" || keys[0] == "grid") {
    v.kind_ = keys[0] == "grid" ? Kind::kGrid : Kind::kChoice;
    for (const Value& item : value.items("values")) v.options_.push_back(scenes::flowText(item.node()));
    if (v.options_.empty()) value.refuse("a list of at least one value");
    return v;
  }
  v.kind_ = keys[0] == "uniform" ? Kind::kUniform : Kind::kNormal;
  const char* both = v.kind_ == Kind::kUniform ? "[low, high]" : "[mean, deviation]";
  const std::vector<Value> ends = value.items("two ends");
  if (ends.size() != 2) value.refuse(both);
  bool scalar = true;
  v.first_ = readNumbers(ends[0], v.scalar_);
  v.second_ = readNumbers(ends[1], scalar);
  if (scalar != v.scalar_ || v.first_.size() != v.second_.size())
    ends[1].refuse(fmt::format("{} of the same shape", both));
  for (std::size_t i = 0; i < v.first_.size(); ++i)
    if (v.kind_ == Kind::kUniform ? !(v.first_[i] <= v.second_[i]) : !(v.second_[i] >= 0))
      ends[1].refuse(v.kind_ == Kind::kUniform ? "high >= low" : "a deviation >= 0");
  return v;
}

YAML::Node Variation::draw(const RunKey& key, int index, long grid_index) const {
  if (kind_ == Kind::kGrid) return YAML::Load(options_[grid_index]);
  // A sweep has less than 2^16 variations.
  impact::RandomStream random(
      {key.seed, static_cast<std::uint64_t>(key.run) << 16 | static_cast<std::uint64_t>(index)});
  if (kind_ == Kind::kChoice) {
    const auto count = static_cast<double>(options_.size());
    const auto pick = static_cast<std::size_t>((1 - random.uniform()) * count);  // uniform() is in (0, 1].
    return YAML::Load(options_[std::min(pick, options_.size() - 1)]);
  }
  if (kind_ == Kind::kRotation) return makeNode(rotation(random), false);
  std::vector<double> numbers(first_.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = kind_ == Kind::kUniform ? first_[i] + (second_[i] - first_[i]) * random.uniform()
                                         : first_[i] + second_[i] * normal(random);
  return makeNode(numbers, scalar_);
}

void Variation::apply(YAML::Node scene, const YAML::Node& value) const {
  const auto refuse = [&](const std::string& segment, const std::string& allowed) {
    throw scenes::LoadError(file_, place_, fmt::format("the scene has no '{}' of {}", segment, path_), allowed);
  };
  YAML::Node at = scene;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const std::string& segment = segments_[i];
    const bool last = i + 1 == segments_.size();
    if (at.IsSequence()) {
      std::size_t found = at.size(), number = 0;
      for (std::size_t k = 0; k < at.size() && found == at.size(); ++k)
        if (at[k].IsMap() && at[k]["name"] && at[k]["name"].IsScalar() && at[k]["name"].Scalar() == segment) found = k;
      const auto [end, error] = std::from_chars(segment.data(), segment.data() + segment.size(), number);
      if (found == at.size() && error == std::errc() && end == segment.data() + segment.size() && number < at.size())
        found = number;
      if (found == at.size()) refuse(segment, "the name or number of an element");
      if (last) at[found] = value;
      else at.reset(at[found]);
    } else if (at.IsMap()) {
      if (last) {
        // One says what the other says.
        if (segment == "orientation") at.remove("rpy");
        if (segment == "rpy") at.remove("orientation");
        at[segment] = value;
      } else {
        if (!at[segment])
          at[segment] = YAML::Node(YAML::NodeType::Map);  // `contact.friction` of a scene that has defaults only.
        at.reset(at[segment]);
      }
    } else {
      refuse(segment, "the path of a field of the scene");
    }
  }
}

std::vector<std::string> Variation::columns() const {
  if (kind_ == Kind::kChoice || kind_ == Kind::kGrid || scalar_) return {path_};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < first_.size(); ++i) names.push_back(fmt::format("{}.{}", path_, i));
  return names;
}

std::vector<std::string> Variation::cells(const YAML::Node& value) const {
  if (columns().size() == 1) return {value.IsScalar() ? value.Scalar() : emit(value)};
  std::vector<std::string> cells;
  for (const auto& item : value) cells.push_back(item.Scalar());
  return cells;
}

}  // namespace rigor::sweep
