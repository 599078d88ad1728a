// SPDX-License-Identifier: MIT
#include "impact/sets/chain_outcome.h"

#include <algorithm>
#include <cmath>

#include "impact/sets/polytope_union.h"

namespace rigor::impact {
namespace {

constexpr double kMostSnapped = 1e-6;  // Of the largest velocity.

/// Adds what a force gives its contact.
void addImpulse(const ImpactProblem& problem, const ExactProblem& exact, const SetCertificate::Force& force,
                Eigen::VectorXd& impulse) {
  const double weight = force.weight.get_d(), limit = weight * problem.friction[static_cast<size_t>(force.contact)];
  impulse[0] += weight;
  if (force.slip == 0) return;
  if (problem.tangent[static_cast<size_t>(force.contact)].rows() == 1) {
    impulse[1] += force.slip * limit;
    return;
  }
  const auto corner = frictionPolygon(exact.toldApart().cone_edges)[static_cast<size_t>(force.slip - 1)];
  impulse[1] += corner.first.get_d() * limit;
  impulse[2] += corner.second.get_d() * limit;
}

/// Offsets of velocities to their map. At the start coordinates that nearly vanish do (kSnappedSpeed). Rows that depend
/// on each other but for rounding would make large velocities of that: there it is left out.
std::vector<mpq_class> offsetsOf(const ImpactProblem& problem, const ExactProblem& exact) {
  std::vector<mpq_class> offsets = exact.velocityOffset();
  double largest = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const mpq_class before = ExactQuantity{{}, offsets[i], exact.velocityMap()[i]}.at(exact.start()),
                    snapped = before - mpq_class(problem.velocity[static_cast<Eigen::Index>(i)]);
    largest = std::max(largest, std::abs(snapped.get_d()));
    offsets[i] -= snapped;
  }
  return largest > kMostSnapped * problem.velocity.lpNorm<Eigen::Infinity>() ? offsets : exact.velocityOffset();
}

/// Velocities at a point of coordinates.
Eigen::VectorXd velocityAt(const ExactProblem& exact, const std::vector<mpq_class>& offsets,
                           const std::vector<mpq_class>& point) {
  Eigen::VectorXd velocity(static_cast<Eigen::Index>(offsets.size()));
  for (size_t i = 0; i < offsets.size(); ++i)
    velocity[static_cast<Eigen::Index>(i)] = ExactQuantity{{}, offsets[i], exact.velocityMap()[i]}.at(point).get_d();
  return velocity;
}

}  // namespace

std::vector<ImpactOutcome> outcomesAlong(const ImpactProblem& problem, const ExactProblem& exact,
                                         const SetCertificate::Chain& chain) {
  ImpactOutcome now;
  for (int i = 0; i < problem.numContacts(); ++i)
    now.impulses.push_back(Eigen::VectorXd::Zero(1 + problem.tangent[static_cast<size_t>(i)].rows()));
  const std::vector<mpq_class> offsets = offsetsOf(problem, exact);
  std::vector<mpq_class> point = exact.start();
  std::vector<ImpactOutcome> outcomes;
  for (const SetCertificate::Segment& segment : chain.segments) {
    bool pushes = false;
    for (const SetCertificate::Force& force : segment.forces) {
      pushes = pushes || sgn(force.weight) > 0;
      addImpulse(problem, exact, force, now.impulses[static_cast<size_t>(force.contact)]);
      const std::vector<ExactForce>& forces = exact.forces(force.contact);
      const auto of = std::find_if(forces.begin(), forces.end(),
                                   [&](const ExactForce& candidate) { return candidate.slip == force.slip; });
      for (size_t k = 0; k < point.size(); ++k) point[k] += force.weight * of->effect[k];
    }
    now.velocity = velocityAt(exact, offsets, point);
    if (pushes) outcomes.push_back(now);
  }
  now.velocity = velocityAt(exact, offsets, chain.end);
  if (outcomes.empty()) outcomes.push_back(now);
  else outcomes.back() = now;  // A limit of motions ends where it says.
  return outcomes;
}

}  // namespace rigor::impact
