// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/lcp/lemke.h"
#include "impact/problem/mass_factor.h"
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
  /// Cheap where the problem is the last one again: then only velocity and counters are set back.
  /// @param cone_edges  kRoundCones: no LCP; the friction rows are the tangents, and only impulses found elsewhere can
  /// be applied: applyImpulse().
  /// @returns false for the last problem again. @throws std::invalid_argument for sizes that do not fit, NaN, or a mass
  /// matrix that is not positive definite.
  bool prepare(const ImpactProblem& problem, int cone_edges);
  static constexpr int kRoundCones = 0;

  int numContacts() const { return m_; }
  const Eigen::VectorXd& velocity() const { return v_; }      ///< Present velocity, the caller's units.
  const Eigen::VectorXd& impulse() const { return total_; }   ///< Of J's rows, accumulated [N s].
  double energy() const;                                      ///< v'M v / 2.
  double energyBefore() const { return energy_before_; }
  double velocityScale() const { return velocity_scale_; }    ///< [m/s]
  double impulseScale() const { return velocity_scale_ / inverse_mass_scale_; }  ///< [N s]
  double normalVelocity(int contact) const;                   ///< Present [m/s].
  double smallestNormalVelocity() const;
  double inverseMass(int contact) const { return inverse_mass_[contact]; }  ///< J_i M^-1 J_i'.
  /// The impulse that alone would stop the approaching contact that needs the most [N s].
  double stoppingImpulse() const;

  /// Anitescu-Potra with a prescribed part of the normal impulse: ln = given + x, 0 <= x complementary to Jn v' >= 0.
  /// Updates velocity and impulse. @param given  m [N s], may be null. @param covering  numImpactUnknowns() positive
  /// numbers for Lemke's method, or null.
  [[nodiscard]] LcpStatus solveImpact(LemkeSolver& lemke, const double* given, const double* covering = nullptr);
  int numImpactUnknowns() const { return size_; }

  /// Takes `impulse` for the answer of solveImpact(lemke, nullptr) if it is one: scaled, of J's rows. @returns kFailed,
  /// with nothing changed, where its residual is above that of LemkeOptions.
  [[nodiscard]] LcpStatus acceptImpact(const Eigen::Ref<const Eigen::VectorXd>& impulse);

  // The rows of J: contact i has its normal in row i and numDirections(i) friction directions from firstDirection(i).
  int firstDirection(int contact) const { return first_[contact]; }
  int numDirections(int contact) const { return count_[contact]; }
  double friction(int contact) const { return mu_[contact]; }                 ///< kNoSlipFriction for no-slip.
  const Eigen::MatrixXd& jacobian() const { return J_; }
  const Eigen::MatrixXd& response() const { return mass_inverse_Jt_; }        ///< M^-1 J'.
  auto delassus() const { return W_.topLeftCorner(rows_, rows_); }            ///< Scaled J M^-1 J'.
  Eigen::VectorXd scaledContactVelocity() const { return J_ * v_ / velocity_scale_; }  ///< Present J v.

  /// Repeats solveImpact() while a contact approaches at less than `least` (< 0) [m/s]: what rounding left where
  /// impulses
  /// are large (wedged contacts). @returns kFailed if one still does.
  [[nodiscard]] LcpStatus settle(LemkeSolver& lemke, double least);

  /// One step of the Routh set model: ln <= limit_i [N s], v' as in Eq. (72)-(75) of Halm and Posa.
  /// @param covering  numRouthUnknowns() positive numbers for Lemke's method, or null.
  /// @param given  m: normal impulses that act anyway [N s], with friction; ln comes on top of them. May be null.
  [[nodiscard]] LcpStatus solveRouthStep(LemkeSolver& lemke, const double* limit, const double* covering,
                                         const double* given = nullptr);
  /// The same with limit 0 for all contacts but one, whose LCP is then the only one to solve.
  [[nodiscard]] LcpStatus solveOneContactStep(LemkeSolver& lemke, int contact, double limit, double given);
  int numRouthUnknowns() const { return m_ + size_; }
  /// The step that solveRouthStep() would take with these impulses, if they solve its LCP.
  /// @param impulse  Per contact: normal, `given` included, then tangential components where it has friction [N s].
  /// @returns kFailed, and changes nothing, where the residual is above `tolerance`.
  [[nodiscard]] LcpStatus applyRouthStep(const double* limit, const double* impulse, double tolerance,
                                         const double* given = nullptr);
  /// A step with impulses that were found and checked elsewhere, as for applyRouthStep(), with its residual.
  [[nodiscard]] LcpStatus applyImpulse(const double* impulse, double residual);
  const std::vector<double>& friction() const { return mu_; }  ///< m, finite.

  void save();                                                 ///< Remember velocity and impulse ...
  void restore();                                              ///< ... and return to them.
  void restart();                                              ///< Velocity and impulse as prepare() left them.
  int lcps() const { return lcps_; }
  /// Velocity, impulses, lcps and residual in the caller's form.
  void publish(ImpactOutcome& outcome) const;

 private:
  bool isSame(const ImpactProblem& problem, int cone_edges) const;
  void reset(const ImpactProblem& problem);
  void fillMatrix();
  void sizeRouthMatrix();
  void setRouthStep(const double* limit, const double* given);
  void setShares(const double* impulse, double* z) const;
  LcpStatus advance(LemkeSolver& lemke, int offset, const Eigen::MatrixXd& matrix, const double* covering,
                    const double* given);
  LcpStatus take(int offset, const double* given);
  LcpStatus takeStep();

  const ImpactProblem* problem_ = nullptr;
  ImpactProblem prepared_;                       // a copy: the caller's may be gone or changed
  int m_ = 0, rows_ = 0, cones_ = 0, size_ = 0;  // contacts, rows of J, contacts with friction, unknowns of W
  MassFactor mass_;
  Eigen::MatrixXd J_, mass_inverse_Jt_, W_, W_routh_, W_one_;
  Eigen::VectorXd v_, v_saved_, total_, total_saved_, q_, z_, q_one_, z_one_, Jv_, step_;
  std::vector<int> index_;                        // rows of W_routh_ of one contact
  std::vector<int> first_, count_, cone_;         // first friction row, number of them, cone number or -1
  std::vector<double> cos_, sin_, mu_, inverse_mass_;  // of the edges, none of round cones; inverse_mass_: of J's rows
  double velocity_scale_ = 1, inverse_mass_scale_ = 1, energy_before_ = 0, worst_residual_ = 0;
  bool routh_sized_ = false;                     // W_routh_ is this problem's
  int lcps_ = 0;
};

/// Friction coefficient that stands for no-slip in a polygonal cone: slip needs a tangential impulse 1e4 times the
/// normal
/// one. From 1e6 on Lemke's method fails on a tenth of the problems.
inline constexpr double kNoSlipFriction = 1e4;

/// Poisson's expansion phase after a compression phase: contact i receives e_i times its accumulated normal impulse,
/// with friction, while no contact approaches. Contacts that hit slower than `capture_speed` get none. Where the
/// kinetic energy would exceed that before the impact, all e_i are reduced by a common factor until it does not.
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
