// SPDX-License-Identifier: MIT
#include "scenes/sdf.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "dynamics/joint_type_name.h"
#include "scenes/collision_shape.h"
#include "scenes/document.h"
#include "scenes/mjcf_geom.h"
#include "scenes/shape_reader.h"
#include "scenes/xml.h"

namespace rigor::scenes {
namespace {

using dynamics::JointType;
using dynamics::kWorld;
using Eigen::Vector3d;

/// Six numbers of a <pose>: position, then roll, pitch, yaw.
geom::Pose numbersOf(const XmlElement& pose) {
  if (pose.content().empty()) return {};
  const std::vector<double> n = pose.contentNumbers(6);
  const double unit = pose.textOr("degrees", "false") == "true" ? EIGEN_PI / 180 : 1;
  return {rollPitchYaw(unit * Vector3d(n[3], n[4], n[5])), {n[0], n[1], n[2]}};
}

double numberIn(const XmlElement& parent, const char* name, double otherwise) {
  const auto child = parent.child(name);
  return child && !child->content().empty() ? child->contentNumbers(1)[0] : otherwise;
}

Vector3d vectorIn(const XmlElement& parent, const char* name, const Vector3d& otherwise) {
  const auto child = parent.child(name);
  if (!child) return otherwise;
  const std::vector<double> n = child->contentNumbers(3);
  return {n[0], n[1], n[2]};
}

class SdfReader {
 public:
  SdfReader(const XmlElement& root, const std::string& path, std::vector<std::string>& warnings, const Files& files,
            const Facets& facets)
      : model_(findModel(root)) {
    file_.path = path, file_.warnings = &warnings, file_.files = files, file_.facets = facets;
    file_.name = model_.textOr("name", "model");
  }

  FileModel read() {
    for (const XmlElement& child : model_.children()) {
      const std::string kind = child.name();
      if (kind == "include" || kind == "model")
        child.fail(fmt::format("a <{}> in a model", kind), "one model whose links are written out");
      if (kind == "link" || kind == "joint" || kind == "frame") listFrame(child, kind);
    }
    const auto fixed = model_.child("static");
    static_ = fixed && (fixed->content() == "true" || fixed->content() == "1");
    for (const XmlElement& link : model_.children("link")) readLink(link);
    if (file_.links.empty()) model_.fail("a model without links", "at least one link");
    for (const XmlElement& joint : model_.children("joint")) readJoint(joint);
    hangRoots();
    return std::move(file_);
  }

 private:
  /// The only model of the file, in a world or not.
  static XmlElement findModel(const XmlElement& root) {
    if (root.name() != "sdf") root.fail(fmt::format("no <sdf> element but <{}>", root.name()), "an SDF file");
    std::vector<XmlElement> models = root.children("model");
    for (const XmlElement& world : root.children("world")) {
      const std::vector<XmlElement> inside = world.children("model");
      models.insert(models.end(), inside.begin(), inside.end());
    }
    if (models.empty()) root.fail("no <model> in this file", "an SDF file of one model");
    if (models.size() > 1) models[1].fail("a second <model>", "an SDF file of one model");
    return models[0];
  }

  void listFrame(const XmlElement& element, const std::string& kind) {
    const std::string name = element.textOr("name", "");
    if (name.empty()) element.fail("a " + kind + " without a name", "a name of its own");
    if (!frames_.emplace(name, element).second)
      element.fail(fmt::format("a second {} {}", kind, name), "a name of its own for every link, joint and frame");
  }

  /// X_MF of a frame of the model.
  geom::Pose poseOf(const std::string& name, const XmlElement& at) {
    if (name.empty() || name == "__model__" || name == "world") return {};
    const auto found = frames_.find(name);
    if (found == frames_.end())
      at.fail(fmt::format("no frame is called {}", name), "a link, joint or frame of this model");
    if (const auto known = poses_.find(name); known != poses_.end()) return known->second;
    if (!resolving_.insert(name).second)
      at.fail(fmt::format("frame {} stands on itself", name), "frames that end at the model");
    const XmlElement& element = found->second;
    const auto pose = element.child("pose");
    // Without relative_to: links and frames stand on the model (or what they are attached to), joints on their child.
    std::string base = pose ? pose->textOr("relative_to", "") : "";
    if (base.empty() && element.name() == "joint") base = nameIn(element, "child");
    if (base.empty() && element.name() == "frame") base = element.textOr("attached_to", "");
    const geom::Pose X = composed(poseOf(base, element), pose ? numbersOf(*pose) : geom::Pose());
    resolving_.erase(name);
    return poses_[name] = X;
  }

