// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/load_error.h"

class TiXmlElement;

namespace rigor::scenes {

/// Where an XML file comes from.
struct XmlSource {
  std::string path;
  int number = 0;  ///< Of a model of several files; places have it.
};

/// An element of an XML file that knows its place. Valid as long as its document. Readers of numbers throw LoadError at
/// the attribute for text that is no finite number of magnitude at most 1e100, or one so close to zero that no double
/// holds it; numbers may stand in white space and be separated by commas as well.
class XmlElement {
 public:
  XmlElement(const TiXmlElement* element, const XmlSource* source) : element_(element), source_(source) {}

  std::string name() const;
  Position position() const;
  const std::string& path() const { return source_->path; }
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const;

  /// The first child of that name.
  std::optional<XmlElement> child(std::string_view name) const;
  /// Children in the order of the file; of any name for an empty one.
  std::vector<XmlElement> children(std::string_view name = {}) const;
  std::string content() const;  ///< Text inside, without white space around it.

  bool has(std::string_view attribute) const { return text(attribute).has_value(); }
  std::optional<std::string> text(std::string_view attribute) const;  ///< Without white space around it.
  std::string textOr(std::string_view attribute, const std::string& otherwise) const;
  std::vector<std::string> attributes() const;  ///< Their names.
  /// Attributes that are empty count as missing.
  std::optional<double> number(std::string_view attribute) const;
  double numberOr(std::string_view attribute, double otherwise) const;
  /// As number(), but `inf`, `-Infinity` and numbers beyond 1e100 are infinite.
  std::optional<double> numberOrInfinity(std::string_view attribute) const;
  double contentOrInfinity() const;  ///< Likewise, of the text inside.
  std::optional<std::vector<double>> numbers(std::string_view attribute) const;
  /// Exactly three.
  std::optional<Eigen::Vector3d> vector3(std::string_view attribute) const;
  Eigen::Vector3d vector3Or(std::string_view attribute, const Eigen::Vector3d& otherwise) const;
  /// Numbers of the text inside the element; `count` of them unless -1.
  std::vector<double> contentNumbers(int count) const;
  /// fail() at an attribute: `ELEMENT ATTRIBUTE is VALUE`.
  [[noreturn]] void refuse(std::string_view attribute, const std::string& allowed) const;

 private:
  Position attributePosition(std::string_view attribute) const;
  std::vector<double> parse(const std::string& text, Position at, const std::string& what) const;
  const TiXmlElement* element_;
  const XmlSource* source_;
};

/// An XML file, read once.
class XmlDocument {
 public:
  /// In any encoding that asUtf8() knows. @throws LoadError at the place of the first error: no XML, an attribute
  /// twice, elements nested deeper than 1,000, nothing but comments, more than one root.
  XmlDocument(std::string path, const std::string& bytes, int number = 0);
  ~XmlDocument();
  XmlDocument(XmlDocument&&) noexcept;
  XmlElement root() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::scenes
