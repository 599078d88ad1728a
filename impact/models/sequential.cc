// SPDX-License-Identifier: MIT
#include "impact/models/sequential.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "elementary/require.h"
#include "impact/models/entries.h"
#include "impact/models/shared_options.h"
#include "impact/problem/field_error.h"
#include "impact/samples/outcome_set.h"

namespace rigor::impact {
namespace {

std::vector<int> checkedOrder(const ImpactOptions& options, int m) {
  std::vector<int> order(m);
  std::iota(order.begin(), order.end(), 0);
  if (options.order.empty()) return order;
  std::vector<int> sorted = options.order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != order) throw FieldError("order", "order must name every contact once, from 0");
  return options.order;
}

}  // namespace

ImpactStatus Sequential::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey,
                                 ImpactOutcome& outcome) {
  whole_.prepare(problem, options.cone_edges);
  const int m = problem.numContacts();
  const std::vector<int> order = checkedOrder(options, m);
  const double least = -options.tolerance * whole_.velocityScale();

  whole_.publish(outcome);  // Velocity before, impulses zero.
  outcome.note = {};
  one_.mass_matrix = problem.mass_matrix;
  one_.tangent.resize(1);
  one_.friction.resize(1);
  one_.restitution.assign(1, 0.0);
  approach_.resize(1);
  int idle = 0;  // Contacts in a row that did not approach.
  for (int stage = 0, turn = 0; idle < m; turn = (turn + 1) % m) {
    const int contact = order[turn];
    const double speed = problem.normal.row(contact).dot(outcome.velocity);
    if (speed >= least) {
      ++idle;
      continue;
    }
    if (++stage > kMostStages) {
      outcome.note = "stopped after 10000 single impacts: a contact still approaches";
      return ImpactStatus::kUnfinished;
    }
    idle = 0;
    one_.normal = problem.normal.row(contact);
    const bool has_tangent = contact < static_cast<int>(problem.tangent.size());
    one_.tangent[0] = has_tangent ? problem.tangent[contact] : Eigen::MatrixXd(0, problem.numVelocities());
    one_.friction[0] = problem.friction[contact];
    one_.restitution[0] = problem.restitution.empty() ? 0 : problem.restitution[contact];
    one_.velocity = outcome.velocity;
    single_.prepare(one_, options.cone_edges);
    approach_[0] = speed;
    if (single_.solveImpact(lemke_, nullptr) != LcpStatus::kSolved ||
        !finishImpact(single_, lemke_, one_, options, approach_, given_, least)) {
      return ImpactStatus::kFailed;
    }
    single_.publish(stage_);
    outcome.velocity = stage_.velocity;
    outcome.impulses[contact] += stage_.impulses[0];
    outcome.lcps += stage_.lcps;
    outcome.residual = std::max(outcome.residual, stage_.residual);
  }
  const double after = 0.5 * outcome.velocity.dot(problem.mass_matrix * outcome.velocity);
  const bool kept = after <= whole_.energyBefore() * (1 + kImpactEnergyRounding);  // NaN -> no answer
  return kept ? ImpactStatus::kResolved : ImpactStatus::kFailed;
}

ImpactStatus resolveAllOrders(const Model& model, const ImpactProblem& problem, ImpactOptions options,
                              std::vector<OrderedOutcome>& outcomes, int& unfinished_orders) {
  const ModelOption* const taken = model.orderOption();
  RIGOR_REQUIRE(taken);
  const int m = problem.numContacts();
  if (m > kMostOrderedContacts) throw std::invalid_argument("every order is tried for at most 7 contacts");
  outcomes.clear();
  unfinished_orders = 0;
  const std::unique_ptr<Resolver> resolver = model.make();
  std::vector<int> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), 0);
  do {
    setOption(*taken, std::vector<double>(order.begin(), order.end()), m, options);
    ImpactOutcome outcome;
    const ImpactStatus status = resolver->resolve(problem, options, {}, outcome);
    if (status == ImpactStatus::kFailed) return status;
    if (status == ImpactStatus::kUnfinished) {
      ++unfinished_orders;
      continue;
    }
    const auto same = std::find_if(outcomes.begin(), outcomes.end(), [&](const OrderedOutcome& known) {
      return kineticDistance(problem, known.outcome.velocity, outcome.velocity) <= kSameOutcome;
    });
    if (same != outcomes.end()) {
      ++same->orders;
    } else {
      outcomes.push_back({std::move(outcome), order, 1});
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return unfinished_orders > 0 ? ImpactStatus::kUnfinished : ImpactStatus::kResolved;
}

Model sequentialEntry() {
  ModelOption order = keptIn(
      {.name = "order",
       .kind = ModelOption::Kind::kOrder,
       .meaning = "the cyclic order of the contacts",
       .standard_in_words = "0, 1, ...",
       .place = ModelOption::Place::kProblem},
      [](auto& o) -> auto& { return o.order; });
  return {.name = "sequential",
          .gives = "one outcome an order; an impact of more than 10,000 single ones is unfinished",
          .make = [] { return std::make_unique<Sequential>(); },
          .options = {std::move(order), coneEdgesOption(), toleranceOption(), captureSpeedOption()},
          .by_contact = false};
}

}  // namespace rigor::impact
