// SPDX-License-Identifier: MIT
#include "scenes/xml.h"

#include <fmt/format.h>
#include <tinyxml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "scenes/document.h"
#include "scenes/text_encoding.h"

namespace rigor::scenes {
namespace {

constexpr int kDeepest = 1000;     // Of nested elements: chains of many bodies nest them.
constexpr size_t kShown = 60;      // Characters of a value in a message.
constexpr size_t kMostNumbers = 1u << 24;  // Of one attribute.

bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string trimmed(const std::string& text) {
  size_t first = 0, last = text.size();
  while (first < last && isSpace(text[first])) ++first;
  while (last > first && isSpace(text[last - 1])) --last;
  return text.substr(first, last - first);
}

/// TinyXML descends by recursion, and a file of nothing but opening tags ends the stack.
void refuseDepth(const std::string& path, const std::string& text) {
  int depth = 0;
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with("<!--")) at = std::min(text.find("-->", at), text.size());
    if (rest.starts_with("<!") || rest.starts_with("<?")) continue;
    const size_t end = rest.find('>');
    if (rest.starts_with("</")) --depth;
    else if (end != std::string_view::npos && rest[end - 1] != '/') ++depth;
    if (depth > kDeepest)
      throw LoadError(path, {}, fmt::format("elements nested more than {} deep", kDeepest), "a file in XML");
  }
}

/// Of a number that no double holds: whether it is too large, rather than too close to zero.
bool isHuge(std::string_view number) {
  long magnitude = 0, exponent = 0;  // Decimal places before the point, leading zeros after it off.
  bool after_point = false, leads = true;
  const size_t end = std::min(number.find_first_of("eE"), number.size());
  for (const char c : number.substr(0, end)) {
    if (c == '.') after_point = true;
    if (!std::isdigit(static_cast<unsigned char>(c))) continue;
    leads = leads && c == '0';
    if (leads && after_point) --magnitude;
    if (!leads && !after_point) ++magnitude;
  }
  if (end == number.size()) return magnitude > 0;
  const char* written = number.data() + end + 1;
  const bool down = *written == '-';
  written += *written == '+';
  const auto parsed = std::from_chars(written, number.data() + number.size(), exponent);
  if (parsed.ec == std::errc::result_out_of_range) return !down;
  return magnitude + exponent > 0;
}

/// The infinity that `inf`, `-Infinity` or a number beyond 1e100 is; else 0.
double infinityOf(const std::string& text) {
  const char *first = text.data() + text.starts_with('+'), *end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(first, end, value);
  const bool overflows = error == std::errc::result_out_of_range && isHuge(text);
  if (stop != end || !(overflows || (error == std::errc() && std::abs(value) > kLargestNumber))) return 0;
  return text.starts_with('-') ? -INFINITY : INFINITY;
}

const TiXmlAttribute* findAttribute(const TiXmlElement& element, std::string_view name) {
  for (const TiXmlAttribute* a = element.FirstAttribute(); a; a = a->Next())
    if (name == a->Name()) return a;
  return nullptr;
}

}  // namespace

std::string XmlElement::name() const { return element_->Value(); }

Position XmlElement::position() const {
  return {std::max(element_->Row(), 1), std::max(element_->Column(), 1), source_->number};
}

void XmlElement::fail(const std::string& found, const std::string& allowed) const {
  throw LoadError(source_->path, position(), found, allowed);
}

std::optional<XmlElement> XmlElement::child(std::string_view name) const {
  for (const TiXmlElement* e = element_->FirstChildElement(); e; e = e->NextSiblingElement())
    if (name == e->Value()) return XmlElement(e, source_);
  return {};
}

std::vector<XmlElement> XmlElement::children(std::string_view name) const {
  std::vector<XmlElement> all;
  for (const TiXmlElement* e = element_->FirstChildElement(); e; e = e->NextSiblingElement())
    if (name.empty() || name == e->Value()) all.emplace_back(e, source_);
  return all;
}

std::string XmlElement::content() const {
  std::string all;
  for (const TiXmlNode* n = element_->FirstChild(); n; n = n->NextSibling())
    if (const TiXmlText* text = n->ToText()) all += (all.empty() ? "" : " ") + std::string(text->Value());
  return trimmed(all);
}

std::optional<std::string> XmlElement::text(std::string_view attribute) const {
  const TiXmlAttribute* found = findAttribute(*element_, attribute);
  if (!found) return {};
  return trimmed(found->Value());
}

std::string XmlElement::textOr(std::string_view attribute, const std::string& otherwise) const {
  return text(attribute).value_or(otherwise);
}

std::vector<std::string> XmlElement::attributes() const {
  std::vector<std::string> names;
  for (const TiXmlAttribute* a = element_->FirstAttribute(); a; a = a->Next()) names.emplace_back(a->Name());
  return names;
}

Position XmlElement::attributePosition(std::string_view attribute) const {
  const TiXmlAttribute* found = findAttribute(*element_, attribute);
  return found && found->Row() > 0 ? Position{found->Row(), std::max(found->Column(), 1), source_->number} : position();
}

