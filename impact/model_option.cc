// SPDX-License-Identifier: MIT
#include "impact/model_option.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "impact/problem/field_error.h"

namespace rigor::impact {
namespace {

std::string numberText(double value) {
  constexpr double kPlain = 1e15;  // Whole numbers below it are written with all their digits.
  if (value == std::floor(value) && std::abs(value) < kPlain) return std::to_string(static_cast<long>(value));
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : std::string("a number");
}

bool parseNumber(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool parseWhole(std::string_view text, long& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool isWithin(const ModelOption& option, double value) {
  const bool least = option.above_least ? value > option.least : value >= option.least;
  const bool most = option.below_most ? value < option.most : value <= option.most;
  return std::isfinite(value) && least && most;
}

bool isOrder(std::vector<double> order, int contacts) {
  std::sort(order.begin(), order.end());
  if (static_cast<int>(order.size()) != contacts) return false;
  for (int i = 0; i < contacts; ++i) {
    if (order[static_cast<size_t>(i)] != i) return false;
  }
  return true;
}

std::string rangeText(const ModelOption& option, const std::string& noun) {
  std::string text = noun;
  const bool least = std::isfinite(option.least), most = std::isfinite(option.most);
  if (least && most && !option.above_least && !option.below_most) {
    text += " from " + numberText(option.least) + " to " + numberText(option.most);
  } else {
    if (least) text += (option.above_least ? " > " : " >= ") + numberText(option.least);
    if (most)
      text += (least ? " and " : " ") + std::string(option.below_most ? "< " : "at most ") + numberText(option.most);
  }
  return option.unit.empty() ? text : text + " [" + option.unit + "]";
}

[[noreturn]] void refuseOption(const ModelOption& option, const std::string& found, int contacts) {
  throw FieldError(option.name, option.name + " is " + found + "; " + option.allowed(contacts));
}

}  // namespace

std::string ModelOption::allowed(int contacts) const {
  switch (kind) {
    case Kind::kTruth: return "true or false";
    case Kind::kWhole: return rangeText(*this, multiple == 2 ? "an even number" : "a whole number");
    case Kind::kNumber: return rangeText(*this, "a number");
    case Kind::kWord: {
      std::string text;
      for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
      return "one of " + text;
    }
    case Kind::kNumberOfEach:
      return "a list of " + std::to_string(contacts) + ", one for each contact, each " + rangeText(*this, "a number");
    case Kind::kOrder: return "every contact from 0 to " + std::to_string(contacts - 1) + " once";
  }
  return {};
}

bool ModelOption::allows(const OptionValue& value, int contacts) const {
  switch (kind) {
    case Kind::kTruth: return std::holds_alternative<bool>(value);
    case Kind::kWhole: {
      const long* const whole = std::get_if<long>(&value);
      return whole && isWithin(*this, static_cast<double>(*whole)) && *whole % multiple == 0;
    }
    case Kind::kNumber: {
      const double* const number = std::get_if<double>(&value);
      return number && isWithin(*this, *number);
    }
    case Kind::kWord: {
      const std::string* const word = std::get_if<std::string>(&value);
      return word && std::find(words.begin(), words.end(), *word) != words.end();
    }
    case Kind::kNumberOfEach: {
      const auto* const list = std::get_if<std::vector<double>>(&value);
      return list && static_cast<int>(list->size()) == contacts &&
             std::all_of(list->begin(), list->end(), [&](double x) { return isWithin(*this, x); });
    }
    case Kind::kOrder: {
      const auto* const list = std::get_if<std::vector<double>>(&value);
      return list && isOrder(*list, contacts);
    }
  }
  return false;
}

OptionValue optionValue(const ModelOption& option, const ImpactOptions& options) {
  if (option.read) return option.read(options);
  const auto found = options.own.find(option.name);
  return found == options.own.end() ? option.standard : found->second;
}

void setOption(const ModelOption& option, const OptionValue& value, int contacts, ImpactOptions& options) {
  if (!option.allows(value, contacts)) refuseOption(option, optionText(value), contacts);
  if (option.write) option.write(options, value);
  else options.own.insert_or_assign(option.name, value);
}

OptionValue parseOption(const ModelOption& option, std::string_view text, int contacts) {
  const auto checked = [&](OptionValue value) {
    if (!option.allows(value, contacts)) refuseOption(option, std::string(text), contacts);
    return value;
  };
  double number = 0;
  long whole = 0;
  switch (option.kind) {
    case ModelOption::Kind::kTruth:
      if (text == "true" || text == "false") return text == "true";
      break;
    case ModelOption::Kind::kWhole:
      if (parseWhole(text, whole)) return checked(whole);
      break;
    case ModelOption::Kind::kNumber:
      if (parseNumber(text, number)) return checked(number);
      break;
    case ModelOption::Kind::kWord: return checked(std::string(text));
    case ModelOption::Kind::kNumberOfEach:
    case ModelOption::Kind::kOrder: {
      std::vector<double> list;
      for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        if (!parseNumber(text.substr(at, end - at), number)) refuseOption(option, std::string(text), contacts);
        list.push_back(number);
        at = end + 1;
      }
      return checked(std::move(list));
    }
  }
  refuseOption(option, std::string(text), contacts);
}

std::string optionText(const OptionValue& value) {
  struct Text {
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(long whole) const { return std::to_string(whole); }
    std::string operator()(double number) const { return numberText(number); }
    std::string operator()(const std::string& word) const { return word; }
    std::string operator()(const std::vector<double>& list) const {
      std::string text;
      for (double number : list) text.append(text.empty() ? "" : ",").append(numberText(number));
      return text;
    }
  };
  return std::visit(Text{}, value);
}

}  // namespace rigor::impact
