// SPDX-License-Identifier: MIT
#include "scenes/mjcf.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "dynamics/joint_type_name.h"
#include "geom/mass_properties.h"
#include "scenes/collision_shape.h"
#include "scenes/mesh_hull.h"
#include "scenes/mesh_path.h"
#include "scenes/mjcf_document.h"
#include "scenes/mjcf_geom.h"
#include "scenes/mjcf_names.h"

namespace rigor::scenes {
namespace {

using dynamics::JointType;
using dynamics::kWorld;
using Eigen::Vector3d;

constexpr long kMostReplicas = 10000;  // Of one element, nested ones multiplied.

class MjcfReader {
 public:
  MjcfReader(const std::string& path, std::vector<std::string>& warnings, const Files& files,
             const ShapeOptions& options)
      : document_(path, files, file_.included), frames_(document_) {
    file_.path = path, file_.warnings = &warnings, file_.files = files, file_.shape_options = options;
    file_.name = document_.root().textOr("model", "robot");
    geoms_ = std::make_unique<MjcfGeoms>(document_, frames_, file_);
  }

  FileModel read() {
    refuseUnknown();
    warnOfUnreadNames(document_, file_);
    readMeshes();
    readWorld();
    if (file_.links.empty())
      document_.root().fail("a model without bodies", "a <worldbody> with at least one body or geom");
    nameBodiesWithoutPlace();
    geoms_->massRules().scaleToTotal(file_);
    readActuators();
    readEqualities();
    readPairs();
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
      const std::string own = given + suffix_;
      if (!taken.insert(own).second) at.fail(fmt::format("a second {} {}", kind, own), "a name of its own");
      noteReplica(given);
      return own;
    }
    std::string name = otherwise;
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}{}", otherwise, k);
    return name;
  }

