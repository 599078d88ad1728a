// SPDX-License-Identifier: MIT
#include "scenes/urdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "scenes/collision_shape.h"
#include "scenes/document.h"
#include "scenes/shape_reader.h"
#include "scenes/xacro.h"
#include "scenes/xml.h"

namespace rigor::scenes {
namespace {

using dynamics::JointType;

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

geom::Pose readOrigin(const XmlElement& parent) {
  geom::Pose pose;
  const auto origin = parent.child("origin");
  if (!origin) return pose;
  pose.p = origin->vector3Or("xyz", {0, 0, 0});
  if (const auto rpy = origin->vector3("rpy")) pose.q = rollPitchYaw(*rpy);
  return pose;
}

class UrdfReader {
 public:
  UrdfReader(const std::string& path, std::vector<std::string>& warnings, const Files& files, const Facets& facets) {
    file_.path = path, file_.warnings = &warnings, file_.files = files, file_.facets = facets;
  }

  FileModel read(const XmlElement& robot) {
    if (robot.name() != "robot") {
      const bool other = robot.name() == "mujoco" || robot.name() == "sdf";
      robot.fail(
          fmt::format("no <robot> element but <{}>", robot.name()),
          other ? fmt::format("a URDF file; this is read under the field `{}`", robot.name() == "sdf" ? "sdf" : "mjcf")
                : "a URDF file");
    }
    file_.name = robot.textOr("name", "robot");
    for (const XmlElement& link : robot.children("link")) readLink(link);
    if (file_.links.empty()) robot.fail("a robot without links", "at least one link");
    for (const XmlElement& joint : robot.children("joint")) readJoint(joint);
    for (FileJoint& joint : file_.joints) {
      if (!joint.leader.empty() && !joint_index_.contains(joint.leader))
        file_.fail(joint.at, fmt::format("joint {}: mimics joint {}, which is not there", joint.name, joint.leader),
                   "a joint of this file");
    }
    return std::move(file_);
  }

 private:
  std::string ownName(const XmlElement& element, const std::map<std::string, int>& others) const {
    const std::string kind = element.name(), name = element.textOr("name", "");
    if (name.empty()) element.fail("a " + kind + " without a name", "a name of its own");
    if (others.contains(name))
      element.fail(fmt::format("a second {} {}", kind, name), "a name of its own for every " + kind);
    return name;
  }

  void readLink(const XmlElement& element) {
    FileLink link;
    link.name = ownName(element, link_index_);
    link.at = element.position();
    link_index_[link.name] = static_cast<int>(file_.links.size());
    if (const auto inertial = element.child("inertial")) readInertial(*inertial, link);
    link.visible = element.child("visual").has_value();
    CollisionReader shapes(file_, meshes_, "link " + link.name);
    for (const XmlElement& collision : element.children("collision")) {
      const auto geometry = collision.child("geometry");
      if (!geometry || geometry->children().empty()) {
        file_.warn(collision.position(),
                   fmt::format("link {}: a collision without geometry; it is left out", link.name));
        continue;
      }
      readShape(geometry->children()[0], readOrigin(collision), link.name, shapes);
    }
    link.shapes = shapes.finish(element.position());
    file_.links.push_back(std::move(link));
  }

