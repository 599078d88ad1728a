// SPDX-License-Identifier: MIT
#include "scenes/mjcf.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

#include "dynamics/joint_type_name.h"
#include "geom/mass_properties.h"
#include "scenes/collision_shape.h"
#include "scenes/mesh_hull.h"
#include "scenes/mesh_path.h"
#include "scenes/mjcf_document.h"
#include "scenes/mjcf_geom.h"

namespace rigor::scenes {
namespace {

using dynamics::JointType;
using dynamics::kWorld;
using Eigen::Vector3d;

class MjcfReader {
 public:
  MjcfReader(const std::string& path, std::vector<std::string>& warnings, const Files& files, const Facets& facets)
      : document_(path, files), frames_(document_) {
    file_.path = path, file_.warnings = &warnings, file_.files = files, file_.facets = facets;
    file_.name = document_.root().textOr("model", "robot");
    geoms_ = std::make_unique<MjcfGeoms>(document_, frames_, file_);
  }

  FileModel read() {
    refuseUnknown();
    readMeshes();
    readWorld();
    if (file_.links.empty())
      document_.root().fail("a model without bodies", "a <worldbody> with at least one body or geom");
    readActuators();
    readEqualities();
    readExcludes();
    readKeyframes();
    return std::move(file_);
  }

 private:
  void refuseUnknown() {
    static const std::set<std::string> kSilent = {"compiler", "option",   "size",      "visual",   "statistic",
                                                  "default",  "asset",    "worldbody", "actuator", "equality",
                                                  "contact",  "keyframe", "sensor",    "custom",   "extension"};
    for (const XmlElement& section : document_.children(document_.root()))
      if (!kSilent.contains(section.name()))
        file_.warn(section.position(), fmt::format("<{}> is not read; it is left out", section.name()));
  }

  void readMeshes() {
    const auto folder = document_.option("compiler", "meshdir");
    const auto assets = document_.option("compiler", "assetdir");
    const std::string directory = folder.value_or(assets.value_or(""));
    for (const XmlElement& asset : document_.section("asset"))
      if (asset.name() == "mesh") geoms_->addMesh(document_.attributes(asset, ""), directory);
      else if (asset.name() == "hfield") geoms_->addHeightField(document_.attributes(asset, ""), directory);
  }

  /// A name of its own for a link or joint: the given one where it has one.
  std::string ownName(const std::string& given, const std::string& otherwise, std::set<std::string>& taken,
                      const XmlElement& at, const char* kind) {
    if (!given.empty()) {
      if (!taken.insert(given).second) at.fail(fmt::format("a second {} {}", kind, given), "a name of its own");
      return given;
    }
    std::string name = otherwise;
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}{}", otherwise, k);
    return name;
  }

  int addLink(const std::string& name, const XmlElement& at) {
    FileLink link;
    link.name = name, link.at = at.position();
    file_.links.push_back(link);
    return static_cast<int>(file_.links.size()) - 1;
  }

  void addFixed(int parent, int child, const geom::Pose& pose, const XmlElement& at) {
    FileJoint joint;
    joint.name = ownName("", file_.links[child].name + ".fixed", joint_names_, at, "joint");
    joint.type = JointType::kFixed, joint.parent = parent, joint.child = child, joint.origin = pose,
    joint.at = at.position();
    file_.joints.push_back(joint);
  }

  void readWorld() {
    for (const XmlElement& section : document_.children(document_.root())) {
      if (section.name() != "worldbody") continue;
      // Geoms of the world are a link that never moves.
      MjcfShapes shapes(*geoms_, file_, "worldbody", true);
      readContents(section, kWorld, "", geom::Pose(), shapes, nullptr);
      if (shapes.empty()) continue;
      const int world = addLink(ownName("", "world", link_names_, section, "body"), section);
      addFixed(kWorld, world, {}, section);
      FileLink unused;
      shapes.finish(file_.links[world], section.position());
      file_.links[world].mass = 0, file_.links[world].inertia.setZero();
    }
  }

  /// Geoms, bodies and frames of a body (or frame) at X in it.
  void readContents(const XmlElement& element, int link, const std::string& childclass, const geom::Pose& X,
                    MjcfShapes& shapes, const XmlElement* body) {
    for (const XmlElement& child : document_.children(element)) {
      const std::string kind = child.name();
      const MjcfAttributes own = document_.attributes(child, childclass);
      if (kind == "geom") shapes.add(own, X);
      else if (kind == "body") readBody(child, link, childclass, X);
      else if (kind == "frame")
        readContents(child, link, child.textOr("childclass", childclass), composed(X, frames_.pose(own)), shapes, body);
      else if (kind == "replicate" || kind == "composite" || kind == "flexcomp" || kind == "attach")
        child.fail("<" + kind + ">, which makes further bodies", "bodies that are written out");
    }
  }

