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
#include "impact/model_registry.h"
#include "sim/robot_equations.h"
#include "sim/robot_limit.h"
#include "sim/run/body_tree.h"
#include "sim/run/part_tree.h"
#include "sim/simulation.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr double kTouchingShare = 1e-9;  // Overlap below this share of the sizes is rounding of the user's numbers.
constexpr double kMaxPush = 1e-7;        // [m] Touching starts are moved apart by no more (docs/scenes.md).
constexpr double kDirections = 2;        // Of pushes that add up: three walls at right angles push by sqrt(3).
constexpr int kMaxPasses = 400;          // Sweeps over all near pairs; a stack of n needs about n.
constexpr double kFirstMargin =
    0.01;  // Neighbourhoods of the search for the closest pair start with this share of the bodies' size.

/// The work of separateStart().
class StartSeparation {
 public:
  StartSeparation(const Scene& scene, const Scales& scales, std::span<const PartRuntime> parts,
                  std::span<BodyRuntime> bodies, std::span<RobotRuntime> robots)
      : scene_(scene),
        scales_(scales),
        parts_(parts),
        bodies_(bodies),
        robots_(robots),
        depth_(bodies.size(), 1 << 20),
        pushed_(bodies.size(), Vector3d::Zero()) {
    for (size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].fixed) depth_[i] = 0;
  }

  /// @returns the smallest distance, at least the gap.
  double run() {
    const double closest = findClosest(), largest_push = judge();
    if (largest_push == 0) return closest;
    // A body in a stack is pushed by that for each one below it, one in a corner along each wall.
    const double farthest = kDirections * largest_push *
                            static_cast<double>(std::count_if(bodies_.begin(), bodies_.end(),
                                                              [](const BodyRuntime& body) { return !body.fixed; }));
    return pushApart(farthest);
  }

  void warn(std::vector<std::string>& warnings) const {
    for (size_t i = 0; i < bodies_.size(); ++i)
      if (!pushed_[i].isZero(0))
        warnings.push_back(fmt::format("body '{}' touched at the start and was moved by {:.3g} m",
                                       scene_.bodies[i].name, pushed_[i].norm()));
  }

 private:
  struct Pair { int a, b; };

  /// pairs_: all whose distance may be at most `margin`, in the order of their parts.
  void findPairs(double margin);
  double findClosest();
  double judge();
  double pushApart(double farthest);
  void pushPair(const Pair& pair, double distance, double farthest);
  double measure(const Pair& pair);
  void push(int body, const Vector3d& d);
  void pushJoints(RobotRuntime& robot, int link, const Vector3d& d);
  [[noreturn]] void refuse(const Pair& pair, const std::string& reason) const;

  geom::Pose originPose(int body) const {
    geom::Pose pose = bodies_[body].state.pose;
    if (!bodies_[body].centre.isZero(0)) pose.p -= pose.rotation() * bodies_[body].centre;
    return pose;
  }
  bool isHalfSpace(int p) const { return std::holds_alternative<geom::HalfSpace>(*parts_[p].shape); }
  double size(int p) const {
    const auto* polytope = std::get_if<geom::Polytope>(parts_[p].shape);
    return polytope ? polytope->size() : 0.0;
  }

  const Scene& scene_;
  const Scales& scales_;
  std::span<const PartRuntime> parts_;
  std::span<BodyRuntime> bodies_;
  std::span<RobotRuntime> robots_;
  std::vector<Pair> pairs_;
  std::vector<int> depth_;  // Bodies farther from the fixed ones give way: a stack is lifted from below.
  std::vector<Vector3d> pushed_;
  advance::ManifoldFinder finder_;
  std::vector<advance::ContactFeature> features_;
  geom::Pose X_WA_, X_WB_;
};

