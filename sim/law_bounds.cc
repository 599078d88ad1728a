// SPDX-License-Identifier: MIT
#include "sim/law_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "sim/scales.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr int kFewBodies = 3;         // Bodies without restitution up to which no group is a crowd.
constexpr double kToleranceShare = 10;  // Tolerances that velocities may be off by where bodies hang together.
constexpr double kWidestWindow = 20;  // Event windows for which contacts may be closed at once.
constexpr double kSupportShare = 1e-2;  // Of a body's size: gap over which a contact that leaves within a step may push.
constexpr double kEnergyShare = 1e-9;   // Of m V^2: rounding of energies, however high the body is.
constexpr double kLargest = 0.1;        // A momentum that is off by more says nothing.

/// Longest edge of the box around a body's vertices [m].
double lengthOf(const Body& body) {
  Vector3d low = Vector3d::Constant(HUGE_VAL), high = -low;
  for (const geom::Shape& part : body.parts)
    if (const auto* polytope = std::get_if<geom::Polytope>(&part))
      low = low.cwiseMin(polytope->vertices().rowwise().minCoeff()), high = high.cwiseMax(polytope->vertices().rowwise().maxCoeff());
  return std::max(0.0, (high - low).maxCoeff());
}

}  // namespace

std::string lawBounds(const Scene& scene) {
  const Scales scales = Scales::fromScene(scene);
  int plastic = 0;
  double smallest = HUGE_VAL, largest = 0;
  for (const Body& body : scene.bodies) {
    if (body.fixed) continue;
    if (!(body.material.restitution > 0)) ++plastic;
    smallest = std::min(smallest, lengthOf(body)), largest = std::max(largest, lengthOf(body));
  }
  const double g = scene.gravity.cwiseAbs().maxCoeff();
  if (!scene.robots.empty() || plastic > kFewBodies || !(g > 0) || !(smallest > 0) || !std::isfinite(smallest)) return "{}";
  const double speed = std::sqrt(g * smallest), share = kToleranceShare * scales.velocity_tolerance / speed;
  const double closed = kWidestWindow * scales.event_window * scales.acceleration / speed;
  const double lift = (scales.max_lift + scene.solver.max_step / 3 * scales.velocity_tolerance) / scales.gap;
  return fmt::format(R"({{"momentum":{},"angular_momentum":{},"kinematics":{},"cone":{},"support":{},"slip":1,"stick":{},"energy":{}}})",
                     std::min(share, kLargest), std::min(share, kLargest), lift, std::min(share + closed, kLargest),
                     kSupportShare * largest / scales.gap, std::min(share + closed, kLargest), kEnergyShare);
}

}  // namespace rigor::sim
