// SPDX-License-Identifier: MIT
#include "scenes/sdf.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "dynamics/joint_type_name.h"
#include "geom/mass_properties.h"
#include "scenes/collision_shape.h"
#include "scenes/document.h"
#include "scenes/mjcf_geom.h"
#include "scenes/sdf_scope.h"

namespace rigor::scenes {
namespace {

using dynamics::JointType;
using dynamics::kWorld;
using Eigen::Vector3d;

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
  SdfReader(SdfScope& world, const std::string& path, std::vector<std::string>& warnings, const Files& files,
            const ShapeOptions& options, std::vector<std::string> included)
      : world_(world) {
    file_.path = path, file_.warnings = &warnings, file_.files = files, file_.shape_options = options;
    file_.included = std::move(included);
    file_.name = world.nested().size() == 1 ? world.nested()[0]->name() : world.element().textOr("name", "world");
  }

  FileModel read() {
    nameSurroundings();
    readLinks(world_);
    if (file_.links.empty()) world_.nested()[0]->element().fail("a model without links", "at least one link");
    readJoints(world_);
    hangRoots();
    giveToWorld();
    return std::move(file_);
  }

 private:
  void readLinks(SdfScope& scope) {
    if (scope.standsIn())
      file_.warn(scope.includedBy()->position(),
                 fmt::format("include: {} is not there; the half-space z <= 0 stands for it", scope.path()));
    // Meshes and places of warnings are those of the model's own file.
    const std::string path = std::exchange(file_.path, scope.path());
    for (const XmlElement& link : scope.element().children("link")) readLink(link, scope);
    for (const auto& model : scope.nested()) readLinks(*model);
    file_.path = path;
  }

  void readJoints(SdfScope& scope) {
    const std::string path = std::exchange(file_.path, scope.path());
    for (const XmlElement& joint : scope.element().children("joint")) readJoint(joint, scope);
    for (const auto& model : scope.nested()) readJoints(*model);
    file_.path = path;
  }

  void readLink(const XmlElement& element, SdfScope& scope) {
    FileLink link;
    link.name = scope.prefix() + element.textOr("name", ""), link.at = element.position();
    if (!link_index_.emplace(link.name, static_cast<int>(file_.links.size())).second)
      element.fail(fmt::format("a second link {}", link.name), "a name of its own for every link");
    stands_.push_back({scope.isStatic(), scope.pose(element.textOr("name", ""), element), &scope});
    const auto inertial = element.child("inertial");
    const std::string asked = inertial ? inertial->textOr("auto", "false") : "false";
    const bool weighs_shapes = asked == "true" || asked == "1";
    if (inertial && !weighs_shapes) readInertial(*inertial, link);
    if (!inertial && !scope.isStatic()) assumeInertial(link);
    nameUnlikely(element, link);
    link_density_ = inertial ? numberIn(*inertial, "density", kDensity) : kDensity;
    weights_.clear();
    link.visible = element.child("visual").has_value();
    CollisionReader shapes(file_, meshes_, "link " + link.name);
    std::vector<geom::Shape> planes;
    for (const XmlElement& collision : element.children("collision"))
      readCollision(collision, scope, link, shapes, planes);
    if (weighs_shapes) takeWeights(*inertial, link);
    shapes.finish(link, link.at);
    link.shapes.insert(link.shapes.end(), planes.begin(), planes.end());
    link.origins.resize(link.shapes.size(), {"plane"});
    file_.links.push_back(std::move(link));
  }

  /// What would move a link otherwise than its mass and its joints do.
  void nameUnlikely(const XmlElement& element, const FileLink& link) {
    const auto says = [&](const XmlElement& parent, const char* name, std::initializer_list<const char*> values) {
      const auto child = parent.child(name);
      return child && std::find(values.begin(), values.end(), child->content()) != values.end();
    };
    if (says(element, "gravity", {"0", "false"}))
      file_.warnAlike(link.at, "link " + link.name, ": <gravity> false is left out: gravity acts on all links");
    if (says(element, "kinematic", {"1", "true"}))
      file_.warnAlike(link.at, "link " + link.name, ": <kinematic> is left out: forces move it");
    if (const auto inertial = element.child("inertial"); inertial && inertial->child("fluid_added_mass"))
      file_.warnAlike(link.at, "link " + link.name, ": <fluid_added_mass> is left out: no medium is simulated");
  }

