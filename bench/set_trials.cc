// SPDX-License-Identifier: MIT
// Random planar impacts with three contacts, whole: how many exact sets are found in time, how many of their
// certificates the checker accepts, how many altered ones, and how near samples come to the extremes. A table in
// Markdown, one row for each rank; seeds of the problems that miss something on the standard error.
// docs/impact-sets.md has one.
//
//   rigor_set_trials [PROBLEMS OF EACH RANK] [FIRST SEED] [RANKS, SUCH AS 346]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/processor_time.h"
#include "impact/samples/sampler.h"
#include "impact/sets/certify.h"
#include "impact/sets/check_certificate.h"
#include "impact/sets/exact_set.h"
#include "impact/sets/polytope_union.h"
#include "tests/impact/altered_certificates.h"
#include "tests/impact/random_planar.h"

namespace {

using namespace rigor::impact;

constexpr long kSamples = 2000;
constexpr double kNear = 0.02;   // Of the range of a contact velocity.
constexpr double kFlat = 1e-6;   // Of the speed: ranges below have no inside.
constexpr double kStep = 0.01;   // Of the speed: what jumps of standard steps may leave the set by.

/// Seconds that a set of this rank may take.
double secondsFor(int rank) { return rank <= 4 ? 1 : 60; }

struct Trials {
  int problems = 0, whole = 0, proved = 0, corners = 0, altered = 0, accepted = 0, near = 0, inside = 0;
  double worst_open = 0, worst_outside = 0;
  std::vector<double> seconds;

  double quantile(double part) {
    if (seconds.empty()) return 0;
    const auto at = seconds.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(seconds.size() - 1));
    std::nth_element(seconds.begin(), at, seconds.end());
    return *at;
  }
};

void trySamples(const ImpactProblem& problem, const ExactSet& set, const std::string& name, Trials& trials) {
  SamplerOptions options;
  options.samples = kSamples;
  options.mixed_rates = options.corners = true;
  const SampleSet samples = drawSamples("routh", problem, {}, options);
  const PolytopeUnion outcomes(set);
  const ExactProblem& exact = set.problem();
  Eigen::MatrixXd rows(exact.rows().size(), problem.numVelocities());
  for (size_t k = 0; k < exact.rows().size(); ++k) {
    const ExactProblem::Row& row = exact.rows()[k];
    rows.row(static_cast<Eigen::Index>(k)) =
        row.normal ? problem.normal.row(row.contact) : problem.tangent[static_cast<size_t>(row.contact)].row(0);
  }
  const Eigen::MatrixXd velocity = rows * samples.velocity;
  const std::vector<ExactQuantity> quantities = quantitiesOf(exact);
  double open = 0, outside = 0;
  for (Eigen::Index k = 0; k < velocity.rows(); ++k) {
    const ExactQuantity& quantity = quantities[static_cast<size_t>(k)];
    const double low = outcomes.smallest(quantity).value.get_d(), high = outcomes.largest(quantity).value.get_d();
    if (!(high - low > kFlat * exact.speed())) continue;
    open = std::max({open, (velocity.row(k).minCoeff() - low) / (high - low),
                     (high - velocity.row(k).maxCoeff()) / (high - low)});
  }
  const Eigen::MatrixXd coordinates = velocity(exact.coordinates(), Eigen::all);
  for (const auto& point : coordinates.colwise())
    outside = std::max(outside, outcomes.violation(point) / exact.speed());
  trials.near += open <= kNear;
  trials.inside += outside <= kStep;
  trials.worst_open = std::max(trials.worst_open, open);
  trials.worst_outside = std::max(trials.worst_outside, outside);
  if (open > kNear || outside > kStep)
    fmt::print(stderr, "{}: samples leave {:.3g} of a range open, {:.3g} outside\n", name, open, outside);
}

void tryOne(std::uint64_t seed, int rank, Trials& trials) {
  const std::string name = fmt::format("seed {} rank {}", seed, rank);
  const ImpactProblem problem = test::randomThreeContacts(seed, rank);
  ++trials.problems;
  const double begun = cpuSeconds();
  ExactSetLimits limits;
  limits.goes_on = [&](std::int64_t, std::int64_t) { return cpuSeconds() - begun < secondsFor(rank); };
  const ExactSet set(problem, limits);
  const double found = cpuSeconds() - begun;
  const SetCertificate certificate = certify(set, problem);
  const double seconds = cpuSeconds() - begun;
  const CertificateVerdict verdict = checkCertificate(certificate);
  const double checked = cpuSeconds() - begun - seconds;
  if (!verdict.inner || (set.complete() && !verdict.outer))
    fmt::print(stderr, "{}: {} of rank {}: {}\n", name, set.limit(), set.problem().rank(), verdict.failure);
  if (!set.complete() || checked > secondsFor(rank) || seconds > secondsFor(rank))
    fmt::print(stderr, "{}: {} {:.3g} s, certified in {:.3g}, checked in {:.3g}, {} pieces, work {}\n", name,
               set.complete() ? "whole" : set.limit(), found, seconds - found, checked, set.pieces().size(),
               set.work());
  if (!set.complete()) return;
  trials.seconds.push_back(seconds);
  trials.whole += seconds <= secondsFor(rank);
  trials.proved += verdict.inner && verdict.outer;
  size_t vertices = 0;
  for (const ExactSet::Final& final : set.final()) vertices += final.polytope.rays().size();
  trials.corners += vertices == certificate.chains.size();
  if (vertices != certificate.chains.size())
    fmt::print(stderr, "{}: {} chains for {} vertices\n", name, certificate.chains.size(), vertices);
  std::mt19937_64 random(seed);
  for (int altered = 0, tries = 0; altered < 3 && tries < 20; ++tries) {
    SetCertificate other = certificate;
    const char* const thing = test::alterOneThing(other, random);
    if (!thing) continue;
    ++altered;
    ++trials.altered;
    const CertificateVerdict after = checkCertificate(other);
    if (!after.inner || !after.outer) continue;
    ++trials.accepted;
    fmt::print(stderr, "{}: accepted with altered {}\n", name, thing);
  }
  trySamples(problem, set, name, trials);
}

}  // namespace

int main(int count, char** arguments) {
  const long problems = count > 1 ? std::stol(arguments[1]) : 100, first = count > 2 ? std::stol(arguments[2]) : 0;
  fmt::print("| rank | problems | whole in time | s: median, 95 %, worst | proved | every corner | altered, accepted | "
             "samples near | open | outside |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const char digit : std::string(count > 3 ? arguments[3] : "346")) {
    Trials trials;
    for (long seed = first; seed < first + problems; ++seed)
      tryOne(static_cast<std::uint64_t>(seed), digit - '0', trials);
    fmt::print("| {} | {} | {} | {:.2g}, {:.2g}, {:.2g} | {} | {} | {}, {} | {} | {:.2g} | {:.2g} |\n", digit,
               trials.problems, trials.whole, trials.quantile(.5), trials.quantile(.95), trials.quantile(1),
               trials.proved, trials.corners, trials.altered, trials.accepted, trials.near, trials.worst_open,
               trials.worst_outside);
    std::fflush(stdout);
  }
}
