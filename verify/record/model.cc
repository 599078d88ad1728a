// SPDX-License-Identifier: MIT
#include "verify/record/model.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "verify/record/strict_json.h"

namespace rigor::verify::recorded {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw std::invalid_argument(fmt::format("{} {}", place, what));
}

/// An object with exactly these members.
void requireMembers(const Json& json, const std::string& place, std::initializer_list<const char*> members) {
  if (!json.is_object()) fail(place, "is no object");
  for (const char* member : members)
    if (!json.contains(member)) fail(place, fmt::format("has no '{}'", member));
  if (json.size() != members.size()) fail(place, "has a member that the format does not know");
}

const Json& list(const Json& json, const std::string& place) {
  if (!json.is_array()) fail(place, "is no list");
  return json;
}

double number(const Json& json, const std::string& place) {
  if (!json.is_number()) fail(place, "is no number");
  const double x = json.get<double>();
  if (!std::isfinite(x)) fail(place, "is not finite");
  return x;
}

/// null means that there is none.
double numberOr(const Json& json, const std::string& place, double none) {
  return json.is_null() ? none : number(json, place);
}

std::string text(const Json& json, const std::string& place) {
  if (!json.is_string()) fail(place, "is no text");
  return json.get<std::string>();
}

bool truth(const Json& json, const std::string& place) {
  if (!json.is_boolean()) fail(place, "is neither true nor false");
  return json.get<bool>();
}

template <std::size_t N>
std::array<double, N> numbers(const Json& json, const std::string& place) {
  if (list(json, place).size() != N) fail(place, fmt::format("has not {} numbers", N));
  std::array<double, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = number(json[i], place);
  return out;
}

/// The number of a body's point.
std::size_t pointOf(const Json& json, const std::vector<kernel::Vector3>& points, const std::string& place) {
  const std::int64_t point = json.is_number_integer() ? json.get<std::int64_t>() : -1;
  if (point < 0 || point >= std::ssize(points)) fail(place, "names a point that is not there");
  return static_cast<std::size_t>(point);
}

/// @param points  Of the body, which parts may have their corners among.
kernel::Part partOf(const Json& json, const std::vector<kernel::Vector3>& points, const std::string& place) {
  kernel::Part part;
  if (json.is_object() && json.contains("corners")) {
    requireMembers(json, place, {"corners"});
    const Json& corners = list(json["corners"], place);
    if (corners.size() < 4) fail(place, "has fewer than four corners");
    part.vertices.reserve(corners.size());
    for (const Json& corner : corners) part.vertices.push_back(points[pointOf(corner, points, place)]);
    return part;
  }
  part.half_space = json.is_object() && json.contains("halfspace");
  if (part.half_space) {
    requireMembers(json, place, {"halfspace"});
    const Json& half_space = json["halfspace"];
    requireMembers(half_space, place, {"normal", "offset"});
    part.normal = numbers<3>(half_space["normal"], place);
    part.offset = number(half_space["offset"], place);
    if (part.normal[0] == 0 && part.normal[1] == 0 && part.normal[2] == 0) fail(place, "has no normal");
    return part;
  }
  const bool round = json.is_object() && json.contains("round");
  if (round) requireMembers(json, place, {"vertices", "round"});
  else requireMembers(json, place, {"vertices"});
  for (const Json& vertex : list(json["vertices"], place)) part.vertices.push_back(numbers<3>(vertex, place));
  if (part.vertices.size() < 4) fail(place, "has fewer than four vertices");
  if (!round) return part;
  requireMembers(json["round"], place, {"core", "radius", "axis"});
  for (const Json& point : list(json["round"]["core"], place)) part.core.push_back(numbers<3>(point, place));
  if (part.core.empty() || part.core.size() > 2) fail(place, "has a round core of neither one point nor two");
  part.radius = number(json["round"]["radius"], place);
  if (!(part.radius > 0)) fail(place, "has a round radius that is not positive");
  if (!json["round"]["axis"].is_null()) {
    part.axis = numbers<3>(json["round"]["axis"], place);
    if (part.axis == kernel::Vector3{}) fail(place, "has a round axis of length zero");
  }
  return part;
}

