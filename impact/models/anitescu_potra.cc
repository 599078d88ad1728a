// SPDX-License-Identifier: MIT
#include "impact/models/anitescu_potra.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "impact/lcp/contact_modes.h"
#include "impact/models/entries.h"
#include "impact/models/shared_options.h"
#include "impact/random_stream.h"
#include "impact/samples/outcome_set.h"

namespace rigor::impact {
namespace {

// Random starts of Lemke's method where modes cannot settle the question.
constexpr int kRandomStarts = 1000;

}  // namespace

bool AnitescuPotra::finish(const ImpactProblem& problem, const ImpactOptions& options, double least,
                           ImpactOutcome& outcome) {
  if (lcp_.settle(lemke_, least) != LcpStatus::kSolved) return false;
  if (!finishImpact(lcp_, lemke_, problem, options, approach_, given_, least)) return false;
  lcp_.publish(outcome);
  return true;
}

ImpactStatus AnitescuPotra::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey,
                                    ImpactOutcome& outcome) {
  lcp_.prepare(problem, options.cone_edges);
  const int m = lcp_.numContacts();
  approach_.resize(m);
  for (int i = 0; i < m; ++i) approach_[i] = lcp_.normalVelocity(i);
  const double least = -options.tolerance * lcp_.velocityScale();
  outcome.note = {};
  if (m == 0 || lcp_.smallestNormalVelocity() >= least) {
    lcp_.publish(outcome);
    return ImpactStatus::kResolved;
  }
  if (lcp_.solveImpact(lemke_, nullptr) != LcpStatus::kSolved) return ImpactStatus::kFailed;
  return finish(problem, options, least, outcome) ? ImpactStatus::kResolved : ImpactStatus::kFailed;
}

ImpactStatus AnitescuPotra::resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                       std::vector<ImpactOutcome>& outcomes) {
  outcomes.assign(1, {});
  const ImpactStatus status = resolve(problem, options, {}, outcomes[0]);
  if (status != ImpactStatus::kResolved || outcomes[0].lcps == 0) return status;
  // Without friction the velocity is that of a convex program: unique.
  if (std::none_of(problem.friction.begin(), problem.friction.end(), [](double mu) { return mu > 0; })) return status;

  const double least = -options.tolerance * lcp_.velocityScale();
  std::vector<bool> never_slides(problem.friction.size());
  for (size_t i = 0; i < never_slides.size(); ++i) never_slides[i] = std::isinf(problem.friction[i]);
  // Velocities after compression that were finished already: many modes, and most starts, lead to one of few.
  std::vector<Eigen::VectorXd> seen;
  const auto take = [&] {
    for (const Eigen::VectorXd& v : seen) {
      if (kineticDistance(problem, v, lcp_.velocity()) <= kSameOutcome) return;
    }
    seen.push_back(lcp_.velocity());
    ImpactOutcome outcome;
    if (!finish(problem, options, least, outcome)) return;
    for (const ImpactOutcome& known : outcomes) {
      if (kineticDistance(problem, known.velocity, outcome.velocity) <= kSameOutcome) return;
    }
    outcomes.push_back(std::move(outcome));
  };

  lcp_.prepare(problem, options.cone_edges);
  const ContactLcp start = lcp_;
  const ModeSearch search = findModeSolutions(start, lemke_, never_slides, [&](const Eigen::VectorXd& impulse) {
    lcp_ = start;
    if (lcp_.acceptImpact(impulse) == LcpStatus::kSolved) take();
  });
  if (search.complete) return status;
  RandomStream random({0, 0});
  std::vector<double> covering(static_cast<size_t>(start.numImpactUnknowns()));
  for (int k = 0; k < kRandomStarts; ++k) {
    // Over three decades: a start close to a face of the orthant leads to other solutions than one in its middle.
    for (double& c : covering) c = elementary::exp2(-10 * random.uniform());
    lcp_ = start;
    if (lcp_.solveImpact(lemke_, nullptr, covering.data()) == LcpStatus::kSolved) take();
  }
  const std::string_view note =
      search.tried
          ? "a contact mode leaves the velocity open: there may be further solutions"
          : "too many contacts to try every mode: further solutions are possible, 1000 random starts found these";
  for (ImpactOutcome& outcome : outcomes) outcome.note = note;
  return status;
}

Model anitescuPotraEntry() {
  return {.name = "anitescu-potra", .gives = "every solution of the LCP with another velocity",
          .make = [] { return std::make_unique<AnitescuPotra>(); },
          .options = {coneEdgesOption(), toleranceOption(), captureSpeedOption()}};
}

}  // namespace rigor::impact