  /// Of the world: what the scene states, and what is not simulated.
  void nameSurroundings() const {
    if (world_.element().name() != "world") return;
    const Vector3d earth(0, 0, -9.81), gravity = vectorIn(world_.element(), "gravity", earth);
    if ((gravity - earth).norm() > .02)
      file_.warn(world_.element().child("gravity")->position(),
                 fmt::format("<gravity> {} is left out: `gravity` is the scene's",
                             world_.element().child("gravity")->content()));
    if (const auto wind = world_.element().child("wind"))
      if (!vectorIn(*wind, "linear_velocity", {0, 0, 0}).isZero(0))
        file_.warn(wind->position(), "<wind> is left out: no medium is simulated");
  }

  /// What the format says of a link without <inertial>.
  void assumeInertial(FileLink& link) {
    link.mass = 1, link.inertia.setIdentity(), link.assumed = true;
    file_.warnAlike(link.at, "link " + link.name,
                    ": no <inertial>; the format's default, 1 kg and 1 kg m^2 about all axes");
  }

  /// `auto`: what the collision shapes weigh; other entries do not count.
  void takeWeights(const XmlElement& inertial, FileLink& link) const {
    if (weights_.empty())
      inertial.fail(fmt::format("link {}: <inertial auto> without collision shapes", link.name), "shapes that weigh");
    const geom::MassProperties body = geom::composed(weights_);
    link.mass = body.mass, link.centre = body.centre, link.inertia = body.inertia;
  }

  /// A collision shape's own density comes before its link's.
  void weigh(const XmlElement& collision, const std::string& kind, const geom::MassProperties& unit) {
    const double density = numberIn(collision, "density", link_density_);
    if (!(density > 0))
      collision.fail(fmt::format("collision {}: density is {}", kind, density), "a number > 0 [kg/m^3]");
    weights_.push_back(unit.scaled(density));
  }

