// SPDX-License-Identifier: MIT
#include "scenes/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenes/nearest_word.h"
#include "scenes/open_pipe.h"

namespace rigor::scenes {
namespace {

constexpr size_t kLongestExcerpt = 40;  // Characters of a value that a message repeats.

std::string excerpt(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  if (text.size() <= kLongestExcerpt) return text;
  size_t end = kLongestExcerpt;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // Not in the middle of a character.
  return text.substr(0, end) + "...";
}

std::string join(const std::vector<std::string_view>& words) {
  std::string all;
  for (std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

bool isKey(const YamlNode& node, std::string_view key) {
  return node.kind == YamlNode::Kind::kScalar && node.text == key;
}

/// Nothing for what is no finite number of magnitude at most kLargestNumber; one in quotes is text, as in JSON.
std::optional<double> numberOf(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar || node.quoted || node.tagged) return std::nullopt;
  std::string_view text = node.text;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(std::abs(value) <= kLargestNumber)) return std::nullopt;  // NaN too.
  return value;
}

}  // namespace

std::string readTextFile(const std::string& path, const std::string& allowed) {
  // A device or a pipe may never end; standard input and a shell's <(...) are read, up to a size.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status) && !isOpenPipe(path))
    throw LoadError(path, {}, "the file is no regular one, but a device or a pipe", allowed);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  constexpr std::size_t kBlock = 1 << 16, kMost = std::size_t{1} << 30;
  std::string block(kBlock, '\0');
  for (std::size_t size = 0; file.read(block.data(), kBlock) || file.gcount() > 0;) {
    text.write(block.data(), file.gcount());
    size += static_cast<std::size_t>(file.gcount());
    if (size > kMost) throw LoadError(path, {}, "the file is longer than 1 GiB", allowed);
  }
  if (file.eof()) file.clear();
  // A folder opens but does not read; an empty file sets failbit on `text` and is reported by its reader.
  if (!file || file.bad() || errno == EISDIR) {
    throw LoadError(path, {}, fmt::format("the file cannot be read ({})", std::strerror(errno ? errno : EIO)), allowed);
  }
  return text.str();
}

Value Value::parse(const std::string& text, const std::string& path) {
  std::shared_ptr<const YamlTree> tree = parseYaml(text, path);
  const YamlNode& root = *tree->root;
  return {std::move(tree), root, "", root.position};
}

void Value::fail(const std::string& found, const std::string& allowed) const {
  throw LoadError(path(), position_, found, allowed);
}

std::string Value::describe() const {
  switch (node_->kind) {
    case YamlNode::Kind::kScalar: return node_->quoted ? '"' + excerpt(node_->text) + '"' : excerpt(node_->text);
    case YamlNode::Kind::kList: return fmt::format("a list of {}", node_->children.size());
    case YamlNode::Kind::kMap: return "a map";
    default: return "empty";
  }
}

void Value::refuse(const std::string& allowed) const {
  fail((name_.empty() ? "the file" : name_) + " is " + describe(), allowed);
}

Value Value::child(const YamlNode& node, std::string name, Position fallback) const {
  // A value that is missing has the place of what it is missing from.
  const bool missing = node.kind == YamlNode::Kind::kEmpty && node.text.empty();
  return {tree_, node, std::move(name), missing ? fallback : node.position};
}

Value Value::item(std::size_t number) const {
  return child(*node_->children[number], fmt::format("{}[{}]", name_, number), position_);
}

/// The value of the key with this number among a map's children.
Value Value::member(std::size_t key) const {
  const YamlNode& name = *node_->children[key];
  return child(*node_->children[key + 1], name_.empty() ? name.text : name_ + '.' + name.text, name.position);
}

const Value& Value::fields(std::initializer_list<std::string_view> allowed) const {
  return fieldsOf(std::vector<std::string_view>(allowed));
}

const Value& Value::fieldsOf(const std::vector<std::string_view>& names) const {
  if (!isMap()) refuse("a map with the fields " + join(names));
  std::vector<std::string_view> seen;
  for (std::size_t i = 0; i < node_->children.size(); i += 2) {
    const YamlNode& key = *node_->children[i];
    const Position at = key.position;
    if (key.kind != YamlNode::Kind::kScalar)
      throw LoadError(path(), at, "a field whose name is no word", "the fields " + join(names));
    const std::string& word = key.text;
    const auto full = [&] { return name_.empty() ? excerpt(word) : name_ + '.' + excerpt(word); };
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string nearest = nearestWord(word, names);
      throw LoadError(path(), at, "unknown field " + full(),
                      (nearest.empty() ? "" : "did you mean " + nearest + "? ") + "the fields here are " + join(names));
    }
    if (std::find(seen.begin(), seen.end(), word) != seen.end()) {
      throw LoadError(path(), at, "duplicate field " + full(), "each field once");
    }
    seen.push_back(word);
  }
  return *this;
}

