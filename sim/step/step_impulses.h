// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics/rigid_body.h"
#include "sim/sink.h"
#include "sim/system_state.h"

namespace rigor::sim {

/// How what acts on contacts is spread over a step.
enum class Acting : unsigned char {
  kNothing,   ///< Free flight.
  kConstant,  ///< The same force throughout: bodies at rest. One impulse, in the middle.
  kHalves,    ///< A constant force in each half: steps at velocity level. Impulses in the middles of the halves.
  kSmooth,    ///< A force of second degree in time: Runge-Kutta. Impulses at start, middle and end, Simpson's rule.
  kEnds,      ///< Ticks: what touches throughout acts to halves at start and end, what closes on the way at the end.
              ///< Over a part of one, as much of it as the velocities have changed by on the published curve.
};
/// A tick moves its bodies with the mean (1 - w) v0 + w v1 of the velocities at its ends, w this: 1/2 would be of
/// second order and let contacts swing.
inline constexpr double kTickEndWeight = 0.6;

/// Shares of the step at which its impulses act.
std::span<const double> instantsOf(Acting acting);

/// The same over the first share u of the step alone: impulses at instantsOf(acting) of the shorter step.
void restrictImpulses(Acting acting, double u, std::span<Eigen::Vector3d> impulses);
void restrictImpulses(Acting acting, double u, std::span<dynamics::Vector6d> impulses);  ///< Or changes of velocities.

/// A limit's impulse (n [N s] of its row) as records hold it until it is handed over: along the joint's coordinate, in
/// the first number of the moment (sim/run/joint_ledger.h). Joints of several coordinates have none: it is their own.
/// @returns whether it was added.
bool addLimit(const SystemRobot& robot, const RobotLimit& limit, ImpulseRecord& record);
ImpulseRecord::Impulse limitImpulse(const RobotLimit& limit, double time, double impulse);

/// What acted on the contacts of a group over its current pieces: the first impulses of every contact are at
/// instantsOf(acting), those that follow at the end of the step, where it was put on its constraints.
struct StepImpulses {
  Acting acting = Acting::kNothing;
  ImpulseRecord record;

  void clear() {
    acting = Acting::kNothing;
    record.clear();
    record.t0 = record.t1 = 0, record.step = 0;
  }
  /// Room for what few bodies have, so that steps need not ask for it one by one.
  void makeRoom() { record.contacts.reserve(16), record.impulses.reserve(64); }
  /// Makes times that are shares of the step those of [t0, t1].
  void setTimes(double t0, double t1);
  /// Ends the step at t instead: the force up to there, and nothing of what acted at the end.
  void cut(double t);
  /// Starts it at t instead: what is left of the force, and what acted at the end; of joints, their share.
  void startAt(double t);
  /// Takes along the contacts of a group alone (ascending).
  void keep(std::span<const int> group);
};

/// Whether anything is recorded at all.
inline bool acts(const ImpulseRecord& record) { return !record.contacts.empty() || !record.wrenches.empty(); }

/// How what a record of a step says is spread over it: known from its instants.
Acting actingOf(const ImpulseRecord& record);

/// What acts on one body over a step: P = sum of impulses, K = sum of (x - start of the centre) x impulse.
struct BodyImpulse {
  Eigen::Vector3d P{0, 0, 0}, K{0, 0, 0};
};

/// int (p - p0) dt over a step of length h on the Hermite cubic that moves by `moved` from velocity v0 to v1 [m s].
inline Eigen::Vector3d hermiteIntegral(const Eigen::Vector3d& moved, const Eigen::Vector3d& v0,
                                       const Eigen::Vector3d& v1, double h) {
  return h * (0.5 * moved + h / 12 * (v0 - v1));
}

/// The velocity at the end of a piece that the laws of momentum give:
///   m v1 = m v0 + m g h + P,   L1 + m (p1 - p0) x v1 = L0 + m int (p - p0) dt x g + K,   L = R I R' w.
/// @param integral  int (p - p0) dt over the step [m s].
dynamics::Vector6d balancedVelocity(const dynamics::RigidBody& model, const geom::Pose& start,
                                    const dynamics::Vector6d& velocity, const geom::Pose& end,
                                    const Eigen::Vector3d& integral, double h, const Eigen::Vector3d& gravity,
                                    const BodyImpulse& acted);

}  // namespace rigor::sim
