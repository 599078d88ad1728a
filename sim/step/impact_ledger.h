// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/contact/contact_list.h"
#include "sim/sink.h"
#include "sim/step/step_world.h"

namespace rigor::sim {

/// The one place that writes what acted on contacts at the start of a step.
class ImpactLedger {
 public:
  ImpactLedger(const StepWorld& world, ContactList& contacts) : x_(world), contacts_(contacts) {}

  /// A step starts: takes the records of the step before, whose room the next impacts use.
  void begin(std::vector<ImpactRecord>& impacts);

  /// An empty record of an impact at the start of the step.
  ImpactRecord open(std::string_view model);
  /// Adds what acted on a contact (n, t1, t2) [N s]; the bodies that it moves are the record's.
  void add(size_t contact, const Eigen::Vector3d& impulse, ImpactRecord& record);
  /// Bodies of the record, and their velocities before it. Call after the last add().
  void noteBefore(ImpactRecord& record);
  /// Their velocities after it, and the record goes to `impacts`, unless it moved nothing. @returns whether it did.
  bool close(ImpactRecord&& record, std::vector<ImpactRecord>& impacts);
  /// Whether the record at hand moves the body of a slot.
  bool changes(size_t slot) const { return changed_[slot] != 0; }
  /// What moves so slowly that it stands still from here on has no other velocity after its last impact, unless a
  /// projection acted on it as well.
  void stop(std::vector<ImpactRecord>& impacts);

  /// Everything that acted at the start of the step: impacts, and what closing() says.
  void writeJump(ImpulseRecord& jump);

  /// What projections of a decision gave to the contacts, by contact (n, t1, t2) [N s].
  std::vector<Eigen::Vector3d>& closing() { return closing_; }
  /// What closing() says acted before the impact that comes next, and not with what the decision projects after it.
  /// @post closing() is zero.
  void closeBeforeImpact();
  /// What projections gave against Coulomb's law, pulls most of all: the most that it changes a body's velocity by
  /// [m/s].
  double hardestPull();
  /// Records what closing contacts took from bodies at the start of the run without an impact: the motion then does not
  /// begin with the scene's velocity. All bodies that it changed: a step that is taken back keeps its impacts, and half
  /// a projection may gain energy.
  void recordStart(std::vector<ImpactRecord>& impacts);
  /// What a tick of length h begins with, by contact (n, t1, t2) [N s]; the bodies have their velocities after it.
  /// Where a body's changes by more than the tick itself changes them, that is an impact, of all bodies that it moves.
  /// @returns whether it is.
  bool recordHit(double h, std::span<const Eigen::Vector3d> impulses, std::vector<ImpactRecord>& impacts);

 private:
  void act(size_t contact, const Eigen::Vector3d& impulse);
  void mark(const Contact& c, std::vector<char>& slots) const;
  void markProjected();
  void write(size_t contact, const Eigen::Vector3d& impulse, ImpactRecord& record);
  Vector6d jump(size_t slot) const { return x_.start[slot].state.velocity() - x_.bodies[x_.island[slot]].v_end; }

  const StepWorld& x_;
  ContactList& contacts_;
  std::vector<ImpactRecord> spare_;  // Of former steps, for their room.
  std::vector<char> changed_;        // By slot: of the record at hand.
  std::vector<char> hit_;            // By slot: an impact of this step has changed it,
  std::vector<char> projected_;      // or a projection.
  std::vector<Eigen::Vector3d> closing_;
  double pulled_ = 0;  // hardestPull() of what acted before impacts.
  std::vector<double> pulls_;  // Scratch of it, by slot.
  std::vector<std::pair<size_t, Eigen::Vector3d>> acted_;  // Contacts and impulses of the impacts, world.
};

}  // namespace rigor::sim
