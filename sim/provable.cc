// SPDX-License-Identifier: MIT
#include "sim/provable.h"

#include <fmt/format.h>

#include "sim/simulation.h"

namespace rigor::sim {

namespace {

// Impulses of a rest of length t round by some 1e-16 m g t: a thousandth of what a step's momentum may be off by.
constexpr double kLongest = 5e12;  // / sqrt(L/g), times the velocity tolerance / V (1e9 s)
// Energies round by some 1e-12 of themselves over the steps of a turn, and are held to 7e-6 m V^2.
constexpr double kFastest = 5e4;       // / V
constexpr double kFastestSpin = 5e3;   // / (V / L)

}  // namespace

void requireLength(double until, const Scene& scene, const Scales& scales) {
  const double longest = kLongest * scales.velocity_tolerance / scales.speed * scales.time;
  if (scene.gravity.isZero(0) || until <= longest) return;
  throw SceneError(fmt::format("a run of {:.6g} s is too long: up to {:.3g} s what holds these bodies at rest is known "
                               "well enough to be proved",
                               until, longest),
                   -1);
}

namespace {

/// Empty, or why a body of that speed [m/s] and angular speed [rad/s] is too fast.
std::string tooFast(const Body& body, double speed, double spin, const Scales& scales) {
  const double most = kFastest * scales.speed, most_spin = kFastestSpin * scales.speed / scales.length;
  if (speed > most)
    return fmt::format("'{}' moves at {:.3g} m/s, too fast for its energy to be proved: at most {:.3g} m/s, 5e4 sqrt(g "
                       "L), with L the size of the smallest body",
                       body.name, speed, most);
  if (spin > most_spin)
    return fmt::format("'{}' turns at {:.3g} rad/s, too fast for its energy to be proved: at most {:.3g} rad/s, 5e3 "
                       "sqrt(g / L), with L the size of the smallest body",
                       body.name, spin, most_spin);
  return {};
}

}  // namespace

std::string firstTooFast(const Scene& scene, std::span<const int> bodies,
                         std::span<const dynamics::RigidBodyState> ends, const Scales& scales) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    std::string why = tooFast(scene.bodies[bodies[k]], ends[k].v.norm(), ends[k].w.norm(), scales);
    if (!why.empty()) return why;
  }
  return {};
}

void requireSpeeds(const Scene& scene, const Scales& scales) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    if (body.fixed) continue;
    const std::string why = tooFast(body, body.velocity.norm(), body.angular_velocity.norm(), scales);
    if (!why.empty()) throw SceneError(why, static_cast<int>(i));
  }
}

}  // namespace rigor::sim
