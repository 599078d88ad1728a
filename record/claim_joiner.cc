// SPDX-License-Identifier: MIT
#include "record/claim_joiner.h"

#include <algorithm>

namespace rigor::record {

void ClaimJoiner::add(const Claim& claim) {
  const auto [found, first] = open_of_pair_.try_emplace(claim.pair, open_.size());
  if (first) {
    open_.push_back(claim);
    return;
  }
  Claim& open = open_[found->second];
  const bool goes_on = open.axis == claim.axis && open.t0 <= claim.t0 && claim.t0 <= open.t1 &&
                       (!claim.edges || (open.cross == claim.cross && open.cosine == claim.cosine));
  if (!goes_on) {
    closed_.push_back(open);
    open = claim;
    return;
  }
  open.t1 = std::max(open.t1, claim.t1);
  open.gap = std::min(open.gap, claim.gap);
}

void ClaimJoiner::closeAll() {
  closed_.insert(closed_.end(), open_.begin(), open_.end());
  open_.clear(), open_of_pair_.clear();
}

void ClaimJoiner::restore(std::vector<Claim> closed, std::vector<Claim> open) {
  closed_ = std::move(closed), open_ = std::move(open);
  open_of_pair_.clear();
  for (std::size_t i = 0; i < open_.size(); ++i) open_of_pair_[open_[i].pair] = i;
}

}  // namespace rigor::record
