// SPDX-License-Identifier: MIT
#include "scenes/urdf.h"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <tinyxml.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <map>
#include <mutex>

#include "scenes/document.h"
#include "scenes/load_error.h"
#include "scenes/mesh_hull.h"
#include "scenes/shape_reader.h"

namespace rigor::scenes {
namespace {

constexpr int kDeepest = 100;  // Of nested elements; URDF has 5.
constexpr int kSphereVertices = 100, kCylinderSides = 32;  // As in scene files.

/// urdfdom reports errors to a global handler and then returns nothing.
class MessageCollector : public console_bridge::OutputHandler {
 public:
  MessageCollector() : lock_(guard()) { console_bridge::useOutputHandler(this); }
  ~MessageCollector() override { console_bridge::restorePreviousOutputHandler(); }
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) all += (all.empty() ? "" : ": ") + text;
  }
  std::string all;  ///< What is wrong first, then what cannot be read for it.

 private:
  static std::mutex& guard() {
    static std::mutex mutex;
    return mutex;
  }
  std::lock_guard<std::mutex> lock_;
};

Eigen::Vector3d vec(const urdf::Vector3& a) { return {a.x, a.y, a.z}; }
geom::Pose pose(const urdf::Pose& X) {
  return {{X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z}, vec(X.position)};
}

class UrdfReader {
 public:
  UrdfReader(const std::string& path, std::vector<std::string>& warnings) : path_(path), warnings_(warnings) {}

  UrdfRobot read(UrdfBase base, const geom::Pose& base_pose) {
    const urdf::ModelInterfaceSharedPtr file = parse(findElements(readTextFile(path_, "a URDF file")));
    listLinks(*file);
    UrdfRobot robot;
    robot.name = file->getName();
    // Joints in the order of the file: urdfdom keeps them by name.
    std::vector<dynamics::JointDescription> joints;
    for (const std::string& name : joint_order_) joints.push_back(joint(*file->joints_.at(name)));
    robot.root = findRoot();
    robot.floating = base == UrdfBase::kFloating || (base == UrdfBase::kAuto && links_[robot.root].name != "world");
    dynamics::JointDescription base_joint;
    base_joint.name = freeName(joints);
    base_joint.type = robot.floating ? dynamics::JointType::kFloating : dynamics::JointType::kFixed;
    base_joint.child = robot.root;
    base_joint.origin = base_pose;
    robot.base_joint = static_cast<int>(joints.size());
    joints.push_back(base_joint);
    for (const std::string& name : link_order_) robot.shapes.push_back(shapes(*file->getLink(name)));
    try {
      robot.model = std::make_shared<const dynamics::ArticulatedModel>(links_, joints);
    } catch (const dynamics::ModelError& error) {
      fail(error.element == "joint " + base_joint.name ? "link " + links_[robot.root].name : error.element,
           std::string(error.what()), "links and joints of a tree of rigid bodies");
    }
    return robot;
  }

 private:
  [[noreturn]] void fail(const std::string& element, const std::string& found, const std::string& allowed) const {
    const auto place = places_.find(element);
    throw LoadError(path_, place == places_.end() ? Position{} : place->second, found, allowed);
  }
  void warn(const std::string& element, const std::string& what) const {
    const auto place = places_.find(element);
    const Position at = place == places_.end() ? Position{} : place->second;
    warnings_.push_back(fmt::format("{}:{}:{}: {}: {}", path_, at.line, at.column, element, what));
  }

  static Position positionOf(const TiXmlBase& element) { return {element.Row(), element.Column()}; }

  /// Places of links and joints, their order, and what urdfdom does not read or lets pass. @returns the text that it reads.
  std::string findElements(const std::string& text) {
    refuseDepth(text);
    TiXmlDocument document;
    document.Parse(text.c_str());
    if (document.Error()) {
      throw LoadError(path_, {std::max(document.ErrorRow(), 1), std::max(document.ErrorCol(), 1)},
                      std::string("no XML: ") + document.ErrorDesc(), "a URDF file");
    }
    TiXmlElement* robot = document.FirstChildElement("robot");
    if (!robot) throw LoadError(path_, {}, "no <robot> element", "a URDF file");
    for (TiXmlElement* e = robot->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string kind = e->Value();
      if (kind != "link" && kind != "joint") continue;
      const char* name = e->Attribute("name");
      if (!name || !*name) throw LoadError(path_, positionOf(*e), "a " + kind + " without a name", "a name of its own");
      const std::string element = kind + ' ' + name;
      if (!places_.emplace(element, positionOf(*e)).second) {
        throw LoadError(path_, positionOf(*e), "a second " + element, "a name of its own for every " + kind);
      }
      (kind == "link" ? link_order_ : joint_order_).push_back(name);
      if (kind == "joint") {
        readArmature(*e, name);
        refuseLoop(*e, name);
        readExtension(*e, name);
      }
    }
    if (link_order_.empty()) throw LoadError(path_, positionOf(*robot), "a robot without links", "at least one link");
    if (extensions_.empty()) return text;
    TiXmlPrinter printer;
    document.Accept(&printer);
    return printer.Str();
  }

