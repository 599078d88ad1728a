// SPDX-License-Identifier: MIT
// Proved: the checker's own reader of plain YAML takes nothing that yaml-cpp reads in another way. Oracle: yaml-cpp, on the
// bundled scenes, on texts written for the purpose, and on both with characters and lines changed at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "verify/yaml_tree.h"

namespace rigor::verify {
namespace {

std::string show(const YamlTree& tree) {
  switch (tree.kind()) {
    case YamlTree::Kind::kAbsent:
      return "absent";
    case YamlTree::Kind::kNull:
      return "null";
    case YamlTree::Kind::kScalar:
      return "'" + tree.text() + "'";
    default:
      return tree.kind() == YamlTree::Kind::kList ? "a list" : "a map";
  }
}

// Plain YAML must be read as yaml-cpp reads it; returns whether it was plain.
bool agree(const std::string& text) {
  YamlTree plain;
  if (!YamlTree::parsePlain(text, plain)) return false;
  try {
    const YamlTree any = YamlTree::parseAny(text);
    EXPECT_TRUE(plain == any) << text << "\n" << show(plain) << ", yaml-cpp: " << show(any);
  } catch (const YamlError& error) {
    ADD_FAILURE() << text << "\nyaml-cpp: " << error.what();
  }
  return true;
}

std::vector<std::string> bundledScenes() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(RIGOR_SOURCE_DIR) + "/scenes"))
    if (entry.path().extension() == ".yaml") {
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      texts.push_back(text.str());
    }
  std::sort(texts.begin(), texts.end());
  return texts;
}

const std::vector<std::string> kPlain = {
    "a: 1\nb: -2.5e-3 # comment\nc:\nd: null\ne: Null\n",
    "a:\n- x\n- y\nb: z",
    "a:\n  - x\n  - b: 1\n    c: [1, 2,\n 3]   # comment\n  - {d: 1, e: {f: [], g: {}}}\nh: text with words, and (signs)\n",
    "a:\n  b:\n    c: 'x: #y'\n    d: \"z # {}\"\n  e: [a b, -1, .5, +1]\n",
    "{\"a\":1, \"b\":[{\"c\":-1e-9}, true],\n \"d\": {\"e\":\"\"}}\n",
    "{}",
    "- a\n- b: 1\n-  c: 2\n   d: 3\n",
    "\n# comment\n\na: 1\n\n  # another\nb: [ # third\n  1,\n  # fourth\n  2]\n",
};
const std::vector<std::string> kNotPlain = {
    "", "a", "[1, 2]", "--- \na: 1\n", "%YAML 1.2\n---\na: 1\n", "a: 1\n...\n", "a: &x 1\nb: *x\n", "a: !!str 1\n",
    "a: |\n  text\n", "a: >\n  text\n", "a: one\n  two\n", "a: 'one\n  two'\n", "a: 'it''s'\n", "a: \"\\n\"\n", "a: 1\na: 2\n",
    "a:\n  - 1\n  b: 2\n", "a:\n  b: 1\n c: 2\n", "a: 1\n  b: 2\n", "? a\n: b\n", "a: b: c\n", "a:b\n", "a:\t1\n", "a: 1\r\n",
    "a: \xc3\xa9\n", "<<: {a: 1}\n", "null: 1\n", "a: [1, 2,]\n", "a: [1\n", "a: {b}\n", "a: {b: 1 c: 2}\n", "a: - 1\n", "- - 1\n",
    "a: 1#2\n", "a: [1 #c\n, 2]\n", "a: @b\n", "a: `b\n", "a: [b?c]\n",
};

TEST(YamlTree, PlainTextsAreReadAsYamlCppReadsThem) {
  for (const std::string& text : kPlain) EXPECT_TRUE(agree(text)) << text;
}

TEST(YamlTree, AllElseIsLeftToYamlCpp) {
  for (const std::string& text : kNotPlain) EXPECT_FALSE(agree(text)) << text;
}

TEST(YamlTree, BundledScenesAreReadAsYamlCppReadsThem) {
  const std::vector<std::string> texts = bundledScenes();
  ASSERT_GT(texts.size(), 30u);
  EXPECT_GE(std::count_if(texts.begin(), texts.end(), agree), static_cast<long>(0.8 * texts.size()));
}

TEST(YamlTree, ChangedTextsAreReadAsYamlCppReadsThem) {
  std::vector<std::string> texts = kPlain;
  texts.insert(texts.end(), kNotPlain.begin(), kNotPlain.end());
  for (std::string& scene : bundledScenes()) texts.push_back(scene.substr(0, scene.find('\n', std::min<std::size_t>(scene.size(), 400))));
  const std::string signs = " \n\n:::-,[]{}#'\"~!&*|>?%@`0a.<\t";
  std::mt19937_64 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  int plain = 0;
  for (int k = 0; k < 60000; ++k) {
    std::string text = texts[below(texts.size())];
    for (std::size_t change = 0; change <= k % 4u; ++change) {
      const std::size_t at = below(text.size() + 1), size = 1 + below(3);
      switch (random() % 4) {
        case 0:
          text.insert(at, 1, signs[below(signs.size())]);
          break;
        case 1:
          if (at < text.size()) text[at] = signs[below(signs.size())];
          break;
        case 2:
          text.erase(at, size);
          break;
        default:
          text.insert(at, text.substr(below(text.size()), 5 * size));
      }
    }
    plain += agree(text);
    if (HasFailure()) return;
  }
  EXPECT_GT(plain, 3000);
}

TEST(YamlTree, ScalarsAreConvertedAsYamlCppDoes) {
  const YamlTree tree = YamlTree::parse("{a: [1, -2.5e-3, +1, .inf, 1e999, x, 0.1, 1.], b: [true, false, yes, x], c: [8, -1]}");
  const YamlTree &a = tree["a"], &b = tree["b"], &c = tree["c"];
  EXPECT_EQ(a[0].number(), 1);
  EXPECT_EQ(a[1].number(), -2.5e-3);
  EXPECT_EQ(a[2].number(), 1);
  EXPECT_EQ(a[3].number(), INFINITY);
  EXPECT_THROW((void)a[4].number(), YamlError);
  EXPECT_THROW((void)a[5].number(), YamlError);
  EXPECT_EQ(a[6].number(), 0.1);
  EXPECT_EQ(a[7].number(), 1);
  EXPECT_TRUE(b[0].boolean());
  EXPECT_FALSE(b[1].boolean());
  EXPECT_TRUE(b[2].boolean());
  EXPECT_THROW((void)b[3].boolean(), YamlError);
  EXPECT_EQ(c[0].count(), 8u);
  EXPECT_THROW((void)c[1].count(), YamlError);
  EXPECT_THROW((void)c[2].count(), YamlError);
  EXPECT_THROW((void)tree[0], YamlError);
  EXPECT_THROW((void)a["x"], YamlError);
  EXPECT_FALSE(tree["d"]["e"]);
}

TEST(YamlTree, TextsThatStandForMoreThanMemoryHoldsAreRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k ? ", *a" : "*a") + std::to_string(i - 1);
    text += "]\n";
  }
  EXPECT_THROW((void)YamlTree::parse(text), YamlError);
  EXPECT_THROW((void)YamlTree::parse("a: &a [*a]\n"), YamlError);
}

}  // namespace
}  // namespace rigor::verify
