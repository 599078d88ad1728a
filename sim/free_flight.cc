// SPDX-License-Identifier: MIT
#include "sim/free_flight.h"

#include "dynamics/quaternion.h"
#include "elementary/require.h"
#include "sim/step/step_world.h"

namespace rigor::sim {

void turnTo(const Eigen::Vector4d& end, const Eigen::Vector3d& w_start, const Eigen::Vector3d& w_end,
            advance::MotionPiece& piece) {
  const double third = (piece.t1 - piece.t0) / 3;
  piece.q_degree = 3;
  piece.q[1] = piece.q[0] + third * dynamics::quaternionRate(piece.q[0], w_start);
  piece.q[3] = end;
  piece.q[2] = piece.q[3] - third * dynamics::quaternionRate(piece.q[3], w_end);
}

dynamics::RigidBodyState turned(const dynamics::RigidBodyState& published, const Eigen::Vector4d& beside) {
  dynamics::RigidBodyState state = published;
  if (beside == Eigen::Vector4d(1, 0, 0, 0)) return state;
  state.pose.q = dynamics::multiply(beside, published.pose.q);
  state.w = geom::quaternionMatrix(beside) * published.w;
  return state;
}

dynamics::RigidBodyState flightAt(const BodyRuntime& body, const Eigen::Vector3d& gravity, double t) {
  RIGOR_REQUIRE(body.flies && !(t < body.piece.t0) && !(t > body.piece.t1));
  dynamics::RigidBodyState start;
  start.pose = body.piece.start(), start.setVelocity(body.v_start);
  if (!isUnit(start.pose.q)) start.pose.q.normalize();
  return dynamics::stepFree(body.model, turned(start, body.beside_start), gravity, t - body.piece.t0);
}

}  // namespace rigor::sim
