// SPDX-License-Identifier: MIT
#include "sim/run/cut_velocity.h"

#include "elementary/require.h"

namespace rigor::sim {

using Eigen::Vector3d;

Vector3d velocityOfCut(int index, const ImpulseRecord& acted, std::span<const BodyRuntime> bodies,
                       const Vector3d& gravity) {
  const BodyRuntime& body = bodies[index];
  RIGOR_REQUIRE(acted.t1 == body.piece.t1);
  Vector3d P = Vector3d::Zero();
  for (const ImpulseRecord::Contact& contact : acted.contacts) {
    if (contact.pair.body_a != index && contact.pair.body_b != index) continue;
    const double sign = contact.pair.body_b == index ? 1 : -1;
    for (int k = contact.first; k < contact.first + contact.count; ++k) P += sign * acted.impulses[k].P;
  }
  const double h = body.piece.t1 - body.piece.t0;
  P += h * body.push.head<3>();
  return body.v_start.head<3>() + h * gravity + body.model.inverse_mass * P;
}

}  // namespace rigor::sim
