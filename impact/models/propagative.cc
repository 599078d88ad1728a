// SPDX-License-Identifier: MIT
#include "impact/models/propagative.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "impact/models/entries.h"
#include "impact/models/shared_options.h"
#include "impact/problem/field_error.h"
#include "impact/problem/kinetic_metric.h"
#include "impact/problem/problem_check.h"

namespace rigor::impact {
namespace {

// Plastic impulses below this fraction of the largest are rounding of zero.
constexpr double kPullShare = 1e-9;
// Entries of unit normals that differ by less are equal in the order that breaks ties.
constexpr double kSameEntry = 1e-9;

constexpr std::string_view kJammed = "no sequence of reflections separates the contacts: they are jammed";
constexpr std::string_view kGivenUp = "the search for minimal sequences was given up: they are too long";
// By (friction ignored, a contact is pulled).
constexpr std::string_view kNotes[2][2] = {
    {"", "the plastic part holds back contacts that would separate: negative impulses"},
    {"friction is ignored: the model is frictionless",
     "friction is ignored: the model is frictionless; the plastic part holds back contacts that would separate: "
     "negative impulses"}};

constexpr std::string_view kRefused = "refused", kLayers = "layers";

bool takesOneRestitution(const ImpactOptions& options) {
  const auto found = options.own.find(kDifferentRestitutions);
  return found == options.own.end() || std::get<std::string>(found->second) != kLayers;
}

void requireOneRestitution(const ImpactProblem& problem) {
  for (double e : problem.restitution) {
    if (e != problem.restitution[0])
      throw FieldError("restitution",
                       "the propagative model takes one restitution for all contacts, and this problem has different "
                       "ones; `different_restitutions: layers` takes them in layers");
  }
}

}  // namespace

void Propagative::prepare(const ImpactProblem& problem, const ImpactOptions& options) {
  checkProblem(problem);
  if (takesOneRestitution(options)) requireOneRestitution(problem);
  const int m = problem.numContacts(), n = problem.numVelocities();
  const Eigen::VectorXd approach = m > 0 ? Eigen::VectorXd(problem.normal * problem.velocity) : Eigen::VectorXd();
  const double largest = m > 0 ? approach.cwiseAbs().maxCoeff() : 0;
  friction_ = std::any_of(problem.friction.begin(), problem.friction.end(), [](double mu) { return mu > 0; });
  pulls_ = false;
  layers_.clear();
  if (!(m > 0 && !(approach.minCoeff() >= -options.tolerance * largest))) return;

  const KineticMetric metric(problem.mass_matrix);
  response_.inverse_mass = metric.solve(Eigen::MatrixXd::Identity(n, n));
  response_.inverse_mass_Jt = metric.solve(problem.normal.transpose());
  response_.delassus = problem.normal * response_.inverse_mass_Jt;
  response_.still = options.tolerance * largest;
  Eigen::VectorXd root = response_.delassus.diagonal().cwiseMax(0).cwiseSqrt();
  for (double& r : root) r = r > 0 ? 1 / r : 0;
  const Eigen::MatrixXd unit = root.asDiagonal() * problem.normal;
  const double size = unit.cwiseAbs().maxCoeff();
  response_.rank.resize(m);
  std::iota(response_.rank.begin(), response_.rank.end(), 0);
  std::stable_sort(response_.rank.begin(), response_.rank.end(), [&](int a, int b) {
    for (int j = 0; j < n; ++j) {
      const double difference = unit(a, j) - unit(b, j);
      if (std::abs(difference) > kSameEntry * size) return difference > 0;
    }
    return false;
  });
  layOut(problem, -approach.minCoeff() > options.capture_speed);
}

void Propagative::layOut(const ImpactProblem& problem, bool elastic) {
  std::vector<double> levels{0};
  if (elastic) levels.insert(levels.end(), problem.restitution.begin(), problem.restitution.end());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (levels.back() < 1) layers_.emplace_back(problem, response_, std::vector<int>{}, 1 - levels.back());
  for (std::size_t k = 1; k < levels.size(); ++k) {
    std::vector<int> moving;
    for (int i = 0; i < problem.numContacts(); ++i)
      if (problem.restitution[i] >= levels[k]) moving.push_back(i);
    if (moving.size() > kMaxPropagativeContacts) {
      throw FieldError("restitution", "the propagative model enumerates the sequences of up to " +
                                          std::to_string(kMaxPropagativeContacts) +
                                          " contacts with restitution, and this problem has " +
                                          std::to_string(moving.size()));
    }
    layers_.emplace_back(problem, response_, std::move(moving), levels[k] - levels[k - 1]);
  }
  pulls_ = std::any_of(layers_.begin(), layers_.end(),
                       [](const RestitutionLayer& layer) { return layer.pulls(kPullShare); });
}

void Propagative::publish(const ImpactProblem& problem, const std::vector<std::size_t>& choice,
                          ImpactOutcome& outcome) const {
  const int m = problem.numContacts();
  outcome = {};
  outcome.note = kNotes[friction_][pulls_];
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(m);
  outcome.velocity = problem.velocity;
  if (!layers_.empty()) {
    outcome.velocity.setZero();
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      const ReflectionSequence& sequence = layers_[k].sequences()[choice[k]];
      layers_[k].add(sequence, response_, impulse, outcome.velocity);
      outcome.lcps += static_cast<int>(sequence.contacts.size());
    }
    const Eigen::VectorXd momentum = problem.mass_matrix * (outcome.velocity - problem.velocity);
    const double size = problem.normal.cwiseAbs().maxCoeff() * impulse.cwiseAbs().maxCoeff();
    if (size > 0) outcome.residual = (momentum - problem.normal.transpose() * impulse).cwiseAbs().maxCoeff() / size;
  }
  outcome.impulses.resize(m);
  for (int i = 0; i < m; ++i) {
    const bool given = i < static_cast<int>(problem.tangent.size());
    outcome.impulses[i].setZero(1 + (given ? problem.tangent[i].rows() : 0));
    outcome.impulses[i][0] = impulse[i];
  }
}

