// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/contact/contact_list.h"
#include "sim/fork.h"
#include "sim/step/contact_finder.h"
#include "sim/step/impact_ledger.h"
#include "sim/step/near_pairs.h"
#include "sim/step/step.h"
#include "sim/step/step_world.h"
#include "sim/step/trial.h"
#include "sim/trace.h"

namespace rigor::sim {

/// Of m V within L / V, a third of gravity's: what has been pulled so much rebounds, as far as a wider window is why,
/// and lets go of what would pull it by more than this share of what a projection may pull otherwise.
inline constexpr double kMostPulled = 0.3, kPulledShare = 0.1;

/// What the stages of a step work on: decide, integrate, publish, certify. Each is a class of its own and keeps nothing
/// from step to step but room.
struct StepContext : StepWorld {
  StepContext(const Scene& scene_to_run, const Scales& its_scales, std::uint64_t its_seed)
      : StepWorld(scene_to_run, its_scales), seed(its_seed) {}

  const std::uint64_t seed;
  ForkFinder* forks = nullptr;  ///< Null: impacts do not fork.

  NearPairs pairs{*this};
  ContactFinder finder{*this, pairs};
  ContactList contacts;
  ImpactLedger ledger{*this, contacts};
  Trial trial;
  double pulled = 0;  ///< StepMemory::pulled.
  int met = -1;         ///< Body of another group that the trial meets in flight.
  double shrink = 0.5;  ///< By how much a trial that could not be published must shrink.
  Eigen::VectorXd curve_rate;  ///< Scratch of interpolateTrial().
  std::string reason;   ///< Why the last trial could not be used.

  ContactSystem::Usual usual() const {
    return {scales.speed, scales.event_window, isPulledMuch() ? kPulledShare : 1, scales.held_approach};
  }
  /// By what closed contacts in the steps before.
  bool isPulledMuch() const { return pulled > kMostPulled; }
  double energy(const SystemState& state) { return contacts.system().energy(state, scene.gravity); }
  /// Of the group's bodies on a contact's sides; a link weighs what it does alone, a massless one what the lightest
  /// other of its robot does [kg].
  double lighterMass(const Contact& contact) const {
    double least = HUGE_VAL;
    for (const int slot : {contact.slot_a, contact.slot_b}) {
      if (slot < 0) continue;
      const bool weighs = !start[slot].model->isMassless();
      if (weighs) least = std::min(least, start[slot].model->mass);
      for (size_t k = 0; !weighs && k < start.size(); ++k)
        if (start[k].robot == start[slot].robot && !start[k].model->isMassless())
          least = std::min(least, start[k].model->mass);
    }
    return least;
  }
  /// Of the same, where no robot is: sqrt(g l), where l is at most its length [m/s].
  double lighterSpeed(const Contact& contact) const {
    const dynamics::RigidBody* lighter = nullptr;
    for (const int slot : {contact.slot_a, contact.slot_b})
      if (slot >= 0 && (!lighter || start[slot].model->mass < lighter->mass)) lighter = start[slot].model;
    return std::sqrt(scales.acceleration * 2 * std::sqrt(lighter->inertia.maxCoeff() / lighter->mass));
  }
  /// One robot alone that touches nothing; what brakes its joints slides, so that its force is known.
  bool isFlight() const {
    return start.robots.size() == 1 && start.robots[0].links.size() == start.size() &&
           contacts.size() == start.robots[0].brakes.size() &&
           std::all_of(start.robots[0].brakes.begin(), start.robots[0].brakes.end(), [&](const RobotBrake& brake) {
             return brake.length * std::abs(start.robots[0].state.v[brake.dof]) > scales.slip_speed;
           });
  }
  /// To who listens to this thread's runs.
  void say(std::string_view kind, double length, std::string_view why = {}, std::string_view method = {}) const {
    if (!active_trace) return;
    const int body = island.empty() ? -1 : island.front();
    active_trace->entry({kind, t0, body, static_cast<int>(island.size()), static_cast<int>(contacts.size()), length,
                         trial.error, method, why});
  }
  /// Whether events can be looked for on a trial whose end is not on its constraints yet.
  bool mayWait() const { return pairs.onlyPlanes() && start.robots.empty(); }
};

}  // namespace rigor::sim
