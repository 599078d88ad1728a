// SPDX-License-Identifier: MIT
#include "cli/distance_command.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "geom/named_separation.h"
#include "geom/polytope.h"
#include "geom/pose.h"
#include "geom/second_opinion.h"

namespace rigor::cli {
namespace {

using Eigen::Vector3d;

constexpr double kLargest = 1e100;  ///< Limit of every number in input files (docs/distance.md).

struct LineError {
  size_t column;  ///< From 1.
  std::string message;
};

[[noreturn]] void reject(size_t position, std::string message) { throw LineError{position + 1, std::move(message)}; }

/// Takes no values: the parser's syntax check alone, with the place of the first error.
struct SyntaxCheck : nlohmann::json_sax<nlohmann::json> {
  size_t position = 0;
  std::string token, message;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string& last_token, const nlohmann::json::exception& error) override {
    position = at > 0 ? at - 1 : 0;
    token = last_token;
    message = error.what();
    return false;
  }
};

void checkSyntax(const std::string& line) {
  SyntaxCheck check;
  if (nlohmann::json::sax_parse(line, &check)) return;
  std::string found = check.message;
  if (found.find("out_of_range") != std::string::npos)
    reject(check.position, fmt::format("the number {} is too large; allowed: magnitudes up to 1e100", check.token));
  // "[json.exception.parse_error.101] parse error at line 1, column 7: syntax error ...": the place is ours to say.
  if (const auto end = found.find(": "); end != std::string::npos) found.erase(0, end + 2);
  reject(check.position, fmt::format("not JSON: {}; allowed: one JSON object a line", found));
}

/// Walks one line of JSON whose syntax is known to be good, and knows where it is.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  /// Position of the next value or punctuation.
  size_t position() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      ++at_;
    return at_;
  }
  char peek() {
    position();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  /// The text of the next value, which is skipped.
  std::string_view value() {
    const size_t start = position();
    int depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skipString();
      } else if (c == '[' || c == '{') {
        ++depth;
        ++at_;
      } else if (c == ']' || c == '}') {
        --depth;
        ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(",:]} \t\r\n", at_), text_.size());
      }
    } while (depth > 0);
    return text_.substr(start, at_ - start);
  }
  std::string string() {
    const size_t start = position();
    skipString();
    return nlohmann::json::parse(text_.substr(start, at_ - start)).get<std::string>();
  }
  /// Calls field(name, position) at every value of an object; `field` must read the value.
  template <class F>
  void object(std::string_view what, F&& field) {
    if (peek() != '{') reject(position(), fmt::format("{} is {}; allowed: an object", what, describe()));
    ++at_;
    if (take('}')) return;
    do {
      const size_t key = position();
      const std::string name = string();
      take(':');
      field(name, key);
    } while (take(','));
    take('}');
  }
  template <class F>
  void array(std::string_view what, std::string_view allowed, F&& element) {
    if (peek() != '[') reject(position(), fmt::format("{} is {}; allowed: {}", what, describe(), allowed));
    ++at_;
    if (take(']')) return;
    do element();
    while (take(','));
    take(']');
  }
  double number(std::string_view what) {
    const size_t start = position();
    const char c = peek();
    if (c != '-' && (c < '0' || c > '9')) reject(start, fmt::format("{} is {}; allowed: a number", what, describe()));
    const std::string_view token = value();
    double result = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), result);
    if (error == std::errc::result_out_of_range && std::abs(result) < 1) result = 0;  // Underflow: nearest is 0.
    // Written so that what is not a number is refused.
    if (!(std::abs(result) <= kLargest))
      reject(start, fmt::format("{} is {}; allowed: magnitudes up to 1e100", what, token));
    return result;
  }

 private:
  void skipString() {
    for (++at_; text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }
  std::string describe() {
    switch (peek()) {
      case '{': return "an object";
      case '[': return "an array";
      case '"': return "a string";
      case 't': case 'f': return "a boolean";
      case 'n': return "null";
      default: return "a number";
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

struct Pair {
  std::string_view id;
  geom::PlacedPoints a, b;
};

void readBody(Cursor& cursor, const std::string& name, geom::PlacedPoints& body) {
  const size_t start = cursor.position();
  bool has_vertices = false, has_pose = false;
  cursor.object(fmt::format("\"{}\"", name), [&](const std::string& field, size_t key) {
    if (field == "vertices" && !has_vertices) {
      has_vertices = true;
      const std::string what = name + ".vertices";
      const size_t at = cursor.position();
      cursor.array(what, "an array of [x, y, z]", [&] {
        const std::string vertex = fmt::format("{}[{}]", what, body.vertices.size());
        const size_t vertex_at = cursor.position();
        Vector3d v = Vector3d::Zero();
        int count = 0;
        cursor.array(vertex, "[x, y, z]", [&] {
          const double x = cursor.number(fmt::format("{}[{}]", vertex, count));
          if (count < 3) v[count] = x;
          ++count;
        });
        if (count != 3) reject(vertex_at, fmt::format("{} has {} numbers; allowed: 3", vertex, count));
        body.vertices.push_back(v);
      });
      if (body.vertices.empty()) reject(at, what + " is empty; allowed: one vertex or more");
    } else if (field == "pose" && !has_pose) {
      has_pose = true;
      const std::string what = name + ".pose";
      const size_t at = cursor.position();
      double pose[7] = {};
      int count = 0;
      cursor.array(what, "[qw, qx, qy, qz, px, py, pz]", [&] {
        const double x = cursor.number(fmt::format("{}[{}]", what, count));
        if (count < 7) pose[count] = x;
        ++count;
      });
      if (count != 7)
        reject(at, fmt::format("{} has {} numbers; allowed: 7, [qw, qx, qy, qz, px, py, pz]", what, count));
      body.pose.q = {pose[0], pose[1], pose[2], pose[3]};
      body.pose.p = {pose[4], pose[5], pose[6]};
      if (body.pose.q.isZero(0))
        reject(at, what + " has a quaternion of length zero; allowed: any other length");
    } else if (field == "vertices" || field == "pose") {
      reject(key, fmt::format("\"{}\" has \"{}\" twice; allowed: once", name, field));
    } else {
      reject(key, fmt::format("\"{}\" has an unknown field \"{}\"; allowed: vertices, pose", name, field));
    }
  });
  if (!has_vertices) reject(start, fmt::format("\"{}\" has no \"vertices\"; allowed: vertices and pose", name));
  if (!has_pose) reject(start, fmt::format("\"{}\" has no \"pose\"; allowed: vertices and pose", name));
}

Pair readPair(const std::string& line) {
  checkSyntax(line);
  Pair pair;
  bool has_id = false, has_a = false, has_b = false;
  Cursor cursor(line);
  const size_t start = cursor.position();
  cursor.object("the line", [&](const std::string& field, size_t key) {
    bool* seen = field == "id" ? &has_id : field == "a" ? &has_a : field == "b" ? &has_b : nullptr;
    if (!seen) reject(key, fmt::format("unknown field \"{}\"; allowed: id, a, b", field));
    if (*seen) reject(key, fmt::format("\"{}\" is given twice; allowed: once", field));
    *seen = true;
    if (field == "id") pair.id = cursor.value();
    else readBody(cursor, field, field == "a" ? pair.a : pair.b);
  });
  for (const auto& [seen, field] : {std::pair{has_id, "id"}, std::pair{has_a, "a"}, std::pair{has_b, "b"}})
    if (!seen) reject(start, fmt::format("the line has no \"{}\"; allowed: id, a and b", field));
  return pair;
}

/// Shortest text that reads back as the same double, and reads as a real number: 1 is "1.0".
std::string shortest(double x) {
  std::string text = fmt::format("{}", x + 0.0);  // + 0.0: no "-0.0".
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}
std::string shortest(const Vector3d& v) {
  return fmt::format("[{},{},{}]", shortest(v[0]), shortest(v[1]), shortest(v[2]));
}

std::string toJson(const geom::NamedFeature& feature) {
  return fmt::format(R"({{"kind":"{}","vertices":[{}]}})", geom::featureKindName(feature.kind),
                     fmt::join(feature.vertices, ","));
}
std::string toText(const geom::NamedFeature& feature) {
  return fmt::format("{} {}", geom::featureKindName(feature.kind), fmt::join(feature.vertices, "-"));
}

std::string answerJson(const Pair& pair, const geom::NamedSeparation& answer) {
  const geom::Separation& s = answer.separation;
  return fmt::format(
      R"({{"id":{},"distance":{},"point_a":{},"point_b":{},"normal":{},"feature_a":{},"feature_b":{})", pair.id,
      shortest(s.distance), shortest(s.point_a), shortest(s.point_b), shortest(s.normal), toJson(answer.feature_a),
      toJson(answer.feature_b));
}
std::string answerText(const Pair& pair, const geom::NamedSeparation& answer) {
  return fmt::format("{:<16} {:>24}  {:<20} {:<20} {}", pair.id, shortest(answer.separation.distance),
                     toText(answer.feature_a), toText(answer.feature_b), shortest(answer.separation.normal));
}

/// What libccd says, as the end of an answer. A distance that it does not find is null, and disagrees with nothing.
std::string opinionText(const geom::SecondOpinion& opinion, bool agrees, bool json) {
  const bool found = std::isfinite(opinion.distance);
  const std::string distance = found ? shortest(opinion.distance) : json ? "null" : "none";
  if (!json) return fmt::format("  libccd {}{}", distance, found && !agrees ? " DIFFERS" : "");
  return fmt::format(R"(,"second_opinion":{{"distance":{},"tolerance":{},"agrees":{}}})", distance,
                     shortest(opinion.tolerance), !found ? "null" : agrees ? "true" : "false");
}

}  // namespace

int distanceCommand(std::istream& pairs, const std::string& name, std::ostream& out, std::ostream& err, bool json,
                    bool second_opinion) {
  constexpr int kBadInput = 3, kDisagree = 4;
  if (!json)
    out << fmt::format("{:<16} {:>24}  {:<20} {:<20} normal\n", "id", "distance [m]", "feature of a", "feature of b");
  std::string line;
  int status = 0;
  for (size_t number = 1; std::getline(pairs, line); ++number) {
    if (line.find_first_not_of(" \t\r\v\f") == std::string::npos) continue;
    try {
      Pair pair = readPair(line);
      const geom::NamedSeparation answer = geom::namedSeparation(pair.a, pair.b);
      out << (json ? answerJson(pair, answer) : answerText(pair, answer));
      if (second_opinion) {
        const geom::SecondOpinion opinion = geom::secondOpinion(pair.a, pair.b);
        const bool agrees = opinion.agreesWith(answer.separation.distance);
        out << opinionText(opinion, agrees, json);
        if (std::isfinite(opinion.distance) && !agrees) {
          err << fmt::format("{}:{}:1: the distance is {}, and libccd finds {}; allowed: a difference of {}\n", name,
                             number, shortest(answer.separation.distance), shortest(opinion.distance),
                             shortest(opinion.tolerance));
          if (status == 0) status = kDisagree;
        }
      }
      if (json) out << '}';
      out << '\n';
    } catch (const LineError& error) {
      err << fmt::format("{}:{}:{}: {}\n", name, number, error.column, error.message);
      status = kBadInput;
    } catch (const geom::GeometryError& error) {
      err << fmt::format("{}:{}:1: {}; allowed: finite sets of points\n", name, number, error.what());
      status = kBadInput;
    }
  }
  return status;
}

}  // namespace rigor::cli
