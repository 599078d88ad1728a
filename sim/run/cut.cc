// SPDX-License-Identifier: MIT
#include "sim/kept_rows.h"
#include "sim/run/claims.h"
#include "sim/run/cut_velocity.h"
#include "sim/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigor::sim {

namespace {

constexpr double kEndLift =
    0.9;  // Of the largest lift: by how much a cut curve may end beside its velocity, times a third of its length.
// What is cut to be handed over may gain no more than the square of the velocity tolerance, times its mass; several
// bodies, which the proof allows that their angular velocities are those of curves: this times V^2.
constexpr double kCutGain = 5e-4;

}  // namespace

/// What bodies have at the end of cut pieces: energy less than they may have; of their motion, and of its turning [J].
struct Run::EnergyOfCut {
  double missing = 0, kinetic = 0, turning = 0;
  void add(const EnergyOfCut& other) {
    missing += other.missing, kinetic += other.kinetic, turning += other.turning;
  }
};

/// Ends all motions at `t` and hands them over.
void Run::settle(double t, Ending ending, Sink& sink) {
  groups_.each([&](Group& group) {
    cut(group, t, ending, sink);
    groups_.changed(groups_.of(group.bodies[0]));
  });
  groups_.each([&](Group& group) { finish(group, sink); });
  flushAll(t, sink);
}

/// Ends what is handed over at `t`. Where a claim about a motion that is cut there cannot be kept, or it would gain
/// energy in the middle of a long step with contacts, nothing is cut and what is final stays all there is. @returns up
/// to where everything was handed over.
double Run::settleToLook(double t, Sink& sink) {
  const bool looks = summary_.status == RunStatus::kDone || stop_at_ > 0;
  KeptRows rows(scene);
  settle(t, looks ? Ending::kShown : Ending::kStops, rows);
  if (cut_failure_.empty()) {
    rows.replay(sink);
    return t;
  }
  if (summary_.status == RunStatus::kDone) failCut();  // Who looks is not shown what he asked for.
  cut_failure_.clear();
  take(uncut_);
  return std::max(committed_, handed_);
}

/// Hands the record what it lacks of what was shown. @returns up to where it has everything.
double Run::endRecord() {
  Sink* const record = std::exchange(record_, nullptr);
  if (!record || uncut_.empty()) return handed_;
  take(uncut_);
  KeptRows rows(scene);
  settle(handed_, Ending::kStops, rows);
  const bool cut = cut_failure_.empty();
  cut_failure_.clear();
  take(uncut_);
  if (cut) rows.replay(*record);
  const double end = cut ? handed_ : committed_;
  record->checkpoint(end, summary_.steps, {});
  return end;
}

