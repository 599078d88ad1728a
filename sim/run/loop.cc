// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "impact/model_registry.h"
#include "impact/samples/sampler.h"
#include "sim/provable.h"
#include "sim/run/contact_place.h"
#include "sim/run/recorded_sink.h"
#include "sim/run/run.h"
#include "sim/run/side_by_side.h"
#include "sim/trace.h"

namespace rigor::sim {

namespace {

constexpr long kCheckpointSteps = 64;  // Steps between two moments at which a record may be committed: that, and at
                                       // least as many as bodies move, for a checkpoint looks at all of them;
constexpr long kCheckpointsASnapshot = 16;  // and checkpoints between two complete states.
constexpr double kShortRun = 5e-3;  // Wall time that is not worth other threads [s].
constexpr double kZoneGap = 0.5;  // Bodies nearer than that are in one zone [L].

}  // namespace

/// Whoever looks in between gets motions that are cut there; the run itself goes on with what it had.
Summary Run::advance(double until, Sink& sink, const std::atomic<bool>* interrupt, const Progress& progress) {
  requireLength(until, scene, scales);
  until = std::max(until, handed_);
  horizon_ = std::max(until, scene.until);
  std::optional<ContinuedSink> rest;
  if (!uncut_.empty()) {
    take(uncut_);
    rest.emplace(sink, handed_, ends_, bodies, parts, scales);
  }
  Sink& shown = rest ? static_cast<Sink&>(*rest) : sink;
  RecordedSink both(shown, record_ ? *record_ : shown);
  loop(until, record_ ? static_cast<Sink&>(both) : shown, shown, interrupt, progress);
  if (rest) handed_gap_ = std::min(handed_gap_, rest->smallestGap());
  if (rest && rest->unproved()) {
    cut_failure_ = unprovedCut(*rest->unproved());
    failCut();
  }
  noteHanded();
  Summary summary = summary_;
  summary.min_gap = handed_gap_;
  return summary;
}

/// `shown`: who is shown motions that are cut to be looked at; part of `sink`, or all of it.
void Run::loop(double until, Sink& sink, Sink& shown, const std::atomic<bool>* interrupt, const Progress& progress) {
  summary_.status = RunStatus::kDone;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (!groups_.empty() && time() < until && mayGoOn(interrupt)) {
    SideBySide* const side = sideBySide(seconds(), sink);
    if (time() >= checkpoints_.next) checkpoint(side ? side->rows() : sink);
    const double end = std::min(until, checkpoints_.next);
    if (!(side ? side->advance(end, sink, interrupt) : turns(end, sink, interrupt, progress))) break;
    if (side && progress) progress(time(), summary_.steps);
  }
  if (side_) side_->hand(sink);
  finishRun(until, sink, shown);
}

/// What makes the next steps on several threads; null: this one makes them. Forks are found, and traces heard, in the
/// order of time; a run that goes on after somebody has looked at it hands over what depends on the bodies as they are.
SideBySide* Run::sideBySide(double seconds, Sink& sink) {
  const bool ordered = forks || active_trace || stop_at_ > 0 || scene.solver.max_steps > 0 || !uncut_.empty();
  if (zones_.size() < 2 && side_) side_->hand(sink);
  if (threads_ == 1 || ordered || seconds < kShortRun || zones_.size() < 2) return nullptr;
  if (!side_) side_ = std::make_unique<SideBySide>(*this, threads_);
  return side_->threads() > 1 ? side_.get() : nullptr;
}

/// All turns before `end`, or up to a checkpoint that is due by steps. @returns false where the run ends with one.
bool Run::turns(double end, Sink& sink, const std::atomic<bool>* interrupt, const Progress& progress) {
  bool due = false;
  while (!due && time() < end && mayGoOn(interrupt)) {
    const Turn taken = turn(sink);
    if (taken == Turn::kStopped) return false;
    if (taken == Turn::kMerged) continue;
    due = zones_.size() < 2 && !result_.continues && summary_.steps % std::max(kCheckpointSteps, moving_) == 0;
    if (due) checkpoint(sink);
    if (progress) progress(time(), summary_.steps);
  }
  return true;
}

/// Where there are several zones, all steps that start before now have been made, and none from now on.
void Run::checkpoint(Sink& sink) {
  const double now = time();
  tellRests(now, sink);
  touching_.forget(now - scales.event_window);
  divideIntoZones(now);
  // Else what rests would be handed over in more pieces than others move in.
  if (summary_.steps - checkpoints_.committed < std::max(kCheckpointSteps, moving_)) return;
  checkpoints_.committed = summary_.steps;
  const bool complete = ++checkpoints_.count % kCheckpointsASnapshot == 0;
  const double committed = commit(sink);
  sink.checkpoint(committed, summary_.steps, complete ? snapshot() : std::vector<unsigned char>{});
}

/// And says when the next checkpoint is due.
void Run::divideIntoZones(double now) {
  groups_.each([&](const Group& group) {
    for (const int i : group.bodies) {
      if (bodies[i].num_parts == 0) continue;
      const Eigen::Vector3d p = poseAt(bodies[i], now).p;
      const Eigen::Vector3d reach = Eigen::Vector3d::Constant(bodies[i].radius + kZoneGap / 2 * scales.length);
      zones_.addBox(i, {p - reach, p + reach});
    }
  });
  zones_.divide(groups_, bodies.size(), {summary_.steps, std::min(reach_, summary_.min_gap)});
  checkpoints_.schedule(now, summary_.steps, std::max(kCheckpointSteps, moving_), zones_.size() > 1);
}

/// Sets the status where not.
bool Run::mayGoOn(const std::atomic<bool>* interrupt) {
  if (interrupt && *interrupt) {
    summary_.status = RunStatus::kInterrupted;
  } else if ((scene.solver.max_steps > 0 && summary_.steps >= scene.solver.max_steps) ||
             (stop_at_ > 0 && summary_.steps >= stop_at_)) {
    summary_.status = RunStatus::kBudget;
  } else if (!cut_failure_.empty()) {
    failCut();
  }
  return summary_.status == RunStatus::kDone;
}

/// A step of the group whose turn it is, or what it takes before.
Run::Turn Run::turn(Sink& sink) {
  const int number = next();
  const double start = groups_[number].clock;
  tellRests(start, sink);
  if (turns_) turns_->entries.push_back({start, groups_[number].bodies[0], -1, turns_->rows->size()});
  finish(groups_[number], sink);
  if (!stepAsFork(number, sink)) {
    summary_.status = RunStatus::kInterrupted;
    return Turn::kStopped;
  }
  switch (result_.status) {
    case StepStatus::kFork: {
      Fork& fork = forks->fork();
      fork.time = start, fork.body = groups_[number].bodies[0];
      summary_.status = RunStatus::kForked;
      sink.event({start, "fork", fork.body, -1,
                  fmt::format(R"({{"outcomes":{},"samples":{}}})", fork.alternatives.size(), fork.drawn)});
      return Turn::kStopped;
    }
    case StepStatus::kMerge:
      merge(number, sink);
      return Turn::kMerged;
    case StepStatus::kFailed:
      summary_.status = RunStatus::kFailed;
      summary_.message = fmt::format("t = {:.9g} s: {}", start, result_.message);
      return Turn::kStopped;
    case StepStatus::kStepped:
    case StepStatus::kRest: break;
  }
  if (std::string why = firstTooFast(scene, groups_[number].bodies, result_.ends, scales); !why.empty()) {
    summary_.status = RunStatus::kFailed;
    summary_.message = fmt::format("t = {:.9g} s: {}", start, why);
    return Turn::kStopped;
  }
  note(number, start, sink);
  return Turn::kStepped;
}

/// A step; one that forks, from where the branches start. @returns false where the search for forks was given up:
/// nothing of the step was taken.
bool Run::stepAsFork(int number, Sink& sink) {
  try {
    step(number);
    if (result_.status != StepStatus::kFork) return true;
    // A branch continues from the world with every motion cut at the fork: what counts is how the impact looks there.
    settle(groups_[number].clock, Ending::kForGood, sink);
    step(number);
    return true;
  } catch (const impact::GivenUp&) {
    return false;
  }
}

void Run::failCut() {
  summary_.status = RunStatus::kFailed;
  summary_.message = fmt::format("t = {:.9g} s: {}", time(), cut_failure_);
}

void Run::step(int number) {
  Group& group = groups_[number];
  const double end = control(group);
  stepper->step({bodies, parts, robots, &tree_}, group.bodies, group.memory, end, zones_.of(group).near,
                zones_.streamOf(group), result_);
  if (!swept_.empty()) swept_[group.bodies[0]].include(result_.looked);
}

/// A distance of a group's motion that was proved.
void Run::noteGap(const Group& group, double gap) {
  double& near = zones_.of(group).near;
  near = std::min(near, gap), summary_.min_gap = std::min(summary_.min_gap, gap);
}

/// What a step has found becomes the state of its group, and is handed over as far as it is final.
void Run::note(int number, double start, Sink& sink) {
  if (forks) forks->forgetRepeated();
  first_body = -1;
  Group& group = groups_[number];
  const double before = energy(group.bodies);
  const auto limit = [&](const PairKey& links, int k) { return robots[bodies[links.body_b].robot].limits[k].name(); };
  touching_.update(start, group.memory.contacts, group.bodies, result_.impacts, scales.event_window, limit, sink,
                   summary_);
  for (size_t k = 0; k < result_.num_events; ++k) sink.event(result_.events[k]);
  // From the state before impacts to that after them, and on to the end of the step.
  for (size_t i = 0; i < group.bodies.size(); ++i) {
    BodyRuntime& body = bodies[group.bodies[i]];
    const Vector6d& after = result_.start_velocities[i];
    const bool goes_on = result_.flies && !result_.as_shown && after.tail<3>() == body.state.w;
    body.beside_start = goes_on ? body.beside : Eigen::Vector4d(1, 0, 0, 0);
    body.beside = {1, 0, 0, 0};
    body.state.setVelocity(after);
  }
  for (const SystemRobot& robot : result_.robot_starts) robots[robot.id].state = robot.state;
  const double after = result_.continues ? before : energy(group.bodies);  // Nothing happened at its start.
  accept(group, sink);
  summary_.max_energy_increase = std::max({summary_.max_energy_increase, after - before, energy(group.bodies) - after});
  const long plastic = countPlastic(result_);
  summary_.plastic_impacts += plastic;
  if (result_.closed || plastic > 0)
    sink.event({start, "closure", group.bodies[0], -1,
                plastic > 0 ? fmt::format(R"({{"plastic_impacts":{}}})", plastic) : ""});
  groups_.changed(number);
  const long turn = turns_ ? static_cast<long>(turns_->entries.size()) - 1 : 0;
  if (result_.status == StepStatus::kRest)
    for (const int body : group.bodies) rests_.push_back({start, body, turn});
  const std::vector<int>& stepped = group.bodies;
  flush(stepped, start, sink);
  if (result_.status != StepStatus::kRest) split(number);
}

/// The rests that began before `until` and were not taken back.
void Run::tellRests(double until, Sink& sink) {
  std::erase_if(rests_, [&](const Rest& rest) {
    if (!(rest.time < until)) return false;
    if (!bodies[rest.body].rests()) return true;
    if (turns_) turns_->entries.push_back({rest.time, rest.body, rest.turn, turns_->rows->size()});
    sink.event({rest.time, "rest", rest.body, -1, {}});
    return true;
  });
}

/// Hands over everything up to the end: all bodies end at the same time, also where the run stops early.
void Run::finishRun(double until, Sink& sink, Sink& shown) {
  tellRests(std::numeric_limits<double>::infinity(), sink);
  const bool done = summary_.status == RunStatus::kDone;
  bool ahead = false;
  groups_.each([&](const Group& group) { ahead = ahead || (done && group.clock > until); });
  // What the run goes on from, as if it had not been stopped: before motions are cut.
  const bool resumable = ahead || summary_.status == RunStatus::kInterrupted || summary_.status == RunStatus::kBudget;
  double end = done || groups_.empty() ? until : time();
  uncut_.clear();
  if (resumable) {
    committed_ = commit(sink);
    uncut_ = snapshot();
    sink.checkpoint(committed_, summary_.steps, uncut_);
    end = settleToLook(end, shown);
  } else {
    settle(end, Ending::kForGood, sink);
  }
  summary_.time = end;
  summary_.energy_final = 0;
  groups_.each([&](const Group& group) { summary_.energy_final += energy(group.bodies); });
  if (resumable) shown.checkpoint(summary_.time, summary_.steps, {});
  else sink.checkpoint(summary_.time, summary_.steps, snapshot());
}

/// How what was handed over ends.
void Run::noteHanded() {
  handed_gap_ = std::min(handed_gap_, summary_.min_gap);
  const bool nothing_new = !uncut_.empty() && !ends_.empty() && summary_.time == handed_;
  handed_ = summary_.time;
  if (nothing_new) return;
  ends_.clear();
  if (uncut_.empty()) return;
  for (const BodyRuntime& body : bodies) ends_.push_back({body.state.pose, body.v_end});
}

double Run::energy(std::span<const int> group) {
  double sum = 0;
  for (const int i : group) {
    if (bodies[i].robot >= 0) {
      const RobotRuntime& robot = robots[bodies[i].robot];
      if (robot.first_body != i) continue;
      RobotEquations& equations = robot_equations_[bodies[i].robot];
      equations.update(*robot.model, robot.state, false);
      sum += equations.energy(scene.gravity);
      continue;
    }
    sum += dynamics::kineticEnergy(bodies[i].model, bodies[i].state) -
           bodies[i].model.mass * scene.gravity.dot(bodies[i].state.pose.p);
  }
  return sum;
}

/// Takes the samples that the controllers of a group's robots are due for, and ends pushes. @returns the time of the
/// next such change, at most the horizon.
double Run::control(const Group& group) {
  double until = horizon_;
  for (const int i : group.bodies) {
    if (BodyRuntime& body = bodies[i]; !body.push.isZero(0)) {
      if (body.push_end <= group.clock) body.push.setZero();
      else until = std::min(until, body.push_end);
    }
    if (!leadsRobot(i)) continue;
    RobotRuntime& robot = robots[bodies[i].robot];
    if (!robot.controller) continue;
    while (dynamics::nextSample(*robot.controller, robot.control) <= group.clock) {
      dynamics::sampleController(*robot.controller, *robot.model, robot.state, *robot.workspace, robot.control,
                                 readSensors(robot));
      robot.effort = robot.control.tau;
    }
    until = std::min(until, dynamics::nextSample(*robot.controller, robot.control));
  }
  return until;
}

/// Impacts of a step that no impact model resolved although they changed a velocity by more than the capture speed.
long Run::countPlastic(const StepResult& result) const {
  return std::count_if(result.impacts.begin(), result.impacts.end(), [&](const ImpactRecord& impact) {
    if (impact.model != impact::kCoulombImpact) return false;
    for (size_t k = 0; k < impact.bodies.size(); ++k) {
      const auto change = impact.after[k] - impact.before[k];
      if (change.head<3>().norm() + scales.length * change.tail<3>().norm() > scales.capture_speed) return true;
    }
    return false;
  });
}

/// Whether a moving part's plane over one part of a fixed body of many is that over another, too.
bool Run::sharesPlane(const KnownAxis& known, const PairKey& pair, const advance::SeparatingAxis& axis) const {
  if (known.pair.body_a != pair.body_a || known.pair.body_b != pair.body_b || known.axis.kind != axis.kind ||
      known.axis.axis != axis.axis)
    return false;
  if (axis.kind != advance::AxisKind::kFixedInA && axis.kind != advance::AxisKind::kFixedInB) return false;
  return bodies[pair.body_a].part_tree ? known.pair.part_b == pair.part_b
                                       : bodies[pair.body_b].part_tree && known.pair.part_a == pair.part_a;
}

/// Of each pair of solids the axis of its last witness; of the parts of a body of many once, where it is a plane.
void Run::rememberAxes(std::span<const WitnessRecord> witnesses, std::vector<KnownAxis>& axes) const {
  axes.clear();
  for (const auto& [pair, witness] : witnesses) {
    if (std::holds_alternative<geom::HalfSpace>(*parts[bodies[pair.body_a].first_part + pair.part_a].shape)) continue;
    if (!axes.empty() && axes.back().pair == pair) axes.pop_back();
    if (!axes.empty() && sharesPlane(axes.back(), pair, witness.axis)) continue;
    axes.push_back({pair, witness.axis});
  }
}

/// Makes a step's outcome the current motion of its group.
void Run::accept(Group& group, Sink& sink) {
  StepResult& result = result_;
  if (!result.continues) {
    ++summary_.steps, ++zones_.of(group).steps;
    group.step_start = group.clock;
  }
  for (const ImpactRecord& impact : result.impacts) {
    ++summary_.impacts;
    sink.impact(impact);
  }
  sum_steps_ += result.t1 - group.clock;
  if (turns_) turns_->entries.back().length = result.t1 - group.clock, turns_->entries.back().steps = !result.continues;
  finish(group, sink);
  const long number = turns_ ? turns_->number() : summary_.steps;
  result.jump.step = result.acted.record.step = number;
  noteAxes(bodies, parts, result.jump);
  addJointJumps(group, result.jump);
  sense(group, result.jump);
  if (acts(result.jump)) sink.impulses(result.jump);
  std::swap(group.memory.acted, result.acted);
  for (size_t i = 0; i < group.bodies.size(); ++i) {
    BodyRuntime& body = bodies[group.bodies[i]];
    const auto hit = [&](const ImpactRecord& impact) {
      return std::find(impact.bodies.begin(), impact.bodies.end(), group.bodies[i]) != impact.bodies.end();
    };
    const bool impacted = std::any_of(result.impacts.begin(), result.impacts.end(), hit);
    body.v_back = impacted ? result.start_velocities[i] : body.v_end;
    body.piece = result.pieces[i];
    body.flies = result.flies;
    body.v_start = result.start_velocities[i];
    body.state = result.ends[i];
    body.v_end = body.state.velocity();
    body.clock = result.t1;
    body.step = number;
    place(group.bodies[i]);
  }
  for (size_t r = 0; r < result.robot_ends.size(); ++r) {
    const SystemRobot &from = result.robot_starts[r], &to = result.robot_ends[r];
    RobotRuntime& robot = robots[to.id];
    robot.start = from.state, robot.start_acceleration = from.acceleration;
    robot.state = to.state, robot.acceleration = to.acceleration;
  }
  group.held =
      std::any_of(group.memory.contacts.begin(), group.memory.contacts.end(), [](const Contact& c) { return c.held; });
  group.clock = result.t1;
  for (const WitnessRecord& witness : result.witnesses) pending_.add(witness);
  rememberAxes(result.witnesses, group.memory.axes);
  noteGap(group, result.min_gap);
  if (!group.memory.flight.isOn()) {
    const double length = result.t1 - group.step_start;
    summary_.min_step = summary_.max_step == 0 ? length : std::min(summary_.min_step, length);
    summary_.max_step = std::max(summary_.max_step, length);
  }
  summary_.mean_step = sum_steps_ / static_cast<double>(summary_.steps);
}

}  // namespace rigor::sim
