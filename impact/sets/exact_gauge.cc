// SPDX-License-Identifier: MIT
#include "impact/sets/exact_gauge.h"

#include <algorithm>
#include <cmath>

#include "elementary/require.h"
#include "impact/problem_check.h"
#include "impact/sets/polytope_union.h"

namespace rigor::impact {
namespace {

// Work that the set may take (ExactSetLimits), and contacts beyond which it is not tried.
constexpr std::int64_t kGaugeWork = 3'000'000;
constexpr int kMostGaugedContacts = 4;
// Ranges below this part of the largest contact speed before are none.
constexpr double kNoRange = 1e-9;

bool isPolyhedral(const ImpactProblem& problem) {
  return problem.numContacts() > 0 && problem.numContacts() <= kMostGaugedContacts && isPlanarAndInelastic(problem);
}

}  // namespace

struct ExactGauge::Set {
  struct Range {
    Eigen::RowVectorXd row;  // of velocities
    double low = 0, high = 0;
  };
  PolytopeUnion outcomes;
  Eigen::MatrixXd coordinates;  // Rows of velocities.
  std::vector<Range> ranges;    // Of the contact velocities.
  double speed = 1;
};

ExactGauge::ExactGauge(const ImpactProblem& problem) {
  checkProblem(problem);
  if (!isPolyhedral(problem)) return;
  const ExactSet exact(problem, {kGaugeWork, 2000});
  if (!exact.complete()) return;
  auto set = std::make_unique<Set>();
  set->outcomes = PolytopeUnion(exact);
  if (set->outcomes.empty()) return;
  const ExactProblem& rational = exact.problem();
  const std::vector<ExactProblem::Row>& rows = rational.rows();
  const auto rowOf = [&](int number) -> Eigen::RowVectorXd {
    const ExactProblem::Row& row = rows[static_cast<size_t>(number)];
    return row.normal ? problem.normal.row(row.contact) : problem.tangent[static_cast<size_t>(row.contact)].row(0);
  };
  set->coordinates.resize(rational.rank(), problem.numVelocities());
  for (int k = 0; k < rational.rank(); ++k)
    set->coordinates.row(k) = rowOf(rational.coordinates()[static_cast<size_t>(k)]);
  set->speed = rational.speed() > 0 ? rational.speed() : 1;
  const std::vector<ExactQuantity> quantities = quantitiesOf(rational);
  for (size_t k = 0; k < rows.size(); ++k) {
    const auto quantity = std::find_if(quantities.begin(), quantities.end(),
                                       [&](const ExactQuantity& q) { return q.name == rows[k].name; });
    if (quantity == quantities.end()) continue;
    const double low = set->outcomes.smallest(*quantity).value.get_d(),
                 high = set->outcomes.largest(*quantity).value.get_d();
    if (high - low > kNoRange * set->speed) set->ranges.push_back({rowOf(static_cast<int>(k)), low, high});
  }
  set_ = std::move(set);
}

ExactGauge::~ExactGauge() = default;
ExactGauge::ExactGauge(ExactGauge&&) noexcept = default;

double ExactGauge::outside(const Eigen::Ref<const Eigen::VectorXd>& v) const {
  RIGOR_REQUIRE(known());
  const Eigen::VectorXd x = set_->coordinates * v;
  return set_->outcomes.violation(x) / set_->speed;
}

double ExactGauge::coveredShare(const Eigen::Ref<const Eigen::MatrixXd>& velocities) const {
  RIGOR_REQUIRE(known());
  if (velocities.cols() == 0) return 0;
  double share = 1;
  for (const Set::Range& range : set_->ranges) {
    const Eigen::RowVectorXd values = range.row * velocities;
    // What lies outside does not cover.
    const double low = std::clamp(values.minCoeff(), range.low, range.high),
                 high = std::clamp(values.maxCoeff(), range.low, range.high);
    share = std::min(share, (high - low) / (range.high - range.low));
  }
  return share;
}

}  // namespace rigor::impact
