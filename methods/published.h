// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "advance/bounds.h"
#include "advance/broad_phase.h"
#include "advance/certificate.h"
#include "methods/method.h"
#include "methods/velocity_solver.h"

namespace rigor::methods {

/// Whence the distance of two polytopes that do not touch.
enum class DistanceSource : unsigned char {
  kRigor,   ///< geom::separation(): distance and direction, for Eq. (4) as it stands.
  kLibccd,  ///< libccdDistance(): a distance without direction; the speed is then bounded over all directions.
};

/// Conservative advancement as "True Rigidity" publishes it [Drumwright16, Algorithm 1]: first order,
///   h = min(r(q, v), max_step),   q+ = q + h v,   v* = v + h f(q+, v),   v+ = k(v*),
/// with contact impulses k at velocity level, and r from bounds on how fast features can approach:
///   pairs apart: the distance over the speed of Eq. (4), of links over that of Eq. (11)-(14),
///   pairs that touch: for every vertex off the separating plane its height over the speed of Eq. (7), of links Eq.
///   (15); the least by Eq. (8); halved until the touching vertices' gaps keep still over the step (the paper's flow
///   chart, Fig. 6); a small step where one leaves.
///
/// What the paper leaves to floating point is proved here: a step is taken only where witnesses prove every near pair
/// at least the floor apart over its motion, which is straight and about a fixed axis; else it is halved. Distances are
/// lowered to delta, at which contacts are; contacts that have sunk nearer are moved back
/// to it, positions alone: constant twists let a spinning body sink, and the paper, without stabilisation, penetrates.
/// Restitution: Newton's law above the capture speed.
class Published : public Method {
 public:
  Published(double max_step, DistanceSource distance) : max_step_(max_step), distance_(distance) {}

  [[nodiscard]] Stepped step(World& world, double until, StateSink& sink) override;
  const sim::ContactList& contacts() const override { return contacts_; }
  std::string counters() const override;

 private:
  double safeStep(World& world, double horizon);
  double stepApart(World& world, World::Pair& pair, double horizon);
  double stepTouching(World& world, const World::Pair& pair, std::span<const int> touching, double horizon);
  double stepStill(World& world, double horizon);
  double speedTowards(const World& world, const Eigen::Vector3d& d, const World::Pair& pair);
  double linkSpeed(const World& world, int part, const Eigen::Vector3d& d);
  double turningSpeed(const World& world, int part, const Eigen::Vector3d& n) const;
  void constrain(World& world, Stepped& result);
  void move(World& world, double h);
  [[nodiscard]] bool certified(World& world, double h);

  double max_step_;
  DistanceSource distance_;
  bool started_ = false;
  VelocitySolver solver_;
  sim::ContactList contacts_, moved_contacts_;
  sim::SystemState moved_;
  std::vector<dynamics::ArticulatedWorkspace> workspaces_;
  std::vector<sim::Vector6d> u_;
  std::vector<Eigen::VectorXd> v_;
  std::vector<advance::MotionPiece> pieces_;
  std::vector<std::vector<advance::SeparatingAxis>> axes_;  // By pair: what separated last.
  std::vector<advance::Witness> witnesses_;
  long steps_ = 0, full_ = 0, refused_ = 0, unsolved_ = 0;
};

}  // namespace rigor::methods
