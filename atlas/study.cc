// SPDX-License-Identifier: MIT
#include "atlas/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "atlas/engine_landing.h"
#include "impact/model_registry.h"
#include "impact/models/sequential.h"
#include "impact/samples/sampler.h"
#include "impact/sets/exact_gauge.h"
#include "impact/workers.h"

namespace rigor::atlas {
namespace {

using Eigen::VectorXd;
using impact::ImpactProblem;

constexpr const char *kSprings = "springs, e = ", *kSpringModel = "compliant";
// Contacts up to which an exact set is tried, and up to which there are bounds at all: rational matrices grow.
constexpr int kExactContacts = 4, kBoundedContacts = 6;
// Contacts up to which each one's spring is swept, and all orders of single contacts are taken.
constexpr int kSweptContacts = 4, kOrderedContacts = 4;

/// An impact, what is known of its set, and the findings so far.
struct Findings {
  const ImpactProblem& problem;
  impact::ExactGauge gauge;
  double speed = 1;
  Cell& cell;

  void land(const std::string& name, const std::vector<VectorXd>& velocities) {
    Landing& landing = cell.landings.emplace_back();
    landing.name = name;
    landing.outcomes = static_cast<int>(velocities.size());
    const double inside = insideOf(landing);
    for (const VectorXd& v : velocities) {
      const double outside = gauge.known() || gauge.bounded() ? gauge.outside(v) : 0;
      landing.outside = std::max(landing.outside, outside > impact::ExactGauge::kInside ? outside : 0);
      if (outside <= inside && gauge.known())
        cell.found_lift = std::max(cell.found_lift, (problem.normal * v).maxCoeff() / speed);
    }
  }
};

/// All finished outcomes of a model; none where it refuses the problem.
std::vector<VectorXd> outcomesOf(const impact::Model& model, const ImpactProblem& problem,
                                 impact::ImpactOptions options) {
  std::vector<VectorXd> velocities;
  if (model.orderOption() && problem.numContacts() <= kOrderedContacts) {
    std::vector<impact::OrderedOutcome> outcomes;
    int unfinished = 0;
    if (resolveAllOrders(model, problem, options, outcomes, unfinished) == impact::ImpactStatus::kFailed) return {};
    for (const impact::OrderedOutcome& found : outcomes) velocities.push_back(found.outcome.velocity);
    return velocities;
  }
  std::vector<impact::ImpactOutcome> outcomes;
  try {
    if (model.make()->resolveAll(problem, options, outcomes) != impact::ImpactStatus::kResolved)
      return {};
  } catch (const std::invalid_argument&) {
    return {};  // Not for this model: distinct restitutions, contacts without friction rows.
  }
  for (const impact::ImpactOutcome& outcome : outcomes) velocities.push_back(outcome.velocity);
  return velocities;
}

void landSprings(const impact::Model& springs, const ImpactProblem& problem, const impact::ImpactOptions& options,
                 Findings& findings) {
  const int contacts = problem.numContacts();
  for (const double e : kDampers) {
    ImpactProblem damped = problem;
    damped.restitution.assign(static_cast<std::size_t>(contacts), e);
    std::vector<VectorXd> velocities;
    for (int i = 0; i < std::min(contacts, kSweptContacts); ++i) {
      for (const double ratio : kStiffnessRatios) {
        if (ratio == 1 && i > 0) continue;
        // For two contacts the ratio says all.
        if (contacts == 2 && i > 0) continue;
        impact::ImpactOptions swept = options;
        swept.compliant.stiffness.assign(static_cast<std::size_t>(contacts), 1.0);
        swept.compliant.stiffness[static_cast<std::size_t>(i)] = ratio;
        for (VectorXd& v : outcomesOf(springs, damped, swept)) velocities.push_back(std::move(v));
      }
    }
    findings.land(fmt::format("{}{:g}", kSprings, e), velocities);
  }
}

void landSamples(const std::string& model, const ImpactProblem& problem, const impact::ImpactOptions& options,
                 long samples, Findings& findings) {
  impact::SamplerOptions sampler;
  sampler.samples = samples;
  sampler.threads = 1;
  sampler.mixed_rates = true;
  const impact::SampleSet set = impact::drawSamples(model, problem, options, sampler);
  std::vector<VectorXd> velocities;
  for (Eigen::Index k = 0; k < set.velocity.cols(); ++k) velocities.emplace_back(set.velocity.col(k));
  findings.land(model, velocities);
}

}  // namespace

double insideOf(const Landing& landing) {
  if (landing.name.rfind(kSprings, 0) == 0) return kSpringInside;
  return impact::findModel(landing.name) ? kModelInside : kEngineInside;
}

Cell studyImpact(const Family& family, double x, double y, const StudyOptions& options) {
  Cell cell;
  cell.x = x, cell.y = y;
  const ImpactProblem problem = family.problem(x, y);
  const impact::ImpactOptions standard;
  impact::ExactGauge::Effort effort;
  effort.work = options.work;
  effort.exact_contacts = kExactContacts;
  effort.bounded_contacts = kBoundedContacts;
  effort.cone_edges = standard.cone_edges;
  Findings findings{problem, impact::ExactGauge(problem, effort), 1, cell};
  const impact::ExactGauge& gauge = findings.gauge;
  findings.speed = gauge.speed();
  cell.exact = gauge.known();
  cell.pieces = gauge.pieces();
  cell.dimension = gauge.dimension();
  if (gauge.known() || gauge.bounded()) cell.most_lift = gauge.mostLift() / findings.speed;
  const impact::Model* const springs = impact::findModel(kSpringModel);
  for (const impact::Model* model : impact::models()) {
    if (model == springs) continue;  // At the end, with many ratios of stiffness.
    if (model->draws_the_set) landSamples(model->name, problem, standard, options.samples, findings);
    else findings.land(model->name, outcomesOf(*model, problem, standard));
  }
  landSprings(*springs, problem, standard, findings);
  if (family.scene) {
    for (const std::string& engine : options.engines)
      findings.land(engine, engineOutcomes(options, engine, family, x, y));
  }
  return cell;
}

Map studyFamily(const Family& family, int cells, int threads, const StudyOptions& options,
                const std::function<bool(long done, long of)>& progress) {
  Map map;
  map.family = &family;
  map.xs = family.x.values(cells), map.ys = family.y.values(cells);
  map.cells.resize(map.xs.size() * map.ys.size());
  const long count = static_cast<long>(map.cells.size());
  std::atomic<long> done = 0;
  std::atomic<bool> stopped = false;
  std::mutex talk;
  impact::Workers workers(threads);
  workers.run(count, 1, [&](long begin, long end, int) {
    for (long k = begin; k < end && !stopped; ++k) {
      const auto at = static_cast<std::size_t>(k);
      map.cells[at] = studyImpact(family, map.xs[at % map.xs.size()], map.ys[at / map.xs.size()], options);
      const std::lock_guard lock(talk);
      if (progress && !progress(++done, count)) stopped = true;
    }
  });
  if (stopped) return {};
  return map;
}

}  // namespace rigor::atlas
