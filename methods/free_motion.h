// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "methods/world.h"

namespace rigor::methods {

/// Constant forces over a step: of contacts.
struct Loads {
  std::vector<sim::Vector6d> bodies;  ///< By slot: force, torque about the centre, world [N, N m]. Links' are not read.
  std::vector<Eigen::VectorXd> robots;  ///< Generalized.
};

/// How a method moves everything between events: gravity, Euler's torque, joints' forces and constant loads.
class FreeMotion {
 public:
  virtual ~FreeMotion() = default;
  /// @returns false where an implicit step has no solution that its iteration finds; `state` is then of no use.
  [[nodiscard]] virtual bool advance(const World& world, sim::SystemState& state, double h, const Loads& loads) = 0;
};

/// The classical Runge-Kutta method of order four, in coordinates, quaternions and velocities; quaternions are
/// normalised after each step. Conserves nothing to rounding.
class RungeKutta4 : public FreeMotion {
 public:
  [[nodiscard]] bool advance(const World& world, sim::SystemState& state, double h, const Loads& loads) override;

 private:
  struct Rate {
    std::vector<Eigen::Matrix<double, 13, 1>> bodies;  // p, q, v, w
    std::vector<Eigen::VectorXd> q, v;                 // Robots.
  };
  void evaluate(const World& world, sim::SystemState& at, const Loads& loads, Rate& rate);
  static void move(const sim::SystemState& from, const Rate& rate, double h, sim::SystemState& to);

  Rate k_[4];
  sim::SystemState stage_;
  sim::ContactSystem equations_;
};

/// The variational integrator of the midpoint rule: the discrete Euler-Lagrange equations of L_d(q0, q1) = h L((q0 +
/// q1) / 2, (q1 - q0) / h), in position-momentum form [SegheteMurphey, Eq. (28)-(29); MarsdenWest01]
///
///   p0 = -D1 L_d(q0, q1),   p1 = D2 L_d(q0, q1).
///
/// Robots, in joint coordinates, with v_m = (q1 - q0) / h and q_m the middle:
///   p0 = M(q_m) v_m - h F / 2,   p1 = M(q_m) v_m + h F / 2,   F = dL/dq (q_m, v_m) + forces;
/// what turns freely in them, by the Cayley map (StepTurns).
/// Free bodies, with the Cayley map on rotations, R1 = R0 cay(h W), Pi the angular momentum in body axes (Bou-Rabee and
/// Marsden 2009):
///   Pi0 = J W + h/2 W x J W + h^2/4 (W.J W) W,   Pi1 the same with -h; angular momentum in the world is conserved to
///   rounding.
/// Symplectic: energy oscillates and does not drift. Order two. An impact changes the momenta between two steps
/// [SegheteMurphey, Eq. (30)].
class VariationalMidpoint : public FreeMotion {
 public:
  [[nodiscard]] bool advance(const World& world, sim::SystemState& state, double h, const Loads& loads) override;
  /// Why the scene's robots are not for it (closed loops); empty if they are.
  static std::string refuses(const sim::Scene& scene);
};

}  // namespace rigor::methods