  void readBody(const XmlElement& body, int parent, const std::string& above, const geom::Pose& X_PF) {
    const std::string childclass = body.textOr("childclass", above);
    const std::string name = ownName(body.textOr("name", ""), "body", link_names_, body, "body");
    const geom::Pose X_PB = composed(X_PF, frames_.pose(document_.attributes(body, childclass)));
    std::vector<XmlElement> joints;
    for (const XmlElement& child : document_.children(body))
      if (child.name() == "joint" || child.name() == "freejoint") joints.push_back(child);
    const int link = readJoints(body, name, parent, childclass, X_PB, joints);
    MjcfShapes shapes(*geoms_, file_, "body " + name, false);
    if (joints.empty() && (parent == kWorld || still_.contains(parent))) still_.insert(link), shapes.allowGround();
    for (const XmlElement& child : document_.children(body))
      if (child.name() == "inertial") shapes.setInertial(document_.attributes(child, childclass));
    link_of_[name] = link;
    readContents(body, link, childclass, geom::Pose(), shapes, &body);
    shapes.finish(file_.links[link], body.position());
  }

  /// The chain of joints of a body. @returns its link.
  int readJoints(const XmlElement& body, const std::string& name, int parent, const std::string& childclass,
                 const geom::Pose& X_PB, const std::vector<XmlElement>& joints) {
    if (joints.empty()) {
      const int link = addLink(name, body);
      addFixed(parent, link, X_PB, body);
      return link;
    }
    geom::Pose X = X_PB;
    Vector3d reached(0, 0, 0);  // Origin of the last link, body frame.
    int above = parent, link = -1;
    for (size_t k = 0; k < joints.size(); ++k) {
      const MjcfAttributes own = document_.attributes(joints[k], childclass);
      const bool free = joints[k].name() == "freejoint" || own.text("type").value_or("") == "free";
      if (free && (parent != kWorld || joints.size() > 1))
        joints[k].fail("a free joint of body " + name, "bodies of the world, without other joints");
      const Vector3d anchor = free ? Vector3d(0, 0, 0) : own.vector3("pos").value_or(Vector3d(0, 0, 0));
      FileJoint joint = readJoint(own, free, name, k);
      joint.parent = above;
      joint.origin = X;
      joint.origin.p = X * (anchor - reached);
      const bool last = k + 1 == joints.size() && anchor.isZero(0);
      joint.child = link =
          addLink(last ? name : ownName("", name + "." + joint.name, link_names_, joints[k], "body"), joints[k]);
      order_.push_back(static_cast<int>(file_.joints.size()));
      file_.joints.push_back(joint);
      above = link, reached = anchor, X = geom::Pose();
      if (last) return link;
    }
    link = addLink(name, body);
    geom::Pose back;
    back.p = -reached;
    addFixed(above, link, back, body);
    return link;
  }

  FileJoint readJoint(const MjcfAttributes& own, bool free, const std::string& body, size_t index) {
    const XmlElement& element = own.own();
    FileJoint joint;
    joint.at = element.position();
    joint.name = ownName(element.textOr("name", ""),
                         fmt::format("{}.joint{}", body, index == 0 ? "" : std::to_string(index + 1)), joint_names_,
                         element, "joint");
    if (free) {
      joint.type = JointType::kFloating;
      return joint;
    }
    const std::string type = own.text("type").value_or("hinge");
    const auto known = dynamics::jointTypeOf(&dynamics::JointTypeNames::mjcf, type);
    if (!known)
      element.fail(fmt::format("joint {}: unknown type {}", joint.name, type),
                   dynamics::jointTypeWords(&dynamics::JointTypeNames::mjcf));
    joint.type = *known;
    joint.axis = own.vector3("axis").value_or(Vector3d(0, 0, 1));
    const double angle = type == "slide" ? 1 : frames_.angle();
    const double ref = angle * own.numberOr("ref", 0);
    ref_of_[joint.name] = ref;
    if (ref != 0)
      file_.warn(joint.at, fmt::format("joint {}: its coordinate counts from its ref of {} here", joint.name, ref));
    const auto range = own.numbers("range");
    const std::string limited = own.text("limited").value_or("auto");
    if (range && range->size() != 2) own.stating("range")->refuse("range", "two numbers");
    const bool bounded = range && (limited == "true" || (limited == "auto" && frames_.limitsByRange()));
    if (bounded && type == "ball") {
      file_.warn(joint.at, fmt::format("joint {}: the range of a ball is not read; it is left out", joint.name));
    } else if (bounded) {
      joint.lower = angle * (*range)[0] - ref, joint.upper = angle * (*range)[1] - ref;
      if (!(joint.lower <= joint.upper)) own.stating("range")->refuse("range", "a lower limit below the upper one");
      if (joint.lower == joint.upper) {
        file_.warn(joint.at, fmt::format("joint {}: a range without room; it is held fixed there", joint.name));
        const double at = joint.lower;
        joint.hold(at);
        return joint;
      }
    }
    const auto notNegative = [&](const char* attribute) {
      const double value = own.numberOr(attribute, 0);
      if (!(value >= 0)) own.stating(attribute)->refuse(attribute, "a number >= 0");
      return value;
    };
    joint.damping = notNegative("damping"), joint.armature = notNegative("armature"),
    joint.friction = notNegative("frictionloss");
    const double stiffness = notNegative("stiffness");
    if (stiffness > 0 && type == "ball")
      file_.warn(joint.at, fmt::format("joint {}: the spring of a ball is not read; it is left out", joint.name));
    else joint.stiffness = stiffness, joint.rest = angle * own.numberOr("springref", 0) - ref;
    if (const auto force = own.numbers("actuatorfrcrange"); force && force->size() == 2)
      joint.effort = std::max(std::abs((*force)[0]), std::abs((*force)[1]));
    return joint;
  }

