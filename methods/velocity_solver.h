// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <vector>

#include "friction/problem.h"
#include "friction/solver.h"
#include "methods/cone_solver.h"
#include "methods/world.h"

namespace rigor::methods {

enum class FrictionLaw : unsigned char {
  kCoulomb,  ///< Coulomb's law itself: what slips is not lifted.
  kConvex,   ///< The convex relaxation: what slips at speed s is lifted at mu s (methods/cone_solver.h).
};

/// The contact problem at velocity level of a whole world: velocities u after impulses on its contacts,
///   M (u - u0) = sum J_c^T f_c,   0 <= f_n complementary to J_n u + offset >= 0,   friction by the law.
///
/// Contacts that several methods share; each says by its offsets what has to hold at the end of its step.
class VelocitySolver {
 public:
  /// @param offset     Of contact c [m/s].
  /// @param bodies, robots  In: velocities without contacts. Out: with them.
  /// @param tolerance  [m/s], of the residual (friction::Problem::residual, ConeSolver).
  /// @returns whether it was reached; if not, the best that was found is the result.
  [[nodiscard]] bool solve(World& world, const sim::SystemState& at, const sim::ContactList& contacts,
                           const std::function<double(std::size_t)>& offset, FrictionLaw law, double tolerance,
                           std::vector<sim::Vector6d>& bodies, std::vector<Eigen::VectorXd>& robots);
  /// Of contact c of the last solve(): normal, tangents [N s].
  const Eigen::Vector3d& impulse(std::size_t c) const { return impulses_[c]; }
  double residual() const { return residual_; }  ///< Of the last solve() [m/s].

 private:
  void setBodies(const sim::SystemState& at, const std::vector<sim::Vector6d>& bodies,
                 const std::vector<Eigen::VectorXd>& robots, sim::ContactSystem& system);
  void addContact(const sim::SystemState& at, const sim::ContactList& contacts, std::size_t c, double offset);

  friction::Problem problem_;
  friction::Solver coulomb_;
  ConeSolver cone_;
  sim::ContactSystem masses_;
  std::vector<int> block_of_slot_, block_of_robot_;
  std::vector<Eigen::Vector3d> impulses_;
  double residual_ = 0;
};

}  // namespace rigor::methods
