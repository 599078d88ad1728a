// SPDX-License-Identifier: MIT
#include "sim/step/integrator.h"

#include <algorithm>
#include <cmath>

namespace rigor::sim {

namespace {

constexpr double kSlowSlip = 2;           // Slip slower than this times what friction turns it by in h is stiff for
                                          // Runge-Kutta: mu g h of a body that carries itself alone.
constexpr double kStableSlip =
    0.4;  // Slip slower than this times mu g h lets Runge-Kutta amplify what is across it, by more than 1 a step:
constexpr double kSteadySlip = 1e-4;      // an error above this share of the slip may be that.
constexpr double kStiffStop =
    1e-3;  // Share of the step within which slip that turns back is stiff, however accurate the ends are.
// A sliding contact that is about to jam pushes without bound. What changes velocities within this share of
// the event window, too fast for the formula,
constexpr double kJamShare = 0.05;
constexpr double kJamAcceleration = 100;  // and by so many times gravity, is a jump.
constexpr double kStiffContactDecay =
    1.5;  // Of damping over inertia times the step: Runge-Kutta is stable up to 2.8 and accurate below this.

}  // namespace

void Integrator::begin(bool was_velocity_level, bool ends_at_releases, bool stops_in_turn) {
  stops_in_turn_ = stops_in_turn;
  x_.contacts.saveModes();
  runge_kutta_.begin(ends_at_releases);
  // Of the last update: the decision's, at the start of the step.
  decay_ = x_.start.robots.empty() || x_.isFlight() ? 0 : x_.contacts.system().fastestDecay(x_.start);
  was_velocity_level_ = was_velocity_level && x_.start.size() == 1 && x_.start.robots.empty();
}

Integrated Integrator::integrate(double h, Trial& trial) {
  x_.contacts.restoreModes();
  trial.h = h;
  trial.velocity_level = trial.gains_energy = false;
  trial.transient = 0;
  trial.settled = true;
  trial.stop = trial.release = 1, trial.stop_contact = -1;
  trial.acting = Acting::kNothing;
  trial.acted.clear();
  const bool any = std::any_of(x_.contacts.begin(), x_.contacts.end(), [](const Contact& c) { return c.held; });
  if (!any && !x_.start.isPushed() && x_.start.robots.empty()) return integrateFree(h, trial);
  return x_.isFlight() ? flight_.integrate(h, trial) : integrateContact(h, trial);
}

double Integrator::stiffLength() const { return kStiffContactDecay / decay_; }

Integrated Integrator::atVelocityLevel(double h, Trial& trial, bool jumps) {
  runge_kutta_.noteContactsMoved();
  return velocity_level_.integrate(h, jumps, trial);
}

/// Bodies move at the means of velocities at the ends of half steps: what damping takes away early in the step moves
/// them less far than that, by a fourth of it, whatever the velocities say that come out.
void Integrator::noteLostSpeed(Trial& trial) const {
  for (const auto& change : trial.changes)
    trial.error = std::max(trial.error, 0.25 * x_.speed(Vector6d(change[0] - change[1])));
}

/// Bodies that turn fast gain energy at first order, step by step: of driven ones nothing takes it away.
void Integrator::noteGain(Trial& trial) {
  if (x_.start.isPushed()) return;
  trial.error = std::max(trial.error, x_.scales.velocity_tolerance * velocity_level_.gainError(trial));
}

bool Integrator::nearlyJams(double h) const {
  if (h > kJamShare * x_.scales.event_window) return false;
  double fastest = 0;
  for (size_t i = 0; i < x_.start.size(); ++i)
    fastest = std::max(fastest, x_.speed(runge_kutta_.startAcceleration(i)));
  return fastest > kJamAcceleration * x_.scales.acceleration;
}

Integrated Integrator::integrateContact(double h, Trial& trial) {
  double slowest = 1e300, mu = 0;
  bool under_load = false;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (!contact.held || !contact.slides || contact.isBrake()) continue;  // Brakes have one direction only.
    const double friction = std::min(contact.friction, kLargeFriction);  // What does not stick without slip.
    mu = std::max(mu, friction);
    const double slip = x_.contacts.velocity(x_.start, c).tail<2>().norm();
    slowest = std::min(slowest, slip);
    // What is light and carries what is heavy is turned by far more than mu g: the mass ratio times.
    if (!under_load && x_.start.size() > 1 && x_.start.robots.empty())
      under_load = slip < kSlowSlip * h * friction * contact.force[0] * x_.contacts.slipMobility(c);
  }
  // Damping that turns velocities within the step is stiff: it acts at the end of steps at velocity level.
  if (h > stiffLength()) {
    const Integrated result = atVelocityLevel(h, trial);
    if (result == Integrated::kDone) noteLostSpeed(trial), noteGain(trial);
    return result;
  }
  const bool slow = under_load || slowest < kSlowSlip * mu * x_.scales.acceleration * h;
  const double tolerance = x_.scales.velocity_tolerance;
  const auto fits = [&](Integrated result) { return result == Integrated::kDone && trial.error <= tolerance; };
  const bool tried = slow && was_velocity_level_;  // Slow slip mostly goes on so.
  if (tried) {
    if (fits(atVelocityLevel(h, trial))) return Integrated::kDone;
    x_.contacts.restoreModes();
  }
  const bool fails = runge_kutta_.integrate(h, trial, slow) != Integrated::kDone;
  const bool instant = h * x_.scales.acceleration < kJumpShare * tolerance;
  const bool jumps = instant && x_.start.robots.empty();
  if (fails || (trial.error > tolerance && (jumps || nearlyJams(h)))) {
    x_.contacts.restoreModes();
    // Where no accelerations satisfy the contacts (Painleve), or those of free bodies change velocities whatever the
    // length, and finite ones would change nothing in so short a time, velocities jump. There may be several jumps;
    // that the halves of a step take another one than the whole is no error. What puts the end onto the contacts
    // without their friction is one, as elsewhere.
    return atVelocityLevel(h, trial, !fails || instant);
  }
  if (trial.release < 1) return Integrated::kDone;
  // Slip that turns or stops at once, for the step: its direction is stiff, and following it takes steps of that
  // length.
  const bool accurate = trial.error <= tolerance, in_turn = stops_in_turn_ && trial.stop < 1,
             turns = trial.stop < kStiffStop || in_turn;
  // Slip that friction nearly balances goes on slowly for long: its direction is stiff as well, and drifts without a
  // sign of it in the step's own error until the deviation is as large as the slip. Of bodies that slide by themselves:
  // several share one step's error.
  const bool drifts = x_.start.size() == 1 && trial.stop == 1 &&
                      slowest < kStableSlip * mu * x_.scales.acceleration * h && trial.error > kSteadySlip * slowest;
  // Slip that only turns away goes on: a step that is cut there starts the next one with the same turn, for ever. So
  // does that of contacts of which each sets another in motion where it stops.
  const bool turns_away = accurate && turns && (trial.stop_contact < 0 || in_turn);
  if (!slow || (tried && !turns_away) || (accurate && !turns && !drifts)) return Integrated::kDone;
  const double error = turns_away ? kHalvingError * tolerance : trial.error;
  if (!tried) {
    x_.contacts.restoreModes();
    if (fits(atVelocityLevel(h, trial))) return Integrated::kDone;
  }
  if (accurate && !turns_away) {
    x_.contacts.restoreModes();
    return runge_kutta_.integrate(h, trial, true);
  }
  trial.error = error;  // The shorter step will most likely be one of Runge-Kutta's.
  return Integrated::kDone;
}

Integrated Integrator::integrateFree(double h, Trial& trial) {
  trial.ends = x_.start;
  trial.a0.clear(), trial.a1.clear();
  trial.error = 0;
  trial.as_shown = !x_.comesBackWithin(h);
  for (size_t i = 0; i < x_.start.size(); ++i) {
    const SystemBody& body = x_.start[i];
    const dynamics::RigidBodyState flight = trial.as_shown ? body.state : x_.flightOf(i);
    trial.ends[i].state = dynamics::stepFree(*body.model, flight, x_.scene.gravity, h);
    limitTurn(h * body.state.w.norm(), x_.scales.velocity_tolerance, trial);
    if (body.model->isotropic) continue;
    // Half-step comparison of the only equation that is not solved in closed form.
    const auto mid = dynamics::stepFree(*body.model, flight, x_.scene.gravity, 0.5 * h);
    const auto end = dynamics::stepFree(*body.model, mid, x_.scene.gravity, 0.5 * h);
    trial.error = std::max(trial.error, (end.w - trial.ends[i].state.w).norm() * x_.scales.length);
    trial.ends[i].state = end;
  }
  return Integrated::kDone;
}

}  // namespace rigor::sim