  static std::string nameIn(const XmlElement& joint, const char* role) {
    const auto child = joint.child(role);
    const std::string name = child ? child->content() : "";
    if (name.empty())
      joint.fail(fmt::format("joint {}: no <{}>", joint.textOr("name", ""), role), "a parent and a child link");
    return name;
  }

  void readLink(const XmlElement& element) {
    FileLink link;
    link.name = element.textOr("name", ""), link.at = element.position();
    link_index_[link.name] = static_cast<int>(file_.links.size());
    if (const auto inertial = element.child("inertial")) readInertial(*inertial, link);
    link.visible = element.child("visual").has_value();
    CollisionReader shapes(file_, meshes_, "link " + link.name);
    std::vector<geom::Shape> planes;
    for (const XmlElement& collision : element.children("collision")) readCollision(collision, link, shapes, planes);
    link.shapes = shapes.finish(link.at);
    link.shapes.insert(link.shapes.end(), planes.begin(), planes.end());
    file_.links.push_back(std::move(link));
  }

  static void readInertial(const XmlElement& inertial, FileLink& link) {
    link.mass = numberIn(inertial, "mass", 1);
    if (!(link.mass >= 0)) inertial.fail(fmt::format("link {}: mass is {}", link.name, link.mass), "a mass >= 0");
    const auto pose = inertial.child("pose");
    const geom::Pose X = pose ? numbersOf(*pose) : geom::Pose();
    link.centre = X.p;
    Eigen::Matrix3d I = Eigen::Matrix3d::Identity();  // The format's default.
    if (const auto inertia = inertial.child("inertia")) {
      const double xx = numberIn(*inertia, "ixx", 1), yy = numberIn(*inertia, "iyy", 1),
                   zz = numberIn(*inertia, "izz", 1);
      const double xy = numberIn(*inertia, "ixy", 0), xz = numberIn(*inertia, "ixz", 0),
                   yz = numberIn(*inertia, "iyz", 0);
      I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    }
    link.inertia = X.rotation() * I * X.rotation().transpose();
  }

  void readCollision(const XmlElement& collision, FileLink& link, CollisionReader& shapes,
                     std::vector<geom::Shape>& planes) {
    const auto geometry = collision.child("geometry");
    const auto pose = collision.child("pose");
    if (pose && pose->has("relative_to"))
      pose->fail("a collision's pose relative to another frame", "relative to its link");
    const geom::Pose X = pose ? numbersOf(*pose) : geom::Pose();
    const std::vector<XmlElement> kinds = geometry ? geometry->children() : std::vector<XmlElement>{};
    if (kinds.empty() || kinds[0].name() == "empty") return;
    const XmlElement& shape = kinds[0];
    const std::string kind = shape.name();
    const auto positive = [&](const char* name) {
      const double value = numberIn(shape, name, 0);
      if (!(value > 0))
        shape.fail(fmt::format("link {}: collision {} {} is {}", link.name, kind, name, value), "a number > 0 [m]");
      return value;
    };
    const Position at = shape.position();
    if (kind == "box") {
      const Vector3d size = vectorIn(shape, "size", {0, 0, 0});
      if (!(size.array() > 0).all())
        shape.fail(fmt::format("link {}: collision box size", link.name), "numbers > 0 [m]");
      shapes.addBox(size, X, at);
    } else if (kind == "sphere") shapes.addSphere(positive("radius"), X, at);
    else if (kind == "cylinder") shapes.addCylinder(positive("radius"), positive("length"), X, at);
    else if (kind == "capsule") shapes.addCapsule(positive("radius"), positive("length"), X, at);
    else if (kind == "ellipsoid") shapes.addEllipsoid(vectorIn(shape, "radii", {0, 0, 0}), X, at);
    else if (kind == "mesh") {
      const auto uri = shape.child("uri");
      if (!uri) shape.fail(fmt::format("link {}: a mesh without <uri>", link.name), "an OBJ, STL or Collada file");
      const Vector3d scale = vectorIn(shape, "scale", {1, 1, 1});
      if ((scale.array() == 0).any())
        shape.fail(fmt::format("link {}: mesh scale of zero", link.name), "numbers that are not zero");
      shapes.addMesh(uri->content(), scale, X, at);
    } else if (kind == "plane") {
      const Vector3d normal = X.rotation() * vectorIn(shape, "normal", {0, 0, 1});
      if (!(normal.norm() > 0))
        shape.fail(fmt::format("link {}: a plane without normal", link.name), "a vector that is not zero");
      planes.emplace_back(geom::HalfSpace{normal, normal.dot(X.p)});
      plane_at_.emplace(link.name, at);
    } else {
      file_.warn(at, fmt::format("link {}: collision shape {} is not read; it is left out", link.name, kind));
    }
    readFriction(collision, link);
  }