std::vector<double> XmlElement::parse(const std::string& text, Position at, const std::string& what) const {
  std::vector<double> numbers;
  const char *c = text.data(), *end = c + text.size();
  const auto refuse = [&](const std::string& allowed) {
    const std::string_view word(c, std::find_if(c, end, isSpace));
    const bool whole = text.size() <= kShown || word.size() == text.size();
    throw LoadError(source_->path, at,
                    whole ? fmt::format("{} is {}", what, text.substr(0, kShown))
                          : fmt::format("{}: number {} is {}", what, numbers.size() + 1, word.substr(0, kShown)),
                    allowed);
  };
  while (c != end) {
    if (isSpace(*c) || (*c == ',' && !numbers.empty())) {
      ++c;
      continue;
    }
    const bool plus = *c == '+' && c + 1 != end && c[1] != '-' && c[1] != '+';
    double value = 0;
    const auto [stop, error] = std::from_chars(c + plus, end, value);
    if (error == std::errc::invalid_argument && text.find("${") != std::string::npos)
      refuse("a number; this is an expression of xacro, which has to be expanded first (`xacro FILE > robot.urdf`)");
    // from_chars leaves the value alone where no double holds it.
    if (error == std::errc::result_out_of_range && !isHuge({c, stop}))
      refuse("numbers that are 0 or not as close to it, at least 5e-324");
    if (error != std::errc() || !(std::abs(value) <= kLargestNumber))  // NaN -> refused
      refuse("finite numbers of magnitude at most 1e100");
    if (stop != end && !isSpace(*stop) && *stop != ',') refuse("finite numbers of magnitude at most 1e100");
    if (numbers.size() == kMostNumbers) refuse("fewer numbers");
    numbers.push_back(value), c = stop;
  }
  return numbers;
}

std::optional<std::vector<double>> XmlElement::numbers(std::string_view attribute) const {
  const auto raw = text(attribute);
  if (!raw || raw->empty()) return {};
  return parse(*raw, attributePosition(attribute), fmt::format("{} {}", name(), attribute));
}

std::optional<double> XmlElement::number(std::string_view attribute) const {
  const auto raw = text(attribute);
  if (!raw || raw->empty()) return {};
  // A comma may separate numbers; in one number it is somebody's decimal sign, or thousands: not ours to say.
  if (raw->find(',') != std::string::npos) refuse(attribute, "a number whose decimal sign is a point");
  const std::vector<double> all = *numbers(attribute);
  if (all.size() != 1) refuse(attribute, "one number");
  return all[0];
}

std::optional<double> XmlElement::numberOrInfinity(std::string_view attribute) const {
  const double infinite = infinityOf(text(attribute).value_or(""));
  return infinite != 0 ? infinite : number(attribute);
}

double XmlElement::contentOrInfinity() const {
  const double infinite = infinityOf(content());
  return infinite != 0 ? infinite : contentNumbers(1)[0];
}

double XmlElement::numberOr(std::string_view attribute, double otherwise) const {
  return number(attribute).value_or(otherwise);
}

std::optional<Eigen::Vector3d> XmlElement::vector3(std::string_view attribute) const {
  const auto all = numbers(attribute);
  if (!all) return {};
  if (all->size() != 3) refuse(attribute, "three numbers");
  return Eigen::Vector3d((*all)[0], (*all)[1], (*all)[2]);
}

Eigen::Vector3d XmlElement::vector3Or(std::string_view attribute, const Eigen::Vector3d& otherwise) const {
  return vector3(attribute).value_or(otherwise);
}

std::vector<double> XmlElement::contentNumbers(int count) const {
  const std::vector<double> all = parse(content(), position(), name());
  if (count >= 0 && static_cast<int>(all.size()) != count)
    fail(fmt::format("{} is {}", name(), content().substr(0, kShown)),
         count == 1 ? "one number" : fmt::format("{} numbers", count));
  return all;
}

void XmlElement::refuse(std::string_view attribute, const std::string& allowed) const {
  throw LoadError(source_->path, attributePosition(attribute),
                  fmt::format("{} {} is {}", name(), attribute, textOr(attribute, "missing").substr(0, kShown)),
                  allowed);
}

struct XmlDocument::Impl {
  XmlSource source;
  TiXmlDocument document;
};

XmlDocument::XmlDocument(std::string path, const std::string& bytes, int number) : impl_(std::make_unique<Impl>()) {
  impl_->source = {std::move(path), number};
  const std::string text = asUtf8(bytes);
  refuseDepth(impl_->source.path, text);
  TiXmlDocument& document = impl_->document;
  document.Parse(text.c_str(), nullptr, TIXML_ENCODING_UTF8);
  const Position at{std::max(document.ErrorRow(), 1), std::max(document.ErrorCol(), 1)};
  if (document.Error())
    throw LoadError(impl_->source.path, at, std::string("no XML: ") + document.ErrorDesc(), "a file in XML");
  if (!document.RootElement()) throw LoadError(impl_->source.path, {}, "no XML element", "a file in XML");
  if (const TiXmlElement* second = document.RootElement()->NextSiblingElement())
    XmlElement(second, &impl_->source).fail(fmt::format("a second root element, <{}>", second->Value()), "one");
}

XmlDocument::~XmlDocument() = default;
XmlDocument::XmlDocument(XmlDocument&&) noexcept = default;

XmlElement XmlDocument::root() const { return {impl_->document.RootElement(), &impl_->source}; }

}  // namespace rigor::scenes
