// SPDX-License-Identifier: MIT
#include "sim/fork.h"

#include <algorithm>
#include <cmath>

#include "impact/model_registry.h"
#include "impact/problem/kinetic_metric.h"
#include "impact/samples/outcome_set.h"
#include "impact/samples/sampler.h"
#include "impact/sets/corner_outcomes.h"
#include "sim/archive.h"

namespace rigor::sim {
namespace {

// Draws that say whether an impact is ambiguous, before all are made.
constexpr long kPilotSamples = 100;
// One in so many samples has lasting rates.
constexpr long kLastingShare = 4;
// Vertices of an exact set that are looked at, and extremes of a fork beside the medoids.
constexpr long kMostCorners = 64;
constexpr std::size_t kMostExtremes = 6;

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
  return mix(parent +
             0x9e3779b97f4a7c15ull * (static_cast<std::uint64_t>(child) + (static_cast<std::uint64_t>(depth) << 32)));
}

/// Outcomes of the impact at hand, a column each: the run's own, those by the model's law, extremes.
struct ForkFinder::Draws {
  std::string model;
  std::unique_ptr<impact::Resolver> resolver;
  impact::SamplerOptions sampler, lasting;   // Of the draws by the model's law, of those with lasting rates.
  Eigen::MatrixXd velocity, x;               // x: coordinates in which kinetic distances are Euclid's.
  std::vector<impact::ImpactOutcome> known;  // By column; without impulses where it is drawn again by its key.
  std::vector<impact::RandomKey> keys;       // Of the columns that are.
  long by_law = 0;                           // Columns of the run's own and the model's law.

