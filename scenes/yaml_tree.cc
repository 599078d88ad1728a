// SPDX-License-Identifier: MIT
#include "scenes/yaml_tree.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace rigor::scenes {
namespace {

constexpr std::size_t kMostLevels = 500;  // Lists and maps within each other.

/// Length of the valid UTF-8 sequence at text[i], 0 if there is none.
std::size_t sequenceLength(const std::string& text, std::size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  const std::size_t length = c < 0x80                ? 1
                             : c >= 0xC2 && c < 0xE0 ? 2
                             : c >= 0xE0 && c < 0xF0 ? 3
                             : c >= 0xF0 && c < 0xF5 ? 4
                                                     : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void requireText(const std::string& text, const std::string& path) {
  Position at;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = sequenceLength(text, i);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    if (length == 0 || control) {
      throw LoadError(path, at, fmt::format("the byte 0x{:02x}: this is no text file", c), "YAML or JSON in UTF-8");
    }
    i += length;
    if (c == '\n') at = {at.line + 1, 1};
    else ++at.column;
  }
}

Position positionOf(const yaml_mark_t& mark) {
  return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

std::string_view wordOf(const yaml_char_t* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

bool meansNothing(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// libyaml's events of one text.
class Events {
 public:
  Events(const std::string& text, const std::string& path) : path_(path) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// Valid until the next.
  const yaml_event_t& next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_)) return event_;
    throw LoadError(path_, positionOf(parser_.problem_mark), parser_.problem ? parser_.problem : "no YAML",
                    "valid YAML or JSON");
  }

 private:
  const std::string& path_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

class TreeBuilder {
 public:
  explicit TreeBuilder(YamlTree& tree) : tree_(tree) {}

  void take(const yaml_event_t& event) {
    const Position at = positionOf(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (++documents_ == 1) break;
        if (tree_.root->kind == YamlNode::Kind::kEmpty)
          throw LoadError(tree_.path, {}, "no fields before the second document", "a map of fields");
        throw LoadError(tree_.path, at, "a second YAML document", "one document a file");
      case YAML_SCALAR_EVENT: scalar(event.data.scalar, at); break;
      case YAML_SEQUENCE_START_EVENT: open(YamlNode::Kind::kList, event.data.sequence_start.anchor, at); break;
      case YAML_MAPPING_START_EVENT: open(YamlNode::Kind::kMap, event.data.mapping_start.anchor, at); break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: open_.pop_back(); break;
      case YAML_ALIAS_EVENT: alias(std::string(wordOf(event.data.alias.anchor)), at); break;
      default: break;
    }
  }

 private:
  YamlNode& add(YamlNode::Kind kind, const yaml_char_t* anchor, Position at) {
    YamlNode& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.position = at;
    put(node);
    if (anchor) anchors_[std::string(wordOf(anchor))] = &node;
    return node;
  }
  void put(const YamlNode& node) {
    if (open_.empty()) tree_.root = &node;
    else open_.back()->children.push_back(&node);
  }
  void open(YamlNode::Kind kind, const yaml_char_t* anchor, Position at) {
    if (open_.size() == kMostLevels)
      throw LoadError(tree_.path, at, "values nested too deeply", fmt::format("at most {} levels", kMostLevels));
    open_.push_back(&add(kind, anchor, at));
  }
  template <typename Scalar>
  void scalar(const Scalar& source, Position at) {
    YamlNode& node = add(YamlNode::Kind::kScalar, source.anchor, at);
    const std::string_view tag = wordOf(source.tag);
    node.text.assign(reinterpret_cast<const char*>(source.value), source.length);
    node.quoted = tag == "!" || (tag.empty() && source.style != YAML_PLAIN_SCALAR_STYLE);
    node.tagged = !tag.empty() && tag != "!";
    if (!node.quoted && !node.tagged && meansNothing(node.text)) node.kind = YamlNode::Kind::kEmpty;
  }
  void alias(const std::string& name, Position at) {
    const auto found = anchors_.find(name);
    const bool within = found != anchors_.end() && std::find(open_.begin(), open_.end(), found->second) != open_.end();
    if (found == anchors_.end() || within)
      throw LoadError(tree_.path, at, fmt::format("the alias *{} of {}", name, within ? "what holds it" : "nothing"),
                      "an alias of a value before it");
    put(*found->second);
  }

  YamlTree& tree_;
  std::vector<YamlNode*> open_;  // Lists and maps that have not ended.
  std::map<std::string, YamlNode*> anchors_;
  int documents_ = 0;
};

}  // namespace

std::shared_ptr<const YamlTree> parseYaml(const std::string& text, const std::string& path) {
  requireText(text, path);
  auto tree = std::make_shared<YamlTree>();
  tree->path = path;
  Events events(text, path);
  TreeBuilder builder(*tree);
  for (const yaml_event_t* event; (event = &events.next())->type != YAML_STREAM_END_EVENT;) builder.take(*event);
  if (!tree->root || tree->root->kind == YamlNode::Kind::kEmpty)
    throw LoadError(path, {}, "the file is empty", "a map of fields");
  return tree;
}

std::string flowText(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kEmpty) return "~";
  if (node.kind == YamlNode::Kind::kScalar) {
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_'; };
    const bool number = !node.text.empty() && (node.text[0] == '-' || node.text[0] == '+') && node.text.size() > 1;
    if (!node.quoted && std::all_of(node.text.begin() + (number ? 1 : 0), node.text.end(), [&](char c) {
          return plain(c) || c == '-' || c == '+';
        }) && (number || plain(node.text[0])))
      return node.text;
    std::string quoted = "\"";
    for (const char c : node.text) {
      if (c == '"' || c == '\\') quoted += '\\';
      if (static_cast<unsigned char>(c) < 0x20) quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
      else quoted += c;
    }
    return quoted + '"';
  }
  const bool map = node.kind == YamlNode::Kind::kMap;
  std::string text(1, map ? '{' : '[');
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) text += map && i % 2 == 1 ? ": " : ", ";
    text += flowText(*node.children[i]);
  }
  return text + (map ? '}' : ']');
}

}  // namespace rigor::scenes
