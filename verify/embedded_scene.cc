// SPDX-License-Identifier: MIT
#include "verify/embedded_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "scenes/loader.h"
#include "sim/canonical_model.h"
#include "sim/law_bounds.h"
#include "sim/simulation.h"

namespace rigor::verify {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestValue = 40;  // Characters of a value that a message repeats.

std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kLongestValue ? text : text.substr(0, kLongestValue) + "...";
}

bool same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number())
    return std::bit_cast<std::uint64_t>(a.get<double>()) == std::bit_cast<std::uint64_t>(b.get<double>());
  return a == b;
}

/// The first place where two texts differ, as `place: is A, the loader makes B`; empty for none.
std::string firstDifference(const Json& recorded, const Json& loaded, const std::string& place) {
  const bool lists = recorded.is_array() && loaded.is_array(), maps = recorded.is_object() && loaded.is_object();
  if (!lists && !maps)
    return same(recorded, loaded) ? ""
                                  : fmt::format("{} is {}, the loader makes {}", place, shown(recorded), shown(loaded));
  if (recorded.size() != loaded.size())
    return fmt::format("{} has {} entries, the loader makes {}", place, recorded.size(), loaded.size());
  auto other = loaded.begin();
  for (auto own = recorded.begin(); own != recorded.end(); ++own, ++other) {
    if (maps && own.key() != other.key())
      return fmt::format("{} has {}, the loader makes {}", place, own.key(), other.key());
    const std::string inner =
        maps ? place + (place.empty() ? "" : ".") + own.key() : fmt::format("{}[{}]", place, own - recorded.begin());
    if (std::string found = firstDifference(*own, *other, inner); !found.empty()) return found;
  }
  return {};
}

/// Of whole models, body by body, so that the body can be named.
ModelDifference compare(const Json& recorded, const Json& loaded) {
  const Json &own = recorded.at("bodies"), &made = loaded.at("bodies");
  for (std::size_t i = 0; i < std::min(own.size(), made.size()); ++i)
    if (std::string found = firstDifference(own[i], made[i], ""); !found.empty())
      return {static_cast<int>(i), "it is not the body that the loader makes of the embedded scene: " + found};
  // What is proved of a model is about these. Who gives a robot a controller of its own embeds no files.
  // Its tolerances say what a record may be off by: they are the scene's.
  for (const char* member : {"bodies", "robots", "ignored_pairs", "gravity", "solver"})
    if (std::string found = firstDifference(recorded.at(member), loaded.at(member), member); !found.empty())
      return {-1, "the model is not what the loader makes of the embedded scene: " + found};
  return {};
}

/// Where a record allows itself to miss a law by more than its tolerances do; empty: nowhere.
std::string excessOf(const Json& declared, const Json& permitted) {
  for (const auto& [law, bound] : declared.items()) {
    if (!permitted.contains(law)) return fmt::format("it declares a bound of {}, runs of its scene do not", law);
    if (!(bound.get<double>() <= permitted[law].get<double>()))
      return fmt::format("it declares a bound of {} for {}, its tolerances permit {}", shown(bound), law,
                         shown(permitted[law]));
  }
  return {};
}

/// As far as bounds depend on it: links count as bodies of their own with their robot's mass, which permits more, and
/// solids as their boxes.
sim::Scene sceneOf(const recorded::ModelText& text, const Json& model) {
  sim::Scene scene;
  scene.gravity = Eigen::Vector3d(text.model.gravity.data());
  scene.impact_model = text.impact_model;
  scene.impact.plus.plastic_speed = model.at("impact").value("plus", Json::object()).value("plastic_speed", 0.0);
  const Json& solver = model.at("solver");
  scene.solver.gap = solver.at("gap"), scene.solver.joint_fit = solver.at("joint_fit");
  scene.solver.velocity_tolerance = solver.at("velocity_tolerance");
  std::vector<double> robots(text.model.robots.size());
  for (const kernel::Body& body : text.model.bodies)
    if (body.robot >= 0 && !body.fixed) robots[body.robot] += body.mass;
  for (const kernel::Body& body : text.model.bodies) {
    sim::Body& one = scene.bodies.emplace_back();
    one.fixed = body.fixed, one.mass = body.robot >= 0 ? robots[body.robot] : body.mass;
    one.pose.p = Eigen::Vector3d(body.position.data()), one.velocity = Eigen::Vector3d(body.velocity.data());
    one.angular_velocity = Eigen::Vector3d(body.angular_velocity.data());
    Eigen::AlignedBox3d box;
    for (const kernel::Part& part : body.parts)
      for (const kernel::Vector3& v : part.vertices) box.extend(Eigen::Vector3d(v.data()));
    if (!body.fixed && !box.isEmpty()) one.parts.push_back(geom::Polytope::box(box.sizes()));
  }
  const auto moves = [](const sim::Body& body) { return !body.fixed; };
  const auto link = std::ranges::find_if(scene.bodies, moves);
  if (!robots.empty() && link != scene.bodies.end()) scene.bodies.push_back(sim::Body(*link));  // A robot is not alone.
  return scene;
}