  FileJoint* findJoint(const std::string& name) {
    for (FileJoint& joint : file_.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }

  /// What an actuator can do bounds the effort of its joint; how it is driven is the scene's controller's matter.
  void readActuators() {
    std::map<std::string, double> most;
    for (const XmlElement& element : document_.section("actuator")) {
      const MjcfAttributes own = document_.attributes(element, "");
      const std::string name = own.text("joint").value_or(own.text("jointinparent").value_or(""));
      if (name.empty()) {
        file_.warn(element.position(), fmt::format("actuator {} drives no joint by itself; it is left out",
                                                   element.textOr("name", element.name())));
        continue;
      }
      if (!findJoint(name))
        element.fail(fmt::format("actuator of joint {}, which is not there", name), "a joint of this model");
      const auto gears = own.numbers("gear");
      const double gear = gears && !gears->empty() ? std::abs(gears->front()) : 1;
      const auto magnitude = [&](const char* attribute) {
        const auto range = own.numbers(attribute);
        return range && range->size() == 2 ? std::max(std::abs((*range)[0]), std::abs((*range)[1]))
                                           : std::numeric_limits<double>::infinity();
      };
      double force = magnitude("forcerange");
      if (element.name() == "motor") force = std::min(force, magnitude("ctrlrange"));
      most[name] += gear * force;  // Several actuators of a joint add up.
    }
    for (const auto& [name, force] : most)
      if (FileJoint* joint = findJoint(name); joint && force > 0) joint->effort = std::min(joint->effort, force);
  }

  void readEqualities() {
    for (const XmlElement& element : document_.section("equality")) {
      const MjcfAttributes own = document_.attributes(element, "");
      if (own.text("active").value_or("true") == "false") continue;
      if (element.name() == "connect" || element.name() == "weld") {
        readLoop(own);
        continue;
      }
      if (element.name() != "joint") {
        file_.warn(element.position(), fmt::format("equality {} is not read; it is left out", element.name()));
        continue;
      }
      FileJoint* follower = findJoint(own.text("joint1").value_or(""));
      const std::string leader = own.text("joint2").value_or("");
      if (!follower) own.own().refuse("joint1", "a joint of this model");
      const std::vector<double> c = own.numbers("polycoef").value_or(std::vector<double>{0, 1});
      const bool linear =
          std::all_of(c.begin() + std::min<size_t>(2, c.size()), c.end(), [](double x) { return x == 0; });
      if (!linear) {
        file_.warn(element.position(), fmt::format("equality of joint {}: not linear; it is left out", follower->name));
        continue;
      }
      const double offset = c.empty() ? 0 : c[0], ratio = c.size() > 1 ? c[1] : 0;
      if (leader.empty()) {
        follower->hold(offset);
        continue;
      }
      if (!findJoint(leader)) own.own().refuse("joint2", "a joint of this model");
      if (!follower->leader.empty())
        element.fail(fmt::format("joint {} follows {} already", follower->name, follower->leader),
                     "one equality a joint");
      follower->leader = leader, follower->ratio = ratio, follower->offset = offset;
    }
  }

  /// Where a link is with all coordinates zero, in the file's world.
  geom::Pose poseAtZero(int link) const {
    geom::Pose X;
    while (link != kWorld) {
      const auto joint = std::find_if(file_.joints.begin(), file_.joints.end(),
                                      [&](const FileJoint& one) { return one.child == link; });
      X = composed(joint->origin, X);
      link = joint->parent;
    }
    return X;
  }

  /// connect: the anchor on body1 and the point of body2 that is there at zero coincide. weld: the bodies keep the pose
  /// that they have at zero, or relpose.
  void readLoop(const MjcfAttributes& own) {
    const XmlElement& element = own.own();
    const auto body = [&](const char* attribute) {
      const std::string name = own.text(attribute).value_or("world");
      const auto found = link_of_.find(name);
      if (found == link_of_.end() && name != "world") own.stating(attribute)->refuse(attribute, "a body of this model");
      return found == link_of_.end() ? kWorld : found->second;
    };
    if (!own.text("body1")) {
      file_.warn(element.position(),
                 fmt::format("equality {} without body1 is not read; the loop stays open", element.name()));
      return;
    }
    FileLoop loop;
    loop.name = element.textOr("name", fmt::format("{}{}", element.name(), file_.loops.size() + 1));
    loop.at = element.position();
    loop.link_a = body("body1"), loop.link_b = body("body2");
    const geom::Pose X_AB = composed(inverted(poseAtZero(loop.link_a)), poseAtZero(loop.link_b));
    if (element.name() == "connect") {
      const auto anchor = own.vector3("anchor");
      if (!anchor) element.fail("connect without an anchor", "anchor=\"X Y Z\" in body1");
      loop.frame_a.p = *anchor, loop.frame_b.p = inverted(X_AB) * *anchor;
    } else {
      loop.type = dynamics::LoopType::kWeld;
      loop.frame_a = X_AB;
      const auto relative = own.numbers("relpose");
      if (relative && relative->size() != 7) own.stating("relpose")->refuse("relpose", "a position and a quaternion");
      if (relative && Eigen::Map<const Eigen::Vector4d>(relative->data() + 3).norm() > 0)
        loop.frame_a = {Eigen::Map<const Eigen::Vector4d>(relative->data() + 3),
                        Eigen::Map<const Vector3d>(relative->data())};
    }
    file_.loops.push_back(loop);
  }

  void readExcludes() {
    for (const XmlElement& element : document_.section("contact")) {
      if (element.name() != "exclude") {
        file_.warn(element.position(), fmt::format("contact {} is not read; it is left out", element.name()));
        continue;
      }
      const auto link = [&](const char* attribute) {
        const auto found = link_of_.find(element.textOr(attribute, ""));
        const bool world = element.textOr(attribute, "") == "world";
        if (found == link_of_.end() && !world) element.refuse(attribute, "a body of this model");
        return world ? kWorld : found->second;
      };
      const int a = link("body1"), b = link("body2");
      if (a != kWorld && b != kWorld && a != b) file_.ignored.emplace_back(a, b);
    }
  }

  /// qpos in the order of the joints in the file.
  void readKeyframes() {
    for (const XmlElement& element : document_.section("keyframe")) {
      const auto qpos = element.numbers("qpos");
      if (element.name() != "key" || !qpos) continue;
      std::vector<std::vector<double>> starts(file_.joints.size());
      size_t at = 0;
      for (int j : order_) {
        const FileJoint& joint = file_.joints[j];
        const size_t count = joint.type == JointType::kFloating ? 7 : joint.type == JointType::kSpherical ? 4 : 1;
        if (at + count > qpos->size()) break;
        if (joint.type != JointType::kFixed) starts[j].assign(qpos->begin() + at, qpos->begin() + at + count);
        if (count == 1 && !starts[j].empty()) starts[j][0] -= ref_of_[joint.name];
        at += count;
      }
      if (at != qpos->size()) {
        file_.warn(element.position(), fmt::format("key {}: qpos has {} numbers, the model's joints {}; it is left out",
                                                   element.textOr("name", ""), qpos->size(), at));
        continue;
      }
      const std::string name = element.textOr("name", std::to_string(file_.keyframes.size()));
      file_.keyframes.emplace(name, std::move(starts));
    }
  }

  FileModel file_;
  MjcfDocument document_;
  MjcfFrames frames_;
  std::unique_ptr<MjcfGeoms> geoms_;
  std::set<std::string> link_names_, joint_names_;
  std::map<std::string, int> link_of_;  // Of bodies, by name.
  std::set<int> still_;                 // Links that hang in the world without a joint.
  std::vector<int> order_;              // Joints as qpos has them.
  std::map<std::string, double> ref_of_;  // Of joints, by name [rad] or [m].
};

}  // namespace

FileModel readMjcf(const std::string& path, std::vector<std::string>& warnings, const Files& files,
                   const Facets& facets) {
  return MjcfReader(path, warnings, files, facets).read();
}

}  // namespace rigor::scenes