/// Ends the current pieces of a group at `t`, because something hits it there or the run ends. groups_ is to be told of
/// its clock.
void Run::cut(Group& group, double t, Ending ending, Sink& sink) {
  if (!(group.clock > t)) return;
  for (const int i : group.bodies)
    if (leadsRobot(i)) cutRobot(robots[bodies[i].robot], group.memory.acted.acting, t);
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
  if (ending != Ending::kShown)
    for (const int i : group.bodies)
      if (leadsRobot(i) && t > bodies[i].piece.t0) endLinks(robots[bodies[i].robot]);
  const auto flies = [&](int i) { return bodies[i].flies; };
  if (ending != Ending::kShown && !moved.empty() && std::all_of(moved.begin(), moved.end(), flies)) flyOn(moved);
  else endBodies(moved, group, ending);
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
Run::EnergyOfCut Run::endBody(int index, const Group& group, Ending ending) {
  BodyRuntime& body = bodies[index];
  dynamics::RigidBodyState& state = body.state;
  dynamics::RigidBodyState start;
  start.pose = body.piece.start(), start.setVelocity(body.v_start);
  const double most =
      dynamics::kineticEnergy(body.model, start) + body.model.mass * scene.gravity.dot(state.pose.p - start.pose.p);
  endAt(velocityOfCut(index, group.memory.acted.record, bodies, scene.gravity), body);
  if (ending != Ending::kShown) body.v_end = state.velocity();
  if (!body.push.isZero(0)) return {HUGE_VAL};  // Who pushes does work.
  const double kinetic = dynamics::kineticEnergy(body.model, state);
  return {most - kinetic, kinetic, kinetic - 0.5 * body.model.mass * state.v.squaredNorm()};
}

/// Scales the velocity of a body's centre; of what is handed over as far as its curve may end beside it.
void Run::slow(double factor, Ending ending, BodyRuntime& body) const {
  const Eigen::Vector3d v = factor * body.state.v;
  if (ending != Ending::kStops) {
    body.state.v = v;
    return;
  }
  Eigen::Vector3d w;
  body.piece.velocityAt(body.piece.t1, body.state.v, w);
  endAt(v, body);
  body.v_end.head<3>() = body.state.v;
}

/// No more energy than there was: curves turn as motions do to third order only. Bodies that touch hand energy on to
/// each other, so what counts is what they have together, and robots do work; one that flies never gains any, nor loses
/// momentum.
void Run::endBodies(std::span<const int> moved, const Group& group, Ending ending) {
  EnergyOfCut together;
  const auto scale = [&](std::span<const int> cut, const EnergyOfCut& energy) {
    // What is handed over may turn on another curve (showAnew), but moves on this one.
    const bool turns = !group.held || (ending == Ending::kStops && energy.turning > -energy.missing);
    const double spare = turns ? energy.turning : energy.kinetic;
    if (!(energy.missing < 0 && spare > -energy.missing)) return;
    const double factor = std::sqrt(1 + energy.missing / spare);
    for (const int i : cut) {
      if (!turns) slow(factor, ending, bodies[i]);
      bodies[i].state.w *= factor;
    }
  };
  for (const int& i : moved) {
    const EnergyOfCut energy = endBody(i, group, ending);
    if (!group.held) scale({&i, 1}, energy);
    together.add(energy);
  }
  const auto of_robot = [&](int i) { return bodies[i].robot >= 0; };
  if (group.held && std::none_of(group.bodies.begin(), group.bodies.end(), of_robot)) scale(moved, together);
  if (ending != Ending::kStops || moved.empty()) return;
  if (showAnew(moved))
    for (const int i : moved) bodies[i].v_end = bodies[i].state.velocity();
  double gained = -(together.missing + together.kinetic), mass = 0;
  for (const int i : moved) {
    dynamics::RigidBodyState end = bodies[i].state;
    end.setVelocity(bodies[i].v_end);
    gained += dynamics::kineticEnergy(bodies[i].model, end), mass += bodies[i].model.mass;
  }
  const double alone = scales.velocity_tolerance * scales.velocity_tolerance,
               most = moving_ > 1 ? std::max(alone, kCutGain * scales.speed * scales.speed) : alone;
  if (std::none_of(group.bodies.begin(), group.bodies.end(), of_robot) && gained > most * mass)
    cut_failure_ = fmt::format("'{}' would have gained energy where its motion is cut", scene.bodies[moved[0]].name);
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

/// The coordinates at `t` within the current pieces of the links, over which contacts act so.
void Run::cutRobot(RobotRuntime& robot, Acting acting, double t) {
  const advance::MotionPiece& piece = bodies[robot.first_body].piece;
  if (!(t > piece.t0)) {
    robot.state = robot.start;
    robot.acceleration = robot.start_acceleration;
    return;
  }
  const double h = piece.t1 - piece.t0, u = (t - piece.t0) / h;
  dynamics::ArticulatedState state;
  Eigen::VectorXd rate;
  interpolateRobot(*robot.model, robot.start, robot.start_acceleration, robot.state, h, u, acting, state,
                   robot.acceleration, rate);
  robot.state = state;
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