Json parsed(const std::string& source) {
  try {
    return parseStrictJson(source);
  } catch (const std::invalid_argument& error) {
    fail("the model", std::string("is not strict JSON: ") + error.what());
  }
}

class Reader {
 public:
  ModelText read(const std::string& source) {
    const Json json = parsed(source);
    requireMembers(json, "the model", {"gravity", "until", "bodies", "robots", "ignored_pairs", "impact", "solver"});
    out_.model.gravity = numbers<3>(json["gravity"], "gravity");
    number(json["until"], "until");
    const Json& robots = list(json["robots"], "robots");
    for (const Json& robot : robots) noteRobot(robot);
    for (const Json& body : list(json["bodies"], "bodies")) readBody(body);
    for (const Json& robot : robots) readRobot(robot);
    for (const Json& pair : list(json["ignored_pairs"], "ignored_pairs")) readIgnored(pair);
    for (const char* options : {"impact", "solver"})
      if (!json[options].is_object()) fail(options, "is no object");
    if (const auto name = json["impact"].find("model"); name != json["impact"].end() && name->is_string())
      out_.impact_model = *name;
    return std::move(out_);
  }

 private:
  // Trees of one file have its name, each with joints of its own, which say whose links are whose.
  void noteRobot(const Json& json) {
    const int number = count_++;
    const std::string name = text(json.is_object() ? json.value("name", Json()) : Json(), "a robot's name");
    robots_.try_emplace(name, number);
    if (!json.contains("joints")) return;  // Said later, as is all else that is missing.
    for (const Json& joint : json["joints"]) {
      if (!joint.is_object() || !joint.contains("name") || !joint.contains("child")) continue;
      if (!joint_names_.emplace(name, joint["name"].dump()).second) fail("robots", "have two joints of one name");
      links_.try_emplace({name, joint["child"].dump()}, number);
    }
  }

  int robotOf(const Json& body, const std::string& at) const {
    const std::string name = text(body["robot"], at + ": robot");
    const auto robot = robots_.find(name);
    if (robot == robots_.end()) fail(at, "belongs to a robot that is not there");
    const auto link = links_.find({name, body["name"].dump()});
    return link == links_.end() ? robot->second : link->second;
  }

  void readBody(const Json& json) {
    const std::string at = fmt::format("body {}", out_.model.bodies.size());
    if (json.is_object() && json.contains("points")) {
      requireMembers(json, at,
                     {"name", "fixed", "mass", "inertia", "centre", "friction", "restitution", "position",
                      "orientation", "velocity", "angular_velocity", "robot", "points", "parts"});
    } else {
      requireMembers(json, at,
                     {"name", "fixed", "mass", "inertia", "centre", "friction", "restitution", "position",
                      "orientation", "velocity", "angular_velocity", "robot", "parts"});
    }
    kernel::Body body;
    body.name = text(json["name"], at);
    body.fixed = truth(json["fixed"], at);
    body.mass = number(json["mass"], at + ": mass");
    body.inertia = numbers<6>(json["inertia"], at + ": inertia");
    if (!body.fixed) body.centre = numbers<3>(json["centre"], at + ": centre");
    else numbers<3>(json["centre"], at + ": centre");
    body.no_slip = json["friction"] == "no-slip";
    if (!body.no_slip) body.friction = number(json["friction"], at + ": friction");
    body.restitution = number(json["restitution"], at + ": restitution");
    body.position = numbers<3>(json["position"], at + ": position");
    body.orientation = numbers<4>(json["orientation"], at + ": orientation");
    body.velocity = numbers<3>(json["velocity"], at + ": velocity");
    body.angular_velocity = numbers<3>(json["angular_velocity"], at + ": angular_velocity");
    if (!json["robot"].is_null()) body.robot = robotOf(json, at);
    std::vector<kernel::Vector3> points;
    if (json.contains("points"))
      for (const Json& point : list(json["points"], at)) points.push_back(numbers<3>(point, at + ": points"));
    for (const Json& part : list(json["parts"], at)) {
      body.parts.push_back(partOf(part, points, fmt::format("{}, part {},", at, body.parts.size())));
      if (body.parts.back().half_space && !body.fixed) fail(at, "moves and has a half-space");
    }
    if (body.parts.empty() && body.robot < 0) fail(at, "has no parts");
    if (!bodies_.try_emplace(body.name, static_cast<int>(out_.model.bodies.size())).second)
      fail(at, "has the name of another");
    out_.model.bodies.push_back(std::move(body));
  }

