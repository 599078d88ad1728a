// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "advance/motion_piece.h"
#include "sim/contact/contact.h"
#include "sim/step/body_box.h"
#include "sim/step/step_impulses.h"
#include "sim/system_state.h"
#include "sim/sink.h"

namespace rigor::sim {

/// A step of a robot that touches nothing: integrated as a whole, published in parts, for one cubic a link does not
/// follow the joints that long. The parts are made one by one, against what the other groups have published by then; an
/// event ends the step.
struct Flight {
  double t0 = 0, t1 = 0;  ///< [s]; the same: there is none.
  double part = 0;        ///< Length that the next part may have [s].
  dynamics::ArticulatedState start, end;
  Eigen::VectorXd start_acceleration, end_acceleration;
  double start_energy = 0, end_energy = 0;  ///< [J]

  bool isOn() const { return t1 > t0; }
  void stop() { t1 = t0; }
};

/// Steps without something that failed, before it is tried again: twice as many and one more each time that it fails.
struct Pause {
  int left = 0, of = 0;
  void lengthen(int longest) { left = of = std::min(2 * of + 1, longest); }
  void pass() { left = std::max(left - 1, 0); }
  void end() { left = of = 0; }
};

/// The axis that kept a pair apart in the last step, and most probably does so in the next.
struct KnownAxis {
  PairKey pair;
  advance::SeparatingAxis axis;
};

/// What the event loop remembers of a group of bodies from step to step.
struct StepMemory {
  Flight flight;
  double next_step = 0;     ///< First trial step [s]; 0: the longest allowed.
  double event_window = 0;  ///< tau_e, widened while contacts chatter [s].
  double pulled = 0;        ///< What closing contacts pulled on a body at most, of m V; fades over L / V.
  bool velocity_level = false;  ///< The last step was one, or one was tried for it.
  Pause implicit_pause;         ///< Of implicit damping.
  Pause lift_pause;             ///< Of a crowd's ticks that lift contacts to delta.
  bool goes_on = false;  ///< The last piece of a controlled robot ended without an event: its step goes on if nothing
                         ///< asks for a decision.
  double began = 0;      ///< Start of that step [s].
  int short_releases = 0;   ///< Steps in a row that ended at once where a contact lets go.
  int short_stops = 0;      ///< Steps that were short where a slip stops, less those that were long.
  int short_steps = 0;      ///< Event steps shorter than the chatter limit, in a row.
  std::vector<Contact> contacts;  ///< Of the last step: warm start and touching set.
  std::vector<KnownAxis> axes;    ///< Of pairs without a half-space.
  StepImpulses acted;             ///< Over the current pieces; they may still be cut.
};

/// Outcome of one step.
enum class StepStatus {
  kStepped,  ///< Pieces and witnesses are valid.
  kRest,     ///< The same, and the bodies stay still until something hits them.
  kMerge,    ///< Nothing was published: the bodies `touched` of other groups touch this one and must join it first.
  kFork,     ///< Nothing was published: an impact is ambiguous, ForkFinder::fork() says how.
  kFailed,   ///< Nothing was published; `message` says why.
};

struct StepResult {
  StepStatus status = StepStatus::kFailed;
  std::string message;
  double t1 = 0;  ///< End of the step [s].
  std::vector<advance::MotionPiece> pieces;       ///< A piece a body of the island.
  std::vector<dynamics::RigidBodyState> ends;     ///< States at t1.
  bool flies = false;                             ///< Nothing but gravity acts over the step,
  bool as_shown = false;                          ///< which starts from what is published (Trial::as_shown).
  std::vector<SystemRobot> robot_starts, robot_ends;  ///< Of the island's robots, after impacts; and at t1.
  std::vector<WitnessRecord> witnesses;           ///< Of every near pair, over the whole step.
  double min_gap = 0;                             ///< Smallest proved gap of the step [m].
  bool closed = false;                            ///< A cluster of impacts was closed by one plastic impact.
  bool continues = false;                         ///< A further part of the step before: nothing was decided.
  std::vector<int> touched;                       ///< kMerge.
  std::vector<ImpactRecord> impacts;              ///< At the start of the step.
  std::vector<Vector6d> start_velocities;         ///< After impacts and projections.
  std::vector<EventRecord> events;                ///< "slip-start" and "slip-stop" at the start: the first num_events,
  size_t num_events = 0;                          ///< the others keep their room.
  ImpulseRecord jump;                             ///< What acted at the start: impacts and projections.
  StepImpulses acted;                             ///< And over the step.
  BodyBox looked = BodyBox::empty();              ///< Others that stayed outside had no part in it.
};

}  // namespace rigor::sim
