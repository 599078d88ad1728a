// SPDX-License-Identifier: MIT
#pragma once
#include "methods/method.h"
#include "methods/velocity_solver.h"

namespace rigor::methods {

/// Time stepping with impulses, at a fixed step h: no event is looked for. Order one.
///
///   M (v+ - v) = h f(q, v) + sum J_c^T p_c,  q+ = q + h v+,  p in Coulomb's cone  [StewartTrinkle96; AnitescuPotra97]
///
/// with J, the gap g and all features as they are at the START of the step. delta is the nominal gap: bodies that
/// neither turn nor change their features are proved apart, and every overlap is the method's.
///
/// Ahead::kYes, Stewart and Trinkle: every feature that may close within the step is a contact,
///   0 <= p_n  complementary to  J_n v+ + (g - delta) / h >= 0                                      [StewartTrinkle00]
/// Restitution by a second problem with the velocities at the step's end: w_n >= e |w_n-| where something was hit.
///
/// Ahead::kNo, Anitescu and Potra as engines do it: what touches or overlaps at the start of the step is a contact,
///   0 <= p_n  complementary to  J_n v+ + e J_n v >= 0
/// Bodies sink in by up to h |v_n|. A second problem, J_n w + (g - delta) / h >= 0, moves them out; it changes
/// positions alone, so that no energy comes of it but that of the lift.
///
/// e is Newton's coefficient above the capture speed, 0 below it (the papers have none, or Poisson's).
class TimeStepping : public Method {
 public:
  enum class Ahead : unsigned char { kYes, kNo };
  TimeStepping(double step, Ahead ahead, FrictionLaw law) : step_(step), ahead_(ahead), law_(law) {}

  [[nodiscard]] Stepped step(World& world, double until, StateSink& sink) override;
  const sim::ContactList& contacts() const override { return contacts_; }
  std::string counters() const override;

 private:
  bool rebound(World& world, double tolerance);
  bool pushOut(World& world, double h, double tolerance);

  double step_;
  Ahead ahead_;
  FrictionLaw law_;
  VelocitySolver solver_;
  sim::ContactList contacts_, touched_;
  std::vector<sim::Vector6d> u_;
  std::vector<Eigen::VectorXd> v_;
  std::vector<double> approach_;  // Of each contact at the start of the step [m/s].
  long steps_ = 0, unsolved_ = 0;
  double worst_residual_ = 0;
};

}  // namespace rigor::methods
