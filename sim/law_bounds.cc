// SPDX-License-Identifier: MIT
#include "sim/law_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/scales.h"

namespace rigor::sim {

namespace {

constexpr int kFewBodies =
    2;  // Moving ones, up to which all laws are declared: of more, contacts push where they are apart by then.
constexpr double kShare = 1.3;       // Of the velocity tolerance: what momentum may be off by.
constexpr double kRounding = 1e-11;  // Of m, V, l: what sums of heights and spins far above them are rounded by.
constexpr double kWindows = 2;       // Event windows over which contacts of few bodies are closed at once.
constexpr double kTurned =
    2;  // Of what friction takes from a slip in the longest step: at velocity level it is known at its end.
constexpr double kCutGaps = 1000;  // What a curve that was cut may end beside its velocity, a third of its length.
constexpr double kSupport = 0.1;   // Of L, and in gaps: a contact that leaves within a step pushes to its end.
constexpr double kLargestGaps = 1e6;
constexpr double kLargest = 0.1;  // Momentum that is off by more says nothing.

}  // namespace

std::string lawBounds(const Scene& scene) {
  const auto moving =
      std::count_if(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return !body.fixed; });
  if (!scene.robots.empty() || moving > kFewBodies) return "{}";
  const Scales scales = Scales::fromScene(scene);
  double unit = scales.speed, friction = 0;
  if (!(scene.gravity.norm() > 0)) unit = 0;  // Then V is the run's largest speed, of which the start knows a part.
  for (const Body& body : scene.bodies) {
    if (!(scene.gravity.norm() > 0)) unit = std::max(unit, body.velocity.norm());
    if (std::isfinite(body.material.friction)) friction = std::max(friction, body.material.friction);
  }
  const double share = kShare * scales.velocity_tolerance / unit, momentum = kRounding + share;
  if (!(momentum < kLargest)) return "{}";
  // A decision takes from closing contacts what gravity gives within the window, by pulling where they would just have
  // left.
  const double closed = kWindows * scales.event_window * scales.acceleration / unit;
  const double turned = kTurned * std::max(1.0, friction) * scales.acceleration * scene.solver.max_step / unit;
  return fmt::format(
      R"({{"momentum":{},"angular_momentum":{},"kinematics":{},"cone":{},"support":{},"slip":{},"energy":{}}})",
      momentum, momentum, kCutGaps, std::min(momentum + closed, kLargest),
      std::min(kSupport * scales.length / scales.gap, kLargestGaps), std::min(momentum + turned, kLargest),
      kRounding + share * share);
}

}  // namespace rigor::sim
