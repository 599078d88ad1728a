// SPDX-License-Identifier: MIT
// Proves: of strings of bytes near JSON, records may hold those that nlohmann's parser takes, without members twice and
// without lists and objects within more than 64 others, and they mean the same. Oracle: that parser as a whole, and a
// count of members and depths beside it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "verify/record/strict_json.h"

namespace rigor::verify::recorded {
namespace {

using nlohmann::json;

/// What the text means, written again; empty where records may not hold it.
std::string meaningOf(const std::string& text) {
  std::vector<std::set<std::string>> open;
  bool allowed = true;
  const auto look = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      open.emplace_back();
      allowed = allowed && open.size() <= 64;
    } else if (event == json::parse_event_t::object_end || event == json::parse_event_t::array_end) {
      open.pop_back();
    } else if (event == json::parse_event_t::key) {
      allowed = open.back().insert(parsed.get<std::string>()).second && allowed;
    }
    return true;
  };
  try {
    const json whole = json::parse(text, look);
    return allowed ? whole.dump() : "";
  } catch (const json::exception&) {
    return {};
  }
}

std::string read(const std::string& text) {
  try {
    return parseStrictJson(text).dump();
  } catch (const std::invalid_argument&) {
    return {};
  }
}

std::string nested(int lists) { return std::string(lists, '[') + "1" + std::string(lists, ']'); }

const std::vector<std::string> kTexts = {
    R"([{"pair":[0,0,1,2],"point":[0.125,-3.0517578125e-05,1e-7],"normal":[0,0,1.0],"mu":"no-slip","e":0.5,)"
    R"("impulse":[1.7976931348623157e308,5e-324,-0.0],"tangent":[1,-0,0]}])",
    R"({ "part_a" : 3 , "made":-12, "touching":18446744073709551615,"b":[true,false,null,[],{}, ""] })",
    R"(["\u00e9\ud83d\ude00\n\\\"\/", "é😀", 9223372036854775808, -9223372036854775809, 1E+2, 12e-3])",
    "\xef\xbb\xbf{\"a\":1}",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1e1",
    "01",
    "-",
    "1.",
    ".5",
    "+1",
    "1e",
    "--1",
    "-01",
    "0x1",
    "nan",
    "Infinity",
    "\"\x7f\"",
    "\"\x1f\"",
    "\"\\u12\"",
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\xc0\x80\"",
    "\"",
    "tru",
    "nul",
    "falsee",
    "",
    " ",
    "[1,]",
    "{,}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":{\"a\":1},\"b\":{\"a\":2}}",
    "[1 2]",
    "[1][2]",
    "// one\n1",
    "\t\r\n 7 \t\r\n",
    std::string("7\0", 2),
    std::string("7\0 8", 4),
    std::string("[1\0]", 4),
    std::string("\0", 1),
    "\v1",
    nested(64),
    nested(65),
    "[" + nested(63) + "]"};

TEST(StrictJson, IsWhatTheParserTakesWithoutMembersTwice) {
  for (const std::string& text : kTexts) EXPECT_EQ(read(text), meaningOf(text)) << text;
  EXPECT_EQ(read("-0"), "0");
  EXPECT_EQ(read("-0.0"), "-0.0");
  EXPECT_EQ(read("[1.0,1]"), "[1.0,1]");
  EXPECT_THROW(parseStrictJson("{\"a\":1,\"a\":1}"), std::invalid_argument);
  EXPECT_THROW(parseStrictJson(nested(65)), std::invalid_argument);
}

TEST(StrictJson, IsSoAfterRandomChanges) {
  std::mt19937_64 random(20);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string bytes = std::string("{}[]:,\"\\0123456789-+.eEtrufalsn \t\n/\x01\x7f\x80\xc3\xa9\xff") + '\0';
  int taken = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text = kTexts[below(kTexts.size())];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size() + 1);
      const char byte = bytes[below(bytes.size())];
      switch (below(4)) {
        case 0: text.insert(at, 1, byte); break;
        case 1: text.erase(at, 1 + below(3)); break;
        case 2: text.insert(at, text.substr(below(text.size() + 1), below(12))); break;
        default:
          if (at < text.size()) text[at] = byte;
      }
    }
    const std::string meaning = meaningOf(text);
    ASSERT_EQ(read(text), meaning) << text;
    taken += !meaning.empty();
  }
  EXPECT_GT(taken, 3000);  // Both kinds are among them.
  EXPECT_LT(taken, 57000);
}

// Every double is read as the one that was written.
TEST(StrictJson, ReadsDoublesToTheBit) {
  std::mt19937_64 random(21);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t bits = random();
    const double number = std::bit_cast<double>(bits);
    if (!std::isfinite(number)) continue;
    const json read = parseStrictJson("[" + json(number).dump() + "]");
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read.at(0).get<double>()), bits) << json(number).dump();
  }
}

}  // namespace
}  // namespace rigor::verify::recorded