ImpactStatus Propagative::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey,
                                  ImpactOutcome& outcome) {
  prepare(problem, options);
  ReflectionOptions search;
  search.tolerance = options.tolerance;
  for (RestitutionLayer& layer : layers_) {
    const ReflectionStatus status = layer.findFirst(search);
    if (status == ReflectionStatus::kComplete) continue;
    outcome = {};
    outcome.note = status == ReflectionStatus::kNone ? kJammed : kGivenUp;
    return ImpactStatus::kFailed;
  }
  publish(problem, std::vector<std::size_t>(layers_.size(), 0), outcome);
  return ImpactStatus::kResolved;
}

ImpactStatus Propagative::resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                     std::vector<ImpactOutcome>& outcomes) {
  prepare(problem, options);
  outcomes.clear();
  ReflectionOptions search;
  search.tolerance = options.tolerance;
  bool complete = true;
  for (RestitutionLayer& layer : layers_) {
    const ReflectionStatus status = layer.findAll(search);
    complete = complete && status == ReflectionStatus::kComplete;
    if (!layer.sequences().empty()) continue;
    outcomes.emplace_back().note = status == ReflectionStatus::kNone ? kJammed : kGivenUp;
    return ImpactStatus::kFailed;
  }
  // All combinations, the last layer's sequences first.
  std::vector<std::size_t> choice(layers_.size(), 0);
  for (bool more = true; more;) {
    if (outcomes.size() == kMostCombinations) {
      complete = false;
      break;
    }
    publish(problem, choice, outcomes.emplace_back());
    more = false;
    for (std::size_t k = layers_.size(); k-- > 0 && !more;) {
      more = ++choice[k] < layers_[k].sequences().size();
      if (!more) choice[k] = 0;
    }
  }
  if (complete) return ImpactStatus::kResolved;
  for (ImpactOutcome& outcome : outcomes) outcome.note = kGivenUp;
  return ImpactStatus::kUnfinished;
}

Model propagativeEntry() {
  ModelOption different{.name = std::string(kDifferentRestitutions),
                        .kind = ModelOption::Kind::kWord,
                        .meaning = "what contacts of different restitutions are: refused, or taken in layers",
                        .words = {std::string(kRefused), std::string(kLayers)},
                        .standard = std::string(kRefused)};
  return {.name = "propagative", .gives = "every minimal reflection sequence (docs/propagative.md)",
          .make = [] { return std::make_unique<Propagative>(); },
          .options = {std::move(different), toleranceOption(), captureSpeedOption()},
          .needs = {.one_restitution = takesOneRestitution},
          .by_contact = false};
}

}  // namespace rigor::impact
