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
#include "impact/problem/matrix_factors.h"
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
     "negative "
     "impulses"}};

void requireOneRestitution(const ImpactProblem& problem) {
  for (double e : problem.restitution) {
    if (e != problem.restitution[0])
      throw FieldError(
          "restitution",
          "the propagative model takes one restitution for all contacts, and this problem has different ones");
  }
}

}  // namespace

void Propagative::prepare(const ImpactProblem& problem, const ImpactOptions& options) {
  checkProblem(problem);
  requireOneRestitution(problem);
  const int m = problem.numContacts(), n = problem.numVelocities();
  const KineticMetric metric(problem.mass_matrix);
  approach_ = m > 0 ? Eigen::VectorXd(problem.normal * problem.velocity) : Eigen::VectorXd();
  const double largest = m > 0 ? approach_.cwiseAbs().maxCoeff() : 0;
  approaches_ = m > 0 && !(approach_.minCoeff() >= -options.tolerance * largest);
  friction_ = std::any_of(problem.friction.begin(), problem.friction.end(), [](double mu) { return mu > 0; });
  plastic_velocity_ = problem.velocity;
  plastic_impulse_.setZero(m);
  pulls_ = false;
  restitution_ = problem.restitution.empty() || m == 0 ? 0 : problem.restitution[0];
  if (!approaches_) return;
  if (!(-approach_.minCoeff() > options.capture_speed)) restitution_ = 0;
  if (restitution_ > 0 && m > kMaxPropagativeContacts) {
    throw FieldError("restitution", "the propagative model enumerates the sequences of up to " +
                                std::to_string(kMaxPropagativeContacts) +
                                " contacts with restitution, and this problem has " + std::to_string(m));
  }
  inverse_mass_ = metric.solve(Eigen::MatrixXd::Identity(n, n));
  inverse_mass_Jt_ = metric.solve(problem.normal.transpose());
  delassus_ = problem.normal * inverse_mass_Jt_;

  projectVelocity(inverse_mass_, problem.normal, plastic_velocity_);
  // The smallest impulses that do the same, rows scaled to unit normals: independent of order and units.
  Eigen::VectorXd root = delassus_.diagonal().cwiseMax(0).cwiseSqrt();
  for (double& r : root) r = r > 0 ? 1 / r : 0;
  LeastNorm scaled;
  scaled.factor(root.asDiagonal() * delassus_ * root.asDiagonal());
  scaled.solve(-root.cwiseProduct(approach_), plastic_impulse_);
  plastic_impulse_.array() *= root.array();
  const double strongest = plastic_impulse_.cwiseAbs().maxCoeff();
  pulls_ = restitution_ < 1 && plastic_impulse_.minCoeff() < -kPullShare * strongest;

  const Eigen::MatrixXd unit = root.asDiagonal() * problem.normal;
  rank_.resize(m);
  std::iota(rank_.begin(), rank_.end(), 0);
  std::stable_sort(rank_.begin(), rank_.end(), [&](int a, int b) {
    const double size = unit.cwiseAbs().maxCoeff();
    for (int j = 0; j < n; ++j) {
      const double difference = unit(a, j) - unit(b, j);
      if (std::abs(difference) > kSameEntry * size) return difference > 0;
    }
    return false;
  });
}

void Propagative::publish(const ImpactProblem& problem, const ReflectionSequence* sequence,
                          ImpactOutcome& outcome) const {
  const int m = problem.numContacts();
  outcome = {};
  outcome.note = kNotes[friction_][pulls_];
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(m);
  outcome.velocity = problem.velocity;
  if (approaches_) {
    // Eq. (17) with alpha = R.
    impulse = (1 - restitution_) * plastic_impulse_;
    outcome.velocity = (1 - restitution_) * plastic_velocity_ + restitution_ * problem.velocity;
    if (sequence) {
      impulse += restitution_ * sequence->impulse;
      outcome.velocity += restitution_ * (inverse_mass_Jt_ * sequence->impulse);
      outcome.lcps = static_cast<int>(sequence->contacts.size());
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
  if (!approaches_ || restitution_ == 0) {
    publish(problem, nullptr, outcome);
    return ImpactStatus::kResolved;
  }
  ReflectionOptions search;
  search.tolerance = options.tolerance;
  ReflectionSequence sequence;
  const ReflectionStatus status = findFirstReflections(delassus_, approach_, rank_, search, sequence);
  if (status != ReflectionStatus::kComplete) {
    outcome = {};
    outcome.note = status == ReflectionStatus::kNone ? kJammed : kGivenUp;
    return ImpactStatus::kFailed;
  }
  publish(problem, &sequence, outcome);
  return ImpactStatus::kResolved;
}

ImpactStatus Propagative::resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                     std::vector<ImpactOutcome>& outcomes) {
  prepare(problem, options);
  outcomes.clear();
  if (!approaches_ || restitution_ == 0) {
    publish(problem, nullptr, outcomes.emplace_back());
    return ImpactStatus::kResolved;
  }
  ReflectionOptions search;
  search.tolerance = options.tolerance;
  std::vector<ReflectionSequence> sequences;
  const ReflectionStatus status = findAllReflections(delassus_, approach_, rank_, search, sequences);
  for (const ReflectionSequence& sequence : sequences) publish(problem, &sequence, outcomes.emplace_back());
  if (status == ReflectionStatus::kComplete) return ImpactStatus::kResolved;
  if (outcomes.empty()) {
    outcomes.emplace_back().note = status == ReflectionStatus::kNone ? kJammed : kGivenUp;
    return ImpactStatus::kFailed;
  }
  for (ImpactOutcome& outcome : outcomes) outcome.note = kGivenUp;
  return ImpactStatus::kUnfinished;
}

Model propagativeEntry() {
  return {.name = "propagative", .gives = "every minimal reflection sequence (docs/propagative.md)",
          .make = [] { return std::make_unique<Propagative>(); },
          .options = {toleranceOption(), captureSpeedOption()},
          .needs = {.one_restitution = true}};
}

}  // namespace rigor::impact
