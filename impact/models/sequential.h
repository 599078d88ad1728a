// SPDX-License-Identifier: MIT
#pragma once
#include "impact/lcp/contact_lcp.h"
#include "impact/model_registry.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// Sequential impacts: the one-contact impact of Anitescu and Potra, with its restitution, at one approaching contact
/// after another in a cyclic order, until none approaches.
///
/// Guarantee on kResolved: as AnitescuPotra. It need not end for three or more contacts, or with restitution between
/// bodies that bounce ever faster: kUnfinished after kMostStages, and `note` says so. Reads order, cone_edges,
/// tolerance, capture_speed. @throws std::invalid_argument for a malformed problem or an order that is no permutation.
class Sequential final : public Resolver {
 public:
  static constexpr int kMostStages = 10'000;

  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;
  std::string_view assumption() const override { return "contacts act one after another, in the order given"; }

 private:
  ContactLcp whole_, single_;
  LemkeSolver lemke_;
  ImpactProblem one_;
  ImpactOutcome stage_;
  std::vector<double> approach_, given_;
};

/// An outcome of a model in which contacts act in an order, and the orders that lead to it.
struct OrderedOutcome {
  ImpactOutcome outcome;
  std::vector<int> order;  ///< The first of them, in lexicographic order.
  int orders = 0;          ///< How many.
};

/// Most contacts whose orders are all tried: 7! = 5040.
inline constexpr int kMostOrderedContacts = 7;

/// The outcomes of a model in every order, equal ones merged. @returns kUnfinished where an order did not end (the
/// others are there), kFailed where a solver failed. @throws std::invalid_argument for more than kMostOrderedContacts
/// contacts. @pre the model has an orderOption().
[[nodiscard]] ImpactStatus resolveAllOrders(const Model& model, const ImpactProblem& problem, ImpactOptions options,
                                            std::vector<OrderedOutcome>& outcomes, int& unfinished_orders);

}  // namespace rigor::impact
