// SPDX-License-Identifier: MIT
#include "sim/law_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/scales.h"

namespace rigor::sim {

namespace {

// All in the units of the laws (docs/proof.md): m V, l, gap_nominal.
constexpr double kShare = 1.3;       // Velocity tolerances: error of a step, scaled energy.
constexpr double kRounding = 1e-9;   // What sums of heights and spins far above m V l are rounded by.
constexpr double kWindows = 2;       // Event windows over which a decision closes contacts, by a pull if need be.
constexpr double kLongestSteps = 2;  // Longest steps of gravity, or friction: a slip is known at the ends of steps.
constexpr double kSupport = 0.1;     // Of L: a contact that leaves within a step pushes to its end.
constexpr int kFewBodies = 3;        // Free ones that move, up to which no crowd steps by ticks.
constexpr double kFits = 10;         // Of SolverOptions::joint_fit: cubic pieces between fitted instants.

// Above these a bound says nothing, and the checker takes none: such a run declares no bounds.
constexpr double kLargest = 0.1, kLargestGaps = 1e6;

/// V of the checker, from below: of the smallest body that moves [m/s].
double leastSpeed(const Scene& scene, const Scales& scales) {
  if (const double g = scene.gravity.cwiseAbs().maxCoeff(); g > 0) return std::sqrt(g * scales.length);
  double fastest = 0;
  for (const Body& body : scene.bodies)
    if (!body.fixed) fastest = std::max({fastest, body.velocity.norm(), body.angular_velocity.norm() * scales.length});
  return fastest > 0 ? fastest : std::sqrt(scales.length);
}

}  // namespace

std::string lawBounds(const Scene& scene) {
  const auto moving = std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                    [](const Body& body) { return !body.fixed && body.robot < 0; });
  // What a loop does is no wrench of the record's: the joints' would have to carry it.
  const bool loops = std::any_of(scene.robots.begin(), scene.robots.end(),
                                 [](const SceneRobot& one) { return !one.robot.model->loops().empty(); });
  if (moving > kFewBodies || loops) return "{}";
  const Scales scales = Scales::fromScene(scene);
  const double V = leastSpeed(scene, scales), share = kShare * scales.velocity_tolerance / V,
               momentum = kRounding + share;
  if (!(momentum <= kLargest)) return "{}";
  double friction = 1;
  for (const Body& body : scene.bodies)
    if (std::isfinite(body.material.friction)) friction = std::max(friction, body.material.friction);
  const double cone = momentum + kWindows * scales.event_window * scales.acceleration / V,
               slip = momentum + kLongestSteps * friction * scales.acceleration * scene.solver.max_step / V,
               support = kSupport * scales.length / scales.gap,
               // The work of actuators is taken at instants.
               energy = kRounding + (scene.robots.empty() ? share * share : share);
  return fmt::format(R"({{"momentum":{},"angular_momentum":{},"kinematics":{},"cone":{},"support":{},"slip":{},)"
                     R"("closure":{},"energy":{}}})",
                     momentum, momentum, scales.max_lift / scales.gap, std::min(cone, kLargest),
                     std::min(support, kLargestGaps), std::min(slip, kLargest),
                     std::min(kFits * scales.joint_fit / scales.gap, kLargestGaps), energy);
}

}  // namespace rigor::sim