  /// TinyXML descends by recursion, and a file of nothing but opening tags ends the stack.
  void refuseDepth(const std::string& text) const {
    int depth = 0;
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
      const std::string_view rest = std::string_view(text).substr(at);
      if (rest.starts_with("<!--")) at = std::min(text.find("-->", at), text.size());
      if (rest.starts_with("<!") || rest.starts_with("<?")) continue;
      const size_t end = rest.find('>');
      if (rest.starts_with("</")) --depth;
      else if (end != std::string_view::npos && rest[end - 1] != '/') ++depth;
      if (depth > kDeepest) throw LoadError(path_, {}, fmt::format("elements nested more than {} deep", kDeepest), "a URDF file");
    }
  }

  /// Joints of types that URDF does not have: urdfdom reads them under the name of one that it does.
  void readExtension(TiXmlElement& joint, const std::string& name) {
    const std::string type = joint.Attribute("type") ? joint.Attribute("type") : "";
    if (type != "spherical" && type != "universal") return;
    Extension extension;
    if (type == "universal") {
      extension.type = dynamics::JointType::kUniversal;
      const TiXmlElement *axis = joint.FirstChildElement("axis2"), *limit = joint.FirstChildElement("limit");
      const char* numbers = axis ? axis->Attribute("xyz") : nullptr;
      try {
        if (numbers) extension.axis2.init(numbers);
      } catch (const urdf::ParseError&) {
        numbers = nullptr;
      }
      if (!numbers) fail("joint " + name, "joint " + name + ": no second axis", "<axis2 xyz=\"X Y Z\"/>: a universal joint turns about two");
      extension.bounded = limit && (limit->Attribute("lower") || limit->Attribute("upper"));
    }
    extensions_[name] = extension;
    joint.SetAttribute("type", type == "universal" ? "continuous" : "floating");
  }

  /// Before urdfdom sees it: a closed loop leaves it with links that own each other and are never freed.
  void refuseLoop(const TiXmlElement& joint, const std::string& name) {
    const auto link = [&](const char* role) {
      const TiXmlElement* element = joint.FirstChildElement(role);
      const char* text = element ? element->Attribute("link") : nullptr;
      return std::string(text ? text : "");
    };
    const std::string child = link("child"), parent = link("parent");
    if (child.empty() || parent.empty()) return;  // urdfdom says so.
    const auto refuse = [&](const std::string& what) {
      fail("joint " + name, "joint " + name + ": " + what, "a tree: loops are not supported");
    };
    if (const auto first = hangs_on_.find(child); first != hangs_on_.end()) {
      refuse("link " + child + " hangs on joint " + first->second.joint + " already");
    }
    const std::string* above = &parent;
    while (*above != child) {
      const auto next = hangs_on_.find(*above);
      if (next == hangs_on_.end()) break;
      above = &next->second.parent;
    }
    if (*above == child) refuse("closes a loop through link " + child);
    hangs_on_[child] = {name, parent};
  }

  void readArmature(const TiXmlElement& joint, const std::string& name) {
    const TiXmlElement* dynamics = joint.FirstChildElement("dynamics");
    const char* text = dynamics ? dynamics->Attribute("armature") : nullptr;
    if (!text) return;
    double value = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end || !(value >= 0 && value <= kLargestNumber)) {
      fail("joint " + name, "joint " + name + ": armature is " + text, "a number >= 0");
    }
    armature_[name] = value;
  }

  urdf::ModelInterfaceSharedPtr parse(const std::string& text) const {
    MessageCollector messages;
    urdf::ModelInterfaceSharedPtr file;
    try {
      file = urdf::parseURDF(text);
    } catch (const std::exception& error) {
      messages.all = error.what();
    }
    if (file && messages.all.empty()) return file;
    // The element that the message names, if it names one of ours.
    std::string element;
    for (const auto& [name, place] : places_) {
      const std::string own = name.substr(name.find(' ') + 1);
      const bool named = messages.all.find('[' + own + ']') != std::string::npos ||
                         messages.all.find('\'' + own + '\'') != std::string::npos;
      if (named && (element.empty() || name.starts_with("joint"))) element = name;
    }
    fail(element, messages.all.empty() ? "no robot" : messages.all, "a URDF file");
  }

  void listLinks(const urdf::ModelInterface& file) {
    for (const std::string& name : link_order_) {
      const urdf::Link& source = *file.getLink(name);
      dynamics::LinkDescription link;
      link.name = name;
      if (source.inertial) {
        const urdf::Inertial& i = *source.inertial;
        const geom::Pose X = pose(i.origin);
        Eigen::Matrix3d inertia;
        inertia << i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz;
        if (!(i.mass > 0)) fail("link " + name, fmt::format("link {}: mass is {}", name, i.mass), "a mass > 0");
        requireModerate("link " + name, {i.mass, i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz, X.p[0], X.p[1], X.p[2]});
        link.mass = i.mass;
        link.centre = X.p;
        link.inertia = X.rotation() * inertia * X.rotation().transpose();
      }
      link_index_[name] = static_cast<int>(links_.size());
      links_.push_back(link);
    }
  }

  dynamics::JointDescription joint(const urdf::Joint& source) const {
    using dynamics::JointType;
    const std::string element = "joint " + source.name;
    dynamics::JointDescription joint;
    joint.name = source.name;
    joint.parent = linkOf(element, source.parent_link_name);
    joint.child = linkOf(element, source.child_link_name);
    joint.origin = pose(source.parent_to_joint_origin_transform);
    joint.axis = vec(source.axis);
    requireModerate(element, {joint.origin.p[0], joint.origin.p[1], joint.origin.p[2], joint.axis[0], joint.axis[1], joint.axis[2]});
    bool bounded = source.type == urdf::Joint::REVOLUTE || source.type == urdf::Joint::PRISMATIC;
    switch (source.type) {
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        joint.type = JointType::kRevolute;
        break;
      case urdf::Joint::PRISMATIC:
        joint.type = JointType::kPrismatic;
        break;
      case urdf::Joint::PLANAR:
        joint.type = JointType::kPlanar;
        break;
      case urdf::Joint::FIXED:
        joint.type = JointType::kFixed;
        break;
      case urdf::Joint::FLOATING:
        joint.type = JointType::kFloating;
        break;
      default:
        fail(element, element + ": unknown type", "revolute, continuous, prismatic, planar, universal, spherical, fixed or floating");
    }
    if (const auto extension = extensions_.find(source.name); extension != extensions_.end()) {
      joint.type = extension->second.type, bounded = extension->second.bounded;
      joint.axis2 = vec(extension->second.axis2);
      requireModerate(element, {joint.axis2[0], joint.axis2[1], joint.axis2[2]});
    }
    if (source.mimic) {
      fail(element, element + ": mimic, which makes two joints one", "joints that move on their own");
    }
    if (source.limits) {
      const urdf::JointLimits& limits = *source.limits;
      if (bounded) joint.lower = limits.lower, joint.upper = limits.upper;
      const bool endless = source.type == urdf::Joint::CONTINUOUS || source.type == urdf::Joint::FIXED;
      if (!bounded && !endless && (limits.lower != 0 || limits.upper != 0))
        warn(element, "only revolute, prismatic and universal joints have limits of position; these are left out");
      if (bounded && limits.lower == limits.upper)
        fail(element, fmt::format("{}: its limits {} and {} leave no room", element, limits.lower, limits.upper), "a lower limit below the upper one, or a fixed joint");
      requireModerate(element, {limits.lower, limits.upper, limits.effort, limits.velocity});
      if (limits.effort < 0) fail(element, fmt::format("{}: effort is {}", element, limits.effort), "a number >= 0; 0 for no limit");
      if (limits.velocity < 0) fail(element, fmt::format("{}: velocity is {}", element, limits.velocity), "a number >= 0; 0 for no limit");
      // The format requires both attributes; zero is commonly written for "not known".
      if (limits.effort > 0) joint.effort = limits.effort;
      if (limits.velocity > 0) joint.speed = limits.velocity;
    }
    const bool passive = joint.type == JointType::kFixed || joint.type == JointType::kFloating;
    if (source.dynamics && !passive) {
      joint.damping = source.dynamics->damping;
      requireModerate(element, {joint.damping});
      if (source.dynamics->friction != 0) warn(element, "joint friction is not simulated; it is left out");
    }
    if (const auto armature = armature_.find(source.name); armature != armature_.end() && !passive) {
      joint.armature = armature->second;
    }
    return joint;
  }

  /// As of numbers in scene files.
  void requireModerate(const std::string& element, std::initializer_list<double> numbers) const {
    for (const double x : numbers)
      if (!(std::abs(x) <= kLargestNumber)) fail(element, fmt::format("{}: found {}", element, x), "a finite number of magnitude at most 1e100");
  }

  int linkOf(const std::string& element, const std::string& name) const {
    const auto found = link_index_.find(name);
    if (found == link_index_.end()) fail(element, element + ": no link is called " + name, "a link of this file");
    return found->second;
  }

  int findRoot() const {  // There is one: no loops, and at least one link.
    int root = -1;
    for (size_t i = 0; i < links_.size(); ++i) {
      if (hangs_on_.contains(links_[i].name)) continue;
      if (root >= 0) {
        fail("link " + links_[i].name, fmt::format("two roots, link {} and link {}", links_[root].name, links_[i].name),
             "one tree");
      }
      root = static_cast<int>(i);
    }
    return root;
  }

  static std::string freeName(const std::vector<dynamics::JointDescription>& joints) {
    std::string name = "base";
    while (std::any_of(joints.begin(), joints.end(), [&](const auto& joint) { return joint.name == name; }))
      name += '_';
    return name;
  }

  std::vector<geom::Shape> shapes(const urdf::Link& link) const {
    std::vector<geom::Shape> parts;
    const std::string element = "link " + link.name;
    for (const urdf::CollisionSharedPtr& collision : link.collision_array) {
      if (!collision || !collision->geometry) fail(element, element + ": a collision without geometry", "a shape");
      try {
        for (const geom::Polytope& solid : solids(element, *collision->geometry)) {
          parts.push_back(placed(solid, pose(collision->origin)));
        }
      } catch (const geom::GeometryError& error) {
        fail(element, fmt::format("{}: collision: {}", element, error.what()), "a solid");
      }
    }
    return parts;
  }

  std::vector<geom::Polytope> solids(const std::string& element, const urdf::Geometry& geometry) const {
    const auto positive = [&](double value, const char* what) {
      if (!(value > 0)) fail(element, fmt::format("{}: collision {} is {}", element, what, value), "a number > 0 [m]");
      return value;
    };
    switch (geometry.type) {
      case urdf::Geometry::BOX: {
        const Eigen::Vector3d size = vec(static_cast<const urdf::Box&>(geometry).dim);
        for (double edge : size) positive(edge, "box size");
        return {geom::Polytope::box(size)};
      }
      case urdf::Geometry::SPHERE: {
        const double radius = positive(static_cast<const urdf::Sphere&>(geometry).radius, "sphere radius");
        return {geom::Polytope::fromPoints(spherePoints(radius, kSphereVertices))};
      }
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
        const double radius = positive(cylinder.radius, "cylinder radius");
        const double length = positive(cylinder.length, "cylinder length");
        return {geom::Polytope::fromPoints(cylinderPoints(radius, length, kCylinderSides))};
      }
      case urdf::Geometry::MESH:
        break;
      default:
        fail(element, element + ": an unknown collision shape", "box, cylinder, sphere or mesh");
    }
    const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
    for (double factor : vec(mesh.scale)) positive(factor, "mesh scale");
    std::vector<geom::Polytope> hulls;
    std::vector<MeshHull> read;
    try {
      read = readMeshHulls(meshPath(mesh.filename), vec(mesh.scale));
    } catch (const LoadError& error) {
      fail(element, fmt::format("{}: collision mesh: {}", element, error.what()), "a mesh file");
    }
    for (const MeshHull& hull : read) {
      if (!hull.convex) warn(element, "mesh " + mesh.filename + " is not convex and closed; its convex hull is used");
      hulls.push_back(hull.hull);
    }
    return hulls;
  }

  /// `package://NAME/REST` is looked for in the folder NAME beside or above the URDF file, then as REST beside it.
  std::string meshPath(const std::string& name) const {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(path_).parent_path();
    constexpr std::string_view kPackage = "package://", kFile = "file://";
    if (name.starts_with(kFile)) return name.substr(kFile.size());
    if (!name.starts_with(kPackage)) return folder / name;
    const std::string inside = name.substr(kPackage.size());
    const fs::path rest = inside.substr(std::min(inside.find('/') + 1, inside.size()));
    std::error_code error;
    for (fs::path above = fs::absolute(folder, error); !above.empty(); above = above.parent_path()) {
      if (fs::is_regular_file(above / inside, error)) return above / inside;
      if (above == above.parent_path()) break;
    }
    return folder / rest;
  }

  const std::string& path_;
  std::vector<std::string>& warnings_;
  std::map<std::string, Position> places_;  // `link NAME`, `joint NAME`.
  std::vector<std::string> link_order_, joint_order_;
  std::map<std::string, double> armature_;
  struct Extension {
    dynamics::JointType type = dynamics::JointType::kSpherical;
    urdf::Vector3 axis2;
    bool bounded = false;  ///< Both angles, by the same limits.
  };
  std::map<std::string, Extension> extensions_;  // Joints whose type URDF does not have.
  struct Hanging {
    std::string joint, parent;
  };
  std::map<std::string, Hanging> hangs_on_;  // Of every link but roots.
  std::vector<dynamics::LinkDescription> links_;
  std::map<std::string, int> link_index_;
};

}  // namespace

UrdfRobot readUrdf(const std::string& path, UrdfBase base, const geom::Pose& pose, std::vector<std::string>& warnings) {
  return UrdfReader(path, warnings).read(base, pose);
}

}  // namespace rigor::scenes
