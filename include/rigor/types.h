// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace rigor {

using Vector3 = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  ///< [w, x, y, z]; means the rotation M(q)/(q.q), not renormalised.

/// Of a body's ORIGIN in world axes: [m], [-], [m/s], [rad/s].
struct State {
  Vector3 position{};
  Quaternion orientation{1, 0, 0, 0};
  Vector3 velocity{}, angular_velocity{};
};

struct Event {
  double time = 0;     ///< [s]
  std::string kind;    ///< docs/event-loop.md
  std::string body_a, body_b;  ///< Empty: none.
  std::string detail;  ///< A JSON object, or empty.
};

/// One contact of an impact. The normal points from A to B.
struct ImpactContact {
  std::string body_a, body_b;
  Vector3 point{}, normal{}, tangent{};  ///< World; tangent 2 = normal x tangent.
  Vector3 impulse{};                     ///< Normal, tangents 1 and 2 [N s].
  double friction = 0, restitution = 0;  ///< friction: infinity is no-slip.
};

struct Impact {
  double time = 0;
  std::string model;  ///< "velocity-set": not an impact, but a velocity that was set from outside.
  std::vector<std::string> bodies;
  std::vector<std::array<double, 6>> before, after;  ///< v of the centre of mass and w, world; a row a body.
  std::vector<ImpactContact> contacts;
};

/// What one contact did over [t0, t1]; the opposite acts on A. t0 = t1: an impulse at an instant.
struct Contact {
  std::string body_a, body_b;
  double t0 = 0, t1 = 0;
  Vector3 point{}, normal{};  ///< World, from A to B.
  Vector3 impulse{};          ///< On B, world [N s].
  /// Mean over the interval [N]; zero where t0 = t1.
  Vector3 force() const {
    if (!(t1 > t0)) return {};
    const double h = t1 - t0;
    return {impulse[0] / h, impulse[1] / h, impulse[2] / h};
  }
};

/// How whoever waits for a long call may follow and end it. Calls come from any thread, one at a time.
struct Watch {
  const std::atomic<bool>* interrupt = nullptr;        ///< Set: the call ends soon.
  std::function<void(double done, double of)> progress;  ///< Now and then.
};

}  // namespace rigor
