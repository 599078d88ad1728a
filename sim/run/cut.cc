// SPDX-License-Identifier: MIT
#include "sim/kept_rows.h"
#include "sim/run/claims.h"
#include "sim/run/cut_velocity.h"
#include "sim/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigor::sim {

namespace {

constexpr double kEndLift =
    0.9;  // Of the largest lift: by how much a cut curve may end beside its velocity, times a third of its length.

}  // namespace

/// What a body has at the end of a cut piece: energy less than it may have, and that which can be taken away [J].
struct Run::EnergyOfCut {
  double missing = 0, spare = 0;
};

/// Ends all motions at `t` and hands them over. `goes_on`: only what is handed over ends, to be looked at.
void Run::settle(double t, bool goes_on, Sink& sink) {
  groups_.each([&](Group& group) {
    cut(group, t, goes_on, sink);
    groups_.changed(groups_.of(group.bodies[0]));
  });
  groups_.each([&](Group& group) { finish(group, sink); });
  flushAll(t, sink);
}

/// Ends what is handed over at `t`. Where a claim about a motion that is cut there cannot be kept, nothing is cut and
/// what is final stays all there is. @returns up to where everything was handed over.
double Run::settleToLook(double t, double committed, Sink& sink) {
  KeptRows rows(scene);
  settle(t, true, rows);
  if (cut_failure_.empty()) {
    rows.replay(sink);
    return t;
  }
  if (summary_.status == RunStatus::kDone) failCut();  // Who looks is not shown what he asked for.
  cut_failure_.clear();
  take(uncut_);
  return std::max(committed, handed_);
}

/// Ends the current pieces of a group at `t`, because something hits it there or the run ends. groups_ is to be told of
/// its clock.
void Run::cut(Group& group, double t, bool goes_on, Sink& sink) {
  if (!(group.clock > t)) return;
  for (const int i : group.bodies)
    if (leadsRobot(i)) cutRobot(robots[bodies[i].robot], t);
  // What acted up to there.
  StepImpulses& acted = group.memory.acted;
  if (t > bodies[group.bodies[0]].piece.t0) acted.cut(t);
  else acted.clear();
  std::vector<int> moved;  // Free bodies.
  for (const int i : group.bodies) {
    const BodyRuntime& body = bodies[i];
    if (t > body.piece.t0 && body.robot < 0 && !body.rests()) moved.push_back(i);
    cutBody(i, t);
    cutClaims(i, t);
  }
  if (!goes_on)
    for (const int i : group.bodies)
      if (leadsRobot(i) && t > bodies[i].piece.t0) endLinks(robots[bodies[i].robot]);
  const auto flies = [&](int i) { return bodies[i].flies; };
  // What is handed over to be looked at is the motion as it is: the run goes on with it.
  if (!goes_on && !moved.empty() && std::all_of(moved.begin(), moved.end(), flies)) flyOn(moved);
  else endBodies(moved, group, goes_on);
  proveCut(group);
  group.clock = t;
  group.memory.next_step = 0;
  group.memory.flight.stop();
  group.memory.goes_on = false;
  finish(group, sink);
}

void Run::cutBody(int index, double t) {
  BodyRuntime& body = bodies[index];
  dynamics::RigidBodyState& state = body.state;
  if (t > body.piece.t0) {
    body.piece.velocityAt(t, state.v, state.w);
    if (body.rests()) body.piece.t1 = t;
    else body.piece = body.piece.cutAt(t);
    state.pose = body.piece.end();
    body.v_end = state.velocity();
  } else {
    // The step is taken back; what acted at its start, and is recorded, stands.
    state.pose = body.piece.start();
    body.piece = advance::MotionPiece::constant(state.pose, t, t);
    body.v_end = body.v_back;
    state.setVelocity(body.v_start);
    body.beside = body.beside_start;
  }
  body.clock = t;
  place(index);
}

/// Gives a body's centre the velocity v at the end of its piece, as far as its curve may end beside it.
void Run::endAt(const Eigen::Vector3d& v, BodyRuntime& body) const {
  const Eigen::Vector3d off = v - body.state.v;
  const double lift = off.norm() * (body.piece.t1 - body.piece.t0) / 3;
  body.state.v += std::min(1.0, kEndLift * scales.max_lift / lift) * off;
}

/// Links of a robot, whose pieces were cut, go on with their coordinates: they end with the velocities of these.
void Run::endLinks(const RobotRuntime& robot) {
  SystemState state = robotState(robot);
  RobotEquations& equations = robot_equations_[&robot - robots.data()];
  equations.update(state.robots[0], false);
  equations.writeLinks(state.robots[0], state.bodies);
  for (size_t k = 0; k < robot.links.size(); ++k) {
    BodyRuntime& body = bodies[robot.bodyOf(k)];
    endAt(state[k].state.v, body);
    body.v_end = body.state.velocity();
  }
}

