// SPDX-License-Identifier: MIT
#include "scenes/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "geom/mass_properties.h"
#include "methods/registry.h"
#include "scenes/document.h"
#include "scenes/impact_fields.h"
#include "scenes/robot_reader.h"
#include "scenes/shape_reader.h"
#include "sim/add_robot.h"

namespace rigor::scenes {
namespace {

constexpr long kMost = 1'000'000'000'000;  // Of counts.

void readMaterial(const Value& map, sim::Material& material) {
  if (const auto friction = map.find("friction")) material.friction = readFriction(*friction);
  if (const auto restitution = map.find("restitution")) material.restitution = restitution->between(0, 1);
}

void readImpact(const Value& map, sim::Scene& scene) {
  // The model first: where another program brings it along, its options are no fields here either.
  if (const auto model = map.find("model")) {
    scene.impact_model = model->text();
    const std::vector<std::string> names = impact::runResolverNames();
    if (std::find(names.begin(), names.end(), scene.impact_model) == names.end()) {
      model->refuse(fmt::format("a model of this version: {}", fmt::join(names, ", ")));
    }
  }
  requireImpactFields(map, {"model"}, impact::ModelOption::Place::kScene);
  readImpactOptions(map, impact::ModelOption::Place::kScene, 0, scene.impact);
}

/// A published method in place of the event loop, and its options. `choice` null: the caller knows of none.
void readMethod(const Value& map, methods::Choice* choice) {
  const methods::MethodInfo* method = nullptr;
  if (const auto name = map.find("advance"); name && name->text() != "certified") {
    method = methods::findMethod(name->text());
    std::vector<std::string> names{"certified"};
    for (const methods::MethodInfo& known : methods::methods()) names.push_back(known.name);
    if (!method)
      name->refuse(
          fmt::format("certified (the event loop, the default) or a published method: {}", fmt::join(names, ", ")));
    if (!choice)
      name->fail("advance: " + method->name,
                 "certified here; published methods are for `rigor run` and `rigor compare`");
    choice->advance = method->name;
  }
  for (const char* field : {"step", "distance"}) {
    const auto value = map.find(field);
    if (!value) continue;
    const methods::MethodOption* option = method ? methods::findOption(*method, field) : nullptr;
    if (!option)
      value->fail(value->name() + " without a method that reads it", "`advance` with a published method that does");
    if (option->words.empty()) {
      choice->step = value->positive("s");
    } else {
      choice->distance = value->text();
      if (std::find(option->words.begin(), option->words.end(), choice->distance) == option->words.end())
        value->refuse(fmt::format("{}", fmt::join(option->words, " or ")));
    }
  }
}

void readSolver(const Value& map, sim::SolverOptions& solver, methods::Choice* choice) {
  map.fields({"max_step", "gap", "velocity_tolerance", "capture_speed", "event_window", "max_steps", "joint_fit",
              "advance", "step", "distance"});
  readMethod(map, choice);
  if (const auto value = map.find("joint_fit")) solver.joint_fit = value->notNegative("m");
  if (const auto value = map.find("max_step")) solver.max_step = value->positive("s");
  if (const auto value = map.find("gap")) solver.gap = value->notNegative("m");
  if (const auto value = map.find("velocity_tolerance")) solver.velocity_tolerance = value->positive("m/s");
  if (const auto value = map.find("capture_speed")) solver.capture_speed = value->notNegative("m/s");
  if (const auto value = map.find("event_window")) solver.event_window = value->positive("s");
  if (const auto value = map.find("max_steps")) solver.max_steps = value->integer(0, kMost);
}

/// [xx, yy, zz, xy, xz, yz] -> the symmetric matrix.
Eigen::Matrix3d readInertia(const Value& value) {
  const std::vector<double> i = value.numbers(6, "numbers [xx, yy, zz, xy, xz, yz] in kg m^2");
  Eigen::Matrix3d inertia;
  inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  return inertia;
}

/// Fixed bodies of no more always have mass properties.
constexpr std::size_t kFewParts = 16;

/// Lighter bodies have mass matrices whose powers and inverses are no doubles any more.
constexpr double kLeastMass = 1e-100, kLeastMoment = 1e-102;  // [kg], [kg m^2], of the largest entry.

/// Meshes weigh what they enclose; other parts, each by itself.
geom::MassProperties solidOf(const std::vector<geom::Shape>& parts, const std::vector<MeshSolid>& meshes) {
  std::vector<geom::MassProperties> solids;
  std::vector<bool> counted(parts.size(), false);
  for (const MeshSolid& mesh : meshes) {
    solids.push_back(mesh.solid);
    std::fill_n(counted.begin() + static_cast<std::ptrdiff_t>(mesh.first), mesh.count, true);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto* polytope = std::get_if<geom::Polytope>(&parts[i]);
    if (polytope && !counted[i]) solids.push_back(geom::massProperties(*polytope));
  }
  return geom::composed(solids);
}

void readMass(const Value& map, const std::vector<MeshSolid>& meshes, sim::Body& body) {
  const auto mass = map.find("mass");
  const auto density = map.find("density");
  const auto inertia = map.find("inertia");
  const auto centre = map.find("com");
  if (mass && density) density->fail(density->name() + " beside a mass", "mass or density, not both");
  if (!mass && !density && !body.fixed) {
    map.fail(map.name() + " has neither mass nor density", "one of them for a body that moves");
  }
  // At unit density; a half-space has none. What nothing asks for is not found of a terrain's thousands of parts.
  const bool asked = mass || density || inertia || centre || !body.fixed || body.parts.size() <= kFewParts;
  geom::MassProperties given = asked ? solidOf(body.parts, meshes) : geom::MassProperties{};
  if (mass) {
    const double m = mass->positive("kg");
    given = given.mass > 0 ? given.scaled(m / given.mass) : geom::MassProperties{};
    given.mass = m;
  } else if (density) {
    given = given.scaled(density->positive("kg/m^3"));
  }
  // A centre of mass that is given alone moves the inertia with it: how the mass is spread is not known.
  if (centre) given.centre = centre->vector3();
  if (inertia) given.inertia = readInertia(*inertia);
  if (inertia || !body.fixed) {
    geom::MassProperties checked = given;
    if (body.fixed && !(checked.mass > 0)) checked.mass = 1;  // Only the inertia was given.
    const Value& at = inertia ? *inertia : mass ? *mass : *density;
    if (const std::string reason = geom::impossibleBecause(checked); !reason.empty()) {
      at.fail(at.name() + ": " + reason, inertia ? "positive principal moments, none above the sum of the other two"
                                                 : "what a rigid body can have");
    }
    if (!body.fixed && (given.mass < kLeastMass || given.inertia.cwiseAbs().maxCoeff() < kLeastMoment))
      at.fail(fmt::format("{}: a mass of {} kg with moments of {} kg m^2", at.name(), given.mass,
                          given.inertia.cwiseAbs().maxCoeff()),
              fmt::format("at least {} kg and {} kg m^2", kLeastMass, kLeastMoment));
  }
  body.mass = mass || density || !body.fixed ? given.mass : 0;
  body.centre = given.centre;
  body.inertia = given.inertia;
}

sim::Body readBody(const Value& map, const sim::Material& defaults, const ShapeContext& context) {
  map.fields({"name", "fixed", "shape", "mass", "density", "inertia", "com", "position", "orientation", "rpy",
              "velocity", "angular_velocity", "friction", "restitution"});
  sim::Body body;
  body.name = readName(map.at("name"), "body");
  if (const auto fixed = map.find("fixed")) body.fixed = fixed->boolean();
  body.material = defaults;
  readMaterial(map, body.material);
  body.pose = readPose(map);
  for (const char* field : {"velocity", "angular_velocity"}) {
    const auto value = map.find(field);
    if (!value) continue;
    if (body.fixed) value->fail(value->name() + " of a fixed body", "no velocity: a fixed body does not move");
    (std::string_view(field) == "velocity" ? body.velocity : body.angular_velocity) = value->vector3();
  }
  ShapeContext shapes = context;
  shapes.fixed = body.fixed;
  std::vector<MeshSolid> meshes;
  shapes.solids = &meshes;
  body.parts = readShape(map.at("shape"), shapes);
  readMass(map, meshes, body);
  return body;
}

}  // namespace

std::string SceneSource::locate(int body) const {
  const bool known = body >= 0 && body < static_cast<int>(bodies.size());
  const Position at = known ? bodies[body] : Position{};
  return fmt::format("{}:{}:{}", path, at.line, at.column);
}

namespace {

bool isPlanes(const sim::Body& body) {
  return std::ranges::all_of(body.parts,
                             [](const geom::Shape& part) { return std::holds_alternative<geom::HalfSpace>(part); });
}

/// Anything that is no half-space and not the robot itself; empty: nothing.
std::string otherThanPlanes(const std::vector<sim::Body>& bodies, std::size_t robots) {
  if (robots > 1) return "another robot";
  const auto found = std::ranges::find_if_not(bodies, isPlanes);
  return found == bodies.end() ? "" : fmt::format("body '{}'", found->name);
}

sim::Scene parse(const std::string& text, const std::string& path, SceneSource* source, Files files,
                 methods::Choice* choice) {
  SceneSource unused;
  SceneSource& out = source ? *source : unused;
  out = {path, {}, {}, {}, std::move(out.progress)};
  const Value root = Value::parse(text, path);
  root.fields({"name", "description", "gravity", "until", "contact", "impact", "solver", "bodies", "robots"});

  sim::Scene scene;
  files.addScene(path, text);
  if (out.progress) files.tell(out.progress);
  scene.text = text;
  scene.path = path;
  const auto name = root.find("name");
  scene.name = name ? readName(*name, "scene") : std::filesystem::path(path).stem().string();
  if (const auto description = root.find("description")) scene.description = description->text();
  if (const auto gravity = root.find("gravity")) scene.gravity = gravity->vector3();
  if (const auto until = root.find("until")) scene.until = until->positive("s");
  sim::Material defaults;
  if (const auto contact = root.find("contact")) {
    contact->fields({"friction", "restitution"});
    readMaterial(*contact, defaults);
  }
  if (const auto impact = root.find("impact")) readImpact(*impact, scene);
  if (const auto solver = root.find("solver")) readSolver(*solver, scene.solver, choice);

  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::map<std::string, Position> names;
  const auto requireOwnName = [&](const Value& own, const std::string& own_name) {
    const auto [earlier, is_new] = names.emplace(own_name, own.position());
    if (is_new) return;
    own.fail(fmt::format("a second body named {} (the first is in line {})", earlier->first, earlier->second.line),
             "a name of its own for every body");
  };
  const auto robots = root.find("robots");
  const auto bodies = robots ? root.find("bodies") : root.at("bodies");
  for (const Value& map : bodies ? bodies->items("bodies") : std::vector<Value>{}) {
    scene.bodies.push_back(readBody(map, defaults, {folder, false, &out.warnings, files, &out.own_kinds}));
    out.bodies.push_back(map.position());
    requireOwnName(map.at("name"), scene.bodies.back().name);
  }
  if (robots) {
    const std::vector<Value> maps = robots->items("robots");
    for (const Value& map : maps) {
      dynamics::Robot robot =
          readRobot(map, {folder, defaults.friction, defaults.restitution, scene.gravity, &out.warnings, files,
                          &out.own_kinds, otherThanPlanes(scene.bodies, maps.size())});
      requireOwnName(map.at("name"), robot.name);
      sim::addRobot(scene, std::move(robot));
      out.bodies.resize(scene.bodies.size(), map.position());
    }
  }
  if (scene.bodies.empty()) bodies->refuse("a list of at least one body");
  scene.files = files.taken();
  return scene;
}

}  // namespace

sim::Scene parseScene(const std::string& text, const std::string& path, SceneSource* source, Files files) {
  return parse(text, path, source, std::move(files), nullptr);
}

sim::Scene parseScene(const std::vector<sim::SceneFile>& files, SceneSource* source) {
  const auto own =
      std::find_if(files.begin(), files.end(), [](const sim::SceneFile& file) { return file.role == "scene"; });
  if (own == files.end()) throw LoadError("scene", {}, "no text of a scene", "the file that the others belong to");
  methods::Choice choice;  // A record may be of any method.
  return parse(*own->content, own->name, source, Files::only(files), &choice);
}

sim::Scene loadScene(const std::string& path, SceneSource* source) {
  return parseScene(readTextFile(path, "a scene file in YAML or JSON"), path, source);
}

sim::Scene loadScene(const std::string& path, SceneSource& source, methods::Choice& choice) {
  choice = {};
  return parse(readTextFile(path, "a scene file in YAML or JSON"), path, &source, {}, &choice);
}

SceneTitle readSceneTitle(const std::string& path) {
  const Value root = Value::parse(readTextFile(path, "a scene file in YAML or JSON"), path);
  if (!root.isMap()) root.refuse("a map of fields");
  const auto name = root.find("name"), description = root.find("description");
  return {name ? name->text() : std::filesystem::path(path).stem().string(), description ? description->text() : ""};
}

}  // namespace rigor::scenes
