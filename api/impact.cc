// SPDX-License-Identifier: MIT
#include "rigor/impact.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/input_errors.h"
#include "impact/resolver.h"
#include "impact/samples/sampler.h"
#include "scenes/problem_loader.h"

namespace rigor {
namespace {

Matrix rowsOf(const Eigen::MatrixXd& columns) {
  // Column-major columns are row-major rows.
  return {columns.cols(), columns.rows(), {columns.data(), columns.data() + columns.size()}};
}

void drawSet(const scenes::LoadedProblem& file, const ImpactSetOptions& options, const Watch& watch, ImpactSet& set) {
  impact::SamplerOptions sampler;
  sampler.samples = options.samples, sampler.seed = options.seed, sampler.threads = options.threads;
  sampler.corners = true, sampler.mixed_rates = true;  // Where the step is no impulse; else the published algorithm.
  const impact::SampleSet samples =
      impact::drawSamples(options.model, file.problem, file.options, sampler, [&](long drawn) {
        if (watch.progress) watch.progress(static_cast<double>(drawn), static_cast<double>(options.samples));
        return !(watch.interrupt && *watch.interrupt);
      });
  if (watch.interrupt && *watch.interrupt) throw InterruptedError();
  set.velocity = rowsOf(samples.velocity);
  set.normal_velocity = rowsOf(file.problem.normal * samples.velocity);
  set.lcps = samples.lcps;
  set.drawn = samples.drawn, set.unfinished = samples.unfinished, set.failed = samples.failed;
  set.worst_residual = samples.worst_residual, set.worst_energy_increase = samples.worst_energy_increase;
}

void resolve(impact::Resolver& resolver, const scenes::LoadedProblem& file, ImpactSet& set) {
  std::vector<impact::ImpactOutcome> outcomes;
  const impact::ImpactStatus status = resolver.resolveAll(file.problem, file.options, outcomes);
  set.drawn = std::max<long>(1, static_cast<long>(outcomes.size()));
  if (status == impact::ImpactStatus::kFailed) set.failed = 1;
  if (status == impact::ImpactStatus::kUnfinished) set.unfinished = 1;
  if (status != impact::ImpactStatus::kResolved) return;  // What was found up to there is no answer.
  Eigen::MatrixXd velocity(file.problem.numVelocities(), static_cast<long>(outcomes.size()));
  const double before = file.problem.velocity.dot(file.problem.mass_matrix * file.problem.velocity);
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const impact::ImpactOutcome& outcome = outcomes[k];
    velocity.col(static_cast<long>(k)) = outcome.velocity;
    set.lcps.push_back(outcome.lcps);
    set.worst_residual = std::max(set.worst_residual, outcome.residual);
    const double gain = before > 0 ? outcome.velocity.dot(file.problem.mass_matrix * outcome.velocity) / before - 1 : 0;
    set.worst_energy_increase = k == 0 ? gain : std::max(set.worst_energy_increase, gain);
    auto& impulses = set.impulses.emplace_back();
    for (const Eigen::VectorXd& impulse : outcome.impulses)
      impulses.emplace_back(impulse.data(), impulse.data() + impulse.size());
  }
  set.velocity = rowsOf(velocity);
  set.normal_velocity = rowsOf(file.problem.normal * velocity);
}

ImpactSet impactSetOf(const scenes::LoadedProblem& file, const ImpactSetOptions& options, const Watch& watch) {
  const std::unique_ptr<impact::Resolver> resolver = impact::makeResolver(options.model);
  if (!resolver)
    throw InputError(fmt::format("model '{}'; allowed: {}", options.model, fmt::join(impactModels(), ", ")));
  if (options.samples < 1) throw InputError(fmt::format("samples is {}; allowed: 1 or more", options.samples));
  ImpactSet set;
  set.model = options.model, set.random = resolver->isRandom();
  try {
    if (set.random) drawSet(file, options, watch, set);
    else resolve(*resolver, file, set);
  } catch (const std::invalid_argument& error) {
    throw inputErrorOf(file.located(error));
  }
  return set;
}

}  // namespace

ImpactSet impactSet(const std::string& problem, const std::string& path, const ImpactSetOptions& options,
                    const Watch& watch) {
  return withUserErrors([&] { return impactSetOf(scenes::parseProblem(problem, path), options, watch); });
}

ImpactSet impactSetOfFile(const std::string& path, const ImpactSetOptions& options, const Watch& watch) {
  return withUserErrors([&] { return impactSetOf(scenes::loadProblem(path), options, watch); });
}

std::vector<std::string> impactModels() {
  std::vector<std::string> names;
  for (const std::string_view name : impact::resolverNames()) names.emplace_back(name);
  return names;
}

}  // namespace rigor
