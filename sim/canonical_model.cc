// SPDX-License-Identifier: MIT
#include "sim/canonical_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "dynamics/joint_type_name.h"
#include "dynamics/scalar_coordinates.h"
#include "geom/point_numbers.h"

namespace rigor::sim {
namespace {

/// JSON text, member after member. nlohmann's would print 1e22 and -0 in ways of its own.
class ModelJson {
 public:
  std::string take() { return std::move(text_); }
  ModelJson& open(char bracket) {
    separate();
    text_ += bracket;
    fresh_ = true;
    return *this;
  }
  ModelJson& close(char bracket) {
    text_ += bracket;
    fresh_ = false;
    return *this;
  }
  ModelJson& key(std::string_view name) {
    string(name);
    text_ += ':';
    fresh_ = true;
    return *this;
  }
  ModelJson& string(std::string_view value) {
    separate();
    text_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text_ += '\\';
      if (static_cast<unsigned char>(c) < 0x20) text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else text_ += c;
    }
    text_ += '"';
    return *this;
  }
  ModelJson& number(double x) {
    separate();
    // JSON has no infinity; an integer has no -0.
    if (!std::isfinite(x)) text_ += "null";
    else text_ += x == 0 && std::signbit(x) ? "-0.0" : textOf(x);
    return *this;
  }
  ModelJson& whole(long x) {
    const fmt::format_int text(x);
    return raw({text.data(), text.size()});
  }
  ModelJson& truth(bool x) { return raw(x ? "true" : "false"); }
  ModelJson& none() { return raw("null"); }
  template <typename Vector>
  ModelJson& numbers(const Vector& v) {
    open('[');
    for (long i = 0; i < static_cast<long>(v.size()); ++i) number(v[i]);
    return close(']');
  }