  static void readFriction(const XmlElement& collision, FileLink& link) {
    std::optional<XmlElement> e = collision.child("surface");
    for (const char* name : {"friction", "ode", "mu"}) e = e ? e->child(name) : std::nullopt;
    if (!e || e->content().empty()) return;
    const double mu = e->contentNumbers(1)[0];
    if (!(mu >= 0)) e->fail(fmt::format("link {}: friction is {}", link.name, mu), "a number >= 0");
    link.friction = std::max(link.friction.value_or(0), mu);
  }

  int linkOf(const XmlElement& joint, const char* role) {
    std::string name = nameIn(joint, role);
    if (name == "world") return kWorld;
    for (int k = 0; k < 100; ++k) {  // Frames stand for what they are attached to.
      if (const auto link = link_index_.find(name); link != link_index_.end()) return link->second;
      const auto frame = frames_.find(name);
      if (frame == frames_.end() || frame->second.name() != "frame") break;
      name = frame->second.textOr("attached_to", "");
    }
    joint.fail(fmt::format("joint {}: no link is called {}", joint.textOr("name", ""), name), "a link of this model");
  }

  void readJoint(const XmlElement& element) {
    FileJoint joint;
    joint.name = element.textOr("name", ""), joint.at = element.position();
    const std::string type = element.textOr("type", "");
    const auto known = dynamics::jointTypeOf(&dynamics::JointTypeNames::sdf, type);
    if (!known)
      element.fail(fmt::format("joint {}: type {} is not read", joint.name, type),
                   dynamics::jointTypeWords(&dynamics::JointTypeNames::sdf));
    joint.type = *known;
    joint.parent = linkOf(element, "parent");
    const int child = linkOf(element, "child");
    if (child == kWorld) element.fail(fmt::format("joint {}: its child is the world", joint.name), "a link");
    const geom::Pose X_MJ = poseOf(joint.name, element);
    joint.origin = joint.parent == kWorld ? composed(modelPose(), X_MJ)
                                          : composed(inverted(poseOf(file_.links[joint.parent].name, element)), X_MJ);
    if (const auto axis = element.child("axis"))
      readAxis(*axis, element, X_MJ, type != "continuous", joint.axis, joint);
    if (const auto axis = element.child("axis2")) readAxis(*axis, element, X_MJ, false, joint.axis2, joint);
    const geom::Pose X_JL = composed(inverted(X_MJ), poseOf(file_.links[child].name, element));
    joint.child = child;
    if (std::any_of(file_.joints.begin(), file_.joints.end(), [&](const FileJoint& one) { return one.child == child; }))
      return addLoop(joint, inverted(X_JL));
    if (!X_JL.p.isZero(0) || !X_JL.q.tail<3>().isZero(0)) {
      FileLink between;
      between.name = file_.links[child].name + "." + joint.name, between.at = joint.at;
      joint.child = static_cast<int>(file_.links.size());
      file_.links.push_back(between);
      FileJoint rigid;
      rigid.name = joint.name + ".fixed", rigid.at = joint.at;
      rigid.parent = joint.child, rigid.child = child, rigid.origin = X_JL;
      file_.joints.push_back(rigid);
    }
    file_.joints.push_back(joint);
  }

  /// A further joint of a link closes a loop.
  void addLoop(const FileJoint& joint, const geom::Pose& X_LJ) {
    const bool turns = joint.type == JointType::kRevolute;
    if (!turns && joint.type != JointType::kSpherical && joint.type != JointType::kFixed)
      file_.fail(joint.at, fmt::format("joint {}: closes a loop", joint.name),
                 "revolute, ball and fixed joints of loops");
    FileLoop loop;
    loop.name = joint.name, loop.at = joint.at, loop.link_a = joint.parent, loop.link_b = joint.child;
    loop.type = turns                             ? dynamics::LoopType::kHinge
                : joint.type == JointType::kFixed ? dynamics::LoopType::kWeld
                                                  : dynamics::LoopType::kPoint;
    if (turns && !(joint.axis.norm() > 0)) file_.fail(joint.at, "an axis of length zero", "any other length");
    const geom::Pose along = turns ? frameAlong(joint.axis) : geom::Pose();
    loop.frame_a = composed(joint.origin, along), loop.frame_b = composed(X_LJ, along);
    if (joint.damping > 0 || joint.friction > 0 || joint.stiffness > 0 || std::isfinite(joint.lower) ||
        std::isfinite(joint.upper))
      file_.warn(joint.at, fmt::format("joint {}: closes a loop; its limits, damping, friction and spring are left out",
                                       joint.name));
    file_.loops.push_back(loop);
  }

