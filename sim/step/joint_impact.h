// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "friction/solver.h"
#include "impact/resolver.h"

namespace rigor::sim {

/// A block of an impact problem's coordinates that has a mass matrix of its own: a free body, or a robot.
struct ImpactBlock {
  int first, size;
};

/// Shares of the restitution that are tried, in this order.
inline constexpr double kReboundShares[] = {1, 0.5, 0.25, 0};
/// Growth of the kinetic energy, relative, that is rounding and the solver's tolerance.
inline constexpr double kJointEnergyRounding = 1e-12;

/// Impacts of many contacts, all at once, with Coulomb's cone: a contact that hits faster than `capture`, with v,
/// leaves with at least e v, the others with at least 0 (Moreau 1988). Without restitution this is the plastic impact.
///
/// Guarantee: on true the kinetic energy did not grow by more than rounding, and the contact problem's residual is
/// below the tolerance (friction/solver.h). Friction may gain energy by restitution; a share of e is left away then,
/// all of it at last, where none can be gained and a solution exists unless contacts never slip. The order of contacts
/// decides nothing but rounding. Cost: one contact problem on the graph of bodies.
class JointImpact {
 public:
  /// @param blocks  Of the coordinates: each contact has rows on at most two of them.
  /// @param capture, tolerance  [m/s]
  [[nodiscard]] bool resolve(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks, double capture,
                             double tolerance, impact::ImpactOutcome& outcome);

 private:
  void writeBodies(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks);
  void writeContacts(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks, double share);
  void read(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks,
            impact::ImpactOutcome& outcome) const;

  friction::Problem problem_;
  friction::Solver solver_;
  std::vector<double> rebound_;  // e v of each contact [m/s]
  Eigen::MatrixXd rows_;
};

}  // namespace rigor::sim
