// SPDX-License-Identifier: MIT
#include "sim/start.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "advance/manifold.h"
#include "sim/robot_limit.h"
#include "sim/simulation.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr double kTouchingShare = 1e-9;  // Overlap below this share of the sizes is rounding of the user's numbers.
constexpr double kMaxPush = 1e-7;        // [m] interface.md
constexpr double kDirections = 2;        // Of pushes that add up: three walls at right angles push by sqrt(3).
constexpr int kMaxPasses = 400;          // Sweeps over all pairs; a stack of n needs about n.

}  // namespace

double separateStart(const Scene& scene, const Scales& scales, std::span<const PartRuntime> parts,
                   std::span<BodyRuntime> bodies, std::span<RobotRuntime> robots, std::vector<std::string>& warnings) {
  advance::ManifoldFinder finder;
  std::vector<advance::ContactFeature> features;
  struct Pair { int a, b; };
  std::vector<Pair> pairs;
  auto originPose = [&](int body) {
    geom::Pose pose = bodies[body].state.pose;
    if (!bodies[body].centre.isZero(0)) pose.p -= pose.rotation() * bodies[body].centre;
    return pose;
  };
  auto isHalfSpace = [&](int p) { return std::holds_alternative<geom::HalfSpace>(*parts[p].shape); };
  for (int i = 0; i < static_cast<int>(parts.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(parts.size()); ++j) {
      const BodyRuntime& a = bodies[parts[i].body];
      const BodyRuntime& b = bodies[parts[j].body];
      if (parts[i].body == parts[j].body || (a.fixed && b.fixed) || !a.collidesWith(parts[j].body)) continue;
      pairs.push_back(isHalfSpace(j) ? Pair{j, i} : Pair{i, j});
    }
  // Bodies farther from the fixed ones give way: a stack is lifted from below.
  std::vector<int> depth(bodies.size(), 1 << 20);
  for (size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].fixed) depth[i] = 0;
  std::vector<Vector3d> pushed(bodies.size(), Vector3d::Zero());

  // A robot moves as a whole, with the joint that floats in the world.
  auto push = [&](int body, const Vector3d& d) {
    if (bodies[body].robot < 0) {
      bodies[body].state.pose.p += d;
      return;
    }
    RobotRuntime& robot = robots[bodies[body].robot];
    if (bodies[body].fixed || d.isZero(0)) return;
    for (int j = 0; j < robot.model->numJoints(); ++j)
      if (const auto& joint = robot.model->joint(j); joint.type == dynamics::JointType::kFloating)
        robot.state.q.segment<3>(joint.q) += d;
    robot.start = robot.state;
    for (size_t k = 0; k < robot.links.size(); ++k) bodies[robot.first_body + robot.links[k] - robot.links[0]].state.pose.p += d;
  };
  geom::Pose X_WA, X_WB;
  const auto measure = [&](const Pair& pair) {
    features.clear();
    geom::SeparationCache cache;
    X_WA = originPose(parts[pair.a].body), X_WB = originPose(parts[pair.b].body);
    return finder.find(*parts[pair.a].shape, X_WA, *parts[pair.b].shape, X_WB, scales.gap, cache, features);
  };
  auto size = [&](int p) {
    const auto* polytope = std::get_if<geom::Polytope>(parts[p].shape);
    return polytope ? polytope->size() : 0.0;
  };
  const auto refuse = [&](const Pair& pair, const std::string& reason) {
    const int a = parts[pair.a].body, b = parts[pair.b].body;
    throw SceneError(fmt::format("bodies '{}' and '{}' {}", scene.bodies[a].name, scene.bodies[b].name, reason), bodies[b].fixed ? a : b);
  };
  // Each pair as the user placed it; what follows presses others together, which is no overlap of the user's.
  double closest = std::numeric_limits<double>::infinity(), largest_push = 0;
  for (const Pair& pair : pairs) {
    const double distance = measure(pair), rounding = kTouchingShare * (size(pair.a) + size(pair.b));
    closest = std::min(closest, std::max(distance, scales.gap));
    if (!(distance < scales.gap)) continue;
    if (!(distance >= -rounding))
      refuse(pair, fmt::format("overlap at the start by {:.6g} m; bodies must start apart or touching", -distance));
    if (!(scales.gap - distance <= kMaxPush + rounding))
      refuse(pair, fmt::format("start closer than the contact gap of {:.3g} m and cannot be moved apart by {:.3g} m or less", scales.gap, kMaxPush));
    largest_push = std::max(largest_push, kMaxPush + 2 * rounding);
  }
  if (largest_push == 0) return closest;
  // A body in a stack is pushed by that for each one below it, one in a corner along each wall.
  const double farthest = kDirections * largest_push *
                          static_cast<double>(std::count_if(bodies.begin(), bodies.end(), [](const BodyRuntime& body) { return !body.fixed; }));
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    bool moved = false;
    closest = std::numeric_limits<double>::infinity();
    for (const Pair& pair : pairs) {
      const int a = parts[pair.a].body, b = parts[pair.b].body;
      const double distance = measure(pair);
      closest = std::min(closest, std::max(distance, scales.gap));
      if (!(distance < scales.gap) || features.empty()) continue;
      depth[b] = std::min(depth[b], depth[a] + 1);
      depth[a] = std::min(depth[a], depth[b] + 1);
      Vector3d normal;
      const double gap = std::min(distance, advance::contactGap(features[0], *parts[pair.a].shape, X_WA, *parts[pair.b].shape, X_WB, &normal));
      const double need = scales.gap * (1 + 1e-6) - gap;
      double share_b = bodies[b].fixed ? 0 : bodies[a].fixed ? 1 : depth[b] > depth[a] ? 1 : depth[b] < depth[a] ? 0 : 0.5;
      push(b, share_b * need * normal);
      push(a, -(1 - share_b) * need * normal);
      pushed[b] += share_b * need * normal, pushed[a] -= (1 - share_b) * need * normal;
      moved = true;
      if (!(std::max(pushed[a].norm(), pushed[b].norm()) <= farthest))
        refuse(pair, fmt::format("and those around them start closer than the contact gap of {:.3g} m and cannot all be moved apart", scales.gap));
    }
    if (!moved) break;
    if (pass + 1 == kMaxPasses)
      throw SceneError("touching bodies of the start cannot all be moved apart to the contact gap", -1);
  }
  for (size_t i = 0; i < bodies.size(); ++i)
    if (!pushed[i].isZero(0))
      warnings.push_back(fmt::format("body '{}' touched at the start and was moved by {:.3g} m", scene.bodies[i].name, pushed[i].norm()));
  return closest;
}

