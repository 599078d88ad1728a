// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/lemke.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// The matrices that the LCP models share, from an ImpactProblem with polygonal friction cones; see docs/equations.md.
///
/// Rows of J: the m normals, then the friction directions contact by contact: +-t of a planar contact, `cone_edges`
/// directions of a spatial one, none where friction is 0. Everything is scaled to order one: velocities by the largest
/// |J v-|, impulses by that over the largest diagonal entry of J M^-1 J'; results are in the caller's units again.
///
/// No-slip contacts get the coefficient kNoSlipFriction. The cone row and the slip-speed column of every contact with
/// mu > 1 are divided by sqrt(mu), which leaves the solutions and keeps the pivots of Lemke's method of order one.
/// No allocation once it has seen the largest problem of a kind.
class ContactLcp {
 public:
  /// @throws std::invalid_argument for sizes that do not fit, NaN, or a mass matrix that is not positive definite.
  void prepare(const ImpactProblem& problem, int cone_edges);

  int numContacts() const { return m_; }
  const Eigen::VectorXd& velocity() const { return v_; }      ///< Present velocity, the caller's units.
  const Eigen::VectorXd& impulse() const { return total_; }   ///< Of J's rows, accumulated [N s].
  double energy() const;                                      ///< v'M v / 2.
  double energyBefore() const { return energy_before_; }
  double velocityScale() const { return velocity_scale_; }    ///< [m/s]
  double impulseScale() const { return velocity_scale_ / inverse_mass_scale_; }  ///< [N s]
  double normalVelocity(int contact) const;                   ///< Present [m/s].
  double smallestNormalVelocity() const;
  /// The impulse that alone would stop the approaching contact that needs the most [N s].
  double stoppingImpulse() const;

  /// Anitescu-Potra with a prescribed part of the normal impulse: ln = given + x, 0 <= x complementary to Jn v' >= 0.
  /// Updates velocity and impulse. @param given  m [N s], may be null.
  [[nodiscard]] LcpStatus solveImpact(LemkeSolver& lemke, const double* given);

  /// Repeats solveImpact() while a contact approaches at less than `least` (< 0) [m/s]: what rounding left where
  /// impulses
  /// are large (wedged contacts). @returns kFailed if one still does.
  [[nodiscard]] LcpStatus settle(LemkeSolver& lemke, double least);

  /// One step of the Routh set model: ln <= limit_i [N s], v' as in Eq. (72)-(75) of Halm and Posa.
  /// @param covering  numRouthUnknowns() positive numbers for Lemke's method, or null.
  [[nodiscard]] LcpStatus solveRouthStep(LemkeSolver& lemke, const double* limit, const double* covering);
  int numRouthUnknowns() const { return m_ + size_; }

  void save();                                                 ///< Remember velocity and impulse ...
  void restore();                                              ///< ... and return to them.
  double worstResidual() const { return worst_residual_; }
  int lcps() const { return lcps_; }
  /// Velocity, impulses, lcps and residual in the caller's form.
  void publish(ImpactOutcome& outcome) const;

 private:
  LcpStatus advance(LemkeSolver& lemke, int offset, const Eigen::MatrixXd& matrix, const double* covering,
                    const double* given);

  const ImpactProblem* problem_ = nullptr;
  int m_ = 0, rows_ = 0, cones_ = 0, size_ = 0;  // contacts, rows of J, contacts with friction, unknowns of W
  Eigen::MatrixXd mass_factor_, J_, mass_inverse_Jt_, W_, W_routh_;
  Eigen::VectorXd v_, v_saved_, total_, total_saved_, q_, z_, Jv_, step_;
  std::vector<int> first_, count_, cone_;         // first friction row, number of them, cone number or -1
  std::vector<double> cos_, sin_, mu_;
  double velocity_scale_ = 1, inverse_mass_scale_ = 1, energy_before_ = 0, worst_residual_ = 0;
  int lcps_ = 0;
};

/// Friction coefficient that stands for no-slip in a polygonal cone: slip needs a tangential impulse 1e4 times the
/// normal
/// one. From 1e6 on Lemke's method fails on a tenth of the problems.
inline constexpr double kNoSlipFriction = 1e4;

/// Poisson's expansion phase after a compression phase: contact i receives e_i times its accumulated normal impulse,
/// with friction, while no contact approaches. Contacts that hit slower than `capture_speed` get none. Where the kinetic
/// energy would exceed that before the impact, all e_i are reduced by a common factor until it does not.
/// @param approach  m: normal velocities before the impact [m/s].
[[nodiscard]] LcpStatus expand(ContactLcp& lcp, LemkeSolver& lemke, const ImpactProblem& problem,
                               const ImpactOptions& options, const std::vector<double>& approach,
                               std::vector<double>& given);

/// Gains of kinetic energy up to this fraction of that before the impact are rounding.
inline constexpr double kImpactEnergyRounding = 1e-11;

/// The end of every impact: expand(), then what it leaves approaching faster than -`least` [m/s] is settled.
/// @returns false where a solver failed or the impact as a whole gained energy: no answer.
[[nodiscard]] bool finishImpact(ContactLcp& lcp, LemkeSolver& lemke, const ImpactProblem& problem,
                                const ImpactOptions& options, const std::vector<double>& approach,
                                std::vector<double>& given, double least);

}  // namespace rigor::impact
