// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/resolver.h"

namespace rigor::impact {

/// What a contact does right after an impact.
enum class ContactFate : unsigned char { kSeparates, kSticks, kSlides };

/// Speeds up to this, relative to the largest contact speed before, are zero where mergeOutcomes() names fates. Well above
/// the rounding of an impact and ImpactOptions::tolerance, well below any speed of interest.
inline constexpr double kFateTolerance = 1e-7;

/// Outcomes of deterministic models within this kineticDistance() are one: far above what redundant contacts leave, far below
/// a difference of interest.
inline constexpr double kSameOutcome = 1e-8;

/// One of the distinct outcomes of a set.
struct DistinctOutcome {
  Eigen::VectorXd velocity;        ///< n, of the representative: an outcome itself, never a mean.
  int representative = 0;          ///< Its column among the outcomes that were merged.
  long count = 0;                  ///< Outcomes merged into it.
  double weight = 0;               ///< count / all: the share of the samples, no probability of nature.
  std::vector<ContactFate> fates;  ///< m.
};

/// Merges outcomes that lie within `tolerance` of a representative: distances in the kinetic metric, relative to |v-|.
///
/// Representatives are chosen by farthest points: the first outcome, then always the one farthest from all chosen, so that
/// the first k of them cover the set about as well as any k can (within a factor 2, Gonzalez 1985). At most `limit`
/// (0: no limit); each outcome counts for the nearest one. Deterministic; ties go to the earlier column. Fates with
/// kFateTolerance. @param velocities  n x k, a column an outcome. Cost O(n k) a representative.
/// @throws std::invalid_argument for sizes that do not fit, a negative tolerance or limit, an indefinite mass matrix.
[[nodiscard]] std::vector<DistinctOutcome> mergeOutcomes(const ImpactProblem& problem,
                                                         const Eigen::Ref<const Eigen::MatrixXd>& velocities,
                                                         double tolerance, int limit = 0);

/// What every contact does with velocity v; speeds up to `tolerance` times the largest contact speed before are zero.
/// A contact without tangent rows that does not separate sticks: nothing is known of its sliding.
void findFates(const ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& v, double tolerance,
               std::vector<ContactFate>& fates);

/// Distance of two velocities in the kinetic metric, relative to that of the velocity before the impact [-].
[[nodiscard]] double kineticDistance(const ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& a,
                                     const Eigen::Ref<const Eigen::VectorXd>& b);

}  // namespace rigor::impact