  /// Once a copy, though a body and a geom in it may share a name.
  void noteReplica(const std::string& name) {
    if (name.empty() || suffix_.empty()) return;
    std::vector<std::string>& known = suffixes_of_[name];
    if (known.empty() || known.back() != suffix_) known.push_back(suffix_);
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
      world_links_.push_back(world);
      for (auto& [name, geom] : named_geoms_)
        if (geom.link == kWorld) geom.link = world;
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
      if (kind == "geom") shapes.add(own, X), nameGeom(own, link);
      else if (kind == "body") readBody(child, link, childclass, X);
      else if (kind == "frame")
        readContents(child, link, child.textOr("childclass", childclass), composed(X, frames_.pose(own)), shapes, body);
      else if (kind == "replicate") readReplicas(child, link, childclass, X, shapes, body);
      else if (kind == "site") addSite(child.textOr("name", ""), {link, composed(X, frames_.pose(own))});
      else if (kind == "composite" || kind == "flexcomp" || kind == "attach")
        child.fail("<" + kind + ">, which makes further bodies", "bodies that are written out");
    }
  }

  /// In a model of global coordinates; their geoms and joints have places of their own.
  void nameBodiesWithoutPlace() const {
    if (!without_place_.empty())
      file_.warn({}, fmt::format("bodies without pos, their frames are at the world's origin: {}",
                                 fmt::join(without_place_, ", ")));
  }

  struct NamedGeom {
    int link = kWorld;
    bool collides = false;
  };
  void nameGeom(const MjcfAttributes& geom, int link) {
    const std::string name = geom.own().textOr("name", "");
    if (name.empty()) return;
    noteReplica(name);
    named_geoms_[name + suffix_] = {link, maskOf(geom).has_value()};
  }

  struct Site {
    int link = kWorld;
    geom::Pose pose;  // In it.
  };
  void addSite(const std::string& name, const Site& site) {
    noteReplica(name);
    sites_[name + suffix_] = site;
  }

  /// Copies of what is inside, each moved against the one before by `offset` and `euler`; names get `sep` and a number.
  void readReplicas(const XmlElement& element, int link, const std::string& childclass, geom::Pose X,
                    MjcfShapes& shapes, const XmlElement* body) {
    const double count = element.numberOr("count", 0);
    if (!(count >= 1 && count <= kMostReplicas && count == std::floor(count)))
      element.refuse("count", fmt::format("a number of copies, from 1 to {}", kMostReplicas));
    const geom::Pose step{frames_.orientation(MjcfAttributes({element})),
                          element.vector3Or("offset", {0, 0, 0})};
    const long outside = copies_;
    copies_ *= static_cast<long>(count);  // Both factors are at most kMostReplicas.
    if (copies_ > kMostReplicas)
      element.fail(fmt::format("more than {} copies of one element", kMostReplicas), "fewer");
    const std::string outer = suffix_, separator = element.textOr("sep", "");
    const size_t digits = std::to_string(static_cast<long>(count) - 1).size();
    for (long k = 0; k < static_cast<long>(count); ++k) {
      suffix_ = separator + fmt::format("{:0{}}", k, digits) + outer;
      readContents(element, link, childclass, X, shapes, body);
      X = composed(X, step);
    }
    suffix_ = outer, copies_ = outside;
  }

  void readBody(const XmlElement& body, int parent, const std::string& above, const geom::Pose& X_PF) {
    const std::string childclass = body.textOr("childclass", above);
    const std::string name = ownName(body.textOr("name", ""), "body", link_names_, body, "body");
    const geom::Pose stated = frames_.pose(document_.attributes(body, childclass)), X_PB = composed(X_PF, stated);
    const geom::Pose X_BF = frames_.global() ? inverted(stated) : geom::Pose();  // What is in it is written in F.
    if (frames_.global() && !body.has("pos")) without_place_.push_back(name);
    std::vector<PlacedJoint> joints;
    listJoints(body, childclass, X_BF, joints);
    const int link = readJoints(body, name, parent, X_PB, joints);
    MjcfShapes shapes(*geoms_, file_, "body " + name, false);
    if (joints.empty() && (parent == kWorld || still_.contains(parent))) still_.insert(link), shapes.allowGround();
    for (const XmlElement& child : document_.children(body))
      if (child.name() == "inertial") shapes.setInertial(document_.attributes(child, childclass), X_BF);
    link_of_[name] = link;
    readContents(body, link, childclass, X_BF, shapes, &body);
    shapes.finish(file_.links[link], body.position());
  }

  /// A joint as it stands in its body or in a frame there.
  struct PlacedJoint {
    MjcfAttributes own;
    geom::Pose frame;  // In the body.
  };
  void listJoints(const XmlElement& element, const std::string& childclass, const geom::Pose& X,
                  std::vector<PlacedJoint>& joints) {
    for (const XmlElement& child : document_.children(element)) {
      const MjcfAttributes own = document_.attributes(child, childclass);
      if (child.name() == "joint" || child.name() == "freejoint") joints.push_back({own, X});
      if (child.name() == "frame")
        listJoints(child, child.textOr("childclass", childclass), composed(X, frames_.pose(own)), joints);
    }
  }

  /// The chain of joints of a body. @returns its link.
  int readJoints(const XmlElement& body, const std::string& name, int parent, const geom::Pose& X_PB,
                 const std::vector<PlacedJoint>& joints) {
    if (joints.empty()) {
      const int link = addLink(name, body);
      addFixed(parent, link, X_PB, body);
      return link;
    }
    geom::Pose X = X_PB;
    Vector3d reached(0, 0, 0);  // Origin of the last link, body frame.
    int above = parent, link = -1;
    for (size_t k = 0; k < joints.size(); ++k) {
      const MjcfAttributes& own = joints[k].own;
      const XmlElement& element = own.own();
      const bool free = element.name() == "freejoint" || own.text("type").value_or("") == "free";
      if (free && (parent != kWorld || joints.size() > 1))
        element.fail("a free joint of body " + name, "bodies of the world, without other joints");
      const Vector3d anchor =
          free ? Vector3d(0, 0, 0) : joints[k].frame * own.vector3("pos").value_or(Vector3d(0, 0, 0));
      FileJoint joint = readJoint(joints[k], free, name, k);
      joint.parent = above;
      joint.origin = X;
      joint.origin.p = X * (anchor - reached);
      const bool last = k + 1 == joints.size() && anchor.isZero(0);
      joint.child = link =
          addLink(last ? name : ownName("", name + "." + joint.name, link_names_, element, "body"), element);
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

  FileJoint readJoint(const PlacedJoint& placed, bool free, const std::string& body, size_t index) {
    const MjcfAttributes& own = placed.own;
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
    joint.axis = placed.frame.rotation() * own.vector3("axis").value_or(Vector3d(0, 0, 1));
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
    for (const std::string& own : {name + suffix_, name})
      for (FileJoint& joint : file_.joints)
        if (joint.name == own) return &joint;
    return nullptr;
  }
  /// The link of a body; nothing where none is called so.
  std::optional<int> findBody(const std::string& name) const {
    for (const std::string& own : {name + suffix_, name})
      if (const auto found = link_of_.find(own); found != link_of_.end()) return found->second;
    if (name == "world") return kWorld;
    return {};
  }
  const Site* findSite(const std::string& name) const {
    for (const std::string& own : {name + suffix_, name})
      if (const auto found = sites_.find(own); found != sites_.end()) return &found->second;
    return nullptr;
  }

  /// Calls `read` for an element that refers to others by these attributes; where those are replicated, for each of
  /// the replicas.
  template <typename Read>
  void forReplicas(const MjcfAttributes& own, std::initializer_list<const char*> attributes, const Read& read) {
    std::vector<std::string> suffixes{""};
    for (const char* attribute : attributes)
      if (const auto found = suffixes_of_.find(own.text(attribute).value_or("")); found != suffixes_of_.end())
        suffixes = found->second;
    for (const std::string& suffix : suffixes) suffix_ = suffix, read();
    suffix_.clear();
  }

  /// What an actuator can do bounds the effort of its joint; how it is driven is the scene's controller's matter.
  void readActuators() {
    std::map<FileJoint*, double> most;
    for (const XmlElement& element : document_.section("actuator")) {
      const MjcfAttributes own = document_.attributes(element, "");
      const std::string name = own.text("joint").value_or(own.text("jointinparent").value_or(""));
      if (name.empty()) {
        file_.warnAlike(element.position(), "actuator " + element.textOr("name", element.name()),
                        " drives no joint by itself; it is left out");
        continue;
      }
      forReplicas(own, {"joint", "jointinparent"}, [&] {
        FileJoint* const joint = findJoint(name);
        if (!joint)
          element.fail(fmt::format("actuator of joint {}, which is not there", name), "a joint of this model");
        most[joint] += effortOf(own);  // Several actuators of a joint add up.
      });
    }
    for (const auto& [joint, force] : most)
      if (force > 0) joint->effort = std::min(joint->effort, force);
  }

  /// The largest force or torque of an actuator at its joint.
  double effortOf(const MjcfAttributes& own) const {
    const auto gears = own.numbers("gear");
    const double gear = gears && !gears->empty() ? std::abs(gears->front()) : 1;
    const auto magnitude = [&](const char* attribute, const char* flag) {
      const auto range = own.numbers(attribute);
      const std::string limited = own.text(flag).value_or("auto");
      const bool holds = limited == "true" || (limited == "auto" && frames_.limitsByRange());
      return holds && range && range->size() == 2 ? std::max(std::abs((*range)[0]), std::abs((*range)[1]))
                                                  : std::numeric_limits<double>::infinity();
    };
    double force = magnitude("forcerange", "forcelimited");
    if (own.own().name() == "motor") force = std::min(force, magnitude("ctrlrange", "ctrllimited"));
    return gear * force;
  }

  void readEqualities() {
    for (const XmlElement& element : document_.section("equality")) {
      const MjcfAttributes own = document_.attributes(element, "");
      if (own.text("active").value_or("true") == "false") continue;
      if (element.name() == "connect" || element.name() == "weld")
        forReplicas(own, {"body1", "body2", "site1", "site2"}, [&] { readLoop(own); });
      else if (element.name() == "joint") forReplicas(own, {"joint1", "joint2"}, [&] { readFollower(own); });
      else
        file_.warnAlike(element.position(), fmt::format("equality {}", element.textOr("name", element.name())),
                        " is not read; it is left out");
    }
  }

  void readFollower(const MjcfAttributes& own) {
    const XmlElement& element = own.own();
    FileJoint* const follower = findJoint(own.text("joint1").value_or(""));
    const std::string leader = own.text("joint2").value_or("");
    if (!follower) element.refuse("joint1", "a joint of this model");
    const std::vector<double> c = own.numbers("polycoef").value_or(std::vector<double>{0, 1});
    const bool linear =
        std::all_of(c.begin() + std::min<size_t>(2, c.size()), c.end(), [](double x) { return x == 0; });
    if (!linear) {
      file_.warn(element.position(), fmt::format("equality of joint {}: not linear; it is left out", follower->name));
      return;
    }
    const double offset = c.empty() ? 0 : c[0], ratio = c.size() > 1 ? c[1] : 0;
    if (leader.empty()) return follower->hold(offset);
    const FileJoint* const leads = findJoint(leader);
    if (!leads) element.refuse("joint2", "a joint of this model");
    if (!follower->leader.empty())
      element.fail(fmt::format("joint {} follows {} already", follower->name, follower->leader),
                   "one equality a joint");
    follower->leader = leads->name, follower->ratio = ratio, follower->offset = offset;
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
  /// that they have at zero, or relpose. Between sites: their origins coincide, or their frames.
  void readLoop(const MjcfAttributes& own) {
    const XmlElement& element = own.own();
    const bool point = element.name() == "connect";
    FileLoop loop;
    loop.name = element.textOr("name", fmt::format("{}{}", element.name(), file_.loops.size() + 1)) + suffix_;
    loop.at = element.position();
    if (!point) loop.type = dynamics::LoopType::kWeld;
    if (own.text("site1")) {
      const auto side = [&](const char* attribute, int& link, geom::Pose& frame) {
        const Site* const site = findSite(own.text(attribute).value_or(""));
        if (!site) element.refuse(attribute, "a site of this model");
        link = site->link, frame = site->pose;
      };
      side("site1", loop.link_a, loop.frame_a), side("site2", loop.link_b, loop.frame_b);
      file_.loops.push_back(loop);
      return;
    }
    if (!own.text("body1")) element.fail(element.name() + " without body1 or site1", "two bodies, or two sites");
    const auto body = [&](const char* attribute) {
      const auto found = findBody(own.text(attribute).value_or("world"));
      if (!found) own.stating(attribute)->refuse(attribute, "a body of this model");
      return *found;
    };
    loop.link_a = body("body1"), loop.link_b = body("body2");
    const geom::Pose X_AB = composed(inverted(poseAtZero(loop.link_a)), poseAtZero(loop.link_b));
    if (point) {
      const auto anchor = own.vector3("anchor");
      if (!anchor) element.fail("connect without an anchor", "anchor=\"X Y Z\" in body1");
      loop.frame_a.p = frames_.global() ? inverted(poseAtZero(loop.link_a)) * *anchor : *anchor;
      loop.frame_b.p = inverted(X_AB) * loop.frame_a.p;
    } else {
      loop.frame_a = X_AB;
      const auto relative = own.numbers("relpose");
      if (relative && relative->size() != 7) element.refuse("relpose", "a position and a quaternion");
      if (relative && Eigen::Map<const Eigen::Vector4d>(relative->data() + 3).norm() > 0)
        loop.frame_a = {Eigen::Map<const Eigen::Vector4d>(relative->data() + 3).normalized(),
                        Eigen::Map<const Vector3d>(relative->data())};
    }
    file_.loops.push_back(loop);
  }

  /// Pairs of geoms meet whatever their masks say; what bodies have of them are their collision shapes alone.
  void readPairs() {
    for (const XmlElement& element : document_.section("contact")) {
      if (element.name() != "pair") continue;
      forReplicas(MjcfAttributes({element}), {"geom1", "geom2"}, [&] {
        const auto geom = [&](const char* attribute) {
          const std::string name = element.textOr(attribute, "");
          for (const std::string& own : {name + suffix_, name})
            if (const auto found = named_geoms_.find(own); found != named_geoms_.end()) return found->second;
          element.refuse(attribute, "a geom of this model");
        };
        const NamedGeom a = geom("geom1"), b = geom("geom2");
        const auto say = [&](const char* what) {
          file_.warn(element.position(), fmt::format("contact pair {} of {} and {}: {}", element.textOr("name", ""),
                                                     element.textOr("geom1", ""), element.textOr("geom2", ""), what));
        };
        if (!a.collides || !b.collides) return say("of a geom for the eye alone; it is left out");
        if (element.text("friction")) say("its friction is that of its bodies");
        if (a.link != b.link) file_.paired.emplace_back(a.link, b.link);
      });
    }
  }

  /// Links of a body by its name: of the world all that hold its geoms.
  std::vector<int> linksOf(const XmlElement& element, const char* attribute) const {
    const auto found = findBody(element.textOr(attribute, ""));
    if (!found) element.refuse(attribute, "a body of this model");
    return *found == kWorld ? world_links_ : std::vector<int>{*found};
  }

  void readExcludes() {
    for (const XmlElement& element : document_.section("contact")) {
      if (element.name() == "pair") continue;
      if (element.name() != "exclude") {
        file_.warn(element.position(), fmt::format("contact {} is not read; it is left out", element.name()));
        continue;
      }
      forReplicas(MjcfAttributes({element}), {"body1", "body2"}, [&] {
        for (const int a : linksOf(element, "body1"))
          for (const int b : linksOf(element, "body2"))
            if (a != b && !dynamics::standIn(file_.paired, a, b)) file_.ignored.emplace_back(a, b);
      });
    }
  }

  /// qpos in the order of the joints in the file.
  void readKeyframes() {
    for (const XmlElement& element : document_.section("keyframe")) {
      const auto qpos = element.numbers("qpos");
      if (element.name() != "key" || !qpos) continue;
      if (const auto qvel = element.numbers("qvel");
          qvel && std::any_of(qvel->begin(), qvel->end(), [](double v) { return v != 0; }))
        file_.warn(element.position(), fmt::format("key {}: its velocities are left out (`joint_velocities`)",
                                                   element.textOr("name", "")));
      const std::string name = element.textOr("name", std::to_string(file_.keyframes.size()));
      const auto countOf = [&](int j) {
        const JointType type = file_.joints[j].type;
        return type == JointType::kFloating ? size_t{7} : type == JointType::kSpherical ? size_t{4} : size_t{1};
      };
      const size_t needed =
          std::accumulate(order_.begin(), order_.end(), size_t{0}, [&](size_t sum, int j) { return sum + countOf(j); });
      if (qpos->size() != needed) {
        const std::string why = fmt::format("qpos has {} numbers, the model's joints {}", qpos->size(), needed);
        file_.warn(element.position(), fmt::format("key {}: {}; it is left out", name, why));
        file_.unfit_keyframes.emplace(name, why);
        continue;
      }
      std::vector<std::vector<double>> starts(file_.joints.size());
      auto next = qpos->begin();
      for (int j : order_) {
        const FileJoint& joint = file_.joints[j];
        const auto first = next;
        next += static_cast<long>(countOf(j));
        if (joint.type == JointType::kFixed) continue;
        starts[j].assign(first, next);
        if (starts[j].size() == 1) starts[j][0] -= ref_of_[joint.name];
      }
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
  std::vector<std::string> without_place_;  // Bodies that state no pos where all places are in the world.
  std::map<std::string, Site> sites_;
  std::map<std::string, NamedGeom> named_geoms_;
  std::vector<int> world_links_;  // That hold geoms of the world.
  std::string suffix_;  // Of names within <replicate>, and of what refers to them.
  long copies_ = 1;  // Of what is read here.
  std::map<std::string, std::vector<std::string>> suffixes_of_;  // Of names of the file that are replicated.
};

}  // namespace

FileModel readMjcf(const std::string& path, std::vector<std::string>& warnings, const Files& files,
                   const ShapeOptions& options) {
  return MjcfReader(path, warnings, files, options).read();
}

}  // namespace rigor::scenes