void StartSeparation::findPairs(double margin) {
  constexpr double kRounding = 1e-9;  // Generous: what is near is measured.
  BodyTree tree;
  tree.reset(bodies_.size());
  const auto corner = [&](int b) {
    const BodyRuntime& body = bodies_[b];
    return Vector3d::Constant(body.radius * (1 + kRounding) + kRounding * body.state.pose.p.cwiseAbs().maxCoeff())
        .eval();
  };
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b)
    tree.update(b, bodies_[b].state.pose.p - corner(b), bodies_[b].state.pose.p + corner(b));
  pairs_.clear();
  std::vector<int> found;
  for (int a = 0; a < static_cast<int>(bodies_.size()); ++a) {
    if (bodies_[a].fixed) continue;
    const Vector3d wider = corner(a) + Vector3d::Constant(margin * (1 + kRounding));
    tree.query(bodies_[a].state.pose.p - wider, bodies_[a].state.pose.p + wider, [&](int b) {
      if (b == a || (b < a && !bodies_[b].fixed) || !bodies_[a].collidesWith(b)) return;
      const int first = std::min(a, b), second = std::max(a, b);
      const Vector3d p = bodies_[first].state.pose.p, q = bodies_[second].state.pose.p;
      eachPairOfParts(bodies_, parts_, first, p - corner(first), p + corner(first), second, q - corner(second),
                      q + corner(second), margin, found, [&](int i, int j) { pairs_.push_back({i, j}); });
    });
  }
  std::sort(pairs_.begin(), pairs_.end(),
            [](const Pair& p, const Pair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
  for (Pair& pair : pairs_)
    if (isHalfSpace(pair.b)) std::swap(pair.a, pair.b);
}

/// The smallest distance of all pairs, by wider and wider neighbourhoods: what lies outside of one is farther apart
/// than its margin.
/// @post pairs_ holds all that are closer than the gap.
double StartSeparation::findClosest() {
  double extent = 0;  // Twice the farthest coordinate of any finite box: neighbourhoods that wide hold all pairs.
  for (const BodyRuntime& body : bodies_)
    if (std::isfinite(body.radius))
      extent = std::max(extent, 2 * (body.state.pose.p.cwiseAbs().maxCoeff() + body.radius));
  for (double margin = scales_.gap;; margin = std::max(2 * margin, kFirstMargin * scales_.length)) {
    findPairs(margin);
    double closest = std::numeric_limits<double>::infinity();
    for (const Pair& pair : pairs_) closest = std::min(closest, std::max(measure(pair), scales_.gap));
    if (closest <= margin || !(margin <= extent)) return closest;
  }
}

/// Each pair as the user placed it; what follows presses others together, which is no overlap of the user's. @returns
/// how far a body may have to be pushed by another; 0: none has to.
double StartSeparation::judge() {
  double largest_push = 0;
  for (const Pair& pair : pairs_) {
    const double distance = measure(pair), rounding = kTouchingShare * (size(pair.a) + size(pair.b));
    if (!(distance < scales_.gap)) continue;
    if (!(distance >= -rounding))
      refuse(pair, fmt::format("overlap at the start by {:.6g} m; bodies must start apart or touching", -distance));
    if (!(scales_.gap - distance <= kMaxPush + rounding))
      refuse(pair,
             fmt::format("start closer than the contact gap of {:.3g} m and cannot be moved apart by {:.3g} m or less",
                         scales_.gap, kMaxPush));
    largest_push = std::max(largest_push, kMaxPush + 2 * rounding);
  }
  return largest_push;
}

double StartSeparation::pushApart(double farthest) {
  findPairs(2 * (scales_.gap + farthest));  // Others stay farther apart than those that are pushed.
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    bool moved = false;
    double closest = std::numeric_limits<double>::infinity();
    for (const Pair& pair : pairs_) {
      const double distance = measure(pair);
      closest = std::min(closest, std::max(distance, scales_.gap));
      if (!(distance < scales_.gap) || features_.empty()) continue;
      pushPair(pair, distance, farthest);
      moved = true;
    }
    if (!moved) return closest;
  }
  throw SceneError("touching bodies of the start cannot all be moved apart to the contact gap", -1);
}

void StartSeparation::pushPair(const Pair& pair, double distance, double farthest) {
  const int a = parts_[pair.a].body, b = parts_[pair.b].body;
  depth_[b] = std::min(depth_[b], depth_[a] + 1);
  depth_[a] = std::min(depth_[a], depth_[b] + 1);
  Vector3d normal;
  const double gap = std::min(
      distance, advance::contactGap(features_[0], *parts_[pair.a].shape, X_WA_, *parts_[pair.b].shape, X_WB_, &normal));
  const double need = scales_.gap * (1 + 1e-6) - gap;
  const double share_b = bodies_[b].fixed        ? 0
                         : bodies_[a].fixed      ? 1
                         : depth_[b] > depth_[a] ? 1
                         : depth_[b] < depth_[a] ? 0
                                                 : 0.5;
  push(b, share_b * need * normal);
  push(a, -(1 - share_b) * need * normal);
  if (!(std::max(pushed_[a].norm(), pushed_[b].norm()) <= farthest))
    refuse(
        pair,
        fmt::format("and those around them start closer than the contact gap of {:.3g} m and cannot all be moved apart",
                    scales_.gap));
}

double StartSeparation::measure(const Pair& pair) {
  features_.clear();
  geom::SeparationCache cache;
  X_WA_ = originPose(parts_[pair.a].body), X_WB_ = originPose(parts_[pair.b].body);
  const PartRuntime &a = parts_[pair.a], &b = parts_[pair.b];
  // First as if parts were alone: most are too far apart for their solids to matter, and surfaces of large ones are
  // made when they are asked for.
  const double distance = finder_.find({*a.shape, X_WA_, {}}, {*b.shape, X_WB_, {}}, scales_.gap, cache, features_);
  if (features_.empty()) return distance;
  features_.clear(), cache = {};
  return finder_.find({*a.shape, X_WA_, skinOf(bodies_[a.body], a)}, {*b.shape, X_WB_, skinOf(bodies_[b.body], b)},
                      scales_.gap, cache, features_);
}

