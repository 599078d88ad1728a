// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "friction/solver.h"
#include "impact/resolver.h"
#include "sim/step/rebound_shares.h"

namespace rigor::sim {

/// A block of an impact problem's coordinates that has a mass matrix of its own: a free body, or a robot.
struct ImpactBlock {
  int first, size;
};

/// Impacts of many contacts, all at once, with Coulomb's cone: a contact that hits faster than `capture`, with v,
/// leaves with at least e v, the others with at least 0 (Moreau 1988). Without restitution this is the plastic impact.
///
/// Guarantee: on true the kinetic energy of no bodies that push each other grew by more than rounding, and the contact
/// problem's residual is below the tolerance (friction/solver.h). Friction may gain energy by restitution; a share of
/// e is left away then, where it was gained, all of it at last, where none can be gained and a solution exists unless
/// contacts never slip. The order of contacts decides nothing but rounding. Cost: one contact problem on the graph of
/// bodies.
class JointImpact {
 public:
  /// @param blocks  Of the coordinates: each contact has rows on at most two of them.
  /// @param capture, tolerance  [m/s]
  [[nodiscard]] bool resolve(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks, double capture,
                             double tolerance, impact::ImpactOutcome& outcome);

 private:
  void writeBodies(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks);
  void writeContacts(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks);
  void read(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks,
            impact::ImpactOutcome& outcome) const;
  bool lessensGains(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks,
                    const impact::ImpactOutcome& outcome);

  friction::Problem problem_;
  friction::Solver solver_;
  std::vector<double> rebound_;  // e v of each contact [m/s]
  ReboundShares shares_;
  std::vector<ReboundShares::Pushed> pushed_;  // By contact: blocks.
  std::vector<double> before_, after_;         // Kinetic energies by block [J].
  Eigen::MatrixXd rows_;
};

}  // namespace rigor::sim
