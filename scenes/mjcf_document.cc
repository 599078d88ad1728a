// SPDX-License-Identifier: MIT
#include "scenes/mjcf_document.h"

#include <filesystem>

#include "scenes/document.h"

namespace rigor::scenes {
namespace {

constexpr int kMostIncludes = 1000;  // Of one file, all together.
const std::string kMain = "main";

/// What a default class calls an element: all actuators have one set of defaults, whichever states it.
std::string defaultsOf(const std::string& name) {
  static const std::set<std::string> kActuators = {"general", "motor", "position", "velocity", "intvelocity",
                                                   "damper", "cylinder", "muscle", "adhesion"};
  return kActuators.contains(name) ? "general" : name;
}

}  // namespace

const XmlElement* MjcfAttributes::stating(std::string_view attribute) const {
  for (const XmlElement& element : chain_)
    if (element.has(attribute)) return &element;
  return nullptr;
}

std::optional<std::string> MjcfAttributes::text(std::string_view attribute) const {
  const XmlElement* element = stating(attribute);
  return element ? element->text(attribute) : std::nullopt;
}
std::optional<double> MjcfAttributes::number(std::string_view attribute) const {
  const XmlElement* element = stating(attribute);
  return element ? element->number(attribute) : std::nullopt;
}
std::optional<std::vector<double>> MjcfAttributes::numbers(std::string_view attribute) const {
  const XmlElement* element = stating(attribute);
  return element ? element->numbers(attribute) : std::nullopt;
}
std::optional<Eigen::Vector3d> MjcfAttributes::vector3(std::string_view attribute) const {
  const XmlElement* element = stating(attribute);
  return element ? element->vector3(attribute) : std::nullopt;
}

MjcfDocument::MjcfDocument(const std::string& path, Files files, std::vector<std::string>& included)
    : path_(path), files_(std::move(files)), paths_(included) {
  documents_.emplace_back(path, files_.read(path, "an MJCF file"));
  root_ = documents_.back().root();
  if (root_->name() != "mujoco") root_->fail("no <mujoco> element but <" + root_->name() + ">", "an MJCF file");
  for (const XmlElement& element : children(*root_))
    if (element.name() == "default") readDefaults(element, "");
}

void MjcfDocument::include(const XmlElement& element, std::vector<XmlElement>& into) {
  const auto name = element.text("file");
  if (!name || name->empty()) element.fail("an <include> without a file", "file=\"NAME\", relative to the main file");
  const std::string path = (std::filesystem::path(path_).parent_path() / *name).lexically_normal().string();
  auto found = included_.find(path);
  if (found == included_.end()) {
    if (static_cast<int>(documents_.size()) > kMostIncludes)
      element.fail("too many files are included", "at most 1000");
    try {
      documents_.emplace_back(path, files_.read(path, "an MJCF file"), static_cast<int>(documents_.size()));
      paths_.push_back(path);
    } catch (const LoadError& error) {
      element.fail(std::string("include: ") + error.what(), "a file that can be read");
    }
    found = included_.emplace(path, documents_.size() - 1).first;
  }
  if (!including_.insert(path).second) element.fail("a file that includes itself, " + *name, "files that end");
  const std::vector<XmlElement> inside = children(documents_[found->second].root());
  including_.erase(path);
  into.insert(into.end(), inside.begin(), inside.end());
}

std::vector<XmlElement> MjcfDocument::children(const XmlElement& element) {
  std::vector<XmlElement> all;
  for (const XmlElement& child : element.children()) {
    if (child.name() == "include") include(child, all);
    else all.push_back(child);
  }
  return all;
}

std::vector<XmlElement> MjcfDocument::section(std::string_view name) {
  std::vector<XmlElement> all;
  for (const XmlElement& element : children(*root_)) {
    if (element.name() != name) continue;
    const std::vector<XmlElement> inside = children(element);
    all.insert(all.end(), inside.begin(), inside.end());
  }
  return all;
}

std::optional<XmlElement> MjcfDocument::optionElement(std::string_view section, std::string_view attribute) {
  std::optional<XmlElement> last;
  for (const XmlElement& element : children(*root_))
    if (element.name() == section && element.has(attribute)) last = element;
  return last;
}

std::optional<std::string> MjcfDocument::option(std::string_view section, std::string_view attribute) {
  const auto element = optionElement(section, attribute);
  return element ? element->text(attribute) : std::nullopt;
}

void MjcfDocument::readDefaults(const XmlElement& element, const std::string& parent) {
  std::string name = element.textOr("class", parent.empty() ? kMain : "");
  if (name.empty()) element.fail("a default class without a name", "class=\"NAME\"");
  Class& own = classes_[name];
  if (name != parent) own.parent = parent;
  for (const XmlElement& child : children(element)) {
    if (child.name() == "default") continue;
    auto& list = own.elements[defaultsOf(child.name())];
    list.insert(list.begin(), child);
  }
  for (const XmlElement& child : children(element))
    if (child.name() == "default") readDefaults(child, name);
}

MjcfAttributes MjcfDocument::attributes(const XmlElement& element, const std::string& childclass) const {
  std::vector<XmlElement> chain{element};
  std::string name = element.textOr("class", childclass.empty() ? kMain : childclass);
  if (element.has("class") && !classes_.contains(name)) element.refuse("class", "a default class of this file");
  std::set<std::string> seen;
  while (!name.empty() && seen.insert(name).second) {
    const auto found = classes_.find(name);
    if (found == classes_.end()) break;
    if (const auto own = found->second.elements.find(defaultsOf(element.name())); own != found->second.elements.end())
      chain.insert(chain.end(), own->second.begin(), own->second.end());
    name = found->second.parent;
  }
  return MjcfAttributes(std::move(chain));
}

}  // namespace rigor::scenes
