// SPDX-License-Identifier: MIT
#include "verify/yaml_tree.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>

namespace rigor::verify {
namespace {

/// Aliases may stand for more than memory holds: what they may add to a text's nodes, of which it has fewer than
/// characters.
constexpr std::size_t kMaxAliased = 1'000'000;
constexpr int kMaxNesting = 200;

template <typename T>
T converted(const std::string& text) {
  try {
    return YAML::Node(text).as<T>();
  } catch (const YAML::Exception&) {
    throw YamlError("'" + text + "' is not a value of the expected kind");
  }
}

}  // namespace

/// Copies what yaml-cpp reads.
class AnyYaml {
 public:
  explicit AnyYaml(std::size_t characters) : nodes_left_(characters + kMaxAliased) {}
  YamlTree copy(const YAML::Node& node, int depth) {
    if (nodes_left_-- == 0 || depth > kMaxNesting) throw YamlError("it is too large or too deep");
    YamlTree tree;
    if (node.IsScalar()) {
      tree.kind_ = YamlTree::Kind::kScalar;
      tree.text_ = node.Scalar();
    } else if (node.IsSequence()) {
      tree.kind_ = YamlTree::Kind::kList;
      for (const YAML::Node& value : node) tree.values_.push_back(copy(value, depth + 1));
    } else if (node.IsMap()) {
      tree.kind_ = YamlTree::Kind::kMap;
      for (const auto& entry : node) {
        if (!entry.first.IsScalar()) throw YamlError("a key is no text");
        tree.keys_.push_back(entry.first.Scalar());
        tree.values_.push_back(copy(entry.second, depth + 1));
      }
    } else {
      tree.kind_ = YamlTree::Kind::kNull;
    }
    return tree;
  }

 private:
  std::size_t nodes_left_;
};

YamlTree YamlTree::parse(const std::string& text) {
  YamlTree tree;
  if (parsePlain(text, tree)) return tree;
  return parseAny(text);
}

YamlTree YamlTree::parseAny(const std::string& text) {
  try {
    return AnyYaml(text.size()).copy(YAML::Load(text), 0);
  } catch (const YAML::Exception& error) {
    throw YamlError(error.what());
  }
}

const std::vector<YamlTree>& YamlTree::elements() const {
  if (kind_ == Kind::kMap || kind_ == Kind::kScalar) throw YamlError("there is something else in place of a list");
  return values_;
}

const YamlTree& YamlTree::operator[](const char* key) const {
  static const YamlTree absent;
  if (kind_ == Kind::kList || kind_ == Kind::kScalar)
    throw YamlError(std::string("there is something else in place of a map with '") + key + "'");
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  return found == keys_.end() ? absent : values_[found - keys_.begin()];
}

const YamlTree& YamlTree::operator[](int i) const {
  if (i < 0 || i >= static_cast<int>(elements().size())) throw YamlError("a list is too short");
  return values_[i];
}

const std::string& YamlTree::text() const {
  if (kind_ != Kind::kScalar) throw YamlError("a value is missing");
  return text_;
}

double YamlTree::number() const {
  const std::string& s = text();
  double value;
  // What from_chars reads in another way, or not at all, goes to yaml-cpp: infinities, a leading plus.
  if (s.find_first_not_of("0123456789.-eE+") == std::string::npos) {
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error == std::errc() && end == s.data() + s.size()) return value;
  }
  return converted<double>(s);
}

std::size_t YamlTree::count() const { return converted<std::size_t>(text()); }

bool YamlTree::boolean() const { return text() == "true" || (text() != "false" && converted<bool>(text())); }

}  // namespace rigor::verify