/// Gives a free body, whose piece was cut, the velocity there that follows from what acted on it (cut_velocity.h), as
/// far as its curve may end beside it. Its angular velocity is that of its curve.
Run::EnergyOfCut Run::endBody(int index, const Group& group, bool goes_on) {
  BodyRuntime& body = bodies[index];
  dynamics::RigidBodyState& state = body.state;
  dynamics::RigidBodyState start;
  start.pose = body.piece.start(), start.setVelocity(body.v_start);
  const double most =
      dynamics::kineticEnergy(body.model, start) + body.model.mass * scene.gravity.dot(state.pose.p - start.pose.p);
  endAt(velocityOfCut(index, group.memory.acted.record, bodies, scene.gravity), body);
  if (!goes_on) body.v_end = state.velocity();
  if (!body.push.isZero(0)) return {HUGE_VAL, 0};  // Who pushes does work.
  const double kinetic = dynamics::kineticEnergy(body.model, state);
  return {most - kinetic, group.held ? kinetic : kinetic - 0.5 * body.model.mass * state.v.squaredNorm()};
}

/// No more energy than there was: curves turn as motions do to third order only. Bodies that touch hand energy on to
/// each other, so what counts is what they have together, and robots do work; one that flies never gains any, nor loses
/// momentum.
void Run::endBodies(std::span<const int> moved, const Group& group, bool goes_on) {
  EnergyOfCut together;
  const auto scale = [&](std::span<const int> cut, const EnergyOfCut& energy) {
    if (!(energy.missing < 0 && energy.spare > -energy.missing)) return;
    const double factor = std::sqrt(1 + energy.missing / energy.spare);
    for (const int i : cut) {
      if (group.held) bodies[i].state.v *= factor;
      bodies[i].state.w *= factor;
    }
  };
  for (const int& i : moved) {
    const EnergyOfCut energy = endBody(i, group, goes_on);
    if (!group.held) scale({&i, 1}, energy);
    together.missing += energy.missing, together.spare += energy.spare;
  }
  const auto of_robot = [&](int i) { return bodies[i].robot >= 0; };
  if (group.held && std::none_of(group.bodies.begin(), group.bodies.end(), of_robot)) scale(moved, together);
}

/// The claims about a body whose piece was cut at `t`.
void Run::cutClaims(int index, double t) {
  const BodyRuntime& body = bodies[index];
  pending_.eraseIf(index, [&](const WitnessRecord& w) { return !(w.witness.t0 < t); });
  const double slack = body.rests() ? 0 : cutSlack(body.piece, body.radius);
  pending_.each(index, [&](WitnessRecord& w) {
    w.witness.t1 = std::min(w.witness.t1, t);
    if (slack > 0) lowerClaim(slack, w.witness);
  });
}

/// The coordinates at `t` within the current pieces of the links.
void Run::cutRobot(RobotRuntime& robot, double t) {
  const advance::MotionPiece& piece = bodies[robot.first_body].piece;
  if (!(t > piece.t0)) {
    robot.state = robot.start;
    robot.acceleration = robot.start_acceleration;
    return;
  }
  const double h = piece.t1 - piece.t0, u = (t - piece.t0) / h;
  dynamics::ArticulatedState state;
  Eigen::VectorXd rate;
  interpolateRobot(*robot.model, robot.start, robot.start_acceleration, robot.state, robot.acceleration, h, u, state,
                   rate);
  robot.state = state;
  robot.acceleration = (1 - u) * robot.start_acceleration + u * robot.acceleration;
}

/// Proves claims of a group's cut pieces anew, where lowering them took too much: of edge pairs, whose two bounds
/// multiply, and those below the floor. What the pieces themselves lose in a cut is a thousandth of that. @post
/// summary_.min_gap; cut_failure_.
void Run::proveCut(const Group& group) {
  claims_.clear();
  const auto earlier = [&](int other, int body) {
    return other < body && std::binary_search(group.bodies.begin(), group.bodies.end(), other);
  };
  for (const int body : group.bodies)
    pending_.eraseIf(body, [&](WitnessRecord& w) {
      if (earlier(w.pair.body_a, body) || earlier(w.pair.body_b, body)) return false;  // It was looked at.
      if (proveCut(w, claims_)) return true;
      noteGap(group, w.witness.gap);
      if (!(w.witness.gap >= scales.floor))
        cut_failure_ = unprovedCut(w.pair);
      return false;
    });
  for (const WitnessRecord& witness : claims_) {
    pending_.add(witness);
    noteGap(group, witness.witness.gap);
  }
}

std::string Run::unprovedCut(const PairKey& pair) const {
  return fmt::format("the gap of '{}' and '{}' could not be proved for the shortened motion",
                     scene.bodies[pair.body_a].name, scene.bodies[pair.body_b].name);
}

/// @returns false where the claim stands as it is.
bool Run::proveCut(const WitnessRecord& w, std::vector<WitnessRecord>& proved) {
  const bool stands = w.witness.axis.kind != advance::AxisKind::kEdges && w.witness.gap >= scales.floor;
  return !stands && proveAnew(w, proved);
}

}  // namespace rigor::sim
