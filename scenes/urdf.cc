// SPDX-License-Identifier: MIT
#include "scenes/urdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "dynamics/joint_type_name.h"
#include "scenes/collision_shape.h"
#include "scenes/document.h"
#include "scenes/mjcf_geom.h"
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
  UrdfReader(const std::string& path, std::vector<std::string>& warnings, const Files& files,
             const ShapeOptions& options) {
    file_.path = path, file_.warnings = &warnings, file_.files = files, file_.shape_options = options;
  }

  FileModel read(const XmlElement& robot) {
    if (robot.name() != "robot") {
      const bool other = robot.name() == "mujoco" || robot.name() == "sdf";
      robot.fail(
          fmt::format("no <robot> element but <{}>", robot.name()),
          other ? fmt::format("a URDF file; this is read under the field `{}`", robot.name() == "sdf" ? "sdf" : "mjcf")
                : "a URDF file");
    }
    refuseUnexpanded(robot);
    file_.name = robot.textOr("name", "robot");
    for (const XmlElement& link : robot.children("link")) readLink(link);
    if (file_.links.empty()) {
      const bool soft = robot.child("deformable") || robot.child("reduced_deformable");
      robot.fail(soft ? "a deformable body" : "a robot without links", soft ? "rigid links" : "at least one link");
    }
    for (const XmlElement& joint : robot.children("joint")) readJoint(joint);
    for (FileJoint& joint : file_.joints) {
      if (!joint.leader.empty() && !joint_index_.contains(joint.leader))
        file_.fail(joint.at, fmt::format("joint {}: mimics joint {}, which is not there", joint.name, joint.leader),
                   "a joint of this file");
    }
    for (const XmlElement& loop : robot.children("loop_joint")) readLoopJoint(loop);
    for (const XmlElement& loop : robot.children("drake:ball_constraint")) readBallConstraint(loop);
    nameOpenLoops(robot);
    return std::move(file_);
  }

 private:
  /// What xacro of before 2014 took for macros, and nothing expands any more.
  static void refuseUnexpanded(const XmlElement& robot) {
    for (const char* name : {"macro", "include"})
      if (const auto old = robot.child(name))
        old->fail(fmt::format("<{}>, a macro of old xacro files", name), "an expanded file; today it is <xacro:...>");
  }

  int loopLink(const XmlElement& element, const char* attribute) const {
    const auto found = link_index_.find(element.textOr(attribute, ""));
    if (found == link_index_.end()) element.refuse(attribute, "a link of this file");
    return found->second;
  }

  /// `<loop_joint>`: two links with a frame on each (xyz, rpy), and an axis along which both lie.
  void readLoopJoint(const XmlElement& element) {
    const auto a = element.child("link1"), b = element.child("link2"), axis = element.child("axis");
    FileLoop loop;
    loop.name = element.textOr("name", "loop"), loop.at = element.position();
    if (!a || !b) element.fail(fmt::format("loop joint {}: no <link1> or no <link2>", loop.name), "both");
    const auto frameOf = [](const XmlElement& side) {
      geom::Pose X;
      X.p = side.vector3Or("xyz", {0, 0, 0});
      if (const auto rpy = side.vector3("rpy")) X.q = rollPitchYaw(*rpy);
      return X;
    };
    loop.link_a = loopLink(*a, "link"), loop.link_b = loopLink(*b, "link");
    loop.frame_a = frameOf(*a), loop.frame_b = frameOf(*b);
    const std::string type = lowered(element.textOr("type", ""));
    if (type == "revolute" || type == "continuous") {
      const Eigen::Vector3d along = axis ? axis->vector3Or("xyz", {1, 0, 0}) : Eigen::Vector3d(1, 0, 0);
      if (!(along.norm() > 0)) axis->refuse("xyz", "a vector that is not zero");
      loop.type = dynamics::LoopType::kHinge;
      loop.frame_a = composed(loop.frame_a, frameAlong(along)),
      loop.frame_b = composed(loop.frame_b, frameAlong(along));
    } else if (type == "fixed") {
      loop.type = dynamics::LoopType::kWeld;
    } else if (type != "ball" && type != "spherical") {
      element.fail(fmt::format("loop joint {}: type {}", loop.name, type), "revolute, continuous, spherical or fixed");
    }
    file_.loops.push_back(loop);
  }

  /// Drake's: a point of one link is one of another.
  void readBallConstraint(const XmlElement& element) {
    FileLoop loop;
    loop.name = fmt::format("ball_constraint{}", file_.loops.size() + 1), loop.at = element.position();
    const auto part = [&](const char* name) {
      const auto child = element.child(name);
      if (!child) element.fail(fmt::format("a ball constraint without <{}>", name), "two bodies with a point on each");
      return *child;
    };
    loop.link_a = loopLink(part("drake:ball_constraint_body_A"), "name");
    loop.link_b = loopLink(part("drake:ball_constraint_body_B"), "name");
    loop.frame_a.p = part("drake:ball_constraint_p_AP").vector3Or("value", {0, 0, 0});
    loop.frame_b.p = part("drake:ball_constraint_p_BQ").vector3Or("value", {0, 0, 0});
    file_.loops.push_back(loop);
  }

  /// What some simulators close loops by and is not read: of Gazebo and Drake.
  void nameOpenLoops(const XmlElement& robot) const {
    for (const XmlElement& element : robot.children()) {
      const std::string kind = element.name();
      if (kind == "loop" || kind == "drake:linear_bushing_rpy")
        file_.warn(element.position(), fmt::format("<{}> is left out: the loop stays open", kind));
      if (kind != "gazebo") continue;
      for (const XmlElement& joint : element.children("joint"))
        file_.warn(joint.position(), fmt::format("joint {} of <gazebo> is left out: what it joins stays open",
                                                 joint.textOr("name", "")));
    }
  }

  /// Elements that the format has once: of several the first counts.
  void nameSeconds(const XmlElement& element, const std::string& who, std::initializer_list<const char*> kinds) const {
    for (const char* kind : kinds)
      if (const auto all = element.children(kind); all.size() > 1)
        file_.warn(all[1].position(), fmt::format("{}: {} elements <{}>; the first counts", who, all.size(), kind));
  }

  std::string ownName(const XmlElement& element, const std::map<std::string, int>& others) const {
    const std::string kind = element.name(), name = element.textOr("name", "");
    if (name.empty()) element.fail("a " + kind + " without a name", "a name of its own");
    for (const char* expression : {"${", "$(arg "})
      if (name.find(expression) != std::string::npos)
        element.fail(fmt::format("a {} called {}", kind, name),
                     "an expanded file: this is an expression of xacro (`xacro FILE > robot.urdf`)");
    if (std::string plain = name; kind == "link") {
      std::erase(plain, '/');  // Names of ROS 1; the first slash of ROBOT/LINK still ends the robot's.
      if (!plain.empty() && !isPlainName(plain))
        element.refuse("name", "a link name without control characters, comma or quote");
    }
    if (others.contains(name))
      element.fail(fmt::format("a second {} {}", kind, name), "a name of its own for every " + kind);
    return name;
  }

  void readLink(const XmlElement& element) {
    FileLink link;
    link.name = ownName(element, link_index_);
    link.at = element.position();
    link_index_[link.name] = static_cast<int>(file_.links.size());
    nameSeconds(element, "link " + link.name, {"inertial"});
    if (const auto inertial = element.child("inertial")) readInertial(*inertial, link);
    link.visible = element.child("visual").has_value();
    CollisionReader shapes(file_, meshes_, "link " + link.name);
    for (const XmlElement& collision : element.children("collision")) {
      nameSeconds(collision, "link " + link.name, {"geometry", "origin"});
      const auto geometry = collision.child("geometry");
      if (!geometry || geometry->children().empty()) {
        file_.warn(collision.position(),
                   fmt::format("link {}: a collision without geometry; it is left out", link.name));
        continue;
      }
      const std::vector<XmlElement> stated = geometry->children();
      if (stated.size() > 1)
        file_.warn(stated[1].position(),
                   fmt::format("link {}: {} shapes in one <geometry>; the first counts", link.name, stated.size()));
      readShape(stated[0], readOrigin(collision), link.name, shapes);
    }
    shapes.finish(link, element.position());
    file_.links.push_back(std::move(link));
  }

  void readInertial(const XmlElement& inertial, FileLink& link) {
    const auto mass = inertial.child("mass"), inertia = inertial.child("inertia");
    nameSeconds(inertial, "link " + link.name, {"mass", "inertia", "origin"});
    if (mass && !mass->number("value"))
      mass->fail(fmt::format("link {}: a mass without a value", link.name), "<mass value=\"KILOGRAMS\"/>");
    if (mass) link.mass = *mass->number("value");
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
    std::string kind = shape.name();
    if (kind.starts_with("drake:")) kind = kind.substr(6);  // Its capsules and ellipsoids.
    if (kind == "mesh") return readMeshShape(shape, pose, link, shapes);
    if (kind == "box") {
      const Eigen::Vector3d size = sizes(shape, link, shape.vector3Or("size", {0, 0, 0}));
      if (!isLeftOut(shape, link, size)) shapes.addBox(size, pose, shape.position());
    } else if (kind == "ellipsoid") {
      const auto radii = shape.vector3("radii");
      const Eigen::Vector3d given(shape.numberOr("a", 0), shape.numberOr("b", 0), shape.numberOr("c", 0)),
          size = sizes(shape, link, radii ? *radii : given);
      if (!isLeftOut(shape, link, size)) shapes.addEllipsoid(size, pose, shape.position());
    } else if (kind == "sphere" || kind == "cylinder" || kind == "capsule") {
      const double radius = shape.numberOr("radius", 0), length = kind == "sphere" ? 0 : shape.numberOr("length", 0);
      if (isLeftOut(shape, link, sizes(shape, link, {radius, length, 0}))) return;
      if (kind == "cylinder") shapes.addCylinder(radius, length, pose, shape.position());
      else if (length > 0) shapes.addCapsule(radius, length, pose, shape.position());
      else shapes.addSphere(radius, pose, shape.position());
    } else {
      file_.fail(shape.position(), fmt::format("link {}: an unknown collision shape, {}", link, kind),
                 "box, cylinder, sphere, capsule, ellipsoid or mesh");
    }
  }

  /// Lengths of a shape, none negative.
  Eigen::Vector3d sizes(const XmlElement& shape, const std::string& link, const Eigen::Vector3d& given) const {
    for (double length : given)
      if (!(length >= 0))
        file_.fail(shape.position(), fmt::format("link {}: a {} of size {}", link, shape.name(), length),
                   "numbers > 0 [m]");
    return given;
  }

  /// A shape all of whose lengths are zero or missing stands for none; one of which some are is flat.
  bool isLeftOut(const XmlElement& shape, const std::string& link, const Eigen::Vector3d& size) const {
    if (!size.isZero(0)) return false;
    file_.warn(shape.position(), fmt::format("link {}: a {} of size 0; it is left out", link, shape.name()));
    return true;
  }

  void readMeshShape(const XmlElement& shape, const geom::Pose& pose, const std::string& link,
                     CollisionReader& shapes) const {
    const auto name = shape.text("filename");
    if (!name || name->empty()) {
      file_.warn(shape.position(), fmt::format("link {}: a collision mesh without a filename; it is left out", link));
      return;
    }
    const auto factors = shape.numbers("scale");
    Eigen::Vector3d scale(1, 1, 1);
    if (factors && factors->size() == 1) scale.setConstant(factors->front());
    else if (factors) scale = *shape.vector3("scale");
    if ((scale.array() == 0).any()) shape.refuse("scale", "numbers that are not zero");
    shapes.addMesh(*name, scale, pose, shape.position());
  }

  /// The link that a joint names. A parent called `world` need not be stated, as in Drake.
  int linkOf(const XmlElement& joint, const char* role) {
    const auto element = joint.child(role);
    const std::string name = element ? element->textOr("link", "") : "", own = "joint " + joint.textOr("name", "");
    if (name.empty()) joint.fail(fmt::format("{}: no <{} link=\"...\"/>", own, role), "a parent and a child link");
    auto found = link_index_.find(name);
    if (found == link_index_.end() && name == "world" && std::string_view(role) == "parent") {
      FileLink world;
      world.name = name, world.at = joint.position();
      found = link_index_.emplace(name, static_cast<int>(file_.links.size())).first;
      file_.links.push_back(std::move(world));
    }
    if (found == link_index_.end())
      joint.fail(fmt::format("{}: no link is called {}", own, name), "a link of this file");
    return found->second;
  }

  void readType(const XmlElement& element, FileJoint& joint, bool& bounded) const {
    const std::string type = lowered(element.textOr("type", ""));
    const auto found = dynamics::jointTypeOf(&dynamics::JointTypeNames::urdf, type);
    if (!found)
      element.fail(fmt::format("joint {}: {}", joint.name, type.empty() ? "no type" : "unknown type " + type),
                   dynamics::jointTypeWords(&dynamics::JointTypeNames::urdf));
    joint.type = *found;
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
    nameSeconds(element, "joint " + joint.name, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});
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
      if (bounded) file_.warnAlike(joint.at, who, ": no <limit>; it is taken to have none");
      return;
    }
    const double lower = limit->numberOrInfinity("lower").value_or(0),
                 upper = limit->numberOrInfinity("upper").value_or(0);
    const bool stated = limit->numberOrInfinity("lower") || limit->numberOrInfinity("upper");
    if (bounded && !stated) {
      file_.warnAlike(limit->position(), who, ": <limit> with neither lower nor upper; it is taken to have none");
    } else if (bounded && (lower > upper || lower == INFINITY || upper == -INFINITY)) {
      limit->fail(fmt::format("{}: lower limit {} above the upper one, {}", who, lower, upper),
                  "a lower limit below the upper one");
    } else if (bounded && lower == upper && turns && lower == 0) {
      // What exporters write for a joint whose limits nobody gave.
      file_.warnAlike(limit->position(), who, ": limits 0 and 0; a joint that turns is taken to be continuous");
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
      const double given = limit->numberOrInfinity(attribute).value_or(0);
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
                    const Files& files, const ShapeOptions& options) {
  const XmlDocument document(path, text);
  return UrdfReader(path, warnings, files, options).read(document.root());
}

FileModel readUrdf(const std::string& path, std::vector<std::string>& warnings, const Files& files,
                   const ShapeOptions& options) {
  const std::string& text = files.read(path, "a URDF file");
  {
    const XmlDocument document(path, text);
    if (!isXacro(document.root(), path)) return UrdfReader(path, warnings, files, options).read(document.root());
  }
  return parseUrdf(files.expand(path), path, warnings, files, options);
}

}  // namespace rigor::scenes
