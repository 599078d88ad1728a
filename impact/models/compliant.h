// SPDX-License-Identifier: MIT
#pragma once
#include "impact/lcp/contact_lcp.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// Compliant reference model: Kelvin-Voigt springs and dampers without pull at the contacts, and regularised friction,
/// integrated through a collision during which nothing else moves (Halm and Posa, Eq. 88-90). The others are held
/// against it.
///
/// Guarantee on kResolved: no contact approaches, M (v+ - v-) = J' p exactly as rounding allows, and the kinetic energy
/// did not grow by more than kCompliantAccuracy of it. kUnfinished where the collision did not end within the step
/// budget.
///
///   f_n = max(0, k d - c u_n) where d >= 0,  f_t = -mu f_n u_t / sqrt(|u_t|^2 + s^2),  d' = -u_n,  p' = f,  u = J (v-
///   + M^-1 J' p)
///
/// d: compression [m], u: contact velocity [m/s], p: impulses [N s]. Stiffnesses matter by their ratios alone
/// (CompliantOptions::stiffness): a common factor only changes how long the collision takes, and the limit of no
/// duration is what is computed. The damper of contact i has c = 2 zeta(e_i) sqrt(k_i m_i), m_i = 1 / (J_n M^-1
/// J_n')_ii: alone and without friction it returns Newton's e_i. e = 0 needs zeta = infinity; kLargestDamping leaves e
/// = 2.5e-5. The collision ends when no contact approaches and no contact with e > 0 is loaded.
///
/// Deterministic. Cost: milliseconds (a fourth-order Rosenbrock method with error control, O((rows + m)^3) a step).
/// Reads compliant.stiffness. @throws std::invalid_argument for a malformed problem or stiffnesses that are
/// not m positive numbers.
class Compliant final : public Resolver {
 public:
  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;
  std::string_view assumption() const override { return "contacts are stiff springs and dampers"; }

 private:
  ContactLcp checked_;  // Validates the problem.
};

/// Restitution of a mass on a Kelvin-Voigt element without pull, of damping ratio zeta >= 0:
/// e = exp(-2 zeta acos(zeta) / sqrt(1 - zeta^2)), by acosh beyond 1. Falls from 1 to 1 / (4 zeta^2).
[[nodiscard]] double restitutionOfDamping(double zeta);
/// Its inverse, at most kLargestDamping.
[[nodiscard]] double dampingOfRestitution(double restitution);

inline constexpr double kLargestDamping = 100;       ///< Damping ratio of e = 0 [-].
inline constexpr double kCompliantAccuracy = 1e-7;   ///< Error of the integration, relative to speeds and energy [-].

}  // namespace rigor::impact
