// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sim/step/impact_stage.h"
#include "sim/step/step_context.h"

namespace rigor::sim {

enum class Decided {
  kReady,   ///< No contact approaches; those that are `held`, with their modes, are what the step starts from.
  kFork,    ///< An impact is ambiguous.
  kFailed,  ///< StepResult::message says why.
};

/// What happens at the start of a step: impacts, then the contacts that stay closed over the event window.
class Decision {
 public:
  explicit Decision(StepContext& context) : x_(context), impacts_(context) {}

  /// @post the velocities of the group are those after impacts and projections.
  [[nodiscard]] Decided decide(const StepMemory& memory, std::uint64_t path, StepResult& result);
  /// Whether the step before goes on, of a robot whose controller has taken its next sample: its contacts are those
  /// that it had, all of them carry load, and none approaches, leaves or slips against its mode. @post as of decide(),
  /// velocities as they were.
  [[nodiscard]] bool goesOn(const StepMemory& memory);
  /// True when nothing moves and the contact forces balance gravity; velocities are then set to zero.
  [[nodiscard]] bool findRest();
  /// Forces of the contacts that balance gravity then, by contact (n, t1, t2) [N]: exactly, up to rounding. Where they
  /// are not unique, about those of least norm.
  const std::vector<Eigen::Vector3d>& restForces() const { return rest_forces_; }

 private:
  enum class Approach { kNone, kSome, kPromoted };
  enum class Settled { kDone, kAgain };
  Approach findApproach(int round);
  void noteSlidingBrakes(double window);
  double brakingOf(size_t contact);
  double smallSpeed(double window) const { return 1e-3 * x_.scales.acceleration * window; }  // Counts as none [m/s].
  void guessModes(double window);
  bool approaches(const Contact& contact, double speed) const;
  void holdClosed(bool loose);
  void stopApproaches();
  friction::CoulombStatus solveWindow(double window);
  bool takeCorners(double window);
  void decideModes(double window);
  bool isClosed(size_t contact) const;
  bool areClosed() const;
  bool turnsAway(size_t contact, double speed, double window) const;
  bool projectHeld(double window, bool closing);
  Settled closeContacts(double window, bool closing);
  void noteResting();
  bool holdResting();
  void noteSlips();
  bool stopsWithin(double window);
  [[nodiscard]] bool canRest(bool wedged);
  [[nodiscard]] bool holdStill();
  void balanceRest(bool wedged);
  bool restIsHeld() const;
  void spreadRest();

  StepContext& x_;
  ImpactStage impacts_;
  double left_ = 0;  // By what a contact may approach whose approach nothing has taken away [m/s].
  SystemState before_projection_, still_;
  std::vector<Eigen::Vector3d> closing_before_, rest_forces_, spread_before_;
  std::vector<friction::ContactMode> rest_modes_;
  std::vector<Contact> contacts_before_;
  std::vector<char> resting_;  // By contact.
  std::vector<size_t> leaving_;  // Contacts that leave too fast for the window's problem.
  std::vector<size_t> idle_;     // Held contacts without a force over the window.
};

}  // namespace rigor::sim
