// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/load_error.h"
#include "scenes/yaml_tree.h"

namespace rigor::scenes {

/// Largest magnitude of a number in a file: products of several stay finite.
inline constexpr double kLargestNumber = 1e100;

/// The text of a file. @throws LoadError at 1:1 where it cannot be read; `allowed` completes that message.
std::string readTextFile(const std::string& path, const std::string& allowed);

/// A value of a YAML (or JSON) file that knows its place and its name, and is read strictly: every reader throws
/// LoadError at the value's place for what it does not accept. Nothing is converted silently: a quoted number is text.
class Value {
 public:
  /// The root of a document. @throws LoadError for text that is empty, binary, not UTF-8, not YAML, or more than one
  /// document.
  static Value parse(const std::string& text, const std::string& path);

  const std::string& name() const { return name_; }  ///< Such as `bodies[1].mass`.
  Position position() const { return position_; }
  const std::string& path() const { return tree_->path; }
  const YamlNode& node() const { return *node_; }  ///< For values that are passed on unread.
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const;
  /// fail() with `NAME is VALUE`.
  [[noreturn]] void refuse(const std::string& allowed) const;

  /// Must be a map without duplicate keys or keys other than `fields` (the nearest one is suggested).
  const Value& fields(std::initializer_list<std::string_view> fields) const;
  const Value& fieldsOf(const std::vector<std::string_view>& fields) const;  ///< The same.
  /// Member of a map, if there. A key without a value is an error.
  std::optional<Value> find(std::string_view key) const;
  /// Member of a map. @throws LoadError at the map where it is missing.
  Value at(std::string_view key) const;
  /// Place of a key of this map; the map's own place if there is none.
  Position keyPosition(std::string_view key) const;
  /// The keys of a map, in the order of the file.
  std::vector<std::string> keys() const;

  /// Elements of a list; `what` says what they are for the message.
  std::vector<Value> items(const std::string& what) const;

  double number() const;
  double positive(const std::string& unit) const;
  double notNegative(const std::string& unit) const;
  double between(double low, double high) const;
  long integer(long low, long high) const;
  bool boolean() const;
  std::string text() const;  ///< Any scalar, as written.
  bool isScalar() const { return node_->kind == YamlNode::Kind::kScalar; }
  bool isMap() const { return node_->kind == YamlNode::Kind::kMap; }
  bool isList() const { return node_->kind == YamlNode::Kind::kList; }
  /// A list of `count` numbers; any count for -1.
  std::vector<double> numbers(int count, const std::string& what) const;
  Eigen::Vector3d vector3() const;

 private:
  Value(std::shared_ptr<const YamlTree> tree, const YamlNode& node, std::string name, Position position)
      : tree_(std::move(tree)), node_(&node), name_(std::move(name)), position_(position) {}
  Value child(const YamlNode& node, std::string name, Position fallback) const;
  Value item(std::size_t number) const;
  Value member(std::size_t key) const;
  std::string describe() const;
  bool isPlain() const { return isScalar() && !node_->quoted && !node_->tagged; }
  std::shared_ptr<const YamlTree> tree_;
  const YamlNode* node_;
  std::string name_;
  Position position_;
};

/// Whether outputs can hold a name: no slash, comma, quote or control character.
bool isPlainName(const std::string& name);

/// A name for outputs: not empty, no slash, comma, quote or control character. @throws LoadError.
std::string readName(const Value& value, const std::string& what);

}  // namespace rigor::scenes
