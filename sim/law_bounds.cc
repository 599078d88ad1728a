// SPDX-License-Identifier: MIT
#include "sim/law_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "impact/model_registry.h"
#include "sim/scales.h"

namespace rigor::sim {

namespace {

// All in the units of the laws (docs/proof.md): m V, l, gap_nominal.
constexpr double kShare = 1.3;         // Velocity tolerances: error of a step, scaled energy.
constexpr double kHandedOn = 4;        // Of that share, where several bodies touch,
constexpr double kJoined = 10;         // or many, or links of robots.
constexpr double kSumRounding = 1e-9;  // What sums of heights and spins far above m V l are rounded by.
constexpr double kSupport = 10;        // Gaps.
constexpr double kSupportOfMany = 0.1;  // Of L: ticks of crowds hit what they come near to.
// Decisions close contacts by a pull if need be, of less in l / V than gravity: what hangs on nothing falls.
constexpr double kCone = 0.2, kConeOfSeveral = 0.9;
constexpr double kConeOfHeavy = 0.1;  // Of the heaviest body / the lightest, which takes its friction's error,
constexpr double kLargestCone = 1e6;  // up to what a bound may be.
constexpr double kSlip = 0.2, kSlipOfMany = 1;  // Of V, or of the fastest body at the start;
constexpr double kSlipOfRound = 1;  // the point of a round surface that touches runs along it within a step.
constexpr double kRebound = 3;      // What rebounds miss counts so many times.
constexpr double kRobotsEnergy = 0.03;          // The work of actuators is taken at instants.
// Where another group's event cuts a piece, its angular velocity is that of a cubic that turns by up to a radian: off
// by some 2e-4 of it, whatever the tolerance. Of its spin and of the energy of its turning.
constexpr double kCutTurn = 1e-3;
constexpr int kFewBodies = 3;  // Free ones that move.
constexpr double kJointsShare = 0.5;  // Of momentum: what joints do along their axes is known better.
// [m V l], of robots whatever the tolerance: a wrench stands at one instant of a step over which its joint moves.
constexpr double kJoints = 1.3e-2;
constexpr double kFits = 100;  // Of SolverOptions::joint_fit: cubic pieces between fitted instants.

// Above these a bound says nothing, and the checker takes none: such a run declares no bounds.
constexpr double kLargest = 0.1, kLargestGaps = 1e6, kLargestSlip = 1e3;

/// Of the bodies at the start, their rims included [m/s].
double fastestStart(const Scene& scene, const Scales& scales) {
  double fastest = 0;
  for (const Body& body : scene.bodies)
    if (!body.fixed) fastest = std::max({fastest, body.velocity.norm(), body.angular_velocity.norm() * scales.length});
  return fastest;
}

bool isRound(const Body& body) {
  return std::any_of(body.parts.begin(), body.parts.end(), [](const auto& part) {
    const auto* polytope = std::get_if<geom::Polytope>(&part);
    return polytope && polytope->round();
  });
}

/// Where several bodies press on each other, and hit at up to `fast` V, 1 or more [m V of the lighter]. A robot is one.
double coneOfSeveral(const Scene& scene, double fast) {
  std::vector<double> masses(scene.robots.size());
  for (const Body& body : scene.bodies) {
    if (body.fixed) continue;
    if (body.robot >= 0) masses[body.robot] += body.mass;
    else masses.push_back(body.mass);
  }
  std::erase(masses, 0);  // Of a robot that stands still.
  if (masses.empty()) return kConeOfSeveral;
  const auto [least, most] = std::minmax_element(masses.begin(), masses.end());
  return std::clamp(kConeOfHeavy * fast * *most / *least, kConeOfSeveral, kLargestCone);
}

/// V of the checker, from below: of the smallest body that moves [m/s].
double leastSpeed(const Scene& scene, const Scales& scales) {
  if (const double g = scene.gravity.cwiseAbs().maxCoeff(); g > 0) return std::sqrt(g * scales.length);
  const double fastest = fastestStart(scene, scales);
  return fastest > 0 ? fastest : std::sqrt(scales.length);
}

}  // namespace

std::string lawBounds(const Scene& scene) {
  const auto moving = std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                    [](const Body& body) { return !body.fixed && body.robot < 0; });
  const impact::Model* model = impact::findModel(scene.impact_model);
  if (model && !model->by_contact) return "{}";
  const Scales scales = Scales::fromScene(scene);
  // One body alone is known best; what several hand on to each other adds up.
  const bool robots = !scene.robots.empty(), alone = !robots && moving <= 1;
  const double handed_on = robots || moving > kFewBodies ? kJoined : alone ? 1 : kHandedOn;
  const double V = leastSpeed(scene, scales), share = kShare * scales.velocity_tolerance / V,
               momentum = kSumRounding + handed_on * share;
  if (!(momentum + (alone ? 0 : kCutTurn) <= kLargest)) return "{}";
  const bool many = moving > kFewBodies;
  const bool round = std::any_of(scene.bodies.begin(), scene.bodies.end(), isRound);
  const double plastic =
      model && model->plastic_speed ? kRebound * model->plastic_speed(scene.impact) / V : 0;  // It returns more.
  const double fast = std::max(1.0, fastestStart(scene, scales) / V);  // V: bodies fall, however they start.
  const double own_slip = many ? kSlipOfMany : round ? kSlipOfRound : kSlip, slip = std::max(own_slip * fast, plastic);
  const double support = many ? std::min(kSupportOfMany * scales.length / scales.gap, kLargestGaps) : kSupport;
  const double angular_momentum = alone ? momentum : std::min(momentum + kCutTurn * fast, kLargest);
  double cone = coneOfSeveral(scene, fast), energy = std::min(momentum + kCutTurn * fast * fast, kLargest);
  if (alone) cone = kCone, energy = kSumRounding + share * share;
  if (robots) energy = kRobotsEnergy;
  return fmt::format(R"({{"momentum":{},"angular_momentum":{},"kinematics":{},"cone":{},"support":{},"slip":{},)"
                     R"("closure":{},"energy":{},"joints":{}}})",
                     momentum, angular_momentum, scales.max_lift / scales.gap, cone, support,
                     std::min(slip, kLargestSlip), std::min(kFits * scales.joint_fit / scales.gap, kLargestGaps),
                     energy, std::max(kJointsShare * momentum, robots ? kJoints : 0));
}

}  // namespace rigor::sim
