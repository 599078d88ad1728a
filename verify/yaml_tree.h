// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rigor::verify {

/// The text is no YAML, or a value is missing or not of the kind that was asked for.
struct YamlError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A YAML (or JSON) text as a tree. What has not been found is absent; looking into it finds nothing more.
class YamlTree {
 public:
  enum class Kind { kAbsent, kNull, kScalar, kList, kMap };

  /// Most scenes, written in plain YAML, are read here in one pass; all other texts are left to yaml-cpp, which takes
  /// ten times as long. @throws YamlError
  static YamlTree parse(const std::string& text);
  /// The first only: false, and nothing said about the text, where it is not plain enough.
  static bool parsePlain(std::string_view text, YamlTree& tree);
  /// The second only. @throws YamlError
  static YamlTree parseAny(const std::string& text);

  Kind kind() const { return kind_; }
  explicit operator bool() const { return kind_ != Kind::kAbsent; }

  // All that follow throw YamlError if the node is of another kind; an absent one and null have no elements and no
  // fields.
  const std::vector<YamlTree>& elements() const;      ///< Of a list.
  const YamlTree& operator[](const char* key) const;  ///< Of a map.
  const YamlTree& operator[](int i) const;            ///< Of a list, which has it.
  const std::string& text() const;
  double number() const;
  std::size_t count() const;
  bool boolean() const;

  bool operator==(const YamlTree&) const = default;

 private:
  friend class PlainYaml;
  friend class AnyYaml;
  Kind kind_ = Kind::kAbsent;
  std::string text_;
  std::vector<std::string> keys_;
  std::vector<YamlTree> values_;
};

}  // namespace rigor::verify
