// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "scenes/load_error.h"

namespace rigor::scenes {

/// A value of a YAML (or JSON) text, as it stands there.
struct YamlNode {
  enum class Kind { kEmpty, kScalar, kList, kMap };
  Kind kind = Kind::kEmpty;  ///< kEmpty: nothing, ~ or null.
  bool quoted = false;       ///< A scalar in quotes, or marked as text by a tag "!".
  bool tagged = false;       ///< A scalar with a tag that says what it is.
  std::string text;          ///< Of a scalar.
  Position position;
  std::vector<const YamlNode*> children;  ///< Of a list; of a map keys and values in turn.
};

/// All values of a text. What an alias stands for is there once.
struct YamlTree {
  std::string path;  ///< For messages.
  std::deque<YamlNode> nodes;
  const YamlNode* root = nullptr;
};

/// @throws LoadError for text that is empty, binary, not UTF-8, not YAML, nested by more than 500 levels, or more than
/// one document.
std::shared_ptr<const YamlTree> parseYaml(const std::string& text, const std::string& path);

/// The value as YAML in one line.
std::string flowText(const YamlNode& node);

}  // namespace rigor::scenes
