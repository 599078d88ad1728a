// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/resolver.h"

namespace rigor::impact {

/// What a contact does right after an impact.
enum class ContactFate : unsigned char { kSeparates, kSticks, kSlides };

/// Speeds up to this, relative to the largest contact speed before, are zero where mergeOutcomes() names fates. Well
/// above the rounding of an impact and ImpactOptions::tolerance, well below any speed of interest.
inline constexpr double kFateTolerance = 1e-7;

/// Outcomes of deterministic models within this kineticDistance() are one: far above what redundant contacts leave, far
/// below a difference of interest.
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
/// Representatives are chosen by farthest points: the first outcome, then always the one farthest from all chosen, so
/// that the first k of them cover the set about as well as any k can (within a factor 2, Gonzalez 1985). At most
/// `limit` (0: no limit); each outcome counts for the nearest one. Deterministic; ties go to the earlier column. Fates
/// with kFateTolerance. @param velocities  n x k, a column an outcome. Cost O(n k) a representative.
/// @throws std::invalid_argument for sizes that do not fit, a negative tolerance or limit, an indefinite mass matrix.
[[nodiscard]] std::vector<DistinctOutcome> mergeOutcomes(const ImpactProblem& problem,
                                                         const Eigen::Ref<const Eigen::MatrixXd>& velocities,
                                                         double tolerance, int limit = 0);

/// Columns of `x` among `candidates`, the first one first, then always the one farthest from those before it (ties: the
/// earlier), until all lie within `tolerance` of one of them. O(columns * result * rows). @pre candidates not empty.
[[nodiscard]] std::vector<long> farthestFirst(const Eigen::Ref<const Eigen::MatrixXd>& x,
                                              const std::vector<long>& candidates, double tolerance);

/// As mergeOutcomes(), but what stands for a cluster is its medoid: the outcome with the least sum of squared distances
/// to the others.
///
/// Medoids stand for their clusters: what follows from them, taken by weight, is what follows from draws of the set, up
/// to the size of the clusters; so a cluster of more than a 32nd of all outcomes (and of 20) is split, down to an
/// eighth of the tolerance. Column 0 stays the representative of its own cluster and comes first. Each outcome counts
/// for the nearest representative, and is within three times the tolerance of it. Order: farthest points first.
/// Deterministic; errors as mergeOutcomes().
[[nodiscard]] std::vector<DistinctOutcome> mergeIntoMedoids(const ImpactProblem& problem,
                                                            const Eigen::Ref<const Eigen::MatrixXd>& velocities,
                                                            double tolerance);

/// What every contact does with velocity v; speeds up to `tolerance` times the largest contact speed before are zero.
/// A contact without tangent rows that does not separate sticks: nothing is known of its sliding.
void findFates(const ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& v, double tolerance,
               std::vector<ContactFate>& fates);

/// Distance of two velocities in the kinetic metric, relative to that of the velocity before the impact [-].
[[nodiscard]] double kineticDistance(const ImpactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& a,
                                     const Eigen::Ref<const Eigen::VectorXd>& b);

}  // namespace rigor::impact
