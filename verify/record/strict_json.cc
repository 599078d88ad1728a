// SPDX-License-Identifier: MIT
#include "verify/record/strict_json.h"

#include <stdexcept>
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

}  // namespace

Json parseStrictJson(const std::string& text) {
  Builder builder;
  const bool parsed = Json::sax_parse(text, &builder);
  return builder.take(parsed);
}

}  // namespace rigor::verify::recorded