std::optional<Value> Value::find(std::string_view key) const {
  for (std::size_t i = 0; isMap() && i < node_->children.size(); i += 2) {
    if (!isKey(*node_->children[i], key)) continue;
    Value found = member(i);
    if (found.node_->kind == YamlNode::Kind::kEmpty) found.refuse("a value, or leave the field out");
    return found;
  }
  return std::nullopt;
}

Value Value::at(std::string_view key) const {
  if (auto found = find(key)) return *found;
  fail((name_.empty() ? "the file" : name_) + " has no field " + std::string(key), std::string(key) + " is required");
}

Position Value::keyPosition(std::string_view key) const {
  for (std::size_t i = 0; isMap() && i < node_->children.size(); i += 2)
    if (isKey(*node_->children[i], key)) return node_->children[i]->position;
  return position_;
}

std::vector<std::string> Value::keys() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; isMap() && i < node_->children.size(); i += 2) all.push_back(node_->children[i]->text);
  return all;
}

std::vector<Value> Value::items(const std::string& what) const {
  if (!isList()) refuse("a list of " + what);
  std::vector<Value> all;
  all.reserve(node_->children.size());
  for (std::size_t i = 0; i < node_->children.size(); ++i) all.push_back(item(i));
  return all;
}

double Value::number() const {
  if (const std::optional<double> value = numberOf(*node_)) return *value;
  refuse("a finite number of magnitude at most 1e100");
}

double Value::positive(const std::string& unit) const {
  const double value = number();
  if (!(value > 0)) refuse("a number > 0" + (unit.empty() ? "" : " [" + unit + "]"));
  return value;
}

double Value::notNegative(const std::string& unit) const {
  const double value = number();
  if (!(value >= 0)) refuse("a number >= 0" + (unit.empty() ? "" : " [" + unit + "]"));
  return value;
}

double Value::between(double low, double high) const {
  const double value = number();
  if (!(value >= low && value <= high)) refuse(fmt::format("a number from {} to {}", low, high));
  return value;
}

long Value::integer(long low, long high) const {
  const std::string allowed = fmt::format("a whole number from {} to {}", low, high);
  if (!isPlain()) refuse(allowed);
  const std::string& text = node_->text;
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) refuse(allowed);
  return value;
}

bool Value::boolean() const {
  if (isScalar() && !node_->quoted) {
    if (node_->text == "true") return true;
    if (node_->text == "false") return false;
  }
  refuse("true or false");
}

std::string Value::text() const {
  if (!isScalar()) refuse("a word or text");
  return node_->text;
}

std::vector<double> Value::numbers(int count, const std::string& what) const {
  if (!isList() || (count >= 0 && node_->children.size() != static_cast<size_t>(count))) {
    refuse(count >= 0 ? fmt::format("a list of {} {}", count, what) : "a list of " + what);
  }
  std::vector<double> all;
  all.reserve(node_->children.size());
  for (std::size_t i = 0; i < node_->children.size(); ++i) {
    const std::optional<double> number = numberOf(*node_->children[i]);
    all.push_back(number ? *number : item(i).number());  // Which says what is wrong.
  }
  return all;
}

Eigen::Vector3d Value::vector3() const {
  const std::vector<double> xyz = numbers(3, "numbers [x, y, z]");
  return {xyz[0], xyz[1], xyz[2]};
}

bool isPlainName(const std::string& name) {
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '/' || c == ',' || c == '"'; });
}

std::string readName(const Value& value, const std::string& what) {
  const std::string name = value.text();
  if (!isPlainName(name)) value.refuse("a " + what + " name without control characters, slash, comma or quote");
  if (name.empty()) value.refuse("a " + what + " name that is not empty");
  return name;
}

}  // namespace rigor::scenes