  void readAxis(const XmlElement& axis, const XmlElement& element, const geom::Pose& X_MJ, bool bounded,
                Vector3d& direction, FileJoint& joint) {
    direction = vectorIn(axis, "xyz", {0, 0, 1});
    if (const auto xyz = axis.child("xyz"); xyz && xyz->has("expressed_in"))
      direction = inverted(X_MJ).rotation() * (poseOf(xyz->textOr("expressed_in", ""), element).rotation() * direction);
    if (const auto limit = axis.child("limit"); limit && joint.type != JointType::kUniversal) {
      const auto numberOf = [&](const char* name, double otherwise) {
        const auto child = limit->child(name);
        return child && !child->content().empty() ? child->contentOrInfinity() : otherwise;
      };
      const double low = numberOf("lower", -1e16), high = numberOf("upper", 1e16);
      if (low > high || low == INFINITY || high == -INFINITY)
        limit->fail(fmt::format("joint {}: lower limit {} above the upper one, {}", joint.name, low, high),
                    "a lower limit below the upper one");
      if (bounded && low > -1e15) joint.lower = low;  // The format writes 1e16 for none.
      if (bounded && high < 1e15) joint.upper = high;
      if (const double effort = numberOf("effort", -1); effort > 0) joint.effort = effort;
      if (const double speed = numberOf("velocity", -1); speed > 0) joint.speed = speed;
    }
    const auto dynamics = axis.child("dynamics");
    if (!dynamics || joint.type == JointType::kFixed) return;
    const auto notNegative = [&](const char* name) {
      const double value = numberIn(*dynamics, name, 0);
      if (!(value >= 0)) dynamics->fail(fmt::format("joint {}: {} is {}", joint.name, name, value), "a number >= 0");
      return value;
    };
    joint.damping = notNegative("damping"), joint.friction = notNegative("friction");
    const double stiffness = notNegative("spring_stiffness");
    if (joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic)
      joint.stiffness = stiffness, joint.rest = numberIn(*dynamics, "spring_reference", 0);
  }

  /// Links that hang on no joint stand in the world: fixed where the model is static, else free.
  void hangRoots() {
    std::vector<bool> hangs(file_.links.size(), false);
    for (const FileJoint& joint : file_.joints) hangs[joint.child] = true;
    for (size_t i = 0; i < hangs.size(); ++i) {
      if (hangs[i]) continue;
      FileJoint joint;
      const FileLink& link = file_.links[i];
      joint.name = link.name + ".base", joint.at = link.at;
      joint.type = static_ || plane_at_.contains(link.name) ? JointType::kFixed : JointType::kFloating;
      joint.child = static_cast<int>(i), joint.origin = composed(modelPose(), poseOf(link.name, model_));
      file_.joints.push_back(joint);
    }
    for (const FileJoint& joint : file_.joints)
      if (joint.type != JointType::kFixed && plane_at_.contains(file_.links[joint.child].name))
        file_.fail(plane_at_.at(file_.links[joint.child].name),
                   fmt::format("link {}: a plane on a link that moves", file_.links[joint.child].name),
                   "planes of links that do not move");
  }

  geom::Pose modelPose() const {
    const auto pose = model_.child("pose");
    return pose ? numbersOf(*pose) : geom::Pose();
  }

  XmlElement model_;
  FileModel file_;
  CollisionReader::MeshCache meshes_;
  bool static_ = false;
  std::map<std::string, XmlElement> frames_;  // Links, joints and frames.
  std::map<std::string, geom::Pose> poses_;   // X_MF
  std::set<std::string> resolving_;
  std::map<std::string, int> link_index_;
  std::map<std::string, Position> plane_at_;
};

}  // namespace

FileModel readSdf(const std::string& path, std::vector<std::string>& warnings, const Files& files,
                  const Facets& facets) {
  const XmlDocument document(path, files.read(path, "an SDF file"));
  return SdfReader(document.root(), path, warnings, files, facets).read();
}

}  // namespace rigor::scenes
