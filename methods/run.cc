// SPDX-License-Identifier: MIT
#include "methods/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <numbers>

#include "sim/touching.h"

namespace rigor::methods {

namespace {

constexpr double kMostTurn = std::numbers::pi;  // Of a link in a step [rad]: beyond, states do not say which way.

double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Leaves out the time that another sink takes.
class TimedSink : public StateSink {
 public:
  explicit TimedSink(StateSink& sink) : sink_(sink) {}
  void state(const World& world) override {
    const double start = threadSeconds();
    sink_.state(world);
    spent_ += threadSeconds() - start;
  }
  double spent() const { return spent_; }

 private:
  StateSink& sink_;
  double spent_ = 0;
};

/// Counts changes of the sets of touching features.
class Manifolds {
 public:
  explicit Manifolds(const World& world) {
    set_.reset(world.bodies());
    for (int slot = 0; slot < world.numSlots(); ++slot) group_.push_back(world.bodyOf(slot));
  }
  void count(const World& world, double time, const sim::ContactList& contacts, sim::Summary& summary) {
    now_.clear();
    for (std::size_t c = 0; c < contacts.size(); ++c)
      if (!contacts[c].isLimit() && contacts.kinematics(c).gap <= world.scales().band) now_.push_back(contacts[c]);
    set_.update(
        time, now_, group_, {}, world.scales().event_window, [](const sim::PairKey&, int) { return std::string(); },
        nobody_, summary);
  }

 private:
  sim::TouchingSet set_;
  std::vector<int> group_;
  std::vector<sim::Contact> now_;
  sim::Sink nobody_;
};

/// Why a step of length h, which ends in this state, is the last one; empty: it is not. Where a step is too long for
/// what acts on its joints, a robot turns ever faster, up to infinity. Free bodies that do so merely spin.
std::string lostMotion(const World& world, double start, double h) {
  for (int slot = 0; slot < world.numSlots(); ++slot) {
    const double turn = h * world.state[slot].state.w.norm();
    if (!world.isLink(slot) || turn <= kMostTurn) continue;  // NaN -> lost
    const sim::Body& link = world.scene().bodies[world.bodyOf(slot)];
    const dynamics::Robot& robot = world.scene().robots[link.robot].robot;
    std::string text = fmt::format(
        "t = {:.9g} s: {} turns by {:.3g} rad within a step of {:.3g} s, more than half a turn; a shorter step", start,
        link.name, turn, h);
    if (robot.controller)
      text += fmt::format(
          ", or a higher rate or lower gains (kp, kd) of the controller of {}, which holds forces for {:.3g} s",
          robot.name, robot.controller->period());
    return text;
  }
  return {};
}

}  // namespace

RunResult run(const MethodInfo& info, const Choice& choice, World& world, StateSink& sink, const RunOptions& options) {
  RunResult result;
  sim::Summary& s = result.summary;
  const std::unique_ptr<Method> method = info.make(choice);
  const double start = threadSeconds();
  TimedSink timed(sink);
  Manifolds manifolds(world);
  s.energy_initial = s.energy_final = world.energy(world.state);
  s.min_step = std::numeric_limits<double>::infinity();
  timed.state(world);
  double reached = world.time;  // Of what the sink has.
  while (world.time < options.until) {
    if (options.interrupt && *options.interrupt) s.status = sim::RunStatus::kInterrupted;
    else if (options.max_steps > 0 && s.steps >= options.max_steps) s.status = sim::RunStatus::kBudget;
    if (s.status != sim::RunStatus::kDone) break;
    const double before = world.time;
    const Stepped stepped = method->step(world, options.until, timed);
    if (stepped.status == StepStatus::kFailed) {
      s.status = sim::RunStatus::kFailed, s.message = stepped.reason;
      break;
    }
    const double h = world.time - before;
    if (std::string why = lostMotion(world, before, h); !why.empty()) {
      s.status = sim::RunStatus::kFailed, s.message = std::move(why);
      break;
    }
    reached = world.time;
    ++s.steps, s.impacts += stepped.impacts;
    s.min_step = std::min(s.min_step, h), s.max_step = std::max(s.max_step, h);
    manifolds.count(world, before, method->contacts(), s);
    const double energy = world.energy(world.state);
    s.max_energy_increase = std::max(s.max_energy_increase, energy - s.energy_final);
    s.energy_final = energy;
    timed.state(world);
    if (options.progress) options.progress(world.time, s.steps);
  }
  s.time = reached;
  if (s.steps > 0) s.mean_step = s.time / static_cast<double>(s.steps);
  else s.min_step = 0;
  result.counters = method->counters();
  result.cpu_seconds = threadSeconds() - start - timed.spent();
  return result;
}

}  // namespace rigor::methods
