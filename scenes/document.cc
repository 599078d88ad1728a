// SPDX-License-Identifier: MIT
#include "scenes/document.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

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

Position positionOf(const YAML::Mark& mark, Position fallback) {
  return mark.is_null() ? fallback : Position{mark.line + 1, mark.column + 1};
}

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

/// Length of the valid UTF-8 sequence at text[i], 0 if there is none.
size_t sequenceLength(const std::string& text, size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  const size_t length = c < 0x80                ? 1
                        : c >= 0xC2 && c < 0xE0 ? 2
                        : c >= 0xE0 && c < 0xF0 ? 3
                        : c >= 0xF0 && c < 0xF5 ? 4
                                                : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// Counts documents and nothing else. YAML::LoadAll would never return on text such as ", a", of which its parser
/// makes one empty document after the other without consuming it.
class DocumentCounter : public YAML::EventHandler {
 public:
  int count = 0;
  YAML::Mark last = YAML::Mark::null_mark();
  void OnDocumentStart(const YAML::Mark& mark) override {
    ++count;
    last = mark;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

void requireText(const std::string& text, const std::string& path) {
  Position at;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = sequenceLength(text, i);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    if (length == 0 || control) {
      throw LoadError(path, at, fmt::format("the byte 0x{:02x}: this is no text file", c), "YAML or JSON in UTF-8");
    }
    i += length;
    if (c == '\n') at = {at.line + 1, 1};
    else ++at.column;
  }
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
  requireText(text, path);
  YAML::Node root;
  DocumentCounter documents;
  try {
    root = YAML::Load(text);
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (documents.count < 2 && parser.HandleNextDocument(documents)) {
    }
  } catch (const YAML::DeepRecursion& error) {
    throw LoadError(path, positionOf(error.mark, {}), "values nested too deeply", "at most 500 levels");
  } catch (const YAML::Exception& error) {
    throw LoadError(path, positionOf(error.mark, {}), error.msg, "valid YAML or JSON");
  }
  if (root.IsNull()) {
    throw LoadError(path, {}, documents.count < 2 ? "the file is empty" : "no fields before the second document",
                    "a map of fields");
  }
  if (documents.count > 1) {
    throw LoadError(path, positionOf(documents.last, {}), "a second YAML document", "one document a file");
  }
  return {std::make_shared<const std::string>(path), root, "", positionOf(root.Mark(), {})};
}

void Value::fail(const std::string& found, const std::string& allowed) const {
  throw LoadError(*path_, position_, found, allowed);
}

std::string Value::describe() const {
  switch (node_.Type()) {
    case YAML::NodeType::Scalar:
      return node_.Tag() == "!" ? '"' + excerpt(node_.Scalar()) + '"' : excerpt(node_.Scalar());
    case YAML::NodeType::Sequence: return fmt::format("a list of {}", node_.size());
    case YAML::NodeType::Map: return "a map";
    default: return "empty";
  }
}

void Value::refuse(const std::string& allowed) const {
  fail((name_.empty() ? "the file" : name_) + " is " + describe(), allowed);
}

Value Value::child(const YAML::Node& node, std::string name, Position fallback) const {
  Position at = positionOf(node.Mark(), fallback);
  // yaml-cpp gives an empty value the place of whatever follows it.
  if (node.IsNull() && at.line != fallback.line) at = fallback;
  return {path_, node, std::move(name), at};
}

const Value& Value::fields(std::initializer_list<std::string_view> allowed) const {
  return fieldsOf(std::vector<std::string_view>(allowed));
}

const Value& Value::fieldsOf(const std::vector<std::string_view>& names) const {
  if (!node_.IsMap()) refuse("a map with the fields " + join(names));
  std::vector<std::string> seen;
  for (const auto& entry : node_) {
    const YAML::Node& key = entry.first;
    const Position at = positionOf(key.Mark(), position_);
    if (!key.IsScalar()) throw LoadError(*path_, at, "a field whose name is no word", "the fields " + join(names));
    const std::string& word = key.Scalar();
    const std::string full = name_.empty() ? excerpt(word) : name_ + '.' + excerpt(word);
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string nearest = nearestWord(word, names);
      throw LoadError(*path_, at, "unknown field " + full,
                      (nearest.empty() ? "" : "did you mean " + nearest + "? ") + "the fields here are " + join(names));
    }
    if (std::find(seen.begin(), seen.end(), word) != seen.end()) {
      throw LoadError(*path_, at, "duplicate field " + full, "each field once");
    }
    seen.push_back(word);
  }
  return *this;
}

std::optional<Value> Value::find(std::string_view key) const {
  for (const auto& entry : node_) {
    const YAML::Node &name = entry.first, &value = entry.second;
    if (!name.IsScalar() || name.Scalar() != key) continue;
    Value found = child(value, name_.empty() ? std::string(key) : name_ + '.' + std::string(key),
                        positionOf(name.Mark(), position_));
    if (value.IsNull()) found.refuse("a value, or leave the field out");
    return found;
  }
  return std::nullopt;
}

Value Value::at(std::string_view key) const {
  if (auto found = find(key)) return *found;
  fail((name_.empty() ? "the file" : name_) + " has no field " + std::string(key), std::string(key) + " is required");
}

Position Value::keyPosition(std::string_view key) const {
  for (const auto& entry : node_) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return positionOf(entry.first.Mark(), position_);
  }
  return position_;
}

