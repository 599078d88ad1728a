// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <span>
#include <vector>

#include "sim/step/step_context.h"

namespace rigor::sim {

/// Keeps the laws of momentum to rounding: the velocities at the end of a trial become what the recorded impulses, at
/// the contacts' points on the published motion, give. Forces come from the method of the trial; their normals and
/// points from that motion.
class Balance {
 public:
  explicit Balance(StepContext& context) : x_(context) {}

  /// Of the free bodies at the end of the trial, whose poses are final. @returns the largest change of a velocity
  /// [m/s].
  double apply(Trial& trial);
  /// Where the ends' velocities are others than those with which apply() found the points of the impulses, the points
  /// are elsewhere on the published motion. @returns how much that may change a velocity [m/s].
  double offBy(const Trial& trial) const;
  /// Of a trial that was cut: how far what acted at an instant lies outside of its friction cone, at most, as a
  /// velocity of the lighter side [m/s]. The parabola between forces of Coulomb's need not be one.
  double outside(const Trial& trial) const;
  /// Of free bodies in a step at velocity level, or that contacts wedge, pushing by much more than they move: by how
  /// much what acted would miss the change of their angular momentum if another group cut the trial, as a velocity
  /// [m/s]. @pre apply(); velocities are the end's.
  double cutOffBy(const Trial& trial);
  /// Of free bodies in a step at velocity level: whether what acted rubbed against another slip than is there, and at
  /// both ends, where the proof looks for it. @pre apply(); velocities are the end's.
  bool rubsElsewhere(const Trial& trial);
  /// Of robots that float: by how much what acted on the published motion misses the change of their angular momentum
  /// in the trial as it is, as a velocity of their heaviest links [m/s]. @pre apply().
  double robotsOffBy(const Trial& trial) const;
  /// Of robots: what acts on a link at an instant, and how its joints answer in the middle of the step, have arms about
  /// each other that turned with the link in between. By how much that turns the robot at most, as a velocity [m/s].
  /// @pre apply(). `closing`: as for record().
  double apartFromJoints(std::span<const Eigen::Vector3d> closing, const Trial& trial) const;
  /// Writes what acted, at the end of the trial too (`closing`: by contact (n, t1, t2) [N s]), to trial.acted.
  void record(std::span<const Eigen::Vector3d> closing, Trial& trial) const;

 private:
  void placeBodies(const Trial& trial, double share);
  double missedBy(const Trial& trial, double share);
  void placeContact(size_t c, FeaturePlace& place) const;
  Eigen::Vector2d slipAt(const Contact& contact, const FeaturePlace& place) const;
  void turnFriction(const Contact& contact, const FeaturePlace& place, double h, Eigen::Vector3d& P) const;
  void act(const Contact& contact, const Eigen::Vector3d& P, const Eigen::Vector3d& point);

  StepContext& x_;
  std::vector<int> acted_on_;      // Slots of contacts.
  std::vector<Placement> placed_;  // By slot: where those bodies are at the instant at hand, and how they move.
  std::vector<Vector6d> moving_;
  std::vector<geom::Pose> poses_;
  std::vector<std::array<Eigen::Vector3d, 3>> impulses_;  // World, by contact and instant.
  std::vector<char> off_;  // By contact.
  std::vector<BodyImpulse> sums_;  // By slot,
  std::vector<double> loads_;      // the sums of the impulses' magnitudes [N s],
  std::vector<Vector6d> assumed_;  // and the end's velocities with which their points were found.
};

}  // namespace rigor::sim
