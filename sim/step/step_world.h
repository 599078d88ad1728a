// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "advance/motion_piece.h"
#include "advance/piece_polynomials.h"
#include "sim/runtime.h"
#include "sim/scales.h"
#include "sim/step/body_box.h"
#include "sim/system_state.h"

namespace rigor::sim {

/// Of length one but for roundings. Orientations of scenes are kept as they are: pieces that start from one of another
/// length keep its length, integration goes on from the unit quaternion.
inline bool isUnit(const Eigen::Vector4d& q) { return std::abs(q.squaredNorm() - 1) <= 1e-9; }

/// The group that steps, all that moves beside it, and the motion that the step has found so far.
struct StepWorld {
  StepWorld(const Scene& scene_to_run, const Scales& its_scales) : scene(scene_to_run), scales(its_scales) {}

  const Scene& scene;
  const Scales scales;

  std::span<const BodyRuntime> bodies;
  std::span<const PartRuntime> parts;
  std::span<const RobotRuntime> robots;
  const BodyTree* tree = nullptr;  ///< Of the boxes of all bodies' pieces.
  std::span<const int> island;  ///< Bodies of the group, ascending; their places here are their slots.
  std::vector<int> slot_of;     ///< By body; -1: of no body of the group.
  double t0 = 0, t_end = 0;     ///< Start of the step, and its horizon [s].
  SystemState start;            ///< Of the group at t0; a decision changes its velocities.
  std::vector<advance::MotionPiece> pieces;        ///< By slot: what would be published.
  std::vector<advance::PiecePolynomials> motion;   ///< The same, prepared.
  /// Holds all boxes in which others were looked for since the state was taken over: who stays outside has no part in
  /// the step [m].
  mutable BodyBox looked = BodyBox::empty();

  /// Takes over the group's state at its clock.
  void gather(const RunState& run, std::span<const int> group, double horizon);
  /// The same group anew: start is what it was.
  void gather();
  /// A body's centre and rotation at t, on its own piece or on that of the step.
  geom::Pose poseOf(int body, int slot, double t) const;
  /// Of a part's body origin.
  geom::Pose originPose(int part, int slot, double t) const;
  /// The flight of a body of the group at t0: beside its published state where the curve was that ends there, unless
  /// something has acted on the body since.
  dynamics::RigidBodyState flightOf(size_t slot) const;
  /// Whether no point of the group's bodies comes back to its flight faster than is of no matter, within h.
  bool comesBackWithin(double h) const;
  /// Of a side that does not move within the step; else unused.
  Placement fixedPlacement(int body, int slot) const;
  /// [m/s]
  double speed(const Vector6d& u) const { return u.head<3>().norm() + scales.length * u.tail<3>().norm(); }
  /// Whether nothing of a system is faster than that [m/s].
  bool areSlow(const SystemState& system, double most) const {
    return std::all_of(system.begin(), system.end(),
                       [&](const SystemBody& body) { return speed(body.state.velocity()) <= most; });
  }

 private:
  std::vector<int> gathered_;  // Bodies with a slot.
};

}  // namespace rigor::sim
