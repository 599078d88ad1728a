// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "methods/free_motion.h"
#include "methods/method.h"
#include "methods/velocity_solver.h"

namespace rigor::methods {

/// Event-based simulation at a nominal step, as a report compares it with time stepping [Boussema, III]:
///
/// 1. Contacts that approach: one velocity jump by the contact solver, Newton's restitution above the capture speed,
/// plastic below.
/// 2. Contact forces, constant over the step, such that Coulomb's law holds for the velocities at its end (rows as at
/// its start).
/// 3. A step of the integrator. The guard is looked at where it ENDS alone: where a feature that carries no force
/// overlaps there, the step is bisected to
///    the time at which the first of them touches, and ends there.
///
/// Bodies may pass through each other within a step, and what carries force may sink: both are the method's, and
/// recorded.
class EventBased : public Method {
 public:
  EventBased(double step, std::unique_ptr<FreeMotion> motion) : step_(step), motion_(std::move(motion)) {}

  [[nodiscard]] Stepped step(World& world, double until, StateSink& sink) override;
  const sim::ContactList& contacts() const override { return contacts_; }
  std::string counters() const override;

 private:
  enum class Guard : unsigned char { kClear, kTouching, kCrossed };
  void resolveImpacts(World& world, StateSink& sink, Stepped& result);
  void findLoads(World& world, double h);
  [[nodiscard]] bool advance(const World& world, double h);
  Guard guard(World& world);
  [[nodiscard]] bool locate(World& world, double& h);

  double step_;
  std::unique_ptr<FreeMotion> motion_;
  VelocitySolver solver_;
  sim::ContactList contacts_, found_;
  std::vector<char> held_;
  Loads loads_;
  sim::SystemState end_;
  std::vector<sim::Vector6d> u_;
  std::vector<Eigen::VectorXd> v_;
  long steps_ = 0, bisections_ = 0, unsolved_ = 0;
};

}  // namespace rigor::methods
