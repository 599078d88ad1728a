// SPDX-License-Identifier: MIT
#include "impact/routh.h"

#include "impact/random_stream.h"

namespace rigor::impact {
namespace {

// h in units of the stopping impulse for step = 1; step = 0.3 then resembles the published runs of order-one problems.
constexpr double kStoppingImpulses = 4;
// Wedged contacts need impulses far above those that stop each alone: a relative h doubles as often as this.
constexpr int kStepsPerDoubling = 20;

}  // namespace

ImpactStatus Routh::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                            ImpactOutcome& outcome) {
  lcp_.prepare(problem, options.cone_edges);
  const int m = lcp_.numContacts();
  approach_.resize(m);
  for (int i = 0; i < m; ++i) approach_[i] = lcp_.normalVelocity(i);
  const double least = -options.tolerance * lcp_.velocityScale();
  if (m == 0 || lcp_.smallestNormalVelocity() >= least) {
    lcp_.publish(outcome);
    return ImpactStatus::kResolved;
  }
  double h = options.step_is_impulse ? options.step : options.step * kStoppingImpulses * lcp_.stoppingImpulse();
  if (!(h > 0)) return ImpactStatus::kFailed;
  RandomStream random(key);
  limit_.resize(m);
  covering_.resize(lcp_.numRouthUnknowns());
  bool finished = false;
  double energy = lcp_.energyBefore();
  for (int step = 0; step < options.max_steps && !finished; ++step) {
    if (!options.step_is_impulse && step > 0 && step % kStepsPerDoubling == 0) h *= 2;
    for (double& limit : limit_) limit = h * random.uniform();
    for (double& c : covering_) c = 0.1 + random.uniform();
    if (lcp_.solveRouthStep(lemke_, limit_.data(), covering_.data()) != LcpStatus::kSolved) {
      return ImpactStatus::kFailed;
    }
    const double after = lcp_.energy();
    if (!(after <= energy + kImpactEnergyRounding * lcp_.energyBefore())) return ImpactStatus::kFailed;
    energy = after;
    finished = lcp_.smallestNormalVelocity() >= least;
  }
  if (!finished) {
    lcp_.publish(outcome);
    return ImpactStatus::kUnfinished;
  }
  if (!finishImpact(lcp_, lemke_, problem, options, approach_, given_, least)) return ImpactStatus::kFailed;
  lcp_.publish(outcome);
  return ImpactStatus::kResolved;
}

}  // namespace rigor::impact