  int bodyNamed(const Json& json, const std::string& place) {
    const auto found = bodies_.find(text(json, place));
    if (found == bodies_.end()) fail(place, "names a body that is not there");
    return found->second;
  }

  void readRobot(const Json& json) {
    const std::string at = fmt::format("robot {}", out_.model.robots.size());
    if (json.contains("loops")) {
      requireMembers(json, at,
                     {"name", "base", "self_collision", "joints", "loops", "coordinates", "start", "controller"});
    } else {
      requireMembers(json, at, {"name", "base", "self_collision", "joints", "coordinates", "start", "controller"});
    }
    kernel::Robot robot;
    robot.name = text(json["name"], at);
    text(json["base"], at), truth(json["self_collision"], at);
    out_.joints.emplace_back();
    for (const Json& joint : list(json["joints"], at))
      robot.joints.push_back(readJoint(joint, fmt::format("{}, joint {}", at, robot.joints.size())));
    noteCouplings(json, robot);
    if (json.contains("loops"))
      for (const Json& loop : list(json["loops"], at)) robot.joints.push_back(readLoop(loop, at + ": loops"));
    std::vector<std::string>& names = out_.coordinates.emplace_back();
    for (const Json& name : list(json["coordinates"], at)) names.push_back(robot.name + "/" + text(name, at));
    requireMembers(json["start"], at + ": start", {"positions", "velocities"});
    for (const char* values : {"positions", "velocities"})
      for (const Json& x : list(json["start"][values], at)) number(x, at);
    if (!json["controller"].is_null() && !json["controller"].is_object()) fail(at + ": controller", "is no object");
    robot.driven = json["controller"].is_object();
    out_.model.robots.push_back(std::move(robot));
  }

  // What a gear does is recorded as part of the wrenches of the joints that it acts through.
  static void noteCouplings(const Json& json, kernel::Robot& robot) {
    const auto carries = [&](const kernel::Joint& joint) {
      const auto& joints = json["joints"];
      return std::any_of(joints.begin(), joints.end(), [&](const Json& one) {
        const Json& follows = one["follows"];
        return !follows.is_null() && (one["name"] == joint.name || follows["joint"] == joint.name);
      });
    };
    for (kernel::Joint& joint : robot.joints) joint.coupled |= carries(joint);
  }

  kernel::Joint readLoop(const Json& json, const std::string& at) {
    requireMembers(json, at, {"name", "type", "a", "b"});
    kernel::Joint joint;
    joint.loop = true;
    joint.name = text(json["name"], at);
    const std::string type = text(json["type"], at);
    if (type == "point") joint.type = kernel::JointType::kSpherical;
    else if (type == "hinge") joint.type = kernel::JointType::kRevolute;  // About z.
    else if (type != "weld") fail(at, "are of no known type");
    for (const char* side : {"a", "b"}) requireMembers(json[side], at, {"link", "position", "orientation"});
    const auto link = [&](const Json& side) { return side["link"].is_null() ? -1 : bodyNamed(side["link"], at); };
    const Json &a = json["a"], &b = json["b"];
    joint.parent = link(a), joint.child = link(b);
    // What stands still is no child: its motion is one piece.
    const bool swapped = joint.child < 0 || out_.model.bodies[joint.child].fixed;
    if (swapped) std::swap(joint.parent, joint.child);
    const Json &parent = swapped ? b : a, &child = swapped ? a : b;
    joint.parent_point = numbers<3>(parent["position"], at), joint.parent_frame = numbers<4>(parent["orientation"], at);
    joint.child_point = numbers<3>(child["position"], at), joint.child_frame = numbers<4>(child["orientation"], at);
    return joint;
  }

