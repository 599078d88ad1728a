// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "impact/resolver.h"

namespace rigor::impact {

/// Why, or whether, an elastic impact at two contacts has one outcome whatever the velocity before it.
enum class PairUniqueness {
  kOrthogonal,  ///< <u, v> = 0: two reflections, that commute (Theorem 2).
  kThreeStage,  ///< <u, v> = -1/2: three reflections, u v u = v u v (Theorem 3); equal balls in a row.
  kDihedral,  ///< <u, v> = -cos(pi/k), k > 3: k reflections. Not in the paper; the same argument for a dihedral group.
  kNone,      ///< The outcome may depend on the order.
};

/// Two contacts as seen in the kinetic metric, <u, v> = u M^-1 v' of their unit normals.
struct ContactPair {
  int a = 0, b = 0;
  double cosine = 0;  ///< <u, v> in [-1, 1].
  double gamma = 0;   ///< arcsin <(u + v)/|u + v|, u> [rad]: half the angle of the cone of separating momenta.
  double bound = 0;   ///< ceil(pi / gamma), most reflections of a minimal sequence (Theorem 1); infinity: jammed.
  PairUniqueness uniqueness = PairUniqueness::kNone;
  /// xi = |p_ab - p_ba| / |p_0| in the kinetic metric, of the elastic impact at these two contacts alone: p_ab after
  /// the reflections a, b, a, ... of approaching contacts, p_ba after b, a, b, ...; 0 where at most one approaches
  /// before.
  double indeterminacy = 0;
};

/// The diagnosis of an impact for the propagative model (Seghete & Murphey, Sec. IV, V, VII).
struct KineticDiagnosis {
  std::vector<ContactPair> pairs;  ///< a < b, in this order.
  /// True where the elastic outcome is the same for every order and every velocity before: one contact, all pairs
  /// orthogonal (Theorem 2), or two contacts with any uniqueness. A sufficient condition.
  bool unique = false;
  double indeterminacy = 0;  ///< Largest of the pairs.
};

/// Inner products that differ by less than this from 0, -1/2, -cos(pi/k) count as equal to it.
inline constexpr double kKineticAngleTolerance = 1e-9;

/// Cost O(n^3 + m^2 n), and ceil(pi/gamma) reflections a pair (at most 10^6, else xi is NaN).
/// A contact with a zero normal is orthogonal to all.
/// @throws std::invalid_argument where sizes do not match or the mass matrix is not positive definite.
[[nodiscard]] KineticDiagnosis diagnoseKineticAngles(const ImpactProblem& problem);

}  // namespace rigor::impact
