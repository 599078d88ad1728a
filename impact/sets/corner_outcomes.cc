// SPDX-License-Identifier: MIT
#include "impact/sets/corner_outcomes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "impact/problem_check.h"
#include "impact/sets/certify.h"

namespace rigor::impact {
namespace {

// Work that an exact set may take here, and contacts beyond which it is not tried.
constexpr std::int64_t kCornerWork = 3'000'000;
constexpr int kMostCornerContacts = 4;

bool isExactlySolvable(const ImpactProblem& problem) {
  if (problem.numContacts() == 0 || problem.numContacts() > kMostCornerContacts) return false;
  for (int i = 0; i < problem.numContacts(); ++i) {
    const double mu = problem.friction[static_cast<size_t>(i)];
    if (!std::isfinite(mu) || (mu > 0 && problem.tangent[static_cast<size_t>(i)].rows() != 1)) return false;
  }
  return std::all_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e == 0; });
}

ImpactOutcome outcomeOf(const ImpactProblem& problem, const ExactProblem& exact, const SetCertificate::Chain& chain) {
  ImpactOutcome outcome;
  outcome.velocity.resize(problem.numVelocities());
  for (int i = 0; i < problem.numVelocities(); ++i) {
    const auto row = static_cast<size_t>(i);
    outcome.velocity[i] = ExactQuantity{{}, exact.velocityOffset()[row], exact.velocityMap()[row]}.at(chain.end).get_d();
  }
  for (int i = 0; i < problem.numContacts(); ++i) {
    outcome.impulses.push_back(Eigen::VectorXd::Zero(exact.tangentRow(i) < 0 ? 1 : 2));
  }
  for (const SetCertificate::Segment& segment : chain.segments) {
    for (const SetCertificate::Force& force : segment.forces) {
      Eigen::VectorXd& impulse = outcome.impulses[static_cast<size_t>(force.contact)];
      impulse[0] += force.weight.get_d();
      if (force.slip != 0) impulse[1] += force.slip * force.weight.get_d() * problem.friction[static_cast<size_t>(force.contact)];
    }
  }
  outcome.note = kCorner;
  return outcome;
}

}  // namespace

std::vector<ImpactOutcome> cornerOutcomes(const ImpactProblem& problem, long limit) {
  checkProblem(problem);
  if (limit <= 0 || !isExactlySolvable(problem)) return {};
  const ExactSet set(problem, {kCornerWork, 2000});
  if (!set.complete()) return {};
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
  std::vector<size_t> order;
  const auto take = [&](size_t k) {
    if (std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
  };
  for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
    const auto less = [&](const Corner& a, const Corner& b) { return quantity.at(a.point->point()) < quantity.at(b.point->point()); };
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
    if (finder.find(*corners[k].point, *corners[k].pieces, chain)) outcomes.push_back(outcomeOf(problem, set.problem(), chain));
  }
  return outcomes;
}

}  // namespace rigor::impact