  kernel::Joint readJoint(const Json& json, const std::string& at) {
    requireMembers(json, at,
                   {"name", "type", "parent", "child", "position", "orientation", "axis", "axis2", "limits", "effort",
                    "speed", "damping", "friction", "armature", "stiffness", "rest", "restitution", "follows"});
    kernel::Joint joint;
    joint.name = text(json["name"], at);
    const std::string type = text(json["type"], at);
    joint.type = type == "fixed"       ? kernel::JointType::kFixed
                 : type == "revolute"  ? kernel::JointType::kRevolute
                 : type == "prismatic" ? kernel::JointType::kPrismatic
                 : type == "spherical" ? kernel::JointType::kSpherical
                 : type == "universal" ? kernel::JointType::kUniversal
                 : type == "planar"    ? kernel::JointType::kPlanar
                                       : kernel::JointType::kOther;
    // A floating link is free in the world, whatever it was hung on.
    joint.parent = json["parent"].is_null() || type == "floating" ? -1 : bodyNamed(json["parent"], at + ": parent");
    if (!json["parent"].is_null()) bodyNamed(json["parent"], at + ": parent");
    joint.child = bodyNamed(json["child"], at + ": child");
    joint.parent_point = numbers<3>(json["position"], at);
    joint.parent_frame = numbers<4>(json["orientation"], at);
    const auto axis = numbers<3>(json["axis"], at);
    const auto axis2 = numbers<3>(json["axis2"], at);
    using kernel::JointType;
    const bool has_axis =
        joint.type != JointType::kFixed && joint.type != JointType::kSpherical && joint.type != JointType::kOther;
    if (has_axis) joint.axis = axis;  // Others have none that counts.
    if (joint.type == JointType::kUniversal) joint.axis2 = axis2;
    // What acts about axes that are not square acts on both at once: nothing is claimed.
    joint.coupled = joint.type == JointType::kUniversal &&
                    axis[0] * axis2[0] + axis[1] * axis2[1] + axis[2] * axis2[2] != 0;
    const Json& limits = list(json["limits"], at);
    if (limits.size() != 2) fail(at + ": limits", "are not two");
    joint.lower = numberOr(limits[0], at, joint.lower), joint.upper = numberOr(limits[1], at, joint.upper);
    joint.effort = numberOr(json["effort"], at, joint.effort);
    numberOr(json["speed"], at, 0);
    JointText& more = out_.joints.back().emplace_back();
    more.restitution = number(json["restitution"], at);
    joint.damping = number(json["damping"], at), joint.friction = number(json["friction"], at);
    joint.armature = number(json["armature"], at), joint.stiffness = number(json["stiffness"], at);
    joint.rest = number(json["rest"], at);
    if (const Json& follows = json["follows"]; !follows.is_null()) {
      requireMembers(follows, at + ": follows", {"joint", "ratio", "offset"});
      more.leader = text(follows["joint"], at + ": follows");
      more.ratio = number(follows["ratio"], at + ": follows"),
      more.offset = number(follows["offset"], at + ": follows");
    }
    return joint;
  }

  void readIgnored(const Json& json) {
    if (list(json, "ignored_pairs").size() != 2) fail("ignored_pairs", "are not pairs");
    const std::array<int, 2> pair{bodyNamed(json[0], "ignored_pairs"), bodyNamed(json[1], "ignored_pairs")};
    if (pair[0] >= pair[1]) fail("ignored_pairs", "are not in order");
    if (!out_.model.ignored_pairs.empty() && out_.model.ignored_pairs.back() >= pair)
      fail("ignored_pairs", "are not in order");
    out_.model.ignored_pairs.push_back(pair);
  }

  ModelText out_;
  using Names = std::pair<std::string, std::string>;
  int count_ = 0;                      // Of robots.
  std::map<std::string, int> robots_;  // The first of each name.
  std::set<Names> joint_names_;        // (robot, joint)
  std::map<Names, int> links_;         // The number of the robot of that name that has a joint with this child.
  std::map<std::string, int> bodies_;
};

}  // namespace

ModelText parseModel(const std::string& source) { return Reader().read(source); }

}  // namespace rigor::verify::recorded