  static void readInertial(const XmlElement& inertial, FileLink& link) {
    link.mass = numberIn(inertial, "mass", 1);
    if (!(link.mass >= 0)) inertial.fail(fmt::format("link {}: mass is {}", link.name, link.mass), "a mass >= 0");
    const auto pose = inertial.child("pose");
    const geom::Pose X = pose ? sdfPose(*pose) : geom::Pose();
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

  void readCollision(const XmlElement& collision, SdfScope& scope, FileLink& link, CollisionReader& shapes,
                     std::vector<geom::Shape>& planes) {
    const auto geometry = collision.child("geometry");
    const auto pose = collision.child("pose");
    geom::Pose X = pose ? sdfPose(*pose) : geom::Pose();
    if (const std::string base = pose ? pose->textOr("relative_to", "") : ""; !base.empty())
      X = composed(inverted(stands_.back().pose), composed(scope.pose(base, *pose), X));
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
    const size_t parts_before = shapes.parts().size();
    Vector3d sizes(0, 0, 0);  // Radii and half lengths.
    if (kind == "box") {
      const Vector3d size = vectorIn(shape, "size", {0, 0, 0});
      if (!(size.array() > 0).all())
        shape.fail(fmt::format("link {}: collision box size", link.name), "numbers > 0 [m]");
      shapes.addBox(size, X, at), sizes = 0.5 * size;
    } else if (kind == "sphere") {
      sizes[0] = positive("radius"), shapes.addSphere(sizes[0], X, at);
    } else if (kind == "cylinder" || kind == "capsule") {
      sizes[0] = positive("radius"), sizes[1] = 0.5 * positive("length");
      if (kind == "cylinder") shapes.addCylinder(sizes[0], 2 * sizes[1], X, at);
      else shapes.addCapsule(sizes[0], 2 * sizes[1], X, at);
    } else if (kind == "ellipsoid") {
      sizes = vectorIn(shape, "radii", {0, 0, 0}), shapes.addEllipsoid(sizes, X, at);
    } else if (kind == "mesh") {
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
    if (const auto solid = primitive(kind, sizes)) weigh(collision, kind, geom::transformed(*solid, X));
    else
      for (size_t k = parts_before; k < shapes.parts().size(); ++k)
        weigh(collision, kind, shapes.massOf(k));
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

  int linkOf(const XmlElement& joint, const char* role, const SdfScope& scope) const {
    const auto stated = joint.child(role);
    const std::string name = stated ? stated->content() : "";
    if (name.empty())
      joint.fail(fmt::format("joint {}: no <{}>", joint.textOr("name", ""), role), "a parent and a child link");
    const std::string link = scope.link(name, joint);
    return link.empty() ? kWorld : link_index_.at(link);
  }

  void readJoint(const XmlElement& element, SdfScope& scope) {
    FileJoint joint;
    joint.name = scope.prefix() + element.textOr("name", ""), joint.at = element.position();
    const std::string type = element.textOr("type", "");
    const bool screw = type == "screw";
    const auto known = dynamics::jointTypeOf(&dynamics::JointTypeNames::sdf, screw ? "revolute" : type);
    if (!known)
      element.fail(fmt::format("joint {}: type {} is not read", joint.name, type),
                   "screw, " + dynamics::jointTypeWords(&dynamics::JointTypeNames::sdf));
    joint.type = *known;
    joint.parent = linkOf(element, "parent", scope);
    const int child = linkOf(element, "child", scope);
    if (child == kWorld) element.fail(fmt::format("joint {}: its child is the world", joint.name), "a link");
    const geom::Pose X_WJ = scope.pose(element.textOr("name", ""), element);
    joint.origin = joint.parent == kWorld ? X_WJ : composed(inverted(stands_[joint.parent].pose), X_WJ);
    const geom::Pose X_JW = inverted(X_WJ);
    if (const auto axis = element.child("axis"))
      readAxis(*axis, scope, X_JW, type != "continuous", joint.axis, joint);
    if (const auto axis = element.child("axis2")) readSecondAxis(*axis, scope, X_JW, joint);
    const geom::Pose X_JL = composed(X_JW, stands_[child].pose);
    joint.child = child;
    if (std::any_of(file_.joints.begin(), file_.joints.end(), [&](const FileJoint& one) { return one.child == child; }))
      return screw ? element.fail(fmt::format("joint {}: a screw closes a loop", joint.name), "revolute, ball, fixed")
                   : addLoop(joint, inverted(X_JL));
    if (screw) joint = addTurn(element, std::move(joint), X_WJ, scope);
    if (!X_JL.p.isZero(0) || !X_JL.q.tail<3>().isZero(0)) {
      joint.child = addBetween(file_.links[child].name + "." + joint.name, joint.at, X_WJ, scope);
      FileJoint rigid;
      rigid.name = joint.name + ".fixed", rigid.at = joint.at;
      rigid.parent = joint.child, rigid.child = child, rigid.origin = X_JL;
      file_.joints.push_back(rigid);
    }
    file_.joints.push_back(joint);
  }

  /// A link without mass in the frame of a joint.
  int addBetween(const std::string& name, Position at, const geom::Pose& X_WJ, const SdfScope& scope) {
    FileLink between;
    between.name = name, between.at = at;
    file_.links.push_back(between);
    stands_.push_back({false, X_WJ, &scope});
    return static_cast<int>(file_.links.size()) - 1;
  }

  /// A screw turns a link without mass, as the scene's own screws do. @returns the joint that shifts the child along.
  FileJoint addTurn(const XmlElement& element, FileJoint turn, const geom::Pose& X_WJ, const SdfScope& scope) {
    const auto pitch = element.child("screw_thread_pitch"), inverse = element.child("thread_pitch");
    if (!pitch && !inverse)
      element.fail(fmt::format("joint {}: a screw without a pitch", turn.name), "<screw_thread_pitch> [m/turn]");
    const double per_radian = pitch ? pitch->contentNumbers(1)[0] / (2 * EIGEN_PI)
                                    : -1 / inverse->contentNumbers(1)[0];  // [rad/m], left-handed: Gazebo's own.
    if (!std::isfinite(per_radian))
      element.fail(fmt::format("joint {}: a pitch of 0 rad/m", turn.name), "any other number");
    FileJoint shift;
    shift.name = turn.name + ".shift", shift.at = turn.at, shift.type = JointType::kPrismatic;
    shift.axis = turn.axis, shift.child = turn.child;
    shift.leader = turn.name, shift.ratio = per_radian;
    turn.child = shift.parent = addBetween(file_.links[turn.child].name + ".turn", turn.at, X_WJ, scope);
    file_.joints.push_back(std::move(turn));
    return shift;
  }

  /// Of a universal joint: both have the limits, damping and spring of the first.
  void readSecondAxis(const XmlElement& axis, SdfScope& scope, const geom::Pose& X_JW, FileJoint& joint) {
    FileJoint other = joint;
    other.lower = -INFINITY, other.upper = INFINITY, other.effort = other.speed = INFINITY;
    other.damping = other.friction = 0;
    readAxis(axis, scope, X_JW, true, joint.axis2, other);
    if (joint.type != JointType::kUniversal) return;
    if (other.lower != joint.lower || other.upper != joint.upper) {
      file_.warn(axis.position(),
                 fmt::format("joint {}: limits of its axes that differ; they are left out", joint.name));
      joint.lower = -INFINITY, joint.upper = INFINITY;
    }
    if (other.damping != joint.damping || other.friction != joint.friction)
      file_.warn(axis.position(),
                 fmt::format("joint {}: damping or friction of its axes that differ; those of the first count for both",
                             joint.name));
    joint.effort = std::min(joint.effort, other.effort), joint.speed = std::min(joint.speed, other.speed);
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

  void readAxis(const XmlElement& axis, SdfScope& scope, const geom::Pose& X_JW, bool bounded, Vector3d& direction,
                FileJoint& joint) {
    direction = vectorIn(axis, "xyz", {0, 0, 1});
    const auto xyz = axis.child("xyz"), in_model = axis.child("use_parent_model_frame");
    std::string frame = xyz ? xyz->textOr("expressed_in", "") : "";
    const std::string asked = in_model ? in_model->content() : "";
    const bool model_frame = asked == "1" || asked == "true" || (asked.empty() && scope.axesInModel());
    if (frame.empty() && model_frame) frame = "__model__";
    if (!frame.empty()) direction = X_JW.rotation() * (scope.pose(frame, axis).rotation() * direction);
    if (const auto mimic = axis.child("mimic")) readMimic(*mimic, scope, joint);
    if (const auto limit = axis.child("limit"); limit) {
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

  /// The follower stands at multiplier (q - reference) + offset.
  void readMimic(const XmlElement& mimic, const SdfScope& scope, FileJoint& joint) const {
    const std::string leader = mimic.textOr("joint", "");
    if (leader.empty())
      mimic.fail(fmt::format("joint {}: mimic without a joint", joint.name), "the joint that it follows");
    joint.leader = scope.prefix() + leader;
    joint.ratio = numberIn(mimic, "multiplier", 1);
    joint.offset = numberIn(mimic, "offset", 0) - joint.ratio * numberIn(mimic, "reference", 0);
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
      joint.type = stands_[i].fixed || plane_at_.contains(link.name) ? JointType::kFixed : JointType::kFloating;
      joint.child = static_cast<int>(i), joint.origin = stands_[i].pose;
      file_.joints.push_back(joint);
    }
    for (const FileJoint& joint : file_.joints)
      if (joint.type != JointType::kFixed && plane_at_.contains(file_.links[joint.child].name))
        file_.fail(plane_at_.at(file_.links[joint.child].name),
                   fmt::format("link {}: a plane on a link that moves", file_.links[joint.child].name),
                   "planes of links that do not move");
  }

  /// Static models are the world's own, but for those that have joints which move: these are bases.
  void giveToWorld() {
    std::set<const SdfScope*> mechanisms;
    for (const FileJoint& joint : file_.joints)
      if (joint.type != JointType::kFixed && joint.type != JointType::kFloating)
        mechanisms.insert(stands_[joint.child].scope);
    for (size_t i = 0; i < file_.links.size(); ++i)
      file_.links[i].of_world = plane_at_.contains(file_.links[i].name) ||
                                (stands_[i].fixed && !mechanisms.contains(stands_[i].scope));
  }

  static constexpr double kDensity = 1000;  // The format's [kg/m^3].
  struct Stand {
    bool fixed = false;  // Its model is static.
    geom::Pose pose;     // In the world.
    const SdfScope* scope = nullptr;
  };
  SdfScope& world_;
  FileModel file_;
  CollisionReader::MeshCache meshes_;
  std::vector<Stand> stands_;  // Of each link.
  std::map<std::string, int> link_index_;
  double link_density_ = kDensity;             // Of the link at hand [kg/m^3].
  std::vector<geom::MassProperties> weights_;  // Of its collision shapes.
  std::map<std::string, Position> plane_at_;
};

}  // namespace

FileModel readSdf(const std::string& path, std::vector<std::string>& warnings, const Files& files,
                  const ShapeOptions& options) {
  std::vector<std::string> included;
  const std::unique_ptr<SdfScope> world = SdfScope::read(path, files, included);
  return SdfReader(*world, path, warnings, files, options, std::move(included)).read();
}

}  // namespace rigor::scenes
