// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "impact/resolver.h"

namespace rigor::impact {

/// How many samples of a random model are drawn.
struct SamplerOptions {
  long samples = 1000;       ///< Most that are drawn.
  std::uint64_t seed = 0;    ///< Sample k uses the key {seed, path + k}.
  std::uint64_t path = 0;
  int threads = 0;           ///< 0: all cores. Does not change the result.
  double coverage = 0;       ///< > 0: stop once a fresh outcome lies within this of a known one with probability
  double confidence = 0.95;  ///< `confidence`; a distance in the kinetic metric, relative to |v-| there [-]. The rule
  bool corners =
      false;  ///< Of a model that draws the set: its corners, or extremes of a search, come first (cornerOutcomes()).
  bool mixed_rates = false;  ///< See Resolver::mixRates().
  double coverage_risk = 0.05;  ///< stops too early in at most this share of runs (statistics: coverage.h).
  std::function<bool()> gives_up = {};  ///< Asked before every sample, by any thread: true ends all with GivenUp.
};

/// Thrown where SamplerOptions::gives_up said so: there is no set then.
struct GivenUp {};

/// Samples of a set of outcomes, in the order of their keys; unfinished and failed ones are counted, kept apart.
struct SampleSet {
  Eigen::MatrixXd velocity;          ///< n x finished; a column a sample.
  std::vector<long>
      index;  ///< Of each finished sample: its number, so that resolve() gives it again; -1 - k: corners[k].
  std::vector<int> lcps;             ///< Of each finished sample.
  std::vector<ImpactOutcome> corners;  ///< The first samples, where asked for; at most a quarter of all.
  long drawn = 0, unfinished = 0, failed = 0;
  long ended_small = 0;              ///< Finished ones that Algorithm 2's last small step ended (routh.h).
  long restitution_cut = 0;          ///< Finished ones in which contacts did not return all that they owed.
  long returned_together = 0;        ///< Finished ones whose last rebounds were taken all at once.
  bool covered = false;              ///< The stopping rule was met.
  double coverage_probability = 0;   ///< Lower limit of the probability that a fresh outcome is near a known one.
  double worst_residual = 0;         ///< See ImpactOutcome.
  double worst_energy_increase =
      0;  ///< Largest gain of kinetic energy, relative to that before [-]; negative: all lost.
  double min_normal_velocity = 0;    ///< Smallest J_n v+ of all finished samples [m/s].
};

/// Draws samples of the random model `name` on all cores (oneTBB): the same bits for any number of threads.
/// Corners are not drawn: `coverage` is about the sampler's own law and does not count them.
/// With `coverage` the set ends with the sample at which the rule was met; `drawn` says how many that took.
/// @param progress  Called now and then, from the calling thread, with the number drawn; false ends the drawing.
/// @throws std::invalid_argument for a malformed problem, bad options, or a name that is no model; GivenUp.
[[nodiscard]] SampleSet drawSamples(const std::string& name, const ImpactProblem& problem, const ImpactOptions& options,
                                    const SamplerOptions& sampler, const std::function<bool(long)>& progress = {});

}  // namespace rigor::impact
