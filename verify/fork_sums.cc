// SPDX-License-Identifier: MIT
#include "verify/fork_sums.h"

#include <algorithm>
#include <cmath>

namespace rigor::verify {

using kernel::Finding;
using kernel::Laws;

bool ForkSums::goesOn(std::size_t branch) const {
  return std::ranges::any_of(run_.branches,
                             [&](const kernel::Branch& other) { return other.parent == static_cast<int>(branch); });
}

std::vector<Finding> ForkSums::check(const kernel::BranchProof& proof) {
  const kernel::Branch& branch = proof.branch();
  const auto number = static_cast<std::size_t>(&branch - run_.branches.data());
  const bool goes_on = goesOn(number);
  if (!run_.actions_known || !proof.sound() || (branch.parent < 0 && !goes_on)) return {};
  std::vector<Sum> sums(run_.model.bodies.size());
  if (branch.parent >= 0 && !ends_[static_cast<std::size_t>(branch.parent)].empty())
    sums = ends_[static_cast<std::size_t>(branch.parent)];
  const Laws laws(proof);
  if (!laws.malformed().empty()) return {};  // Said elsewhere.
  const filter::LawFilter filter(proof, laws);
  kernel::Residuals worst;  // What these sums come to is not told.
  for (const Laws::Duty& duty : laws.duties()) {
    if (duty.kind != Laws::Duty::Kind::kBalance) continue;
    const int body = static_cast<int>(duty.number);
    const auto windowAt = [&](double t) { return std::floor(t / (kernel::kWindow * laws.scalesOf(body).window)); };
    const double end = goes_on ? windowAt(proof.piecesOf(body).back().t0) : -1;
    Sum& sum = sums[duty.number];
    for (const Laws::Stretch& s : laws.window(duty)) {
      const double window = windowAt(s.t0);
      if ((window != sum.window && window != end) || s.isNone()) continue;
      if (window != sum.window) sum = {window, {}};
      sum.off.add(filter.missingOf(s, exact_));
      if (!filter.mayBeMissing(body, sum.off, s.t1, worst))
        return {{true, s.last->id, body, -1, s.t1, "laws do not hold within the record's bounds over a fork"}};
    }
  }
  if (goes_on) ends_[number] = std::move(sums);
  return {};
}

}  // namespace rigor::verify
