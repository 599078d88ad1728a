// SPDX-License-Identifier: MIT
#include "sim/fork.h"

#include <algorithm>
#include <cmath>

#include "impact/kinetic_metric.h"
#include "impact/outcome_set.h"
#include "impact/sampler.h"
#include "sim/archive.h"

namespace rigor::sim {
namespace {

/// A bijection of 64 bits in which every bit depends on every other (finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::string lettersOf(const std::vector<impact::ContactFate>& fates) {
  std::string letters;
  for (const impact::ContactFate fate : fates)
    letters += fate == impact::ContactFate::kSeparates ? 'f' : fate == impact::ContactFate::kSticks ? 't' : 's';
  return letters;
}

}  // namespace

namespace {

/// The same function describes both directions.
template <typename Archive>
void transferChoices(Archive& archive, std::vector<ImpactChoice>& choices) {
  constexpr std::uint64_t kMost = 1u << 24;
  const auto size = [&](auto& list) {
    std::uint64_t count = static_cast<std::uint64_t>(list.size());
    archive(count);
    if (count > kMost) throw std::invalid_argument("the stored choices are damaged");
    list.resize(static_cast<long>(count));
  };
  const auto vector = [&](Eigen::VectorXd& v) {
    size(v);
    for (double& x : v) archive(x);
  };
  size(choices);
  for (ImpactChoice& choice : choices) {
    archive(choice.status);
    vector(choice.velocity);
    size(choice.impulses);
    for (Eigen::VectorXd& impulse : choice.impulses) vector(impulse);
  }
}

}  // namespace

std::vector<unsigned char> packChoices(const std::vector<ImpactChoice>& choices) {
  Packer packer;
  std::vector<ImpactChoice> copy = choices;
  transferChoices(packer, copy);
  return packer.take();
}

std::vector<ImpactChoice> unpackChoices(const std::vector<unsigned char>& bytes) {
  Unpacker unpacker(bytes);
  std::vector<ImpactChoice> choices;
  transferChoices(unpacker, choices);
  if (!unpacker.atEnd()) throw std::invalid_argument("the stored choices are damaged");
  return choices;
}

std::uint64_t childHash(std::uint64_t parent, int depth, int child) {
  if (child == 0) return parent;
  return mix(parent + 0x9e3779b97f4a7c15ull * (static_cast<std::uint64_t>(child) + (static_cast<std::uint64_t>(depth) << 32)));
}

bool ForkFinder::isAmbiguous(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
                             const std::string& model, impact::RandomKey key, const impact::ImpactOutcome& first,
                             double capture_speed, double lightest) {
  if (problem.numContacts() < 2) return false;
  // An impact slower than this changes nothing that is worth a branch; NaN -> no fork, and the run fails as it would.
  if (!((problem.normal * problem.velocity).minCoeff() < -capture_speed)) return false;

  // Column 0 is the outcome of the run without forks.
  const long n = problem.numVelocities();
  Eigen::MatrixXd velocity;
  std::vector<impact::ImpactOutcome> outcomes;  // Deterministic models: all; random ones are drawn again by key.
  impact::SampleSet set;
  const std::unique_ptr<impact::Resolver> resolver = impact::makeResolver(model);
  impact::SamplerOptions sampler;
  sampler.seed = key.seed;
  sampler.path = mix(key.path + 0x9e3779b97f4a7c15ull);
  if (resolver->isRandom()) {
    sampler.samples = options_.samples - 1;
    sampler.threads = 1;  // Branches run side by side.
    set = impact::drawSamples(model, problem, options, sampler);
    velocity.resize(n, 1 + set.velocity.cols());
    velocity << first.velocity, set.velocity;
  } else {
    // Of what was found up to a failure every outcome is one; the first is that of resolve().
    if (resolver->resolveAll(problem, options, outcomes) != impact::ImpactStatus::kResolved || outcomes.empty()) return false;
    outcomes[0] = first;
    velocity.resize(n, static_cast<long>(outcomes.size()));
    for (size_t k = 0; k < outcomes.size(); ++k) velocity.col(static_cast<long>(k)) = outcomes[k].velocity;
  }
  if (velocity.cols() < 2) return false;

  // |v|_M = |U v|: kinetic distances are Euclid's of these.
  const impact::KineticMetric metric(problem.mass_matrix);
  const Eigen::MatrixXd x = metric.coordinates(velocity);
  const Eigen::VectorXd before = metric.coordinates(problem.velocity);
  const double speed = before.norm(), change = (x.colwise() - before).colwise().norm().maxCoeff();
  const double tolerance = std::max(options_.tolerance * change, capture_speed * std::sqrt(lightest));
  const auto distinct = impact::mergeOutcomes(problem, velocity, tolerance / (speed > 0 ? speed : 1));
  if (distinct.size() < 2) return false;

  fork_.problem = problem;
  fork_.options = options;
  fork_.sample_key = {sampler.seed, sampler.path};
  fork_.drawn = velocity.cols();
  fork_.before = taken_;
  fork_.alternatives.clear();
  for (const impact::DistinctOutcome& d : distinct) {
    impact::ImpactOutcome outcome;
    if (d.representative == 0) {
      outcome = first;
    } else if (!resolver->isRandom()) {
      outcome = outcomes[d.representative];
    } else {
      const auto sample = static_cast<std::uint64_t>(set.index[d.representative - 1]);
      if (resolver->resolve(problem, options, {sampler.seed, sampler.path + sample}, outcome) != impact::ImpactStatus::kResolved)
        return false;  // It resolved when it was drawn.
    }
    double nearest = HUGE_VAL;
    for (const impact::DistinctOutcome& other : distinct) {
      if (&other == &d) break;
      nearest = std::min(nearest, (x.col(d.representative) - x.col(other.representative)).norm());
    }
    Alternative& alternative = fork_.alternatives.emplace_back();
    alternative.outcome = {impact::ImpactStatus::kResolved, std::move(outcome.velocity), std::move(outcome.impulses)};
    alternative.count = d.count, alternative.weight = d.weight;
    alternative.novelty = nearest / std::sqrt(scene_mass_);
    alternative.fates = lettersOf(d.fates);
  }
  // The first is as different from the second as that from it.
  fork_.alternatives[0].novelty = fork_.alternatives[1].novelty;
  return true;
}

}  // namespace rigor::sim
