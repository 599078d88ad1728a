// SPDX-License-Identifier: MIT
#include "dynamics/controllers/gait.h"

#include <cmath>

namespace rigor::dynamics {

double footPhase(const Gait& gait, int i, double time) {
  const double turns = (time - gait.stand) / gait.period - gait.touch_down[i];
  const double phase = turns - std::floor(turns);
  return phase < 1 ? phase : 0;  // The difference may round to 1.
}

FootTarget footTarget(const Gait& gait, int i, double time) {
  const Eigen::Vector3d& middle = gait.stance[i];
  if (time < gait.stand) return {middle, Eigen::Vector3d::Zero(), true};
  const Eigen::Vector3d u(-gait.velocity[0] + gait.turn * middle[1], -gait.velocity[1] - gait.turn * middle[0], 0);
  const double phase = footPhase(gait, i, time), half = 0.5 * gait.duty * gait.period;
  if (phase < gait.duty) return {middle + (phase * gait.period - half) * u, u, true};

  // Hermite cubic from middle + half u to middle - half u, with the velocity u at both ends.
  const double swing = (1 - gait.duty) * gait.period, s = (phase - gait.duty) / (1 - gait.duty);
  const double along = half * (1 - 6 * s * s + 4 * s * s * s) + swing * s * (1 - s) * (1 - 2 * s);
  const double rate = half * (-12 * s + 12 * s * s) / swing + (1 - 6 * s + 6 * s * s);
  const double r = s < 0.5 ? 2 * s : 2 - 2 * s, lift = r * r * (3 - 2 * r), climb = 6 * r * (1 - r);
  FootTarget target{middle + along * u, rate * u, false};
  target.position[2] += gait.step_height * lift;
  target.velocity[2] += gait.step_height * climb * (s < 0.5 ? 2 : -2) / swing;
  return target;
}

}  // namespace rigor::dynamics
