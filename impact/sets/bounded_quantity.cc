// SPDX-License-Identifier: MIT
#include "impact/sets/bounded_quantity.h"

namespace rigor::impact::proof {

BoundedQuantity::BoundedQuantity(const BoundProof& proof, const Model& model) {
  require(!model.relaxed, "a potential of a relaxed problem");
  require(proof.pointing.size() == model.rank, "a potential whose sizes do not fit");
  for (const Row& force : model.impulses)
    require(product(proof.pointing, force) <= -1, "a force against which nothing points");
  const Q least = proof.weights - product(proof.pointing, model.start);
  require(least >= 0 && least * least >= model.mostSquared(proof.pointing), "weights beyond the limit");
  require(proof.growth >= 0, "a growth that is none");
  require(proof.side == 1 || proof.side == -1, "a side that is none");
  std::vector<std::string> names;
  const std::vector<Row> all = model.quantities(names);
  for (size_t q = 0; q < names.size(); ++q) {
    if (names[q] != proof.quantity) continue;
    offset = proof.side * all[q][0];
    of.assign(all[q].begin() + 1, all[q].end());
    for (Q& entry : of) entry *= proof.side;
  }
  require(of.size() == model.rank, "a bound of no quantity");
}

void BoundedQuantity::requireBound(const BoundProof& proof, const Q& start) const {
  const Q most = proof.side * proof.bound - offset;
  require(most >= 0 && most * most >= start + proof.growth * proof.weights, "a bound below what the potential gives");
}

}  // namespace rigor::impact::proof
