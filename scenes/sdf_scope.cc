// SPDX-License-Identifier: MIT
#include "scenes/sdf_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>

#include "scenes/document.h"
#include "scenes/mjcf_geom.h"
#include "scenes/shape_reader.h"

namespace rigor::scenes {
namespace {

constexpr int kMostModels = 1000;  // Of one robot, all together.
constexpr int kNewest = 12;        // 1.12 of the format.
const std::string kModelFrame = "__model__", kWorldFrame = "world", kSeparator = "::";

std::optional<bool> flag(const XmlElement& parent, const char* name) {
  const auto child = parent.child(name);
  if (!child) return {};
  return child->content() == "true" || child->content() == "1";
}

std::string textIn(const XmlElement& parent, const char* name) {
  const auto child = parent.child(name);
  return child ? child->content() : "";
}

int minorVersionOf(const XmlElement& sdf) {
  const std::string text = sdf.textOr("version", "");
  const size_t point = text.find('.');
  return point == std::string::npos ? kNewest : std::atoi(text.c_str() + point + 1);
}

/// The frame that a pose is written in; an old name of it counts, too.
std::string baseOf(const std::optional<XmlElement>& pose) {
  return pose ? pose->textOr("relative_to", pose->textOr("frame", "")) : "";
}

std::string nameIn(const XmlElement& joint, const char* role) {
  const std::string name = textIn(joint, role);
  if (name.empty())
    joint.fail(fmt::format("joint {}: no <{}>", joint.textOr("name", ""), role), "a parent and a child link");
  return name;
}

/// Worlds of Gazebo include these two of its library, which is seldom at hand.
constexpr const char* kGroundPlane =
    "<sdf version=\"1.6\"><model name=\"ground_plane\"><static>true</static><link name=\"link\"><collision "
    "name=\"collision\"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model></sdf>";

/// The last part of a model's URI, as in `model://ground_plane` and `https://.../models/Ground Plane`.
std::string nameInGazebo(const std::string& uri) {
  if (uri.find("://") == std::string::npos) return {};
  std::string name = uri.substr(uri.find_last_of('/') + 1);
  if (const size_t coded = name.find("%20"); coded != std::string::npos) name.replace(coded, 3, " ");
  for (char& c : name) c = c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return name;
}

}  // namespace

geom::Pose sdfPose(const XmlElement& pose) {
  if (pose.content().empty()) return {};
  if (pose.textOr("rotation_format", "") == "quat_xyzw") {
    const std::vector<double> n = pose.contentNumbers(7);
    const Eigen::Vector4d q(n[6], n[3], n[4], n[5]);
    if (!std::isnormal(q.squaredNorm())) pose.fail("a quaternion of length zero", "any other length");
    return {q.normalized(), {n[0], n[1], n[2]}};
  }
  const std::vector<double> n = pose.contentNumbers(6);
  const double unit = pose.textOr("degrees", "false") == "true" ? EIGEN_PI / 180 : 1;
  return {rollPitchYaw(unit * Eigen::Vector3d(n[3], n[4], n[5])), {n[0], n[1], n[2]}};
}

/// All files that a robot is made of.
struct SdfScope::Library {
  Files files;
  std::deque<XmlDocument> documents;  // Never moved: elements point into them.
  std::vector<std::string> opening;   // Files that include the one at hand.
  std::vector<std::string>* included = nullptr;
  int models = 0;

  XmlElement open(const std::string& path) { return open(path, files.read(path, "an SDF file")); }

  XmlElement open(const std::string& path, const std::string& text) {
    if (documents.empty()) documents.emplace_back(path, text);
    else included->push_back(path), documents.emplace_back(path, text, static_cast<int>(included->size()));
    const XmlElement root = documents.back().root();
    if (root.name() != "sdf") root.fail(fmt::format("no <sdf> element but <{}>", root.name()), "an SDF file");
    return root;
  }

