// SPDX-License-Identifier: MIT
#include "impact/samples/sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "impact/model_registry.h"
#include "impact/models/routh.h"
#include "impact/samples/coverage.h"
#include "impact/sets/corner_outcomes.h"
#include "impact/workers.h"

namespace rigor::impact {
namespace {

using Clock = std::chrono::steady_clock;

// Rounds grow until one takes about this long; progress is reported between them.
constexpr auto kRoundTime = std::chrono::milliseconds(50);
constexpr long kFirstRound = 256, kLongestRound = 65536;
constexpr long kGrain = 16;  // samples a task

/// What a worker needs of its own.
struct Workplace {
  std::unique_ptr<Resolver> resolver;
  ImpactOutcome outcome;
  Eigen::VectorXd momentum;
};

struct Sample {
  ImpactStatus status = ImpactStatus::kFailed;
  int lcps = 0;
  bool ended_small = false, restitution_cut = false, returned_together = false;
  double residual = 0, energy_increase = 0, normal_velocity = 0;
};

double energyOf(const ImpactProblem& problem, const Eigen::VectorXd& v, Eigen::VectorXd& momentum) {
  momentum.noalias() = problem.mass_matrix * v;
  return 0.5 * v.dot(momentum);
}

void addCorner(const ImpactProblem& problem, const ImpactOutcome& corner, double energy_before,
               Eigen::VectorXd& momentum, SampleSet& set) {
  set.index.push_back(-1 - static_cast<long>(set.index.size()));
  set.lcps.push_back(0);
  ++set.drawn;
  const double energy = energyOf(problem, corner.velocity, momentum);
  set.worst_energy_increase =
      std::max(set.worst_energy_increase, energy_before > 0 ? energy / energy_before - 1 : energy);
  set.min_normal_velocity = std::min(set.min_normal_velocity, (problem.normal * corner.velocity).minCoeff());
}

/// What is kept of own.outcome, beside its velocity.
void describeOutcome(const ImpactProblem& problem, double energy_before, Workplace& own, Sample& sample) {
  const Eigen::VectorXd& v = own.outcome.velocity;
  sample.lcps = own.outcome.lcps;
  const std::string_view note = own.outcome.note;
  sample.ended_small = note == kSmallLastStep;
  sample.restitution_cut = note == kRestitutionCut || note == kRestitutionHeld;
  sample.returned_together = note == kReturnedTogether;
  sample.residual = own.outcome.residual;
  const double energy = energyOf(problem, v, own.momentum);
  sample.energy_increase = energy_before > 0 ? energy / energy_before - 1 : energy;
  sample.normal_velocity = HUGE_VAL;
  for (int i = 0; i < problem.numContacts(); ++i) {
    sample.normal_velocity = std::min(sample.normal_velocity, problem.normal.row(i).dot(v));
  }
}

/// Counts a sample that was drawn; @returns whether it ended with an outcome.
bool addSample(const Sample& sample, SampleSet& set) {
  ++set.drawn;
  set.unfinished += sample.status == ImpactStatus::kUnfinished;
  set.failed += sample.status == ImpactStatus::kFailed;
  if (sample.status != ImpactStatus::kResolved) return false;
  set.lcps.push_back(sample.lcps);
  set.ended_small += sample.ended_small;
  set.restitution_cut += sample.restitution_cut;
  set.returned_together += sample.returned_together;
  set.worst_residual = std::max(set.worst_residual, sample.residual);
  set.worst_energy_increase = std::max(set.worst_energy_increase, sample.energy_increase);
  set.min_normal_velocity = std::min(set.min_normal_velocity, sample.normal_velocity);
  return true;
}

}  // namespace

SampleSet drawSamples(const std::string& name, const ImpactProblem& problem, const ImpactOptions& options,
                      const SamplerOptions& sampler, const std::function<bool(long)>& progress) {
  if (sampler.samples < 0) throw std::invalid_argument("samples must not be negative");
  if (sampler.threads < 0) throw std::invalid_argument("threads must not be negative");
  if (!(sampler.coverage >= 0)) throw std::invalid_argument("coverage must not be negative");
  const auto make = [&] {
    std::unique_ptr<Resolver> resolver = makeResolver(name);
    if (resolver) resolver->mixRates(sampler.mixed_rates);
    return resolver;
  };
  Workplace first{make(), {}, {}};
  if (!first.resolver) throw std::invalid_argument("no impact model is named " + name);
  // Throws here, not in a thread, where the problem is malformed.
  (void)first.resolver->resolve(problem, options, {sampler.seed, sampler.path}, first.outcome);
  std::optional<CoverageRule> rule;
  if (sampler.coverage > 0) rule.emplace(problem, sampler.coverage, sampler.confidence, sampler.coverage_risk);

  const int n = problem.numVelocities();
  const double energy_before = energyOf(problem, problem.velocity, first.momentum);
  Workers workers(sampler.threads);
  std::vector<Workplace> workplaces(workers.size());
  workplaces[0] = std::move(first);
  SampleSet set;
  set.worst_energy_increase = -1, set.min_normal_velocity = HUGE_VAL;
  Eigen::MatrixXd velocity;
  std::vector<Sample> round;
  if (sampler.corners && findModel(name)->draws_the_set)
    set.corners = cornerOutcomes(problem, sampler.samples / 4, options.smooth_cone ? 0 : options.cone_edges);
  const long corners = static_cast<long>(set.corners.size());
  long size = kFirstRound, finished = corners;
  set.velocity.resize(n, corners);
  for (long k = 0; k < corners; ++k) {
    set.velocity.col(k) = set.corners[k].velocity;
    addCorner(problem, set.corners[k], energy_before, workplaces[0].momentum, set);
  }
  bool stopped = false;

  while (set.drawn < sampler.samples && !stopped) {
    const auto start = Clock::now();
    const long begin = set.drawn - corners, count = std::min(size, sampler.samples - set.drawn);
    velocity.resize(n, count);
    round.assign(count, {});
    workers.run(count, kGrain, [&](long from, long to, int number) {
      Workplace& own = workplaces[number];
      if (!own.resolver) own.resolver = make();
      for (long k = from; k < to; ++k) {
        if (sampler.gives_up && sampler.gives_up()) throw GivenUp{};
        Sample& sample = round[k];
        const RandomKey key{sampler.seed, sampler.path + static_cast<std::uint64_t>(begin + k)};
        sample.status = own.resolver->resolve(problem, options, key, own.outcome);
        if (sample.status != ImpactStatus::kResolved) continue;
        velocity.col(k) = own.outcome.velocity;
        describeOutcome(problem, energy_before, own, sample);
      }
    });

    // In the order of the keys, so that nothing depends on the threads.
    if (set.velocity.cols() < finished + count) {
      const long columns = rule || sampler.samples > 2 * (finished + count) ? 2 * (finished + count) : sampler.samples;
      set.velocity.conservativeResize(n, columns);
    }
    for (long k = 0; k < count && !stopped; ++k) {
      if (!addSample(round[k], set)) continue;
      set.velocity.col(finished++) = velocity.col(k);
      set.index.push_back(begin + k);
      stopped = rule && rule->add(velocity.col(k));
    }
    if (progress && !progress(set.drawn)) break;
    const auto used = Clock::now() - start;
    if (2 * used < kRoundTime) size = std::min(2 * size, kLongestRound);
    if (used > 2 * kRoundTime) size = std::max(size / 2, kGrain);
  }
  set.velocity.conservativeResize(n, finished);
  if (finished == 0) set.worst_energy_increase = set.min_normal_velocity = 0;
  if (rule) {
    set.covered = rule->finish();
    set.coverage_probability = rule->lowerLimit();
  }
  return set;
}

}  // namespace rigor::impact