std::vector<std::string> Value::keys() const {
  std::vector<std::string> all;
  for (const auto& entry : node_) all.push_back(entry.first.IsScalar() ? entry.first.Scalar() : "");
  return all;
}

std::vector<Value> Value::items(const std::string& what) const {
  if (!node_.IsSequence()) refuse("a list of " + what);
  std::vector<Value> all;
  all.reserve(node_.size());
  for (const YAML::Node& item : node_) all.push_back(child(item, fmt::format("{}[{}]", name_, all.size()), position_));
  return all;
}

double Value::number() const {
  const std::string allowed = "a finite number of magnitude at most 1e100";
  // Tag "?" is a plain scalar; a quoted one ("!") is text, as in JSON.
  if (!node_.IsScalar() || (node_.Tag() != "?" && !node_.Tag().empty())) refuse(allowed);
  std::string_view text = node_.Scalar();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(allowed);
  if (!(std::abs(value) <= kLargestNumber)) refuse(allowed);  // NaN -> refused
  return value;
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
  if (!node_.IsScalar() || (node_.Tag() != "?" && !node_.Tag().empty())) refuse(allowed);
  const std::string& text = node_.Scalar();
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) refuse(allowed);
  return value;
}

bool Value::boolean() const {
  if (node_.IsScalar() && node_.Tag() != "!") {
    if (node_.Scalar() == "true") return true;
    if (node_.Scalar() == "false") return false;
  }
  refuse("true or false");
}

std::string Value::text() const {
  if (!node_.IsScalar()) refuse("a word or text");
  return node_.Scalar();
}

std::vector<double> Value::numbers(int count, const std::string& what) const {
  if (!node_.IsSequence() || (count >= 0 && node_.size() != static_cast<size_t>(count))) {
    refuse(count >= 0 ? fmt::format("a list of {} {}", count, what) : "a list of " + what);
  }
  std::vector<double> all;
  all.reserve(node_.size());
  for (const Value& item : items(what)) all.push_back(item.number());
  return all;
}

Eigen::Vector3d Value::vector3() const {
  const std::vector<double> xyz = numbers(3, "numbers [x, y, z]");
  return {xyz[0], xyz[1], xyz[2]};
}

std::string readName(const Value& value, const std::string& what) {
  const std::string name = value.text();
  for (char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '/' || c == ',' || c == '"') {
      value.refuse("a " + what + " name without control characters, slash, comma or quote");
    }
  }
  if (name.empty()) value.refuse("a " + what + " name that is not empty");
  return name;
}

}  // namespace rigor::scenes
