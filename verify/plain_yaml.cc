// SPDX-License-Identifier: MIT
// Plain YAML: block maps and lists indented by spaces, flow collections over any number of lines, scalars on one line,
// quoted ones without escapes, comments. In ASCII. Whatever else is met, errors included, ends the attempt.
#include <algorithm>
#include <cctype>

#include "verify/yaml_tree.h"

namespace rigor::verify {
namespace {

constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxKeys = 1000;  // Of one map, in which they are looked for one after the other.

bool isKeyStart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isKeyCharacter(char c) { return isKeyStart(c) || c == '-' || c == '.' || c == '/'; }
// Of a plain scalar; commas end one in a flow collection.
bool isPlainCharacter(char c) {
  return isKeyCharacter(c) || std::string_view(" +()=;'<>,*\"").find(c) != std::string_view::npos;
}
bool isNull(std::string_view s) { return s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL"; }

}  // namespace

class PlainYaml {
 public:
  explicit PlainYaml(std::string_view text) : text_(text) {}

  bool parse(YamlTree& tree) {
    for (const char c : text_)
      if (c != '\n' && (c < ' ' || c > '~')) return false;
    for (const char* marker : {"---", "...", "%"})
      if (text_.starts_with(marker) || text_.find(std::string("\n") + marker) != std::string_view::npos) return false;
    if (!toContent()) return false;
    if (peek() != '{') return column() == 0 && block(0, false, tree, 0) && at_ == text_.size();
    return value(tree, true, 0) && !toContent();
  }

 private:
  using Kind = YamlTree::Kind;
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  int column() const {
    const std::size_t line = at_ == 0 ? std::string_view::npos : text_.rfind('\n', at_ - 1);
    return static_cast<int>(line == std::string_view::npos ? at_ : at_ - line - 1);
  }
  void skipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  // Over spaces and a comment to the end of the line; false before anything else.
  bool toLineEnd() {
    const std::size_t from = at_;
    skipSpaces();
    if (peek() == '#' && (at_ > from || column() == 0)) at_ = std::min(text_.find('\n', at_), text_.size());
    return peek() == '\n';
  }
  // Over lines without content, to the next one's first character; false at the end.
  bool toContent() {
    while (at_ < text_.size() && toLineEnd()) at_ += at_ < text_.size();
    return at_ < text_.size();
  }
  bool startsItem() const { return peek() == '-' && (peek(1) == ' ' || peek(1) == '\n'); }

  // A map or list whose lines start in column `indent`, where the text stands; ends at a line of less indentation, and
  // a list `among` the lines of a map at the next of them.
  bool block(int indent, bool among, YamlTree& tree, int depth) {
    if (depth > kMaxDepth) return false;
    const bool list = startsItem();
    tree.kind_ = list ? Kind::kList : Kind::kMap;
    do {
      if (startsItem() != list) return list && among;
      if (list) {
        ++at_;
        skipSpaces();
        YamlTree& item = tree.values_.emplace_back();
        if (peek() == '\n' || peek() == '#' || startsItem()) return false;
        if (isEntry() ? !block(column(), false, item, depth + 1) : !lineValue(item, depth)) return false;
      } else if (!entry(indent, tree, depth)) {
        return false;
      }
      if (!toContent()) return true;
      if (column() > indent) return false;
    } while (column() == indent);
    return true;
  }
  // `key:`, then a space or the end of the line.
  bool isEntry() const {
    std::size_t i = 0;
    while (isKeyCharacter(peek(i))) ++i;
    return i > 0 && isKeyStart(peek()) && peek(i) == ':' && (peek(i + 1) == ' ' || peek(i + 1) == '\n');
  }
  bool entry(int indent, YamlTree& map, int depth) {
    if (!isEntry()) return false;
    YamlTree* value = addKey(text_.substr(at_, text_.find(':', at_) - at_), map);
    if (value == nullptr) return false;
    at_ = text_.find(':', at_) + 1;
    if (!toLineEnd()) return lineValue(*value, depth);
    value->kind_ = Kind::kNull;
    if (!toContent()) return true;
    const bool among = column() == indent && startsItem();
    return !(column() > indent || among) || block(column(), among, *value, depth + 1);
  }
  YamlTree* addKey(std::string_view key, YamlTree& map) {
    if (isNull(key) || map.keys_.size() == kMaxKeys) return nullptr;
    if (std::find(map.keys_.begin(), map.keys_.end(), key) != map.keys_.end()) return nullptr;
    map.keys_.emplace_back(key);
    return &map.values_.emplace_back();
  }
  bool lineValue(YamlTree& tree, int depth) { return value(tree, false, depth) && toLineEnd(); }

  bool value(YamlTree& tree, bool flow, int depth) {
    if (depth > kMaxDepth) return false;
    const char c = peek();
    if (c == '{' || c == '[') return collection(tree, depth);
    if (c == '"' || c == '\'') {
      tree.kind_ = Kind::kScalar;
      return quoted(tree.text_);
    }
    const bool number = (c == '-' || c == '+') && (std::isdigit(static_cast<unsigned char>(peek(1))) || peek(1) == '.');
    if (!(number || (isKeyCharacter(c) && c != '-'))) return false;
    const std::size_t first = at_;
    while (isPlainCharacter(peek()) && !(flow && peek() == ',')) ++at_;
    const char end = peek();
    if (flow ? end != ',' && end != ']' && end != '}' && end != '\n' : end != '\n' && end != '#') return false;
    if (end == '#' && text_[at_ - 1] != ' ') return false;
    std::string_view plain = text_.substr(first, at_ - first);
    plain = plain.substr(0, plain.find_last_not_of(' ') + 1);
    at_ = first + plain.size();
    tree.kind_ = isNull(plain) ? Kind::kNull : Kind::kScalar;
    if (tree.kind_ == Kind::kScalar) tree.text_ = plain;
    return true;
  }
  bool quoted(std::string& out) {
    const char quote = peek();
    const std::size_t first = ++at_;
    while (peek() != quote && peek() != '\n' && peek() != '\\') ++at_;
    if (peek() != quote || peek(1) == '\'') return false;
    out = text_.substr(first, at_++ - first);
    return true;
  }
  bool collection(YamlTree& tree, int depth) {
    const bool map = peek() == '{';
    const char close = map ? '}' : ']';
    tree.kind_ = map ? Kind::kMap : Kind::kList;
    ++at_;
    if (!toContent()) return false;
    while (peek() != close) {
      YamlTree* element = nullptr;
      if (!map) {
        element = &tree.values_.emplace_back();
      } else if (peek() == '"') {
        std::string key;
        if (!quoted(key) || peek() != ':') return false;
        element = addKey(key, tree);
      } else if (isEntry()) {
        const std::size_t colon = text_.find(':', at_);
        element = addKey(text_.substr(at_, colon - at_), tree);
        at_ = colon;
      }
      if (element == nullptr) return false;
      if (map) {
        ++at_;
        if (!toContent()) return false;
      }
      if (!value(*element, true, depth + 1) || !toContent()) return false;
      if (peek() == ',') {
        ++at_;
        if (!toContent() || peek() == close) return false;
      } else if (peek() != close) {
        return false;
      }
    }
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool YamlTree::parsePlain(std::string_view text, YamlTree& tree) {
  tree = {};
  return PlainYaml(text).parse(tree);
}

}  // namespace rigor::verify