  /// The file that an <include> of `from` names; empty if there is none.
  std::string find(const std::string& from, const std::string& uri) {
    const auto existing = [&](const std::string& name) {
      const std::string path = files.find(from, name);
      return files.contains(path) ? path : std::string();
    };
    if (const std::string config = existing(uri + "/model.config"); !config.empty()) {
      documents.emplace_back(config, files.read(config, "a model's description"));
      std::string newest;
      int version = -1;
      for (const XmlElement& sdf : documents.back().root().children("sdf"))
        if (const int own = minorVersionOf(sdf); own > version) version = own, newest = sdf.content();
      if (!newest.empty()) return existing(uri + '/' + newest);
    }
    if (const std::string model = existing(uri + "/model.sdf"); !model.empty()) return model;
    return existing(uri);
  }
};

SdfScope::SdfScope(const XmlElement& element, const Source& source)
    : element_(element), path_(source.path), name_(element.textOr("name", "")), minor_version_(source.minor_version) {}
SdfScope::~SdfScope() = default;

std::unique_ptr<SdfScope> SdfScope::read(const std::string& path, const Files& files,
                                         std::vector<std::string>& included) {
  auto library = std::make_unique<Library>();
  library->files = files, library->included = &included;
  library->opening.push_back(path);
  const XmlElement root = library->open(path);
  const std::vector<XmlElement> worlds = root.children("world"), models = root.children("model");
  if (worlds.size() + models.size() > 1)
    (worlds.size() > 1 ? worlds[1] : models.back()).fail("a second <model> or <world>", "an SDF file of one of them");
  if (worlds.empty() && models.empty()) root.fail("no <model> in this file", "an SDF file of one model");
  // The world around, stated or not.
  const Source source{path, minorVersionOf(root)};
  std::unique_ptr<SdfScope> world(new SdfScope(worlds.empty() ? root : worlds[0], source));
  if (worlds.empty()) world->addNested(models[0], source, nullptr, *library);
  else world->list(*library);
  if (world->nested_.empty()) world->element_.fail("no <model> in this file", "an SDF file of one model");
  if (world->nested_.size() == 1) world->nested_[0]->setPrefixes("");
  else for (const auto& model : world->nested_) model->setPrefixes(model->merged_ ? "" : model->name_ + kSeparator);
  world->library_ = std::move(library);
  return world;
}

void SdfScope::setPrefixes(const std::string& above) {
  prefix_ = above;
  for (const auto& model : nested_) model->setPrefixes(model->merged_ ? above : above + model->name_ + kSeparator);
}

void SdfScope::list(Library& library) {
  const auto own_flag = flag(element_, "static"), included_flag = include_ ? flag(*include_, "static") : std::nullopt;
  if (own_flag || included_flag) static_ = included_flag.value_or(own_flag.value_or(false));
  for (const XmlElement& child : element_.children()) {
    const std::string kind = child.name();
    if (kind == "include") include(child, library);
    if (kind == "model") {
      if (child.textOr("name", "").empty()) child.fail("a model without a name", "a name of its own");
      addNested(child, {path_, minor_version_}, nullptr, library);
    }
    if (kind != "link" && kind != "joint" && kind != "frame") continue;
    const std::string name = child.textOr("name", "");
    if (name.empty()) child.fail("a " + kind + " without a name", "a name of its own");
    if (!frames_.emplace(name, child).second)
      child.fail(fmt::format("a second {} {}", kind, name), "a name of its own for every link, joint and frame");
  }
}

void SdfScope::addNested(const XmlElement& model, const Source& source, const XmlElement* include, Library& library) {
  if (++library.models > kMostModels) model.fail(fmt::format("more than {} models", kMostModels), "fewer");
  nested_.emplace_back(new SdfScope(model, source));
  SdfScope& own = *nested_.back();
  own.around_ = this, own.static_ = static_;
  if (include) own.include_ = *include, own.merged_ = include->textOr("merge", "false") == "true";
  if (const std::string given = include ? textIn(*include, "name") : ""; !given.empty()) own.name_ = given;
  if (own.name_.empty()) own.name_ = "model";
  for (const auto& other : nested_)
    if (other.get() != &own && other->name_ == own.name_)
      model.fail(fmt::format("a second model {}", own.name_), "a name of its own for every model");
  own.list(library);
}

void SdfScope::include(const XmlElement& element, Library& library) {
  const std::string uri = textIn(element, "uri");
  if (uri.empty()) element.fail("an <include> without <uri>", "the model's folder or file");
  const std::string path = library.find(path_, uri), gazebos = path.empty() ? nameInGazebo(uri) : "";
  if (gazebos == "sun") return;  // A light.
  if (gazebos == "ground_plane") {
    const XmlElement root = library.open(uri, kGroundPlane);
    addNested(*root.child("model"), {uri, minorVersionOf(root)}, &element, library);
    nested_.back()->stands_in_ = true;
    return;
  }
  if (path.empty())
    element.fail(fmt::format("include: {} is not there", uri), "a folder with model.sdf, or an SDF file");
  if (std::find(library.opening.begin(), library.opening.end(), path) != library.opening.end())
    element.fail(fmt::format("include: {} includes itself", uri), "files that end");
  const XmlElement root = library.open(path);
  const std::vector<XmlElement> models = root.children("model");
  if (models.empty() && (root.child("light") || root.child("actor"))) return;
  if (models.size() != 1) root.fail(fmt::format("{} models in an included file", models.size()), "one");
  library.opening.push_back(path);
  addNested(models[0], {path, minorVersionOf(root)}, &element, library);
  library.opening.pop_back();
}

const SdfScope* SdfScope::nestedOf(const std::string& name, std::string& rest) const {
  const size_t colons = name.find(kSeparator);
  const std::string head = name.substr(0, colons);
  for (const auto& model : nested_) {
    if (model->name_ == head) {
      rest = colons == std::string::npos ? kModelFrame : name.substr(colons + kSeparator.size());
      return model.get();
    }
    if (model->merged_ && (model->frames_.contains(name) || model->nestedOf(name, rest))) {
      rest = name;
      return model.get();
    }
  }
  return nullptr;
}

geom::Pose SdfScope::place() {
  const bool has_own = include_ && include_->child("pose");
  const XmlElement& stated = has_own ? *include_ : element_;
  const auto pose = stated.child("pose");
  const std::string placed = has_own ? textIn(*include_, "placement_frame") : element_.textOr("placement_frame", "");
  const geom::Pose X_BP = pose ? sdfPose(*pose) : geom::Pose(), X_AB = around_->poseHere(baseOf(pose), stated);
  const geom::Pose X_AP = composed(X_AB, X_BP);
  return placed.empty() ? X_AP : composed(X_AP, inverted(poseHere(placed, stated)));
}

geom::Pose SdfScope::pose(const std::string& frame, const XmlElement& at) {
  if (!around_ || frame == kWorldFrame) return poseHere(frame, at);
  return composed(around_->pose(kModelFrame, at), composed(place(), poseHere(frame, at)));
}

/// X_MF of a frame of the model.
geom::Pose SdfScope::poseHere(const std::string& frame, const XmlElement& at) {
  if (frame.empty() || frame == kModelFrame || frame == kWorldFrame) return {};
  if (const auto known = poses_.find(frame); known != poses_.end()) return known->second;
  const auto found = frames_.find(frame);
  std::string rest;
  auto* const inner = found == frames_.end() ? const_cast<SdfScope*>(nestedOf(frame, rest)) : nullptr;
  if (found == frames_.end() && !inner)
    at.fail(fmt::format("no frame is called {}", frame), "a link, joint or frame of this model");
  if (!resolving_.insert(frame).second)
    at.fail(fmt::format("frame {} stands on itself", frame), "frames that end at the model");
  geom::Pose X;
  if (inner) {
    X = composed(inner->place(), inner->poseHere(rest, at));
  } else {
    const XmlElement& element = found->second;
    const auto pose = element.child("pose");
    // Without relative_to: links and frames stand on the model (or what they are attached to), joints on their child.
    std::string base = baseOf(pose);
    if (base.empty() && element.name() == "joint") base = nameIn(element, "child");
    if (base.empty() && element.name() == "frame") base = element.textOr("attached_to", "");
    X = composed(poseHere(base, element), pose ? sdfPose(*pose) : geom::Pose());
  }
  resolving_.erase(frame);
  return poses_[frame] = X;
}

std::string SdfScope::link(const std::string& name, const XmlElement& at) const {
  std::string asked = name;
  if (asked == kWorldFrame) return {};
  for (int k = 0; k < kMostModels; ++k) {  // Frames stand for what they are attached to.
    if (asked.empty() || asked == kModelFrame) {
      if (!around_) return {};
      const std::string canonical = element_.textOr("canonical_link", "");
      const auto first = element_.child("link");
      if (canonical.empty() && !first) {
        if (nested_.empty()) break;
        return nested_[0]->link(kModelFrame, at);
      }
      asked = canonical.empty() ? first->textOr("name", "") : canonical;
    }
    const auto frame = frames_.find(asked);
    if (frame == frames_.end()) {
      std::string rest;
      const SdfScope* const inner = nestedOf(asked, rest);
      if (!inner) break;
      return inner->link(rest, at);
    }
    if (frame->second.name() == "link") return prefix_ + asked;
    asked = frame->second.name() == "frame" ? frame->second.textOr("attached_to", "") : nameIn(frame->second, "child");
  }
  at.fail(fmt::format("joint {}: no link is called {}", at.textOr("name", ""), name), "a link of this model");
}

}  // namespace rigor::scenes
