// SPDX-License-Identifier: MIT
#include "sim/run/contact_place.h"
#include "sim/run/run.h"

#include <algorithm>
#include <utility>

namespace rigor::sim {

void Run::place(int index) {
  if (bodies[index].num_parts == 0) return;  // Nothing meets a link without shape.
  BodyBox box;
  pieceBox(bodies[index].piece, bodies[index].radius, box.lower, box.upper);
  tree_.update(index, box.lower, box.upper);
  if (!swept_.empty()) swept_[index].include(box);
}

/// Adds what the joints of a group's robots did over its current pieces.
void Run::addJoints(const Group& group, double t0, double t1, ImpulseRecord& record) {
  if (!(t1 > t0)) return;
  const auto velocities = [&](int i) { return std::pair(bodies[i].v_start, bodies[i].v_end); };
  for (const int i : group.bodies) {
    const BodyRuntime& body = bodies[i];
    if (!leadsRobot(i)) continue;
    record.t0 = t0, record.t1 = t1, record.step = body.step;
    const RobotRuntime& robot = robots[body.robot];
    joint_ledgers_[body.robot].add(
        {t0, t1, robot.effort, robot.state.q, scene.gravity, bodies, parts, velocities}, record);
  }
}

/// The same of the jumps at the start of the step that was made.
void Run::addJointJumps(const Group& group, ImpulseRecord& jump) {
  const Eigen::VectorXd none;
  const auto velocities = [&](int i) {
    const auto slot = std::lower_bound(group.bodies.begin(), group.bodies.end(), i) - group.bodies.begin();
    return std::pair(bodies[i].v_end, result_.start_velocities[slot]);
  };
  const auto jumps = [&](int i) { return velocities(i).first != velocities(i).second; };
  for (const int i : group.bodies) {
    if (!leadsRobot(i)) continue;
    const int robot = bodies[i].robot;
    const auto own = [&](int k) { return bodies[k].robot == robot && jumps(k); };
    // What its joints hold altogether moves none of its links.
    const auto felt = [&](const ImpulseRecord::Contact& contact) {
      return bodies[contact.pair.body_a].robot == robot || bodies[contact.pair.body_b].robot == robot;
    };
    if (jump.wrenches.empty() && std::none_of(jump.contacts.begin(), jump.contacts.end(), felt) &&
        std::none_of(group.bodies.begin(), group.bodies.end(), own))
      continue;
    jump.t0 = jump.t1 = group.clock;
    joint_ledgers_[robot].add(
        {group.clock, group.clock, none, robots[robot].state.q, scene.gravity, bodies, parts, velocities}, jump);
  }
}

/// Hands the current pieces of a group to the sink: nothing can cut them any more.
void Run::finish(Group& group, Sink& sink) {
  const BodyRuntime& first = bodies[group.bodies[0]];
  noteAxes(bodies, parts, group.memory.acted.record);
  addJoints(group, first.piece.t0, first.piece.t1, group.memory.acted.record);
  sense(group, group.memory.acted.record);
  finished_.clear();
  for (const int i : group.bodies) {
    BodyRuntime& body = bodies[i];
    if (!(body.piece.t1 > body.piece.t0)) continue;
    if (leadsRobot(i)) {
      const RobotRuntime& robot = robots[body.robot];
      sink.joints(
          {scene.robots[body.robot].robot, body.robot, body.piece.t0, robot.start, robot.state, robot.effort});
    }
    sink.piece({i, body.step, body.piece, body.v_start.head<3>(), body.v_start.tail<3>(), body.v_end.head<3>(),
                body.v_end.tail<3>()});
    finished_.emplace_back(i, body.piece);
    body.piece = advance::MotionPiece::constant(body.state.pose, body.clock, body.clock);
    body.v_back = body.v_end;  // It is not taken back any more.
    place(i);
  }
  StepImpulses& acted = group.memory.acted;
  if (acts(acted.record)) sink.impulses(acted.record);
  acted.clear();
  if (finished_.empty()) return;
  // First, so that what is remembered does not tell whether somebody has looked since.
  flush(group.bodies, group.clock, sink);
  for (const auto& [i, piece] : finished_) remember(i, piece, group.step_start);
}

/// Hands over what acted on a group at rest up to the horizon: the rest is that of a piece of its own.
void Run::commitActed(Group& group, double horizon, Sink& sink) {
  StepImpulses& acted = group.memory.acted;
  if (acted.acting != Acting::kConstant || !(acted.record.t0 < horizon && horizon < acted.record.t1)) return;
  StepImpulses past = acted;
  past.cut(horizon), acted.startAt(horizon);
  noteAxes(bodies, parts, past.record);
  addJoints(group, past.record.t0, past.record.t1, past.record);
  if (acts(past.record)) sink.impulses(past.record);
}

/// Everything up to the earliest start of a current piece is final. Bodies at rest are handed over up to there too; the
/// rest of their stay is a piece of its own. @returns that time.
double Run::commit(Sink& sink) {
  const auto resting = [&](int i) {
    return bodies[i].fixed || (bodies[i].rests() && bodies[i].piece.t1 > bodies[i].piece.t0);
  };
  double horizon = time();
  groups_.each([&](const Group& group) {
    for (const int i : group.bodies)
      if (!resting(i)) horizon = std::min(horizon, bodies[i].piece.t0);
  });
  groups_.each([&](Group& group) {
    for (const int i : group.bodies) {
      BodyRuntime& body = bodies[i];
      if (!resting(i) || !(body.piece.t0 < horizon && horizon < body.piece.t1)) continue;
      advance::MotionPiece past = body.piece;
      past.t1 = body.piece.t0 = horizon;
      body.v_back = body.v_start;  // If the stay is taken back from there on: that of the stay.
      sink.piece({i, body.step, past, body.v_start.head<3>(), body.v_start.tail<3>(), body.v_end.head<3>(),
                  body.v_end.tail<3>()});
    }
    commitActed(group, horizon, sink);
  });
  flushAll(horizon, sink);
  groups_.each([&](const Group& group) {
    for (const int i : group.bodies)
      pending_.each(i, [&](WitnessRecord& w) {
        if (!(w.witness.t0 < horizon && horizon < w.witness.t1) || !resting(w.pair.body_a) || !resting(w.pair.body_b))
          return;
        WitnessRecord past = w;
        past.witness.t1 = w.witness.t0 = horizon;
        sink.witness(past);
      });
  });
  return horizon;
}

/// Hands over the witnesses of some bodies whose pieces are both final. `time`: up to there bodies stay where they
/// rest.
void Run::flush(std::span<const int> group, double time, Sink& sink) {
  auto settled = [&](int i, double t) {
    const BodyRuntime& body = bodies[i];
    return body.fixed || t <= body.piece.t0 || (body.rests() && t <= time);
  };
  for (const int body : group)
    pending_.eraseIf(body, [&](const WitnessRecord& w) {
      if (!settled(w.pair.body_a, w.witness.t1) || !settled(w.pair.body_b, w.witness.t1)) return false;
      sink.witness(w);
      return true;
    });
}

void Run::flushAll(double time, Sink& sink) {
  groups_.each([&](const Group& group) { flush(group.bodies, time, sink); });
}

}  // namespace rigor::sim