/// Trees step apart in the record if they are robots of their own there: not in records of before. What is proved of
/// them does not depend on it.
void stepAsRecorded(const recorded::ModelText& model, dynamics::Robot& robot) {
  const auto joints = [](const kernel::Robot& one) {
    return std::ranges::count(one.joints, false, &kernel::Joint::loop);
  };
  robot.steps_as_one = std::ranges::any_of(model.model.robots, [&](const kernel::Robot& one) {
    return one.name == robot.name && joints(one) == robot.model->numJoints();
  });
}

/// The run as it starts with what the loader makes of the embedded texts.
sim::Simulation loadedRun(const recorded::ModelText& model, const recorded::Meta& meta,
                          const std::vector<recorded::FileRow>& files) {
  std::vector<sim::SceneFile> given;
  for (const recorded::FileRow& file : files)
    given.push_back({file.name, file.role, std::make_shared<const std::string>(file.content)});
  sim::Scene scene = scenes::parseScene(given);
  scene.until = meta.until;
  for (sim::SceneRobot& robot : scene.robots) stepAsRecorded(model, robot.robot);
  scene.impact_model = model.impact_model;
  return sim::Simulation(std::move(scene), meta.seed);
}

}  // namespace

std::string excessOfModel(const recorded::Meta& meta, const recorded::ModelText& model) {
  constexpr double kJoined = 2.5, kRound = 5;  // What links hand on, of what one body may miss; slips of round ones.
  constexpr double kSizes = 2;                // Lengths are those of boxes and of single links.
  // What robots, round bodies and crowds declare at least.
  constexpr double kEnergy = 0.03, kJoints = 0.013, kSupport = 1e6, kFew = 10, kCone = 0.9;
  constexpr double kMaxGap = 1e-7, kGapRounding = 1e-13;  // [m], of the farthest place.
  const Json declared = Json::parse(meta.bounds);
  if (declared.empty()) return {};
  try {
    const sim::Scene scene = sceneOf(model, Json::parse(meta.model));
    Json permitted = Json::parse(sim::lawBounds(scene));
    if (permitted.empty()) return "its tolerances permit no bounds of laws";
    const auto raise = [&](const char* law, double least) {
      permitted[law] = std::max(permitted[law].get<double>(), least);
    };
    const double joined = model.model.robots.empty() ? 1 : kJoined;
    for (auto& [law, bound] : permitted.items())
      bound = kSizes * bound.get<double>() * (law.ends_with("momentum") ? joined : law == "slip" ? kRound : 1);
    raise("energy", kEnergy), raise("joints", std::max(kJoints, permitted["momentum"].get<double>()));
    if (!model.model.robots.empty()) raise("cone", kCone);
    if (permitted["support"] > kFew * kSizes) raise("support", kSupport);
    double gap = std::max(scene.solver.gap, kMaxGap);
    for (const sim::Body& body : scene.bodies) gap = std::max(gap, kGapRounding * body.pose.p.norm());
    if (!(meta.gap_nominal <= gap))
      return fmt::format("its nominal gap is {}, its model permits {}", meta.gap_nominal, gap);
    return excessOf(declared, permitted);
  } catch (const std::exception& error) {
    return fmt::format("its model says not what it may miss: {}", error.what());
  }
}

ModelDifference differenceFromScene(const recorded::Meta& meta, const recorded::ModelText& model,
                                    const std::vector<recorded::FileRow>& files) {
  std::string loaded, excess;
  try {
    const sim::Simulation run = loadedRun(model, meta, files);
    const sim::Scene& scene = run.scene();
    loaded = sim::canonicalModel(scene);
    if (const std::string bounds = sim::lawBounds(scene); bounds != meta.bounds)
      excess = excessOf(Json::parse(meta.bounds), Json::parse(bounds));
    // The unit of the laws of what touches and of joints: a smaller one is stricter.
    if (!(meta.gap_nominal <= run.gapNominal()))
      excess = fmt::format("its nominal gap is {}, that of its scene is {}", meta.gap_nominal, run.gapNominal());
  } catch (const std::exception& error) {
    return {-1, fmt::format("the embedded scene cannot be loaded: {}", error.what())};
  }
  ModelDifference difference;
  if (loaded != meta.model) difference = compare(Json::parse(meta.model), Json::parse(loaded));
  return difference.reason.empty() ? ModelDifference{-1, excess} : difference;
}

}  // namespace rigor::verify
