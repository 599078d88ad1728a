// SPDX-License-Identifier: MIT
#include "impact/sets/corner_outcomes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "impact/problem/kinetic_metric.h"
#include "impact/problem/problem_check.h"
#include "impact/sets/certify.h"
#include "impact/sets/chain_outcome.h"
#include "impact/sets/directed_search.h"

namespace rigor::impact {
namespace {

// Work that an exact set may take here, and contacts beyond which it is not tried.
constexpr std::int64_t kCornerWork = 3'000'000;
constexpr int kMostCornerContacts = 4;
// Contacts up to which extremes are searched for instead, and the effort: some 10 ms.
constexpr int kMostSearchedContacts = 12;
constexpr int kMostSpatialContacts = 2;
// What contacts with this coefficient return is rounding (energy_returns.cc).
constexpr double kNoRestitution = 1e-7;
const SearchOptions kCornerSearch{.walks = 500, .improvements = 20};

/// Its mass matrix couples many velocities, and makes numbers of thousands of digits: a robot's, which is rounded
/// anyway. Free bodies have two entries a row.
bool isMachine(const ImpactProblem& problem) {
  return problem.numVelocities() > 6 && (problem.mass_matrix.array() != 0).count() > 3 * problem.numVelocities();
}

bool hasPolytopes(const ImpactProblem& problem) {
  return problem.numContacts() > 0 && problem.numContacts() <= kMostSearchedContacts && isPlanarAndInelastic(problem);
}

bool hasSpatialPolytopes(const ImpactProblem& problem) {
  return problem.numContacts() > 0 && problem.numContacts() <= kMostSpatialContacts &&
         std::all_of(problem.friction.begin(), problem.friction.end(), [](double mu) { return std::isfinite(mu); }) &&
         std::all_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e == 0; });
}

ImpactOutcome outcomeOf(const ImpactProblem& problem, const ExactProblem& exact, const SetCertificate::Chain& chain,
                        std::string_view note) {
  ImpactOutcome outcome = outcomesAlong(problem, exact, chain).back();
  outcome.note = note;
  return outcome;
}

/// Corners of an exact set, or of what of it was found: those that are extreme in a quantity first.
std::vector<ImpactOutcome> cornersOf(const ImpactProblem& problem, const ExactSet& set, long limit,
                                     std::string_view note) {
  struct Corner {
    const ExactVector* point;
    const std::vector<int>* pieces;
  };
  std::vector<Corner> corners;
  std::set<ExactVector> known;
  for (const ExactSet::Final& final : set.final()) {
    for (const ExactVector& vertex : final.polytope.rays()) {
      if (known.insert(vertex).second) corners.push_back({&vertex, &final.pieces});
    }
  }
  if (corners.empty()) return {};
  std::vector<size_t> order;
  const auto take = [&](size_t k) {
    if (std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
  };
  for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
    const auto less = [&](const Corner& a, const Corner& b) {
      return quantity.at(a.point->point()) < quantity.at(b.point->point());
    };
    const auto [low, high] = std::minmax_element(corners.begin(), corners.end(), less);
    take(static_cast<size_t>(low - corners.begin()));
    take(static_cast<size_t>(high - corners.begin()));
  }
  for (size_t k = 0; k < corners.size(); ++k) take(k);
  std::vector<ImpactOutcome> outcomes;
  const ChainFinder finder(set);
  for (size_t k : order) {
    if (static_cast<long>(outcomes.size()) >= limit) break;
    SetCertificate::Chain chain;
    if (finder.find(*corners[k].point, *corners[k].pieces, chain))
      outcomes.push_back(outcomeOf(problem, set.problem(), chain, note));
  }
  return outcomes;
}

/// The extremes that a short directed search finds, equal ones once.
std::vector<ImpactOutcome> extremesOf(const ImpactProblem& problem, const ExactProblem& exact, long limit,
                                      bool contacts_alone) {
  std::vector<ImpactOutcome> outcomes;
  std::set<std::vector<mpq_class>> known;
  SearchOptions options = kCornerSearch;
  options.contacts_alone = contacts_alone;
  for (const SetCertificate::Chain& chain : searchExtremes(exact, options)) {
    if (static_cast<long>(outcomes.size()) >= limit) break;
    if (known.insert(chain.end).second) outcomes.push_back(outcomeOf(problem, exact, chain, kDirectedExtreme));
  }
  return outcomes;
}

/// The same problem in the metric's coordinates, rounded: its mass matrix is the unit matrix.
ImpactProblem withUnitMass(const ImpactProblem& problem, const KineticMetric& metric) {
  ImpactProblem unit = problem;
  unit.mass_matrix.setIdentity();
  unit.normal = metric.dualCoordinates(problem.normal.transpose()).transpose();
  for (Eigen::MatrixXd& tangent : unit.tangent) tangent = metric.dualCoordinates(tangent.transpose()).transpose();
  unit.velocity = metric.coordinates(problem.velocity);
  return unit;
}

std::vector<ImpactOutcome> planarOutcomes(const ImpactProblem& problem, long limit, bool contacts_alone) {
  if (problem.numContacts() > kMostCornerContacts)
    return extremesOf(problem, ExactProblem(problem), limit, contacts_alone);
  const ExactSet set(problem, {kCornerWork, 2000});
  if (set.complete()) return cornersOf(problem, set, limit, kCorner);
  std::vector<ImpactOutcome> outcomes = extremesOf(problem, set.problem(), limit, contacts_alone);
  const long left = limit - static_cast<long>(outcomes.size());
  for (ImpactOutcome& corner : cornersOf(problem, set, left, kDirectedExtreme)) outcomes.push_back(std::move(corner));
  return outcomes;
}

std::vector<ImpactOutcome> spatialOutcomes(const ImpactProblem& problem, long limit, int cone_edges) {
  ExactFriction polygon;
  polygon.cone_edges = cone_edges;
  const ExactSet set(problem, {kCornerWork, 2000}, polygon);
  return set.complete() ? cornersOf(problem, set, limit, kCorner) : std::vector<ImpactOutcome>();
}

}  // namespace

std::vector<ImpactOutcome> cornerOutcomes(const ImpactProblem& given, long limit, int cone_edges) {
  checkProblem(given);
  ImpactProblem problem = given;
  for (double& e : problem.restitution) e = e <= kNoRestitution ? 0 : e;
  const bool planar = hasPolytopes(problem), spatial = cone_edges > 0 && hasSpatialPolytopes(problem);
  if (limit <= 0 || !(planar || spatial)) return {};
  const auto outcomesOf = [&](const ImpactProblem& of, bool contacts_alone) {
    return planar ? planarOutcomes(of, limit, contacts_alone) : spatialOutcomes(of, limit, cone_edges);
  };
  if (!isMachine(problem)) return outcomesOf(problem, false);
  const KineticMetric metric(problem.mass_matrix);
  std::vector<ImpactOutcome> outcomes = outcomesOf(withUnitMass(problem, metric), true);
  for (ImpactOutcome& outcome : outcomes) outcome.velocity = metric.velocity(outcome.velocity);
  return outcomes;
}

}  // namespace rigor::impact
