// SPDX-License-Identifier: MIT
#include "impact/sets/exact_gauge.h"

#include <algorithm>
#include <cmath>

#include "elementary/require.h"
#include "impact/problem/problem_check.h"
#include "impact/sets/polytope_union.h"
#include "impact/sets/relaxed_bounds.h"

namespace rigor::impact {
namespace {

constexpr int kGaugePieces = 2000;  // Polytopes that a set may take here.
// Ranges below this part of the largest contact speed before are none.
constexpr double kNoRange = 1e-9;

bool isPolyhedral(const ImpactProblem& problem, bool spatial) {
  if (isPlanarAndInelastic(problem)) return true;
  return spatial &&
         std::all_of(problem.friction.begin(), problem.friction.end(), [](double mu) { return std::isfinite(mu); }) &&
         std::all_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e == 0; });
}

/// Rows of an exact problem that are contact velocities, as rows for velocities v.
Eigen::RowVectorXd contactRow(const ImpactProblem& problem, const ExactProblem& exact, int number) {
  const ExactProblem::Row& row = exact.rows()[static_cast<size_t>(number)];
  if (row.normal) return problem.normal.row(row.contact);
  return problem.tangent[static_cast<size_t>(row.contact)].row(number - exact.tangentRow(row.contact));
}

/// The contact velocities: those that quantitiesOf() has first.
std::vector<ExactQuantity> contactVelocities(const ExactProblem& exact) {
  std::vector<ExactQuantity> all = quantitiesOf(exact);
  all.resize(all.size() - exact.velocityMap().size());
  return all;
}

}  // namespace

struct ExactGauge::Set {
  struct Range {
    Eigen::RowVectorXd row;  // of velocities
    bool normal = true;
    double low = 0, high = 0;
  };
  PolytopeUnion outcomes;       // Empty: not known.
  Eigen::MatrixXd coordinates;  // Rows of velocities.
  std::vector<Range> ranges;    // Of the contact velocities: their extremes, or bounds.
  double speed = 1;
};

ExactGauge::ExactGauge(const ImpactProblem& problem) : ExactGauge(problem, Effort{}) {}

ExactGauge::ExactGauge(const ImpactProblem& problem, const Effort& effort) : set_(std::make_unique<Set>()) {
  checkProblem(problem);
  const double speed = problem.numContacts() > 0 ? (problem.normal * problem.velocity).cwiseAbs().maxCoeff() : 0;
  if (speed > 0) set_->speed = speed;
  if (problem.numContacts() == 0 || !isPolyhedral(problem, effort.cone_edges > 0)) return;
  if (problem.numContacts() <= effort.exact_contacts) findSet(problem, effort);
  if (!known() && problem.numContacts() <= effort.bounded_contacts) findBounds(problem, effort);
}

void ExactGauge::findSet(const ImpactProblem& problem, const Effort& effort) {
  ExactFriction friction;
  if (effort.cone_edges > 0) friction.cone_edges = effort.cone_edges;
  const ExactSet exact(problem, {effort.work, kGaugePieces}, friction);
  if (!exact.complete()) return;
  set_->outcomes = PolytopeUnion(exact);
  if (set_->outcomes.empty()) return;
  const ExactProblem& rational = exact.problem();
  if (rational.speed() > 0) set_->speed = rational.speed();
  const int n = problem.numVelocities();
  set_->coordinates.resize(rational.rank(), n);
  for (int k = 0; k < rational.rank(); ++k)
    set_->coordinates.row(k) = contactRow(problem, rational, rational.coordinates()[static_cast<size_t>(k)]);
  const std::vector<ExactQuantity> quantities = contactVelocities(rational);
  size_t q = 0;
  for (size_t k = 0; k < rational.rows().size(); ++k) {
    if (rational.rows()[k].name.empty()) continue;
    const ExactQuantity& quantity = quantities[q++];
    set_->ranges.push_back({contactRow(problem, rational, static_cast<int>(k)), rational.rows()[k].normal,
                            set_->outcomes.smallest(quantity).value.get_d(),
                            set_->outcomes.largest(quantity).value.get_d()});
  }
}

void ExactGauge::findBounds(const ImpactProblem& problem, const Effort& effort) {
  ExactFriction friction;
  if (effort.cone_edges > 0) friction.cone_edges = effort.cone_edges;
  const ExactProblem exact(problem, ExactProblem::Contacts::kFinite, friction);
  if (exact.speed() > 0) set_->speed = exact.speed();
  const std::vector<ExactQuantity> quantities = contactVelocities(exact);
  const OuterBounds bounds = boundOutside(problem, exact, quantities, true, effort.work);
  size_t q = 0;
  for (size_t k = 0; k < exact.rows().size(); ++k) {
    if (exact.rows()[k].name.empty()) continue;
    const EnergyBound& bound = bounds.of[q++];
    set_->ranges.push_back({contactRow(problem, exact, static_cast<int>(k)), exact.rows()[k].normal,
                            bound.low.get_d(), bound.high.get_d()});
  }
}

ExactGauge::~ExactGauge() = default;
ExactGauge::ExactGauge(ExactGauge&&) noexcept = default;

bool ExactGauge::known() const { return !set_->outcomes.empty(); }
bool ExactGauge::bounded() const { return !known() && !set_->ranges.empty(); }
int ExactGauge::pieces() const { return static_cast<int>(set_->outcomes.pieces().size()); }
int ExactGauge::dimension() const { return set_->outcomes.dimension(); }
double ExactGauge::speed() const { return set_->speed; }

double ExactGauge::mostLift() const {
  RIGOR_REQUIRE(known() || bounded());
  double most = -HUGE_VAL;
  for (const Set::Range& range : set_->ranges) {
    if (range.normal) most = std::max(most, range.high);
  }
  return most;
}

double ExactGauge::outside(const Eigen::Ref<const Eigen::VectorXd>& v) const {
  RIGOR_REQUIRE(known() || bounded());
  if (known()) {
    const Eigen::VectorXd x = set_->coordinates * v;
    return set_->outcomes.violation(x) / set_->speed;
  }
  double worst = 0;
  for (const Set::Range& range : set_->ranges) {
    const double value = range.row.dot(v);
    worst = std::max({worst, range.low - value, value - range.high});
  }
  return worst / set_->speed;
}

double ExactGauge::coveredShare(const Eigen::Ref<const Eigen::MatrixXd>& velocities) const {
  RIGOR_REQUIRE(known());
  if (velocities.cols() == 0) return 0;
  double share = 1;
  for (const Set::Range& range : set_->ranges) {
    if (!(range.high - range.low > kNoRange * set_->speed)) continue;
    const Eigen::RowVectorXd values = range.row * velocities;
    // What lies outside does not cover.
    const double low = std::clamp(values.minCoeff(), range.low, range.high),
                 high = std::clamp(values.maxCoeff(), range.low, range.high);
    share = std::min(share, (high - low) / (range.high - range.low));
  }
  return share;
}

}  // namespace rigor::impact