  void add(const impact::SampleSet& set, const impact::SamplerOptions& options) {
    for (long k = 0; k < set.velocity.cols(); ++k) {
      known.push_back({set.velocity.col(k), {}, 0, 0, {}});
      keys.push_back({options.seed, options.path + static_cast<std::uint64_t>(set.index[static_cast<size_t>(k)])});
    }
  }
  void add(const impact::ImpactOutcome& outcome) { known.push_back(outcome), keys.push_back({}); }
  /// With impulses. @returns false where it cannot be had again.
  bool complete(long column, const impact::ImpactProblem& problem, const impact::ImpactOptions& options) {
    impact::ImpactOutcome& outcome = known[static_cast<size_t>(column)];
    if (!outcome.impulses.empty()) return true;
    resolver->mixRates(column >= by_law);
    return resolver->resolve(problem, options, keys[static_cast<size_t>(column)], outcome) ==
           impact::ImpactStatus::kResolved;
  }
};

/// @returns false if the model has one outcome, or none.
bool ForkFinder::draw(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
                      const impact::ImpactOutcome& first, Draws& draws) {
  draws.known.clear(), draws.keys.clear();
  draws.add(first);
  if (draws.resolver->isRandom()) {
    draws.add(impact::drawSamples(draws.model, problem, options, draws.sampler), draws.sampler);
  } else {
    // Of what was found up to a failure every outcome is one; the first is that of resolve().
    std::vector<impact::ImpactOutcome> outcomes;
    if (draws.resolver->resolveAll(problem, options, outcomes) != impact::ImpactStatus::kResolved) return false;
    for (size_t k = 1; k < outcomes.size(); ++k) draws.add(outcomes[k]);
  }
  draws.by_law = static_cast<long>(draws.known.size());
  return draws.by_law > 1;
}

void ForkFinder::drawExtremes(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
                              Draws& draws) {
  const auto& e = problem.restitution;
  if (!impact::findModel(draws.model)->draws_the_set) return;
  if (std::any_of(e.begin(), e.end(), [](double one) { return one != 0; })) return;
  const std::vector<impact::ImpactOutcome> corners = impact::cornerOutcomes(problem, kMostCorners);
  for (const impact::ImpactOutcome& corner : corners) draws.add(corner);
  if (corners.empty()) draws.add(impact::drawSamples(draws.model, problem, options, draws.lasting), draws.lasting);
}

bool ForkFinder::isAmbiguous(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
                             const std::string& model, impact::RandomKey key, const impact::ImpactOutcome& first,
                             double capture_speed, double lightest) {
  if (problem.numContacts() < 2) return false;
  // An impact slower than this changes nothing that is worth a branch; NaN -> no fork, and the run fails as it would.
  if (!((problem.normal * problem.velocity).minCoeff() < -capture_speed)) return false;

  Draws draws;
  draws.model = model;
  draws.resolver = impact::makeResolver(model);
  draws.sampler.seed = draws.lasting.seed = key.seed;
  draws.sampler.path = mix(key.path + 0x9e3779b97f4a7c15ull);
  draws.lasting.path = mix(draws.sampler.path);
  draws.sampler.threads = draws.lasting.threads = 1;  // Branches run side by side.
  draws.sampler.gives_up = draws.lasting.gives_up = options_.gives_up;
  draws.lasting.mixed_rates = true;
  draws.lasting.samples = options_.samples / kLastingShare;

  const impact::KineticMetric metric(problem.mass_matrix);
  const Eigen::VectorXd before = metric.coordinates(problem.velocity);
  double tolerance = 0;
  const auto isOne = [&] {
    draws.velocity.resize(problem.numVelocities(), static_cast<long>(draws.known.size()));
    for (size_t k = 0; k < draws.known.size(); ++k) draws.velocity.col(static_cast<long>(k)) = draws.known[k].velocity;
    draws.x = metric.coordinates(draws.velocity);
    const double change = (draws.x.colwise() - before).colwise().norm().maxCoeff();
    tolerance = std::max(options_.tolerance * change, capture_speed * std::sqrt(lightest));
    return !((draws.x.colwise() - draws.x.col(0)).colwise().norm().maxCoeff() > tolerance);
  };
  // A part of the draws says whether more are needed.
  const long by_law = options_.samples - draws.lasting.samples - 1;
  for (const long samples : {std::min(by_law, kPilotSamples), by_law}) {
    draws.sampler.samples = samples;
    if (samples == by_law && samples == static_cast<long>(draws.known.size()) - 1) continue;
    if (!draw(problem, options, first, draws) || isOne()) return false;
    if (!draws.resolver->isRandom()) break;
  }
  drawExtremes(problem, options, draws);
  if (isOne()) return false;
  fork_.sample_key = {draws.sampler.seed, draws.sampler.path};
  return describe(problem, options, tolerance, draws);
}

bool ForkFinder::describe(const impact::ImpactProblem& problem, const impact::ImpactOptions& options, double tolerance,
                          Draws& draws) {
  const Eigen::MatrixXd& x = draws.x;
  const double speed = impact::KineticMetric(problem.mass_matrix).coordinates(problem.velocity).norm();
  std::vector<impact::DistinctOutcome> distinct =
      impact::mergeIntoMedoids(problem, draws.velocity.leftCols(draws.by_law), tolerance / (speed > 0 ? speed : 1));
  const size_t medoids = distinct.size();
  std::vector<double> distance(static_cast<size_t>(x.cols()), HUGE_VAL);
  const auto nearer = [&](long column, long to) {
    double& known = distance[static_cast<size_t>(column)];
    known = std::min(known, (x.col(column) - x.col(to)).norm());
  };
  for (long k = draws.by_law; k < x.cols(); ++k) {
    for (const impact::DistinctOutcome& d : distinct) nearer(k, d.representative);
  }
  while (distinct.size() < medoids + kMostExtremes && x.cols() > draws.by_law) {
    const auto farthest = std::max_element(distance.begin() + draws.by_law, distance.end());
    if (!(*farthest > tolerance)) break;
    impact::DistinctOutcome& extreme = distinct.emplace_back();
    extreme.representative = static_cast<int>(farthest - distance.begin());
    extreme.velocity = draws.velocity.col(extreme.representative);
    impact::findFates(problem, extreme.velocity, impact::kFateTolerance, extreme.fates);
    for (long k = draws.by_law; k < x.cols(); ++k) nearer(k, extreme.representative);
    *farthest = 0;
  }
  if (distinct.size() < 2) return false;

  fork_.problem = problem;
  fork_.options = options;
  fork_.drawn = x.cols();
  fork_.before = taken_;
  fork_.alternatives.clear();
  for (size_t number = 0; number < distinct.size(); ++number) {
    const impact::DistinctOutcome& d = distinct[number];
    if (!draws.complete(d.representative, problem, options)) return false;  // It resolved when it was drawn.
    Alternative& alternative = fork_.alternatives.emplace_back();
    double nearest = HUGE_VAL;
    for (size_t k = 0; k < number; ++k) {
      const double here = (x.col(d.representative) - x.col(distinct[k].representative)).norm();
      if (k < medoids) alternative.distances.push_back(here / std::sqrt(scene_mass_));
      if (!(here < nearest)) continue;
      nearest = here;
      if (k < medoids) alternative.nearest = static_cast<int>(k);
    }
    impact::ImpactOutcome& outcome = draws.known[static_cast<size_t>(d.representative)];
    alternative.outcome = {impact::ImpactStatus::kResolved, std::move(outcome.velocity), std::move(outcome.impulses)};
    alternative.count = d.count, alternative.weight = d.weight;
    alternative.extreme = number >= medoids;
    alternative.novelty = nearest / std::sqrt(scene_mass_);
    alternative.fates = lettersOf(d.fates);
  }
  // The first is as different from the second as that from it.
  fork_.alternatives[0].novelty = fork_.alternatives[1].novelty;
  return true;
}

}  // namespace rigor::sim
