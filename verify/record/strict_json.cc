// SPDX-License-Identifier: MIT
#include "verify/record/strict_json.h"

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace rigor::verify::recorded {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 64;

/// Builds the value from what the parser comes upon, and looks at members on the way.
class Builder {
 public:
  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return add(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value) != nullptr; }
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) { return false; }  // Text has none.
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    const auto [member, fresh] = open_.back()->get_ref<Json::object_t&>().try_emplace(name);
    if (!fresh) wrong_ = "two members '" + name + "'";
    member_ = &member->second;
    return fresh;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) { return false; }

  Json take(bool parsed) {
    if (!parsed) throw std::invalid_argument(wrong_.empty() ? "no JSON" : wrong_);
    return std::move(root_);
  }

 private:
  template <typename Value>
  Json* add(Value&& value) {
    if (open_.empty()) return &(root_ = std::forward<Value>(value));
    if (!open_.back()->is_array()) return &(*member_ = std::forward<Value>(value));
    return &open_.back()->get_ref<Json::array_t&>().emplace_back(std::forward<Value>(value));
  }
  bool open(Json empty) {
    open_.push_back(add(std::move(empty)));
    if (open_.size() > kDeepest) wrong_ = "nested too deeply";
    return wrong_.empty();
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  Json root_;
  std::vector<Json*> open_;  // Lists and objects that have not ended; they stay where they are until they have.
  Json* member_ = nullptr;   // Of the innermost object.
  std::string wrong_;
};

/// Reads JSON as records mostly hold it, of ASCII without escapes, in two fifths of the parser's time. Of all else, and
/// of what is wrong, it only says that it is not this: then the parser is asked.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool read(Json& root) {
    if (!value(root, 0)) return false;
    skipSpace();
    return at_ == end_;
  }

 private:
  void skipSpace() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool take(char wanted) {
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  bool takeNext(char wanted) {
    skipSpace();
    return take(wanted);
  }

  // @param within  How many lists and objects.
  bool value(Json& out, std::size_t within) {
    skipSpace();
    if (at_ == end_) return false;
    const auto nested = [&] { return within < kDeepest; };
    switch (*at_) {
      case '{': return nested() && object(out = Json::object(), within + 1);
      case '[': return nested() && list(out = Json::array(), within + 1);
      case '"': {
        std::string_view text;
        if (!string(text)) return false;
        out = std::string(text);
        return true;
      }
      case 't': return literal("true", out, true);
      case 'f': return literal("false", out, false);
      case 'n': return literal("null", out, nullptr);
      default: return number(out);
    }
  }

  template <typename Value>
  bool literal(std::string_view name, Json& out, Value value) {
    if (!std::string_view(at_, end_).starts_with(name)) return false;
    at_ += name.size();
    out = value;
    return true;
  }

  bool object(Json& out, std::size_t within) {
    ++at_;
    auto& members = out.get_ref<Json::object_t&>();
    if (takeNext('}')) return true;
    do {
      std::string_view name;
      skipSpace();
      if (!string(name)) return false;
      const auto [member, fresh] = members.try_emplace(std::string(name));
      if (!fresh || !takeNext(':') || !value(member->second, within)) return false;
    } while (takeNext(','));
    return take('}');
  }

  bool list(Json& out, std::size_t within) {
    ++at_;
    auto& entries = out.get_ref<Json::array_t&>();
    if (takeNext(']')) return true;
    entries.reserve(4);  // Mostly three or four numbers.
    do {
      if (!value(entries.emplace_back(), within)) return false;
    } while (takeNext(','));
    return take(']');
  }

  bool string(std::string_view& out) {
    if (!take('"')) return false;
    const char* const begin = at_;
    while (at_ != end_ && *at_ != '"') {
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte < 0x20 || byte >= 0x80 || byte == '\\') return false;
      ++at_;
    }
    out = {begin, at_};
    return take('"');
  }

  bool digits() {
    const char* const begin = at_;
    while (at_ != end_ && '0' <= *at_ && *at_ <= '9') ++at_;
    return at_ != begin;
  }

  bool number(Json& out) {
    const char* const begin = at_;
    const bool negative = take('-');
    if (!take('0') && !digits()) return false;
    bool whole = true;
    if (take('.')) {
      whole = false;
      if (!digits()) return false;
    }
    if (take('e') || take('E')) {
      whole = false;
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    if (!whole) return convert<double>(begin, out);
    return negative ? convert<Json::number_integer_t>(begin, out) : convert<Json::number_unsigned_t>(begin, out);
  }

  // What does not fit is left to the parser.
  template <typename Number>
  bool convert(const char* begin, Json& out) const {
    Number number;
    const auto [last, error] = std::from_chars(begin, at_, number);
    if (error != std::errc() || last != at_) return false;
    out = number;
    return true;
  }

  const char* at_;
  const char* const end_;
};

}  // namespace

Json parseStrictJson(const std::string& text) {
  if (Json plain; PlainReader(text).read(plain)) return plain;
  Builder builder;
  const bool parsed = Json::sax_parse(text, &builder);
  return builder.take(parsed);
}

}  // namespace rigor::verify::recorded
