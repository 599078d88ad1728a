// SPDX-License-Identifier: MIT
#include "sim/scales.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rigor::sim {

namespace {

// Relative tolerances, each with its reason. Figures in parentheses: for a 0.1 m body in g = 9.81 (V = 1 m/s).
constexpr double kGapShare = 1e-7;               // delta / L (1e-8 m): far above rounding, far below any sensor.
constexpr double kMaxGap = 1e-7;                 // [m] interface: bodies are moved apart by at most this.
constexpr double kGapRounding = 1e-13;           // delta over the largest coordinate: keeps 1e3 roundings below it.
constexpr double kReferenceSpeed = 1.0;          // [m/s] V for which SolverOptions::velocity_tolerance is stated.
constexpr double kReferenceTime = 0.1;           // [s] sqrt(L/g) for which SolverOptions::event_window is stated.
constexpr double kApproachShare = 1e-9;  // / V: moves a point by 1e-10 m, a hundredth of delta, in the longest step.
constexpr double kHeldApproachShare = 2e-7;      // / V: tilt of a patch within the band (2 delta / L) times V.
constexpr double kPushOutTime = 0.1;             // times sqrt(L/g) (10 ms): time in which a gap returns to delta.
constexpr double kSlipShare = 1e-3;              // of g times the event window (1e-6 m/s).
constexpr double kRestSpeedShare = 1e-8;         // / V: what a projection onto rest leaves is 1e-16.
constexpr double kRestAccelerationShare = 1e-6;  // / g: ten times the contact solver's residual.
constexpr double kCaptureShare = 1e-2;           // / V
constexpr double kLiftGaps = 100;                // deltas (1e-6 m); the verifier's velocity check allows for it.
constexpr double kFitShare = 0.1;  // of delta (1e-9 m): joints stay closed to far less than a contact's gap.
constexpr double kLoopFit = 3e-10;  // [m] where there are loops: both sides of one together stay within 1e-9.
constexpr double kShortStepShare = 1e-8;         // / sqrt(L/g) (1e-9 s): at 1 m/s a tenth of delta.
constexpr double kMostToLongest = 100;           // A robot's longest link to the least length that its others count by.
constexpr double kMinStepShare = 1e-13;          // / sqrt(L/g) (1e-14 s): a heavy body turns a light one by V in less
                                                 // than 1e-12 s.

double partSize(const geom::Shape& shape) {
  const auto* polytope = std::get_if<geom::Polytope>(&shape);
  return polytope ? polytope->size() : 0;
}

// A cube's diagonal is sqrt(3) edges: a length is the edge of the cube with the diagonal of what it measures.
double edgeOf(double diagonal) { return diagonal / std::sqrt(3.0); }
double diagonalOf(double edge) { return std::sqrt(3.0) * edge; }

/// Size of each moving body, the largest of its parts; 0 for bodies without. Links that fixed joints hold together are
/// one body, whose size all of them get: a sensor's box on a trunk says nothing about lengths that matter. Nor does a
/// chip on a joint of its own, which moves as the robot does.
std::vector<double> movingSizes(const Scene& scene) {
  std::vector<double> sizes(scene.bodies.size(), 0.0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (scene.bodies[i].fixed) continue;
    for (const geom::Shape& part : scene.bodies[i].parts) sizes[i] = std::max(sizes[i], partSize(part));
  }
  std::vector<double> node_size;
  for (const SceneRobot& robot : scene.robots) {
    const dynamics::ArticulatedModel& model = *robot.robot.model;
    node_size.assign(model.nodes().size(), 0.0);
    for (int l = 0; l < model.numLinks(); ++l) {
      double& size = node_size[model.link(l).node];
      size = std::max(size, sizes[robot.first_body + l]);
    }
    const double least = diagonalOf(leastLength(robot.robot));
    for (int l = 0; l < model.numLinks(); ++l)
      if (!scene.bodies[robot.first_body + l].fixed)
        sizes[robot.first_body + l] = std::max(least, node_size[model.link(l).node]);
  }
  return sizes;
}

}  // namespace

double leastLength(const dynamics::Robot& robot) {
  double longest = 0;
  for (const std::vector<geom::Shape>& parts : robot.shapes) {
    Eigen::AlignedBox3d box;
    for (const geom::Shape& part : parts)
      if (const auto* polytope = std::get_if<geom::Polytope>(&part))
        for (int v = 0; v < polytope->numVertices(); ++v) box.extend(polytope->vertex(v));
    if (!box.isEmpty()) longest = std::max(longest, box.sizes().maxCoeff());
  }
  return longest / kMostToLongest;
}

Scales Scales::fromScene(const Scene& scene) {
  Scales s;
  double smallest = std::numeric_limits<double>::infinity(), farthest = 0, fastest = 0;
  const std::vector<double> sizes = movingSizes(scene);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Body& body = scene.bodies[i];
    farthest = std::max(farthest, body.pose.p.norm());
    if (body.fixed || body.parts.empty()) continue;
    const double size = sizes[i];
    smallest = std::min(smallest, size);
    fastest = std::max(fastest, body.velocity.norm() + body.angular_velocity.norm() * size);
  }
  s.length = std::isfinite(smallest) && smallest > 0 ? edgeOf(smallest) : 1.0;
  const double g = scene.gravity.norm();
  s.acceleration = g > 0 ? g : (fastest > 0 ? fastest * fastest / s.length : 1.0);
  s.speed = std::sqrt(s.acceleration * s.length);
  s.time = std::sqrt(s.length / s.acceleration);

  const SolverOptions& o = scene.solver;
  s.gap = o.gap > 0 ? o.gap : std::min(kGapShare * s.length, kMaxGap);
  s.gap = std::max(s.gap, kGapRounding * farthest);
  s.floor = 0.5 * s.gap;
  s.band = 2 * s.gap;
  s.velocity_tolerance = o.velocity_tolerance * s.speed / kReferenceSpeed;
  s.approach = kApproachShare * std::max(s.speed, fastest);
  s.held_approach = kHeldApproachShare * std::max(s.speed, fastest);
  s.event_window = o.event_window * s.time / kReferenceTime;
  s.slip_speed = kSlipShare * s.acceleration * s.event_window;
  s.push_out = s.gap / (kPushOutTime * s.time);
  s.rest_speed = kRestSpeedShare * s.speed;
  s.rest_acceleration = kRestAccelerationShare * s.acceleration;
  s.capture_speed = o.capture_speed > 0 ? o.capture_speed : kCaptureShare * s.speed;
  s.max_lift = kLiftGaps * s.gap;
  const bool loops = std::any_of(scene.robots.begin(), scene.robots.end(),
                                 [](const SceneRobot& robot) { return !robot.robot.model->loops().empty(); });
  s.joint_fit = o.joint_fit > 0 ? o.joint_fit : std::min(kFitShare * s.gap, loops ? kLoopFit : HUGE_VAL);
  s.short_step = kShortStepShare * s.time;
  s.min_step = kMinStepShare * s.time;
  return s;
}

}  // namespace rigor::sim