 private:
  ModelJson& raw(std::string_view text) {
    separate();
    text_ += text;
    return *this;
  }
  void separate() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  /// Corners are named by each part that has them: what was written lately is not made again.
  std::string_view textOf(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    Known& known = known_[(bits * 0x9e3779b97f4a7c15u) >> (64 - kKnownBits)];
    if (known.size == 0 || known.bits != bits)
      known.bits = bits, known.size = static_cast<std::size_t>(fmt::format_to(known.text, "{}", x) - known.text);
    return {known.text, known.size};
  }
  static constexpr int kKnownBits = 11;
  struct Known {
    std::uint64_t bits;
    std::size_t size = 0;
    char text[32];  // Doubles have at most 24 characters.
  };
  std::vector<Known> known_{std::size_t{1} << kKnownBits};
  std::string text_;
  bool fresh_ = true;
};

void putPart(ModelJson& text, const geom::Shape& part) {
  text.open('{');
  if (const auto* half_space = std::get_if<geom::HalfSpace>(&part)) {
    text.key("halfspace")
        .open('{')
        .key("normal")
        .numbers(half_space->normal)
        .key("offset")
        .number(half_space->offset)
        .close('}');
  } else {
    const auto& vertices = std::get<geom::Polytope>(part).vertices();
    text.key("vertices").open('[');
    for (long i = 0; i < vertices.cols(); ++i) text.numbers(Eigen::Vector3d(vertices.col(i)));
    text.close(']');
    if (const geom::Round* round = std::get<geom::Polytope>(part).round()) {
      text.key("round").open('{').key("core").open('[');
      for (long i = 0; i < round->core.cols(); ++i) text.numbers(Eigen::Vector3d(round->core.col(i)));
      text.close(']').key("radius").number(round->radius).key("axis");
      round->isCylinder() ? text.numbers(round->axis) : text.none();
      text.close('}');
    }
  }
  text.close('}');
}

/// Parts of fixed bodies of more name their corners among the body's points: walls share them.
constexpr std::size_t kOwnCorners = 16;

/// @returns the parts of such a body; none of others, or where one has more than corners.
std::vector<const geom::Polytope*> partsOverPoints(const Body& body) {
  std::vector<const geom::Polytope*> parts;
  if (!body.fixed || body.parts.size() <= kOwnCorners) return parts;
  for (const geom::Shape& part : body.parts) {
    const auto* polytope = std::get_if<geom::Polytope>(&part);
    if (!polytope || polytope->round()) return {};
    parts.push_back(polytope);
  }
  return parts;
}

void putPartsOverPoints(ModelJson& text, std::span<const geom::Polytope* const> parts) {
  int count = 0;
  const std::vector<int> corners = geom::numberPoints(parts, count);
  text.key("points").open('[');
  int next = 0;
  auto corner = corners.begin();
  for (const geom::Polytope* part : parts)
    for (int v = 0; v < part->numVertices(); ++v)
      if (*corner++ == next) text.numbers(part->vertex(v)), ++next;
  text.close(']').key("parts").open('[');
  corner = corners.begin();
  for (const geom::Polytope* part : parts) {
    text.open('{').key("corners").open('[');
    for (int v = 0; v < part->numVertices(); ++v) text.whole(*corner++);
    text.close(']').close('}');
  }
  text.close(']');
}

void putFriction(ModelJson& text, double friction) {
  std::isinf(friction) ? text.string("no-slip") : text.number(friction);
}

void putBody(ModelJson& text, const Scene& scene, const Body& body) {
  const Eigen::Matrix3d& I = body.inertia;
  text.open('{').key("name").string(body.name).key("fixed").truth(body.fixed).key("mass").number(body.mass);
  text.key("inertia").numbers(std::vector<double>{I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
  text.key("centre").numbers(body.centre).key("friction");
  putFriction(text, body.material.friction);
  text.key("restitution").number(body.material.restitution);
  text.key("position").numbers(body.pose.p).key("orientation").numbers(body.pose.q);
  text.key("velocity").numbers(body.velocity).key("angular_velocity").numbers(body.angular_velocity).key("robot");
  body.robot < 0 ? text.none() : text.string(scene.robots[static_cast<std::size_t>(body.robot)].robot.name);
  if (const auto parts = partsOverPoints(body); !parts.empty()) {
    putPartsOverPoints(text, parts);
  } else {
    text.key("parts").open('[');
    for (const geom::Shape& part : body.parts) putPart(text, part);
    text.close(']');
  }
  text.close('}');
}

void putJoint(ModelJson& text, const dynamics::Robot& robot, int number) {
  const auto& joint = robot.model->joint(number);
  const auto link = [&](int i) { return robot.name + "/" + robot.model->link(i).name; };
  text.open('{').key("name").string(joint.name).key("type").string(dynamics::jointTypeName(joint.type)).key("parent");
  joint.parent == dynamics::kWorld ? text.none() : text.string(link(joint.parent));
  text.key("child").string(link(joint.child));
  text.key("position").numbers(joint.origin.p).key("orientation").numbers(joint.origin.q);
  text.key("axis").numbers(joint.axis).key("axis2").numbers(joint.axis2);
  text.key("limits").open('[').number(joint.lower).number(joint.upper).close(']');
  text.key("effort").number(joint.effort).key("speed").number(joint.speed).key("damping").number(joint.damping);
  text.key("friction").number(joint.friction).key("armature").number(joint.armature);
  text.key("stiffness").number(joint.stiffness).key("rest").number(joint.rest).key("restitution");
  text.number(robot.limit_restitution.empty() ? 0 : robot.limit_restitution[static_cast<std::size_t>(number)])
      .key("follows");
  if (joint.follows()) {
    text.open('{').key("joint").string(joint.leader).key("ratio").number(joint.ratio);
    text.key("offset").number(joint.offset).close('}');
  } else {
    text.none();
  }
  text.close('}');
}

void putLoop(ModelJson& text, const dynamics::Robot& robot, const dynamics::LoopDescription& loop) {
  constexpr const char* kTypes[] = {"point", "hinge", "weld"};
  text.open('{').key("name").string(loop.name).key("type").string(kTypes[static_cast<int>(loop.type)]);
  const auto side = [&](const char* name, int link, const geom::Pose& frame) {
    text.key(name).open('{').key("link");
    link == dynamics::kWorld ? text.none() : text.string(robot.name + "/" + robot.model->link(link).name);
    text.key("position").numbers(frame.p).key("orientation").numbers(frame.q).close('}');
  };
  side("a", loop.link_a, loop.frame_a), side("b", loop.link_b, loop.frame_b);
  text.close('}');
}

void putRobot(ModelJson& text, const dynamics::Robot& robot) {
  const dynamics::ArticulatedModel& model = *robot.model;
  bool floats = false;
  for (int j = 0; j < model.numJoints(); ++j) floats |= model.joint(j).type == dynamics::JointType::kFloating;
  text.open('{').key("name").string(robot.name).key("base").string(floats ? "floating" : "fixed");
  text.key("self_collision").truth(robot.self_collision).key("joints").open('[');
  for (int j = 0; j < model.numJoints(); ++j) putJoint(text, robot, j);
  text.close(']');
  if (!model.loops().empty()) {
    text.key("loops").open('[');
    for (const dynamics::LoopDescription& loop : model.loops()) putLoop(text, robot, loop);
    text.close(']');
  }
  text.key("coordinates").open('[');
  for (const dynamics::ScalarCoordinate& coordinate : dynamics::scalarCoordinates(model)) text.string(coordinate.name);
  text.close(']')
      .key("start")
      .open('{')
      .key("positions")
      .numbers(robot.start.q)
      .key("velocities")
      .numbers(robot.start.v)
      .close('}');
  text.key("controller");
  if (robot.controller)
    text.open('{')
        .key("period")
        .number(robot.controller->period())
        .key("memory")
        .whole(robot.controller->memorySize())
        .close('}');
  else text.none();
  text.close('}');
}

/// Options of the models' own, by name; they matter to what a run does, so a record without them says another thing.
void putOwnOptions(ModelJson& text, const impact::NamedOptions& own) {
  text.key("options").open('{');
  for (const auto& [name, value] : own) {
    text.key(name);
    if (const auto* truth = std::get_if<bool>(&value)) text.truth(*truth);
    else if (const auto* whole = std::get_if<long>(&value)) text.whole(*whole);
    else if (const auto* number = std::get_if<double>(&value)) text.number(*number);
    else if (const auto* word = std::get_if<std::string>(&value)) text.string(*word);
    else text.numbers(std::get<std::vector<double>>(value));
  }
  text.close('}');
}

void putOptions(ModelJson& text, const Scene& scene) {
  const impact::ImpactOptions& impact = scene.impact;
  text.key("impact").open('{').key("model").string(scene.impact_model).key("step").number(impact.step);
  text.key("cone_edges")
      .whole(impact.cone_edges)
      .key("smooth_cone")
      .truth(impact.smooth_cone)
      .key("max_steps")
      .whole(impact.max_steps);
  text.key("max_modes").whole(impact.max_modes).key("tolerance").number(impact.tolerance);
  text.key("plus")
      .open('{')
      .key("theta_max")
      .number(impact.plus.theta_max)
      .key("rolling_speed")
      .number(impact.plus.rolling_speed);
  // What is as it has always been is left out: records of before stay those of their scenes.
  if (impact.plus.plastic_speed != 0) text.key("plastic_speed").number(impact.plus.plastic_speed);
  text.close('}');
  if (!impact.own.empty()) putOwnOptions(text, impact.own);
  text.close('}');
  const SolverOptions& solver = scene.solver;
  text.key("solver").open('{').key("max_step").number(solver.max_step).key("gap").number(solver.gap);
  text.key("velocity_tolerance").number(solver.velocity_tolerance).key("joint_fit").number(solver.joint_fit);
  text.key("capture_speed").number(solver.capture_speed).key("event_window").number(solver.event_window).close('}');
}

}  // namespace

std::string canonicalModel(const Scene& scene) {
  ModelJson text;
  text.open('{').key("gravity").numbers(scene.gravity).key("until").number(scene.until).key("bodies").open('[');
  for (const Body& body : scene.bodies) putBody(text, scene, body);
  text.close(']').key("robots").open('[');
  for (const SceneRobot& robot : scene.robots) putRobot(text, robot.robot);
  text.close(']').key("ignored_pairs").open('[');
  for (std::size_t a = 0; a < scene.bodies.size(); ++a) {
    std::vector<int> others = scene.bodies[a].ignored;
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const int b : others)
      if (b > static_cast<int>(a))
        text.open('[').string(scene.bodies[a].name).string(scene.bodies[static_cast<std::size_t>(b)].name).close(']');
  }
  text.close(']');
  putOptions(text, scene);
  return text.close('}').take();
}

}  // namespace rigor::sim