void requireOneRestitution(const Scene& scene) {
  if (scene.impact_model != "propagative") return;
  std::optional<double> first;
  std::string of_first;
  const auto meet = [&](double restitution, const auto& nameOf, int body) {
    if (!first) {
      first = restitution, of_first = nameOf();
    } else if (restitution != *first) {
      throw SceneError(fmt::format("the impact model 'propagative' takes one restitution for all contacts, but {} has {} and {} has {}",
                                   of_first, *first, nameOf(), restitution), body);
    }
  };
  const auto& bodies = scene.bodies;
  for (std::size_t a = 0; a < bodies.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool never = bodies[a].parts.empty() || bodies[b].parts.empty() || (bodies[a].fixed && bodies[b].fixed) ||
                         std::ranges::count(bodies[a].ignored, static_cast<int>(b)) > 0 ||
                         std::ranges::count(bodies[b].ignored, static_cast<int>(a)) > 0;
      if (!never)
        meet(std::max(bodies[a].material.restitution, bodies[b].material.restitution),
             [&] { return fmt::format("the contact of '{}' and '{}'", bodies[b].name, bodies[a].name); }, static_cast<int>(a));
    }
  }
  for (const SceneRobot& robot : scene.robots) {
    for (const RobotLimit& limit : robotLimits(robot.robot, robot.first_body, 1))
      meet(limit.restitution, [&] { return fmt::format("the limit of joint '{}'", limit.joint); }, -1);
  }
}

}  // namespace rigor::sim