/// A robot that nothing holds moves as a whole; another one by its joints, as a push on the body's centre would move
/// it.
void StartSeparation::push(int body, const Vector3d& d) {
  pushed_[body] += d;
  if (bodies_[body].robot < 0) {
    bodies_[body].state.pose.p += d;
    return;
  }
  RobotRuntime& robot = robots_[bodies_[body].robot];
  if (bodies_[body].fixed || d.isZero(0)) return;
  const int root = robot.model->freeRoot();
  if (root < 0) pushJoints(robot, bodies_[body].link, d);
  else robot.state.q.segment<3>(robot.model->nodes()[root].q) += d;
  robot.start = robot.state;
  for (size_t k = 0; root >= 0 && k < robot.links.size(); ++k)
    bodies_[robot.bodyOf(k)].state.pose.p += d;
}

/// Moves the joints so that the centre of a link moves by d along d: the least such motion, in the kinetic metric.
void StartSeparation::pushJoints(RobotRuntime& robot, int link, const Vector3d& d) {
  SystemRobot moved;
  moved.model = robot.model, moved.state = robot.state, moved.links = robot.links;
  RobotEquations equations;
  equations.update(moved);
  Eigen::Matrix<double, 1, 6> along;
  along << d.normalized().transpose(), 0, 0, 0;
  Eigen::MatrixXd row, response;
  equations.expandRows(moved, link, along, row);
  response = row.transpose();
  equations.respondColumns(response);
  const double mobility = row.row(0).dot(response.col(0));
  if (!(mobility > 0)) return;  // Its joints cannot give way: said to be too close at last.
  dynamics::integrate(*robot.model, moved.state.q, response.col(0), d.norm() / mobility, robot.state.q);
  moved.state = robot.state;
  equations.update(moved, false);
  std::vector<SystemBody> links(robot.links.size());
  for (size_t k = 0; k < links.size(); ++k) links[k].link = robot.links[k];
  equations.writeLinks(moved, links);
  for (size_t k = 0; k < links.size(); ++k) {
    BodyRuntime& body = bodies_[robot.bodyOf(k)];
    body.state = links[k].state;
    body.v_start = body.v_end = body.v_back = body.state.velocity();
  }
}

void StartSeparation::refuse(const Pair& pair, const std::string& reason) const {
  const int a = parts_[pair.a].body, b = parts_[pair.b].body;
  const auto robotOf = [&](int body) {  // Trees of one file may be robots and bodies of their own.
    const std::string& name = scene_.bodies[body].name;
    return name.substr(0, std::min(name.find('/'), name.size()));
  };
  const bool of_one_robot = scene_.bodies[a].name != robotOf(a) && robotOf(a) == robotOf(b);
  throw SceneError(
      fmt::format("bodies '{}' and '{}' {}{}", scene_.bodies[a].name, scene_.bodies[b].name, reason,
                  of_one_robot ? " (links of one robot: `ignore_collisions: [[LINK, LINK]]` lets them)" : ""),
      bodies_[b].fixed ? a : b);
}

}  // namespace

double separateStart(const Scene& scene, const Scales& scales, std::span<const PartRuntime> parts,
                     std::span<BodyRuntime> bodies, std::span<RobotRuntime> robots,
                     std::vector<std::string>& warnings) {
  StartSeparation separation(scene, scales, parts, bodies, robots);
  const double closest = separation.run();
  separation.warn(warnings);
  return closest;
}

void requireOneRestitution(const Scene& scene) {
  const impact::Model* const model = impact::findModel(scene.impact_model);
  if (!model || !model->needs.one_restitution || !model->needs.one_restitution(scene.impact)) return;
  std::optional<double> first;
  std::string of_first;
  const auto meet = [&](double restitution, const auto& nameOf, int body) {
    if (!first) {
      first = restitution, of_first = nameOf();
    } else if (restitution != *first) {
      throw SceneError(
          fmt::format("the impact model '{}' takes one restitution for all contacts, but {} has {} and {} has {}",
                      scene.impact_model, of_first, *first, nameOf(), restitution),
          body);
    }
  };
  const auto& bodies = scene.bodies;
  for (std::size_t a = 0; a < bodies.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool never = bodies[a].parts.empty() || bodies[b].parts.empty() || (bodies[a].fixed && bodies[b].fixed) ||
                         std::ranges::count(bodies[a].ignored, static_cast<int>(b)) > 0 ||
                         std::ranges::count(bodies[b].ignored, static_cast<int>(a)) > 0;
      if (!never)
        meet(
            std::max(bodies[a].material.restitution, bodies[b].material.restitution),
            [&] { return fmt::format("the contact of '{}' and '{}'", bodies[b].name, bodies[a].name); },
            static_cast<int>(a));
    }
  }
  for (const SceneRobot& robot : scene.robots) {
    for (const RobotLimit& limit : robotLimits(robot.robot, robot.first_body, 1))
      meet(limit.restitution, [&] { return fmt::format("the limit of joint '{}'", limit.joint); }, -1);
  }
}

}  // namespace rigor::sim