  void readInertial(const XmlElement& inertial, FileLink& link) {
    const auto mass = inertial.child("mass"), inertia = inertial.child("inertia");
    if (mass) link.mass = mass->numberOr("value", 0);
    if (!(link.mass >= 0))
      file_.fail(mass->position(), fmt::format("link {}: mass is {}", link.name, link.mass), "a mass >= 0");
    const geom::Pose X = readOrigin(inertial);
    link.centre = X.p;
    if (!mass)
      file_.warn(inertial.position(), fmt::format("link {}: <inertial> without <mass>; it weighs nothing", link.name));
    if (!inertia) {
      if (link.mass > 0)
        file_.warn(inertial.position(), fmt::format("link {}: <inertial> without <inertia>; a point mass", link.name));
      return;
    }
    std::string missing;
    const auto entry = [&](const char* name) {
      if (!inertia->number(name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
      return inertia->numberOr(name, 0);
    };
    const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz"), yy = entry("iyy"), yz = entry("iyz"),
                 zz = entry("izz");
    if (!missing.empty())
      file_.warn(inertia->position(), fmt::format("link {}: no {} in <inertia>; taken as 0", link.name, missing));
    Eigen::Matrix3d I;
    I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    link.inertia = X.rotation() * I * X.rotation().transpose();
  }

  void readShape(const XmlElement& shape, const geom::Pose& pose, const std::string& link, CollisionReader& shapes) {
    const std::string kind = shape.name();
    const auto positive = [&](const char* attribute) {
      const double value = shape.numberOr(attribute, 0);
      if (!(value > 0))
        file_.fail(shape.position(), fmt::format("link {}: collision {} {} is {}", link, kind, attribute, value),
                   "a number > 0 [m]");
      return value;
    };
    if (kind == "box") {
      const Eigen::Vector3d size = shape.vector3Or("size", {0, 0, 0});
      for (double edge : size)
        if (!(edge > 0))
          file_.fail(shape.position(), fmt::format("link {}: collision box size is {}", link, edge), "numbers > 0 [m]");
      shapes.addBox(size, pose, shape.position());
    } else if (kind == "sphere") {
      shapes.addSphere(positive("radius"), pose, shape.position());
    } else if (kind == "cylinder") {
      shapes.addCylinder(positive("radius"), positive("length"), pose, shape.position());
    } else if (kind == "capsule") {
      shapes.addCapsule(positive("radius"), positive("length"), pose, shape.position());
    } else if (kind == "mesh") {
      const auto name = shape.text("filename");
      if (!name || name->empty())
        file_.fail(shape.position(), fmt::format("link {}: a collision mesh without a filename", link),
                   "an OBJ, STL or Collada file");
      const auto factors = shape.numbers("scale");
      Eigen::Vector3d scale(1, 1, 1);
      if (factors && factors->size() == 1) scale.setConstant(factors->front());
      else if (factors) scale = *shape.vector3("scale");
      if ((scale.array() == 0).any()) shape.refuse("scale", "numbers that are not zero");
      shapes.addMesh(*name, scale, pose, shape.position());
    } else {
      file_.fail(shape.position(), fmt::format("link {}: an unknown collision shape, {}", link, kind),
                 "box, cylinder, sphere, capsule or mesh");
    }
  }

  int linkOf(const XmlElement& joint, const char* role) const {
    const auto element = joint.child(role);
    const std::string name = element ? element->textOr("link", "") : "", own = "joint " + joint.textOr("name", "");
    if (name.empty()) joint.fail(fmt::format("{}: no <{} link=\"...\"/>", own, role), "a parent and a child link");
    const auto found = link_index_.find(name);
    if (found == link_index_.end())
      joint.fail(fmt::format("{}: no link is called {}", own, name), "a link of this file");
    return found->second;
  }

  void readType(const XmlElement& element, FileJoint& joint, bool& bounded) const {
    const std::string type = lowered(element.textOr("type", ""));
    const std::map<std::string, JointType> types = {
        {"revolute", JointType::kRevolute},   {"continuous", JointType::kRevolute},
        {"prismatic", JointType::kPrismatic}, {"planar", JointType::kPlanar},
        {"fixed", JointType::kFixed},         {"floating", JointType::kFloating},
        {"spherical", JointType::kSpherical}, {"universal", JointType::kUniversal}};
    const auto found = types.find(type);
    if (found == types.end()) {
      element.fail(fmt::format("joint {}: unknown type {}", joint.name, type),
                   "revolute, continuous, prismatic, planar, universal, spherical, fixed or floating");
    }
    joint.type = found->second;
    bounded = type == "revolute" || type == "prismatic";
    if (joint.type != JointType::kUniversal) return;
    const auto axis = element.child("axis2");
    const auto xyz = axis ? axis->vector3("xyz") : std::nullopt;
    if (!xyz)
      element.fail("joint " + joint.name + ": no second axis",
                   "<axis2 xyz=\"X Y Z\"/>: a universal joint turns about two");
    joint.axis2 = *xyz;
    const auto limit = element.child("limit");
    bounded = limit && (limit->has("lower") || limit->has("upper"));
  }

  void readJoint(const XmlElement& element) {
    FileJoint joint;
    joint.name = ownName(element, joint_index_);
    joint.at = element.position();
    bool bounded = false;
    readType(element, joint, bounded);
    joint.parent = linkOf(element, "parent"), joint.child = linkOf(element, "child");
    joint.origin = readOrigin(element);
    if (const auto axis = element.child("axis")) joint.axis = axis->vector3Or("xyz", {1, 0, 0});
    readLimits(element, bounded, joint);
    readDynamics(element, joint);
    if (const auto mimic = element.child("mimic")) readMimic(*mimic, joint);
    joint_index_[joint.name] = static_cast<int>(file_.joints.size());
    file_.joints.push_back(std::move(joint));
  }

  void readLimits(const XmlElement& element, bool bounded, FileJoint& joint) {
    const auto limit = element.child("limit");
    const std::string who = "joint " + joint.name;
    const bool turns = joint.type == JointType::kRevolute;
    if (!limit) {
      if (bounded) file_.warn(joint.at, who + ": no <limit>; it is taken to have none");
      return;
    }
    const double lower = limit->numberOr("lower", 0), upper = limit->numberOr("upper", 0);
    const bool stated = limit->number("lower") || limit->number("upper");
    if (bounded && !stated) {
      file_.warn(limit->position(), who + ": <limit> with neither lower nor upper; it is taken to have none");
    } else if (bounded && lower > upper) {
      limit->fail(fmt::format("{}: lower limit {} above the upper one, {}", who, lower, upper),
                  "a lower limit below the upper one");
    } else if (bounded && lower == upper && turns && lower == 0) {
      // What exporters write for a joint whose limits nobody gave.
      file_.warn(limit->position(), who + ": limits 0 and 0; a joint that turns is taken to be continuous");
    } else if (bounded && lower == upper) {
      file_.warn(limit->position(),
                 fmt::format("{}: limits {} and {} leave no room; it is held fixed there", who, lower, upper));
      joint.hold(lower);
    } else if (bounded) {
      joint.lower = lower, joint.upper = upper;
    } else if (lower != 0 || upper != 0) {
      file_.warn(
          limit->position(),
          fmt::format("{}: limits {} and {} of a joint whose type has none; they are left out", who, lower, upper));
    }
    // The format requires both attributes; zero is commonly written for "not known", and so is -1.
    const auto most = [&](const char* attribute, double& value) {
      const double given = limit->numberOr(attribute, 0);
      if (given > 0) value = given;
      if (given < 0)
        file_.warn(limit->position(), fmt::format("{}: {} is {}; taken as no limit", who, attribute, given));
    };
    most("effort", joint.effort);
    most("velocity", joint.speed);
  }

  void readDynamics(const XmlElement& element, FileJoint& joint) {
    const auto dynamics = element.child("dynamics");
    if (!dynamics || joint.type == JointType::kFixed || joint.type == JointType::kFloating) return;
    const auto notNegative = [&](const char* attribute) {
      const double value = dynamics->numberOr(attribute, 0);
      if (!(value >= 0))
        dynamics->fail(fmt::format("joint {}: {} is {}", joint.name, attribute, value), "a number >= 0");
      return value;
    };
    joint.damping = notNegative("damping"), joint.friction = notNegative("friction"),
    joint.armature = notNegative("armature");
  }

  void readMimic(const XmlElement& mimic, FileJoint& joint) {
    joint.leader = mimic.textOr("joint", "");
    if (joint.leader.empty())
      mimic.fail(fmt::format("joint {}: mimic without a joint", joint.name), "the joint that it follows");
    joint.ratio = mimic.numberOr("multiplier", 1), joint.offset = mimic.numberOr("offset", 0);
    if (joint.type != JointType::kFixed) return;
    file_.warn(mimic.position(), fmt::format("joint {}: does not move; its mimic is left out", joint.name));
    joint.leader.clear();
  }

  FileModel file_;
  CollisionReader::MeshCache meshes_;
  std::map<std::string, int> link_index_, joint_index_;
};

}  // namespace

FileModel parseUrdf(const std::string& text, const std::string& path, std::vector<std::string>& warnings,
                    const Files& files, const Facets& facets) {
  const XmlDocument document(path, text);
  return UrdfReader(path, warnings, files, facets).read(document.root());
}

FileModel readUrdf(const std::string& path, std::vector<std::string>& warnings, const Files& files,
                   const Facets& facets) {
  const std::string& text = files.read(path, "a URDF file");
  {
    const XmlDocument document(path, text);
    if (!isXacro(document.root(), path)) return UrdfReader(path, warnings, files, facets).read(document.root());
  }
  return parseUrdf(files.expand(path), path, warnings, files, facets);
}

}  // namespace rigor::scenes
