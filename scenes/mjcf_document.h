// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenes/files.h"
#include "scenes/xml.h"

namespace rigor::scenes {

/// An element with the defaults of its class behind it: an attribute is that of the first element that has it.
class MjcfAttributes {
 public:
  explicit MjcfAttributes(std::vector<XmlElement> chain) : chain_(std::move(chain)) {}
  const XmlElement& own() const { return chain_.front(); }
  /// The element that states an attribute; null if none does.
  const XmlElement* stating(std::string_view attribute) const;
  std::optional<std::string> text(std::string_view attribute) const;
  std::optional<double> number(std::string_view attribute) const;
  double numberOr(std::string_view attribute, double otherwise) const { return number(attribute).value_or(otherwise); }
  std::optional<std::vector<double>> numbers(std::string_view attribute) const;
  std::optional<Eigen::Vector3d> vector3(std::string_view attribute) const;

 private:
  std::vector<XmlElement> chain_;
};

/// An MJCF file with all that it includes, and its default classes.
class MjcfDocument {
 public:
  /// @param included  Paths of the files that it includes, in the order of their numbers; it grows as they are read.
  /// @throws LoadError for bad XML, a root that is not <mujoco>, a file that is included twice, a class that is not
  /// there.
  MjcfDocument(const std::string& path, Files files, std::vector<std::string>& included);

  const std::string& path() const { return path_; }
  const XmlElement& root() const { return *root_; }
  /// The children of an element, those of included files in place of the <include>.
  std::vector<XmlElement> children(const XmlElement& element);
  /// All children of sections of that name, in the order of the file.
  std::vector<XmlElement> section(std::string_view name);
  /// The last of the section elements such as <compiler> that states an attribute.
  std::optional<XmlElement> optionElement(std::string_view section, std::string_view attribute);
  /// That attribute.
  std::optional<std::string> option(std::string_view section, std::string_view attribute);
  /// @param childclass  Class of the bodies around, empty for none; the element's own `class` comes first.
  MjcfAttributes attributes(const XmlElement& element, const std::string& childclass) const;

 private:
  void readDefaults(const XmlElement& element, const std::string& parent);
  void include(const XmlElement& element, std::vector<XmlElement>& into);

  struct Class {
    std::string parent;
    std::map<std::string, std::vector<XmlElement>> elements;  ///< By name; the last one states first.
  };
  std::string path_;
  Files files_;
  std::vector<std::string>& paths_;
  std::deque<XmlDocument> documents_;  // Never moved: elements point into them.
  std::map<std::string, size_t> included_;  // Index of the document by path.
  std::set<std::string> including_;
  std::optional<XmlElement> root_;
  std::map<std::string, Class> classes_;
};

}  // namespace rigor::scenes
